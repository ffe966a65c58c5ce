package query_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// tiny draws numbers around the denormals, and the sizes with which they are
// multiplied and divided.
func tiny(r *rand.Rand) float32 {
	var f float32
	switch r.IntN(6) {
	case 0:
		f = math.Float32frombits(r.Uint32N(64))
	case 1:
		f = math.Float32frombits(r.Uint32N(1 << 25))
	case 2:
		f = float32(math.Ldexp(1+r.Float64(), -90-r.IntN(30)))
	case 3:
		f = math.Float32frombits(r.Uint32N(0x7f800000))
	case 4:
		f = float32(math.Ldexp(1+r.Float64(), -126+r.IntN(3)))
	}
	if r.IntN(2) == 0 {
		f = -f
	}
	return f
}

// stay is the interval of time in which a ray is between two faces.
type stay struct{ enter, leave *rational.Rat }

// exactSlabs returns the times at which a ray is in the slabs of a box, without axes on which it does not move or
// counts as not moving; ok is false if it is then outside the box for its whole length.
func exactSlabs(o, dir [3]float32, reach *rational.Rat, b *soa.AABB, far *[3]*rational.Rat) (slabs [3]*stay, ok bool) {
	_, exp := math.Frexp(float64(max(max(dir[0], -dir[0]), max(dir[1], -dir[1]), max(dir[2], -dir[2]))))
	for a := range 3 {
		d, from := exact(float64(dir[a])), exact(float64(o[a]))
		lo, hi := exact(float64(b.Min[a])), exact(float64(b.Max[a]))
		if math.Abs(math.Ldexp(float64(dir[a]), 1-exp)) < 0x1p-126 {
			to := new(rational.Rat).Add(from, new(rational.Rat).Mul(d, reach))
			if from.Cmp(to) > 0 {
				from, to = to, from
			}
			// The box around the path is rounded outward: by a step of float32.
			step := new(rational.Rat).Mul(new(rational.Rat).Add(exact(math.Abs(float64(o[a]))), exact(0x1p-125)), exact(0x1p-22))
			if dir[a] == 0 {
				step = new(rational.Rat)
			}
			if hi.Cmp(from.Sub(from, step)) < 0 || lo.Cmp(to.Add(to, step)) > 0 {
				return slabs, false
			}
			continue
		}
		if dir[a] < 0 {
			lo, hi = hi, lo
		}
		s := &stay{new(rational.Rat).Sub(lo, from), new(rational.Rat).Sub(hi, from)}
		s.enter.Quo(s.enter, d)
		s.leave.Quo(s.leave, d)
		slabs[a] = s
		far[a] = new(rational.Rat)
		if math.Abs(float64(o[a])) < 0x1p-100 {
			far[a].Quo(exact(0x1p-124), d.Abs(d))
		}
	}
	return slabs, true
}

// notAbove reports whether x <= y + |y|*relative + absolute.
func notAbove(x, y *rational.Rat, relative float64, absolute *rational.Rat) bool {
	bound := new(rational.Rat).Mul(new(rational.Rat).Abs(y), exact(relative))
	return x.Cmp(bound.Add(bound, y).Add(bound, absolute)) <= 0
}

// The bounds that the doc of Ray states, where numbers are denormal and elsewhere: Dist is as near the exact time,
// and a reported object is hit by a ray that ends so much later. The absolute terms are needed.
func TestRayBounds(t *testing.T) {
	const u = 0x1p-24
	r := testkit.Rand(testkit.Seed(t))
	rounds := testkit.Budget(t, 150, 2000)
	hits, offTime, offExit := 0, 0, 0
	for range rounds {
		objects := make([]soa.Object, 30)
		for i := range objects {
			for a := range 3 {
				p, q := tiny(r), tiny(r)
				objects[i].Box.Min[a], objects[i].Box.Max[a] = min(p, q), max(p, q)
			}
		}
		v := plant(t, objects, true).View()
		for range 10 {
			var o, dir [3]float32
			for a := range 3 {
				o[a], dir[a] = tiny(r), tiny(r)
			}
			most := [...]float32{1, float32(math.Abs(float64(tiny(r)))), float32(math.Inf(1))}[r.IntN(3)]
			ray, err := query.NewRay(o, dir, most)
			if err != nil {
				continue // no direction
			}
			longest := max(math.Abs(float64(dir[0])), math.Abs(float64(dir[1])), math.Abs(float64(dir[2])))
			_, exp := math.Frexp(longest)
			end := exact(math.Ldexp(1, 127-(exp-1))) // 2^127 of the scaled direction
			if float64(most) < math.Inf(1) && exact(float64(most)).Cmp(end) < 0 {
				end = exact(float64(most))
			}
			over := func(x float64) *rational.Rat { return new(rational.Rat).Quo(exact(x), exact(longest)) }
			for _, h := range ray.Append(nil, v, query.Filter{}) {
				hits++
				var far [3]*rational.Rat
				slabs, ok := exactSlabs(o, dir, end, &objects[h.ID].Box, &far)
				if !ok {
					t.Fatalf("ray from %x along %x is beside %x", o, dir, objects[h.ID].Box)
				}
				enter := new(rational.Rat)
				for _, s := range slabs {
					if s != nil && s.enter.Cmp(enter) > 0 {
						enter = s.enter
					}
				}
				for a, s := range slabs {
					if s == nil {
						continue
					}
					if notAbove(enter, s.leave, 18*u, new(rational.Rat)) {
						continue
					}
					offExit++
					if !notAbove(enter, s.leave, 18*u, new(rational.Rat).Add(over(0x1p-146), far[a])) {
						t.Fatalf("ray from %x along %x enters %x at %v, leaves axis %d at %v", o, dir, objects[h.ID].Box, enter, a, s.leave)
					}
				}
				if !notAbove(enter, end, 18*u, over(0x1p-146)) {
					t.Fatalf("ray from %x along %x enters %x at %v, ends at %v", o, dir, objects[h.ID].Box, enter, end)
				}
				time := new(rational.Rat).Set(enter)
				if limit := exact(min(float64(most), math.MaxFloat32)); time.Cmp(limit) > 0 {
					time = limit
				}
				off := new(rational.Rat).Sub(exact(float64(h.Dist)), time)
				off.Abs(off)
				relative := new(rational.Rat).Mul(time, exact(4*u))
				if off.Cmp(relative) <= 0 {
					continue
				}
				offTime++
				if off.Cmp(relative.Add(relative, exact(0x1p-150)).Add(relative, over(0x1p-149))) > 0 {
					t.Fatalf("ray from %x along %x enters %x at %v, not %x", o, dir, objects[h.ID].Box, enter, h.Dist)
				}
			}
		}
	}
	t.Logf("%d hits; beyond the relative terms: %d times, %d exits", hits, offTime, offExit)
	if hits < 5*rounds || offTime == 0 || offExit == 0 {
		t.Error("too few to tell")
	}
}
