package main

// nearRanks are the registers with the numbers of the lanes.
var nearRanks = ranks{11, 12, 13, 14}

// nearFile writes the k-nearest-neighbour walks.
func nearFile() string {
	f := newText(`
// The walks towards a point: one returns the first packet that has a lane
// within the bound, others keep the k nearest or the nearest.
//
//	R0  walk       R4, R6     stack, length         R19   Dist
//	R1  nodes      R12        this node or packet   R20   bytes of a packet
//	R2  packets    R21, R22   filter                R23   this entry
//	R3  budget
//
//	V8 to V10   the point      V15   scale    V20   bound
//	V11 to V14  the lanes      V21   0
`)
	f.define("TAKE", "Takes an entry, R23, and where it leads, R12.", nearTake)
	f.define("DISTANCES", "V0 to V3: the squared distances of the boxes at R12.", func(f *text) { distances(f, false) })
	f.define("SCALED", "DISTANCES times Scale.", func(f *text) { distances(f, true) })
	f.define("VISIT", "Pushes the children of a node, or continues with the lanes of a packet, R13, in slot R14.", nearVisit)
	nearWalk(f, "nearWalk", "DISTANCES")
	nearWalk(f, "nearScaled", "SCALED")
	nearFind(f)
	nearFindMany(f)
	nearFirst(f)
	return f.String()
}

// nearWalk writes the walk that returns packets; the scaled variant has Scale in V15.
func nearWalk(f *text, name, distances string) {
	f.function("func "+name+"NEON(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)", 36)
	nearBegin(f)
	if distances == "SCALED" {
		f.put("MOVWU NearWalk_Scale(R0), R13\nVDUP R13, V15.S4")
	}
	nearLoop(f, distances)
	f.put(`
		B found

		end:
		MOVD $0, R13

		found:
		MOVD R6, (NearWalk_Stack+8)(R0)
		MOVW R13, mask+32(FP)
		RET
	`)
}

// nearFind writes the walk that keeps the k nearest. NearFind calls it only while there is room for the lanes
// of a packet.
//
//	R5  Best    R7, R8  NearFound, Len    R9, R10  Dist, Place of it    R11  K-1
func nearFind(f *text) {
	f.function("func nearFindNEON(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound)", 40)
	nearFound(f)
	f.put(`
		MOVD NearFound_K(R7), R11
		SUB $1, R11
		VLD1 (R5), [V16.S4, V17.S4, V18.S4, V19.S4]
	`)
	nearLoop(f, "DISTANCES")
	f.put("LSL $4, R14, R24\n\nkeep:")
	listLane(f)
	for r := range 4 {
		f.put("VEXT $12, V%d.B16, V%d.B16, V%d.B16", 16+r, []int{22, 16, 17, 18}[r], r)
	}
	for r := range 4 {
		f.put("VUMAX V23.S4, V%[1]d.S4, V%[1]d.S4", r)
	}
	for r := range 4 {
		f.put("VUMIN V%d.S4, V%[2]d.S4, V%[2]d.S4", r, 16+r)
	}
	f.put(`
		CBNZ R13, keep
		VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R5)
		MOVWU (R5)(R11<<2), R13
	`)
	nearFoundEnd(f)
}

// nearFindMany is nearFind with 64 distances, the last of which is the K-th. They are in V0 to V15 for each
// packet with hits, after which the constants of V8 to V14 are loaded again.
//
//	R11  the last 16 of Best
func nearFindMany(f *text) {
	f.function("func nearFindManyNEON(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound)", 40)
	nearFound(f)
	f.put("ADD $192, R5, R11")
	nearLoop(f, "DISTANCES")
	f.put("LSL $4, R14, R24\nMOVD R5, R14")
	bestVectors(f, "VLD1.P 64(R14), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]")
	f.put("\nkeep:")
	listLane(f)
	for r := 15; r >= 0; r-- {
		former, t := r-1, 24+r%4
		if r == 0 {
			former = 22
		}
		f.put("VEXT $12, V%d.B16, V%d.B16, V%d.B16", r, former, t)
		f.put("VUMAX V23.S4, V%[1]d.S4, V%[1]d.S4", t)
		f.put("VUMIN V%d.S4, V%[2]d.S4, V%[2]d.S4", t, r)
	}
	f.put("CBNZ R13, keep\nMOVD R5, R14")
	bestVectors(f, "VST1.P [V%d.S4, V%d.S4, V%d.S4, V%d.S4], 64(R14)")
	nearPoint(f)
	nearRanks.load(f)
	f.put("MOVWU 60(R11), R13")
	nearFoundEnd(f)
}

