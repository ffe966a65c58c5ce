package linear_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
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

// All objects move in several calls, in the order of their IDs or in another one, to boxes, or to boxes and spheres in
// turn: the tree, and the changes that views list, are those of one call.
func TestAllMoveInManyCalls(t *testing.T) {
	const n = 1000 // which the log takes
	objects := sceneOf(t, "uniform", n)
	for _, mixed := range []bool{false, true} {
		for _, shuffled := range []bool{false, true} {
			for _, calls := range []int{1, 2, 7, 300} {
				config := linear.Config{Log: !mixed} // which lists the calls in their order
				one, many := newTree(t, config), newTree(t, config)
				ids := insert(t, one, objects)
				insert(t, many, objects)
				r := testkit.Rand(testkit.Seed(t))
				if shuffled {
					r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				}
				boxes := make([]soa.AABB, n)
				for frame := range 5 {
					_, since, _ := one.View().Changes(0)
					_, from, _ := many.View().Changes(0)
					var inOrder []uint32 // first those that get boxes
					var all, balls linear.Bodies
					var round []uint32
					for c := range calls {
						lo, hi := c*n/calls, (c+1)*n/calls
						var to linear.Bodies
						for i, id := range ids[lo:hi] {
							boxes[lo+i] = drift(r, objects[id].Box, float32(frame), soa.AABB{}, 0)
							if ball := (soa.Ball{Sphere: [4]float32{boxes[lo+i].Min[0], 2, 3, 1}}); mixed && c%2 == 1 {
								to.Spheres = append(to.Spheres, ball.Sphere)
							} else {
								to.Boxes = append(to.Boxes, boxes[lo+i])
							}
						}
						must(t, many.MoveBodies(ids[lo:hi], to))
						all.Boxes, balls.Spheres = append(all.Boxes, to.Boxes...), append(balls.Spheres, to.Spheres...)
						if len(to.Spheres) > 0 {
							round = append(round, ids[lo:hi]...)
						} else {
							inOrder = append(inOrder, ids[lo:hi]...)
						}
					}
					all.Spheres = balls.Spheres
					must(t, one.MoveBodies(append(inOrder, round...), all))
					valid(t, one)
					valid(t, many)
					if one.LayoutDigest() != many.LayoutDigest() {
						t.Fatalf("mixed %v, shuffled %v, %d calls, frame %d: the trees differ", mixed, shuffled, calls, frame)
					}
					a, _, _ := one.View().Changes(since)
					b, _, _ := many.View().Changes(from)
					if !mixed && (len(a) != n || !slices.Equal(a, b)) {
						t.Fatalf("mixed %v, shuffled %v, %d calls, frame %d: %d and %d changes", mixed, shuffled, calls, frame, len(a), len(b))
					}
					tick(t, one)
					tick(t, many)
				}
			}
		}
	}
}

// Half of the objects move twice in a frame, first to boxes and then to spheres: there are as many moves as objects,
// but not all objects move.
func TestHalfMoveTwice(t *testing.T) {
	const n = 1000
	objects := sceneOf(t, "uniform", n)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	var boxes []soa.AABB
	var spheres [][4]float32
	for i := range objects[:n/2] {
		boxes, spheres = append(boxes, objects[n-1-i].Box), append(spheres, [4]float32{float32(i), 2, 3, 1})
	}
	must(t, tree.MoveBatch(ids[:n/2], boxes))
	must(t, tree.MoveBodies(ids[:n/2], linear.Bodies{Spheres: spheres}))
	for i, id := range ids {
		sphere, isBall := tree.Sphere(id)
		if o, _ := tree.Object(id); isBall != (i < n/2) || isBall && sphere != spheres[i] || !isBall && o.Box != objects[i].Box {
			t.Fatalf("object %d has the box %v and the sphere %v: %v", id, o.Box, sphere, isBall)
		}
	}
	valid(t, tree)
}

