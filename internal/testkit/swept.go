package testkit

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// Ball is the motion of a sphere along Dir during the time 0 to 1.
type Ball struct {
	Center, Dir [3]float32
	Radius      float32
}

// Meets reports, by definition, whether the centre of the ball is at some time within its radius,
// plus grow, of the closed box. It uses exact arithmetic if the result in float64 is not certain.
func (b Ball) Meets(box *soa.AABB, grow float64) bool {
	reach := float64(b.Radius) + grow
	size := 0.0 // largest magnitude in the computation of distances
	for a := range 3 {
		size = max(size, float64(abs(b.Center[a]))+float64(abs(b.Dir[a])), float64(abs(box.Min[a])), float64(abs(box.Max[a])))
	}
	slack := (size + reach) * 0x1p-40
	for a := range 3 { // separated over the whole motion on one axis
		c, d := float64(b.Center[a]), float64(b.Dir[a])
		if gap := max(float64(box.Min[a])-(c+max(d, 0)), c+min(d, 0)-float64(box.Max[a])); gap > reach+slack {
			return false
		}
	}
	near := b.roughly(box, reach-slack)
	if math.Abs(near-reach) > slack {
		return near < reach
	}
	switch { // a long motion makes distances imprecise, but not times
	case b.misses(box, reach):
		return false
	case reach >= 0 && RaySweep(b.Center, b.Dir, 1).meets(box):
		return true
	}
	return b.exactly(box, reach)
}

// misses reports whether the centre is never in the box grown by reach, with a margin larger than
// the rounding errors of float64.
func (b Ball) misses(box *soa.AABB, reach float64) bool {
	enter, leave := 0.0, 1.0
	for a := range 3 {
		c, d := float64(b.Center[a]), float64(b.Dir[a])
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		slack := (math.Abs(lo) + math.Abs(hi) + math.Abs(c) + math.Abs(reach)) * 0x1p-50
		lo, hi = lo-reach-c-slack, hi+reach-c+slack
		if d == 0 {
			if lo > 0 || hi < 0 {
				return true
			}
			continue
		}
		in, out := min(lo/d, hi/d), max(lo/d, hi/d)
		enter, leave = max(enter, in-math.Abs(in)*0x1p-50), min(leave, out+math.Abs(out)*0x1p-50)
	}
	return enter > leave
}

// roughly returns the least distance of the centre from the box, or any distance below enough.
func (b Ball) roughly(box *soa.AABB, enough float64) float64 {
	near := min(b.distance(box, 0), b.distance(box, 1))
	// The distance is convex in time.
	for lo, hi := 0.0, 1.0; near >= enough && hi-lo > 0x1p-50; {
		m1, m2 := lo+(hi-lo)*0.375, lo+(hi-lo)*0.625
		d1, d2 := b.distance(box, m1), b.distance(box, m2)
		if near = min(near, d1, d2); d1 <= d2 {
			hi = m2
		} else {
			lo = m1
		}
	}
	return near
}

// distance returns the distance of the centre from the box at time t.
func (b Ball) distance(box *soa.AABB, t float64) float64 {
	sum := 0.0
	for a := range 3 {
		c := float64(b.Center[a]) + t*float64(b.Dir[a])
		gap := max(0, float64(box.Min[a])-c, c-float64(box.Max[a]))
		sum += gap * gap
	}
	return math.Sqrt(sum)
}

// exactly decides with rational numbers.
func (b Ball) exactly(box *soa.AABB, reach float64) bool {
	return b.Closest2(box).Cmp(new(rational.Rat).Mul(rat(reach), rat(reach))) <= 0
}

// Closest2 returns the least squared distance of the centre from the box, exactly. Between the times at
// which the centre crosses a face plane, it is one parabola, least at its minimum or at an end.
func (b Ball) Closest2(box *soa.AABB) (least *rational.Rat) {
	stops := []*rational.Rat{rat(0), rat(1)}
	for a := range 3 {
		if b.Dir[a] == 0 {
			continue
		}
		for _, face := range []float32{box.Min[a], box.Max[a]} {
			t := new(rational.Rat).Sub(rat(float64(face)), rat(float64(b.Center[a])))
			t.Quo(t, rat(float64(b.Dir[a])))
			if t.Sign() > 0 && t.Cmp(stops[1]) < 0 {
				stops = append(stops, t)
			}
		}
	}
	slices.SortFunc(stops, (*rational.Rat).Cmp)
	at := func(t *rational.Rat) {
		if d := b.squared(box, t); least == nil || d.Cmp(least) < 0 {
			least = d
		}
	}
	for i, from := range stops {
		at(from)
		if i+1 == len(stops) {
			break
		}
		if low := b.lowest(box, from, stops[i+1]); low.Cmp(from) > 0 && low.Cmp(stops[i+1]) < 0 {
			at(low)
		}
	}
	return least
}

// gap returns the signed distance of the centre at time t from the box on an axis; 0 inside.
func (b Ball) gap(box *soa.AABB, a int, t *rational.Rat) *rational.Rat {
	c := new(rational.Rat).Mul(rat(float64(b.Dir[a])), t)
	c.Add(c, rat(float64(b.Center[a])))
	if lo := rat(float64(box.Min[a])); c.Cmp(lo) < 0 {
		return c.Sub(c, lo)
	}
	if hi := rat(float64(box.Max[a])); c.Cmp(hi) > 0 {
		return c.Sub(c, hi)
	}
	return rat(0)
}

func (b Ball) squared(box *soa.AABB, t *rational.Rat) *rational.Rat {
	sum := rat(0)
	for a := range 3 {
		g := b.gap(box, a, t)
		sum.Add(sum, g.Mul(g, g))
	}
	return sum
}

// lowest returns the time of the minimum of the parabola between two stops, which may be outside of
// them, or from if the parabola is constant.
func (b Ball) lowest(box *soa.AABB, from, to *rational.Rat) *rational.Rat {
	middle := new(rational.Rat).Add(from, to)
	middle.Mul(middle, new(rational.Rat).SetFloat64(0.5))
	slope, bend := rat(0), rat(0) // half the derivative at middle, half the second
	for a := range 3 {
		if g := b.gap(box, a, middle); g.Sign() != 0 {
			d := rat(float64(b.Dir[a]))
			slope.Add(slope, new(rational.Rat).Mul(g, d))
			bend.Add(bend, d.Mul(d, d))
		}
	}
	if bend.Sign() == 0 {
		return from
	}
	return middle.Sub(middle, slope.Quo(slope, bend))
}
