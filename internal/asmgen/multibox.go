package main

// multiBoxFile writes the kernels of a walk for several boxes.
func multiBoxFile() string {
	f := newText(`
// The kernels of a walk of several boxes, one after the other on each level, with the tests
// of a single box.
`)
	boxTests(f)
	multiBoxNodes(f)
	multiBoxPackets(f)
	return f.String()
}

// multiBoxNodes writes the kernel that tests queued nodes. first is the length of the queue before this box,
// limit its largest length after it, most the largest length for all boxes.
//
//	R0  walk     R4  end of the nodes of this box    R12  this node     R21  words of this box
//	R1  nodes    R5, R6, R7   queue, head, length    R19  boxes left    R22  limit
//	R2  box      R8, R9       its slots, length      R20  compressTable R23  first
//	R3  most     R10, R11     its inside, length
func multiBoxNodes(f *text) {
	f.function("func multiBoxNodesNEON(w *BoxesWalk, nodes *soa.Node, most int)", 24)
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD most+16(FP), R3
		ADD $BoxesWalk_queue, R0, R5
		MOVD ZR, R6
		MOVD BoxesWalk_N(R0), R7
		MOVD $·compressTable(SB), R20
	`)
	loadWeights(f)
	f.put(`
		level:
		CMP R7, R6
		BGE done
		MOVD BoxesWalk_N(R0), R19
		MOVD R0, R21
		ADD $BoxesWalk_Boxes, R0, R2
		ADD $BoxesWalk_slots, R0, R8
		ADD $BoxesWalk_inside, R0, R10

		box:
		MOVWU BoxesWalk_ends(R21), R4
		CMP R4, R6
		BGE passed
		MOVD R7, R23
		MOVW BoxesWalk_left(R21), R22
		TBNZ $31, R22, skip
		ADD R7, R22
		CMP R3, R22
		CSEL LT, R22, R3, R22
		MOVWU BoxesWalk_border(R21), R9
		MOVWU BoxesWalk_within(R21), R11
	`)
	loadQueryBox(f)
	f.put(`
		node:
		ADD $4, R6, R13
		CMP R7, R13
		BGE last
		MOVWU (R5)(R13<<2), R13    // fetch the node four places on
		ADD R13<<9, R1, R13
	`)
	prefetchLines(f, "R13", 512)
	f.put(`
		last:
		MOVWU (R5)(R6<<2), R12
		ADD $1, R6
		ADD R12<<9, R1, R12
		HITS
		INSIDE

		sort:
		FLDPQ Node_Child(R12), (F0, F1)
		FLDPQ (Node_Child+32)(R12), (F2, F3)
	`)
	appendChildren(f)
	f.put(`
		CMP R22, R7
		BGT giveup
		CMP $const_multiBoxPacketLimit, R9
		BGT giveup
		CMP $const_multiBoxInsideLimit, R11
		BGT giveup

		next:
		CMP R4, R6
		BLT node
		MOVW R9, BoxesWalk_border(R21)
		MOVW R11, BoxesWalk_within(R21)
		MOVW BoxesWalk_left(R21), R13
		ADD R23, R13
		SUB R7, R13
		MOVW R13, BoxesWalk_left(R21)

		passed:
		MOVW R7, BoxesWalk_ends(R21)
		ADD $4, R21
		ADD $24, R2
		ADD $512, R8
		ADD $256, R10
		SUBS $1, R19
		BNE box
		B level

		giveup:
		MOVD $-1, R13
		MOVW R13, BoxesWalk_left(R21)
		MOVD R23, R7

		skip:
		MOVD R4, R6
		B passed

		done:
		RET
	`)
}

// multiBoxPackets writes the kernel that tests listed packets. It prefetches packets and their IDs four
// positions ahead, and the memory of the results, which is from an older batch and no longer in the cache.
//
//	R0  next ID    R4  end of the slots of this box    R8   bytes of a packet    R19  IDs
//	R1  packets    R5  place in slots                  R9   lanes hit            R20  compressTable
//	R2  box        R6  slot                            R12  this packet          R21  next end
//	R3  slots      R7  first that may not fetch        R23  boxes left           R22  next sum
//	R24 counts     R25 argument                        R10 to R17  scratch
func multiBoxPackets(f *text) {
	f.function("func multiBoxPacketsNEON(e *seeking)", 8)
	f.put(`
		MOVD e+0(FP), R25
		MOVD seeking_ids(R25), R0
		MOVD seeking_wrote(R25), R13
		ADD R13<<2, R0
		MOVD seeking_packets(R25), R1
		MOVD seeking_box(R25), R2
		MOVD seeking_slots(R25), R3
		MOVD seeking_at(R25), R5
		MOVD seeking_listed(R25), R7
		SUB $4, R7
		MOVD $384, R8
		MOVD seeking_columns(R25), R19
		MOVD $·compressTable(SB), R20
		MOVD seeking_end(R25), R21
		MOVD seeking_sum(R25), R22
		MOVD seeking_n(R25), R23
		MOVD seeking_counts(R25), R24
	`)
	loadWeights(f)
	f.put(`
		box:
		MOVWU.P 4(R21), R4
		CMP R4, R5
		BGE passed
	`)
	loadQueryBox(f)
	f.put(`
		packet:
		CMP R7, R5
		BGE test
		ADD R5<<2, R3, R13
		MOVWU 16(R13), R14
		AND $0x7fffffff, R14, R13
		ADD R13<<6, R19, R13
		PRFM (R13), PLDL1KEEP
		PRFM 1024(R0), PSTL1KEEP
		TBNZ $31, R14, test
		MADD R8, R1, R14, R13
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		test:
		MOVWU (R3)(R5<<2), R6
		ADD $1, R5
		TBNZ $31, R6, whole
		MADD R8, R1, R6, R12
		HITS
	`)
	maskOf(f, 20, "R9")
	f.put(`
		ADD R6<<6, R19, R10
		VLD1 (R10), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	storeLanes(f, "R9", "R0")
	f.put(`
		next:
		CMP R4, R5
		BLT packet

		passed:
		MOVD seeking_ids(R25), R13
		SUB R13, R0, R13
		LSR $2, R13
		MOVW.P R13, 4(R22)
		ADD $24, R2
		SUBS $1, R23
		BNE box
		MOVD R5, seeking_at(R25)
		MOVD R13, seeking_wrote(R25)
		MOVD ZR, seeking_n(R25)
		RET

		whole:
		AND $0x7fffffff, R6
		MOVBU (R24)(R6), R9
		ADD R6<<6, R19, R10
		VLD1 (R10), [V0.S4, V1.S4, V2.S4, V3.S4]
		VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
		ADD R9<<2, R0
		B next
	`)
}
