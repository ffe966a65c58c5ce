package main

// Operations on sets of lanes. A set of the 16 lanes of a node or a packet is four registers of words or one
// of bytes, all ones or zeros.
//
//	V28    the bit of each lane of eight, twice
//	R21    flags of the filter
//	R22    mask of the filter

// loadWeights sets V28.
func loadWeights(f *text) {
	f.put("VMOVQ $0x8040201008040201, $0x8040201008040201, V28")
}

// loadFilter sets R21 and R22 from the filter at prefix(base).
func loadFilter(f *text, prefix, base string) {
	f.put(`
		MOVWU (%[1]sNodeFilter_Flags)(%[2]s), R21
		MOVWU (%[1]sNodeFilter_Mask)(%[2]s), R22
	`, prefix, base)
}

// axisColumns loads the minima of the boxes at R12 on an axis into the registers from V lo on, the maxima
// into those from V hi on.
func axisColumns(f *text, axis, lo, hi int) {
	for r := 0; r < 4; r += 2 {
		f.put("FLDPQ %d(R12), (F%d, F%d)", 128*axis+16*r, lo+r, lo+r+1)
		f.put("FLDPQ %d(R12), (F%d, F%d)", 128*axis+64+16*r, hi+r, hi+r+1)
	}
}

// siftLanes clears the words from V hit on whose child the filter rejects. It loads the references of the
// node at R12 into the registers from V child on. It clobbers V29 and the four from V scratch on, which may
// be the same ones. filtered is the label of the following code.
func siftLanes(f *text, hit, child, scratch int, filtered string) {
	with := func(filter string, column, to int) {
		f.put("VDUP %s, V29.S4", filter)
		f.put("FLDPQ %s(R12), (F%d, F%d)", []string{"Node_Child", "Node_Mask"}[column], to, to+1)
		f.put("FLDPQ (%s+32)(R12), (F%d, F%d)", []string{"Node_Child", "Node_Mask"}[column], to+2, to+3)
		for r := range 4 {
			f.put("VCMTST V29.S4, V%d.S4, V%d.S4", to+r, scratch+r)
		}
		for r := range 4 {
			f.put("VAND V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", scratch+r, hit+r)
		}
	}
	with("R21", 0, child)
	f.put("CBZW R22, %s", filtered)
	with("R22", 1, scratch)
	f.put("%s:", filtered)
}

// packetLanes sets V to, as bytes, to the lanes of the 16 references from V child on that are packets; it
// clobbers the three registers after V to. The flag of a packet is its sign.
func packetLanes(f *text, child, to int) {
	for r := range 4 {
		f.put("CMLT V%d.4S, V%d.4S, #0", to+r, child+r)
	}
	narrow(f, to)
}

// narrow packs the words from V v on into bytes, in V v.
func narrow(f *text, v int) {
	f.put(`
		VUZP1 V%[2]d.H8, V%[1]d.H8, V%[1]d.H8
		VUZP1 V%[4]d.H8, V%[3]d.H8, V%[3]d.H8
		VUZP1 V%[3]d.B16, V%[1]d.B16, V%[1]d.B16
	`, v, v+1, v+2, v+3)
}

// maskOf puts a bit for each of the words from V v on that is set into the register and into the low bits of
// V v.
func maskOf(f *text, v int, register string) {
	narrow(f, v)
	f.put("VAND V28.B16, V%[1]d.B16, V%[1]d.B16", v)
	for range 3 {
		f.put("VADDP V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", v)
	}
	f.put("VMOV V%d.H[0], %s", v, register)
}

// noneLeft jumps if none of the words from V v on is set: the sum of four numbers from 0 to -4 is 0 only if
// all are.
func noneLeft(f *text, v int, label string) {
	f.put(`
		VADD V%d.S4, V%d.S4, V4.S4
		VADD V%d.S4, V%d.S4, V5.S4
		VADD V4.S4, V5.S4, V4.S4
		VADDV V4.S4, V4
		VMOV V4.S[0], R13
		CBZW R13, %s
	`, v, v+1, v+2, v+3, label)
}

// appendLanes appends the eight references in V v and the next register that byte k of R13 selects to a list,
// as whole registers; byte k of R14 is their number. compressTable is at R20.
func appendLanes(f *text, k, v int, list, length string) {
	f.put(`
		UBFX $%[1]d, R13, $8, R15
		UBFX $%[1]d, R14, $8, R16
		ADD R15<<5, R20, R15
		FLDPQ (R15), (F4, F5)
		ADD %[5]s<<2, %[4]s, R17
		VTBL V4.B16, [V%[2]d.B16, V%[3]d.B16], V4.B16
		VTBL V5.B16, [V%[2]d.B16, V%[3]d.B16], V5.B16
		FSTPQ (F4, F5), (R17)
		ADD R16, %[5]s
	`, 8*k, v, v+1, list, length)
}

// nextLane removes the lowest lane of R13 and puts it into R14. It clobbers R15.
func nextLane(f *text) { takeLane(f, "R13", "R14", "R15") }

// takeLane removes the lowest lane of a set and puts it into a register.
func takeLane(f *text, set, lane, scratch string) {
	f.put(`
		RBIT %[1]s, %[2]s
		CLZ %[2]s, %[2]s
		SUB $1, %[1]s, %[3]s
		AND %[3]s, %[1]s
	`, set, lane, scratch)
}

// smallerID jumps unless the ID at one location is smaller than the ID at another one. It clobbers R17 and
// R25.
func smallerID(f *text, ids, place, other, label string) {
	f.put(`
		MOVWU (%[1]s)(%[2]s<<2), R25
		MOVWU (%[1]s)(%[3]s<<2), R17
		CMPW R17, R25
		BHS %[4]s
	`, ids, place, other, label)
}

// ranks are the registers with the numbers of 16 lanes, each in the highest four bits of a word, with which
// walks push the children of a node onto a stack.
type ranks [4]int

// load sets the registers.
func (v ranks) load(f *text) {
	for r := range 4 {
		lane := func(i int) int { return (4*r + i) << 28 }
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V%d", lane(1), lane(0), lane(3), lane(2), v[r])
	}
}

// keys converts the words in V0 to V3, floats that are not negative, to keys: the lowest four bits become the
// lane, so that no two are equal. Lanes outside the set of words from V set on get the key 0.
func (v ranks) keys(f *text, set int) {
	for r := range 4 {
		f.put("VSRI $28, V%d.S4, V%d.S4", v[r], r)
	}
	for r := range 4 {
		f.put("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", set+r, r)
	}
}

// rank puts the number of keys greater than that of lane R14, with the word R15, into R17. It clobbers V4 to
// V7.
func (v ranks) rank(f *text) {
	f.put(`
		MOVW R15, R17
		BFI $0, R14, $4, R17
		VDUP R17, V4.S4
		CMHI V5.4S, V0.4S, V4.4S
		CMHI V6.4S, V1.4S, V4.4S
		CMHI V7.4S, V2.4S, V4.4S
		CMHI V4.4S, V3.4S, V4.4S
		VADD V5.S4, V6.S4, V5.S4
		VADD V4.S4, V7.S4, V4.S4
		VADD V4.S4, V5.S4, V4.S4
		VADDV V4.S4, V4
		VMOV V4.S[0], R17
		NEGW R17, R17
	`)
}
