package main

// boxFile holds the box in V8 to V13: minx maxx miny maxy minz maxz, each in
// all lanes.
func boxFile() string {
	f := newText(`
// The box kernels. An axis passes where min <= box.max and max >= box.min; a
// child is inside where min >= box.min and max <= box.max.
`)
	v := volume{
		name: "Box",
		load: func(f *text) {
			f.put("MOVD R2, R13")
			for i := range 6 {
				f.put("VLD1R.P 4(R13), [V%d.S4]", 8+i)
			}
		},
		node: func(f *text) {
			for a := range 3 {
				lo, hi := 8+2*a, 9+2*a
				f.put("FLDPQ %d(R12), (F0, F1)", 64*a)
				f.put("FLDPQ %d(R12), (F2, F3)", 64*a+32)
				for r := range 2 {
					f.put("FCMGE V%d.4S, V%d.4S, V%d.4S", 4+r, hi, r)
					f.put("FCMGE V%d.4S, V%d.4S, V%d.4S", 6+r, 2+r, lo)
					f.put("FCMGE V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, lo)
					f.put("FCMGE V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", 2+r, hi)
				}
				for r := range 2 {
					and(f, a == 0, 20+r, 4+r)
					f.put("VAND V%[2]d.B16, V%[1]d.B16, V%[1]d.B16", 20+r, 6+r)
					and(f, a == 0, 22+r, r)
					f.put("VAND V%[2]d.B16, V%[1]d.B16, V%[1]d.B16", 22+r, 2+r)
				}
			}
		},
		packet: func(f *text) {
			for a := range 3 {
				lo, hi := 8+2*a, 9+2*a
				for r := 0; r < 4; r += 2 {
					f.put("FLDPQ %d(R12), (F%d, F%d)", 128*a+16*r, r, r+1)
					f.put("FLDPQ %d(R12), (F%d, F%d)", 128*a+64+16*r, 4+r, 5+r)
				}
				for r := range 4 {
					f.put("FCMGE V%[1]d.4S, V%[2]d.4S, V%[1]d.4S", r, hi)
					f.put("FCMGE V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 4+r, lo)
				}
				for r := range 4 {
					and(f, a == 0, 20+r, r)
					f.put("VAND V%[2]d.B16, V%[1]d.B16, V%[1]d.B16", 20+r, 4+r)
				}
				if a < 2 {
					missIfNone(f)
				}
			}
		},
	}
	v.kernels(f, "Box")
	return f.String()
}
