package main

// rayRanks are the registers with the numbers of the lanes.
var rayRanks = ranks{21, 22, 23, 30}

// rayFile writes the kernels of ray casts.
func rayFile() string {
	f := newText(`
// The walk of a ray. Maxima and minima of numbers pass over a NaN.
//
//	R0  walk       R4, R5, R6      stack: references, times, length
//	R1  nodes      R7, R8, R9      offset of the facing column on x, y, z
//	R2  packets    R10, R11, R19   and of the opposite one
//	R3  budget     R12             this node or packet
//
//	V8 to V10   Near     V14 to V16   InvNear    V20   Max
//	V11 to V13  Far      V17 to V19   InvFar
`)
	f.define("SLABS", "V0 to V3: times of entry into the boxes at R12. Words from V24 on: those hit.", slabs)
	f.define("WALK", "Continues with a packet with lanes hit, R13, in slot R14, or to end.", rayWalk)
	rayNext(f)
	rayFirst(f)
	rayNodes(f)
	rayPackets(f)
	return f.String()
}

// rayBegin loads the ray of the walk R0.
func rayBegin(f *text) {
	f.put(`
		MOVD w+0(FP), R0
		MOVWU (RayWalk_Ray+Ray_Off+0)(R0), R7
		MOVWU (RayWalk_Ray+Ray_Off+4)(R0), R8
		MOVWU (RayWalk_Ray+Ray_Off+8)(R0), R9
		EOR $64, R7, R10
		EOR $64, R8, R11
		EOR $64, R9, R19
		MOVWU (RayWalk_Ray+Ray_Max)(R0), R23
		VDUP R23, V20.S4
	`)
	for i, field := range []string{"Near", "Far", "InvNear", "InvFar"} {
		f.put("ADD $(RayWalk_Ray+Ray_%s), R0, R13", field)
		for a := range 3 {
			f.put("VLD1R.P 4(R13), [V%d.S4]", 8+3*i+a)
		}
	}
	loadWeights(f)
}

// rayNext writes the walk that returns the nearest packets first.
func rayNext(f *text) {
	f.function("func rayNextNEON(w *RayWalk, nodes *Node, packets *Packet, budget int)", 32)
	rayWalkBegin(f)
	f.put(`
		WALK
		MOVW R14, RayWalk_Slot(R0)
		B found

		end:
		MOVD $0, R13

		found:
		MOVW R13, RayWalk_Mask(R0)
	`)
	rayWalkEnd(f)
}

// rayFirst writes the walk to the first hit. Times and Zero compare as signed integers: no time is negative.
//
//	R26  IDs    R12  Zero    R16  slot * 16
func rayFirst(f *text) {
	f.function("func rayFirstNEON(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *[Lanes]uint32)", 40)
	rayWalkBegin(f)
	f.put(`
		MOVD ids+32(FP), R26
		WALK
		LSL $4, R14, R16
		MOVWU RayWalk_Zero(R0), R12

		hit:
	`)
	nextLane(f)
	f.put(`
		MOVWU (R24)(R14<<2), R15
		ORR R16, R14
		CMPW R12, R15
		CSEL LE, ZR, R15, R15
		MOVWU RayWalk_Time(R0), R17
		CMPW R17, R15
		BGT next
		BLT take
		MOVWU RayWalk_Location(R0), R17
	`)
	smallerID(f, "R26", "R14", "R17", "next")
	f.put(`
		take:
		MOVW R15, RayWalk_Time(R0)
		MOVW R14, RayWalk_Location(R0)
		CMPW R12, R15
		CSEL LT, R12, R15, R15
		CMPW R23, R15
		CSEL LT, R15, R23, R23

		next:
		CBNZ R13, hit
		VDUP R23, V20.S4
		B loop

		end:
		MOVW R23, (RayWalk_Ray+Ray_Max)(R0)
	`)
	rayWalkEnd(f)
}

// rayWalkBegin loads the registers that both of these walks use.
//
//	R20  bytes of a packet    R23  Max      R25  this reference
//	R21, R22  filter          R24  Enter
func rayWalkBegin(f *text) {
	rayBegin(f)
	f.put(`
		MOVD nodes+8(FP), R1
		MOVD packets+16(FP), R2
		MOVD budget+24(FP), R3
		MOVD (RayWalk_Refs+0)(R0), R4
		MOVD (RayWalk_Times+0)(R0), R5
		MOVD (RayWalk_Refs+8)(R0), R6
		ADD $RayWalk_Enter, R0, R24
		MOVD $384, R20
	`)
	loadFilter(f, "RayWalk_Filter+", "R0")
	rayRanks.load(f)
}

