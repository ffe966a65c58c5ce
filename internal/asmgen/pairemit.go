package main

import "fmt"

// pairEmitFile writes the kernel that converts hits to pairs of IDs. It has a loop for each order.
func pairEmitFile() string {
	f := newText(`
// The emit kernel of pairs: the IDs of the lanes that are hit, side by side with that
// of the object, and the pointer advances by as many as there are, so that no lane
// needs a branch. The memory that is written some hundred pairs later is fetched.
//
//	R0  argument               R3, R4  hit, end    R8   object, and its ID    R10  lanes
//	R1  next pair              R5  IDs of X        R9   packet, and its IDs   R20  compressTable
//	R2  last address with room for 16   R6  IDs of Y
`)
	f.function("func pairEmitNEON(e *pairEmitArgs)", 8)
	f.put(`
		MOVD e+0(FP), R0
		MOVD pairEmitArgs_dst(R0), R1
		MOVD pairEmitArgs_room(R0), R2
		ADD R2<<3, R1, R2
		SUB $128, R2
		MOVD pairEmitArgs_x(R0), R5
		MOVD pairEmitArgs_y(R0), R6
		MOVD pairEmitArgs_hits(R0), R3
		MOVD pairEmitArgs_n(R0), R4
		ADD R4<<4, R3, R4
		MOVD $·compressTable(SB), R20
		MOVBU pairEmitArgs_order(R0), R13
		CMP $const_Swapped, R13
		BEQ swapped
		BHI ascending
	`)
	// The ID of the object is in V16, the IDs of the lanes are in V15 or V17. Two consecutive registers are
	// stored.
	pairsOf(f, "found", 17, func(put func(first int)) { put(16) })
	pairsOf(f, "swapped", 15, func(put func(first int)) { put(15) })
	pairsOf(f, "ascending", 17, func(put func(first int)) {
		f.put("VUMIN V16.S4, V17.S4, V18.S4\nVUMAX V16.S4, V17.S4, V19.S4")
		put(18)
	})
	f.put(`
		done:
		MOVD pairEmitArgs_hits(R0), R13
		SUB R13, R3
		LSR $4, R3
		MOVD R3, pairEmitArgs_done(R0)
		MOVD pairEmitArgs_dst(R0), R13
		SUB R13, R1
		LSR $3, R1
		MOVD R1, pairEmitArgs_wrote(R0)
		RET
	`)
	return f.String()
}

// pairsOf writes the loop of an order: four IDs of lanes are loaded into V lanes, and pair selects the
// registers of the pairs.
func pairsOf(f *text, name string, lanes int, pair func(put func(first int))) {
	f.put(`
		%s:
		CMP R4, R3
		BHS done
		CMP R2, R1
		BGT done
		MOVWU Hit_A(R3), R8
		MOVWU Hit_B(R3), R9
		MOVWU Hit_Mask(R3), R10
		ADD $16, R3
		PRFM 4096(R1), PSTL1KEEP
		ADD R8<<2, R5, R8
		ADD R9<<6, R6, R9
		VLD1R (R8), [V16.S4]
		VLD1 (R9), [V0.S4, V1.S4, V2.S4, V3.S4]
		FMOVS R10, F4
		VCNT V4.B8, V4.B8
		VMOV V4.H[0], R11
	`, name)
	for half := range 2 {
		f.put(`
			UBFX $%[1]d, R10, $8, R13
			UBFX $%[1]d, R11, $8, R14
			ADD R13<<5, R20, R13
			FLDPQ (R13), (F4, F5)
			MOVD R1, R13
		`, 8*half)
		for quarter, store := range []string{"VST2.P [V%d.S4, V%d.S4], 32(R13)", "VST2 [V%d.S4, V%d.S4], (R13)"} {
			f.put("VTBL V%d.B16, [V%d.B16, V%d.B16], V%d.B16", 4+quarter, 2*half, 2*half+1, lanes)
			pair(func(first int) { f.put(fmt.Sprintf(store, first, first+1)) })
		}
		f.put("ADD R14<<3, R1")
	}
	f.put("B %s", name)
}
