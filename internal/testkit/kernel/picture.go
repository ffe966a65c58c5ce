package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
)

// CopyPicture returns the same picture with its pixels in a kind of memory; the pixels behind the width are below all
// others.
func CopyPicture(t testing.TB, at Place, p *depth.Picture) *depth.Picture {
	to := *p
	to.Pix = Put(t, at, p.Pix)
	for _, l := range to.Levels[:to.N] {
		for y := range l.Height {
			for x := l.Width; x < l.Stride; x++ {
				to.Pix[l.Base+y*l.Stride+x] = float32(math.Inf(-1))
			}
		}
	}
	return &to
}

// RandomDepths returns a picture of areas of depths, with holes.
func RandomDepths(rng *rand.Rand, width, height int, parallel bool) *depth.Picture {
	p := new(depth.Picture)
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
	depth.Pyramid(p)
	return p
}

// PictureSizes are widths and heights with different numbers of levels.
var PictureSizes = [][2]int{{1, 1}, {16, 1}, {1, 17}, {16, 4}, {17, 4}, {16, 5}, {33, 36}, {64, 36}, {500, 281}, {512, 288}, {4096, 3}, {3, 4096}}

// RandomPicture returns a picture of random pixels.
func RandomPicture(rng *rand.Rand, width, height int) *depth.Picture {
	p := new(depth.Picture)
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
	depth.Pyramid(p)
	return p
}
