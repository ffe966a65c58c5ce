package main

// Common code of the kernels for several frusta. The viewers of a lane are a word of 64 bits. Vectors have
// words of 32 bits, so the lower halves of 16 lanes, for viewers 0 to 31, are four registers, and the upper
// halves four others. They are stored in the stack frame, where a viewer accesses only those of its half.

// viewerRegisters are the registers that both use alike.
const viewerRegisters = `//
//	R2   planes of a viewer     R16  the viewer             R20  compressTable
//	R4   planes of all          R19  viewers left           R26  two bounds: 0 where all boxes are near
//	R9   bytes of its planes    V29  its bit                V16 to V19  the near lanes
`

// loadViewers loads the registers that both use; the planes of all viewers are in R4.
func loadViewers(f *text) {
	f.put("MOVD $Planes__size, R9\nMOVD $·compressTable(SB), R20")
	loadWeights(f)
}

// fillWords stores the halves of the word in a register for all lanes, each half from an offset in the frame
// at R13 on.
func fillWords(f *text, word string, lower, upper int) {
	f.put("VDUP %[1]s, V0.S4\nLSR $32, %[1]s\nVDUP %[1]s, V1.S4", word)
	for v, at := range []int{lower, upper} {
		f.put("FSTPQ (F%[1]d, F%[1]d), %[2]d(R13)\nFSTPQ (F%[1]d, F%[1]d), %[3]d(R13)", v, at, at+32)
	}
}

// loadWords loads the halves of the words of all lanes, from an offset in the frame at R13 on.
func loadWords(f *text, at, first int) {
	f.put("FLDPQ %d(R13), (F%d, F%d)\nFLDPQ %d(R13), (F%d, F%d)", at, first, first+1, at+32, first+2, first+3)
}

// nearClass classifies the boxes at R12 as near or not, once for all viewers: all planes share the near box
// of the first.
func nearClass(f *text) {
	f.put("MOVD R4, R2")
	frustumPlanes.nearBoxes(f)
	f.put("MOVD R13, R26")
	for r := range 4 {
		f.put("VMOV V%d.B16, V%d.B16", 24+r, 16+r)
	}
}

// eachViewer loops over the viewers of R19: test tests the boxes at R12 against the planes at R2 and jumps to
// unseen if none passes; mark adds the viewer to the lanes that pass.
func eachViewer(f *text, test, mark func(f *text)) {
	f.put("B unseen\n\nviewer:")
	takeLane(f, "R19", "R16", "R13")
	f.put("MADD R9, R4, R16, R2")
	test(f)
	f.put("MOVD $1, R13\nLSLW R16, R13, R13\nVDUP R13, V29.S4")
	mark(f)
	f.put("unseen:\nCBNZ R19, viewer")
}

// viewerHits sets V20 to V23 to the boxes that are hit.
func viewerHits(f *text, two bool) {
	if two {
		f.put("CBZW R26, near")
		for r := range 4 {
			f.put("VMOV V%d.B16, V%d.B16", 16+r, 24+r)
		}
		everyLane(f, 20)
		frustumPlanes.loop(f, "farloop", false, true, 20, "unseen")
		f.put("B tested\n\nnear:")
	}
	everyLane(f, 20)
	frustumPlanes.loop(f, "planeloop", false, false, 20, "unseen")
	if two {
		f.put("tested:")
	}
}

// markViewer adds the viewer to the words from an offset on of the lanes in the registers from V set on. R13
// is the position of the viewer's half in the frame.
func markViewer(f *text, set, at int) {
	loadWords(f, at, 0)
	for r := range 4 {
		f.put("VAND V29.B16, V%[1]d.B16, V%[1]d.B16", set+r)
	}
	for r := range 4 {
		f.put("VORR V%d.B16, V%[2]d.B16, V%[2]d.B16", set+r, r)
	}
	f.put("FSTPQ (F0, F1), %d(R13)\nFSTPQ (F2, F3), %d(R13)", at, at+32)
}

// anyViewer sets the registers from V to on to the lanes whose words, with these halves, are not zero.
func anyViewer(f *text, lower, upper, to int) {
	for r := range 4 {
		f.put("VORR V%d.B16, V%d.B16, V%d.B16", lower+r, upper+r, to+r)
	}
	for r := range 4 {
		f.put("VCMTST V%[1]d.S4, V%[1]d.S4, V%[1]d.S4", to+r)
	}
}

// compress4 stores the words of eight lanes, in V first and the next register, selected by the row of
// compressTable in V4 and V5. It clobbers V6 and V7.
func compress4(f *text, first int, to string) {
	f.put(`
		VTBL V4.B16, [V%[1]d.B16, V%[2]d.B16], V6.B16
		VTBL V5.B16, [V%[1]d.B16, V%[2]d.B16], V7.B16
		FSTPQ (F6, F7), (%[3]s)
	`, first, first+1, to)
}

// compress8 is compress4 for words of 64 bits in halves, which the store interleaves. The register to
// advances by half of the stored bytes.
func compress8(f *text, lower, upper int, to string) {
	f.put(`
		VTBL V4.B16, [V%[1]d.B16, V%[2]d.B16], V6.B16
		VTBL V4.B16, [V%[3]d.B16, V%[4]d.B16], V7.B16
		VST2.P [V6.S4, V7.S4], 32(%[5]s)
		VTBL V5.B16, [V%[1]d.B16, V%[2]d.B16], V6.B16
		VTBL V5.B16, [V%[3]d.B16, V%[4]d.B16], V7.B16
		VST2 [V6.S4, V7.S4], (%[5]s)
	`, lower, lower+1, upper, upper+1, to)
}