// bestVectors puts an instruction for each four vectors of V0 to V15.
func bestVectors(f *text, instruction string) {
	for r := 0; r < 16; r += 4 {
		f.put(instruction, r, r+1, r+2, r+3)
	}
}

// nearFound starts a walk that keeps the k nearest. V22 is 0.
func nearFound(f *text) {
	nearBegin(f)
	f.put(`
		MOVD p+32(FP), R7
		MOVD NearFound_Len(R7), R8
		MOVD $NearFound_Dist, R9
		ADD R7, R9
		MOVD $NearFound_Location, R10
		ADD R7, R10
		ADD $NearFound_Best, R7, R5
		VMOVI $0, V22.B16
	`)
}

// listLane lists the next lane of R13, and puts its distance into all of V23. The smallest distances become
// min(itself, max(the one before it, V23)).
func listLane(f *text) {
	nextLane(f)
	f.put(`
		MOVWU (R19)(R14<<2), R15
		ORR R14, R24, R16
		MOVW R15, (R9)(R8<<2)
		MOVW R16, (R10)(R8<<2)
		ADD $1, R8
		VDUP R15, V23.S4
	`)
}

// nearFoundEnd makes R13 the bound, continues the loop while there is room, and ends the walk.
func nearFoundEnd(f *text) {
	f.put(`
		MOVW R13, NearWalk_Bound(R0)
		VDUP R13, V20.S4
		CMP $const_nearKept, R8
		BLE loop

		end:
		MOVD R6, (NearWalk_Stack+8)(R0)
		MOVD R8, NearFound_Len(R7)
		RET
	`)
}

// nearFirst writes the walk that keeps the nearest.
//
//	R7  IDs    R8  Place    R9  Bound    R24  slot * 16
func nearFirst(f *text) {
	f.function("func nearFirstNEON(w *NearWalk, nodes *Node, packets *Packet, budget int, ids *[Lanes]uint32)", 40)
	nearBegin(f)
	f.put(`
		MOVD ids+32(FP), R7
		MOVWU NearWalk_Location(R0), R8
		MOVWU NearWalk_Bound(R0), R9
	`)
	nearLoop(f, "DISTANCES")
	f.put(`
		LSL $4, R14, R24

		near:
	`)
	nextLane(f)
	f.put(`
		MOVWU (R19)(R14<<2), R15
		ORR R24, R14
		CMPW R9, R15
		BHI next
		BLO take
		CMNW $1, R8 // NoLocation
		BEQ take
	`)
	smallerID(f, "R7", "R14", "R8", "next")
	f.put(`
		take:
		MOVD R14, R8
		MOVD R15, R9

		next:
		CBNZ R13, near
		VDUP R9, V20.S4
		B loop

		end:
		MOVD R6, (NearWalk_Stack+8)(R0)
		MOVW R8, NearWalk_Location(R0)
		MOVW R9, NearWalk_Bound(R0)
		RET
	`)
}

// nearLoop starts the loop over the entries, which ends at the label end. The code after it gets the lanes of
// a packet.
func nearLoop(f *text, distances string) {
	f.put(`
		loop:
		CBZ R6, end
		CBZ R3, end
		SUB $1, R3
		TAKE
		%s
		VISIT
	`, distances)
}

