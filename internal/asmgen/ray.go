package main

// rayFile writes the walk of a ray.
func rayFile() string {
	f := newText(`
// The walk of a ray. Maxima and minima of numbers pass over a NaN.
//
//	R0  walk       R4, R5, R6      stack: references, times, length
//	R1  nodes      R7, R8, R9      offset of the facing column on x, y, z
//	R2  packets    R10, R11, R19   and of the opposite one
//	R3  budget     R12             this node or packet
//	R20 Max        R22             mask of the filter
//
//	V8 to V10   Near     V14 to V16   InvNear    V20   Max
//	V11 to V13  Far      V17 to V19   InvFar
`)
	rayNext(f)
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
		EOR $32, R7, R10
		EOR $32, R8, R11
		EOR $32, R9, R19
		MOVWU (RayWalk_Ray+Ray_Max)(R0), R20
		VDUP R20, V20.S4
	`)
	for i, field := range []string{"Near", "Far", "InvNear", "InvFar"} {
		f.put("ADD $(RayWalk_Ray+Ray_%s), R0, R13", field)
		for a := range 3 {
			f.put("VLD1R.P 4(R13), [V%d.S4]", 8+3*i+a)
		}
	}
	loadWeights(f)
}

// rayNext writes the walk that meets the nearest packets first.
func rayNext(f *text) {
	f.function("func rayNextNEON(w *RayWalk, nodes *Node, packets *Packet, budget int)", 32)
	rayBegin(f)
	f.put(`
		MOVD nodes+8(FP), R1
		MOVD packets+16(FP), R2
		MOVD budget+24(FP), R3
		MOVD (RayWalk_Refs+0)(R0), R4
		MOVD (RayWalk_Times+0)(R0), R5
		MOVD (RayWalk_Refs+8)(R0), R6
	`)
	loadSift(f, "RayWalk_Filter+", "R0")
	f.put(`
		loop:
		CBZ R6, end
		CBZ R3, end
		SUB $1, R3
		SUB $1, R6
		MOVWU (R4)(R6<<2), R13
		MOVWU (R5)(R6<<2), R14
		CMPW R20, R14
		BHI loop
		AND $const_refIndex, R13, R12
		TBNZ $31, R13, packet
		ADD R12<<8, R1, R12
	`)
	rayNode(f)
	maskOf8(f, 26, "R13")
	f.put("CBZW R13, loop")
	f.put(`
		// The times of all lanes go where those of a packet will be; the lanes of
		// R13 onto the stack, above R17, the earliest time on top.
		ADD $RayWalk_Enter, R0, R21
		FSTPQ (F0, F1), (R21)
		ADD $Node_Child, R12
		MOVD R6, R17

		lane:
		RBIT R13, R14
		CLZ R14, R14
		SUB $1, R13, R15
		AND R15, R13
		MOVWU (R21)(R14<<2), R15
		MOVWU (R12)(R14<<2), R14
		MOVD R6, R16
		ADD $1, R6

		sink:
		CMP R17, R16
		BEQ place
		SUB $1, R16, R23
		MOVWU (R5)(R23<<2), R24
		CMPW R15, R24
		BHS place
		MOVW R24, (R5)(R16<<2)
		MOVWU (R4)(R23<<2), R24
		MOVW R24, (R4)(R16<<2)
		MOVD R23, R16
		B sink

		place:
		MOVW R15, (R5)(R16<<2)
		MOVW R14, (R4)(R16<<2)
		CBNZ R13, lane
		B loop

		packet:
		MOVW R12, RayWalk_Slot(R0)
		MOVD $384, R13
		MADD R13, R2, R12, R12
	`)
	rayPacket(f)
	f.put(`
		CBZW R13, loop
		ADD $RayWalk_Enter, R0, R14
		VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R14)
		B found

		end:
		MOVD $0, R13

		found:
		MOVW R13, RayWalk_Mask(R0)
		MOVD R6, (RayWalk_Refs+8)(R0)
		MOVD R6, (RayWalk_Times+8)(R0)
		RET
	`)
}

// rayNodes writes the walk that lists all nodes and packets.
//
//	R4, R5, R6   queue, head, length    R20        compressTable
//	R1, R3       nodes, budget          R23, R24   packets, length
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
		MOVD $const_refPacket, R13
		VDUP R13, V29.S4
	`)
	loadSift(f, "RayWalk_Filter+", "R0")
	f.put(`
		loop:
		CMP R6, R5
		BGE end
		CBZ R3, end
		SUB $1, R3
		MOVWU (R4)(R5<<2), R12
		ADD $1, R5
		AND $const_refIndex, R12
		ADD R12<<8, R1, R12
	`)
	rayNode(f)
	f.put(`
		// R13: a byte of lanes for nodes, packets; R14: their numbers.
		VCMTST V29.S4, V24.S4, V0.S4
		VCMTST V29.S4, V25.S4, V1.S4
		VUZP1 V1.H8, V0.H8, V0.H8
		VAND V26.B16, V0.B16, V0.B16
		VEOR V26.B16, V0.B16, V26.B16
		VUZP1 V0.B16, V26.B16, V26.B16
	`)
	gatherBits(f, 26)
	f.put(`
		VMOV V26.H[0], R13
		CBZW R13, loop
		VCNT V26.B8, V26.B8
		VMOV V26.H[0], R14
	`)
	appendLanes(f, 0, "R4", "R6")
	appendLanes(f, 1, "R23", "R24")
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
		MOVD (RayWalk_Places+0)(R0), R5
		MOVD (RayWalk_At+0)(R0), R6
		MOVD (RayWalk_Places+8)(R0), R21
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
		PRFM (R13), PLDL1KEEP
		PRFM 64(R13), PLDL1KEEP
		PRFM 128(R13), PLDL1KEEP
		PRFM 192(R13), PLDL1KEEP
		PRFM 256(R13), PLDL1KEEP
		PRFM 320(R13), PLDL1KEEP

		test:
		MOVWU.P 4(R4), R16
		AND $const_refIndex, R16
		MADD R1, R2, R16, R12
	`)
	rayPacket(f)
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
		MOVD R21, (RayWalk_Places+8)(R0)
		MOVD R21, (RayWalk_At+8)(R0)
		RET
	`)
}

