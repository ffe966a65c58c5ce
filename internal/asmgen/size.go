package main

// sizeFile writes the kernel that tests the minimum size of boxes.
func sizeFile() string {
	f := newText(`
// The small boxes of packets, as Size has them.
//
//	R0  mask     R1  packets left    R2  Size
//	R12 packet   V30 scale x, y, z and the minimum size
`)
	f.function("func sizeSmallNEON(small *uint16, packets *soa.Packet, n int, z *Size)", 32)
	f.put(`
		MOVD small+0(FP), R0
		MOVD packets+8(FP), R12
		MOVD n+16(FP), R1
		MOVD z+24(FP), R2
		ADD $Size_Scale, R2, R13
		FMOVQ (R13), F30
		VMOVI $0, V29.B16
	`)
	loadWeights(f)
	f.put("packet:")
	f.put("// The longest edges in V0 to V3.")
	for a := range 3 {
		edge := 8 * min(a, 1) // the first are the longest so far
		axisColumns(f, a, 4, edge)
		for r := range 4 {
			f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", edge+r, 4+r)
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V30.S[%[2]d]", edge+r, a)
			if a > 0 {
				f.put("FMAX V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, 8+r)
			}
		}
	}
	f.put("\n\n// Lanes below the minimum size.")
	sizeRow(f, "Size_Depth", "Size_off")
	for r := range 4 {
		f.put("FMUL V%[1]d.4S, V%[1]d.4S, V30.S[3]", 4+r)
		f.put("FCMGT V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", r, 4+r)
	}
	f.put("\n\n// Lanes beyond the near plane.")
	sizeRow(f, "Size_Near", "(Size_off+16)")
	for r := range 4 {
		f.put("FCMGT V%[1]d.4S, V%[1]d.4S, V29.4S", 4+r)
		f.put("VAND V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", 4+r, r)
	}
	maskOf(f, 0, "R3")
	f.put("MOVH.P R3, 2(R0)\nADD $384, R12\nSUBS $1, R1\nBNE packet\nRET")
	return f.String()
}

// sizeRow puts a row of the lowest corners into V4 to V7. It clobbers V8 to V11 and V31.
func sizeRow(f *text, row, off string) {
	f.put("ADD $%s, R2, R13\nFMOVQ (R13), F31\nADD $%s, R2, R16", row, off)
	for a := range 3 {
		f.put("MOVWU %d(R16), R%d\nADD R12, R%[2]d", 4*a, 13+a)
	}
	for a := range 3 {
		at := 4 + 4*min(a, 1) // the first products are the sums
		for r := 0; r < 4; r += 2 {
			f.put("FLDPQ %d(R%d), (F%d, F%d)", 16*r, 13+a, at+r, at+r+1)
		}
		for r := range 4 {
			f.put("FMUL V%[1]d.4S, V%[1]d.4S, V31.S[%[2]d]", at+r, a)
		}
		if a > 0 {
			for r := range 4 {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 4+r, 8+r)
			}
		}
	}
	f.put("VDUP V31.S[3], V31.S4")
	for r := range 4 {
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V31.4S", 4+r)
	}
}
