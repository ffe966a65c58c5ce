package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// caster is the common interface of rays and swept shapes.
type caster interface {
	First(linear.View, query.Filter) (query.Hit, bool)
	Append([]query.Hit, linear.View, query.Filter) []query.Hit
	Any(linear.View, query.Filter) bool
}

// casterOf returns the query of a sweep; ok is false for a sweep that is no ray and no swept box.
func casterOf(t testing.TB, s testkit.Sweep) (c caster, ok bool) {
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
func checkHits(t *testing.T, c caster, v linear.View, f query.Filter, want []testkit.Entry) {
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
	first, ok := c.First(v, f)
	if ok != (len(got) > 0) || ok && first != got[0] {
		t.Fatalf("nearest %v %v, want the first of %d: %v", first, ok, len(got), got[:min(1, len(got))])
	}
	if c.Any(v, f) != ok {
		t.Fatalf("any is %v with %d hits", !ok, len(got))
	}
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
