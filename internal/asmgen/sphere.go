package main

// sphereFile writes the kernels of sphere queries. They keep the centre in V8 to V10, the scale in V11, and
// the limit in V12, each in all lanes.
func sphereFile() string {
	f := newText(`
// The sphere kernels. A lane is hit where the sum (dx*dx + dy*dy) + dz*dz of the
// nearest distances is at most the limit; a child is inside where the sum of the
// furthest distances is. Distances are scaled first.
`)
	// nearest replaces lo in d by the distance from the interval to hi.
	nearest := func(f *text, d, hi, c int) {
		f.put("FMAXNM V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, c)
		f.put("FMINNM V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", d, hi)
		f.put("FSUB V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, c)
	}
	// furthest replaces lo in d by the larger of c - lo and hi - c.
	furthest := func(f *text, d, hi, c int) {
		f.put("FSUB V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, c)
		f.put("FSUB V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", hi, c)
		f.put("FCMGT V13.4S, V%d.4S, V%d.4S", hi, d)
		f.put("VBIT V13.B16, V%d.B16, V%d.B16", hi, d)
	}
	// within sets the registers from V to on to the lanes whose sum of squares is at most the limit.
	within := func(f *text, distance func(f *text, d, hi, c int), to int) {
		for a := range 3 {
			axisColumns(f, a, 0, 4)
			for r := range 4 {
				distance(f, r, 4+r, 8+a)
			}
			for r := range 4 {
				f.put("FMUL V%[1]d.4S, V%[1]d.4S, V11.4S", r)
				if a == 0 {
					f.put("FMUL V%d.4S, V%[2]d.4S, V%[2]d.4S", to+r, r)
					continue
				}
				f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[1]d.4S", r)
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", to+r, r)
			}
		}
		for r := range 4 {
			f.put("FCMGE V%[1]d.4S, V12.4S, V%[1]d.4S", to+r)
		}
	}
	f.define("HITS", "Words from V20 on: the boxes at R12 that are hit.", func(f *text) { within(f, nearest, 20) })
	f.define("INSIDE", "Words from V24 on: the hit children at R12 that are inside.", func(f *text) {
		noneLeft(f, 20, "next")
		within(f, furthest, 24)
		for r := range 4 {
			f.put("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", 20+r, 24+r)
		}
	})
	v := volume{name: "Sphere", hits: "HITS", whole: true, load: func(f *text) {
		f.put("MOVD R2, R13")
		for i := range 5 {
			f.put("VLD1R.P 4(R13), [V%d.S4]", 8+i)
		}
	}}
	v.kernels(f, "Sphere")
	return f.String()
}
