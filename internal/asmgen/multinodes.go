package main

// multiNodesFile writes the kernels that test queued nodes.
func multiNodesFile() string {
	f := newText(`
// The kernels of a walk for several frusta: nodes.
//
//	R0  walk          R5, R6  head, length of the queue     R12  this node
//	R1  nodes         R7, R8  lengths of packets, inside    R21, R22  filter
//	R3  nodes left
//
// In the frame, 64 bytes each: the viewers that intersect the lanes and that contain them, viewers
// 0 to 31, and the same of viewers 32 to 63.
` + viewerRegisters)
	multiNodes(f, "multiNodes", false)
	multiNodes(f, "multiNodesFar", true)
	return f.String()
}

// multiNodes writes the kernel for planes with one bound or two.
func multiNodes(f *text, name string, two bool) {
	f.functionWith(256, "func "+name+"NEON(w *FrustaWalk, nodes *Node, filter *NodeFilter, budget int)", 32)
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD filter+16(FP), R13
		MOVD budget+24(FP), R3
		MOVD FrustaWalk_Planes(R0), R4
		MOVD FrustaWalk_Head(R0), R5
		MOVD (FrustaWalk_Queue+MultiList_Refs+8)(R0), R6
		MOVD (FrustaWalk_Packets+MultiList_Refs+8)(R0), R7
		MOVD (FrustaWalk_Inside+MultiList_Refs+8)(R0), R8
	`)
	loadFilter(f, "", "R13")
	loadViewers(f)
	f.put(`
		node:
		CMP R6, R5
		BGE done

		// Fetch the node four places on, a stale one beyond the end of the queue.
		MOVD (FrustaWalk_Queue+MultiList_Refs)(R0), R13
		ADD R5<<2, R13
		MOVWU 16(R13), R14
		MOVWU (R13), R12
		ADD R14<<9, R1, R14
	`)
	prefetchLines(f, "R14", 512)
	f.put(`
		ADD R12<<9, R1, R12
		MOVD (FrustaWalk_Queue+MultiList_Open)(R0), R13
		MOVD (R13)(R5<<3), R19
		MOVD (FrustaWalk_Queue+MultiList_In)(R0), R13
		MOVD (R13)(R5<<3), R15
		ADD $1, R5
		MOVD $0, R14
		MOVD $seen-256(SP), R13
	`)
	fillWords(f, "R14", 0, 128)
	fillWords(f, "R15", 64, 192)
	if two {
		nearClass(f)
	}
	eachViewer(f, func(f *text) {
		viewerHits(f, two)
		frustumPlanes.inside(f, "mark")
		f.put("mark:")
	}, func(f *text) {
		f.put("MOVD $seen-256(SP), R13\nLSR $5, R16, R14\nADD R14<<7, R13")
		for r := range 4 {
			f.put("VEOR V%d.B16, V%[2]d.B16, V%[2]d.B16", 24+r, 20+r) // on the border
		}
		markViewer(f, 20, 0)
		markViewer(f, 24, 64)
	})
	multiSort(f)
	f.put(`
		next:
		SUBS $1, R3
		BNE node

		done:
		MOVD R5, FrustaWalk_Head(R0)
		MOVD R6, (FrustaWalk_Queue+MultiList_Refs+8)(R0)
		MOVD R7, (FrustaWalk_Packets+MultiList_Refs+8)(R0)
		MOVD R8, (FrustaWalk_Inside+MultiList_Refs+8)(R0)
		RET
	`)
}

// multiSort appends the children of the node at R12 to the lists, or jumps to next if the filter keeps no
// visible child.
func multiSort(f *text) {
	f.put("MOVD $seen-256(SP), R13")
	loadWords(f, 0, 8)
	loadWords(f, 128, 12)
	anyViewer(f, 8, 12, 4)
	narrow(f, 4)
	f.put("VMOV V4.B16, V30.B16 // seen on the border")
	loadWords(f, 64, 16)
	loadWords(f, 192, 20)
	anyViewer(f, 16, 20, 4)
	narrow(f, 4)
	f.put("VMOV V4.B16, V31.B16 // seen inside")
	everyLane(f, 24)
	siftLanes(f, 24, 0, 4, "filtered")
	narrow(f, 24)
	packetLanes(f, 0, 4)
	f.put(`
		VAND V24.B16, V30.B16, V30.B16 // open
		VAND V24.B16, V31.B16, V31.B16
		VAND V30.B16, V31.B16, V24.B16
		VEOR V24.B16, V31.B16, V24.B16 // inside only
		VAND V4.B16, V30.B16, V25.B16  // open packets
		VEOR V25.B16, V30.B16, V26.B16 // open nodes
	`)
	sortedLanes(f, 24, 26, 25)
	keepBits(f, "const_refKeep")
	multiAppend(f, 0, "Inside", "R8")
	multiAppend(f, 1, "Queue", "R6")
	keepBits(f, "const_refIndex")
	multiAppend(f, 2, "Packets", "R7")
}

// multiAppend appends the references in V0 to V3, and their viewers, V8 to V15 and V16 to V23, to a list, for
// the lanes of set k in R13. Most nodes append to one list.
func multiAppend(f *text, k int, list, length string) {
	f.put("UBFX $%d, R13, $16, R15\nCBZ R15, no%s", 16*k, list)
	for half := range 2 {
		f.put(`
			UBFX $%[1]d, R13, $8, R15
			UBFX $%[1]d, R14, $8, R16
			ADD R15<<5, R20, R15
			FLDPQ (R15), (F4, F5)
			MOVD (FrustaWalk_%[2]s+MultiList_Refs)(R0), R17
			ADD %[3]s<<2, R17
		`, 16*k+8*half, list, length)
		compress4(f, 2*half, "R17")
		f.put("MOVD (FrustaWalk_%[1]s+MultiList_Open)(R0), R17\nADD %[2]s<<3, R17", list, length)
		compress8(f, 8+2*half, 12+2*half, "R17")
		f.put("MOVD (FrustaWalk_%[1]s+MultiList_In)(R0), R17\nADD %[2]s<<3, R17", list, length)
		compress8(f, 16+2*half, 20+2*half, "R17")
		f.put("ADD R16, %s", length)
	}
	f.put("no%s:", list)
}
