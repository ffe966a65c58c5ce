package walk_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// motionOf is the motion of a ball; ok is false if the ball reaches beyond float32 at its start.
func motionOf(b testkit.Ball) (s *walk.Sweep, ok bool) {
	var lo, hi [3]float32
	for a := range 3 {
		c, r := float64(b.Center[a]), float64(b.Radius)
		if math.Abs(c)+r >= math.MaxFloat32 {
			return nil, false
		}
		lo[a], hi[a] = math.Nextafter32(float32(c-r), -math.MaxFloat32), math.Nextafter32(float32(c+r), math.MaxFloat32)
	}
	s = new(walk.Sweep)
	s.SetSphere(&lo, &hi, &b.Center, b.Radius, &b.Dir)
	return s, true
}

// bruteBall is the documented result of a swept sphere, object by object: the box around it, then the ball itself.
// Times must lie in the range in which the units of time are exact.
func bruteBall(t *testing.T, s *walk.Sweep, b testkit.Ball, objects []soa.Object) (want []testkit.Entry) {
	t.Helper()
	lo, hi := s.Start()
	for _, e := range testkit.ReferenceSweep(objects, testkit.Sweep{Lo: lo, Hi: hi, Dir: b.Dir, MaxT: 1}) {
		at, ok := walk.MotionTime(s, &objects[e.Index].Box)
		if ok {
			want = append(want, testkit.Entry{Index: e.Index, Time: max(e.Time, float32(at))})
		}
	}
	slices.SortStableFunc(want, func(a, b testkit.Entry) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), a.Index-b.Index)
	})
	return want
}

// Against exact arithmetic: no hit is lost, extra hits are within the bound, and the time is right.
func TestSweptSphereDefinition(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := testkit.Budget(t, 3000, 20_000)
	hits := 0
	for i := range rounds {
		kind := testkit.BoxKinds()[i%4]
		objects := []soa.Object{{Box: testkit.RandomBoxes(rng, 1, kind)[0]}}
		box := &objects[0].Box
		m := testkit.RandomSweep(rng, kind)
		b := testkit.Ball{Center: m.Lo, Dir: m.Dir, Radius: m.MaxT}
		if kind == testkit.BoxesSmall {
			b.Radius = float32(b.Radius / 5)
		}
		s, ok := motionOf(b)
		if !ok {
			continue
		}
		got := bruteBall(t, s, b, objects)
		if len(got) == 0 {
			if b.Meets(box, 0) {
				t.Fatalf("%s: %x misses %x", kind, b, *box)
			}
			continue
		}
		hits++
		size, way := 0.0, 0.0
		for a := range 3 {
			c, d := math.Abs(float64(b.Center[a])), math.Abs(float64(b.Dir[a]))
			size = max(size, c, math.Abs(float64(box.Min[a])), math.Abs(float64(box.Max[a])), 2*d)
			way += d * d
		}
		slack := float64(b.Radius)*0x1p-39 + size*0x1p-42
		if !b.Meets(box, slack) {
			t.Fatalf("%s: %x does not meet %x", kind, b, *box)
		}
		if at := float64(got[0].Time); at > 0 && kind <= testkit.BoxesGrid {
			// At that time the ball touches, up to rounding of the time.
			dist := 0.0
			for a := range 3 {
				c := float64(b.Center[a]) + at*float64(b.Dir[a])
				g := max(0, float64(box.Min[a])-c, c-float64(box.Max[a]))
				dist += g * g
			}
			if off := math.Abs(math.Sqrt(dist) - float64(b.Radius)); off > 0x1p-20*(size+math.Sqrt(way)) {
				t.Fatalf("%s: %v at %v is off %v by %v", kind, b, at, *box, off)
			}
		}
	}
	if hits < rounds/20 {
		t.Errorf("only %d hits", hits)
	}
}

// The early rejection of boxes rejects no hit of the slow path, to the bit, however near the last time that counts is
// to the contact.
func TestSweptSphereRuledOut(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	met, out := 0, 0
	for i := range testkit.Budget(t, 20_000, 200_000) {
		kind := testkit.BoxKinds()[i%4]
		box := testkit.RandomBoxes(rng, 1, kind)[0]
		m := testkit.RandomSweep(rng, kind)
		radius := m.MaxT * float32(rng.Float64())
		if i%3 == 0 { // it only just touches
			radius = 0
			for a := range 3 {
				radius = max(radius, box.Min[a]-m.Lo[a], m.Lo[a]-box.Max[a])
			}
			radius = math.Nextafter32(radius, float32(i%2))
		}
		s, fits := motionOf(testkit.Ball{Center: m.Lo, Dir: m.Dir, Radius: radius})
		if !fits {
			continue
		}
		want, ok := walk.SlowTime(s, &box)
		for _, last := range []float64{0, want, want * (1 + 0x1p-50), want / 2, want * 2, rng.Float64(), math.Inf(1)} {
			got, found := walk.KernelTime(s, &box, last)
			if found != ok && (ok && want <= last || found) || found && got != want {
				t.Fatalf("%s: %v towards %v from %v, radius %v, last %v: %v %v, slowly %v %v", kind, box, m.Dir, m.Lo, radius, last, got, found, want, ok)
			}
			if ok && found {
				met++
			} else if ok {
				out++
			}
		}
	}
	if met < 10_000 || out < 1000 {
		t.Errorf("%d met, %d ruled out", met, out)
	}
}

// The tolerance of a ball is in proportion to the largest coordinate of the box, of the centre and of the motion, on
// each axis.
func TestSweptSphereTolerance(t *testing.T) {
	const most = 0x1p20
	const reach = 0x3p-45 * most // of a ball of no radius
	for a := range 3 {
		side := (a + 1) % 3
		for _, gap := range []float32{reach * 0.99, reach * 1.01} {
			for what, set := range map[string]func(center, motion *[3]float32, b *soa.AABB){
				"motion": func(_, motion *[3]float32, b *soa.AABB) { motion[a] = most },
				"centre": func(center, motion *[3]float32, b *soa.AABB) { center[a], motion[a] = -most, most },
				"box":    func(_, motion *[3]float32, b *soa.AABB) { motion[a], b.Max[a] = 1, most },
			} {
				for _, sign := range []float32{1, -1} {
					center, motion := [3]float32{}, [3]float32{}
					var b soa.AABB
					set(&center, &motion, &b)
					b.Min[side], b.Max[side] = gap, 2*gap
					if sign < 0 {
						center[a], motion[a] = -center[a], -motion[a]
						b.Min[a], b.Max[a] = -b.Max[a], -b.Min[a]
					}
					s, _ := motionOf(testkit.Ball{Center: center, Dir: motion})
					if _, ok := walk.MotionTime(s, &b); ok != (gap < reach) {
						t.Errorf("axis %d, the %s is largest, sign %v: a box %v away is met: %v", a, what, sign, gap/reach, ok)
					}
				}
			}
		}
	}
}
