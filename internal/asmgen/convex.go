package main

// convexFile writes kernels that test one plane at a time.
func convexFile() string {
	f := newText(`
// The convex kernels: the test of the frustum, for as many planes as there are.
`)
	memory := &planes{coef: "Convex_Coef", off: "Convex_Off", wide: "Convex_Wide", near: "Convex_Near", count: "Convex_N(R2)"}
	hits := func(label string) func(f *text) {
		return func(f *text) {
			everyLane(f, 20)
			memory.loop(f, label, false, false, 20, "next")
		}
	}
	f.define("HITS", "Words from V20 on: the boxes at R12 that are hit.", hits("planeloop"))
	f.define("IDHITS", "HITS with another label.", hits("idplaneloop"))
	f.define("COUNTHITS", "HITS with another label.", hits("countplaneloop"))
	f.define("FARHITS", "HITS for planes with two bounds.", memory.eitherWay)
	f.define("INSIDE", "Words from V24 on: the hit children at R12 that are inside.", func(f *text) { memory.inside(f, "sort") })
	v := volume{name: "Convex", hits: "HITS", load: func(*text) {}, whole: true, idHits: "IDHITS", countHits: "COUNTHITS"}
	v.kernels(f, "Convex")
	v.name, v.hits, v.whole = "ConvexFar", "FARHITS", false
	v.kernels(f, "Convex")
	return f.String()
}
