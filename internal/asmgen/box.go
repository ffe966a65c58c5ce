package main

// boxFile writes the kernels of box queries.
func boxFile() string {
	f := newText(`
// The box kernels. An axis passes where min <= box.max and max >= box.min; a
// child is inside where min >= box.min and max <= box.max.
`)
	boxTests(f)
	v := volume{name: "Box", hits: "HITS", whole: true, load: loadQueryBox}
	v.kernels(f, "Box")
	return f.String()
}

// loadQueryBox loads the box at R2 into V8 to V13: minx maxx miny maxy minz maxz, each in all lanes.
func loadQueryBox(f *text) {
	f.put("MOVD R2, R13")
	for i := range 6 {
		f.put("VLD1R.P 4(R13), [V%d.S4]", 8+i)
	}
}

// boxTests defines the macros of a [volume] that test against that box.
func boxTests(f *text) {
	// both sets the registers from V to on to the lanes of those from V from on that are set in V0 to V3 and V4
	// to V7.
	both := func(f *text, from, to int) {
		for r := range 4 {
			f.put("VAND V%[1]d.B16, V%[2]d.B16, V%[1]d.B16", r, 4+r)
		}
		andLanes(f, from, to)
	}
	f.define("HITS", "Words from V20 on: the boxes at R12 that are hit.", func(f *text) {
		for a := range 3 {
			axisColumns(f, a, 0, 4)
			lo, hi := 8+2*a, 9+2*a
			for r := range 4 {
				f.put("FCMGE V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", r, hi)
				f.put("FCMGE V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 4+r, lo)
			}
			if a == 0 {
				andLanes(f, 4, 20)
			} else {
				both(f, 20, 20)
			}
			if a < 2 {
				noneLeft(f, 20, "next")
			}
		}
	})
	f.define("INSIDE", "Words from V24 on: the hit children at R12 that are inside.", func(f *text) {
		for a := range 3 {
			axisColumns(f, a, 0, 4)
			lo, hi := 8+2*a, 9+2*a
			for r := range 4 {
				f.put("FCMGE V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, lo)
				f.put("FCMGE V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", 4+r, hi)
			}
			both(f, 20+4*min(a, 1), 24)
			if a == 0 {
				noneLeft(f, 24, "sort")
			}
		}
	})
}
