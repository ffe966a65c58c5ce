package main

// nearFile writes the walks towards a point.
func nearFile() string {
	f := newText(`
// The walks towards a point: one returns the first packet that has a lane
// within the bound, the other keeps the k nearest.
//
//	R0  walk       R4, R6     stack, length              R12   this node or packet
//	R1  nodes      R7         result of the second       R22   mask of the filter
//	R2  packets    R8         its length                 V20   bound, V21   0
//	R3  budget     R19        Dist                       V8 to V10   the point
`)
	nearWalk(f, "nearWalk", false)
	nearWalk(f, "nearScaled", true)

	f.function("func nearFindNEON(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound)", 40)
	nearBegin(f)
	f.put(`
		MOVD p+32(FP), R7
		MOVD NearFound_Len(R7), R8
		ADD $NearFound_Dist, R7, R9
		MOVD $NearFound_Place, R10
		ADD R7, R10
		ADD $NearFound_Best, R7, R5
		MOVD NearFound_K(R7), R11
		SUB $1, R11
		VLD1 (R5), [V16.S4, V17.S4, V18.S4, V19.S4]
		VMOVI $0, V22.B16

		loop:
		CBZ R6, end
		CBZ R3, end
		CMP $const_nearKept, R8
		BGT end
		SUB $1, R3
	`)
	nearEntry(f)
	nearNode(f, false)
	nearPacket(f, false)
	f.put(`
		MOVWU NearWalk_Slot(R0), R21
		LSL $4, R21

		keep:
		RBIT R13, R14
		CLZ R14, R14
		SUB $1, R13, R15
		AND R15, R13
		MOVWU (R19)(R14<<2), R15
		ORR R14, R21, R16
		MOVW R15, (R9)(R8<<2)
		MOVW R16, (R10)(R8<<2)
		ADD $1, R8

		// Each takes min(itself, max(the one before it, d)).
		VDUP R15, V23.S4
		VEXT $12, V16.B16, V22.B16, V0.B16
		VEXT $12, V17.B16, V16.B16, V1.B16
		VEXT $12, V18.B16, V17.B16, V2.B16
		VEXT $12, V19.B16, V18.B16, V3.B16
		VUMAX V23.S4, V0.S4, V0.S4
		VUMAX V23.S4, V1.S4, V1.S4
		VUMAX V23.S4, V2.S4, V2.S4
		VUMAX V23.S4, V3.S4, V3.S4
		VUMIN V0.S4, V16.S4, V16.S4
		VUMIN V1.S4, V17.S4, V17.S4
		VUMIN V2.S4, V18.S4, V18.S4
		VUMIN V3.S4, V19.S4, V19.S4
		CBNZ R13, keep
		VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R5)
		MOVWU (R5)(R11<<2), R13
		MOVW R13, NearWalk_Bound(R0)
		VDUP R13, V20.S4
		B loop

		end:
		MOVD R6, (NearWalk_Stack+8)(R0)
		MOVD R8, NearFound_Len(R7)
		RET
	`)
	return f.String()
}

// nearWalk writes the first of the walks; scaled ones have Scale in V15.
func nearWalk(f *text, name string, scaled bool) {
	f.function("func "+name+"NEON(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)", 36)
	nearBegin(f)
	if scaled {
		f.put("MOVWU NearWalk_Scale(R0), R13\nVDUP R13, V15.S4")
	}
	f.put(`
		loop:
		CBZ R6, end
		CBZ R3, end
		SUB $1, R3
	`)
	nearEntry(f)
	nearNode(f, scaled)
	nearPacket(f, scaled)
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

// nearBegin loads what both walks use.
func nearBegin(f *text) {
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD packets+16(FP), R2
		MOVD budget+24(FP), R3
		MOVD (NearWalk_Stack+0)(R0), R4
		MOVD (NearWalk_Stack+8)(R0), R6
		ADD $NearWalk_Dist, R0, R19
		ADD $NearWalk_Point, R0, R13
		VLD1R.P 4(R13), [V8.S4]
		VLD1R.P 4(R13), [V9.S4]
		VLD1R.P 4(R13), [V10.S4]
		MOVWU NearWalk_Bound(R0), R13
		VDUP R13, V20.S4
		VMOVI $0, V21.B16
	`)
	loadWeights(f)
	loadSift(f, "NearWalk_Filter+", "R0")
}

// nearEntry takes an entry into R13, unless it is beyond the bound.
func nearEntry(f *text) {
	f.put(`
		SUB $1, R6
		MOVD (R4)(R6<<3), R13
		LSR $32, R13, R14
		FMOVS R14, F0
		FCMPS F20, F0
		BGT loop
		AND $const_refIndex, R13, R12
		TBNZ $31, R13, packet
		ADD R12<<8, R1, R12
	`)
}

// nearNode pushes the children of the node at R12 that are within the bound and
// that the filter keeps. Entries of one node descend by the upper 29 bits of d2,
// and among equals by lane.
func nearNode(f *text, scaled bool) {
	distances(f, 2, 32, scaled)
	f.put(`
		FCMGE V26.4S, V20.4S, V0.4S
		FCMGE V27.4S, V20.4S, V1.4S
		VUZP1 V27.H8, V26.H8, V26.H8
	`)
	siftLanes(f, 26, 6)
	maskOf8(f, 26, "R13")
	f.put("CBZW R13, loop")
	f.put(`
		FSTPQ (F0, F1), (R19)
		ADD $Node_Child, R12
		MOVD R6, R17

		lane:
		RBIT R13, R14
		CLZ R14, R14
		SUB $1, R13, R15
		AND R15, R13
		MOVWU (R19)(R14<<2), R15
		MOVWU (R12)(R14<<2), R14
		AND $const_refKeep, R14
		ORR R15<<32, R14
		LSR $35, R14, R15
		MOVD R6, R16
		ADD $1, R6

		sink:
		CMP R17, R16
		BEQ place
		SUB $1, R16, R23
		MOVD (R4)(R23<<3), R24
		LSR $35, R24, R25
		CMP R15, R25
		BHI place
		MOVD R24, (R4)(R16<<3)
		MOVD R23, R16
		B sink

		place:
		MOVD R14, (R4)(R16<<3)
		CBNZ R13, lane
		B loop
	`)
}

// nearPacket leaves the lanes of the packet within the bound in R13 and goes on
// if there are none.
func nearPacket(f *text, scaled bool) {
	f.put(`
		packet:
		MOVW R12, R21
		MOVD $384, R13
		MADD R13, R2, R12, R12
	`)
	distances(f, 4, 64, scaled)
	f.put("VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R19)")
	for r := range 4 {
		f.put("FCMGE V%d.4S, V20.4S, V%d.4S", 24+r, r)
	}
	maskOf16(f, 24, "R13")
	f.put(`
		CBZW R13, loop
		MOVW R21, NearWalk_Slot(R0)
	`)
}

// distances leaves the d2 of the boxes at R12 in the registers from V0, four to
// a register; a column has that many bytes.
func distances(f *text, registers, column int, scaled bool) {
	for a := range 3 {
		to := 0
		if a > 0 {
			to = 4
		}
		for r := 0; r < registers; r += 2 {
			f.put("FLDPQ %d(R12), (F%d, F%d)", 2*a*column+16*r, to+r, to+r+1)
			f.put("FLDPQ %d(R12), (F%d, F%d)", (2*a+1)*column+16*r, 24+r, 25+r)
		}
		for r := range registers {
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
			for r := range registers {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, 4+r)
			}
		}
	}
}
