package occlude_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// rectOf is the rectangle of a box, as defined by the documentation of [cull.Lens].
func rectOf(l *cull.Lens, b *soa.AABB) (x0, x1, y0, y1, z float32, ok bool) {
	abs := func(x float32) float32 { return max(x, -x) }
	dot := func(r, v *[3]float32) float32 {
		return (float32(r[0]*v[0]) + float32(r[1]*v[1])) + float32(r[2]*v[2])
	}
	sizes := func(r, h *[3]float32) float32 {
		return (float32(abs(r[0])*h[0]) + float32(abs(r[1])*h[1])) + float32(abs(r[2])*h[2])
	}
	var c, h [3]float32
	s := float32(0)
	for a := range 3 {
		lo, up := (b.Min[a]-l.Hi[a])-l.Lo[a], (b.Max[a]-l.Hi[a])-l.Lo[a]
		c[a], h[a] = float32((lo+up)*0.5), float32((up-lo)*0.5)
		s += abs(c[a]) + h[a]
	}
	ew := float32(l.EW * s)
	w := dot(&l.W, &c) + l.W1
	w0 := (w - sizes(&l.W, &h)) - ew
	if !(w0 > l.Least) {
		return
	}
	side := func(r *[3]float32, e float32) (from, to float32) {
		x := dot(r, &c) / w
		n := [3]float32{r[0] - float32(x*l.W[0]), r[1] - float32(x*l.W[1]), r[2] - float32(x*l.W[2])}
		reach := ((sizes(&n, &h) + float32(e*s)) + float32(abs(x)*ew)) / w0
		return x - reach, x + reach
	}
	x0, x1 = side(&l.X, l.EX)
	y0, y1 = side(&l.Y, l.EY)
	if z = 1 / w0; l.W1 != 0 {
		z = (sizes(&l.T, &h) + float32(l.ET*s)) - dot(&l.T, &c)
	}
	return x0, x1, y0, y1, z, true
}

// exactPixels returns the exact position of a point of the scene on the picture: columns and rows times
// den, and the depth times det.
func exactPixels(r *occlude.Rays, p [3]*big.Float) (x, y, depth, den, det *big.Float) {
	var d, dx, dy, d0 [3]*big.Float
	for a := range 3 {
		d[a] = plus(p[a], exactly(-r.Ref[a]))
		dx[a], dy[a], d0[a] = exactly(r.DX[a]), exactly(r.DY[a]), exactly(r.D0[a])
	}
	det = triple(dx, dy, d0)
	x, y, depth = triple(d, dy, d0), triple(dx, d, d0), triple(dx, dy, d)
	if det.Sign() < 0 {
		for _, n := range []*big.Float{det, x, y, depth} {
			n.Neg(n)
		}
	}
	if den = depth; r.Parallel {
		den = det
	}
	return x, y, depth, den, det
}

func triple(a, b, c [3]*big.Float) *big.Float {
	sum := exactly(0)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		minor := plus(times(b[j], c[k]), new(big.Float).Neg(times(b[k], c[j])))
		sum = plus(sum, times(a[i], minor))
	}
	return sum
}

