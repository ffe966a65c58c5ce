package depth_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// Each texel is the least of its pixels, at borders too.
func TestPyramid(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range kernel.PictureSizes {
		p := kernel.RandomPicture(rng, size[0], size[1])
		last := p.Levels[p.N-1]
		if last.Width > 16 || last.Height > 4 {
			t.Errorf("%v: the last level has %d x %d", size, last.Width, last.Height)
		}
		for l := 1; l < p.N; l++ {
			level := p.Levels[l]
			if level.Width != (size[0]+1<<(2*l)-1)>>(2*l) || level.Height != (size[1]+1<<(2*l)-1)>>(2*l) {
				t.Fatalf("%v: level %d has %d x %d", size, l, level.Width, level.Height)
			}
			for y := range level.Height {
				for x := range level.Width {
					want := float32(math.Inf(1))
					for py := y << (2 * l); py < min((y+1)<<(2*l), size[1]); py++ {
						for px := x << (2 * l); px < min((x+1)<<(2*l), size[0]); px++ {
							want = min(want, p.Row(py)[px])
						}
					}
					if got := p.Pix[level.Base+y*level.Stride+x]; got != want {
						t.Fatalf("%v: texel %d, %d of level %d is %v, want %v", size, x, y, l, got, want)
					}
				}
			}
		}
	}
}

// The picture is a function of the set of cones: in any order and in any bands. The pixels of a cone are those between
// all lines, and as deep as its least plane.
func TestDrawCones(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range kernel.PictureSizes {
		cones := make([]depth.Cone, testkit.Again(40, 10))
		want := new(depth.Picture)
		want.Resize(size[0], size[1])
		want.Clear(0)
		for i := range cones {
			c := &cones[i]
			c.Y0, c.Y1 = 0, size[1]
			c.Lefts, c.Rights, c.Planes = rng.IntN(5), rng.IntN(5), 1+rng.IntN(5)
			c.Limit = []float32{float32(math.Inf(1)), 0.7}[rng.IntN(2)]
			for k := range 5 {
				c.LM[k], c.LC[k] = float32(rng.NormFloat64()), float32(rng.Float64()*float64(size[0])-3)
				c.RM[k], c.RC[k] = float32(rng.NormFloat64()), float32(rng.Float64()*float64(size[0])*1.5+3)
				c.P0[k], c.PX[k], c.PY[k] = float32(rng.Float64()), float32(rng.NormFloat64()*1e-3), float32(rng.NormFloat64()*1e-3)
			}
			for y := range size[1] {
				row := want.Row(y)
				for x := range row {
					in := true
					for k := range c.Lefts {
						in = in && float32(x) >= float32(c.LM[k]*float32(y))+c.LC[k]
					}
					for k := range c.Rights {
						in = in && float32(x+1) <= float32(c.RM[k]*float32(y))+c.RC[k]
					}
					v := float32(math.Inf(1))
					for k := range c.Planes {
						v = min(v, float32(c.PX[k]*float32(x))+(float32(c.PY[k]*float32(y))+c.P0[k]))
					}
					if in && v <= c.Limit {
						row[x] = max(row[x], v)
					}
				}
			}
		}
		for range 3 {
			got := new(depth.Picture)
			got.Resize(size[0], size[1])
			got.Clear(0)
			rng.Shuffle(len(cones), func(i, j int) { cones[i], cones[j] = cones[j], cones[i] })
			for y := 0; y < size[1]; {
				end := min(y+1+rng.IntN(40), size[1])
				depth.DrawCones(got, cones, y, end)
				y = end
			}
			for y := range size[1] {
				for x, v := range got.Row(y) {
					if math.Float32bits(v) != math.Float32bits(want.Row(y)[x]) {
						t.Fatalf("%v: pixel %d, %d is %v, want %v", size, x, y, v, want.Row(y)[x])
					}
				}
			}
		}
	}
	p := new(depth.Picture)
	p.Resize(4, 4)
	for name, f := range map[string]func(){
		"rows":    func() { depth.DrawCones(p, nil, 0, 5) },
		"plane":   func() { depth.DrawCones(p, make([]depth.Cone, 1), 0, 4) },
		"lines":   func() { depth.DrawCones(p, []depth.Cone{{Planes: 1, Lefts: 33}}, 0, 4) },
		"size":    func() { p.Resize(0, 4) },
		"too big": func() { p.Resize(4, 4097) },
	} {
		if testkit.Panic(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// Each tier makes levels like the reference, of pictures whose rows end at a page without access.
func TestPyramidKernels(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		sizes := kernel.PictureSizes
		for range testkit.Budget(t, testkit.Again(10, 3), 400) {
			sizes = append(sizes, [2]int{1 + rng.IntN(300), 1 + rng.IntN(60)})
		}
		for _, size := range sizes {
			for _, parallel := range []bool{false, true} {
				p := kernel.RandomDepths(rng, size[0], size[1], parallel)
				want := kernel.CopyPicture(t, kernel.Heap, p)
				kernel.OnGo(t, func() { depth.Pyramid(want) })
				for _, at := range []kernel.Place{kernel.Tail, kernel.Head} {
					got := kernel.CopyPicture(t, at, p)
					for _, l := range got.Levels[1:got.N] {
						for i := range l.Stride * l.Height {
							got.Pix[l.Base+i] = float32(math.Inf(-1))
						}
					}
					depth.Pyramid(got)
					for i, l := range got.Levels[:got.N] {
						for y := range l.Height {
							for x := range l.Width {
								g, w := got.Pix[l.Base+y*l.Stride+x], want.Pix[l.Base+y*l.Stride+x]
								if math.Float32bits(g) != math.Float32bits(w) {
									t.Fatalf("%v: texel %d, %d of level %d is %v, want %v", size, x, y, i, g, w)
								}
							}
						}
					}
				}
			}
		}
	})
}

// All words are cleared, in more than one part too.
func TestClear(t *testing.T) {
	for _, size := range kernel.PictureSizes {
		p := new(depth.Picture)
		p.Resize(size[0], size[1])
		for _, open := range []float32{1, 0, float32(math.Inf(-1)), float32(math.Copysign(0, -1))} {
			p.Clear(open)
			for i, v := range p.Pix {
				if math.Float32bits(v) != math.Float32bits(open) {
					t.Fatalf("%v: word %d is %v, want %v", size, i, v, open)
				}
			}
		}
	}
}
