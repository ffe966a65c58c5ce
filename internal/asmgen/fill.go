package main

// fillFile writes the kernels that build packets from records, and unions of nodes.
func fillFile() string {
	f := newText(`
// The fill and reduce kernels. A lane without a record reads emptyRecord, so
// that all lanes take the same branch.
`)
	fillRecords(f)
	fillPackets(f)
	reduceNodes(f)
	reducePackets(f)
	return f.String()
}

// fillRecords takes four records at a time.
//
//	R0  fill           R4  slot            R7  this packet    R10  live lanes
//	R1  items          R5  records         R8  its IDs        R11  its items
//	R2  starts         R6  emptyRecord     R9  its masks      R20 to R23  four records
//	R3  slots left     R25 from one row of masks to the next
//
// V16 to V18 are the minima of the packet, V19 to V21 the maxima, V22 the OR of the masks, V24 to V27 the
// moving lanes.
func fillRecords(f *text) {
	f.function("func fillRecordsNEON(f *fillArgs)", 8)
	f.put(`
		MOVD f+0(FP), R0
		MOVD fillArgs_items(R0), R1
		MOVD fillArgs_starts(R0), R2
		MOVD fillArgs_n(R0), R3
		MOVD fillArgs_first(R0), R4
		MOVD fillArgs_records(R0), R5
		MOVD $·emptyRecord(SB), R6
		MOVD $384, R7
		MOVD (fillArgs_out+packetColumns_Bounds)(R0), R8
		MADD R7, R8, R4, R7
		MOVD (fillArgs_out+packetColumns_IDs)(R0), R8
		ADD R4<<6, R8, R8
		MOVD (fillArgs_out+packetColumns_Masks)(R0), R9
		MOVD fillArgs_maskRows(R0), R25
		AND R4<<6, R25, R12
		ADD R12, R9
		AND $64, R25
		VMOVI $0, V30.B16
		MOVD $255, R12
		VDUP R12, V29.S4
	`)
	loadWeights(f)
	f.put(`
		slot:
		MOVWU (R2), R12
		MOVWU 4(R2), R10
		SUB R12, R10
		ADD R12<<3, R1, R11
		CMP $0, R10
		CSEL EQ, R6, R11, R11    // something to read

		// Fetch the records of items 48 to 63 on.
		MOVD fillArgs_last(R0), R13
		ADD $64, R12
		CMP R13, R12
		BGT rows
	`)
	for j := range 16 {
		f.put(`
			MOVWU %d(R11), R12
			UBFIZ $5, R12, $31, R12
			ADD R5, R12
			PRFM (R12), PLDL1KEEP
		`, 8*(48+j))
	}
	f.put("rows:")
	for g := range 4 {
		f.put("\n// Lanes %d to %d: minx miny minz maxx in V0 V1 V2 V3, maxy maxz mask flag in\n// V4 V5 V6 V7.", 4*g, 4*g+3)
		for k := range 4 {
			record(f, 4*g+k, 20+k)
		}
		f.put(`
			FLDPQ (R20), (F0, F4)
			FLDPQ (R21), (F1, F5)
			FLDPQ (R22), (F2, F6)
			FLDPQ (R23), (F3, F7)
		`)
		transpose(f, 0)
		transpose(f, 4)
		for c, v := range []int{0, 3, 1, 4, 2, 5} {
			f.put("FMOVQ F%d, %d(R7)", v, 64*c+16*g)
		}
		f.put("FMOVQ F6, %d(R9)", 16*g)
		f.put("VAND V29.B16, V7.B16, V7.B16")
		f.put("VCMEQ V30.S4, V7.S4, V%d.S4", 24+g)
		for i := range 7 {
			joinFill(f, g, i, i)
		}
	}
	f.put("\n\n// Which lanes move.")
	maskOf(f, 24, "R13")
	endSlot(f)
}

