package main

// chooseFile writes the kernel of one step of the insertion descent: it selects the lane of a node that grows
// least.
func chooseFile() string {
	f := newText(`
// One step of the insertion descent. The growth of a lane is max(lo - min, 0) + max(max - hi, 0)
// on each axis, and (x + y) + z. No operand is NaN: boxes and bounds of live lanes are
// finite, and a free lane is infinitely far away. The greater of two zeros is +0, so
// growths compare as integers do.
//
//	R0  reference    R2  box     R12   this node
//	R1  nodes        R3  left    R13   lanes that are left, R14 the first
//
//	V8 to V10   lo    V11 to V13   hi    V21   0
//	V0 to V3    growth of the lanes, then ones where it is not the minimum
//	V16 to V19  their lengths
`)
	f.function("func chooseSubtreeNEON(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)", 32)
	f.put(`
		MOVD refs+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD boxes+16(FP), R2
		MOVD n+24(FP), R3
		VMOVI $0, V21.B16
	`)
	loadWeights(f)
	f.put(`
		loop:
		MOVWU (R0), R14
		MOVD R2, R13
		ADD $24, R2
		TBNZ $31, R14, next
		AND $const_refIndex, R14, R12
		ADD R12<<9, R1, R12
	`)
	for i := range 6 {
		f.put("VLD1R.P 4(R13), [V%d.S4]", 8+i)
	}
	f.put("\n\n// The growths.")
	sumAxes(f, 0, func(d, hi, axis int) {
		f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", d, 8+axis)
		f.put("FSUB V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", hi, 11+axis)
		f.put("FMAXNM V%[1]d.4S, V%[1]d.4S, V21.4S", d)
		f.put("FMAXNM V%[1]d.4S, V%[1]d.4S, V21.4S", hi)
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", d, hi)
	})
	leastLanes(f, 0, 16)
	f.put(`
		SUB $1, R13, R14
		AND R13, R14
		CBZ R14, child // one lane

		// The lengths. A lane without the minimum growth gets a length above all others.
	`)
	for r := range 4 {
		f.put("CMHI V%[1]d.4S, V%[1]d.4S, V4.4S", r)
	}
	sumAxes(f, 16, func(d, hi, _ int) {
		f.put("FABD V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, hi)
	})
	for r := range 4 {
		f.put("VORR V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", r, 16+r)
	}
	leastLanes(f, 16, 16)
	f.put(`
		child:
		RBIT R13, R14
		CLZ R14, R14
		ADD $Node_Child, R12
		MOVWU (R12)(R14<<2), R14
		MOVW R14, (R0)

		next:
		ADD $4, R0
		SUB $1, R3
		CBNZ R3, loop
		RET
	`)
	return f.String()
}

// sumAxes sets the registers from V to on to sums (x + y) + z over the axes, for the four boxes of each
// register at R12. length computes the summand of an axis in V d, from the minima in V d and the maxima in V
// hi.
func sumAxes(f *text, to int, length func(d, hi, axis int)) {
	for a := range 3 {
		at := 4
		if a == 0 {
			at = to
		}
		axisColumns(f, a, at, 24)
		for r := range 4 {
			length(at+r, 24+r, a)
			if a > 0 {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", to+r, at+r)
			}
		}
	}
}

// leastLanes puts a bit for each of the words from V v on that equals the minimum into R13, and the minimum
// into all of V4. It clobbers V5 and the registers from V to on.
func leastLanes(f *text, v, to int) {
	f.put(`
		UMINP V4.4S, V%d.4S, V%d.4S
		UMINP V5.4S, V%d.4S, V%d.4S
		UMINP V4.4S, V4.4S, V5.4S
		UMINP V4.4S, V4.4S, V4.4S
		UMINP V4.4S, V4.4S, V4.4S
	`, v, v+1, v+2, v+3)
	for r := range 4 {
		f.put("VCMEQ V4.S4, V%d.S4, V%d.S4", v+r, to+r)
	}
	maskOf(f, to, "R13")
}
