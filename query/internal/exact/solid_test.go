package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

func solidOf(b soa.OrientedBox) (s exact.Solid) {
	s.SetOriented(&b)
	return s
}

// gridBox returns an oriented box of small whole numbers, whose faces and edges touch those
// of others exactly.
func gridBox(r *rand.Rand) (b soa.OrientedBox) {
	frames := [][3][3]float32{
		{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		{{1, 1, 0}, {-1, 1, 0}, {0, 0, 1}},
		{{1, 2, 2}, {2, 1, -2}, {2, -2, 1}},
		{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}},
		{{1, 1, 1}, {1, -1, 0}, {1, 1, -2}},
	}
	b.Axes = frames[r.IntN(len(frames))]
	for i := range 3 {
		b.Center[i] = float32(r.IntN(9) - 4)
		n := float32(r.IntN(3)) / float32(1+r.IntN(2))
		for k := range 3 {
			b.Axes[i][k] *= n
		}
	}
	return b
}

// turnedBox returns an oriented box of about that size in a cube ten times as large.
func turnedBox(r *rand.Rand, size float64) (b soa.OrientedBox) {
	turn := testkit.Rotation(r)
	for i := range 3 {
		b.Center[i] = float32(5 * size * (2*r.Float64() - 1))
		length := size * r.Float64()
		switch r.IntN(8) {
		case 0:
			length = 0
		case 1:
			length = math.Ldexp(length, -r.IntN(30))
		case 2:
			length *= 5
		}
		for k := range 3 {
			b.Axes[i][k] = float32(length * turn[i][k])
		}
	}
	return b
}

// beside returns a box with the same axes that has a corner, an edge or a face in common with another one, exactly.
// For one in four the centre is so near to 0 that their gap, if any, is below the resolution. The axes of both lose
// digits, so that float32 has their sums.
func beside(r *rand.Rand, a *soa.OrientedBox) (b soa.OrientedBox) {
	top := float32(0)
	for i := range 3 {
		for k := range 3 {
			top = max(top, a.Axes[i][k], -a.Axes[i][k])
		}
	}
	_, e := math.Frexp(float64(top))
	step := math.Ldexp(1, e-21)
	side := [3]float64{float64(r.IntN(3) - 1), float64(r.IntN(3) - 1), float64(r.IntN(3) - 1)}
	side[r.IntN(3)] = 1
	a.Center = [3]float32{}
	for k := range 3 {
		for i := range 3 {
			a.Axes[i][k] = float32(math.RoundToEven(float64(a.Axes[i][k])/step) * step)
			b.Center[k] += float32(2 * side[i] * float64(a.Axes[i][k]))
		}
		if r.IntN(4) == 0 {
			a.Center[k] = float32(math.Ldexp(step, -30-r.IntN(20)))
		}
	}
	b.Axes = a.Axes
	return b
}

// touch moves a box so that it about touches another one, or misses it, or intersects it, by the least step or some
// more.
func touch(r *rand.Rand, a soa.OrientedBox, b *soa.OrientedBox) {
	for left := 8; left >= 0; left-- { // where no face or edge decides, it takes some steps
		x, y := testkit.TurnedOf(a), testkit.TurnedOf(*b)
		gap, axis := x.Gap(&y)
		sign := 1.
		if t := y.Center; axis[0]*(t[0]-x.Center[0])+axis[1]*(t[1]-x.Center[1])+axis[2]*(t[2]-x.Center[2]) < 0 {
			sign = -1
		}
		if left == 0 {
			gap = x.Reach(axis) * math.Ldexp(float64(r.IntN(3)-1), -r.IntN(25))
		}
		for k := range 3 {
			b.Center[k] = float32(float64(b.Center[k]) - sign*gap*axis[k])
		}
	}
}

// Solids that share a point in exact arithmetic intersect, at any size and in every kind of contact. Solids that
// share none are found to intersect only if no exact axis separates them by more than the bound. The result is the
// same in both orders.
func TestSolidsMeet(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	met, touched, apart := 0, 0, 0
	for i := range testkit.Budget(t, 120, 3000) {
		var a, b soa.OrientedBox
		switch i % 4 {
		case 0:
			a, b = gridBox(r), gridBox(r)
		case 3:
			a = turnedBox(r, math.Ldexp(1, r.IntN(100)-50))
			b = beside(r, &a)
		case 1:
			size := math.Ldexp(1, r.IntN(220)-130)
			a, b = turnedBox(r, size), turnedBox(r, size)
			if r.IntN(2) == 0 {
				touch(r, a, &b)
			}
		default: // one much larger than the other, or much further away from 0
			a, b = turnedBox(r, 1), turnedBox(r, math.Ldexp(1, -r.IntN(30)))
			if r.IntN(2) == 0 {
				for k := range 3 {
					a.Center[k] += 1 << 20
					b.Center[k] += 1 << 20
				}
			}
			touch(r, a, &b)
		}
		if a.Check() != nil || b.Check() != nil {
			continue
		}
		x, y := testkit.TurnedOf(a), testkit.TurnedOf(b)
		want := testkit.SlabsMeet(append(x.Slabs(), y.Slabs()...))
		s, u := solidOf(a), solidOf(b)
		got := s.Overlaps(&u)
		if got != u.Overlaps(&s) {
			t.Fatalf("%v and %v: another answer the other way", a, b)
		}
		switch {
		case want && !got:
			t.Fatalf("%v and %v share a point and were found apart", a, b)
		case got && !want:
			touched++
			if l, ok := separated(&s, &u); ok {
				t.Fatalf("%v and %v are apart on the axis %v by more than the bound", a, b, l)
			}
		case got:
			met++
		default:
			apart++
		}
	}
	t.Logf("%d met, %d were apart, %d by less than the bound", met, apart, touched)
	if met < 20 || apart < 20 || touched == 0 {
		t.Errorf("%d met, %d were apart, %d by less than the bound", met, apart, touched)
	}
}

