package main

// cutRunFile writes the partition kernels for a run of any length.
func cutRunFile() string {
	f := newText(`
// The ends of a column, how much of it is below a number, and the parting of a run.
`)
	cutEnds(f)
	cutCount(f)
	cutPart(f)
	return f.String()
}

// cutEnds takes 16 rows at a time and needs at least 16; the last block overlaps the one before.
//
//	R0  row    R1  rows left
func cutEnds(f *text) {
	f.function("func cutEndsNEON(x *uint32, n int) (least, most uint32)", 24)
	f.put(`
		MOVD x+0(FP), R0
		MOVD n+8(FP), R1
		ADD R1<<2, R0, R2
		SUB $64, R2
		VLD1 (R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	`)
	for v := range 4 {
		f.put("VMOV V%d.B16, V%d.B16", 4+v, 8+v)
	}
	f.put(`
		SUB $16, R1

		rows:
		VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	for v := range 4 {
		f.put("VUMIN V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", v, 4+v)
		f.put("VUMAX V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", v, 8+v)
	}
	f.put("SUBS $16, R1\nBGE rows\n")
	for i, join := range []string{"UMINP", "UMAXP"} {
		f.put(`
			%[1]s V%[2]d.4S, V%[2]d.4S, V%[3]d.4S
			%[1]s V%[4]d.4S, V%[4]d.4S, V%[5]d.4S
			%[1]s V%[2]d.4S, V%[2]d.4S, V%[4]d.4S
			%[1]s V%[2]d.4S, V%[2]d.4S, V%[2]d.4S
			%[1]s V%[2]d.4S, V%[2]d.4S, V%[2]d.4S
			VMOV V%[2]d.S[0], R%[6]d
		`, join, 4+4*i, 5+4*i, 6+4*i, 7+4*i, 3+i)
	}
	f.put(`
		MOVW R3, least+16(FP)
		MOVW R4, most+20(FP)
		RET
	`)
}

// cutCount takes 16 rows at a time.
//
//	R0  row    R1  rows left    V8  the number    V16 to V19  sums
func cutCount(f *text) {
	f.function("func cutCountNEON(x *uint32, n int, at uint32) (below int)", 32)
	f.put(`
		MOVD x+0(FP), R0
		MOVD n+8(FP), R1
		MOVWU at+16(FP), R2
		VDUP R2, V8.S4
	`)
	for v := range 4 {
		f.put("VMOVI $0, V%d.B16", 16+v)
	}
	f.put("rows:")
	f.put("VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]")
	for v := range 4 {
		f.put("CMHI V%[1]d.4S, V8.4S, V%[1]d.4S", v)
	}
	for v := range 4 {
		f.put("VSUB V%[1]d.S4, V%[2]d.S4, V%[2]d.S4", v, 16+v)
	}
	f.put(`
		SUBS $16, R1
		BNE rows
		VADD V17.S4, V16.S4, V16.S4
		VADD V19.S4, V18.S4, V18.S4
		VADD V18.S4, V16.S4, V16.S4
		VADDV V16.S4, V16
		VMOV V16.S[0], R0
		MOVD R0, below+24(FP)
		RET
	`)
}

// cutPart partitions eight rows at a time, as long as eight are left.
//
//	R0  arguments      R5 to R8  columns of the upper part    R9  the one that is compared
//	R1 to R4  columns of the run                              R16 the last row to begin at
//
// [partOrder] determines the partition of the columns.
func cutPart(f *text) {
	f.function("func cutPartNEON(p *cutPartArgs)", 8)
	f.put("MOVD p+0(FP), R0")
	for c := range 4 {
		f.put("MOVD (cutPartArgs_from+%d)(R0), R%d", 8*c, 1+c)
		f.put("MOVD (cutPartArgs_upper+%d)(R0), R%d", 8*c, 5+c)
	}
	f.put(`
		MOVD cutPartArgs_on(R0), R9
		ADD $cutPartArgs_from, R0, R10
		MOVD (R10)(R9<<3), R9
		MOVD cutPartArgs_i(R0), R10
		MOVD cutPartArgs_n(R0), R16
		MOVD cutPartArgs_down(R0), R11
		MOVD cutPartArgs_up(R0), R12
		LSL $2, R10
		LSL $2, R16
		LSL $2, R11
		LSL $2, R12
		SUB $32, R16
		MOVWU cutPartArgs_at(R0), R13
		VDUP R13, V8.S4
		MOVD $·compressTable(SB), R20
	`)
	laneBits(f)
	f.put(`
		CMP R16, R10
		BGT done

		part:
		ADD R10, R9, R13
		FLDPQ (R13), (F0, F1)
	`)
	partOrder(f)
	for c := range 4 {
		partColumn(f, []string{"R1", "R2", "R3", "R4"}[c], []string{"R5", "R6", "R7", "R8"}[c])
	}
	partNext(f)
	f.put(`
		CMP R16, R10
		BLE part

		done:
		LSR $2, R10
		LSR $2, R11
		LSR $2, R12
		MOVD R10, cutPartArgs_i(R0)
		MOVD R11, cutPartArgs_down(R0)
		MOVD R12, cutPartArgs_up(R0)
		RET
	`)
}

// Partition of eight rows. R10 is the offset of the rows, R11 the offset of the next row of the lower part,
// R12 of the upper part, R20 compressTable, V8 the exclusive upper bound of the lower part, V9 and V10 the
// bits of the rows.

// laneBits sets V9 and V10.
func laneBits(f *text) {
	f.put(`
		VMOVQ $0x0000000200000001, $0x0000000800000004, V9
		VMOVQ $0x0000002000000010, $0x0000008000000040, V10
	`)
}

// partOrder computes the permutations, V4 and V5 for the lower part and V6 and V7 for the upper, of the eight
// words in V0 and V1; R14 is the number of lower words.
func partOrder(f *text) {
	f.put(`
		CMHI V0.4S, V8.4S, V0.4S
		CMHI V1.4S, V8.4S, V1.4S
		VAND V9.B16, V0.B16, V0.B16
		VAND V10.B16, V1.B16, V1.B16
		VADD V0.S4, V1.S4, V0.S4
		VADDV V0.S4, V0
		VMOV V0.S[0], R13
		VCNT V0.B8, V0.B8
		VMOV V0.B[0], R14
		EOR $255, R13, R15
		ADD R13<<5, R20, R13
		ADD R15<<5, R20, R15
		FLDPQ (R13), (F4, F5)
		FLDPQ (R15), (F6, F7)
	`)
}

// partColumn moves eight words of a column to both parts, in these orders.
func partColumn(f *text, column, upper string) {
	f.put(`
		ADD R10, %[1]s, R13
		FLDPQ (R13), (F0, F1)
		ADD R11, %[1]s, R13
		ADD R12, %[2]s, R15
		VTBL V4.B16, [V0.B16, V1.B16], V2.B16
		VTBL V5.B16, [V0.B16, V1.B16], V3.B16
		FSTPQ (F2, F3), (R13)
		VTBL V6.B16, [V0.B16, V1.B16], V2.B16
		VTBL V7.B16, [V0.B16, V1.B16], V3.B16
		FSTPQ (F2, F3), (R15)
	`, column, upper)
}

// partNext advances the offsets.
func partNext(f *text) {
	f.put(`
		ADD R14<<2, R11
		ADD $32, R12
		SUB R14<<2, R12
		ADD $32, R10
	`)
}
