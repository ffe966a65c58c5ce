package linear_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The moves of several calls without a read in between are made together: they give the tree that one batch of all
// of them gives, whatever share of the objects moves, also within one Apply.
func TestMovesOfManyCalls(t *testing.T) {
	const n = 3000
	objects := sceneOf(t, "uniform", n)
	for _, share := range []int{100, 5, 2} { // one object in so many moves
		for _, calls := range []int{2, 10, 100} {
			t.Run(fmt.Sprintf("one_in_%d/calls=%d", share, calls), func(t *testing.T) {
				r := testkit.Rand(testkit.Seed(t))
				one, many, applied := newTree(t, linear.Config{}), newTree(t, linear.Config{}), newTree(t, linear.Config{})
				ids := insert(t, one, objects)
				insert(t, many, objects)
				insert(t, applied, objects)
				boxes := make([]soa.AABB, n)
				for i := range objects {
					boxes[i] = objects[i].Box
				}
				var batch linear.Batch
				for frame := range 6 {
					var moved []uint32
					var to []soa.AABB
					for range n / share {
						id := ids[r.IntN(n)]
						boxes[id] = drift(r, boxes[id], 2, soa.AABB{Max: [3]float32{100, 100, 100}}, 20)
						moved, to = append(moved, id), append(to, boxes[id])
					}
					must(t, one.MoveBatch(moved, to))
					batch.Reset()
					for c := range calls {
						lo, hi := c*len(moved)/calls, (c+1)*len(moved)/calls
						must(t, many.MoveBatch(moved[lo:hi], to[lo:hi]))
						batch.MoveBatch(moved[lo:hi], to[lo:hi])
					}
					_, err := applied.Apply(&batch)
					must(t, err)
					for _, tree := range []*linear.Tree{one, many, applied} {
						tick(t, tree)
						valid(t, tree)
						for id, box := range boxes {
							if o, _ := tree.Object(uint32(id)); o.Box != box {
								t.Fatalf("frame %d: object %d has the box %v, want %v", frame, id, o.Box, box)
							}
						}
					}
					if a, b, c := one.LayoutDigest(), many.LayoutDigest(), applied.LayoutDigest(); a != b || a != c {
						t.Fatalf("frame %d: the trees of one call, of many and of Apply differ", frame)
					}
				}
			})
		}
	}
}

// An object that moves several times before a read gets the body of the last call, whatever the kinds of bodies
// and the order of their calls.
func TestLastBodyOfManyCalls(t *testing.T) {
	const n = 600
	objects := sceneOf(t, "uniform", n)
	for _, share := range []int{50, 2} {
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		r := testkit.Rand(testkit.Seed(t))
		kinds := make([]int, n)
		spheres := make([][4]float32, n)
		for round := range 30 {
			for range 1 + r.IntN(6) {
				kind := r.IntN(3)
				var to linear.Bodies
				var moved []uint32
				for range 1 + n/share/4 {
					id := ids[r.IntN(n)]
					c := objects[id].Box.Center()
					for a := range c {
						c[a] += r.Float32()
					}
					half := 1 + r.Float32()
					ball := [4]float32{c[0], c[1], c[2], half}
					switch kind {
					case 0:
						to.Boxes = append(to.Boxes, soa.Ball{Sphere: ball}.Box())
					case 1:
						to.Spheres = append(to.Spheres, ball)
					default:
						to.Oriented = append(to.Oriented, linear.OrientedBox{Center: c, Axes: [3][3]float32{{half}, {0, half}, {0, 0, half}}})
					}
					moved, kinds[id], spheres[id] = append(moved, id), kind, ball
				}
				must(t, tree.MoveBodies(moved, to))
			}
			if round%3 == 0 {
				tick(t, tree)
			}
			for id, ball := range spheres {
				if ball[3] == 0 {
					continue // it has not moved
				}
				sphere, isBall := tree.Sphere(uint32(id))
				oriented, isOriented := tree.Oriented(uint32(id))
				if isBall != (kinds[id] == 1) || isOriented != (kinds[id] == 2) || isBall && sphere != ball || isOriented && oriented.Center != [3]float32(ball[:3]) {
					t.Fatalf("object %d has a sphere: %v, %v, and an oriented box: %v, %v; its last body is %v of kind %d",
						id, isBall, sphere, isOriented, oriented, ball, kinds[id])
				}
			}
			valid(t, tree)
		}
	}
}

