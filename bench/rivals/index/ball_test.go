package index

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// apart returns by definition the distance of a ball from a volume, below 0 if they overlap, as a share of
// the largest number in it.
func apart(b Ball, f *[6][4]float32, box *soa.AABB, ball *Ball) (gap float64) {
	c, r := b.Center, float64(b.Radius)
	size := r
	for a := range 3 {
		size = max(size, math.Abs(float64(c[a])))
	}
	switch {
	case f != nil:
		gap = math.Inf(-1)
		for _, p := range f {
			nx, ny, nz := float64(p[0]), float64(p[1]), float64(p[2])
			length := math.Hypot(math.Hypot(nx, ny), nz)
			sum := nx*float64(c[0]) + ny*float64(c[1]) + nz*float64(c[2]) + float64(p[3])
			if all := length*size + math.Abs(float64(p[3])); all > 0 {
				gap = max(gap, (-sum-r*length)/all)
			}
		}
		return gap
	case box != nil:
		var d [3]float64
		for a := range 3 {
			lo, hi := float64(box.Min[a])-float64(c[a]), float64(c[a])-float64(box.Max[a])
			d[a] = max(lo, hi, 0)
			size = max(size, math.Abs(lo), math.Abs(hi))
		}
		return (math.Hypot(math.Hypot(d[0], d[1]), d[2]) - r) / max(size, 0x1p-140)
	}
	var d [3]float64
	for a := range 3 {
		d[a] = float64(c[a]) - float64(ball.Center[a])
		size = max(size, math.Abs(d[a]))
	}
	size = max(size, float64(ball.Radius), 0x1p-140)
	return (math.Hypot(math.Hypot(d[0], d[1]), d[2]) - r - float64(ball.Radius)) / size
}

func randomBall(r *rand.Rand, kind testkit.BoxKind) Ball {
	b := testkit.RandomBoxes(r, 1, kind)[0]
	return Ball{b.Min, float32(math.Abs(float64(b.Max[0]))) / float32(1+r.IntN(8))}
}

// A ball intersects a volume as defined, up to the rounding of float64.
func TestBallDefinition(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	overlaps, boxOnly := 0, 0
	for i := range 60000 {
		kind := testkit.BoxKinds()[i%4]
		b := randomBall(r, kind)
		var v Volume
		var gap float64
		switch i / 4 % 3 {
		case 0:
			var planes [6][4]float32
			for k := range planes {
				planes[k] = testkit.RandomPlane(r, kind)
			}
			planes[1], planes[2], planes[4], planes[5] = planes[0], planes[0], planes[3], planes[3]
			v, gap = Frustum(planes, [3]float32{}), apart(b, &planes, nil, nil)
		case 1:
			q := testkit.RandomBoxes(r, 1, kind)[0]
			v, gap = Box(q), apart(b, nil, &q, nil)
		case 2:
			other := randomBall(r, kind)
			v, gap = Sphere(other.Center, other.Radius), apart(b, nil, nil, &other)
		}
		got := v.MeetsBall(&b)
		if math.Abs(gap) > 0x1p-40 && got != (gap < 0) {
			t.Fatalf("%v intersects %v: %v, the gap is %v of the size", b, v, got, gap)
		}
		if got {
			overlaps++
		}
		if box := b.Box(); !got && v.Meets(&box) {
			boxOnly++
		}
	}
	if overlaps < 5000 || boxOnly < 300 {
		t.Errorf("only %d balls intersect, %d only by their box: the test is empty", overlaps, boxOnly)
	}
}

// Balls that just touch overlap: the numbers are exact.
func TestBallTouches(t *testing.T) {
	b := Ball{[3]float32{3, 4, 0}, 5}
	for name, c := range map[string]struct {
		v    Volume
		want bool
	}{
		"sphere":         {Sphere([3]float32{-3, -4, 0}, 5), true},
		"smaller sphere": {Sphere([3]float32{-3, -4, 0}, 4.999999), false},
		"corner":         {Box(soa.AABB{Min: [3]float32{-9, -9, -9}, Max: [3]float32{0, 0, 0}}), true},
		"near corner":    {Box(soa.AABB{Min: [3]float32{-9, -9, -9}, Max: [3]float32{-1e-6, 0, 0}}), false},
		"planes":         {Frustum([6][4]float32{{0, -2, 0, -2}, {0, 2, 0, 18}}, [3]float32{9, 9, 9}), true},
		"near planes":    {Frustum([6][4]float32{{0, -2, 0, -2.000001}, {0, 2, 0, 18}}, [3]float32{9, 9, 9}), false},
	} {
		if got := c.v.MeetsBall(&b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The box of a ball is the smallest that holds it.
func TestBallBox(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for i := range 20000 {
		b := randomBall(r, testkit.BoxKinds()[i%4])
		box := b.Box()
		if !b.in(&box) {
			t.Fatalf("%v is not in %v", b, box)
		}
		for a := range 3 {
			tight := box
			tight.Min[a] = math.Nextafter32(tight.Min[a], float32(math.Inf(1)))
			if b.Radius > 0 && b.in(&tight) {
				t.Fatalf("%v is in %v, its box is %v", b, tight, box)
			}
		}
	}
}

// The table has the balls that were set and no more, and rejects a ball outside its box.
func TestBalls(t *testing.T) {
	var s Balls
	it := Item{ID: 3}
	it.Box = soa.AABB{Max: [3]float32{4, 4, 4}}
	corner := Box(soa.AABB{Max: [3]float32{0.5, 0.5, 0.5}})
	meets := func(want bool) {
		t.Helper()
		if got := s.Meets(&corner, &it); got != want {
			t.Errorf("intersects: %v, want %v", got, want)
		}
	}
	meets(true)
	s.Set(3, Ball{[3]float32{2, 2, 2}, 2}, &it.Box)
	meets(false)
	all := Box(it.Box)
	if !s.Meets(&all, &it) {
		t.Error("contained objects are not among the results")
	}
	s.Drop(2)
	meets(false)
	s.Drop(3)
	meets(true)
	if s.Bytes() != 0 {
		t.Errorf("%d bytes for nothing", s.Bytes())
	}
	nan := float32(math.NaN())
	for _, b := range []Ball{{[3]float32{2, 2, 2}, 2.1}, {[3]float32{2, 2, 2}, -1}, {[3]float32{2, 2, nan}, 1}, {[3]float32{2, 2, 2}, nan}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no error for %v", b)
				}
			}()
			s.Set(3, b, &it.Box)
		}()
	}
}
