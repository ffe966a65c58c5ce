package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// revolved is a solid of revolution in float64: a capsule, or a cylinder or cone with flat ends.
type revolved struct {
	from, axis [3]float64 // of length 1
	length     float64
	radius     float64 // at the start
	tan        float64
	round      bool // a capsule
}

// coordinates of a point: along the axis, from the axis, and the direction from there to the point.
func (s *revolved) coordinates(p [3]float64) (w, r float64, dir [3]float64) {
	for k := range p {
		p[k] -= s.from[k]
	}
	w = exact.Dot(p, s.axis)
	for k := range p {
		p[k] -= w * s.axis[k]
	}
	if r = exact.Length(&p); r > 0 {
		for k := range p {
			dir[k] = p[k] / r
		}
	}
	return w, r, dir
}

// project returns the nearest point of the solid.
func (s *revolved) project(p [3]float64) [3]float64 {
	w, r, dir := s.coordinates(p)
	if s.round {
		at := min(max(w, 0), s.length)
		if d := math.Hypot(w-at, r); d > s.radius {
			for k := range p {
				foot := s.from[k] + at*s.axis[k]
				p[k] = foot + (p[k]-foot)*(s.radius/d)
			}
		}
		return p
	}
	end := s.radius + s.tan*s.length
	if w >= 0 && w <= s.length && r <= s.radius+s.tan*w {
		return p
	}
	best, bestW, bestR := math.Inf(1), 0.0, 0.0
	try := func(x, y float64) {
		if d := math.Hypot(x-w, y-r); d < best {
			best, bestW, bestR = d, x, y
		}
	}
	try(0, min(r, s.radius))
	try(s.length, min(r, end))
	t := (w + (r-s.radius)*s.tan) / (1 + s.tan*s.tan)
	t = min(max(t, 0), s.length)
	try(t, s.radius+s.tan*t)
	for k := range p {
		p[k] = s.from[k] + bestW*s.axis[k] + bestR*dir[k]
	}
	return p
}

// depth is the distance of a point in the solid from its border, negative outside.
func (s *revolved) depth(p [3]float64) float64 {
	w, r, _ := s.coordinates(p)
	if s.round {
		return s.radius - math.Hypot(w-min(max(w, 0), s.length), r)
	}
	return min(w, s.length-w, (s.radius+s.tan*w-r)/math.Sqrt(1+s.tan*s.tan))
}

// farthest returns the largest n·p of the points of the solid.
func (s *revolved) farthest(n [3]float64) float64 {
	at, along := exact.Dot(n, s.from), exact.Dot(n, s.axis)
	if s.round {
		return at + max(0, along*s.length) + s.radius*exact.Length(&n)
	}
	across := n
	for k := range across {
		across[k] -= along * s.axis[k]
	}
	l := exact.Length(&across)
	return max(at+s.radius*l, at+along*s.length+(s.radius+s.tan*s.length)*l)
}

// shrunk returns the points of the solid that are at least by deep; ok is false if there are none.
func (s revolved) shrunk(by float64) (in revolved, ok bool) {
	if s.round {
		s.radius -= by
		return s, s.radius >= 0
	}
	// The radius falls by by/cos, and the ends by by.
	first, lost := by, by*math.Sqrt(1+s.tan*s.tan)
	if s.radius+s.tan*first < lost {
		if s.tan == 0 {
			return s, false
		}
		first = (lost - s.radius) / s.tan
	}
	for k := range 3 {
		s.from[k] += first * s.axis[k]
	}
	s.radius = max(s.radius+s.tan*first-lost, 0)
	s.length -= first + by
	return s, s.length >= 0
}

// clampTo returns the nearest point of a box.
func clampTo(p [3]float64, b *soa.AABB) [3]float64 {
	for k := range p {
		p[k] = min(max(p[k], float64(b.Min[k])), float64(b.Max[k]))
	}
	return p
}

const (
	surelyOut = iota
	unsure
	surelyIn
)

// judge returns whether a box surely has a point in the solid, by less than the share in of its size, or is surely
// farther from it than the share out. It projects a point to the solid and to the box in turn; only a point in both,
// or a plane between the two, is a proof.
func (s *revolved) judge(b *soa.AABB, size, in, out float64) int {
	inner, ok := s.shrunk(in * size)
	for turn, t := range [2]*revolved{&inner, s} {
		if turn == 0 && !ok {
			continue
		}
		x := clampTo(s.from, b)
		for range 40 {
			y := t.project(x)
			x = clampTo(y, b)
			n, gap := [3]float64{}, 0.0
			for k := range n {
				n[k] = x[k] - y[k]
			}
			if gap = exact.Length(&n); gap <= in/4*size {
				if turn == 0 && s.depth(x) > in/4*size {
					return surelyIn
				}
				break
			}
			low := 0.0
			for k := range n {
				n[k] /= gap
				low += min(n[k]*float64(b.Min[k]), n[k]*float64(b.Max[k]))
			}
			if low-s.farthest(n) > out*size {
				return surelyOut
			}
		}
	}
	return unsure
}

