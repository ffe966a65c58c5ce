package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Objects outside are counted exactly if all objects move, also at the faces of the world.
func TestCountOutside(t *testing.T) {
	tiny, negZero := math.Float32frombits(1), math.Float32frombits(1<<31)
	at := []float32{negZero, 0, tiny, -tiny, 8, math.Nextafter32(16, 0), 16, math.Nextafter32(16, 17), -3, 20}
	const n = 3000
	r := testkit.Rand(4)
	world := soa.AABB{Max: [3]float32{15, 15, 15}}
	tree := newTree(t, linear.Config{World: world, Fixed: true, Policy: linear.PolicyIncremental})
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = soa.Object{Box: cube(r.Float32()*15, r.Float32()*15, r.Float32()*15, 0), Mask: 1}
	}
	insert(t, tree, objects)
	if lo, hi := tree.World().Bounds(); lo != [3]float32{} || hi != [3]float32{16, 16, 16} {
		t.Fatalf("the world is %v to %v", lo, hi)
	}
	boxes := make([]soa.AABB, n)
	for round := range 6 {
		want := 0
		for i := range boxes {
			b := &boxes[i]
			*b = objects[i].Box
			for a := range 3 {
				if r.IntN(3<<round) == 0 { // in later rounds few leave, and most packets hold some
					b.Min[a] = at[r.IntN(len(at))]
					b.Max[a] = b.Min[a]
				}
			}
			if !tree.World().Inside(b.Center()) {
				want++
			}
		}
		_, arrangement := tree.Order(nil)
		ids, _ := tree.Order(nil)
		inOrder := make([]soa.AABB, n)
		for i, id := range ids {
			inOrder[i] = boxes[id]
		}
		must(t, tree.MoveInOrder(arrangement, inOrder))
		if got := tree.OutsideNow(); got != want {
			t.Errorf("round %d: %d are outside, want %d", round, got, want)
		}
		tick(t, tree)
		valid(t, tree)
	}
}

// Invalid configurations are errors that name the field.
func TestConfigErrors(t *testing.T) {
	for _, cfg := range []linear.Config{
		{Workers: -1}, {PendingMin: -1}, {PendingShare: -1}, {World: soa.AABB{Min: [3]float32{1, 0, 0}}},
		{SplitAbove: 1}, {SplitAbove: 17}, {SplitAbove: -1}, {MergeBelow: 16}, {SplitAbove: 4, MergeBelow: 4},
		{MergeBelow: -1}, {Slack: 101}, {Lifespan: 65}, {GrowShare: 1}, {ShrinkShare: 1}, {Policy: 4}, {Outside: 3}, {Cut: 3}, {Outside: linear.OutsideReject}, {Outside: linear.OutsideRemove}, {Fixed: true}, {World: cube(0, 0, 0, 1), Outside: linear.OutsideReject},
		{World: soa.AABB{Min: [3]float32{float32(math.NaN())}}},
	} {
		if _, err := linear.New(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
		if m, err := linear.NewMap[int](cfg); err == nil || m != nil {
			t.Errorf("a map of %+v: no error", cfg)
		}
	}
}

// A given world that is not fixed grows towards the objects and shrinks back, but never below the given world.
func TestGivenWorld(t *testing.T) {
	given := cube(10, 10, 10, 40)
	tree := newTree(t, linear.Config{World: given, PendingMin: 64})
	first := tree.World()
	if !first.Inside(given.Min) || !first.Inside(given.Max) {
		t.Fatalf("the world %v does not hold %v", first, given)
	}
	const n = 3000
	at := func(side float32) (boxes []soa.AABB) {
		r := testkit.Rand(7)
		for range n {
			boxes = append(boxes, cube(r.Float32()*side, r.Float32()*side, r.Float32()*side, 0.25))
		}
		return boxes
	}
	objects := make([]soa.Object, n)
	for i, b := range at(4) {
		objects[i].Box = b
	}
	ids := insert(t, tree, objects)
	for _, x := range []struct {
		side  float32
		exp   int // of the world beyond the first
		ticks int
	}{{4, 0, 1}, {4000, 1, 12}, {4, 0, 12}, {900, 1, 12}, {30, 0, 12}} {
		boxes := at(x.side)
		for range x.ticks {
			must(t, tree.MoveBatch(ids, boxes))
			tick(t, tree)
		}
		w := tree.World()
		if !w.Inside(given.Min) || !w.Inside(given.Max) {
			t.Errorf("side %v: the world %v does not hold %v", x.side, w, given)
		}
		if (w.Exp() > first.Exp()) != (x.exp > 0) {
			t.Errorf("side %v: the world is %v, at first it was %v", x.side, w, first)
		}
		for i := range objects {
			objects[i].Box = boxes[i]
		}
		check(t, tree, ids, objects)
	}
}

// The world of a build contains the centres of its objects, even of few.
func TestWorldHoldsFew(t *testing.T) {
	for _, at := range [][3]float32{{1000, 1000, 1000}, {-1e-6, 3, 1e7}, {0, 0, 0}} {
		for n := range 5 {
			tree := newTree(t, linear.Config{})
			var objects []soa.Object
			for i := range n {
				objects = append(objects, soa.Object{Box: cube(at[0]+float32(i), at[1], at[2], 0.5)})
			}
			for _, how := range []string{"batch", "rebuild", "frozen", "one by one"} {
				switch how {
				case "batch":
					insert(t, tree, objects)
				case "rebuild":
					rebuild(t, tree, false)
				case "frozen":
					rebuild(t, tree, true)
				default:
					tree = newTree(t, linear.Config{})
					for _, o := range objects {
						_, err := tree.Insert(o)
						must(t, err)
					}
					tick(t, tree)
				}
				valid(t, tree)
				for _, o := range objects {
					if w := tree.World(); !w.Inside(o.Box.Center()) {
						t.Errorf("%d objects, %s: the world %v does not hold %v", n, how, w, o.Box.Center())
					}
				}
			}
		}
	}
}
