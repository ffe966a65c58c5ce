package depth_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/micro"
)

// rectangle returns a cone that covers columns x0 to x1 of rows y0 to y1, which that many planes bound.
func rectangle(x0, x1, y0, y1, planes int) (c depth.Cone) {
	c.Y0, c.Y1, c.Lefts, c.Rights, c.Planes, c.Limit = y0, y1, 2, 2, planes, float32(math.Inf(1))
	for k := range 2 {
		c.LC[k], c.RC[k] = float32(x0-k), float32(x1+k)
	}
	for k := range planes {
		c.P0[k], c.PX[k], c.PY[k] = float32(1+k), 1e-4*float32(k+1), -1e-4*float32(k+1)
	}
	return c
}

// BenchmarkDrawCones draws one cone: a square of so many pixels on a side, or a whole picture.
func BenchmarkDrawCones(b *testing.B) {
	p := new(depth.Picture)
	p.Resize(512, 288)
	p.Clear(0)
	for _, size := range [][2]int{{10, 10}, {40, 40}, {100, 100}, {512, 288}} {
		for _, planes := range []int{1, 2, 3, 6} {
			cones := []depth.Cone{rectangle(5, min(5+size[0], 512), 3, min(3+size[1], 288), planes)}
			k := micro.Kernel{Items: size[0] * size[1], Item: "pixel", Run: func() { depth.DrawCones(p, cones, 0, 288) }}
			micro.Tiers(b, fmt.Sprintf("size=%dx%d/planes=%d", size[0], size[1], planes), k)
		}
	}
}

// BenchmarkPyramid makes all levels.
func BenchmarkPyramid(b *testing.B) {
	for _, size := range [][2]int{{256, 144}, {512, 288}} {
		p := new(depth.Picture)
		p.Resize(size[0], size[1])
		p.Clear(1)
		k := micro.Kernel{Items: size[0] * size[1], Item: "pixel", Run: func() { depth.Pyramid(p) }}
		micro.Tiers(b, fmt.Sprintf("size=%dx%d", size[0], size[1]), k)
	}
}

// BenchmarkClear sets all levels.
func BenchmarkClear(b *testing.B) {
	for _, size := range [][2]int{{256, 144}, {512, 288}} {
		for _, open := range []float32{0, float32(math.Inf(-1))} {
			p := new(depth.Picture)
			p.Resize(size[0], size[1])
			b.Run(fmt.Sprintf("size=%dx%d/open=%v", size[0], size[1], open), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: size[0] * size[1], Item: "pixel", Bytes: 4 * len(p.Pix), Run: func() { p.Clear(open) }})
			})
		}
	}
}
