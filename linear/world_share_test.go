package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// steady is a tree of n objects that does not rebuild, in the cube from 0 to 64.
func steady(t *testing.T, n int, cfg linear.Config) (tree *linear.Tree, ids []uint32) {
	t.Helper()
	cfg.Policy, cfg.World = linear.PolicyIncremental, cube(32, 32, 32, 31)
	tree = newTree(t, cfg)
	r := testkit.Rand(uint64(n))
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i].Box = cube(r.Float32()*62, r.Float32()*62, r.Float32()*62, 1)
	}
	ids = insert(t, tree, objects)
	tick(t, tree)
	if lo, hi := tree.World().Bounds(); lo != [3]float32{} || hi != [3]float32{64, 64, 64} {
		t.Fatalf("the world is %v", tree.World())
	}
	return tree, ids
}

// GrowShare is the share of objects outside above which the world grows, exact to one object. If it is
// negative, the world grows only at a rebuild.
func TestGrowShare(t *testing.T) {
	const n = 1000
	for _, x := range []struct{ share, most int }{{0, n / 16}, {16, n / 16}, {2, n / 2}, {3, n / 3}, {100, n / 100}, {1 << 30, 0}, {-1, n}} {
		for _, out := range []int{x.most, x.most + 1} {
			if out > n {
				continue
			}
			tree, ids := steady(t, n, linear.Config{GrowShare: x.share})
			for _, id := range ids[:out] {
				must(t, tree.Move(id, cube(-20, 1, 1, 1)))
			}
			tick(t, tree)
			valid(t, tree)
			if got := tree.Work().Grown; got != out-x.most {
				t.Errorf("GrowShare %d: %d of %d objects outside, and the world has doubled %d times", x.share, out, n, got)
			}
			if x.share < 0 {
				rebuild(t, tree, false)
				if w := tree.World(); !w.Inside([3]float32{-20, 1, 1}) {
					t.Errorf("GrowShare %d: a rebuild leaves the world %v", x.share, w)
				}
			}
		}
	}
}

// ShrinkShare is the part of the side that must contain all objects for the world to shrink. If it is negative,
// the world shrinks only at a rebuild.
func TestShrinkShare(t *testing.T) {
	for _, x := range []struct {
		share  int
		gather float32 // part of the side that all boxes span
		shrunk bool
	}{
		{0, 0.24, true}, {0, 0.26, false}, {4, 0.24, true}, {4, 0.26, false},
		{2, 0.49, true}, {2, 0.51, false}, {20, 0.049, true}, {20, 0.051, false}, {-1, 0.01, false},
	} {
		tree, ids := steady(t, 500, linear.Config{ShrinkShare: x.share})
		grown := cube(-70, -70, -70, 1) // keeps the given world in one octant
		for _, id := range ids {
			must(t, tree.Move(id, grown))
		}
		tick(t, tree)
		before := tree.World()
		if tree.Work().Grown == 0 {
			t.Fatalf("the world has not grown: %v", before)
		}
		// In the middle of the octant of the given world.
		lo, hi := before.Bounds()
		side := hi[0] - lo[0]
		at := func(k int) float32 { return hi[0] - side/4 + (float32(k)-0.5)*float32(x.gather*side) }
		for i, id := range ids {
			var b soa.AABB
			for a := range 3 {
				b.Min[a] = at(i >> a & 1)
				b.Max[a] = b.Min[a]
			}
			must(t, tree.Move(id, b))
		}
		tick(t, tree)
		valid(t, tree)
		if got := tree.Work().Shrunk > 0; got != x.shrunk {
			t.Errorf("ShrinkShare %d, boxes in %v of the side: the world has shrunk: %v", x.share, x.gather, got)
		}
		if x.share >= 0 {
			continue
		}
		rebuild(t, tree, false)
		if w := tree.World(); w.Exp() >= before.Exp() {
			t.Errorf("ShrinkShare %d: a rebuild leaves the world %v", x.share, w)
		}
	}
}

