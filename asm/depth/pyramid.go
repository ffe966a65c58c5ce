package depth

// Pyramid builds the levels of a depth pyramid (hierarchical Z) above the pixels, for all rows.
func Pyramid(p *Picture) {
	for l := 1; l < p.N; l++ {
		to := &p.Levels[l]
		step := max(pyramidPixelsPerCall/(16*to.Stride), 1)
		for y := 0; y < to.Height; y += step {
			pyramidRows(p, l, y, min(y+step, to.Height))
		}
	}
}

// A call computes rows of a level from at most pyramidPixelsPerCall words below, and at least one
// row.
const pyramidPixelsPerCall = 1 << 16
