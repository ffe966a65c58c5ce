package asm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// randomLens returns a lens and its parameters: at 512 x 288 pixels or so, about any axes.
func randomLens(rng *rand.Rand, parallel bool) (l asm.Lens, ref, x, y, depth [3]float64) {
	r := testkit.Rotation(rng)
	far := []float64{0, 1, 1000, 1e6}[rng.IntN(4)]
	for a := range 3 {
		ref[a] = far * rng.NormFloat64()
		depth[a] = r[2][a]
		x[a], y[a] = 300*r[0][a], 300*r[1][a]
		if !parallel {
			x[a] += 256 * depth[a]
			y[a] += 144 * depth[a]
		}
	}
	return asm.MakeLens(ref, x, y, depth, parallel), ref, x, y, depth
}

// Corners of boxes, projected in float64, lie in the rectangle and are not nearer than z: of boxes that
// are flat across the view above all, for which no term is generous.
func TestRectangles(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	shown := 0
	for range testkit.Budget(t, 100_000, 3_000_000) {
		parallel := rng.IntN(2) == 0
		l, ref, x, y, depth := randomLens(rng, parallel)
		size := math.Pow(10, -6+7*rng.Float64())
		flat := rng.IntN(4)
		var p soa.Packet
		close := rng.IntN(4) == 0
		if close { // a point so close to the eye that the last digits of distant float32 numbers count
			s := math.Pow(10, -5+3*rng.Float64())
			for a := range 3 {
				p[2*a][5] = float32(ref[a])
				p[2*a+1][5] = p[2*a][5]
				ref[a] = float64(p[2*a][5]) - (depth[a]+0.2*rng.NormFloat64())*s
			}
			l = asm.MakeLens(ref, x, y, depth, parallel)
		}
		for a := 0; a < 3 && !close; a++ {
			c := ref[a] + (depth[a]*2+0.5*rng.NormFloat64())*math.Pow(10, -4+6*rng.Float64())
			h := size * rng.Float64()
			if flat == a || flat == 3 {
				h = 0
			}
			p[2*a][5], p[2*a+1][5] = float32(c-h), float32(c+h)
		}
		x0, x1, y0, y1, z, ok := l.Rect(&p, 5)
		if !ok {
			continue
		}
		shown++
		for i := range 8 {
			var at [3]float64
			px, py, t3 := 0.0, 0.0, 0.0
			for a := range 3 {
				at[a] = float64(p[2*a+i>>a&1][5]) - ref[a]
				px += x[a] * at[a]
				py += y[a] * at[a]
				t3 += depth[a] * at[a]
			}
			near := -t3
			if !parallel {
				px, py, near = px/t3, py/t3, 1/t3
				if t3 <= 0 {
					t.Fatalf("corner %d of a box that has a rectangle is behind the eye: w %v", i, t3)
				}
			}
			const off = 1e-13 // of the oracle
			if px < float64(x0)-off*512 || px > float64(x1)+off*512 || py < float64(y0)-off*512 || py > float64(y1)+off*512 || near > float64(z)+off*math.Abs(near) {
				t.Fatalf("parallel %v, lens %+v: corner %d of %v %v %v is at %v %v %v, outside %v..%v, %v..%v or %v", parallel, l, i, p[0][5], p[2][5], p[4][5], px, py, near, x0, x1, y0, y1, z)
			}
		}
	}
	if shown < 10_000 {
		t.Errorf("%d boxes have rectangles", shown)
	}
}

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

var pictureSizes = [][2]int{{1, 1}, {16, 1}, {1, 17}, {16, 4}, {17, 4}, {16, 5}, {33, 36}, {64, 36}, {500, 281}, {512, 288}, {4096, 3}, {3, 4096}}

