package main

// Operations on boxes in rows of six words, minx miny minz maxx maxy maxz, and on the tight box of the 16
// lanes of a packet or a node. A box in two registers has minx miny minz in the first three words of one, and
// maxx maxy maxz in the first three words of the other; the last words are undefined.

// loadBox loads the box at the register into V lo and V hi, and reads nothing beyond it.
func loadBox(f *text, base string, lo, hi int) {
	f.put(`
		FMOVQ (%[1]s), F%[2]d
		FMOVQ 8(%[1]s), F%[3]d
		VEXT $4, V%[3]d.B16, V%[3]d.B16, V%[3]d.B16
	`, base, lo, hi)
}

// loadLane loads the box in a lane of columns into V lo and V hi: the register points to the lane in the
// first column. It clobbers V lo+1, V lo+2, V hi+1 and V hi+2.
func loadLane(f *text, base string, lo, hi int) {
	for a := range 3 {
		f.put("FMOVS %d(%s), F%d", 128*a, base, lo+a)
		f.put("FMOVS %d(%s), F%d", 128*a+64, base, hi+a)
	}
	for _, v := range []int{lo, hi} {
		f.put("VTRN1 V%d.S4, V%[2]d.S4, V%[2]d.S4", v+1, v)
		f.put("VTRN1 V%d.D2, V%[2]d.D2, V%[2]d.D2", v+2, v)
	}
}

// storeLane stores the box in V16 and V19 to the lane of columns at R15. It clobbers R12 and R14.
func storeLane(f *text) {
	f.put(`
		FMOVS F16, (R15)
		VMOV V16.S[1], R12
		VMOV V16.S[2], R14
		MOVW R12, 128(R15)
		MOVW R14, 256(R15)
		FMOVS F19, 64(R15)
		VMOV V19.S[1], R12
		VMOV V19.S[2], R14
		MOVW R12, 192(R15)
		MOVW R14, 320(R15)
	`)
}

// Instructions that combine sets of lanes, destination first.
func least(f *text, to, a, b int)  { f.put("FMIN V%d.4S, V%d.4S, V%d.4S", to, a, b) }
func most(f *text, to, a, b int)   { f.put("FMAX V%d.4S, V%d.4S, V%d.4S", to, a, b) }
func either(f *text, to, a, b int) { f.put("VORR V%d.B16, V%d.B16, V%d.B16", b, a, to) }

// joinFour combines the four registers from V v on with an instruction into V to. It clobbers V v and V v+2.
func joinFour(f *text, to, v int, join func(f *text, to, a, b int)) {
	join(f, v, v, v+1)
	join(f, v+2, v+2, v+3)
	join(f, to, v, v+2)
}

// joinColumns reduces the columns at R12: V16 to V18 become the minima of four lanes on each axis, V19 to V21
// the maxima. It clobbers V0 to V7.
func joinColumns(f *text) {
	for a := range 3 {
		axisColumns(f, a, 0, 4)
		joinFour(f, 16+a, 0, least)
		joinFour(f, 19+a, 4, most)
	}
}

// joinBox combines four minima and maxima on each axis, in the registers from there on, into a box in V lo
// and V hi.
func joinBox(f *text, lo, hi int) {
	f.put(`
		FMINP V%[1]d.4S, V%[1]d.4S, V%[2]d.4S
		FMINP V%[3]d.4S, V%[3]d.4S, V%[3]d.4S
		FMINP V%[1]d.4S, V%[1]d.4S, V%[3]d.4S
	`, lo, lo+1, lo+2)
	f.put(`
		FMAXP V%[1]d.4S, V%[1]d.4S, V%[2]d.4S
		FMAXP V%[3]d.4S, V%[3]d.4S, V%[3]d.4S
		FMAXP V%[1]d.4S, V%[1]d.4S, V%[3]d.4S
	`, hi, hi+1, hi+2)
}

// noMinusZero changes each -0 of the box in V lo and V hi to +0; V zero is 0.
func noMinusZero(f *text, lo, hi, zero int) {
	f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", lo, zero)
	f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", hi, zero)
}

// laneNumbers sets the registers from V v on to the numbers of the 16 lanes.
func laneNumbers(f *text, v int) {
	for r := range 4 {
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V%d", 4*r+1, 4*r, 4*r+3, 4*r+2, v+r)
	}
}

// boxColumns loads the boxes at R20 to R23 and transposes them into columns: V0 to V2 are minx miny minz, V3
// to V5 maxx maxy maxz. It clobbers V6 to V11.
func boxColumns(f *text) {
	for k := range 4 {
		f.put("FMOVQ (R%d), F%d", 20+k, k)
		f.put("FMOVD 16(R%d), F%d", 20+k, 4+k)
	}
	transpose(f, 0)
	f.put(`
		VTRN1 V5.S4, V4.S4, V8.S4
		VTRN1 V7.S4, V6.S4, V9.S4
		VTRN2 V5.S4, V4.S4, V10.S4
		VTRN2 V7.S4, V6.S4, V11.S4
		VTRN1 V9.D2, V8.D2, V4.D2
		VTRN1 V11.D2, V10.D2, V5.D2
	`)
}
