package main

// Common code of the pair kernels: the test of 16 boxes against one. Minima and maxima are compared directly,
// which is exact. Empty lanes (minima +Inf, maxima -Inf) overlap nothing, not even each other.
//
//	R19   64, the bytes of a column     R20   compressTable     V28   the bit of each lane

// pairBegin loads the registers that all of them use.
func pairBegin(f *text) {
	f.put("MOVD w+0(FP), R0\nMOVD $64, R19\nMOVD $·compressTable(SB), R20")
	loadWeights(f)
}

// laneAddress replaces the parent link in a register, a lane of one of the nodes, by the address of the first
// bound of that lane: the others follow 64 bytes apart, and then its reference.
func laneAddress(f *text, up, nodes, scratch string) {
	f.put(`
		AND $15, %[1]s, %[3]s
		LSR $4, %[1]s
		ADD %[1]s<<9, %[2]s, %[1]s
		ADD %[3]s<<2, %[1]s
	`, up, nodes, scratch)
}

// boxes is the location of the columns of 16 boxes during the test.
type boxes struct {
	column  func(f *text, c int) (first int) // loads column c into four registers
	scratch []int                            // destinations of comparisons: one, two or four registers
}

// listed are the boxes at R12, loaded a column at a time.
var listed = boxes{scratch: []int{4, 5, 6, 7}, column: func(f *text, c int) int {
	f.put("FLDPQ %d(R12), (F0, F1)\nFLDPQ %d(R12), (F2, F3)", 64*c, 64*c+32)
	return 0
}}

// held are boxes kept in V0 to V23.
var held = boxes{scratch: []int{30, 31}, column: func(_ *text, c int) int { return 4 * c }}

// hold loads the boxes at a register.
func hold(f *text, register string) {
	for q := 0; q < 24; q += 2 {
		f.put("FLDPQ %d(%s), (F%d, F%d)", 16*q, register, q, q+1)
	}
}

// overlap sets V24 to V27 to the boxes that overlap the one whose first bound is at R13. It clobbers V29 and
// advances R13 past the last bound.
func (b boxes) overlap(f *text) {
	for bound := range 6 {
		f.put("VLD1R.P (R13)(R19), [V29.S4]")
		at := b.column(f, bound^1) // a minimum is compared with maxima, a maximum with minima
		compare := func(r, to int) {
			if bound%2 == 0 {
				f.put("FCMGE V%d.4S, V%d.4S, V29.4S", to, at+r)
			} else {
				f.put("FCMGE V%d.4S, V29.4S, V%d.4S", to, at+r)
			}
		}
		if bound == 0 {
			for r := range 4 {
				compare(r, 24+r)
			}
			continue
		}
		for r := 0; r < 4; r += len(b.scratch) {
			for k, to := range b.scratch {
				compare(r+k, to)
			}
			for k, to := range b.scratch {
				f.put("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", to, 24+r+k)
			}
		}
	}
}

// putHit stores a hit at a register, of the object R15 and the lanes R16 of the packet R14. Without a branch,
// it advances the register only if there are any lanes.
func putHit(f *text, register string) {
	f.put(`
		MOVW R15, Hit_A(%[1]s)
		MOVW R14, Hit_B(%[1]s)
		MOVW R16, Hit_Mask(%[1]s)
		CMP $0, R16
		CSET NE, R16
		ADD R16<<4, %[1]s
	`, register)
}

// hitsDone sets the length of the list of hits from its end in a register.
func hitsDone(f *text, register string) {
	f.put(`
		MOVD Walk_Hits(R0), R13
		SUB R13, %[1]s
		LSR $4, %[1]s
		MOVD %[1]s, (Walk_Hits+8)(R0)
		RET
	`, register)
}