// tester is a shape of package exact.
type tester interface {
	Relate(boxes []soa.AABB, to []exact.Relation)
}

func relationOf(shape tester, b soa.AABB) exact.Relation {
	var r [1]exact.Relation
	shape.Relate([]soa.AABB{b}, r[:])
	return r[0]
}

// revolvedShapes draw shapes of a size, and make them.
var revolvedShapes = map[string]func(r *rand.Rand, size float64) (revolved, tester, soa.AABB){
	"capsule": func(r *rand.Rand, size float64) (revolved, tester, soa.AABB) {
		from, to, radius := randomAxis(r, size)
		c := new(exact.Capsule)
		c.Set(&from, &to, radius)
		s := revolvedFrom(from, to, float64(radius))
		s.round = true
		return s, c, c.Box
	},
	"cylinder": func(r *rand.Rand, size float64) (revolved, tester, soa.AABB) {
		from, to, radius := randomAxis(r, size)
		for from == to {
			from, to, radius = randomAxis(r, size)
		}
		c := new(exact.Cone)
		s := revolvedFrom(from, to, float64(radius))
		c.Set(&from, &s.axis, s.length, s.radius, 0)
		return s, c, c.Box
	},
	"cone": func(r *rand.Rand, size float64) (revolved, tester, soa.AABB) {
		from, to, _ := randomAxis(r, size)
		for from == to {
			from, to, _ = randomAxis(r, size)
		}
		c := new(exact.Cone)
		s := revolvedFrom(from, to, 0)
		s.tan = math.Tan(r.Float64() * 1.5)
		if r.IntN(8) == 0 {
			s.tan = math.Ldexp(s.tan, -r.IntN(30))
		}
		c.Set(&from, &s.axis, s.length, 0, s.tan)
		return s, c, c.Box
	},
}

func revolvedFrom(from, to [3]float32, radius float64) (s revolved) {
	for k := range from {
		s.from[k], s.axis[k] = float64(from[k]), float64(to[k])-float64(from[k])
	}
	s.length, s.radius = exact.Length(&s.axis), radius
	for k := range s.axis {
		if s.length > 0 {
			s.axis[k] /= s.length
		}
	}
	return s
}

// randomAxis draws two points and a radius, some along an axis, far from the origin, or thin.
func randomAxis(r *rand.Rand, size float64) (from, to [3]float32, radius float32) {
	far := 0.0
	if r.IntN(4) == 0 {
		far = size * math.Ldexp(1, r.IntN(12))
	}
	for k := range 3 {
		from[k] = float32(far*r.NormFloat64() + size*r.NormFloat64())
		to[k] = from[k] + float32(size*r.NormFloat64())
		if r.IntN(4) == 0 {
			to[k] = from[k]
		}
	}
	radius = float32(size * r.Float64())
	switch r.IntN(8) {
	case 0:
		radius = 0
	case 1:
		radius = float32(math.Ldexp(float64(radius), -r.IntN(30)))
	case 2:
		radius *= 8
	}
	return from, to, radius
}

// nearBox draws a box that has a corner, an edge or a face near the border of a solid, or anywhere.
func nearBox(r *rand.Rand, s *revolved, around *soa.AABB, size float64) (b soa.AABB) {
	var p [3]float64
	for k := range p {
		lo, hi := float64(around.Min[k]), float64(around.Max[k])
		p[k] = lo + (hi-lo)*(1.4*r.Float64()-0.2)
	}
	y := s.project(p)
	step, away := math.Ldexp(1, -r.IntN(26)), r.IntN(3) > 0
	if r.IntN(3) == 0 {
		step = -step
	}
	for k := range p {
		x := y[k]
		if away || r.IntN(4) > 0 {
			x += (p[k] - y[k]) * step
		}
		length := size * math.Ldexp(r.Float64(), -r.IntN(12))
		lo, hi := x, x
		side := r.IntN(4)
		if away && p[k] != y[k] {
			side = 0
			if p[k] < y[k] {
				side = 1
			}
		}
		switch side {
		case 0:
			hi += length
		case 1:
			lo -= length
		case 2:
			lo, hi = lo-length, hi+length
		}
		b.Min[k], b.Max[k] = float32(lo), float32(hi)
	}
	return b
}

