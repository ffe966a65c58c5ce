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

// If some boxes are 100 to 100,000 times as far away as the others, the world is about the world of the others,
// for any share of far boxes.
func TestWorldOfHeavyTails(t *testing.T) {
	n := testkit.Budget(t, 20_000, 200_000)
	seed := testkit.Seed(t)
	for _, percent := range []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 15} {
		r := testkit.Rand(seed)
		objects := make([]soa.Object, n)
		for i := range objects {
			scale := 500.0
			if r.IntN(100) < percent {
				scale *= math.Pow(10, 2+3*r.Float64())
			}
			at := func() float32 { return float32(scale * (2*r.Float64() - 1)) }
			objects[i] = soa.Object{Box: cube(at(), at(), at(), 1), Mask: 1}
		}
		tree := newTree(t, linear.Config{})
		insert(t, tree, objects)
		if side := tree.World().Side(); side < 1000 || side > 8*1024 {
			t.Errorf("of %d %% far boxes the world has the side %g", percent, side)
		}
	}
}

// An empty tree fits its world to objects that are inserted one by one, of any position and size: most of them
// pass the fast check. A far object is treated as an outlier, reads in between change nothing, and a given
// world stays.
func TestPendingWorld(t *testing.T) {
	const n = 1000
	for _, x := range []struct {
		name       string
		at         [3]float32
		span, size float32
	}{
		{"positive", [3]float32{0, 0, 0}, 64, 2},
		{"around 0", [3]float32{-32, -32, -32}, 64, 2},
		{"negative", [3]float32{-5000, -6000, -7000}, 1000, 1},
		{"northing", [3]float32{4.5e5, 5.4e6, 300}, 2000, 1},
		{"tiny", [3]float32{-1e-6, -1e-6, 1e-6}, 1e-6, 1e-9},
		{"giants", [3]float32{-1, -1, -1}, 2, 1000},
		{"far away", [3]float32{-3e30, 2e30, 1e30}, 1e28, 1e26},
	} {
		t.Run(x.name, func(t *testing.T) {
			seed := testkit.Seed(t)
			tell := func(tree *linear.Tree, look bool, far int) (known int) {
				r := testkit.Rand(seed)
				for i := range n {
					var o soa.Object
					for a := range 3 {
						o.Box.Min[a] = x.at[a] + float32(x.span*r.Float32())
						o.Box.Max[a] = o.Box.Min[a] + x.size
					}
					if i == far {
						o.Box = cube(1e33, -1e33, 1e33, 0)
					}
					if tree.KnownBefore(o.Box) {
						known++
					}
					_, err := tree.Insert(o)
					must(t, err)
					if look && i%7 == 0 {
						tree.View()
						tree.World()
					}
					if i%100 == 3 {
						valid(t, tree)
					}
				}
				valid(t, tree)
				return known
			}
			tree := newTree(t, linear.Config{PendingMin: 1024})
			if known := tell(tree, false, -1); known < n-n/8 {
				t.Errorf("%d of %d needed no check", known, n)
			}
			reference := newTree(t, linear.Config{PendingMin: 1024})
			tell(reference, true, -1)
			if tree.LayoutDigest() != reference.LayoutDigest() {
				t.Error("looks have decided something")
			}
			lone := newTree(t, linear.Config{PendingMin: 1024})
			if known := tell(lone, false, 500); known < n-n/8 {
				t.Errorf("%d of %d needed no check, beside a far one", known, n)
			}
			if lone.World() != tree.World() && lone.World().Exp() > tree.World().Exp()+1 {
				t.Errorf("with a far object the world is %v, without %v", lone.World(), tree.World())
			}
			tick(t, tree)
			valid(t, tree)
			given := newTree(t, linear.Config{PendingMin: 1024, World: cube(0, 0, 0, 8)})
			before := given.World()
			tell(given, false, -1)
			if given.World() != before {
				t.Errorf("the given world has become %v", given.World())
			}
			tree.Clear()
			for i := range 40 { // elsewhere
				_, err := tree.Insert(soa.Object{Box: cube(-1e9-float32(i)*1e6, 2e9, 3e9, 1)})
				must(t, err)
				valid(t, tree)
			}
			if !tree.KnownBefore(cube(-1e9-20e6, 2e9, 3e9, 1)) {
				t.Error("after Clear the world does not fit")
			}
		})
	}
}

