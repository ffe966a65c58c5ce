package main

import "fmt"

// frustumPlanes are the planes of a frustum in memory.
var frustumPlanes = &planes{coef: "Planes_Coef", off: "Planes_Off", wide: "Planes_Wide", near: "Planes_Near", count: "$6"}

// frustumFile keeps the six coefficient vectors in V8 to V13 and their d in V14 to V19 during a whole call.
func frustumFile() string {
	f := newText(`
// The frustum kernels. Planes_Off of plane i holds the byte offsets of the
// columns of the p-vertex on x, y and z; ^ 64 gives the n-vertex.
//
// Instructions on floats are in the notation of the ARM manual, destination
// first; all others are in Plan 9 notation, destination last.
`)
	each := func(f *text, opposite bool, to int, none string) {
		for i := range 6 {
			p := &plane{coef: 8 + i, d: 14 + i, pointer: "R2", offset: fmt.Sprintf("Planes_Off+16*%d", i)}
			f.put("\n// Plane %d.", i)
			switch {
			case i > 0:
				p.test(f, opposite, 0)
				andLanes(f, to, to)
			case opposite:
				p.test(f, opposite, 0)
				andLanes(f, 20, to)
			default:
				p.test(f, opposite, to)
			}
			if i == 1 || i == 3 {
				noneLeft(f, to, none)
			}
		}
	}
	f.define("HITS", "Words from V20 on: the boxes at R12 that are hit.", func(f *text) { each(f, false, 20, "next") })
	f.define("FARHITS", "HITS for planes with two bounds.", frustumPlanes.eitherWay)
	f.define("INSIDE", "Words from V24 on: the hit children at R12 that are inside.", func(f *text) { each(f, true, 24, "sort") })
	v := volume{name: "Frustum", hits: "HITS", whole: true, load: func(f *text) {
		for i := 0; i < 6; i += 2 {
			f.put("FLDPQ (Planes_Coef+16*%d)(R2), (F%d, F%d)", i, 8+i, 9+i)
		}
		for i := range 6 {
			f.put("VDUP V%d.S[3], V%d.S4", 8+i, 14+i)
		}
	}}
	v.kernels(f, "Planes")
	v.name, v.hits, v.whole = "FrustumFar", "FARHITS", false
	v.kernels(f, "Planes")
	return f.String()
}
