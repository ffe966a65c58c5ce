package main

// pairObjectsFile writes the kernel that pairs objects with the objects of packets.
func pairObjectsFile() string {
	f := newText(`
// The pair kernel of objects tests the object of each row against the packet of the
// row, all 16 lanes at once. Nothing but the end of the hits depends on a row, so the
// packets of the next tasks are fetched meanwhile.
//
//	R0   walk            R4, R5  row, end              R13  lane of X
//	R1   nodes of X      R6      end of the hits       R17  lane of Y
//	R2   nodes of Y      R7      moving lanes of Y     R12  its packet, in slot R14
//	R3   bounds of Y     R8      IDs of Y              R11  bytes of a packet
`)
	f.function("func pairObjectsNEON(w *Walk, n int)", 16)
	pairBegin(f)
	f.put(`
		MOVD (Walk_X+Side_Nodes)(R0), R1
		MOVD (Walk_Y+Side_Nodes)(R0), R2
		MOVD (Walk_Y+Side_Packets)(R0), R13
		MOVD packetColumns_Bounds(R13), R3
		MOVD packetColumns_Moving(R13), R7
		MOVD packetColumns_IDs(R13), R8
		MOVD Walk_Head(R0), R13
		MOVD Walk_Rows(R0), R4
		ADD R13<<3, R4
		MOVD n+8(FP), R5
		ADD R5<<3, R4, R5
		MOVD Walk_Hits(R0), R6
		MOVD $384, R11
		B rows

		row:
		ADD $128, R4, R13 // fetch the packet of the row sixteen on
		CMP R5, R13
		BHS last
		MOVWU Row_B(R13), R17
	`)
	packetOfRow(f)
	prefetchLines(f, "R12", 384)
	f.put(`
		last:
		MOVWU Row_A(R4), R13
		MOVWU Row_B(R4), R17
		ADD $8, R4
	`)
	laneAddress(f, "R13", "R1", "R14")
	packetOfRow(f)
	f.put("MOVWU Node_Child(R13), R15")
	listed.overlap(f)
	maskOf(f, 24, "R16")
	f.put(`
		MOVWU Walk_Every(R0), R17
		MOVHU (R7)(R14<<1), R13
		ORR R13, R17
		TBNZ $30, R15, moving
		AND R17, R16

		moving:
		ADD R14<<6, R8, R13
		CMP $0, R16
		CSEL EQ, R6, R13, R13
		PRFM (R13), PLDL1KEEP // the IDs, if there is a hit
		AND $const_refIndex, R15
	`)
	putHit(f, "R6")
	f.put(`
		rows:
		CMP R5, R4
		BNE row
	`)
	hitsDone(f, "R6")
	return f.String()
}

// packetOfRow replaces the lane of Y in R17 by the slot of its packet, R14, and the address of the packet,
// R12.
func packetOfRow(f *text) {
	laneAddress(f, "R17", "R2", "R14")
	f.put(`
		MOVWU Node_Child(R17), R14
		AND $const_refIndex, R14
		MADD R11, R3, R14, R12
	`)
}
