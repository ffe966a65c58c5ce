package main

import "fmt"

// Projection of boxes by a lens, four at once: the columns of the boxes are at R3. All operations are the
// operations of cull.Lens, one by one.
//
//	V8 to V13   the lens, as in memory        V14  |W| and |T| x
//	V15         width, height, last column, last row
//	V0 to V2    c     V3 to V5  h     V6  s     V7  w     V22  w0     V23  EW*s
//	V20, V21    x, y, then x1, y1     V27, V29  x0, y0
//	V30         there is a rectangle  V31  0.5  V24 to V26 scratch

// The words of a lens.
const (
	lensHi, lensLo, lensX, lensY, lensW, lensT        = 0, 3, 6, 9, 12, 15
	lensW1, lensEX, lensEY, lensEW, lensET, lensLeast = 18, 19, 20, 21, 22, 23
)

// word returns a word of the lens as an element of a register.
func word(i int) string { return fmt.Sprintf("V%d.S[%d]", 8+i/4, i%4) }

// loadLens loads the lens at R3 and the depth buffer at R4.
func loadLens(f *text) {
	for r := 0; r < 6; r += 2 {
		f.put("FLDPQ %d(R3), (F%d, F%d)", 16*r, 8+r, 9+r)
	}
	f.put("FABS V14.4S, V11.4S\nFMOVQ Picture_width(R4), F15")
}

// dotBox puts the product of a row of the lens and c into V to. It clobbers V24.
func dotBox(f *text, row, to int) {
	f.put("FMUL V%d.4S, V0.4S, %s", to, word(row))
	for a := 1; a < 3; a++ {
		f.put("FMUL V24.4S, V%d.4S, %s\nFADD V%d.4S, V%[3]d.4S, V24.4S", a, word(row+a), to)
	}
}

// sizesBox puts the product of three elements, which are sizes, and h into V26. It clobbers V24.
func sizesBox(f *text, sizes ...string) {
	f.put("FMUL V26.4S, V3.4S, %s", sizes[0])
	for a := 1; a < 3; a++ {
		f.put("FMUL V24.4S, V%d.4S, %s\nFADD V26.4S, V26.4S, V24.4S", 3+a, sizes[a])
	}
}

// lensRect computes rectangles without their depths.
func lensRect(f *text) {
	for a := range 3 {
		c, h := a, 3+a
		f.put(`
			FMOVQ %[1]d(R3), F24
			FMOVQ %[2]d(R3), F25
			VDUP %[3]s, V26.S4
			VDUP %[4]s, V27.S4
			FSUB V24.4S, V24.4S, V26.4S
			FSUB V25.4S, V25.4S, V26.4S
			FSUB V24.4S, V24.4S, V27.4S
			FSUB V25.4S, V25.4S, V27.4S
			FADD V%[5]d.4S, V24.4S, V25.4S
			FSUB V%[6]d.4S, V25.4S, V24.4S
			FMUL V%[5]d.4S, V%[5]d.4S, V31.4S
			FMUL V%[6]d.4S, V%[6]d.4S, V31.4S
			FABS V24.4S, V%[5]d.4S
		`, 128*a, 128*a+64, word(lensHi+a), word(lensLo+a), c, h)
		if a == 0 {
			f.put("FADD V6.4S, V24.4S, V3.4S")
		} else {
			f.put("FADD V24.4S, V24.4S, V%d.4S\nFADD V6.4S, V6.4S, V24.4S", h)
		}
	}
	dotBox(f, lensW, 7)
	f.put("VDUP %s, V24.S4\nFADD V7.4S, V7.4S, V24.4S", word(lensW1))
	f.put("FMUL V23.4S, V6.4S, %s", word(lensEW))
	sizesBox(f, "V14.S[0]", "V14.S[1]", "V14.S[2]")
	f.put(`
		FSUB V22.4S, V7.4S, V26.4S
		FSUB V22.4S, V22.4S, V23.4S
		VDUP %s, V24.S4
		FCMGT V30.4S, V22.4S, V24.4S
	`, word(lensLeast))
	for i, row := range []int{lensX, lensY} {
		dotBox(f, row, 20+i)
	}
	f.put("FDIV V20.4S, V20.4S, V7.4S\nFDIV V21.4S, V21.4S, V7.4S")
	lensEnds(f, lensX, lensEX, 20, 27)
	lensEnds(f, lensY, lensEY, 21, 29)
}