// rayWalk advances to a packet with hit lanes, which it puts into R13, and its slot into R14, or jumps to the
// label end. It pushes the hit children of a node onto the stack.
func rayWalk(f *text) {
	f.put(`
		loop:
		CBZ R6, end
		CBZ R3, end
		SUB $1, R3
		SUB $1, R6
		MOVWU (R4)(R6<<2), R25
		MOVWU (R5)(R6<<2), R14
		CMPW R23, R14
		BHI loop
	`)
	nodeOrPacket(f, "R25")
	f.put(`
		SLABS
		VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R24)
		TBNZ $31, R25, packet
	`)
	siftLanes(f, 24, 4, 4, "filtered")
	rayRanks.keys(f, 24)
	maskOf(f, 24, "R13")
	f.put(`
		CBZW R13, loop

		// The earliest time is pushed last.
		ADD $Node_Child, R12
		MOVD R6, R16

		lane:
	`)
	nextLane(f)
	f.put("MOVWU (R24)(R14<<2), R15")
	rayRanks.rank(f)
	f.put(`
		MOVWU (R12)(R14<<2), R14
		ADD R6, R17
		MOVW R15, (R5)(R17<<2)
		MOVW R14, (R4)(R17<<2)
		ADD $1, R16
		CBNZ R13, lane
		MOVD R16, R6
		B loop

		packet:
	`)
	maskOf(f, 24, "R13")
	f.put(`
		CBZW R13, loop
		AND $const_refIndex, R25, R14
	`)
}

// rayWalkEnd stores the rest of the stack.
func rayWalkEnd(f *text) {
	f.put(`
		MOVD R6, (RayWalk_Refs+8)(R0)
		MOVD R6, (RayWalk_Times+8)(R0)
		RET
	`)
}

// rayNodes writes the walk that lists all nodes and packets.
//
//	R4, R5, R6   queue, head, length    R20        compressTable
//	R1, R3       nodes, budget          R23, R24   packets, length
//	R21, R22     filter
func rayNodes(f *text) {
	f.function("func rayNodesNEON(w *RayWalk, nodes *Node, budget int)", 24)
	rayBegin(f)
	f.put(`
		MOVD nodes+8(FP), R1
		MOVD budget+16(FP), R3
		MOVD (RayWalk_Lists+VolumeWalk_Queue+0)(R0), R4
		MOVD (RayWalk_Lists+VolumeWalk_Head)(R0), R5
		MOVD (RayWalk_Lists+VolumeWalk_Queue+8)(R0), R6
		MOVD (RayWalk_Lists+VolumeWalk_Packets+0)(R0), R23
		MOVD (RayWalk_Lists+VolumeWalk_Packets+8)(R0), R24
		MOVD $·compressTable(SB), R20
	`)
	loadFilter(f, "RayWalk_Filter+", "R0")
	f.put(`
		loop:
		CMP R6, R5
		BGE end
		CBZ R3, end
		SUB $1, R3
		MOVWU (R4)(R5<<2), R12
		ADD $1, R5
		AND $const_refIndex, R12
		ADD R12<<9, R1, R12
		SLABS
	`)
	siftLanes(f, 24, 0, 4, "filtered")
	narrow(f, 24)
	packetLanes(f, 0, 4)
	f.put(`
		// R13: two bytes of lanes for nodes, packets; R14: their numbers.
		VAND V24.B16, V4.B16, V4.B16
		VEOR V4.B16, V24.B16, V24.B16
		VAND V28.B16, V24.B16, V24.B16
		VAND V28.B16, V4.B16, V4.B16
		VADDP V4.B16, V24.B16, V24.B16
		VADDP V24.B16, V24.B16, V24.B16
		VADDP V24.B16, V24.B16, V24.B16
		VMOV V24.S[0], R13
		CBZW R13, loop
		VCNT V24.B8, V24.B8
		VMOV V24.S[0], R14
	`)
	for half := range 2 {
		appendLanes(f, half, 2*half, "R4", "R6")
	}
	for half := range 2 {
		appendLanes(f, 2+half, 2*half, "R23", "R24")
	}
	f.put(`
		B loop

		end:
		MOVD R5, (RayWalk_Lists+VolumeWalk_Head)(R0)
		MOVD R6, (RayWalk_Lists+VolumeWalk_Queue+8)(R0)
		MOVD R24, (RayWalk_Lists+VolumeWalk_Packets+8)(R0)
		RET
	`)
}

