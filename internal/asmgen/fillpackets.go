package main

// fillPackets takes four lanes at a time, word by word. Lanes without an object are the last ones. In a group
// with at least one object, they read the first object and are cleared afterwards.
//
//	R0  fill           R4  slot       R7  this packet    R10  live lanes        R16  source IDs
//	R1  items          R5  sources    R8  its IDs        R11  its items         R17  source masks
//	R2  starts         R6  places     R9  its masks      R13  lanes that move   R19  source moving
//	R3  slots left     R20 to R23  four lanes            R24  384            R25  from one row of masks to the next
//
// V16 to V18 are the minima of the packet, V19 to V21 the maxima, V22 the OR of the masks, V23 the live ones
// of four lanes, V24 to V27 their IDs, V12 to V15 their masks.
func fillPackets(f *text) {
	f.function("func fillPacketsNEON(f *fillArgs)", 8)
	f.put(`
		MOVD f+0(FP), R0
		MOVD fillArgs_items(R0), R1
		MOVD fillArgs_starts(R0), R2
		MOVD fillArgs_n(R0), R3
		MOVD fillArgs_first(R0), R4
		MOVD fillArgs_locations(R0), R6
		MOVD (fillArgs_from+packetColumns_Bounds)(R0), R5
		MOVD (fillArgs_from+packetColumns_IDs)(R0), R16
		MOVD (fillArgs_from+packetColumns_Masks)(R0), R17
		MOVD (fillArgs_from+packetColumns_Moving)(R0), R19
		MOVD $384, R24
		MOVD (fillArgs_out+packetColumns_Bounds)(R0), R8
		MADD R24, R8, R4, R7
		MOVD (fillArgs_out+packetColumns_IDs)(R0), R8
		ADD R4<<6, R8, R8
		MOVD (fillArgs_out+packetColumns_Masks)(R0), R9
		MOVD fillArgs_maskRows(R0), R25
		AND R4<<6, R25, R12
		ADD R12, R9
		AND $64, R25
		VMOVI $0, V11.B16
		VMOVQ $0x7F8000007F800000, $0x7F8000007F800000, V28 // +Inf
		VMOVQ $0xFF800000FF800000, $0xFF800000FF800000, V29 // -Inf

		slot:
		MOVWU (R2), R12
		MOVWU 4(R2), R10
		SUB R12, R10
		ADD R12<<3, R1, R11
		VDUP R10, V30.S4
		MOVD ZR, R13
	`)
	for g := range 4 {
		f.put("\n\n// Lanes %d to %d.", 4*g, 4*g+3)
		f.put("CMP $%d, R10\nBLE free%d", 4*g, g)
		for k := range 4 {
			packetLane(f, 4*g+k, k)
		}
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V31", 4*g+1, 4*g, 4*g+3, 4*g+2)
		f.put("CMHI V23.4S, V30.4S, V31.4S")
		for c := range 6 {
			for k := range 4 {
				f.put("FMOVS %d(R%d), F%d", 64*c, 20+k, k)
			}
			fourWords(f, 0)
			f.put("VBIF V23.B16, V%d.B16, V0.B16", 28+c%2)
			f.put("FMOVQ F0, %d(R7)", 64*c+16*g)
			joinFill(f, g, 0, c/2+c%2*3)
		}
		for i, v := range []int{24, 12} {
			fourWords(f, v)
			f.put("VAND V23.B16, V%[1]d.B16, V%[1]d.B16\nFMOVQ F%[1]d, %[2]d(R%[3]d)", v, 16*g, 8+i)
		}
		joinFill(f, g, 12, 6)
	}
	f.put("filled:")
	endSlot(f)
	f.put("\n\n// The remaining lanes hold no object.")
	for g := range 4 {
		f.put("free%d:", g)
		for c := range 6 {
			f.put("FMOVQ F%d, %d(R7)", 28+c%2, 64*c+16*g)
		}
		f.put("FMOVQ F11, %[1]d(R8)\nFMOVQ F11, %[1]d(R9)", 16*g)
		for i, from := range []int{28, 28, 28, 29, 29, 29, 11} {
			if g == 0 { // no object before it, either
				joinFill(f, g, from, i)
			}
		}
	}
	f.put("B filled")
}

// packetLane loads the ID and the mask of the object of a lane into F24+k and F12+k. It puts the address of
// the lane in the first column into R20+k, and sets the bit of the lane in R13 if the object moves.
func packetLane(f *text, lane, k int) {
	f.put("MOVD $%d, R12", 8*lane)
	if k > 0 {
		f.put(`
			MOVD $%d, R14
			CMP $%d, R10
			CSEL GT, R12, R14, R12
		`, 8*(lane-k), lane)
	}
	f.put(`
		MOVWU (R11)(R12), R12
		AND $const_itemIndex, R12
		MOVWU (R6)(R12<<2), R12
		FMOVS (R16)(R12<<2), F%[1]d
		FMOVS (R17)(R12<<2), F%[2]d
		AND $15, R12, R14
		LSR $4, R12
		MADD R24, R5, R12, R%[3]d
		MOVHU (R19)(R12<<1), R12
		ADD R14<<2, R%[3]d
		LSR R14, R12
		BFI $%[4]d, R12, $1, R13
	`, 24+k, 12+k, 20+k, lane)
}

// fourWords combines the words in the four registers from V v on into V v.
func fourWords(f *text, v int) {
	f.put(`
		VTRN1 V%[2]d.S4, V%[1]d.S4, V%[1]d.S4
		VTRN1 V%[4]d.S4, V%[3]d.S4, V%[3]d.S4
		VTRN1 V%[3]d.D2, V%[1]d.D2, V%[1]d.D2
	`, v, v+1, v+2, v+3)
}
