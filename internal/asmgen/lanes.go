package main

// What kernels do with sets of lanes.
//
//	V28    the bit of each lane of eight, twice
//	V30    flags of the filter in all lanes
//	V31    mask of the filter in all lanes, R22 once more

// loadWeights sets V28.
func loadWeights(f *text) {
	f.put("VMOVQ $0x8040201008040201, $0x8040201008040201, V28")
}

// loadSift sets V30, V31 and R22 from the filter at prefix(base).
func loadSift(f *text, prefix, base string) {
	f.put(`
		MOVWU (%[1]sNodeFilter_Flags)(%[2]s), R13
		VDUP R13, V30.S4
		MOVWU (%[1]sNodeFilter_Mask)(%[2]s), R22
		VDUP R22, V31.S4
	`, prefix, base)
}

// siftLanes clears the halfwords of V hit whose child the filter leaves out and
// puts the references of the node at R12 into V24 and V25. Two registers from
// scratch on are used.
func siftLanes(f *text, hit, scratch int) {
	with := func(lo, hi, want int) {
		f.put(`
			VCMTST V%[3]d.S4, V%[1]d.S4, V%[4]d.S4
			VCMTST V%[3]d.S4, V%[2]d.S4, V%[5]d.S4
			VUZP1 V%[5]d.H8, V%[4]d.H8, V%[4]d.H8
			VAND V%[4]d.B16, V%[6]d.B16, V%[6]d.B16
		`, lo, hi, want, scratch, scratch+1, hit)
	}
	f.put("FLDPQ Node_Child(R12), (F24, F25)")
	with(24, 25, 30)
	f.put("CBZW R22, filtered\nFLDPQ Node_Mask(R12), (F%d, F%d)", scratch, scratch+1)
	with(scratch, scratch+1, 31)
	f.put("filtered:")
}

// maskOf8 puts a bit for each halfword of V v that is set into the register.
func maskOf8(f *text, v int, register string) {
	f.put("VUZP1 V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", v)
	gatherBits(f, v)
	f.put("VMOV V%d.B[0], %s", v, register)
}

// maskOf16 puts a bit for each word of the four registers from V v on that is
// set into the register.
func maskOf16(f *text, v int, register string) {
	f.put(`
		VUZP1 V%[2]d.H8, V%[1]d.H8, V%[1]d.H8
		VUZP1 V%[4]d.H8, V%[3]d.H8, V%[3]d.H8
		VUZP1 V%[3]d.B16, V%[1]d.B16, V%[1]d.B16
	`, v, v+1, v+2, v+3)
	gatherBits(f, v)
	f.put("VMOV V%d.H[0], %s", v, register)
}

// gatherBits packs the bytes of V v, each 0 or all ones, into its low 16 bits.
func gatherBits(f *text, v int) {
	f.put("VAND V28.B16, V%[1]d.B16, V%[1]d.B16", v)
	for range 3 {
		f.put("VADDP V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", v)
	}
}