// Each texel is the least of its pixels, at borders too.
func TestPyramid(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range pictureSizes {
		p := pictureOf(rng, size[0], size[1])
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

// A hidden rectangle is farther than each pixel that it touches; a rectangle that fits a level without rounding is
// hidden then.
func TestHides(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range pictureSizes {
		p := pictureOf(rng, size[0], size[1])
		hidden := 0
		for range 20_000 {
			number := func(n int) float32 {
				x := rng.Float64()*float64(n+6) - 3
				if rng.IntN(3) == 0 {
					x = math.Round(x)
				}
				return float32(x)
			}
			x0, y0 := number(size[0]), number(size[1])
			x1, y1 := x0+float32(rng.IntN(40))/4, y0+float32(rng.IntN(12))/4
			z := float32(rng.IntN(5))
			want, on, few := true, false, x1-x0 < 14 && y1-y0 < 2
			for y := max(int(y0)-1, 0); y <= int(y1)+1 && y < size[1]; y++ {
				for x := max(int(x0)-1, 0); x <= int(x1)+1 && x < size[0]; x++ {
					// pixels are closed: their borders belong to both
					inX := float32(x) <= x1 && float32(x+1) > x0 || x+1 == size[0] && x0 == float32(size[0])
					inY := float32(y) <= y1 && float32(y+1) > y0 || y+1 == size[1] && y0 == float32(size[1])
					if inX && inY {
						on = true
						want = want && p.Row(y)[x] > z
					}
				}
			}
			got := p.HidesRect(x0, x1, y0, y1, z)
			if got && !want || few && want && !got {
				t.Fatalf("%v: %v..%v, %v..%v at %v hidden: %v, want %v (on the picture: %v)", size, x0, x1, y0, y1, z, got, want, on)
			}
			if got && on {
				hidden++
			}
		}
		if hidden == 0 {
			t.Errorf("%v: nothing is hidden", size)
		}
		nan := float32(math.NaN())
		for _, r := range [][5]float32{{nan, 1, 0, 1, 0}, {0, nan, 0, 1, 0}, {0, 1, nan, 1, 0}, {0, 1, 0, nan, 0}, {0, 0.5, 0, 0.5, nan}} {
			if p.HidesRect(r[0], r[1], r[2], r[3], r[4]) {
				t.Errorf("%v is hidden", r)
			}
		}
	}
}

// The picture is a function of the set of cones: in any order and in any bands. The pixels of a cone are those between
// all lines, and as deep as its least plane.
func TestDrawCones(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range pictureSizes {
		cones := make([]asm.Cone, 40)
		want := new(asm.Picture)
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
			got := new(asm.Picture)
			got.Resize(size[0], size[1])
			got.Clear(0)
			rng.Shuffle(len(cones), func(i, j int) { cones[i], cones[j] = cones[j], cones[i] })
			for y := 0; y < size[1]; {
				end := min(y+1+rng.IntN(40), size[1])
				asm.DrawCones(got, cones, y, end)
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
	p := new(asm.Picture)
	p.Resize(4, 4)
	for name, f := range map[string]func(){
		"rows":    func() { asm.DrawCones(p, nil, 0, 5) },
		"plane":   func() { asm.DrawCones(p, make([]asm.Cone, 1), 0, 4) },
		"lines":   func() { asm.DrawCones(p, []asm.Cone{{Planes: 1, Lefts: 33}}, 0, 4) },
		"size":    func() { p.Resize(0, 4) },
		"too big": func() { p.Resize(4, 4097) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Each tier makes levels like the reference, of pictures whose rows end at a page without access.
func TestPyramidKernels(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		sizes := pictureSizes
		for range testkit.Budget(t, 10, 400) {
			sizes = append(sizes, [2]int{1 + rng.IntN(300), 1 + rng.IntN(60)})
		}
		for _, size := range sizes {
			for _, parallel := range []bool{false, true} {
				p := pixels(rng, size[0], size[1], parallel)
				want := copyPicture(t, heap, p)
				onGo(t, func() { asm.Pyramid(want) })
				for _, at := range []place{tail, head} {
					got := copyPicture(t, at, p)
					for _, l := range got.Levels[1:got.N] {
						for i := range l.Stride * l.Height {
							got.Pix[l.Base+i] = float32(math.Inf(-1))
						}
					}
					asm.Pyramid(got)
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
	for _, size := range pictureSizes {
		p := new(asm.Picture)
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
