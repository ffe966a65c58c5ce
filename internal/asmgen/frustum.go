package main

import "fmt"

// frustumFile holds the six coefficient vectors in V8 to V13 and their d in
// V14 to V19 during a whole call.
func frustumFile() string {
	f := newText(`
// The frustum kernels. Planes_Off of plane i holds the byte offsets of the
// columns of the p-vertex on x, y and z in a node; ^ 32 gives the n-vertex,
// twice the offset is the column in a packet.
//
// Instructions on floats are in the notation of the ARM manual, destination
// first; all others in that of Plan 9, destination last.
`)
	at := func(i int, far bool) *plane {
		p := &plane{coef: 8 + i, d: 14 + i, pointer: "R2", offset: fmt.Sprintf("Planes_Off+16*%d", i), first: i == 0}
		if far {
			p.wide = func(f *text) {
				f.put("ADD $(Planes_Wide+4*%d), R2, R13", i)
				f.put("VLD1R (R13), [V4.S4]")
			}
		}
		return p
	}
	node := func(f *text, far bool) {
		for i := range 6 {
			f.put("\n// Plane %d.", i)
			at(i, far).node(f)
		}
	}
	packet := func(f *text, far bool) {
		for i := range 6 {
			f.put("\n// Plane %d.", i)
			at(i, far).packet(f)
			if i == 1 || i == 3 {
				missIfNone(f)
			}
		}
	}
	v := volume{
		name: "Frustum",
		load: func(f *text) {
			for i := 0; i < 6; i += 2 {
				f.put("FLDPQ (Planes_Coef+16*%d)(R2), (F%d, F%d)", i, 8+i, 9+i)
			}
			for i := range 6 {
				f.put("VDUP V%d.S[3], V%d.S4", 8+i, 14+i)
			}
		},
		node:   func(f *text) { node(f, false) },
		packet: func(f *text) { packet(f, false) },
	}
	v.kernels(f, "Planes")
	v.name = "FrustumFar"
	v.node = func(f *text) { eitherWay(f, "Planes_Near", 2, node) }
	v.packet = func(f *text) { eitherWay(f, "Planes_Near", 4, packet) }
	v.kernels(f, "Planes")
	return f.String()
}