// rayPackets writes the kernel that lists the hits in packets.
//
//	R3  slots left    R4  next slot    R5, R6   next place, next time
//	R2  packets       R21 places written        R20      compressTable
//
// V21 and V22 are the numbers of eight lanes.
func rayPackets(f *text) {
	f.function("func rayPacketsNEON(w *RayWalk, packets *Packet, slots *uint32, n int)", 32)
	rayBegin(f)
	f.put(`
		MOVD packets+8(FP), R2
		MOVD slots+16(FP), R4
		MOVD n+24(FP), R3
		MOVD (RayWalk_Locations+0)(R0), R5
		MOVD (RayWalk_At+0)(R0), R6
		MOVD (RayWalk_Locations+8)(R0), R21
		ADD R21<<2, R5
		ADD R21<<2, R6
		MOVD $·compressTable(SB), R20
		MOVD $384, R1
		VMOVQ $0x0000000100000000, $0x0000000300000002, V21
		VMOVQ $0x0000000500000004, $0x0000000700000006, V22

		loop:
		CMP $4, R3
		BLE test
		MOVWU 16(R4), R13    // fetch the packet four places on
		AND $const_refIndex, R13
		MADD R1, R2, R13, R13
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		test:
		MOVWU.P 4(R4), R16
		AND $const_refIndex, R16
		MADD R1, R2, R16, R12
		SLABS
	`)
	maskOf(f, 24, "R13")
	f.put("CBZW R13, next\nVCNT V24.B8, V24.B8\nVMOV V24.H[0], R14\nLSL $4, R16")
	for half := range 2 {
		f.put(`
			UBFX $%[1]d, R13, $8, R15
			UBFX $%[1]d, R14, $8, R17
			ADD R15<<5, R20, R15
			FLDPQ (R15), (F4, F5)
			VDUP R16, V7.S4
			VADD V21.S4, V7.S4, V6.S4
			VADD V22.S4, V7.S4, V7.S4
			VTBL V4.B16, [V6.B16, V7.B16], V24.B16
			VTBL V5.B16, [V6.B16, V7.B16], V25.B16
			FSTPQ (F24, F25), (R5)
			VTBL V4.B16, [V%[2]d.B16, V%[3]d.B16], V24.B16
			VTBL V5.B16, [V%[2]d.B16, V%[3]d.B16], V25.B16
			FSTPQ (F24, F25), (R6)
			ADD R17<<2, R5
			ADD R17<<2, R6
			ADD R17, R21
			ADD $8, R16
		`, 8*half, 2*half, 2*half+1)
	}
	f.put(`
		next:
		SUBS $1, R3
		BNE loop
		MOVD R21, (RayWalk_Locations+8)(R0)
		MOVD R21, (RayWalk_At+8)(R0)
		RET
	`)
}

// slabs puts the times of entry into the boxes at R12 into V0 to V3, the times of exit into V4 to V7, and the
// hits as words into V24 to V27.
func slabs(f *text) {
	for r := range 4 {
		f.put("VMOVI $0, V%d.B16\nVMOV V20.B16, V%d.B16", r, 4+r)
	}
	side := func(offset string, origin, inverse int, op string, to int) {
		f.put("ADD %s, R12, R13", offset)
		for r := 0; r < 4; r += 2 {
			f.put("FLDPQ %d(R13), (F%d, F%d)", 16*r, 24+r, 25+r)
		}
		for r := range 4 {
			f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 24+r, origin)
		}
		for r := range 4 {
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 24+r, inverse)
		}
		for r := range 4 {
			f.put("%[1]s V%[2]d.4S, V%[2]d.4S, V%[3]d.4S", op, to+r, 24+r)
		}
	}
	facing, opposite := []string{"R7", "R8", "R9"}, []string{"R10", "R11", "R19"}
	for a := range 3 {
		side(facing[a], 8+a, 14+a, "FMAXNM", 0)
		side(opposite[a], 11+a, 17+a, "FMINNM", 4)
	}
	for r := range 4 {
		f.put("FCMGE V%d.4S, V%d.4S, V%d.4S", 24+r, 4+r, r)
	}
}