// lensEnds computes the ends of the rectangle on an axis from the middle in V at: the lower one in V low, the
// upper one in V at.
func lensEnds(f *text, row, slack, at, low int) {
	for a := range 3 {
		f.put(`
			VDUP %s, V24.S4
			FMUL V25.4S, V%d.4S, %s
			FSUB V24.4S, V24.4S, V25.4S
			FABS V24.4S, V24.4S
		`, word(row+a), at, word(lensW+a))
		if a == 0 {
			f.put("FMUL V26.4S, V24.4S, V3.4S")
		} else {
			f.put("FMUL V24.4S, V24.4S, V%d.4S\nFADD V26.4S, V26.4S, V24.4S", 3+a)
		}
	}
	f.put(`
		FMUL V25.4S, V6.4S, %[1]s
		FADD V26.4S, V26.4S, V25.4S
		FABS V24.4S, V%[2]d.4S
		FMUL V24.4S, V24.4S, V23.4S
		FADD V26.4S, V26.4S, V24.4S
		FDIV V26.4S, V26.4S, V22.4S
		FSUB V%[3]d.4S, V%[2]d.4S, V26.4S
		FADD V%[2]d.4S, V%[2]d.4S, V26.4S
	`, word(slack), at, low)
}

// lensDepth puts the nearest depths into V24. It clobbers R15.
func lensDepth(f *text) {
	f.put(`
		VMOV %s, R15
		LSL $33, R15, R15 // 0 of either sign: a perspective
		CBZ R15, perspective
		FABS V24.4S, V11.4S
		FABS V25.4S, V12.4S
		VMOV V24.S[3], V25.S[2]
	`, word(lensW1))
	sizesBox(f, "V25.S[2]", "V25.S[0]", "V25.S[1]")
	f.put("FMUL V24.4S, V6.4S, %s\nFADD V26.4S, V26.4S, V24.4S", word(lensET))
	dotBox(f, lensT, 25)
	f.put(`
		FSUB V24.4S, V26.4S, V25.4S
		B deep

		perspective:
		FADD V24.4S, V31.4S, V31.4S
		FDIV V24.4S, V24.4S, V22.4S

		deep:
	`)
}

// clipRect sets V0 to the rectangles outside the image, V1 to those with a part inside, and V2 to V5 to the
// ends of that part: columns, then rows. V25 is 0; it clobbers V26.
func clipRect(f *text) {
	f.put(`
		VMOVI $0, V25.B16
		FCMGT V0.4S, V25.4S, V20.4S
		VDUP V15.S[0], V26.S4
		FCMGT V1.4S, V27.4S, V26.4S
		VORR V1.B16, V0.B16, V0.B16
		FCMGT V1.4S, V25.4S, V21.4S
		VORR V1.B16, V0.B16, V0.B16
		VDUP V15.S[1], V26.S4
		FCMGT V1.4S, V29.4S, V26.4S
		VORR V1.B16, V0.B16, V0.B16
		VAND V30.B16, V0.B16, V0.B16
		FCMGE V1.4S, V20.4S, V27.4S
		FCMGE V2.4S, V21.4S, V29.4S
		VAND V2.B16, V1.B16, V1.B16
		VAND V30.B16, V1.B16, V1.B16
		VAND V0.B16, V1.B16, V2.B16
		VEOR V2.B16, V1.B16, V1.B16
		VDUP V15.S[2], V26.S4
		FMAX V2.4S, V27.4S, V25.4S
		FMIN V2.4S, V2.4S, V26.4S
		FMIN V3.4S, V20.4S, V26.4S
		VDUP V15.S[3], V26.S4
		FMAX V4.4S, V29.4S, V25.4S
		FMIN V4.4S, V4.4S, V26.4S
		FMIN V5.4S, V21.4S, V26.4S
	`)
}
