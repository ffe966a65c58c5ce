package main

// sphereFile holds the centre in V8 to V10, the scale in V11, the limit in V12,
// each in all lanes.
func sphereFile() string {
	f := newText(`
// The sphere kernels. A lane is hit where the sum (dx*dx + dy*dy) + dz*dz of the
// nearest distances is at most the limit; a child is inside where that of the
// furthest ones is. Distances are scaled first.
`)
	// add squares the distance in d and adds it to the sum, which begins with x.
	add := func(axis, sum, d int) {
		f.put("FMUL V%[1]d.4S, V%[1]d.4S, V11.4S", d)
		if axis == 0 {
			f.put("FMUL V%d.4S, V%[2]d.4S, V%[2]d.4S", sum, d)
			return
		}
		f.put("FMUL V%[1]d.4S, V%[1]d.4S, V%[1]d.4S", d)
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", sum, d)
	}
	// nearest turns lo in d into the distance from the interval to hi.
	nearest := func(axis, d, hi int) {
		f.put("FMAXNM V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, 8+axis)
		f.put("FMINNM V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", d, hi)
		f.put("FSUB V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", d, 8+axis)
	}
	v := volume{
		name: "Sphere",
		load: func(f *text) {
			f.put("MOVD R2, R13")
			for i := range 5 {
				f.put("VLD1R.P 4(R13), [V%d.S4]", 8+i)
			}
		},
		node: func(f *text) {
			for a := range 3 {
				f.put("FLDPQ %d(R12), (F0, F1)", 64*a)
				f.put("FLDPQ %d(R12), (F2, F3)", 64*a+32)
				for r := range 2 {
					// V4: c - lo, or hi - c where that is more.
					f.put("FSUB V4.4S, V%d.4S, V%d.4S", 8+a, r)
					f.put("FSUB V5.4S, V%d.4S, V%d.4S", 2+r, 8+a)
					f.put("FCMGT V6.4S, V5.4S, V4.4S")
					f.put("VBIT V6.B16, V5.B16, V4.B16")
					nearest(a, r, 2+r)
					add(a, 20+r, r)
					add(a, 22+r, 4)
				}
			}
			for r := range 4 {
				f.put("FCMGE V%[1]d.4S, V12.4S, V%[1]d.4S", 20+r)
			}
		},
		packet: func(f *text) {
			for a := range 3 {
				for r := 0; r < 4; r += 2 {
					f.put("FLDPQ %d(R12), (F%d, F%d)", 128*a+16*r, r, r+1)
					f.put("FLDPQ %d(R12), (F%d, F%d)", 128*a+64+16*r, 4+r, 5+r)
				}
				for r := range 4 {
					nearest(a, r, 4+r)
				}
				for r := range 4 {
					add(a, 20+r, r)
				}
			}
			for r := range 4 {
				f.put("FCMGE V%[1]d.4S, V12.4S, V%[1]d.4S", 20+r)
			}
		},
	}
	v.kernels(f, "Sphere")
	return f.String()
}
