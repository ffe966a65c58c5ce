package main

// The plane test at the p-vertex or n-vertex of four boxes at a time: the sum
// ((nx*x + ny*y) + nz*z) + d, each operation rounded by itself, is at least 0.
// A NaN (empty lane times a zero component) is not a hit.

// plane says where a plane lies: its coefficients in V coef, their d in all
// lanes of V d, the offsets of its columns in a node at offset(pointer).
type plane struct {
	coef, d         int
	pointer, offset string
	first           bool // nothing in V20 to V23 yet

	// wide loads the d for boxes beyond the near box into all lanes of V4, whose
	// lanes V24 to V27 are 0; nil: there is one d.
	wide func(f *text)
}

// sums leaves in the registers from base the sums of the boxes whose columns
// of x, y, z begin where the address registers say, four to a register. With
// wide, boxes beyond the near box have the wide d.
func (p *plane) sums(f *text, address [3]string, base, registers int, wide bool) {
	for a := range 3 {
		to := base
		if a > 0 {
			to = 4 // scratch
		}
		for r := 0; r < registers; r += 2 {
			f.put("FLDPQ %d(%s), (F%d, F%d)", 16*r, address[a], to+r, to+r+1)
		}
		for r := range registers {
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[2]d.S[%[3]d]", to+r, p.coef, a)
		}
		if a > 0 {
			for r := range registers {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", base+r, to+r)
			}
		}
	}
	if wide {
		p.wide(f)
	}
	for r := range registers {
		d := p.d
		if wide {
			d = 5
			f.put("VMOV V%d.B16, V5.B16", p.d)
			f.put("VBIF V%d.B16, V4.B16, V5.B16", 24+r)
		}
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", base+r, d)
	}
}

// offsets loads the offsets of the columns that hold the p-vertex.
func (p *plane) offsets(f *text) {
	f.put(`
		MOVWU (%[2]s+0)(%[1]s), R13
		MOVWU (%[2]s+4)(%[1]s), R14
		MOVWU (%[2]s+8)(%[1]s), R15
	`, p.pointer, p.offset)
}

// node tests eight children at R12 at both vertices.
func (p *plane) node(f *text) {
	p.offsets(f)
	f.put(`
		EOR $32, R13, R16
		EOR $32, R14, R17
		EOR $32, R15, R19
		ADD R12, R13
		ADD R12, R14
		ADD R12, R15
		ADD R12, R16
		ADD R12, R17
		ADD R12, R19
	`)
	p.sums(f, [3]string{"R13", "R14", "R15"}, 0, 2, p.wide != nil)
	p.sums(f, [3]string{"R16", "R17", "R19"}, 2, 2, false)
	p.compare(f)
}

// packet tests the 16 boxes at R12: their columns are twice as long.
func (p *plane) packet(f *text) {
	p.offsets(f)
	f.put(`
		ADD R13<<1, R12, R13
		ADD R14<<1, R12, R14
		ADD R15<<1, R12, R15
	`)
	p.sums(f, [3]string{"R13", "R14", "R15"}, 0, 4, p.wide != nil)
	p.compare(f)
}

// compare ands the lanes of V20 to V23 with V0 to V3 >= 0.
func (p *plane) compare(f *text) {
	for r := range 4 {
		if p.first {
			f.put("FCMGE V%d.4S, V%d.4S, #0", 20+r, r)
		} else {
			f.put("FCMGE V%[1]d.4S, V%[1]d.4S, #0", r)
		}
	}
	if !p.first {
		for r := range 4 {
			f.put("VAND V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", r, 20+r)
		}
	}
}

// nearBoxes leaves in V24 and the next registers which boxes at R12 lie in the
// near box at that offset of the volume: four boxes to a register, whose columns
// are as long as the registers. It jumps to near if all do, as an empty lane
// does.
func nearBoxes(f *text, offset string, registers int) {
	f.put("ADD $%s, R2, R13", offset)
	for c := range 6 {
		f.put("VLD1R.P 4(R13), [V4.S4]")
		for r := 0; r < registers; r += 2 {
			f.put("FLDPQ %d(R12), (F%d, F%d)", 16*(registers*c+r), r, r+1)
		}
		for r := range registers {
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
		for r := range registers {
			if c > 0 {
				f.put("VAND V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", r, 24+r)
			}
		}
	}
	f.put("VADD V24.S4, V25.S4, V4.S4") // each lane counts down for a box
	for r := 2; r < registers; r++ {
		f.put("VADD V%d.S4, V4.S4, V4.S4", 24+r)
	}
	f.put(`
		VADDV V4.S4, V4
		VMOV V4.S[0], R13
		ADDW $%d, R13
		CBZW R13, near
	`, 4*registers)
}

// eitherWay writes the test of planes with two bounds: with the wide d, and with
// one d where all boxes are near.
func eitherWay(f *text, offset string, registers int, test func(f *text, far bool)) {
	nearBoxes(f, offset, registers)
	test(f, true)
	f.put("B tested")
	f.put("near:")
	test(f, false)
	f.put("tested:")
}