// rayNode leaves the times of the children of R12 in V0 and V1, those hit and
// kept as halfwords in V26, the references in V24 and V25.
func rayNode(f *text) {
	slabs(f, 2, 0)
	f.put(`
		FCMGE V26.4S, V4.4S, V0.4S
		FCMGE V27.4S, V5.4S, V1.4S
		VUZP1 V27.H8, V26.H8, V26.H8
	`)
	siftLanes(f, 26, 6)
}

// rayPacket leaves the times of the packet R12 in V0 to V3 and the lanes hit in
// R13 and in the low bits of V24.
func rayPacket(f *text) {
	slabs(f, 4, 1)
	for r := range 4 {
		f.put("FCMGE V%d.4S, V%d.4S, V%d.4S", 24+r, 4+r, r)
	}
	maskOf16(f, 24, "R13")
}

// slabs leaves the times of entry of the boxes at R12 in the registers from V0
// and those of exit from V4, four to a register; shift is 1 for the longer
// columns of a packet.
func slabs(f *text, registers, shift int) {
	for r := range registers {
		f.put("VMOVI $0, V%d.B16\nVMOV V20.B16, V%d.B16", r, 4+r)
	}
	side := func(offset string, origin, inverse int, op string, to int) {
		f.put("ADD %s<<%d, R12, R13", offset, shift)
		for r := 0; r < registers; r += 2 {
			f.put("FLDPQ %d(R13), (F%d, F%d)", 16*r, 24+r, 25+r)
		}
		for r := range registers {
			f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 24+r, origin)
		}
		for r := range registers {
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 24+r, inverse)
		}
		for r := range registers {
			f.put("%[1]s V%[2]d.4S, V%[2]d.4S, V%[3]d.4S", op, to+r, 24+r)
		}
	}
	facing, opposite := []string{"R7", "R8", "R9"}, []string{"R10", "R11", "R19"}
	for a := range 3 {
		side(facing[a], 8+a, 14+a, "FMAXNM", 0)
		side(opposite[a], 11+a, 17+a, "FMINNM", 4)
	}
}
