package main

// convexFile tests one plane at a time: R23 is the plane, R24 the planes left.
func convexFile() string {
	f := newText(`
// The convex kernels: the test of the frustum, for as many planes as there are.
`)
	p := &plane{coef: 8, d: 9, pointer: "R23", offset: "Convex_Off-Convex_Coef"}
	begin := func(f *text) {
		for r := range 4 {
			f.put("VMOVI $255, V%d.B16", 20+r)
		}
		f.put(`
			ADD $Convex_Coef, R2, R23
			MOVD Convex_N(R2), R24

			planeloop:
			FMOVQ (R23), F8
			VDUP V8.S[3], V9.S4
		`)
	}
	const next = `
		ADD $16, R23
		SUBS $1, R24
		BNE planeloop
	`
	v := volume{
		name: "convex",
		load: func(*text) {},
		node: func(f *text) {
			begin(f)
			p.node(f)
			f.put(`
				VADD V20.S4, V21.S4, V0.S4
				VADDV V0.S4, V0
				VMOV V0.S[0], R13
				CBZW R13, nodenext
			`)
			f.put(next)
		},
		packet: func(f *text) {
			begin(f)
			p.packet(f)
			missIfNone(f)
			f.put(next)
		},
	}
	v.kernels(f, "Convex")
	return f.String()
}
