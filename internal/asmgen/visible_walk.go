package main

// visibleNodes writes the kernel that tests queued nodes.
func visibleNodes(f *text) {
	f.functionWith(visibleFrame, "func visibleNodesNEON(w *VisibleWalk, nodes *Node, planes *Planes, filter *NodeFilter, budget int, l *Lens, p *Picture)", 56)
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD planes+16(FP), R2
		MOVD filter+24(FP), R13
		MOVD budget+32(FP), R10
		MOVD l+40(FP), R3
		MOVD p+48(FP), R4
		MOVD (VisibleWalk_Queue+0)(R0), R5
		MOVD VisibleWalk_Head(R0), R6
		MOVD (VisibleWalk_Queue+8)(R0), R7
		MOVD (VisibleWalk_Packets+0)(R0), R8
		MOVD (VisibleWalk_Packets+8)(R0), R9
		MOVD $·compressTable(SB), R20
	`)
	loadFilter(f, "", "R13")
	visibleBegin(f)
	f.put(`
		node:
		CMP R7, R6
		BGE done

		// Fetch the node four places on, a stale one beyond the end of the queue.
		ADD R6<<2, R5, R13
		MOVWU 16(R13), R14
		MOVWU (R13), R26
		AND $const_entryIndex, R14
		ADD R14<<9, R1, R14
	`)
	prefetchLines(f, "R14", 512)
	f.put(`
		AND $const_entryIndex, R26, R12
		ADD R12<<9, R1, R12
		ADD $1, R6
		TBNZ $30, R26, whole
		HITS
	`)
	frustumPlanes.inside(f, "sift")
	f.put("B sift\n\nwhole:")
	everyLane(f, 20)
	everyLane(f, 24)
	f.put("sift:")
	siftLanes(f, 20, 0, 4, "filtered")
	maskOf(f, 20, "R13")
	f.put("CBZW R13, next")
	packetLanes(f, 0, 4)
	f.put("VAND V28.B16, V4.B16, V4.B16")
	for range 3 {
		f.put("VADDP V4.B16, V4.B16, V4.B16")
	}
	f.put("VMOV V4.H[0], R14")
	keepBits(f, "const_refIndex")
	f.put("MOVD $const_InsideFlag, R15\nVDUP R15, V4.S4")
	for r := range 4 {
		f.put("VAND V4.B16, V%[1]d.B16, V%[1]d.B16\nVORR V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", 24+r, r)
	}
	f.put(`
		CBZ R4, entries
		MOVD $rects-736(SP), R15
		ADD $384, R15
		FSTPQ (F0, F1), (R15)
		FSTPQ (F2, F3), 32(R15)
		MOVD R14, 64(R15)
		OCCLUDED
		MOVD $rects-736(SP), R15
		ADD $384, R15
		FLDPQ (R15), (F0, F1)
		FLDPQ 32(R15), (F2, F3)
		MOVD 64(R15), R14
		BIC R19, R13

		// How many are hidden, of nodes and of packets.
		CBZ R19, entries
		AND R14, R19, R15
		BIC R14, R19, R16
		ADD R15<<16, R16, R15
		FMOVD R15, F4
		VCNT V4.B8, V4.B8
		VADDP V4.B16, V4.B16, V4.B16
		VMOV V4.B[0], R15
		VMOV V4.B[1], R16
		MOVD VisibleWalk_HiddenNodes(R0), R17
		ADD R15, R17
		MOVD R17, VisibleWalk_HiddenNodes(R0)
		MOVD VisibleWalk_HiddenPackets(R0), R17
		ADD R16, R17
		MOVD R17, VisibleWalk_HiddenPackets(R0)

		entries:
		AND R14, R13, R15
		BIC R14, R13, R13
		ADD R15<<16, R13, R13
		CBZ R13, next
		FMOVD R13, F4
		VCNT V4.B8, V4.B8
		VMOV V4.D[0], R14
	`)
	for half := range 2 {
		appendLanes(f, half, 2*half, "R5", "R7")
	}
	for half := range 2 {
		appendLanes(f, 2+half, 2*half, "R8", "R9")
	}
	f.put(`
		next:
		SUBS $1, R10
		BNE node

		done:
		MOVD R7, (VisibleWalk_Queue+8)(R0)
		MOVD R6, VisibleWalk_Head(R0)
		MOVD R9, (VisibleWalk_Packets+8)(R0)
		RET
	`)
}

// visiblePackets writes the kernel that tests listed packets.
//
//	R0  next range    R5  slots left    R7  first range         R9   next slot number
//	R1  packets       R6  slot          R8  bytes of a packet   R10  lanes hidden
func visiblePackets(f *text) {
	f.functionWith(visibleFrame, "func visiblePacketsNEON(out *Range, packets *Packet, slots *uint32, n int, planes *Planes, l *Lens, p *Picture) (written, hidden int)", 72)
	f.put(`
		MOVD out+0(FP), R0
		MOVD packets+8(FP), R1
		MOVD slots+16(FP), R9
		MOVD n+24(FP), R5
		MOVD planes+32(FP), R2
		MOVD l+40(FP), R3
		MOVD p+48(FP), R4
		MOVD R0, R7
		MOVD $384, R8
		MOVD ZR, R10
	`)
	visibleBegin(f)
	f.put(`
		packet:
		CMP $4, R5
		BLE test
		MOVWU 16(R9), R13    // fetch the packet four places on
		AND $const_entryIndex, R13
		MADD R8, R1, R13, R13
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		test:
		MOVWU.P 4(R9), R26
		AND $const_entryIndex, R26, R6
		MADD R8, R1, R6, R12
		TBNZ $30, R26, whole
		HITS
	`)
	maskOf(f, 20, "R13")
	f.put(`
		B hits

		// All lanes up to the last in use.
		whole:
		VMOVQ $0x7f8000007f800000, $0x7f8000007f800000, V24
		FLDPQ (R12), (F20, F21)
		FLDPQ 32(R12), (F22, F23)
	`)
	for r := range 4 {
		f.put("VCMEQ V24.S4, V%[1]d.S4, V%[1]d.S4", 20+r)
	}
	maskOf(f, 20, "R13")
	f.put(`
		EOR $0xffff, R13
		CLZ R13, R13
		SUB R13, ZR, R13 // a shift by 64 less that many
		MOVD $-1, R14
		LSL R13, R14, R14
		ORN R14, ZR, R13

		hits:
		CBZ R13, next
		CBZ R4, range
		OCCLUDED
	`)
	visibleRange(f)
	f.put("SUBS $1, R5\nBNE packet")
	visibleEnd(f, "written+56(FP)", "hidden+64(FP)")
}

// visibleRange writes the range of slot R6 with the lanes R13, without hidden lanes.
func visibleRange(f *text) {
	f.put(`
		BIC R19, R13
		FMOVD R19, F0
		VCNT V0.B8, V0.B8
		VADDP V0.B16, V0.B16, V0.B16
		VMOV V0.B[0], R14
		ADD R14, R10
		CBZ R13, next

		range:
		ORR $0x80000000, R13
		ADD R13<<32, R6, R14
		MOVD.P R14, 8(R0)

		next:
	`)
}

// visibleEnd returns the number of written ranges and the number of hidden lanes.
func visibleEnd(f *text, written, hidden string) {
	f.put(`
		SUB R7, R0
		LSR $3, R0
		MOVD R0, %s
		MOVD R10, %s
		RET
	`, written, hidden)
}

// visibleRanges writes the kernel that tests the boxes of hit ranges. It may write the remaining ranges over its
// input. Registers are as in visiblePackets; R9 is the next range.
func visibleRanges(f *text) {
	f.functionWith(visibleFrame, "func visibleRangesNEON(out *Range, packets *Packet, ranges *Range, n int, l *Lens, p *Picture) (written, hidden int)", 64)
	f.put(`
		MOVD out+0(FP), R0
		MOVD packets+8(FP), R1
		MOVD ranges+16(FP), R9
		MOVD n+24(FP), R5
		MOVD l+32(FP), R3
		MOVD p+40(FP), R4
		MOVD R0, R7
		MOVD $384, R8
		MOVD ZR, R10
	`)
	visibleBegin(f)
	f.put(`
		packet:
		MOVWU.P 4(R9), R6
		MOVHU.P 4(R9), R13
		MADD R8, R1, R6, R12
		OCCLUDED
	`)
	visibleRange(f)
	f.put("SUBS $1, R5\nBNE packet")
	visibleEnd(f, "written+48(FP)", "hidden+56(FP)")
}

// visibleAreas writes the kernel that counts the pixels of rectangles.
func visibleAreas(f *text) {
	f.function("func visibleAreasNEON(areas *[16]float32, b *Packet, l *Lens, p *Picture)", 32)
	f.put(`
		MOVD areas+0(FP), R0
		MOVD b+8(FP), R12
		MOVD l+16(FP), R3
		MOVD p+24(FP), R4
		MOVD $4, R5
		VMOVQ $0x3f0000003f000000, $0x3f0000003f000000, V31
	`)
	loadLens(f)
	f.put("MOVD R12, R3\n\narea:")
	lensRect(f)
	clipRect(f)
	for v := 2; v <= 5; v++ {
		f.put("FRINTM V%[1]d.4S, V%[1]d.4S", v)
	}
	f.put(`
		FADD V24.4S, V31.4S, V31.4S
		FSUB V3.4S, V3.4S, V2.4S
		FSUB V5.4S, V5.4S, V4.4S
		FADD V3.4S, V3.4S, V24.4S
		FADD V5.4S, V5.4S, V24.4S
		FMUL V3.4S, V3.4S, V5.4S
		VDUP V15.S[0], V6.S4
		FMUL V6.4S, V6.4S, V15.S[1]
		VBIT V1.B16, V3.B16, V6.B16
		VBIT V0.B16, V25.B16, V6.B16
		FMOVQ.P F6, 16(R0)
		ADD $16, R3
		SUBS $1, R5
		BNE area
		RET
	`)
}