// separated returns an exact axis on which two solids are apart by more than 2^-48 of the
// sizes of the summands.
func separated(a, b *exact.Solid) (axis [3]float64, ok bool) {
	rat := func(v [3]float64) (r [3]*rational.Rat) {
		for k, x := range v {
			r[k] = new(rational.Rat).SetFloat64(x)
		}
		return r
	}
	var axes [][3]*rational.Rat
	cross := func(a, b [3]float64) {
		x, y := rat(a), rat(b)
		var c [3]*rational.Rat
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			c[k] = new(rational.Rat).Sub(new(rational.Rat).Mul(x[i], y[j]), new(rational.Rat).Mul(x[j], y[i]))
		}
		axes = append(axes, c)
	}
	for i := range 3 {
		cross(a.Dirs[(i+1)%3], a.Dirs[(i+2)%3])
		cross(b.Dirs[(i+1)%3], b.Dirs[(i+2)%3])
		for j := range 3 {
			cross(a.Dirs[i], b.Dirs[j])
		}
	}
	for _, l := range axes {
		gap, size := new(rational.Rat), new(rational.Rat)
		for k := range 3 {
			way := new(rational.Rat).Sub(rat(b.Center)[k], rat(a.Center)[k])
			gap.Add(gap, way.Mul(way, l[k]))
			m := new(rational.Rat).SetFloat64(a.Size[k] + b.Size[k])
			size.Add(size, m.Mul(m, new(rational.Rat).Abs(l[k])))
		}
		gap.Abs(gap)
		for _, s := range []*exact.Solid{a, b} {
			for i, d := range s.Dirs {
				along := new(rational.Rat)
				for k, x := range rat(d) {
					along.Add(along, x.Mul(x, l[k]))
				}
				gap.Sub(gap, along.Abs(along.Mul(along, new(rational.Rat).SetFloat64(s.Half[i]))))
			}
		}
		bound := size.Mul(size, new(rational.Rat).SetFloat64(0x1p-48))
		if gap.Cmp(bound.Add(bound, new(rational.Rat).SetFloat64(0x1p-990))) > 0 {
			for k := range 3 {
				axis[k], _ = l[k].Float64()
			}
			return axis, true
		}
	}
	return axis, false
}

// A box in a lane intersects the slabs as it intersects the solid, and points of the slabs are in the solid in exact
// arithmetic.
func TestSlabs(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	met, apart, held := 0, 0, 0
	for i := range testkit.Budget(t, 120, 3000) {
		var b soa.OrientedBox
		var box soa.AABB
		if i%3 == 0 {
			b = gridBox(r)
			box = testkit.RandomBoxes(r, 1, testkit.BoxesGrid)[0]
		} else {
			b = turnedBox(r, math.Ldexp(1, r.IntN(200)-120))
			other := turnedBox(r, float64(b.Box().Max[0])-float64(b.Box().Min[0]))
			other.Axes = [3][3]float32{{other.Axes[0][0]}, {0, other.Axes[1][1]}, {0, 0, other.Axes[2][2]}}
			if i%2 == 0 {
				other.Center = b.Center
				for k := range 3 {
					other.Axes[k][k] /= 8
				}
			}
			if r.IntN(3) > 0 {
				touch(r, b, &other)
			}
			box = other.Box()
		}
		if b.Check() != nil || b.Box().Check() != nil || box.Check() != nil {
			continue
		}
		outer, s := b.Box(), solidOf(b)
		var slabs exact.Slabs
		slabs.Set(&s, &outer)
		x := testkit.TurnedOf(b)
		want := testkit.SlabsMeet(append(x.Slabs(), testkit.BoxSlabs(box)...))
		lane := r.IntN(soa.Lanes)
		var p soa.Packet
		for a := range 3 {
			for l := range soa.Lanes { // no other lane is read
				p[2*a][l], p[2*a+1][l] = float32(math.NaN()), float32(math.NaN())
			}
			p[2*a][lane], p[2*a+1][lane] = box.Min[a], box.Max[a]
		}
		got := slabs.Overlaps(&p, lane)
		if want && !got {
			t.Fatalf("%v and the box %v share a point and were found apart", b, box)
		}
		var u exact.Solid
		u.SetBox(&box)
		if meets := s.Overlaps(&u); want && !meets {
			t.Fatalf("%v and the solid of %v share a point and were found apart", b, box)
		}
		if got && !want {
			clipped := box
			for k := range 3 {
				clipped.Min[k], clipped.Max[k] = max(box.Min[k], outer.Min[k]), min(box.Max[k], outer.Max[k])
			}
			if clipped.Check() == nil {
				u.SetBox(&clipped)
				if l, ok := separated(&s, &u); ok {
					t.Fatalf("%v and %v are apart on the axis %v by more than the bound", b, clipped, l)
				}
			}
		}
		if got {
			met++
		} else {
			apart++
		}
		if !slabs.Holds(&box) {
			continue
		}
		held++
		for corner := range 8 {
			var point soa.AABB
			for k := range 3 {
				point.Min[k] = box.Min[k]
				if corner>>k&1 != 0 {
					point.Min[k] = box.Max[k]
				}
			}
			point.Max = point.Min
			if !testkit.SlabsMeet(append(x.Slabs(), testkit.BoxSlabs(point)...)) {
				t.Fatalf("%v holds %v, whose corner %v is outside", b, box, point.Min)
			}
		}
	}
	if met < 20 || apart < 20 || held == 0 {
		t.Errorf("%d met, %d were apart, %d were held", met, apart, held)
	}
}

