package main

// cutFile writes the kernels that load and halve a run of up to 256 objects, and decode Morton keys.
func cutFile() string {
	f := newText(`
// The parting of objects in space.
`)
	cutLoad(f)
	cutDecode(f)
	cutHalve(f)
	return f.String()
}

// cutLoad takes four objects at a time, and then one.
//
//	R0 to R2  columns of the cut   R6  objects left   V4  places
//	R3 to R5  x, y, z              R7  place          V5  4
func cutLoad(f *text) {
	f.function("func cutLoadNEON(c *Cut, x, y, z *uint32, n int)", 40)
	f.put(`
		MOVD c+0(FP), R0
		MOVD x+8(FP), R3
		MOVD y+16(FP), R4
		MOVD z+24(FP), R5
		MOVD n+32(FP), R6
		MOVD ZR, R7
		ADD $const_cutColumn, R0, R1
		ADD $const_cutColumn, R1, R2
		VMOVQ $0x0000000100000000, $0x0000000300000002, V4
		VMOVQ $0x0000000400000004, $0x0000000400000004, V5
		SUBS $4, R6
		BLT rest

		four:
	`)
	for a := range 3 {
		f.put(`
			VLD1.P 16(R%[1]d), [V0.S4]
			VSHL $const_cutPlaceBits, V0.S4, V0.S4
			VORR V4.B16, V0.B16, V0.B16
			VST1.P [V0.S4], 16(R%[2]d)
		`, 3+a, a)
	}
	f.put(`
		VADD V5.S4, V4.S4, V4.S4
		ADD $4, R7
		SUBS $4, R6
		BGE four

		rest:
		ADDS $4, R6
		BEQ done

		one:
	`)
	for a := range 3 {
		f.put(`
			MOVWU.P 4(R%[1]d), R8
			ORR R8<<const_cutPlaceBits, R7, R8
			MOVW.P R8, 4(R%[2]d)
		`, 3+a, a)
	}
	f.put(`
		ADD $1, R7
		SUBS $1, R6
		BNE one

		done:
		RET
	`)
}

// cutDecode takes four keys at a time, in the opposite direction to [keys]: two tables move the bits 0 3 6, 1
// 4 7 and 2 5 of each byte next to each other.
//
//	R0 to R2  x, y, z    R3  keys    R4  left
//
// V16 and V17 are the tables, V18 is 15 in each byte, V19 to V21 select bytes 0 3 6, 1 4 7 and 2 5 of four
// keys, V22 to V25 are masks.
func cutDecode(f *text) {
	f.function("func cutDecodeNEON(x, y, z *uint32, keys *uint64, n int)", 40)
	f.put(`
		MOVD x+0(FP), R0
		MOVD y+8(FP), R1
		MOVD z+16(FP), R2
		MOVD keys+24(FP), R3
		MOVD n+32(FP), R4
	`)
	to := [8]int{0, 3, 6, 1, 4, 7, 2, 5} // destinations of the bits of a byte
	for half := range 2 {
		bytesOf(f, 16+half, func(i int) (moved int) {
			for bit := range 4 {
				moved |= i >> bit & 1 << to[4*half+bit]
			}
			return moved
		})
	}
	f.put("VMOVI $15, V18.B16")
	for first := range 3 {
		bytesOf(f, 19+first, func(i int) int {
			if at := first + i%4*3; at < 8 {
				return i/4*8 + at
			}
			return 255 // none
		})
	}
	f.put(`
		VMOVI $0x07, V22.B16
		VMOVQ $0x0018383800183838, $0x0018383800183838, V23 // 63 bits
		VMOVI $0x18, V24.B16
		VMOVI $0xE0, V25.B16

		four:
		VLD1.P 32(R3), [V0.B16, V1.B16]
	`)
	for v := range 2 {
		f.put(`
			VAND V18.B16, V%[1]d.B16, V2.B16
			VUSHR $4, V%[1]d.B16, V%[1]d.B16
			VTBL V2.B16, [V16.B16], V2.B16
			VTBL V%[1]d.B16, [V17.B16], V%[1]d.B16
			VORR V2.B16, V%[1]d.B16, V%[1]d.B16
		`, v)
	}
	f.put(`
		VTBL V19.B16, [V0.B16, V1.B16], V4.B16 // x 0 1 2, y 0 1 2, z 0 1
		VTBL V20.B16, [V0.B16, V1.B16], V5.B16 // z 2 3 4, x 3 4 5, y 3 4
		VTBL V21.B16, [V0.B16, V1.B16], V6.B16 // y 5 6 7, z 5 6 7, x 6 7
		VMOV V6.B16, V0.B16
		VBIT V23.B16, V5.B16, V0.B16
		VBIT V22.B16, V4.B16, V0.B16
		VUSHR $3, V4.B16, V1.B16
		VUSHR $3, V5.B16, V2.B16
		VBIT V24.B16, V2.B16, V1.B16
		VSLI $5, V6.B16, V1.B16
		VUSHR $6, V4.B16, V2.B16
		VSHL $2, V6.B16, V3.B16
		VSLI $2, V5.B16, V2.B16
		VBIT V25.B16, V3.B16, V2.B16
		VST1.P [V0.S4], 16(R0)
		VST1.P [V1.S4], 16(R1)
		VST1.P [V2.S4], 16(R2)
		SUBS $4, R4
		BNE four
		RET
	`)
}