// Objects that leave the world in several calls are counted, whether most move or a part: it grows.
func TestWorldGrowsAfterManyCalls(t *testing.T) {
	const n = 1000
	objects := sceneOf(t, "uniform", n)
	for _, share := range []int{1, 4} { // one object in so many moves
		tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
		ids := insert(t, tree, objects)
		tick(t, tree)
		world := tree.World()
		side := float32(world.Side())
		for _, part := range [][]uint32{ids[:n/share/2], ids[n/share/2 : n/share]} {
			var to []soa.AABB
			for _, id := range part {
				to = append(to, objects[id].Box.Translate([3]float32{side}))
			}
			must(t, tree.MoveBatch(part, to))
		}
		tick(t, tree)
		valid(t, tree)
		if tree.World() == world {
			t.Errorf("one object in %d has left the world %v, which stays", share, world)
		}
	}
}

// A rejected call of a frame changes nothing, wherever the invalid body is: the moves before it stay deferred.
func TestRejectedAmongManyCalls(t *testing.T) {
	const n = 5000
	objects := sceneOf(t, "uniform", n)
	for _, outside := range []linear.Outside{linear.OutsideKeep, linear.OutsideReject} {
		for kind := range 3 {
			for _, bad := range []int{0, 1500, 3999} {
				config := linear.Config{Outside: outside, World: cube(0, 0, 0, 1000), Fixed: true}
				plain, tree := newTree(t, config), newTree(t, config)
				ids := insert(t, plain, objects)
				insert(t, tree, objects)
				var to linear.Bodies
				for i := range 4000 {
					c := objects[i].Box.Center()
					switch radius := float32(1); kind {
					case 0:
						if i == bad {
							c[1] = float32(math.NaN())
						}
						to.Boxes = append(to.Boxes, cube(c[0], c[1], c[2], 1))
					case 1:
						if i == bad {
							radius = -1
						}
						to.Spheres = append(to.Spheres, [4]float32{c[0], c[1], c[2], radius})
					default:
						if i == bad {
							radius = 0.5
						}
						to.Oriented = append(to.Oriented, linear.OrientedBox{Center: c, Axes: [3][3]float32{{1}, {1 - radius, radius}, {0, 0, 1}}})
					}
				}
				few := linear.Bodies{Boxes: []soa.AABB{objects[7].Box, objects[8].Box}}
				for _, each := range []*linear.Tree{plain, tree} {
					must(t, each.MoveBodies(ids[:2], few))
					if each == tree {
						for range 2 { // the second one would exceed the limit of deferred moves
							if err := tree.MoveBodies(ids[:4000], to); err == nil || !strings.Contains(err.Error(), fmt.Sprint("object ", bad)) {
								t.Fatalf("kind %d, body %d: error %v", kind, bad, err)
							}
							if err := tree.MoveBodies([]uint32{1, n}, few); !errors.Is(err, linear.ErrUnknown) {
								t.Fatalf("an unknown ID: error %v", err)
							}
						}
					}
					must(t, each.MoveBodies(ids[10:12], few))
					valid(t, each)
					tick(t, each)
				}
				if plain.LayoutDigest() != tree.LayoutDigest() {
					t.Fatalf("kind %d, body %d: a rejected call has changed the tree", kind, bad)
				}
			}
		}
	}
}

// Calls that move the objects 0, 1, 2, … in turn are rejected where one of them is not live.
func TestUnknownAmongManyCalls(t *testing.T) {
	objects := sceneOf(t, "uniform", 100)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	must(t, tree.Remove(ids[33]))
	for i := range 18 { // three frames
		if i%6 == 0 {
			valid(t, tree)
		}
		at := i % 6 * 10
		if err := tree.MoveBatch(ids[at:at+10], make([]soa.AABB, 10)); (at == 30) != errors.Is(err, linear.ErrUnknown) || (at == 30) != (err != nil) {
			t.Errorf("objects from %d on: error %v", at, err)
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
		if frusta > 1.2 || boxes > 1.5 {
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
	tree.SetLimits(0, slots+soa.Fan, len(tree.View().Store().Nodes.Hot))
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
	if got := len(tree.View().Store().Packets.Counts); got > slots+soa.Fan {
		t.Errorf("%d slots, at most %d", got, slots+soa.Fan)
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