// The planes of slabs hold the solid.
func TestSlabPlanes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 200 {
		b := turnedBox(r, 3)
		outer, s := b.Box(), solidOf(b)
		var slabs exact.Slabs
		slabs.Set(&s, &outer)
		for i := range 3 {
			for _, sign := range []float64{1, -1} {
				p := slabs.Plane(i, sign)
				n := [3]float64{p[0], p[1], p[2]}
				if least := exact.Dot(n, s.Center) + p[3] - s.Radius(n); !(least >= 0 && least < 1e-13*exact.Dot(s.Size, s.Size)+1e-13) {
					t.Errorf("%v: plane %d of side %v is %v away", b, i, sign, least)
				}
			}
		}
	}
}

// No point of an oriented box is nearer than the distance to its frame, which equals that to the box up to 2^-16 of
// its axes; the axes of the frame are valid.
func TestFrame(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for i := range 20_000 {
		b := turnedBox(r, math.Ldexp(1, r.IntN(200)-120))
		if i%2 == 0 { // as far off right angles as is allowed
			x, y := r.IntN(3), r.IntN(3)
			for k := range 3 {
				b.Axes[x][k] += float32(float64(b.Axes[y][k]) * 0x1p-19 * r.Float64())
			}
		}
		if b.Check() != nil {
			continue
		}
		var f exact.Frame
		f.Set(&b)
		longest := 0.0
		for i, u := range f.Axes {
			for j, v := range f.Axes {
				want := 0.0
				if i == j {
					want = 1
				}
				if d := exact.Dot(u, v); math.Abs(d-want) > 0x1p-49 {
					t.Fatalf("%v: axes %d and %d have the product %v", b, i, j, d)
				}
			}
			longest = max(longest, f.Half[i])
		}
		x := testkit.TurnedOf(b)
		var p, q [3]float64 // anywhere, and in the box
		for k := range 3 {
			p[k] = float64(b.Center[k]) + longest*4*r.NormFloat64()
		}
		q = x.Center
		for _, a := range x.Axes {
			c := max(min(3*r.Float64()-1.5, 1), -1)
			for k := range 3 {
				q[k] += c * a[k]
			}
		}
		way := [3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]}
		size := longest + math.Abs(q[0]) + math.Abs(q[1]) + math.Abs(q[2]) + math.Sqrt(exact.Dot(way, way))
		if d := f.Distance(p); d > math.Sqrt(exact.Dot(way, way))+size*0x1p-51 {
			t.Fatalf("%v: %v is %v away from the frame, %v from %v", b, p, d, math.Sqrt(exact.Dot(way, way)), q)
		}
		if d := f.Distance(q); d > size*0x1p-51 {
			t.Fatalf("%v: %v in it is %v away from the frame", b, q, d)
		}
		if near, d := x.Distance(p), f.Distance(p); d < near-longest*0x1p-16-size*0x1p-44 {
			t.Fatalf("%v: %v is %v away, %v from the frame", b, p, near, d)
		}
		v := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		w := f.World(f.Local(v))
		for k := range 3 {
			if math.Abs(w[k]-v[k]) > 1e-14 {
				t.Fatalf("%v becomes %v", v, w)
			}
		}
	}
	for _, b := range []soa.OrientedBox{{}, {Axes: [3][3]float32{{0x1p-149}}}, {Axes: [3][3]float32{1: {0, 0, 3e38}}}} {
		var f exact.Frame
		f.Set(&b)
		if d := f.Distance([3]float64{0, 1e38, 0}); !(d > 0.99e38 && d <= 1e38) {
			t.Errorf("%v is %v away", b, d)
		}
	}
}
