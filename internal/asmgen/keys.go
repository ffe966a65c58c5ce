package main

import "fmt"

// encodeFile writes the kernels that survey boxes and compute Morton keys.
func encodeFile() string {
	f := newText(`
// Keys. The cell of one axis is Grid.Cell, operation by operation: half of lo plus half of
// hi, scaled, rounded down, at most -1 for a negative centre (the rounded product may
// be zero), less the origin, converted, clamped. A conversion makes 0 of a NaN and of a
// negative number.
//
// A key is made of three bytes at a time, of the eight bits of each axis that fall into
// them. Byte k of the three takes two or three bits in a row of each axis:
//
//	        bits 0 3 6    bits 1 4 7    bits 2 5
//	byte 0  x 0 1 2       y 0 1 2       z 0 1
//	byte 1  z 2 3 4       x 3 4 5       y 3 4
//	byte 2  y 5 6 7       z 5 6 7       x 6 7
//
// A table for each column holds the positions of the bits; TBL reads four cells at once.
//
//	V16  1/side               V20  0.5     V23  the last cell    V28  7 in each byte
//	V17 to V19  the origin    V21  -1      V24  0                V29, V30  the order of
//	V25 to V27  the tables    V22  +Inf                          the bytes of two keys each
`)
	encodeBoxes(f)
	encodePackets(f)
	survey(f)
	return f.String()
}

// encodeBoxes takes four boxes at a time.
//
//	R0  keys   R1  grid   R2  boxes   R3  stride in bytes   R4  left
func encodeBoxes(f *text) {
	f.function("func encodeBoxesNEON(keys *uint64, grid *Grid, boxes *float32, stride, n int)", 40)
	f.put(`
		MOVD keys+0(FP), R0
		MOVD grid+8(FP), R1
		MOVD boxes+16(FP), R2
		MOVD stride+24(FP), R3
		MOVD n+32(FP), R4
		LSL $2, R3
	`)
	encodeConstants(f)
	f.put("boxes:")
	nextBoxes(f)
	cells(f)
	keys(f)
	f.put(`
		FSTPQ (F6, F7), (R0)
		ADD $32, R0
		SUBS $4, R4
		BNE boxes
		RET
	`)
}

// nextBoxes loads the four boxes from R2 on, with a stride of R3, as [boxColumns] does.
func nextBoxes(f *text) {
	f.put(`
		MOVD R2, R20
		ADD R3, R20, R21
		ADD R3, R21, R22
		ADD R3, R22, R23
		ADD R3, R23, R2
	`)
	boxColumns(f)
}

// encodePackets takes four lanes of a packet at a time, as long as live lanes are left.
//
//	R0  keys     R3  packet   R5  its place   R7  room    R9   live lanes   R11  left
//	R2  sources  R4  counts   R6  packets     R8  done    R10  this lane    R12, R13  its key, source
func encodePackets(f *text) {
	f.function("func encodePacketsNEON(keys *uint64, src *soa.Location, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)", 80)
	f.put(`
		MOVD keys+0(FP), R0
		MOVD src+8(FP), R2
		MOVD grid+16(FP), R1
		MOVD packets+24(FP), R3
		MOVD counts+32(FP), R4
		MOVD slot+40(FP), R5
		MOVD n+48(FP), R6
		MOVD room+56(FP), R7
		MOVD ZR, R8
		LSL $4, R5
		VMOVQ $0x0000000100000000, $0x0000000300000002, V15
		VMOVQ $0x0000000400000004, $0x0000000400000004, V14
	`)
	encodeConstants(f)
	f.put(`
		packet:
		CMP R6, R8
		BGE done
		MOVBU (R4)(R8), R9
		CBZ R9, next
		CMP $16, R7
		BLT done
		VDUP R5, V13.S4
		VADD V15.S4, V13.S4, V13.S4
		MOVD R9, R11
		MOVD R3, R10
		MOVD R0, R12
		MOVD R2, R13

		lanes:
	`)
	for a := range 3 {
		f.put("FMOVQ %d(R10), F%d", 128*a, a)
		f.put("FMOVQ %d(R10), F%d", 128*a+64, 3+a)
	}
	cells(f)
	keys(f)
	f.put(`
		FSTPQ (F6, F7), (R12)
		FMOVQ F13, (R13)
		VADD V14.S4, V13.S4, V13.S4
		ADD $16, R10
		ADD $32, R12
		ADD $16, R13
		SUBS $4, R11
		BGT lanes
		ADD R9<<3, R0
		ADD R9<<2, R2
		SUB R9, R7

		next:
		ADD $1, R8
		ADD $16, R5
		ADD $384, R3
		B packet

		done:
		MOVD room+56(FP), R9
		SUB R7, R9
		MOVD R8, done+64(FP)
		MOVD R9, wrote+72(FP)
		RET
	`)
}

// encodeConstants loads the constants of [cells] and [keys], and advances R1 past the grid.
func encodeConstants(f *text) {
	for v := 16; v < 20; v++ {
		f.put("VLD1R.P 4(R1), [V%d.S4]", v)
	}
	words := func(x uint32, v int) {
		f.put("VMOVQ $0x%08[1]X%08[1]X, $0x%08[1]X%08[1]X, V%[2]d", x, v)
	}
	words(0x3F000000, 20)
	words(0xBF800000, 21)
	words(0x7F800000, 22)
	words(1<<21-1, 23)
	f.put("VMOVI $0, V24.B16")
	for c := range 3 { // bit i moves to c+3i, if that is in a byte
		bytesOf(f, 25+c, func(i int) int { return (i&1 | i>>1&1<<3 | i>>2&1<<6) << c })
	}
	f.put("VMOVI $7, V28.B16")
	for k := range 2 { // byte i of two keys is byte i/3 of one of three registers
		bytesOf(f, 29+k, func(i int) int { return i%8%3*16 + 4*(2*k+i/8) + i%8/3 })
	}
}

