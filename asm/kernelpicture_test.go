package asm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm"
)

// copyPicture returns the same picture with its pixels in a kind of memory; the pixels behind the width are below all
// others.
func copyPicture(t testing.TB, at place, p *asm.Picture) *asm.Picture {
	to := *p
	to.Pix = put(t, at, p.Pix)
	for _, l := range to.Levels[:to.N] {
		for y := range l.Height {
			for x := l.Width; x < l.Stride; x++ {
				to.Pix[l.Base+y*l.Stride+x] = float32(math.Inf(-1))
			}
		}
	}
	return &to
}

// pixels returns a picture of areas of depths, with holes.
func pixels(rng *rand.Rand, width, height int, parallel bool) *asm.Picture {
	p := new(asm.Picture)
	p.Resize(width, height)
	p.Clear(0)
	random := func() float32 {
		d := float32(math.Pow(10, 2-4*rng.Float64()))
		if parallel {
			return -1 / d
		}
		return d
	}
	if parallel {
		p.Clear(float32(math.Inf(-1)))
	}
	back := random()
	for y := range height {
		row := p.Row(y)
		for x := range row {
			row[x] = back
		}
	}
	for range 20 {
		d, x0, y0 := random(), rng.IntN(width), rng.IntN(height)
		x1, y1 := x0+1+rng.IntN(width-x0), y0+1+rng.IntN(height-y0)
		for y := y0; y < y1; y++ {
			row := p.Row(y)[x0:x1]
			for x := range row {
				row[x] = max(row[x], d)
			}
		}
	}
	for range rng.IntN(6) {
		p.Row(rng.IntN(height))[rng.IntN(width)] = []float32{0, float32(math.Inf(-1))}[rng.IntN(2)]
	}
	asm.Pyramid(p)
	return p
}

var pictureSizes = [][2]int{{1, 1}, {16, 1}, {1, 17}, {16, 4}, {17, 4}, {16, 5}, {33, 36}, {64, 36}, {500, 281}, {512, 288}, {4096, 3}, {3, 4096}}

// pictureOf returns a picture of random pixels.
func pictureOf(rng *rand.Rand, width, height int) *asm.Picture {
	p := new(asm.Picture)
	p.Resize(width, height)
	p.Clear(-1)
	for y := range height {
		row := p.Row(y)
		for x := range row {
			row[x] = 1 + float32(rng.IntN(4))
			if rng.IntN(200) == 0 {
				row[x] = 0
			}
		}
	}
	asm.Pyramid(p)
	return p
}
