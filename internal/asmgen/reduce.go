package main

// reduceNodes writes the kernel that propagates unions to parents.
//
//	R0  nodes    R1  up    R2  next of the list    R3  nodes left    R12  this node
func reduceNodes(f *text) {
	f.function("func reduceNodesNEON(nodes *Node, up, list *uint32, n int)", 32)
	f.put(`
		MOVD nodes+0(FP), R0
		MOVD up+8(FP), R1
		MOVD list+16(FP), R2
		MOVD n+24(FP), R3

		reduceloop:
		MOVWU.P 4(R2), R13
		ADD R13<<9, R0, R12
	`)
	joinColumns(f)
	joinWords(f, "Node_Mask", 22, 0)
	joinWords(f, "Node_Child", 0, 0)
	orLanes(f, 0, "R15")
	f.put(`
		AND $(const_refMoving|const_refStatic), R15
		MOVWU (R1)(R13<<2), R12
		ORR R15, R13
		MOVD R0, R15
	`)
	nodeLane(f)
	union(f)
	f.put(`
		SUBS $1, R3
		BNE reduceloop
		RET
	`)
}

// reducePackets writes the kernel that computes unions of packets.
//
//	R0  nodes    R2  next of the list    R4  slot      R6  moving   R8   owners       R16  384
//	R1  bounds   R3  slots left          R5  masks     R7  counts   R10  live lanes
func reducePackets(f *text) {
	f.function("func reducePacketsNEON(p *soa.PacketColumns, nodes *soa.Node, slots *uint32, n int)", 32)
	f.put(`
		MOVD p+0(FP), R8
		MOVD nodes+8(FP), R0
		MOVD slots+16(FP), R2
		MOVD n+24(FP), R3
		MOVD packetColumns_Bounds(R8), R1
		MOVD packetColumns_Masks(R8), R5
		MOVD packetColumns_Moving(R8), R6
		MOVD packetColumns_Counts(R8), R7
		MOVD packetColumns_Parents(R8), R8
		MOVD $384, R16

		packet:
		MOVWU.P 4(R2), R4
		MADD R16, R1, R4, R12
	`)
	joinColumns(f)
	f.put("ADD R4<<6, R5, R12")
	joinWords(f, "0", 22, 0)
	f.put("MOVBU (R7)(R4), R10\nMOVHU (R6)(R4<<1), R13")
	liveLanes(f)
	packetReference(f)
	f.put("MOVWU (R8)(R4<<2), R12\nMOVD R0, R15")
	nodeLane(f)
	union(f)
	f.put(`
		SUBS $1, R3
		BNE packet
		RET
	`)
}

// joinWords sets V to to the OR of the four registers at the offset of R12. It clobbers the four from V v on.
func joinWords(f *text, offset string, to, v int) {
	f.put("FLDPQ (%[1]s)(R12), (F%[2]d, F%[3]d)", offset, v, v+1)
	f.put("FLDPQ (%[1]s+32)(R12), (F%[2]d, F%[3]d)", offset, v+2, v+3)
	joinFour(f, to, v, either)
}
