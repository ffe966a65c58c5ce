package main

// emitFile writes the kernel that converts ranges to IDs.
func emitFile() string {
	f := newText(`
// The emit kernel: IDs are stored 16 at a time and the pointer advances by the
// number that counts, so that no lane needs a branch.
//
//	R1  next ID                      R3  this range           R5  IDs      R8  slot
//	R2  last address with room       R4  end of the ranges    R6  counts   R9  slots left, or the mask
//	R7  slots that the call may visit    R20 compressTable
`)
	f.function("func emitNEON(e *emitArgs)", 8)
	f.put(`
		MOVD e+0(FP), R0
		MOVD emitArgs_dst(R0), R1
		MOVD emitArgs_room(R0), R2
		ADD R2<<2, R1, R2
		SUB $64, R2
		MOVD emitArgs_ids(R0), R5
		MOVD emitArgs_counts(R0), R6
		MOVD emitArgs_ranges(R0), R3
		MOVD emitArgs_n(R0), R4
		ADD R4<<3, R3, R4
		MOVD emitArgs_budget(R0), R7
		MOVD $·compressTable(SB), R20

		next:
		CMP R4, R3
		BHS done
		ADD $64, R3, R10
		CMP R4, R10
		BHS load
		MOVWU (R10), R10    // fetch the IDs of the range eight on
		ADD R10<<6, R5, R10
		PRFM (R10), PLDL1KEEP

		load:
		MOVWU (R3), R8
		MOVWU 4(R3), R9
		TBNZ $31, R9, hits
		CBZW R9, finished

		slots:
		CMP R2, R1
		BGT partial
		CBZ R7, partial
		SUB $1, R7
		ADD R8<<6, R5, R10
		VLD1 (R10), [V0.S4, V1.S4, V2.S4, V3.S4]
		MOVBU (R6)(R8), R11
		VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R1)
		ADD R11<<2, R1
		ADD $1, R8
		SUBS $1, R9
		BNE slots

		finished:
		ADD $8, R3
		B next

		hits:
		CMP R2, R1
		BGT done
		CBZ R7, done
		SUB $1, R7
		ADD R8<<6, R5, R10
		VLD1 (R10), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	storeLanes(f, "R9", "R1")
	f.put(`
		ADD $8, R3
		B next

		partial:
		MOVW R8, (R3)
		MOVW R9, 4(R3)

		done:
		MOVD emitArgs_ranges(R0), R10
		SUB R10, R3
		LSR $3, R3
		MOVD R3, emitArgs_done(R0)
		MOVD emitArgs_dst(R0), R10
		SUB R10, R1
		LSR $2, R1
		MOVD R1, emitArgs_wrote(R0)
		RET
	`)
	return f.String()
}

// storeLanes compresses the words in V0 to V3 by the set of lanes in a register and stores them at the
// address in another one. It stores whole registers and advances the address by the number of lanes. R20
// holds compressTable. It clobbers R10 to R13 and V4 to V7.
func storeLanes(f *text, lanes, to string) {
	f.put(`
		FMOVS %[1]s, F4
		VCNT V4.B8, V4.B8
		VMOV V4.B[0], R12
		VMOV V4.B[1], R13
		UBFX $0, %[1]s, $8, R10 // lanes 0 to 7
		UBFX $8, %[1]s, $8, R11 // lanes 8 to 15
		ADD R10<<5, R20, R10
		ADD R11<<5, R20, R11
		FLDPQ (R10), (F4, F5)
		FLDPQ (R11), (F6, F7)
		VTBL V4.B16, [V0.B16, V1.B16], V4.B16
		VTBL V5.B16, [V0.B16, V1.B16], V5.B16
		VTBL V6.B16, [V2.B16, V3.B16], V6.B16
		VTBL V7.B16, [V2.B16, V3.B16], V7.B16
		FSTPQ (F4, F5), (%[2]s)
		ADD R12<<2, %[2]s
		FSTPQ (F6, F7), (%[2]s)
		ADD R13<<2, %[2]s
	`, lanes, to)
}
