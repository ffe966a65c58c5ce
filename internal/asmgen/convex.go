package main

// convexFile tests one plane at a time: R23 is the plane, R24 the planes left,
// and R25 the next wide d.
func convexFile() string {
	f := newText(`
// The convex kernels: the test of the frustum, for as many planes as there are.
`)
	// loop tests all planes, or jumps to none when no box is left.
	loop := func(f *text, far bool, test func(p *plane), none func(f *text)) {
		p, label := &plane{coef: 8, d: 9, pointer: "R23", offset: "Convex_Off-Convex_Coef"}, "planeloop"
		for r := range 4 {
			f.put("VMOVI $255, V%d.B16", 20+r)
		}
		f.put(`
			ADD $Convex_Coef, R2, R23
			MOVD Convex_N(R2), R24
		`)
		if far {
			label = "farloop"
			p.wide = func(f *text) { f.put("VLD1R.P 4(R25), [V4.S4]") }
			f.put("ADD $Convex_Wide, R2, R25")
		}
		f.put(label + ":")
		f.put(`
			FMOVQ (R23), F8
			VDUP V8.S[3], V9.S4
		`)
		test(p)
		none(f)
		f.put(`
			ADD $16, R23
			SUBS $1, R24
			BNE %s
		`, label)
	}
	node := func(f *text, far bool) {
		loop(f, far, func(p *plane) { p.node(f) }, func(f *text) {
			f.put(`
				VADD V20.S4, V21.S4, V0.S4
				VADDV V0.S4, V0
				VMOV V0.S[0], R13
				CBZW R13, nodenext
			`)
		})
	}
	packet := func(f *text, far bool) {
		loop(f, far, func(p *plane) { p.packet(f) }, missIfNone)
	}
	v := volume{
		name:   "Convex",
		load:   func(*text) {},
		node:   func(f *text) { node(f, false) },
		packet: func(f *text) { packet(f, false) },
	}
	v.kernels(f, "Convex")
	v.name = "ConvexFar"
	v.node = func(f *text) { eitherWay(f, "Convex_Near", 2, node) }
	v.packet = func(f *text) { eitherWay(f, "Convex_Near", 4, packet) }
	v.kernels(f, "Convex")
	return f.String()
}