// cutHalve performs one step after the other, eight rows at a time. Whole registers extend beyond the run, by
// less than eight rows: the data there is restored.
//
//	R0  cut          R3, R16, R17     columns of the run        R6  that of the longest axis
//	R1  next step    R21, R22, R23    counts of the upper part   R7  fewer than wanted are below
//	R2  steps left   R4  objects      R5  of the lower part     R8  as many or more are below
//	R20  compressTable                R9  offset of the last eight rows
//
// V12 and V13 are the live lanes of the last rows, V14 and V15 the others, V28 and V29 the numbers from 0 to
// 7, V9 and V10 their bits, V30 all ones.
func cutHalve(f *text) {
	f.function("func cutHalveNEON(c *Cut, steps *CutStep, n int)", 24)
	f.put(`
		MOVD c+0(FP), R0
		MOVD steps+8(FP), R1
		MOVD n+16(FP), R2
		MOVD $·compressTable(SB), R20
		ADD $Cut_upper, R0, R21
		ADD $const_cutColumn, R21, R22
		ADD $const_cutColumn, R22, R23
		VMOVQ $0x0000000100000000, $0x0000000300000002, V28
		VMOVQ $0x0000000500000004, $0x0000000700000006, V29
		VMOVI $255, V30.B16
	`)
	laneBits(f)
	f.put(`
		step:
		MOVHU CutStep_Lo(R1), R10
		MOVHU CutStep_Mid(R1), R5
		MOVHU CutStep_Hi(R1), R4
		SUBS R10, R5
		BEQ stepped
		SUB R10, R4
		CMP R4, R5
		BEQ stepped
		ADD R10<<2, R0, R3
		ADD $const_cutColumn, R3, R16
		ADD $const_cutColumn, R16, R17
		SUB $1, R4, R9
		AND $7, R9, R10
		ADD $1, R10
		BIC $7, R9
		LSL $2, R9
		VDUP R10, V11.S4
		CMHI V12.4S, V11.4S, V28.4S
		CMHI V13.4S, V11.4S, V29.4S
		VEOR V30.B16, V12.B16, V14.B16
		VEOR V30.B16, V13.B16, V15.B16

		// The bounds on each axis: two registers of minima, two of maxima; later x y z z.
	`)
	run, upper := []string{"R3", "R16", "R17"}, []string{"R21", "R22", "R23"}
	eight := func(column, offset string) { f.put("ADD %s, %s, R10\nFLDPQ (R10), (F0, F1)", offset, column) }
	for a, column := range run {
		eight(column, "R9")
		for i := range 2 {
			f.put("VORR V%d.B16, V%d.B16, V%d.B16", 14+i, i, 16+4*a+i)
			f.put("VAND V%d.B16, V%d.B16, V%d.B16", 12+i, i, 18+4*a+i)
		}
	}
	f.put(`
		MOVD R9, R11
		CBZ R11, axis

		ends:
		SUB $32, R11
	`)
	for a, column := range run {
		eight(column, "R11")
		for i := range 2 {
			f.put("VUMIN V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", i, 16+4*a+i)
			f.put("VUMAX V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", i, 18+4*a+i)
		}
	}
	f.put(`
		CBNZ R11, ends

		axis:
	`)
	for a := range 3 {
		f.put("VUMIN V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", 17+4*a, 16+4*a)
		f.put("VUMAX V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", 19+4*a, 18+4*a)
	}
	f.put(`
		UMINP V16.4S, V16.4S, V20.4S
		UMAXP V18.4S, V18.4S, V22.4S
		UMINP V24.4S, V24.4S, V24.4S
		UMAXP V26.4S, V26.4S, V26.4S
		UMINP V16.4S, V16.4S, V24.4S
		UMAXP V18.4S, V18.4S, V26.4S
		VUSHR $const_cutPlaceBits, V16.S4, V0.S4
		VUSHR $const_cutPlaceBits, V18.S4, V1.S4
		VSUB V0.S4, V1.S4, V0.S4
		VMOV V0.S[0], R10
		VMOV V16.S[0], R7
		VMOV V18.S[0], R8
		MOVD R3, R6
	`)
	for a := 1; a < 3; a++ { // lanes with the larger span
		f.put(`
			VMOV V0.S[%[1]d], R11
			VMOV V16.S[%[1]d], R12
			VMOV V18.S[%[1]d], R13
			CMPW R10, R11
			CSEL HI, R11, R10, R10
			CSEL HI, R12, R7, R7
			CSEL HI, R13, R8, R8
			CSEL HI, %[2]s, R6, R6
		`, a, run[a])
	}
	f.put(`
		search:
		SUB R7, R8, R10
		ADD $1, R10
		ADD R10>>1, R7, R11
		VDUP R11, V8.S4
	`)
	eight("R6", "R9")
	f.put(`
		CMHI V0.4S, V8.4S, V0.4S
		CMHI V1.4S, V8.4S, V1.4S
		VAND V12.B16, V0.B16, V2.B16
		VAND V13.B16, V1.B16, V3.B16
		MOVD R9, R12
		CBZ R12, counted

		count:
		SUB $32, R12
	`)
	eight("R6", "R12")
	f.put(`
		CMHI V0.4S, V8.4S, V0.4S
		CMHI V1.4S, V8.4S, V1.4S
		VADD V0.S4, V2.S4, V2.S4
		VADD V1.S4, V3.S4, V3.S4
		CBNZ R12, count

		counted:
		VADD V2.S4, V3.S4, V2.S4
		VADDV V2.S4, V2
		VMOV V2.S[0], R12
		NEGW R12, R12
		CMP R5, R12
		CSEL LO, R11, R7, R7
		CSEL HI, R11, R8, R8
		BNE search

		// Partition the run by V8. Rows without an object are stored after the others, on either side.
	`)
	for a, column := range run {
		f.put("ADD R4<<2, %s, R10\nFLDPQ (R10), (F%d, F%d)", column, 16+2*a, 17+2*a)
	}
	f.put(`
		MOVD ZR, R10
		MOVD ZR, R11
		MOVD ZR, R12

		part:
		ADD R10, R6, R13
		FLDPQ (R13), (F0, F1)
	`)
	partOrder(f)
	for a, column := range run {
		partColumn(f, column, upper[a])
	}
	partNext(f)
	f.put(`
		CMP R9, R10
		BLE part

		// The upper part behind the lower.
		LSL $2, R5, R10
		SUB R5, R4, R12
		LSL $2, R12
		MOVD ZR, R11

		copy:
	`)
	for a, column := range run {
		f.put(`
			ADD R11, %s, R13
			ADD R10, %s, R14
			FLDPQ (R13), (F0, F1)
			FSTPQ (F0, F1), (R14)
		`, upper[a], column)
	}
	f.put(`
		ADD $32, R10
		ADD $32, R11
		CMP R12, R11
		BLT copy
	`)
	for a, column := range run {
		f.put("ADD R4<<2, %s, R10\nFSTPQ (F%d, F%d), (R10)", column, 16+2*a, 17+2*a)
	}
	f.put(`
		stepped:
		ADD $6, R1
		SUBS $1, R2
		BNE step
		RET
	`)
}