// Objects that move far leave their packets at once, also several of one packet, and while others of it move a
// little: queries before the next tick visit little more than in a new tree.
func TestFarMovesWithoutTick(t *testing.T) {
	const n = 8000
	objects := sceneOf(t, "uniform", n)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	for _, frozen := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTree(t, linear.Config{Frozen: frozen})
		ids := insert(t, tree, objects)
		now := append([]soa.Object(nil), objects...)
		for range 20 {
			var moved []uint32
			var to []soa.AABB
			for range n / 200 {
				id := r.IntN(n - 8)
				for k := range 4 { // neighbours are often in one packet
					b := drift(r, now[id+k].Box, 0.1, world, 2)
					now[id+k].Box = b
					moved, to = append(moved, ids[id+k]), append(to, b)
				}
			}
			must(t, tree.MoveBatch(moved, to))
			valid(t, tree)
			check(t, tree, ids, now)
			if pending := tree.Stats().Pending; pending > 64 {
				t.Fatalf("%d objects are pending", pending)
			}
		}
		frusta, boxes := aged(t, tree, now)
		if frusta > 2 || boxes > 2 {
			t.Errorf("frozen %v: frusta visit %.2f, boxes %.2f times what they do in a new tree", frozen, frusta, boxes)
		}
	}
}

// An insertion applies deferred moves first: they may rebuild the tree in a smaller world, and the bounds that it
// keeps of its boxes then no longer contain the new one.
func TestInsertAfterGatheredMoves(t *testing.T) {
	for _, ball := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTree(t, linear.Config{})
		objects := make([]soa.Object, 1000)
		for i := range objects {
			objects[i].Box = cube(1000*r.Float32(), 1000*r.Float32(), 1000*r.Float32(), 1)
		}
		ids := insert(t, tree, objects)
		for i := range objects {
			objects[i].Box = cube(10*r.Float32(), 10*r.Float32(), 10*r.Float32(), 1)
		}
		for _, at := range []int{0, 500} {
			var to []soa.AABB
			for _, o := range objects[at : at+500] {
				to = append(to, o.Box)
			}
			must(t, tree.MoveBatch(ids[at:at+500], to))
		}
		var id uint32
		var err error
		o := soa.Object{Box: cube(900, 900, 900, 1), Mask: 1}
		if ball {
			b := soa.Ball{Sphere: [4]float32{900, 900, 900, 1}, Mask: 1}
			id, err = tree.InsertBall(b)
			o = b.Object()
		} else {
			id, err = tree.Insert(o)
		}
		must(t, err)
		valid(t, tree)
		check(t, tree, append(ids, id), append(objects, o))
	}
}

// Objects that move far find no more room than there is, and stay in their packets.
func TestFarMovesWithoutRoom(t *testing.T) {
	const n = 4000
	objects := sceneOf(t, "uniform", n)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
	slots := len(tree.View().Store().Packets.Counts)
	tree.SetLimits(0, slots+soa.BlockSlots, len(tree.View().Store().Nodes.Hot))
	r := testkit.Rand(testkit.Seed(t))
	var moved []uint32
	var to []soa.AABB
	for i := range n / 4 {
		objects[i].Box = drift(r, objects[i].Box, 0, world, 1)
		moved, to = append(moved, ids[i]), append(to, objects[i].Box)
	}
	must(t, tree.MoveBatch(moved, to))
	check(t, tree, ids, objects)
	valid(t, tree)
	if got := len(tree.View().Store().Packets.Counts); got > slots+soa.BlockSlots {
		t.Errorf("%d slots, at most %d", got, slots+soa.BlockSlots)
	}
}

// Objects that are removed after they have moved far leave nothing to flush.
func TestFarMovesRemoved(t *testing.T) {
	objects := sceneOf(t, "uniform", 3000)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	by := (world.Max[0] - world.Min[0]) * 0.8
	var far []uint32
	for i, id := range ids {
		if b := objects[i].Box; b.Max[0] < world.Max[0]-by && len(far) < 64 {
			b.Min[0], b.Max[0] = b.Min[0]+by, b.Max[0]+by
			must(t, tree.Move(id, b))
			far = append(far, id)
		}
	}
	must(t, tree.RemoveBatch(far))
	tick(t, tree)
	if _, err := tree.Insert(objects[0]); err != nil {
		t.Fatal(err)
	}
	if _, pending, crowded := tree.Waiting(); pending != 1 || crowded {
		t.Errorf("%d objects are pending, too many: %v", pending, crowded)
	}
}

// The log lists the moves of several calls in the order of the calls, whatever the kinds of bodies.
func TestLogOfManyCalls(t *testing.T) {
	const n = 1000
	objects := sceneOf(t, "uniform", n)
	tree := newTree(t, linear.Config{Log: true})
	ids := insert(t, tree, objects)
	tick(t, tree)
	var spheres [][4]float32
	var boxes []soa.AABB
	for i := range 200 {
		c := objects[i].Box.Center()
		spheres = append(spheres, [4]float32{c[0], c[1], c[2], 0.1})
		boxes = append(boxes, objects[200+i].Box)
	}
	_, since, _ := tree.View().Changes(0)
	must(t, tree.MoveBodies(ids[:200], linear.Bodies{Spheres: spheres}))
	must(t, tree.MoveBatch(ids[200:400], boxes))
	var got []uint32
	changes, _, ok := tree.View().Changes(since)
	for i := range changes {
		got = append(got, changes[i].ID)
	}
	if want := ids[:400]; !ok || !slices.Equal(got, want) {
		t.Errorf("the log lists %d objects from %v on, in another order than the calls", len(got), got[:min(4, len(got))])
	}
}
