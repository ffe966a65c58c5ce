package main

// pairNodesFile writes the kernel that expands tasks.
func pairNodesFile() string {
	f := newText(`
// The pair kernel of nodes: the lanes of a node of X one after the other against all
// lanes of a node of Y, whose bounds stay in V0 to V23.
//
//	R0   walk             R4, R5   tasks, end        R21, R22  filter
//	R1   nodes of X       R6       end of the rows   R23   lanes of X: 16 bits each that are wanted,
//	R2   nodes of Y       R7, R9   X, its node             that may be paired with a static one, packets
//	R3   tasks to take    R8, R10  Y, its node       R24   and of Y
//	R11  lanes of X left  R25      lanes of Y        R26   lanes to test in reverse order, of
//	                                                       X, and from bit 16 on of Y
`)
	f.function("func pairNodesNEON(w *Walk, budget int)", 16)
	pairBegin(f)
	f.put(`
		MOVD (Walk_X+Side_Nodes)(R0), R1
		MOVD (Walk_Y+Side_Nodes)(R0), R2
		MOVD budget+8(FP), R3
		MOVD Walk_Tasks(R0), R4
		MOVD (Walk_Tasks+8)(R0), R5
		ADD R5<<4, R4, R5
		MOVD Walk_Rows(R0), R6
		MOVD (Walk_Rows+8)(R0), R13
		ADD R13<<3, R6
	`)
	loadFilter(f, "Walk_Filter+", "R0")
	pairTask(f)
	pairSplit(f)
	f.put("bounds:\nCBZ R11, mirror")
	hold(f, "R10")
	pairLane(f)
	pairPartners(f)
	pairSort(f)
	pairMirror(f)
	f.put(`
		done:
		SUB R4, R5
		LSR $4, R5
		MOVD R5, (Walk_Tasks+8)(R0)
		MOVD Walk_Rows(R0), R13
		SUB R13, R6
		LSR $3, R6
		MOVD R6, (Walk_Rows+8)(R0)
		RET
	`)
	return f.String()
}

// pairTask pops the last task: R11 and R25 are the lanes of its nodes that pass the filter, and, of X, that
// overlap the box of the task.
func pairTask(f *text) {
	f.put(`
		task:
		CMP R4, R5
		BEQ done
		CBZ R3, done
		SUB $1, R3
		SUB $16, R5
		MOVWU Task_X(R5), R7
		MOVWU Task_Y(R5), R8
		MOVWU Task_LaneMask(R5), R17
		MOVWU Task_Within(R5), R13
		ADD R7<<9, R1, R9
		ADD R8<<9, R2, R10
		MOVD R9, R12
	`)
	everyLane(f, 24)
	f.put("CMNW $1, R13 // none\nBEQ whole")
	laneAddress(f, "R13", "R2", "R14")
	listed.overlap(f)
	f.put("whole:")
	laneKinds(f, "R23", "filteredx")
	f.put("MOVD R10, R12")
	everyLane(f, 24)
	laneKinds(f, "R24", "filteredy")
	f.put(`
		AND R17, R23, R11
		AND $0xffff, R11
		LSR $16, R17
		AND R17, R24, R25
	`)
}

// laneKinds classifies the lanes of the node at R12 that are in V24 to V27. One register gets the lanes that
// pass the filter, those that may be paired with a static one, and those that are packets. It clobbers V0 to
// V11.
func laneKinds(f *text, to, filtered string) {
	siftLanes(f, 24, 0, 4, filtered)
	f.put("MOVD $const_refMoving, R13\nVDUP R13, V29.S4")
	for r := range 4 {
		f.put("VCMTST V29.S4, V%d.S4, V%d.S4", r, 4+r)
	}
	narrow(f, 24)
	narrow(f, 4)
	packetLanes(f, 0, 8)
	f.put(`
		VAND V28.B16, V24.B16, V24.B16
		VAND V28.B16, V4.B16, V4.B16
		VAND V28.B16, V8.B16, V8.B16
		VADDP V4.B16, V24.B16, V24.B16
		VADDP V8.B16, V8.B16, V8.B16
		VADDP V8.B16, V24.B16, V24.B16
		VADDP V24.B16, V24.B16, V24.B16
		VMOV V24.D[0], %[1]s
		MOVWU Walk_Every(R0), R13
		ORR R13<<16, %[1]s
	`, to)
}

// pairSplit sets R11 to the lanes of X that are tested against the lanes of Y, and R26 to the rest, for which
// X and Y are swapped: in one forest static lanes are never X.
func pairSplit(f *text) {
	f.put(`
		MOVD $0, R26
		UBFX $16, R23, $16, R14
		UBFX $16, R24, $16, R15
		AND R25, R15
		MOVWU Walk_Self(R0), R13
		CBNZ R13, self
		CBNZ R15, bounds
		AND R14, R11 // no lane of Y moves: keep the moving lanes of X
		B bounds

		self:
		BIC R14, R11, R16
		AND R14, R11
		CMP R7, R8
		BEQ bounds
		CBZ R16, bounds
		ORR R16<<16, R15, R26
	`)
}

