package main

// visibleFile writes the occlusion culling kernels.
func visibleFile() string {
	f := newText(`
// The kernels of occlusion culling. A macro tests boxes against the depth pyramid: it makes the
// rectangles of four boxes at once, stores them in the frame, then compares the rectangle of one
// box after the other with four rows of 16 texels.
//
//	R2   planes     R4   pyramid, or none    V8 to V15   the lens, and the size of the image
//	R12  the boxes  R11  its pixels          V16 to V19  0 to 15
//	R13  lanes      R19  occluded lanes      V28  the bit of each lane of eight, twice
//
// In the frame, 64 bytes each: first column, first row, columns and rows less one, level,
// depth; then the state of a nodes kernel. For the refined test: begin and end of pixels,
// 64 bytes each, and registers.
`)
	f.define("HITS", "Words from V20 on: the boxes at R12 that intersect the planes.", visibleHits)
	f.define("OCCLUDED", "Into R19 the boxes of R13 that are occluded.", func(f *text) {
		visibleRects(f)
		visibleTexels(f)
	})
	visibleNodes(f)
	visiblePackets(f)
	visibleRanges(f)
	visibleAreas(f)
	return f.String()
}

// Stack frame of all kernels with OCCLUDED.
const (
	visibleFrame  = 736
	visiblePixels = 464 // first and last column, first and last row
	visibleKept   = 720
)

// visibleBegin loads the lens at R3 and the depth buffer at R4, if there is one.
func visibleBegin(f *text) {
	loadWeights(f)
	f.put("CBZ R4, open")
	loadLens(f)
	loadColumns(f)
	f.put("MOVD (Picture_Pix+0)(R4), R11\n\nopen:")
}

// visibleHits tests the boxes at R12 against the planes at R2, and jumps to next if none is left.
func visibleHits(f *text) {
	f.put("MOVBU Planes_Two(R2), R13\nCBZW R13, near")
	frustumPlanes.nearBoxes(f)
	f.put("CBZW R13, near")
	everyLane(f, 20)
	frustumPlanes.loop(f, "farloop", false, true, 20, "next")
	f.put("B tested\n\nnear:")
	everyLane(f, 20)
	frustumPlanes.loop(f, "planeloop", false, false, 20, "next")
	f.put("tested:")
}

// visibleRects stores the rectangles of the boxes in the frame. R19 becomes the lanes outside the image, and 16
// bits up the lanes inside. R17 is the first lane of four.
func visibleRects(f *text) {
	f.put(`
		MOVD ZR, R17
		MOVD ZR, R19
		VMOVQ $0x3f0000003f000000, $0x3f0000003f000000, V31

		rects:
		LSR R17, R13, R15
		CBZ R15, rectsdone
		AND $15, R15
		CBZ R15, rectsnext
		ADD R17<<2, R12, R3
		MOVD $rects-736(SP), R16
		ADD R17<<2, R16
	`)
	lensRect(f)
	lensDepth(f)
	clipRect(f)
	for v := 2; v <= 5; v++ {
		f.put("FCVTZU V%[1]d.4S, V%[1]d.4S", v)
	}
	f.put(`
		// The finest level at which a rectangle has at most 16 columns and 4 rows.
		VMOVI $0, V6.B16
	`)
	for i, v := range []int{2, 3, 4, 5} {
		f.put("FMOVQ F%d, %d(R16)", v, visiblePixels+64*i)
	}
	f.put(`
		levels:
		VSUB V2.S4, V3.S4, V20.S4
		VSUB V4.S4, V5.S4, V21.S4
		VUSHR $4, V20.S4, V26.S4
		VUSHR $2, V21.S4, V27.S4
		VORR V27.B16, V26.B16, V26.B16
		VAND V1.B16, V26.B16, V26.B16
		VCMTST V26.S4, V26.S4, V26.S4
		VADDV V26.S4, V27
		VMOV V27.S[0], R15
		CBZW R15, levelsdone
		VSUB V26.S4, V6.S4, V6.S4
	`)
	for v := 2; v <= 5; v++ {
		f.put("VUSHR $2, V%[1]d.S4, V27.S4\nVBIT V26.B16, V27.B16, V%[1]d.B16", v)
	}
	f.put("B levels\n\nlevelsdone:")
	for i, v := range []int{2, 4, 20, 21, 6, 24} {
		f.put("FMOVQ F%d, %d(R16)", v, 64*i)
	}
	f.put(`
		VUSHR $16, V0.S4, V0.S4
		VSHL $16, V1.S4, V1.S4
		VORR V1.B16, V0.B16, V0.B16
		VMOVQ $0x0002000200010001, $0x0008000800040004, V26
		VAND V26.B16, V0.B16, V0.B16
		VADDV V0.S4, V0
		VMOV V0.S[0], R15
		LSL R17, R15, R15
		ORR R15, R19

		rectsnext:
		ADD $4, R17
		CMP $16, R17
		BLT rects

		rectsdone:
	`)
}