// Near objects of the last corner of the world are in packets with far ones. In a packet of their own their
// placement is right for all keys, so an object that moves out of the corner may stay. When far objects are
// added to its packet, by an insertion, a split or a join, it is displaced though it has not moved.
func TestOutlierPlacementGrows(t *testing.T) {
	const corner = 120 // first coordinate of the keys of far objects on each axis
	const far, near = 12, 28
	var objects []soa.Object
	for i := range far {
		objects = append(objects, giant(1e6+1e5*float32(i), 1e5*float32(i), 122, 1))
	}
	for i := range near { // two packets, which are full
		objects = append(objects, soa.Object{Box: cube(corner+1+float32(i)/16, corner+0.5, 122, 0.25), Mask: 1})
	}
	for i := range 400 {
		objects = append(objects, soa.Object{Box: cube(float32(i-200)/2, 0, 0, 1), Mask: 1})
	}
	const moved = far + near - 1 // the nearest to the far objects
	for _, way := range []struct {
		name   string
		change func(*testing.T, *linear.Tree)
	}{
		{"insert", func(t *testing.T, tree *linear.Tree) {
			insert(t, tree, []soa.Object{giant(122, 122, 122, 500)})
		}},
		{"cut", func(t *testing.T, tree *linear.Tree) {
			must(t, tree.Remove(far))
			insert(t, tree, []soa.Object{giant(4e6, 4e6, 4e6, 1), giant(5e6, 5e6, 5e6, 1), giant(6e6, 6e6, 6e6, 1)})
		}},
		{"join", func(t *testing.T, tree *linear.Tree) {
			for id := range uint32(moved) {
				if id < far-1 || id >= far && id < moved-4 {
					must(t, tree.Remove(id))
				}
			}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			tree := newTree(t, linear.Config{World: cube(0, 0, 0, 64), Fixed: true, Slack: 100, MergeBelow: 6, PendingMin: 1, Lifespan: linear.Off})
			insert(t, tree, objects)
			tick(t, tree)
			must(t, tree.Move(moved, cube(corner+3, corner-0.25, 122, 0.25)))
			valid(t, tree)
			way.change(t, tree)
			valid(t, tree)
			tick(t, tree)
			valid(t, tree)
		})
	}
}

// Boxes whose lengths, or sums of lengths, are beyond float32 are ordinary objects, with any slack: Validate
// passes after each change, and a tree reads its own file.
func TestPlacementOfHugeBoxes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	box := func() (b soa.AABB) {
		for a := range 3 {
			most := []float32{1, 1e19, 1e38, math.MaxFloat32 / 2, math.MaxFloat32}[r.IntN(5)]
			x, y := float32((r.Float32()*2-1)*most), float32((r.Float32()*2-1)*most)
			switch r.IntN(4) {
			case 0:
				x, y = -most, most
			case 1:
				y = x
			}
			b.Min[a], b.Max[a] = min(x, y), max(x, y)
		}
		return b
	}
	policies := []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild}
	for _, slack := range []int{-1, 0, 1, 100} {
		for _, policy := range policies {
			tree := newTree(t, linear.Config{Slack: slack, Policy: policy, PendingMin: 4, PendingShare: 1 << 20, Workers: 1})
			var ids []uint32
			for range testkit.Budget(t, 4, 400) {
				for range 8 {
					id, err := tree.Insert(soa.Object{Box: box(), Mask: 1})
					must(t, err)
					ids = append(ids, id)
				}
				for range 4 {
					must(t, tree.Move(ids[r.IntN(len(ids))], box()))
				}
				var boxes []soa.AABB
				for range ids {
					boxes = append(boxes, box())
				}
				n := r.IntN(len(ids))
				must(t, tree.MoveBatch(ids[:n], boxes[:n]))
				if r.IntN(2) == 0 {
					tick(t, tree)
				} else {
					must(t, tree.Flush())
				}
				valid(t, tree)
				again := loaded(t, written(t, tree), linear.CheckFull)
				if again.LayoutDigest() != tree.LayoutDigest() {
					t.Fatalf("slack %d, %v: the tree of the file is another one", slack, policy)
				}
			}
		}
	}
}