// pairLane takes the next lane of X, R14 with the reference R15: R16 are the lanes of Y that overlap it.
func pairLane(f *text) {
	f.put("lane:\nCBZ R11, mirror")
	takeLane(f, "R11", "R14", "R15")
	f.put("ADD R14<<2, R9, R13")
	held.overlap(f)
	maskOf(f, 24, "R16")
	f.put(`
		MOVWU (Node_Child-384)(R13), R15 // behind the six bounds
		AND R25, R16
	`)
}

// pairPartners keeps the lanes of R16 that may be paired with lane R14: R17 are packets, R16 keeps the nodes.
// In a node paired with itself these are the lanes from R14 on, and those that are never X.
func pairPartners(f *text) {
	f.put(`
		UBFX $16, R24, $16, R17
		TBNZ $30, R15, moving
		AND R17, R16

		moving:
		CMP R7, R8
		BNE apart
		MOVWU Walk_Self(R0), R13
		CBZ R13, apart
		MOVD $0xffff, R13
		LSL R14, R13
		ORN R17, R13
		AND R13, R16

		apart:
		CBZ R16, lane
		UBFX $32, R24, $16, R17
		AND R16, R17
		BIC R17, R16
	`)
}

// pairSort makes rows and tasks of lane R14 of X, the packets R17 and the nodes R16 of Y. The nodes are
// prefetched, except for their masks.
func pairSort(f *text) {
	f.put(`
		TBNZ $31, R15, packet

		// A node against the packets: a task that stays if there are any.
		AND $const_refIndex, R15
		MOVD $0xffff, R13
		ORR R17<<16, R13
		MOVW R15, Task_X(R5)
		MOVW R8, Task_Y(R5)
		MOVW R13, Task_LaneMask(R5)
		MOVD $-1, R13
		MOVW R13, Task_Within(R5)
		CMP $0, R17
		CSET NE, R17
		ADD R17<<4, R5
		MOVD $0xffffffff, R17 // against the nodes: all lanes
		B nodes

		packet:
	`)
	pairRows(f)
	f.put(`
		MOVD R7, R15
		MOVD $1, R17
		LSL R14, R17
		ORR $0xffff0000, R17

		nodes:
		CBZ R16, lane
	`)
	takeLane(f, "R16", "R14", "R13")
	f.put(`
		ADD $Node_Child, R10, R13
		MOVWU (R13)(R14<<2), R13
		AND $const_refIndex, R13
		ADD R8<<4, R14
		MOVW R15, Task_X(R5)
		MOVW R13, Task_Y(R5)
		MOVW R17, Task_LaneMask(R5)
		MOVW R14, Task_Within(R5)
		ADD $16, R5
		ADD R13<<9, R2, R13
	`)
	prefetchLines(f, "R13", 448)
	f.put("B nodes")
}

// pairRows adds the rows of the packet in lane R14 of X and the packets R17 of Y: both parent links side by
// side, eight lanes of Y at a time.
func pairRows(f *text) {
	f.put(`
		ADD R7<<4, R14, R13
		VDUP R13, V29.S4
		FMOVS R17, F24
		VCNT V24.B8, V24.B8
		VMOV V24.H[0], R12
		LSL $4, R8, R13
	`)
	for half := range 2 {
		f.put(`
			VMOVQ $0x0000000100000000, $0x0000000300000002, V26
			VMOVQ $0x0000000500000004, $0x0000000700000006, V27
			VDUP R13, V31.S4
			VADD V31.S4, V26.S4, V26.S4
			VADD V31.S4, V27.S4, V27.S4
			UBFX $%[1]d, R17, $8, R15
			ADD R15<<5, R20, R15
			FLDPQ (R15), (F24, F25)
			MOVD R6, R15
			VTBL V24.B16, [V26.B16, V27.B16], V30.B16
			VST2.P [V29.S4, V30.S4], 32(R15)
			VTBL V25.B16, [V26.B16, V27.B16], V30.B16
			VST2 [V29.S4, V30.S4], (R15)
			UBFX $%[1]d, R12, $8, R15
			ADD R15<<3, R6
		`, 8*half)
		if half == 0 {
			f.put("ADD $8, R13")
		}
	}
}

// pairMirror swaps X and Y if a part of the task is left for that. All lanes of the new X move.
func pairMirror(f *text) {
	f.put(`
		mirror:
		CBZ R26, task
		UBFX $0, R26, $16, R11
		UBFX $16, R26, $16, R25
		MOVD $0, R26
		MOVD R7, R13
		MOVD R8, R7
		MOVD R13, R8
		MOVD R9, R13
		MOVD R10, R9
		MOVD R13, R10
		MOVD R23, R24
		B bounds
	`)
}
