package main

// moveBoxesFile writes the kernel that replaces boxes one by one.
func moveBoxesFile() string {
	f := newText(`
// Moved boxes. All flags follow from the tight box of the other lanes of the packet, which is
// the tight box of all lanes with an empty box in the moved lane.
`)
	moveBoxes(f)
	return f.String()
}

// moveBoxes takes a box at a time.
//
//	R0  packets    R3  box            R6   index             R11  lane
//	R1  placement  R4  left           R7   the next of dst   R12  packet
//	R2  location   R5  left to fetch  R8   next locations    R13  placement box
//
// V8 and V11 are the tight box of the other lanes, later of all lanes, V0 and V3 the old box, V4 and V5 the
// new one, V1 and V2 the stay box. V16 to V19 are the words of the lane.
func moveBoxes(f *text) {
	f.function("func moveBoxesNEON(dst *Moved, packets *soa.Packet, placements *soa.AABB, at *soa.Location, boxes *soa.AABB, n, ahead, first int) (moved int)", 72)
	f.put(`
		MOVD dst+0(FP), R7
		MOVD packets+8(FP), R0
		MOVD placements+16(FP), R1
		MOVD at+24(FP), R2
		MOVD boxes+32(FP), R3
		MOVD n+40(FP), R4
		MOVD ahead+48(FP), R5
		MOVD first+56(FP), R6
		ADD R4<<2, R2, R8
		MOVD $384, R9
		MOVD $24, R16
		VMOVQ $0x7F8000007F800000, $0x7F8000007F800000, V24 // +Inf
		VMOVQ $0xFF800000FF800000, $0xFF800000FF800000, V25 // -Inf
		VMOVI $0, V26.B16
		VMOVQ $0x0000000200000001, $0x0000000800000004, V27 // the flags
		VMOVQ $0x00FFFFFF00FFFFFF, $0x00FFFFFF00FFFFFF, V28 // three bytes of each
	`)
	laneNumbers(f, 20)
	f.put(`
		loop:
		CBZ R5, move
		SUB $1, R5
		MOVWU.P 4(R8), R12
	`)
	movePlace(f)
	for line := range 6 {
		f.put("PRFM %d(R12), PLDL1KEEP", 64*line)
	}
	f.put(`
		PRFM (R13), PLDL1KEEP
		PRFM 16(R13), PLDL1KEEP

		move:
		MOVWU.P 4(R2), R12
		AND $15, R12, R11
	`)
	movePlace(f)
	f.put("ADD R11<<2, R12, R14\n\n// The box of the others.")
	f.put("VDUP R11, V19.S4")
	for r := range 4 {
		f.put("VCMEQ V%d.S4, V19.S4, V%d.S4", 20+r, 16+r)
	}
	for a := range 3 {
		axisColumns(f, a, 0, 4)
		for r := range 4 {
			f.put("VBIT V%d.B16, V24.B16, V%d.B16", 16+r, r)
			f.put("VBIT V%d.B16, V25.B16, V%d.B16", 16+r, 4+r)
		}
		joinFour(f, 8+a, 0, least)
		joinFour(f, 11+a, 4, most)
	}
	joinBox(f, 8, 11)
	loadLane(f, "R14", 0, 3)
	loadBox(f, "R3", 4, 5)
	loadBox(f, "R13", 1, 2)
	f.put("\n\n// The flags, from the lowest: away, leaves, grows, bears.")
	out := func(to, lo, hi, ofLo, ofHi int) { // the box lo, hi is not contained in the other
		f.put(`
			FCMGT V%[1]d.4S, V%[4]d.4S, V%[2]d.4S
			FCMGT V6.4S, V%[3]d.4S, V%[5]d.4S
			VORR V6.B16, V%[1]d.B16, V%[1]d.B16
		`, to, lo, hi, ofLo, ofHi)
	}
	f.put(`
		FCMGE V15.4S, V8.4S, V0.4S
		FCMGE V6.4S, V3.4S, V11.4S
		VORR V6.B16, V15.B16, V15.B16
		FMIN V9.4S, V8.4S, V0.4S
		FMAX V10.4S, V11.4S, V3.4S
	`)
	out(14, 4, 5, 9, 10)
	out(13, 4, 5, 1, 2)
	out(12, 0, 3, 1, 2)
	narrow(f, 12)
	f.put(`
		VCMTST V28.S4, V12.S4, V12.S4
		VAND V27.B16, V12.B16, V12.B16
		VADDV V12.S4, V12
		VMOV V12.S[0], R15

	`)
	least(f, 8, 8, 4)
	most(f, 11, 11, 5)
	noMinusZero(f, 8, 11, 26)
	f.put(`
		FSTPQ (F8, F11), (R7)
		MOVW R6, Moved_Index(R7)
		MOVW R15, Moved_Flags(R7)
		ADD $32, R7, R10
		CMPW $const_MovedAway, R15
		CSEL HI, R10, R7, R7 // no other flag: not kept
		ADD $1, R6

		LDPW (R3), (R10, R11)
		LDPW 8(R3), (R12, R13)
		LDPW 16(R3), (R15, R17)
		ADD $24, R3
		MOVW R10, (R14)
		MOVW R11, 128(R14)
		MOVW R12, 256(R14)
		MOVW R13, 64(R14)
		MOVW R15, 192(R14)
		MOVW R17, 320(R14)
		SUBS $1, R4
		BNE loop

		MOVD dst+0(FP), R10
		SUB R10, R7
		LSR $5, R7
		MOVD R7, moved+64(FP)
		RET
	`)
}

// movePlace replaces the location in R12 by the address of the packet, and puts the address of its stay box
// into R13.
func movePlace(f *text) {
	f.put(`
		LSR $4, R12
		MADD R16, R1, R12, R13
		MADD R9, R0, R12, R12
	`)
}