// Corners of the exact image of a box in a part are in its rectangle, and none is nearer than its depth:
// under transforms of all kinds, far away or squeezed to the limit, for boxes as near to the viewpoint as
// possible.
func TestSceneLens(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	checked, refused := 0, 0
	for checked < testkit.Budget(t, 1_500, 2_000_000) {
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36, OccluderMask: walls})
		var from, to [3]float64
		spread := math.Pow(10, rng.Float64()*7-1)
		for a := range 3 {
			from[a], to[a] = rng.NormFloat64()*spread, rng.NormFloat64()*spread
		}
		view := randomView(rng, kinds[rng.IntN(len(kinds))], from, to, 1e-3, 10*spread)
		if view.look(culler) != nil {
			continue
		}
		rays := culler.Rays()
		for range 4 {
			outer := newScene(t)
			depth := 1 + rng.IntN(2)
			if rng.IntN(8) == 0 {
				depth = linear.MaxDepth
			}
			transforms := make([]linear.Transform, depth)
			ref, rows := rays.Ref, [][3]float64{crossOf(rays.DY, rays.D0), crossOf(rays.D0, rays.DX), crossOf(rays.DX, rays.DY)}
			across := rng.IntN(3)
			squeeze := rng.IntN(4) == 0 // at each level
			for i := range transforms {
				transforms[i] = hardPose(rng, spread, ref, rows[across], squeeze)
				ref, _ = transforms[i].Local(ref)
				for k, r := range rows {
					m := transforms[i].Rows()
					for a := range 3 {
						rows[k][a] = r[0]*m[a] + r[1]*m[4+a] + r[2]*m[8+a]
					}
				}
			}
			// An object is near the viewpoint.
			object := soa.Object{Mask: 1}
			for a := range 3 {
				object.Box.Min[a] = float32(ref[a] + rng.NormFloat64()*math.Pow(10, -rng.Float64()*15))
				object.Box.Max[a] = object.Box.Min[a]
			}
			if object.Box.Check() != nil {
				continue
			}
			tree := plant(t, []soa.Object{object}, linear.Config{})
			var p linear.Part = tree
			path := make([]uint32, depth)
			bad := false
			for i := depth - 1; i >= 0; i-- {
				s := outer
				if i > 0 {
					s, _ = linear.NewScene(linear.Config{})
				}
				id, err := s.AddInstance(p, transforms[i], linear.InstanceOptions{})
				bad = bad || err != nil
				path[i], p = id, s
			}
			if bad {
				continue
			}
			lens, ok := culler.LensAt(outer.View(), scene.PathOf(path...))
			if !ok {
				refused++
				continue
			}
			for range 8 {
				checkRect(t, &rays, &lens, transforms, boxBefore(rng, &lens), &checked)
			}
			checkRect(t, &rays, &lens, transforms, object.Box, &checked)
			box := object.Box
			if rng.IntN(2) == 0 {
				box = testkit.CubeAt([3]float32{rng.Float32(), rng.Float32(), rng.Float32()}, rng.Float32())
			}
			points, off, mirrored := culler.CornersAt(outer.View(), scene.PathOf(path...), box)
			sign := 1
			for i := range transforms {
				m := transforms[i].Rows()
				var r [3][3]*big.Float
				for k := range 9 {
					r[k/3][k%3] = exactly(m[k/3*4+k%3])
				}
				sign *= triple(r[0], r[1], r[2]).Sign()
			}
			if mirrored != (sign < 0) {
				t.Errorf("poses %v are mirrored: %v", transforms, mirrored)
			}
			for k, q := range points {
				p := exactImage(transforms, box, k)
				for a := range 3 {
					is := plus(plus(p[a], exactly(-rays.Ref[a])), exactly(-q[a]))
					if d, _ := is.Float64(); !(math.Abs(d) <= off) {
						t.Errorf("corner %d of %v is drawn at %v from the eye on, axis %d wrong by %g, at most %g was meant to be\nposes %v", k, box, q, a, d, off, transforms)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d boxes, %d lenses were refused", checked, refused)
	if refused*20 > checked {
		t.Errorf("%d lenses are refused, %d boxes looked at", refused, checked)
	}
}

// hardPose draws a difficult transform for a space with the given viewpoint and row of the lens.
func hardPose(rng *rand.Rand, spread float64, ref, row [3]float64, squeeze bool) linear.Transform {
	for {
		turn := func() [12]float64 {
			p, _ := linear.Similarity([3]float64{}, [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 1)
			return p.Rows()
		}
		rows := turn()
		kind := rng.IntN(5)
		if squeeze {
			kind = 5
		}
		switch kind {
		case 0:
			e := math.Ldexp(1, rng.IntN(41)-20)
			for i := range rows {
				rows[i] *= e
			}
		case 1: // as flat as there may be
			inner := turn()
			for i := range 3 {
				rows[4*i+2] *= math.Ldexp(1, -rng.IntN(20))
			}
			rows = rowsAfter(rows, inner)
		case 2:
			for i := range 3 {
				rows[4*i+rng.IntN(3)] += rng.NormFloat64()
			}
		case 3:
			rows = [12]float64{0: 1, 5: -1, 10: 1}
		case 5: // flat across a row, with little remaining thickness
			n := math.Hypot(row[0], math.Hypot(row[1], row[2]))
			for i := range 3 {
				for j := range 3 {
					if rows[4*i+j] = -row[i] / n * row[j] / n * (1 - 0x1p-19); i == j {
						rows[4*i+j]++
					}
				}
			}
		}
		away := rng.IntN(3)
		for i := range 3 {
			if rows[4*i+3] = rng.NormFloat64() * spread; away == 0 {
				rows[4*i+3] *= 1e-9
			} else if away == 1 { // the viewpoint is at the part
				rows[4*i+3] = ref[i] + rng.NormFloat64()*math.Pow(10, -rng.Float64()*12)
			}
		}
		if p, err := linear.NewTransform(rows); err == nil {
			return p
		}
	}
}

// boxBefore draws a box at some distance along the axis of a lens, so that it has a rectangle.
func boxBefore(rng *rand.Rand, l *cull.Lens) (b soa.AABB) {
	away := math.Pow(10, rng.Float64()*18-13)
	size := away * math.Pow(10, -rng.Float64()*6)
	if rng.IntN(6) == 0 {
		size = 0
	}
	depth := l.W
	if l.W1 != 0 {
		depth = l.T
	}
	norm := 0.0
	for a := range 3 {
		norm += float64(depth[a]) * float64(depth[a])
	}
	for a := range 3 {
		at := float64(l.Hi[a]) + float64(l.Lo[a]) + (float64(depth[a])/math.Sqrt(norm)+0.4*rng.NormFloat64())*away
		b.Min[a] = float32(at - size*rng.Float64())
		b.Max[a] = max(b.Min[a], float32(at+size*rng.Float64()))
	}
	if l.W1 != 0 { // a search for nearer boxes, with the lens rejected
		for a := range 3 {
			b.Max[a] = max(b.Max[a], b.Min[a]+float32(math.Abs(float64(l.Hi[a]))*1e-3+1e-2))
		}
	}
	return b
}

// checkRect checks the rectangle of a box, if it has one.
func checkRect(t *testing.T, rays *occlude.Rays, l *cull.Lens, transforms []linear.Transform, b soa.AABB, checked *int) {
	t.Helper()
	if b.Check() != nil {
		return
	}
	x0, x1, y0, y1, z, ok := rectOf(l, &b)
	if !ok || x1 < -1e6 || x0 > 1e6 || y1 < -1e6 || y0 > 1e6 {
		return
	}
	*checked++
	for k := range 8 {
		p := exactImage(transforms, b, k)
		x, y, depth, den, det := exactPixels(rays, p)
		within := func(n *big.Float, lo, hi float32) bool {
			return n.Cmp(times(exactly(float64(lo)), den)) >= 0 && n.Cmp(times(exactly(float64(hi)), den)) <= 0
		}
		near := times(exactly(float64(z)), depth).Cmp(det) >= 0 // 1/w <= z
		if rays.Parallel {
			near = new(big.Float).Neg(depth).Cmp(times(exactly(float64(z)), det)) <= 0
		}
		if den.Sign() <= 0 || math.IsInf(float64(x1-x0), 0) || !within(x, x0, x1) || !within(y, y0, y1) || !near {
			fx, _ := new(big.Float).SetPrec(80).Quo(x, den).Float64()
			fy, _ := new(big.Float).SetPrec(80).Quo(y, den).Float64()
			fw, _ := new(big.Float).SetPrec(80).Quo(depth, det).Float64()
			t.Errorf("corner %d of %v is at %v %v, depth %v, not in columns %v to %v, rows %v to %v, 1/depth %v\nlens %+v\nposes %v", k, b, fx, fy, fw, x0, x1, y0, y1, z, *l, transforms)
			return
		}
	}
}

// exactImage returns the image of a corner of a box.
func exactImage(transforms []linear.Transform, b soa.AABB, corner int) (p [3]*big.Float) {
	for a := range 3 {
		p[a] = exactly(float64([2]float32{b.Min[a], b.Max[a]}[corner>>a&1]))
	}
	for i := len(transforms) - 1; i >= 0; i-- {
		m, q := transforms[i].Rows(), p
		for a := range 3 {
			p[a] = plus(plus(times(exactly(m[4*a]), q[0]), times(exactly(m[4*a+1]), q[1])), plus(times(exactly(m[4*a+2]), q[2]), exactly(m[4*a+3])))
		}
	}
	return p
}

// Rectangles of boxes in parts, under any transform from any numbers.
func FuzzSceneLens(f *testing.F) {
	f.Add(uint64(1), 1.0, 0.0, 0.0, 0.5, 1.0, -1.0, float32(1), float32(2))
	f.Add(uint64(7), 0x1p-19, 1e6, -1e6, 0.5, 1e9, 1e-9, float32(1e-9), float32(1e9))
	f.Fuzz(func(t *testing.T, seed uint64, m00, m01, m12, m22, x, y float64, lo, hi float32) {
		rng := rand.New(rand.NewPCG(seed, 1))
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36, OccluderMask: walls})
		view := randomView(rng, kinds[seed%uint64(len(kinds))], [3]float64{x, y, 1}, [3]float64{0, 0, 0}, 0.1, 100)
		p, err := linear.NewTransform([12]float64{m00, m01, 0, x, 1, -m01, m12, y, 0, 1, m22, -x})
		if err != nil || view.look(culler) != nil {
			return
		}
		s := newScene(t)
		b := soa.AABB{Min: [3]float32{lo, lo, lo}, Max: [3]float32{hi, hi, hi}}
		if b.Check() != nil {
			return
		}
		id, err := s.AddInstance(plant(t, []soa.Object{{Mask: 1, Box: b}}, linear.Config{}), p, linear.InstanceOptions{})
		if err != nil {
			return
		}
		rays, checked := culler.Rays(), 0
		if lens, ok := culler.LensAt(s.View(), scene.PathOf(id)); ok {
			checkRect(t, &rays, &lens, []linear.Transform{p}, b, &checked)
			for range 8 {
				checkRect(t, &rays, &lens, []linear.Transform{p}, boxBefore(rng, &lens), &checked)
			}
		}
		culler.CountScene(s.View(), query.Filter{})
	})
}