// bytesOf loads a constant of 16 bytes.
func bytesOf(f *text, v int, byteOf func(i int) int) {
	half := func(from int) (x uint64) {
		for i := range 8 {
			x |= uint64(byteOf(from+i)&255) << (8 * i)
		}
		return x
	}
	f.put("VMOVQ $0x%016X, $0x%016X, V%d", half(0), half(8), v)
}

// cells computes the cells of four boxes, from the columns V0 to V2 and V3 to V5, in V0 to V2.
func cells(f *text) {
	axes := func(line string) {
		for a := range 3 {
			f.put(fmt.Sprintf(line, a, 3+a, 17+a))
		}
	}
	axes("FMUL V%[1]d.4S, V%[1]d.4S, V20.4S")
	axes("FMUL V%[2]d.4S, V%[2]d.4S, V20.4S")
	axes("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S")
	axes("FMUL V%[2]d.4S, V%[1]d.4S, V16.4S")
	axes("FRINTM V%[2]d.4S, V%[2]d.4S")
	axes("FCMGT V%[1]d.4S, V24.4S, V%[1]d.4S")
	axes("VBSL V22.B16, V21.B16, V%[1]d.B16 // -1 or +Inf")
	axes("FMIN V%[2]d.4S, V%[2]d.4S, V%[1]d.4S")
	axes("FSUB V%[2]d.4S, V%[2]d.4S, V%[3]d.4S")
	axes("FCVTZU V%[1]d.4S, V%[2]d.4S")
	axes("VUMIN V23.S4, V%[1]d.S4, V%[1]d.S4")
}

// keys computes the keys of the cells in V0 to V2: two in V6, two in V7. It clobbers V8 to V12.
func keys(f *text) {
	shifts := [3][3]int{{0, 0, 0}, {3, 3, 2}, {6, 5, 5}} // by byte and axis
	for k := range 3 {
		for a := range 3 {
			to, from := 8+k, a
			if a > 0 {
				to = 10 + a
			}
			if s := shifts[k][a]; s > 0 {
				f.put("VUSHR $%d, V%d.S4, V%d.S4", s, a, to)
				from = to
			}
			f.put("VAND V28.B16, V%d.B16, V%d.B16", from, to)
			f.put("VTBL V%[1]d.B16, [V%[2]d.B16], V%[1]d.B16", to, 25+(a+k)%3)
		}
		f.put("VORR V11.B16, V%[1]d.B16, V%[1]d.B16", 8+k)
		f.put("VORR V12.B16, V%[1]d.B16, V%[1]d.B16", 8+k)
	}
	f.put(`
		VTBL V29.B16, [V8.B16, V9.B16, V10.B16], V6.B16
		VTBL V30.B16, [V8.B16, V9.B16, V10.B16], V7.B16
	`)
}

// survey takes four boxes at a time. An inverted box or a NaN clears its bits of V29; infinities show in the
// extremes.
//
//	R0  extremes   R2  boxes   R3  stride in bytes   R4  left
//
// V16 to V21 are the extremes of the boxes, V22 to V27 the extremes of their centres; V28 is 0.5.
func survey(f *text) {
	f.function("func surveyNEON(acc *surveyLanes, boxes *float32, stride, n int) (good bool)", 33)
	f.put(`
		MOVD acc+0(FP), R0
		MOVD boxes+8(FP), R2
		MOVD stride+16(FP), R3
		MOVD n+24(FP), R4
		LSL $2, R3
		VMOVQ $0x3F0000003F000000, $0x3F0000003F000000, V28
		VMOVQ $0xFFFFFFFFFFFFFFFF, $0xFFFFFFFFFFFFFFFF, V29
	`)
	for row := range 12 {
		f.put("FMOVQ %d(R0), F%d", 64*row, 16+row)
	}
	f.put("survey:")
	nextBoxes(f)
	for a := range 3 {
		f.put("FCMGE V%d.4S, V%d.4S, V%d.4S", 6+a, 3+a, a)
		least(f, 16+a, 16+a, a)
		most(f, 19+a, 19+a, 3+a)
		f.put(`
			VAND V%[3]d.B16, V29.B16, V29.B16
			FMUL V%[1]d.4S, V%[1]d.4S, V28.4S
			FMUL V%[2]d.4S, V%[2]d.4S, V28.4S
			FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S
		`, a, 3+a, 6+a)
		least(f, 22+a, 22+a, a)
		most(f, 25+a, 25+a, a)
	}
	f.put("SUBS $4, R4\nBNE survey\n\n")
	for row := range 12 {
		f.put("FMOVQ F%d, %d(R0)", 16+row, 64*row)
	}
	f.put(`
		VMOV V29.D[0], R5
		VMOV V29.D[1], R6
		AND R6, R5
		CMN $1, R5
		CSET EQ, R5
		MOVB R5, good+32(FP)
		RET
	`)
}
