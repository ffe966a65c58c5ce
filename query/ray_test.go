package query_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// casterOf returns the query of a sweep; ok is false for a sweep that is no ray and no swept box.
func casterOf(t testing.TB, s testkit.Sweep) (c sweepForms, ok bool) {
	t.Helper()
	switch {
	case s.Lo == s.Hi && s.Dir != [3]float32{}:
		ray := rayOf(t, s.Lo, s.Dir, s.MaxT)
		return &ray, true
	case s.MaxT == 1:
		box := sweptBoxOf(t, soa.AABB{Min: s.Lo, Max: s.Hi}, s.Dir)
		return &box, true
	}
	return nil, false
}

// endless returns the sweep with infinite length, as with Unlimited.
func endless(s testkit.Sweep) testkit.Sweep {
	if s.MaxT == query.Unlimited {
		s.MaxT = float32(math.Inf(1))
	}
	return s
}

// rayTrees returns the same objects frozen, with room, and partly pending.
func rayTrees(t testing.TB, objects []soa.Object) map[string]*linear.Tree {
	t.Helper()
	pending := plant(t, objects[:len(objects)-len(objects)/16], false)
	trees.Insert(t, pending, objects[pending.Len():])
	return map[string]*linear.Tree{
		"frozen": plant(t, objects, true), "roomy": plant(t, objects, false), "pending": pending,
	}
}

// checkHits compares all forms of a query with the expected entries.
func checkHits(t *testing.T, c sweepForms, v linear.View, f query.Filter, want []testkit.Entry) {
	t.Helper()
	got := c.Append(nil, v, f)
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if int(g.ID) != w.Index || math.Float32bits(g.Dist) != math.Float32bits(w.Time) {
			t.Fatalf("hit %d: ID %d at %v, want %d at %v", i, g.ID, g.Dist, w.Index, w.Time)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d hits, want %d", len(got), len(want))
	}
	sameSweep(t, c, v, f, got)
}

func indices(entries []testkit.Entry) []int {
	list := make([]int, len(entries))
	for i, e := range entries {
		list[i] = e.Index
	}
	return list
}

// Rays at the ends of float32, along edges and of no length have the entries of the reference, to the bit and in order,
// where a walk by kernels ends without a hit that counts, too.
func TestEdgeRays(t *testing.T) {
	seed := testkit.Seed(t)
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(1500, seed)
		v := plant(t, objects, true).View()
		sweeps := testkit.EdgeRays(objects, seed)
		testkit.EachTier(t, func(t *testing.T) {
			for _, s := range sweeps {
				if c, ok := casterOf(t, s); ok {
					checkHits(t, c, v, query.Filter{}, testkit.ReferenceSweep(objects, s))
				}
			}
		})
	}
}

// Where a ray enters: position on the face, normal against the motion.
func TestRayHit(t *testing.T) {
	tree := plant(t, []soa.Object{{Box: soa.AABB{Min: [3]float32{2, -1, -1}, Max: [3]float32{4, 1, 1}}}}, true)
	v := tree.View()
	for _, c := range []struct{ origin, dir, pos, normal [3]float32 }{
		{[3]float32{0, 0.5, 0}, [3]float32{1, 0, 0}, [3]float32{2, 0.5, 0}, [3]float32{-1, 0, 0}},
		{[3]float32{6, 0.5, 0}, [3]float32{-2, 0, 0}, [3]float32{4, 0.5, 0}, [3]float32{1, 0, 0}},
		{[3]float32{3, 3, 0}, [3]float32{0, -1, 0}, [3]float32{3, 1, 0}, [3]float32{0, 1, 0}},
		{[3]float32{3, 0, 0}, [3]float32{0, -1, 0}, [3]float32{3, 0, 0}, [3]float32{}},
		{[3]float32{2, 0, 0}, [3]float32{1, 0, 0}, [3]float32{2, 0, 0}, [3]float32{}}, // from a face
		{[3]float32{3, 1, 0}, [3]float32{0, -1, 0}, [3]float32{3, 1, 0}, [3]float32{}},
		{[3]float32{1, -2, -2}, [3]float32{1, 1, 1}, [3]float32{2, -1, -1}, [3]float32{-1, 0, 0}},
	} {
		r := rayOf(t, c.origin, c.dir, 10)
		h, ok := r.First(v, query.Filter{})
		if !ok || h.Pos != c.pos || h.Normal != c.normal {
			t.Errorf("%v: %v %v", c, h, ok)
		}
	}
}

// The counters of a ray do not include the work of the previous one.
func TestRayCountsAnew(t *testing.T) {
	var objects []soa.Object
	for i := range 3000 {
		x := [3]float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)}
		objects = append(objects, soa.Object{Box: soa.AABB{Min: x, Max: [3]float32{x[0] + 0.5, x[1] + 0.5, x[2] + 0.5}}, Mask: 1 << (i % 2)})
	}
	v := plant(t, objects, true).View()
	for _, flt := range []query.Filter{{}, {Mask: 1}} {
		for i := range 10 {
			y := float32(i) + 0.25
			whole := rayOf(t, [3]float32{-1, y, 0.25}, [3]float32{1, 0, 0}, 100)
			part := rayOf(t, [3]float32{-1, y, 1.25}, [3]float32{1, 0, 0}, float32(i)+1.25)
			ids, few := whole.AppendIDs(nil, v, flt), part.AppendIDs(nil, v, flt)
			if n := whole.Count(v, flt); n != len(ids) {
				t.Errorf("after another ray: %d, want %d", n, len(ids))
			}
			if n := part.Count(v, flt); n != len(few) {
				t.Errorf("after another ray: %d, want %d", n, len(few))
			}
		}
	}
}

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
