package main

import "fmt"

// writeBoxesFile writes the kernel that replaces the boxes of packets.
func writeBoxesFile() string {
	f := newText(`
// A packet of boxes is read lane by lane and transposed into columns, four lanes at a time. A
// lane without a new box reads box 0, so that all lanes take the same branch, and is not changed.
// The boxes of the next packets are fetched meanwhile.
`)
	writeBoxes(f)
	return f.String()
}

// writeAhead is the prefetch distance of boxes, in packets.
const writeAhead = 8

// writeBoxes takes a packet at a time.
//
//	R0  arguments   R4  placement    R8   next box, if in order   R20 to R23  four boxes
//	R1  packet      R5  boxes   R9   written                 R24  the bit of the packet
//	R2  count       R6  row of the index or 0                R25  rows left
//	R3  owner       R7  left    R10  away                    R11  24
//
// V16 to V19 are the numbers of the boxes, V24 to V27 the lanes to write, V28 to V31 the numbers of lanes,
// V14 the limit.
func writeBoxes(f *text) {
	f.function("func writeBoxesNEON(w *writeArgs) (written, away uint32)", 16)
	f.put(`
		MOVD w+0(FP), R0
		MOVD writeArgs_packets(R0), R1
		MOVD writeArgs_counts(R0), R2
		MOVD writeArgs_owners(R0), R3
		MOVD writeArgs_placements(R0), R4
		MOVD writeArgs_boxes(R0), R5
		MOVD writeArgs_index(R0), R6
		MOVD writeArgs_n(R0), R7
		MOVD writeArgs_next(R0), R8
		MOVD writeArgs_rows(R0), R25
		MOVD writeArgs_limit(R0), R12
		VDUP R12, V14.S4
		MOVD ZR, R9
		MOVD ZR, R10
		MOVD $24, R11
		MOVD $1, R24
	`)
	laneNumbers(f, 28)
	f.put(`
		packet:
		MOVBU (R2), R12
		VDUP R12, V15.S4
		CBZ R6, inorder
		CMP $%d, R25
		BLE row
	`, writeAhead)
	for r := range 4 {
		f.put("FMOVQ %d(R6), F%d", 64*writeAhead+16*r, 16+r)
		f.put("VUMIN V%[1]d.S4, V14.S4, V%[1]d.S4", 16+r)
	}
	for l := range 16 {
		boxAddress(f, l, "R13")
		f.put("PRFM (R13), PLDL1KEEP\nPRFM 16(R13), PLDL1KEEP")
	}
	f.put(`
		row:
		SUB $1, R25
		FLDPQ (R6), (F16, F17)
		FLDPQ 32(R6), (F18, F19)
		ADD $64, R6
		B boxes

		inorder:
		VDUP R8, V19.S4
		ADD R12, R8
	`)
	for r := range 4 {
		f.put("VADD V%d.S4, V19.S4, V%d.S4", 28+r, 16+r)
	}
	f.put("boxes:")
	for r := range 4 {
		f.put(`
			CMHI V%[1]d.4S, V14.4S, V%[2]d.4S
			CMHI V6.4S, V15.4S, V%[3]d.4S
			VAND V6.B16, V%[1]d.B16, V%[1]d.B16
			VAND V%[1]d.B16, V%[2]d.B16, V%[2]d.B16
		`, 24+r, 16+r, 28+r)
	}
	noneLeft(f, 24, "union")
	f.put("ORR R24, R9")
	for g := range 4 {
		f.put("\n\n// Lanes %d to %d.", 4*g, 4*g+3)
		for k := range 4 {
			boxAddress(f, 4*g+k, fmt.Sprint("R", 20+k))
		}
		boxColumns(f)
		storeSome(f, 24+g, 16*g, boxColumnsAt("R1", 0))
	}
	f.put(`
		union:
		MOVWU (R3), R12
		CMNW $1, R12
		BEQ next
		MOVD writeArgs_nodes(R0), R15
	`)
	nodeLane(f)
	f.put("MOVD R1, R12")
	joinColumns(f)
	joinBox(f, 16, 19)
	f.put("VEOR V17.B16, V17.B16, V17.B16")
	noMinusZero(f, 16, 19, 17)
	storeLane(f)
	loadBox(f, "R4", 0, 1)
	f.put(`
		FCMGT V0.4S, V0.4S, V16.4S
		FCMGT V1.4S, V19.4S, V1.4S
		VORR V1.B16, V0.B16, V0.B16
		VMOV V0.D[0], R12
		VMOV V0.S[2], R14
		ORR R14, R12
		CBZ R12, next
		ORR R24, R10

		next:
		LSL $1, R24
		ADD $384, R1
		ADD $1, R2
		ADD $4, R3
		ADD $24, R4
		SUBS $1, R7
		BNE packet

		MOVD R8, writeArgs_next(R0)
		MOVW R9, written+8(FP)
		MOVW R10, away+12(FP)
		RET
	`)
}

// boxAddress puts the address of the box whose number is in that lane of V16 to V19 into the register.
func boxAddress(f *text, lane int, register string) {
	f.put("VMOV V%d.S[%d], R13", 16+lane/4, lane%4)
	f.put("MADD R11, R5, R13, %s", register)
}

// A column is four words in V from that are stored at an offset of a base.
type column struct {
	base     string
	at, from int
}

// boxColumnsAt returns the columns of a packet at the register: minima in V from and the next two, then
// maxima.
func boxColumnsAt(base string, from int) (columns []column) {
	for i := range 6 {
		columns = append(columns, column{base, i%3*128 + i/3*64, from + i})
	}
	return columns
}

// storeSome stores columns at an additional offset, only for lanes in V set. It clobbers V6 to V13.
func storeSome(f *text, set, more int, columns []column) {
	for i, c := range columns {
		f.put("FMOVQ %d(%s), F%d", c.at+more, c.base, 6+i)
	}
	for i, c := range columns {
		f.put("VBIT V%d.B16, V%d.B16, V%d.B16", set, c.from, 6+i)
		f.put("FMOVQ F%d, %d(%s)", 6+i, c.at+more, c.base)
	}
}