// A world that halves, towards any corner, displaces no object near that corner: the keys of cells become the
// keys of the same cells in the new world. (An object that has moved inside its placement box may have the key of
// another cell, so these are new.)
func TestShrinkKeepsPlacement(t *testing.T) {
	seed := testkit.Seed(t)
	for corner := range 8 {
		tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
		objects := testkit.SceneByName(t, "uniform").Make(2000, seed)
		former := insert(t, tree, objects)
		lo, hi := tree.World().Bounds()
		for i := range objects {
			c := objects[i].Box.Center()
			for a := range 3 {
				c[a] = lo[a] + (c[a]-lo[a])/8
				if corner>>a&1 != 0 {
					c[a] += (hi[a] - lo[a]) * 7 / 8
				}
			}
			objects[i].Box = soa.AABB{Min: c, Max: c}
		}
		insert(t, tree, objects)
		must(t, tree.RemoveBatch(former))
		for ticks := 0; tree.Work().Shrunk == 0; ticks++ {
			if ticks > 8 {
				t.Fatalf("corner %d: the world does not halve", corner)
			}
			tick(t, tree)
		}
		for again := 1; again < 3; again++ {
			valid(t, tree)
			tick(t, tree)
			if w := tree.Work(); w.Placed+w.Rebuilt > 0 {
				t.Errorf("corner %d, tick %d: objects have lost their homes: %+v", corner, again, w)
			}
		}
	}
}

// The world doubles towards the octant of the most outside objects, even if on each axis alone more objects are
// on the other side.
func TestGrowsTowardsMost(t *testing.T) {
	tree, ids := steady(t, 2000, linear.Config{})
	move := func(n int, x, y, z float32) {
		for _, id := range ids[:n] {
			must(t, tree.Move(id, cube(x, y, z, 1)))
		}
		ids = ids[n:]
	}
	move(60, 80, 30, 30)   // above on x
	move(60, 30, 80, 30)   // above on y
	move(80, -20, -20, 30) // below on both: fewer, but the majority on x, and on y
	tick(t, tree)
	valid(t, tree)
	w := tree.World()
	if tree.Work().Grown != 1 || !w.Inside([3]float32{80, 30, 30}) || !w.Inside([3]float32{30, 80, 30}) || w.Inside([3]float32{-20, -20, 30}) {
		t.Errorf("%+v, the world is %v", tree.Work(), w)
	}
}

// Of the eight ways to double, the world takes one that includes the most outside objects, if this is half of
// them. An object on a face of the world is outside only of the upper faces.
func TestGrowsBest(t *testing.T) {
	seed := testkit.Seed(t)
	at := []float32{-30, 0, 30, math.Nextafter32(64, 0), 64, 90}
	grew, stayed := 0, 0
	for round := range testkit.Budget(t, 60, 1000) {
		r := testkit.Rand(seed + uint64(round))
		tree, ids := steady(t, 600, linear.Config{})
		before := tree.World()
		var instances [3][3]float32
		for i := range instances {
			for a := range 3 {
				instances[i][a] = at[r.IntN(len(at))]
			}
		}
		best := [8]int{}
		out := 0
		for _, id := range ids[:100] {
			p := instances[r.IntN(3)]
			must(t, tree.Move(id, cube(p[0], p[1], p[2], 0)))
			if before.Inside(p) {
				continue
			}
			out++
			for octant := range best {
				if w, ok := before.Grow(octant); ok && w.Inside(p) {
					best[octant]++
				}
			}
		}
		most := 0
		for _, n := range best {
			most = max(most, n)
		}
		tick(t, tree)
		valid(t, tree)
		if w := tree.World(); out <= 600/16 || 2*most < out {
			stayed++
			if w != before {
				t.Errorf("round %d: %d outside, %d in one way, and the world is %v", round, out, most, w)
			}
		} else {
			grew++
			if got := waysOf(before, w, best); got != most {
				t.Errorf("round %d: the world has become %v, which brings in %d of %d; %d could be", round, w, got, out, most)
			}
		}
	}
	if grew == 0 || stayed == 0 {
		t.Errorf("the world has grown %d times and stayed %d times", grew, stayed)
	}
}

// waysOf returns the element of in for the octant by which a world has doubled, or -1 if it has not doubled.
func waysOf(before, after morton.World, in [8]int) int {
	for octant, n := range in {
		if w, ok := before.Grow(octant); ok && w == after {
			return n
		}
	}
	return -1
}