// No box that has a point in a shape is outside, and none that is farther from it than 2^-24 of its size is not. A box
// that is inside has all corners in it, and one with all corners deeper than 2^-40 of the size is inside. The box of a
// shape contains it.
func TestShapesRelate(t *testing.T) {
	for name, make := range revolvedShapes {
		t.Run(name, func(t *testing.T) {
			r := testkit.Rand(testkit.Seed(t))
			var judged [3]int
			inside := 0
			for want := testkit.Count(t, 6000, 1_000_000); judged[surelyIn]+judged[surelyOut] < want; {
				scale := math.Ldexp(1, r.IntN(60)-30)
				s, shape, around := make(r, scale)
				size := 0.0
				for k := range 3 {
					size += float64(around.Max[k]) - float64(around.Min[k])
					var n [3]float64
					if n[k] = 1; s.farthest(n) > float64(around.Max[k])+1e-12*size {
						t.Fatalf("%+v reaches beyond its box %v", s, around)
					}
					if n[k] = -1; s.farthest(n) > -float64(around.Min[k])+1e-12*size {
						t.Fatalf("%+v reaches beyond its box %v", s, around)
					}
				}
				for range 100 {
					b := nearBox(r, &s, &around, size)
					got, truth := relationOf(shape, b), s.judge(&b, size, 0x1p-34, 0x1p-24)
					if judged[truth]++; truth == surelyOut && got != exact.Outside || truth == surelyIn && got == exact.Outside {
						t.Fatalf("%+v: box %v of verdict %d is %d", s, b, truth, got)
					}
					depth := math.Inf(1)
					for i := range 8 {
						depth = min(depth, s.depth(cornerOf(&b, i)))
					}
					if got == exact.Inside {
						inside++
					}
					if got == exact.Inside && depth < -0x1p-45*size || got != exact.Inside && depth > 0x1p-40*size {
						t.Fatalf("%+v: box %v, corners %v deep, is %d", s, b, depth, got)
					}
				}
			}
			t.Logf("%d out, %d in, %d not judged; %d inside", judged[surelyOut], judged[surelyIn], judged[unsure], inside)
			if all := judged[0] + judged[1] + judged[2]; judged[unsure] > all/3 || judged[surelyIn] < all/8 || judged[surelyOut] < all/8 || inside == 0 {
				t.Errorf("of %d boxes, %v were out, not judged, and in; %d inside", all, judged, inside)
			}
		})
	}
}

func cornerOf(b *soa.AABB, i int) (p [3]float64) {
	for k := range p {
		p[k] = float64(b.Min[k])
		if i>>k&1 != 0 {
			p[k] = float64(b.Max[k])
		}
	}
	return p
}

// Boxes that touch a shape in one point exactly are not outside.
func TestShapesTouch(t *testing.T) {
	var capsule exact.Capsule
	capsule.Set(&[3]float32{0, 0, 0}, &[3]float32{10, 0, 0}, 5)
	var cylinder, cone, thin exact.Cone
	cylinder.Set(&[3]float32{}, &[3]float64{1}, 10, 5, 0)
	cone.Set(&[3]float32{}, &[3]float64{1}, 8, 0, 1.25)
	thin.Set(&[3]float32{}, &[3]float64{1, 1, 1}, math.Sqrt(3), 0, 0)
	for _, c := range []struct {
		name     string
		shape    tester
		min, max [3]float32
	}{
		{"capsule, side", &capsule, [3]float32{4, 3, 4}, [3]float32{5, 9, 9}},
		{"capsule, end", &capsule, [3]float32{13, -1, 4}, [3]float32{14, 1, 6}},
		{"capsule, tip", &capsule, [3]float32{15, -1, -1}, [3]float32{16, 1, 1}},
		{"cylinder, side", &cylinder, [3]float32{4, -9, 4}, [3]float32{5, -3, 9}},
		{"cylinder, rim", &cylinder, [3]float32{10, 3, 4}, [3]float32{12, 9, 9}},
		{"cylinder, end", &cylinder, [3]float32{10, -1, -1}, [3]float32{12, 1, 1}},
		{"cone, apex", &cone, [3]float32{-1, -1, -1}, [3]float32{0, 1, 1}},
		{"cone, apex at a corner", &cone, [3]float32{-1, -1, -1}, [3]float32{0, 0, 0}},
		{"cone, side", &cone, [3]float32{3, 3, 4}, [3]float32{4, 9, 9}},
		{"cone, rim", &cone, [3]float32{8, 6, 8}, [3]float32{9, 9, 9}},
		{"segment, end", &thin, [3]float32{1, 1, 1}, [3]float32{2, 2, 2}},
		{"segment, middle", &thin, [3]float32{0.5, 0.5, 0.5}, [3]float32{0.5, 0.5, 0.5}},
		{"segment, edge", &thin, [3]float32{0.5, 0.5, 0}, [3]float32{0.5, 0.5, 1}},
	} {
		if r := relationOf(c.shape, soa.AABB{Min: c.min, Max: c.max}); r != exact.Partly {
			t.Errorf("%s: %d", c.name, r)
		}
	}
}

func BenchmarkRelate(b *testing.B) {
	for _, name := range []string{"capsule", "cylinder", "cone"} {
		r := testkit.Rand(1)
		s, shape, around := revolvedShapes[name](r, 100)
		var boxes []soa.AABB
		for range 1024 {
			boxes = append(boxes, nearBox(r, &s, &around, 100))
		}
		relations := make([]exact.Relation, len(boxes))
		b.Run("shape="+name, func(b *testing.B) {
			for b.Loop() {
				shape.Relate(boxes, relations)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(boxes)), "ns/box")
		})
	}
}