// endSlot writes the fields of a packet outside its columns, from the moving lanes in R13 and the number of
// live lanes in R10, and advances to the next slot.
func endSlot(f *text) {
	liveLanes(f)
	f.put(`
		MOVD (fillArgs_out+packetColumns_Moving)(R0), R15
		MOVH R13, (R15)(R4<<1)
		MOVD (fillArgs_out+packetColumns_Counts)(R0), R15
		MOVB R10, (R15)(R4)
		MOVD (fillArgs_out+packetColumns_Parents)(R0), R15
		MOVWU (R15)(R4<<2), R12
		CMNW $1, R12
		BEQ nextslot

		// Store the reference and the union in the lane of the owner.
		MOVD fillArgs_nodes(R0), R15
	`)
	packetReference(f)
	nodeLane(f)
	union(f)
	f.put(`
		nextslot:
		ADD $1, R4
		ADD $384, R7
		ADD $64, R8
		ADD R25, R9
		ADD $4, R2
		SUBS $1, R3
		BNE slot
		RET
	`)
}

// liveLanes splits the live lanes, given the moving lanes in R13 and the number of live lanes in R10: R13
// becomes the moving ones, R14 the static ones.
func liveLanes(f *text) {
	f.put(`
		MOVD $1, R14
		LSL R10, R14
		SUB $1, R14
		AND R14, R13
		BIC R13, R14
	`)
}

// packetReference puts the reference to slot R4 of the fill into R13.
func packetReference(f *text) {
	f.put(`
		CMP $0, R13
		CSET NE, R13
		CMP $0, R14
		CSET NE, R14
		ADD R13<<1, R14, R13
		LSL $29, R13
		ORR $const_refPacket, R13
		ORR R4, R13
	`)
}

// joinFill combines the column in V from, of the four lanes of group g, into column to of V16 to V22: three
// of minima, three of maxima, the masks.
func joinFill(f *text, g, from, to int) {
	switch {
	case g == 0:
		f.put("VMOV V%d.B16, V%d.B16", from, 16+to)
	case to < 3:
		least(f, 16+to, 16+to, from)
	case to < 6:
		most(f, 16+to, 16+to, from)
	default:
		either(f, 16+to, 16+to, from)
	}
}

// record puts the address of the record of a lane into a register and its index into the IDs; without a
// record, emptyRecord and 0.
func record(f *text, lane, register int) {
	f.put(`
		MOVD $%[2]d, R12
		CMP $%[1]d, R10
		CSEL GT, R12, ZR, R12
		MOVWU (R11)(R12), R12
		AND $const_itemIndex, R12
		ADD R12<<5, R5, R%[3]d
		CSEL GT, R%[3]d, R6, R%[3]d
		CSEL GT, R12, ZR, R12
		MOVW R12, %[4]d(R8)
	`, lane, 8*lane, register, 4*lane)
}

// transpose transposes the rows in four registers from v on into columns. It clobbers V8 to V11.
func transpose(f *text, v int) {
	f.put(`
		VTRN1 V%[2]d.S4, V%[1]d.S4, V8.S4
		VTRN2 V%[2]d.S4, V%[1]d.S4, V9.S4
		VTRN1 V%[4]d.S4, V%[3]d.S4, V10.S4
		VTRN2 V%[4]d.S4, V%[3]d.S4, V11.S4
		VTRN1 V10.D2, V8.D2, V%[1]d.D2
		VTRN1 V11.D2, V9.D2, V%[2]d.D2
		VTRN2 V10.D2, V8.D2, V%[3]d.D2
		VTRN2 V11.D2, V9.D2, V%[4]d.D2
	`, v, v+1, v+2, v+3)
}

// nodeLane replaces the address of the nodes in R15 by the address of the lane of the owner in R12.
func nodeLane(f *text) {
	f.put(`
		AND $15, R12, R14
		LSR $4, R12
		ADD R12<<9, R15, R15
		ADD R14<<2, R15, R15
	`)
}

// union writes the reference R13 and the unions of V16 to V22 (minima, maxima, masks) to the lane at R15; the
// sums with 0 remove -0.
func union(f *text) {
	f.put("MOVW R13, Node_Child(R15)")
	joinBox(f, 16, 19)
	f.put("VEOR V17.B16, V17.B16, V17.B16")
	noMinusZero(f, 16, 19, 17)
	storeLane(f)
	orLanes(f, 22, "R12")
	f.put("MOVW R12, Node_Mask(R15)")
}

// orLanes puts the OR of the four lanes of V v into the register; it clobbers R14.
func orLanes(f *text, v int, register string) {
	f.put(`
		VMOV V%[1]d.D[0], %[2]s
		VMOV V%[1]d.D[1], R14
		ORR R14, %[2]s
		ORR %[2]s>>32, %[2]s
	`, v, register)
}