// visibleTexels compares the rectangles inside the image, of the lanes R14, with its texels. A box is hidden if
// all texels up to its last column are nearer; a NaN is not nearer. Rows past the last repeat it.
func visibleTexels(f *text) {
	f.put(`
		LSR $16, R19, R14
		AND R13, R14
		AND R13, R19
		MOVD $rects-736(SP), R17
		CBZ R14, texelsdone

		texels:
	`)
	takeLane(f, "R14", "R15", "R16")
	f.put(`
		ADD R15<<2, R17, R16
		MOVWU 256(R16), R23
		ADD R23<<5, R4, R23
		MOVD (Picture_Levels+PictureLevel_Base)(R23), R24
		MOVD (Picture_Levels+PictureLevel_Stride)(R23), R25
		MOVWU 64(R16), R23
		MADD R25, R24, R23, R24
		MOVWU (R16), R23
		ADD R23, R24
		ADD R24<<2, R11, R24
		LSL $2, R25
		ADD $128, R16, R23
		VLD1R (R23), [V30.S4] // columns
		ADD $320, R16, R23
		VLD1R (R23), [V29.S4] // depth
		MOVWU 192(R16), R26
	`)
	for row := range 4 {
		if row > 0 {
			f.put("CMP $%d, R26\nCSEL HS, R25, ZR, R23\nADD R23, R24", row)
		}
		to := 20 - 20*min(row, 1)
		f.put("FLDPQ (R24), (F%d, F%d)\nFLDPQ 32(R24), (F%d, F%d)", to, to+1, to+2, to+3)
		for r := range 4 {
			if row > 0 {
				f.put("FMIN V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 20+r, r)
			}
		}
	}
	visibleNearer(f, "R23")
	f.put(`
		BEQ hide
		MOVWU 256(R16), R23
		CBNZ R23, finer
		B nextbox

		hide:
		MOVD $1, R16
		LSL R15, R16, R16
		ORR R16, R19

		nextbox:
		CBNZ R14, texels
		B texelsdone
	`)
	visibleFiner(f)
	f.put("texelsdone:")
}

// visibleNearer compares 16 texels from V20 on with the depth V29; only those up to column V30 count. It sets EQ
// if all of them are nearer.
func visibleNearer(f *text, scratch string) {
	for r := range 4 {
		f.put("CMHI V%d.4S, V%d.4S, V30.4S", 4+r, 16+r)
		f.put("FCMGT V%[1]d.4S, V%[1]d.4S, V29.4S", 20+r)
		f.put("VORR V%d.B16, V%[2]d.B16, V%[2]d.B16", 4+r, 20+r)
	}
	f.put(`
		VAND V20.B16, V21.B16, V20.B16
		VAND V22.B16, V23.B16, V22.B16
		VAND V20.B16, V22.B16, V20.B16
		VADDV V20.S4, V20
		VMOV V20.S[0], %[1]s
		CMNW $4, %[1]s // all four words are -1
	`, scratch)
}

// visibleFiner tests the box of R16 at levels below R23, until all texels of a level are nearer.
//
//	R21  level      R22  the last one     R23  columns less one   R3  those from here on
//	R24  texels     R25  to the next row  R26  rows left          R15 scratch
func visibleFiner(f *text) {
	f.put(`
		finer:
		MOVD R21, %[1]d(R17)
		MOVD R22, %[2]d(R17)
		MOVD R23, R21
		SUBS $const_finerLevels, R21, R22
		CSEL GE, R22, ZR, R22

		finerlevel:
		SUB $1, R21
		LSL $1, R21, R15
		MOVWU %[3]d(R16), R3
		MOVWU %[4]d(R16), R23
		MOVWU %[5]d(R16), R24
		MOVWU %[6]d(R16), R26
		LSR R15, R3, R3
		LSR R15, R23, R23
		LSR R15, R24, R24
		LSR R15, R26, R26
		SUB R3, R23
		SUB R24, R26
		ADD R21<<5, R4, R15
		MOVD (Picture_Levels+PictureLevel_Stride)(R15), R25
		MADD R25, R3, R24, R24
		MOVD (Picture_Levels+PictureLevel_Base)(R15), R3
		ADD R3, R24
		ADD R24<<2, R11, R24
		BIC $15, R23, R3
		SUB R3, R25
		LSL $2, R25

		finerrow:
		MOVD R23, R3

		finertexels:
		VDUP R3, V30.S4
		FLDPQ (R24), (F20, F21)
		FLDPQ 32(R24), (F22, F23)
	`, visibleKept, visibleKept+8, visiblePixels, visiblePixels+64, visiblePixels+128, visiblePixels+192)
	visibleNearer(f, "R15")
	f.put(`
		BNE finervisible
		SUBS $16, R3
		BLT finernext
		ADD $64, R24
		B finertexels

		finernext:
		ADD R25, R24
		SUBS $1, R26
		BGE finerrow
		SUB R17, R16, R15
		LSR $2, R15
		MOVD %[1]d(R17), R21
		MOVD %[2]d(R17), R22
		B hide

		finervisible:
		CMP R22, R21
		BGT finerlevel
		MOVD %[1]d(R17), R21
		MOVD %[2]d(R17), R22
		B nextbox

	`, visibleKept, visibleKept+8)
}
