package main

// multiPacketsFile writes the kernels that test listed packets.
func multiPacketsFile() string {
	f := newText(`
// The kernels of a walk for several frusta: packets.
//
//	R0  argument        R5, R6  next ID, next viewers     R12  this packet, in slot R21
//	R1  packets         R7      place in the list         R22  bytes of a packet
//	R3  packets left    R8      columns of IDs
//
// In the frame, 64 bytes each: the viewers of the lanes, 0 to 31 and 32 to 63.
` + viewerRegisters)
	multiPackets(f, "multiPackets", false)
	multiPackets(f, "multiPacketsFar", true)
	return f.String()
}

// multiPackets writes the kernel for planes with one bound or two.
func multiPackets(f *text, name string, two bool) {
	f.functionWith(128, "func "+name+"NEON(e *seeing)", 8)
	f.put(`
		MOVD e+0(FP), R0
		MOVD seeing_packets(R0), R1
		MOVD seeing_n(R0), R3
		MOVD seeing_planes(R0), R4
		MOVD seeing_ids(R0), R5
		MOVD seeing_viewers(R0), R6
		MOVD seeing_columns(R0), R8
		MOVD $0, R7
		MOVD $384, R22
	`)
	loadViewers(f)
	f.put(`
		packet:
		MOVD seeing_slots(R0), R13
		ADD R7<<2, R13
		MOVWU (R13), R21
		MADD R22, R1, R21, R12
		ADD $4, R7, R14
		MOVD seeing_listed(R0), R15
		CMP R15, R14
		BGE last
		MOVWU 16(R13), R14    // fetch the packet four places on, and its IDs
		MADD R22, R1, R14, R13
		ADD R14<<6, R8, R14
		PRFM (R14), PLDL1KEEP
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		last:
		MOVD seeing_open(R0), R13
		MOVD (R13)(R7<<3), R19
		MOVD seeing_in(R0), R13
		MOVD (R13)(R7<<3), R15
		MOVD $seen-128(SP), R13
	`)
	fillWords(f, "R15", 0, 64)
	if two {
		nearClass(f)
	}
	eachViewer(f, func(f *text) { viewerHits(f, two) }, func(f *text) {
		f.put("MOVD $seen-128(SP), R13\nLSR $5, R16, R14\nADD R14<<6, R13")
		markViewer(f, 20, 0)
	})
	putSeen(f)
	f.put(`
		ADD $1, R7
		SUBS $1, R3
		BNE packet
		MOVD seeing_ids(R0), R13
		SUB R13, R5
		LSR $2, R5
		MOVD R5, seeing_wrote(R0)
		RET
	`)
}

// putSeen writes the IDs of the visible and kept lanes of slot R21, and their viewers.
func putSeen(f *text) {
	f.put("MOVD $seen-128(SP), R13")
	loadWords(f, 0, 8)
	loadWords(f, 64, 12)
	anyViewer(f, 8, 12, 20)
	maskOf(f, 20, "R14")
	f.put(`
		MOVD seeing_keep(R0), R13
		MOVHU (R13)(R7<<1), R13
		AND R13, R14
		FMOVS R14, F4
		VCNT V4.B8, V4.B8
		VMOV V4.H[0], R15
		ADD R21<<6, R8, R13
		VLD1 (R13), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	for half := range 2 {
		f.put(`
			UBFX $%[1]d, R14, $8, R16
			UBFX $%[1]d, R15, $8, R17
			ADD R16<<5, R20, R16
			FLDPQ (R16), (F4, F5)
		`, 8*half)
		compress4(f, 2*half, "R5")
		f.put("MOVD R6, R16")
		compress8(f, 8+2*half, 12+2*half, "R16")
		f.put("ADD R17<<2, R5\nADD R17<<3, R6")
	}
}
