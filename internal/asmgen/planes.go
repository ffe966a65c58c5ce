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
}

// sums leaves in the registers from base the sums of the boxes whose columns
// of x, y, z begin where the address registers say, four to a register.
func (p *plane) sums(f *text, address [3]string, base, registers int) {
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
	for r := range registers {
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", base+r, p.d)
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
	p.sums(f, [3]string{"R13", "R14", "R15"}, 0, 2)
	p.sums(f, [3]string{"R16", "R17", "R19"}, 2, 2)
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
	p.sums(f, [3]string{"R13", "R14", "R15"}, 0, 4)
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
