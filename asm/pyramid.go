package asm

// Pyramid makes the levels above the pixels, of all rows.
func Pyramid(p *Picture) {
	for l := 1; l < p.N; l++ {
		pyramidGo(p, l)
	}
}
