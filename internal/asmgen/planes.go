package main

// The plane test at the p-vertex or n-vertex of 16 boxes: the sum ((nx*x + ny*y) + nz*z) + d, each operation
// rounded separately, is at least 0. A NaN (empty lane times a zero component) is not a hit.

// plane is the location of a plane: its coefficients in V coef, their d in all lanes of V d, the offsets of
// its columns at offset(pointer).
type plane struct {
	coef, d         int
	pointer, offset string

	// location of the d for boxes beyond the near box, whose lanes V24 to V27 are 0; "": there is one d
	wide string
}

// test sets the registers from V to on to the boxes at R12 that pass, at the p-vertex or the opposite one.
// With wide, boxes beyond the near box use the wide d.
func (p *plane) test(f *text, opposite bool, to int) {
	f.put(`
		MOVWU (%[2]s+0)(%[1]s), R13
		MOVWU (%[2]s+4)(%[1]s), R14
		MOVWU (%[2]s+8)(%[1]s), R15
	`, p.pointer, p.offset)
	if opposite {
		f.put("EOR $64, R13\nEOR $64, R14\nEOR $64, R15")
	}
	f.put("ADD R12, R13\nADD R12, R14\nADD R12, R15")
	for a := range 3 {
		at := 4 * min(a, 1) // the first products are the sums
		for r := 0; r < 4; r += 2 {
			f.put("FLDPQ %d(R%d), (F%d, F%d)", 16*r, 13+a, at+r, at+r+1)
		}
		for r := range 4 {
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[2]d.S[%[3]d]", at+r, p.coef, a)
		}
		if a > 0 {
			for r := range 4 {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, 4+r)
			}
		}
	}
	if p.wide != "" {
		f.put("VLD1R (%s), [V4.S4]", p.wide)
	}
	for r := range 4 {
		d := p.d
		if p.wide != "" {
			d = 5
			f.put("VMOV V%d.B16, V5.B16", p.d)
			f.put("VBIF V%d.B16, V4.B16, V5.B16", 24+r)
		}
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, d)
	}
	for r := range 4 {
		f.put("FCMGE V%d.4S, V%d.4S, #0", to+r, r)
	}
}

// planes are planes of a volume in memory.
type planes struct {
	coef, off, wide, near string // offsets in the volume
	count                 string // number of planes: a constant, or its location
}

// loop tests the boxes at R12 at the p-vertex, or the opposite one, of one plane after the other: R23 is the
// plane, R24 the planes left, R25 the next wide d. It clears lanes from V set on and jumps when none is left.
// It clobbers V30 and V31.
func (l *planes) loop(f *text, name string, opposite, wide bool, set int, none string) {
	p := &plane{coef: 30, d: 31, pointer: "R23", offset: l.off + "-" + l.coef}
	f.put("ADD $%s, R2, R23\nMOVD %s, R24", l.coef, l.count)
	if wide {
		p.wide = "R25"
		f.put("ADD $%s, R2, R25", l.wide)
	}
	f.put(name + ":")
	f.put("FMOVQ (R23), F30\nVDUP V30.S[3], V31.S4")
	p.test(f, opposite, 0)
	andLanes(f, set, set)
	noneLeft(f, set, none)
	f.put("ADD $16, R23")
	if wide {
		f.put("ADD $4, R25")
	}
	f.put("SUBS $1, R24\nBNE %s", name)
}

// inside sets the registers from V24 on to the boxes of the hits, V20 to V23, that are inside, and jumps if
// there are none.
func (l *planes) inside(f *text, none string) {
	for r := range 4 {
		f.put("VMOV V%d.B16, V%d.B16", 20+r, 24+r)
	}
	l.loop(f, "insideloop", true, false, 24, none)
}

// eitherWay writes the test of planes with two bounds at the p-vertex: one after the other with the wide d,
// and the macro HITS if all boxes are near.
func (l *planes) eitherWay(f *text) {
	l.nearBoxes(f)
	f.put("CBZW R13, near")
	everyLane(f, 20)
	l.loop(f, "farloop", false, true, 20, "next")
	f.put(`
		B tested

		near:
		HITS

		tested:
	`)
}

// nearBoxes sets V24 to V27 to the boxes at R12 in the near box of the volume; empty lanes count as near. R13
// is 0 if all are near.
func (l *planes) nearBoxes(f *text) {
	f.put("ADD $%s, R2, R13", l.near)
	for c := range 6 {
		f.put("VLD1R.P 4(R13), [V4.S4]")
		for r := 0; r < 4; r += 2 {
			f.put("FLDPQ %d(R12), (F%d, F%d)", 64*c+16*r, r, r+1)
		}
		for r := range 4 {
			to := r
			if c == 0 {
				to = 24 + r
			}
			if c%2 == 0 {
				f.put("FCMGE V%d.4S, V%d.4S, V4.4S", to, r)
			} else {
				f.put("FCMGE V%d.4S, V4.4S, V%d.4S", to, r)
			}
		}
		if c > 0 {
			andLanes(f, 24, 24)
		}
	}
	f.put(`
		VADD V24.S4, V25.S4, V4.S4 // each lane counts down for a box
		VADD V26.S4, V4.S4, V4.S4
		VADD V27.S4, V4.S4, V4.S4
		VADDV V4.S4, V4
		VMOV V4.S[0], R13
		ADDW $16, R13
	`)
}

// everyLane sets the registers from V v on to all ones.
func everyLane(f *text, v int) {
	for r := range 4 {
		f.put("VMOVI $255, V%d.B16", v+r)
	}
}

// andLanes sets the registers from V to on to the lanes of those from V from on that are also in V0 to V3.
func andLanes(f *text, from, to int) {
	for r := range 4 {
		f.put("VAND V%d.B16, V%d.B16, V%d.B16", r, from+r, to+r)
	}
}