// nearBegin loads the registers that all walks use.
func nearBegin(f *text) {
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD packets+16(FP), R2
		MOVD budget+24(FP), R3
		MOVD (NearWalk_Stack+0)(R0), R4
		MOVD (NearWalk_Stack+8)(R0), R6
		ADD $NearWalk_Dist, R0, R19
	`)
	nearPoint(f)
	f.put(`
		MOVWU NearWalk_Bound(R0), R13
		VDUP R13, V20.S4
		VMOVI $0, V21.B16
		MOVD $384, R20
	`)
	loadWeights(f)
	loadFilter(f, "NearWalk_Filter+", "R0")
	nearRanks.load(f)
}

// nearPoint loads the point.
func nearPoint(f *text) {
	f.put(`
		ADD $NearWalk_Point, R0, R13
		VLD1R.P 4(R13), [V8.S4]
		VLD1R.P 4(R13), [V9.S4]
		VLD1R.P 4(R13), [V10.S4]
	`)
}

// nearTake pops an entry, unless it is beyond the bound.
func nearTake(f *text) {
	f.put(`
		SUB $1, R6
		MOVD (R4)(R6<<3), R23
		LSR $32, R23, R14
		FMOVS R14, F0
		FCMPS F20, F0
		BGT loop
	`)
	nodeOrPacket(f, "R23")
}

// nearVisit sets R13 to the lanes of a packet within the bound and R14 to its slot, or continues if there are
// none. For a node it pushes the children within the bound that the filter keeps: they descend by the upper
// 28 bits of d2, and among equals by lane.
func nearVisit(f *text) {
	f.put("VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R19)")
	for r := range 4 {
		f.put("FCMGE V%d.4S, V20.4S, V%d.4S", 24+r, r)
	}
	f.put("TBNZ $31, R23, packet")
	siftLanes(f, 24, 4, 4, "filtered")
	nearRanks.keys(f, 24)
	maskOf(f, 24, "R13")
	f.put(`
		CBZW R13, loop
		ADD $Node_Child, R12
		MOVD R6, R16

		lane:
	`)
	nextLane(f)
	f.put("MOVWU (R19)(R14<<2), R15")
	nearRanks.rank(f)
	f.put(`
		MOVWU (R12)(R14<<2), R14
		AND $const_refKeep, R14
		ORR R15<<32, R14
		ADD R6, R17
		MOVD R14, (R4)(R17<<3)
		ADD $1, R16
		CBNZ R13, lane
		MOVD R16, R6
		B loop

		packet:
	`)
	maskOf(f, 24, "R13")
	f.put(`
		CBZW R13, loop
		AND $const_refIndex, R23, R14
		MOVW R14, NearWalk_Slot(R0)
	`)
}

// nodeOrPacket puts the address of the node or packet of a reference in the low half of a register into R12.
// R1 has the nodes, R2 the packets, R20 the bytes of a packet.
func nodeOrPacket(f *text, reference string) {
	f.put(`
		AND $const_refIndex, %[1]s, R12
		MADD R20, R2, R12, R13
		ADD R12<<9, R1, R12
		CMPW $0, %[1]s
		CSEL LT, R13, R12, R12
	`, reference)
}

// distances puts the d2 of the boxes at R12 into V0 to V3.
func distances(f *text, scaled bool) {
	for a := range 3 {
		to := 4 * min(a, 1) // the first squares are the sums
		axisColumns(f, a, to, 24)
		for r := range 4 {
			f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", to+r, 8+a)
			f.put("FSUB V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", 24+r, 8+a)
			f.put("FMAXNM V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", to+r, 24+r)
			f.put("FMAXNM V%[1]d.4S, V%[1]d.4S, V21.4S", to+r)
			if scaled {
				f.put("FMUL V%[1]d.4S, V%[1]d.4S, V15.4S", to+r)
			}
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[1]d.4S", to+r)
		}
		if a > 0 {
			for r := range 4 {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, 4+r)
			}
		}
	}
}
