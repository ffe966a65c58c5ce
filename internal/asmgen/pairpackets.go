package main

// pairPacketsFile writes the kernel that pairs the objects of packets.
func pairPacketsFile() string {
	f := newText(`
// The pair kernel of packets makes two passes, so that no branch has to be guessed. The
// first takes rows: it notes which objects of the packet of X reach the box of the
// packet of Y, and which lanes of that one they may be paired with. The second takes
// these objects one by one, and tests them against the packet of Y.
//
//	R0   walk               R9, R10  lanes for the lanes of a packet with another one and with itself
//	R1   nodes of X         R11      bytes of a packet
//	R2   nodes of Y         R4, R5   row, end
//	R3   bounds of X        R6       next note of an object, R7 of a packet, R8 of lanes
//	R21, R22  moving lanes of X and Y     R23  Every
//
//	V16 to V19  the numbers of the lanes    V20 to V23  the bit of each
`)
	f.function("func pairPacketsNEON(w *Walk, n int)", 16)
	pairBegin(f)
	f.put(`
		MOVD (Walk_X+Side_Nodes)(R0), R1
		MOVD (Walk_Y+Side_Nodes)(R0), R2
		MOVD (Walk_X+Side_Packets)(R0), R13
		MOVD packetColumns_Bounds(R13), R3
		MOVD packetColumns_Moving(R13), R21
		MOVD (Walk_Y+Side_Packets)(R0), R13
		MOVD packetColumns_Moving(R13), R22
		MOVD Walk_Head(R0), R13
		MOVD Walk_Rows(R0), R4
		ADD R13<<3, R4
		MOVD n+8(FP), R5
		ADD R5<<3, R4, R5
		MOVWU Walk_Every(R0), R23
		MOVD $·pairLanes(SB), R9
		MOVWU Walk_Self(R0), R10
		ADD R10<<6, R9, R10
		MOVD $384, R11
	`)
	firstNotes(f, "R6")
	for r := range 4 {
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V%d", 4*r+1, 4*r, 4*r+3, 4*r+2, 16+r)
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V%d", 2<<(4*r), 1<<(4*r), 8<<(4*r), 4<<(4*r), 20+r)
	}
	pairReach(f)
	pairMeet(f)
	return f.String()
}

// firstNotes sets a register, R7 and R8 to the first note of each column.
func firstNotes(f *text, reach string) {
	f.put(`
		MOVD Walk_notes(R0), %[1]s
		MOVD $pairNotes_slots, R13
		ADD R13, %[1]s, R7
		MOVD $pairNotes_lanes, R13
		ADD R13, %[1]s, R8
	`, reach)
}

// pairReach is the first pass. R24 and R13 are the lanes of a row, R15 and R14 their packets.
//
//	V8 to V11  places of the lanes of X   V12 to V15  their possible partners   V30  packet of Y
func pairReach(f *text) {
	f.put(`
		row:
		MOVWU Row_A(R4), R24
		MOVWU Row_B(R4), R13
		ADD $8, R4
		CMP R24, R13
		CSEL EQ, R10, R9, R25
		VLD1 (R25), [V12.S4, V13.S4, V14.S4, V15.S4]
	`)
	laneAddress(f, "R24", "R1", "R14")
	laneAddress(f, "R13", "R2", "R14")
	f.put(`
		MOVWU Node_Child(R24), R15
		MOVWU Node_Child(R13), R14
		AND $const_refIndex, R15
		AND $const_refIndex, R14
		MADD R11, R3, R15, R12
	`)
	listed.overlap(f)
	f.put(`
		LSL $4, R15, R13
		VDUP R13, V29.S4
		VDUP R14, V30.S4
	`)
	for r := range 4 {
		f.put("VADD V29.S4, V%d.S4, V%d.S4", 16+r, 8+r)
	}
	f.put(`
		CBNZ R23, note

		// Two static objects are not a pair. A static object without a moving partner
		// is skipped.
		MOVHU (R21)(R15<<1), R15
		MOVHU (R22)(R14<<1), R14
		VDUP R15, V29.S4
		VDUP R14, V31.S4
	`)
	for r := range 4 {
		f.put("VCMTST V29.S4, V%d.S4, V%d.S4", 20+r, r)
	}
	for r := range 4 {
		f.put("VORR V31.B16, V%[1]d.B16, V%[1]d.B16", r)
	}
	for r := range 4 {
		f.put("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", r, 12+r)
	}
	for r := range 4 {
		f.put("VCMTST V%[1]d.S4, V%[1]d.S4, V%[2]d.S4", 12+r, r)
	}
	for r := range 4 {
		f.put("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", r, 24+r)
	}
	f.put("note:")
	maskOf(f, 24, "R16")
	f.put("VCNT V24.B8, V24.B8\nVMOV V24.H[0], R17")
	for half := range 2 {
		f.put(`
			UBFX $%[1]d, R16, $8, R15
			UBFX $%[1]d, R17, $8, R14
			ADD R15<<5, R20, R15
			FLDPQ (R15), (F4, F5)
			VTBL V4.B16, [V%[2]d.B16, V%[3]d.B16], V0.B16
			VTBL V5.B16, [V%[2]d.B16, V%[3]d.B16], V1.B16
			VTBL V4.B16, [V%[4]d.B16, V%[5]d.B16], V2.B16
			VTBL V5.B16, [V%[4]d.B16, V%[5]d.B16], V3.B16
			FSTPQ (F0, F1), (R6)
			FSTPQ (F30, F30), (R7)
			FSTPQ (F2, F3), (R8)
			ADD R14<<2, R6
			ADD R14<<2, R7
			ADD R14<<2, R8
		`, 8*half, 8+2*half, 9+2*half, 12+2*half, 13+2*half)
	}
	f.put("CMP R5, R4\nBNE row")
}

// pairMeet is the second pass.
//
//	R4, R6  note of an object, end    R15  the object     R9   end of the hits
//	R7, R8  of a packet, of lanes     R14  the packet     R10  bounds of Y
func pairMeet(f *text) {
	firstNotes(f, "R4")
	f.put(`
		MOVD Walk_Hits(R0), R9
		MOVD (Walk_Y+Side_Packets)(R0), R10
		MOVD packetColumns_Bounds(R10), R10
		B objects

		object:
		MOVWU.P 4(R4), R15
		MOVWU.P 4(R7), R14
		MOVWU.P 4(R8), R17
		LSR $4, R15, R13
		AND $15, R15, R16
		MADD R11, R3, R13, R13
		ADD R16<<2, R13
		MADD R11, R10, R14, R12
	`)
	listed.overlap(f)
	maskOf(f, 24, "R16")
	f.put("AND R17, R16")
	putHit(f, "R9")
	f.put(`
		objects:
		CMP R6, R4
		BNE object
	`)
	hitsDone(f, "R9")
}
