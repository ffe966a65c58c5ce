package main

// selectFile writes the kernel of filters.
func selectFile() string {
	f := newText(`
// The select kernel: the lanes of a slot that pass, and a range that is written always and
// kept if it has any. The type masks of a slot are tested at once; IDs are tested lane
// by lane, for the remaining lanes.
//
//	R1  next range out       R4  masks     R8   live   R11  slots left   R16, R23  every, flip
//	R2  this range           R5  counts    R9   slots that the call may visit
//	R3  end of the ranges    R6  moving    R10  slot   R17  mask         R19  the last ID
//	R0  argument             R7  IDs       R12  lanes  R20  whether IDs are tested
`)
	f.function("func selectNEON(e *selectArgs)", 8)
	f.put(`
		MOVD e+0(FP), R0
		MOVD selectArgs_out(R0), R1
		MOVD selectArgs_ranges(R0), R2
		MOVD selectArgs_n(R0), R3
		ADD R3<<3, R2, R3
		MOVD selectArgs_masks(R0), R4
		MOVD selectArgs_counts(R0), R5
		MOVD selectArgs_moving(R0), R6
		MOVD selectArgs_ids(R0), R7
		MOVD selectArgs_live(R0), R8
		MOVD selectArgs_budget(R0), R9
		MOVWU selectArgs_every(R0), R16
		MOVWU selectArgs_mask(R0), R17
		MOVWU selectArgs_last(R0), R19
		MOVWU selectArgs_alive(R0), R20
		MOVWU selectArgs_flip(R0), R23
		VDUP R17, V30.S4
	`)
	loadWeights(f)
	f.put(`
		next:
		CMP R3, R2
		BHS done
		ADD $64, R2, R13
		CMP R3, R13
		BHS load
		MOVWU (R13), R13    // fetch the masks of the range eight on
		ADD R13<<6, R4, R13
		PRFM (R13), PLDL1KEEP

		load:
		MOVWU (R2), R10
		MOVWU 4(R2), R11
		TBNZ $31, R11, hits
		CBZW R11, finished

		slots:
		MOVD $0xffff, R12
		B test

		hits:
		MOVD R11, R12 // the flag is above the lanes
		MOVD $1, R11

		test:
		CBZ R9, partial
		SUB $1, R9
		MOVBU (R5)(R10), R13
		MOVD $1, R14
		LSL R13, R14
		SUB $1, R14
		MOVHU (R6)(R10<<1), R13
		AND R14, R12
		EOR R23, R13
		ORR R16, R13
		AND R13, R12
		CBZ R17, live
		ADD R10<<6, R4, R13
		FLDPQ (R13), (F0, F1)
		FLDPQ 32(R13), (F2, F3)
	`)
	for r := range 4 {
		f.put("VCMTST V30.S4, V%[1]d.S4, V%[1]d.S4", r)
	}
	maskOf(f, 0, "R13")
	f.put(`
		AND R13, R12

		live:
		CBZ R20, put
		CBZ R12, put
		ADD R10<<6, R7, R21
		MOVD R12, R13
		MOVD ZR, R12

		lane:
	`)
	nextLane(f)
	f.put(`
		MOVWU (R21)(R14<<2), R15
		CMP R19, R15
		CSEL LS, R15, R19, R22 // not beyond the last
		LSR $6, R22
		MOVD (R8)(R22<<3), R22
		CSET LS, R24
		LSR R15, R22
		AND R24, R22
		LSL R14, R22
		ORR R22, R12
		CBNZ R13, lane

		put:
		CMP $0, R12
		CSET NE, R13
		ORR $const_rangeHit, R12
		MOVW R10, (R1)
		MOVW R12, 4(R1)
		ADD R13<<3, R1
		ADD $1, R10
		SUBS $1, R11
		BNE slots

		finished:
		ADD $8, R2
		B next

		// A hit range is unchanged; a run continues at R10.
		partial:
		MOVWU 4(R2), R13
		TBNZ $31, R13, done
		MOVW R10, (R2)
		MOVW R11, 4(R2)

		done:
		MOVD selectArgs_ranges(R0), R13
		SUB R13, R2
		LSR $3, R2
		MOVD R2, selectArgs_done(R0)
		MOVD selectArgs_out(R0), R13
		SUB R13, R1
		LSR $3, R1
		MOVD R1, selectArgs_wrote(R0)
		RET
	`)
	return f.String()
}
