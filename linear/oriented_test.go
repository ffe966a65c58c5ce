package linear_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// someOriented returns a box in a cube of that side that is rotated about two axes: some are flat or points,
// few are large or far away.
func someOriented(r *rand.Rand, side float32) (b soa.OrientedBox) {
	far := float32(1)
	if r.IntN(60) == 0 {
		far = []float32{5, 1e5}[r.IntN(2)]
	}
	size := 2.
	if r.IntN(30) == 0 {
		size = float64(side)
	}
	s, c := math.Sincos(7 * r.Float64())
	s1, c1 := math.Sincos(7 * r.Float64())
	turn := [3][3]float64{{c, s, 0}, {-s * c1, c * c1, s1}, {s * s1, -c * s1, c1}}
	for i := range 3 {
		b.Center[i] = float32((r.Float32() - 0.5) * side * far)
		length := size * r.Float64() * float64(min(r.IntN(5), 1))
		for k := range 3 {
			b.Axes[i][k] = float32(length * turn[i][k])
		}
	}
	return b
}

func outerBoxes(oriented []soa.OrientedBox) (boxes []soa.AABB) {
	for _, b := range oriented {
		boxes = append(boxes, b.Box())
	}
	return boxes
}

// A move to oriented boxes equals a move to their bounding boxes by Box, followed by setting them: the trees
// are equal in every byte, for all calls and all tiers.
func TestOrientedMoves(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, 3, 40)
	configs := append(slices.Clone(modelConfigs), placeConfigs[0], linear.Config{Frozen: true, Log: true})
	testkit.EachTier(t, func(t *testing.T) {
		for k, cfg := range configs {
			if !testkit.OfTier(t, k) {
				continue
			}
			for _, n := range []int{13, 700} { // three of 13 are no majority
				r := testkit.Rand(seed + uint64(k))
				moved, set := newTree(t, cfg), newTree(t, cfg)
				objects := make([]soa.Object, n)
				for i := range objects {
					objects[i] = soa.Object{Box: someOriented(r, 100).Box(), Mask: 1 << r.IntN(3)}
				}
				ids := insert(t, moved, objects)
				insert(t, set, objects)
				same := func(what string) {
					t.Helper()
					valid(t, moved)
					a, b := moved.View().Store(), set.View().Store()
					if !reflect.DeepEqual(allColumns(a), allColumns(b)) || a.Extent != b.Extent || a.Near != b.Near {
						t.Fatalf("configuration %d, after %s: the trees differ", k, what)
					}
				}
				for round := range rounds {
					for _, movers := range []int{1 + n/10, n} { // few, and most, with some twice
						to, oriented := make([]uint32, movers), make([]soa.OrientedBox, movers)
						last := map[uint32]soa.OrientedBox{}
						for i := range to {
							to[i], oriented[i] = ids[r.IntN(n)], someOriented(r, 100)
							if movers == n && r.IntN(8) > 0 || movers == n && round == 0 {
								to[i] = ids[i]
							}
							last[to[i]] = oriented[i]
						}
						boxes := outerBoxes(oriented)
						must(t, moved.MoveBodies(to, linear.Bodies{Oriented: oriented}))
						must(t, set.MoveBatch(to, boxes))
						for i, id := range to {
							oriented[i] = last[id]
						}
						must(t, set.SetBounds(to, linear.Bodies{Oriented: oriented}))
						same("a batch of moves")
					}
					one, two := someOriented(r, 100), someOriented(r, 100)
					id := ids[r.IntN(n)]
					must(t, moved.MoveOriented(id, one))
					must(t, set.Move(id, one.Box()))
					must(t, set.SetOriented(id, one))
					same("a single move")
					var b, c linear.Batch
					b.MoveOriented(ids[1], two)
					b.MoveOriented(ids[2], one)
					b.Move(ids[3], one.Box()) // drops an oriented box
					c.Move(ids[1], two.Box())
					c.Move(ids[2], one.Box())
					c.Move(ids[3], one.Box())
					for tree, batch := range map[*linear.Tree]*linear.Batch{moved: &b, set: &c} {
						_, err := tree.Apply(batch)
						must(t, err)
					}
					must(t, set.SetBounds(ids[1:3], linear.Bodies{Oriented: []soa.OrientedBox{two, one}}))
					same("a recorded batch")
					tick(t, moved)
					tick(t, set)
					same("a tick")
				}
			}
		}
	})
}

// An object keeps an oriented box while it gets a sphere, and vice versa; a move to a box removes both, and a
// move to one of them keeps the other.
func TestOrientedBesideSpheres(t *testing.T) {
	sphere := [4]float32{1, 2, 3, 0.5}
	oriented := soa.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{0.5, 0.5, 0}, {-0.5, 0.5, 0}, {0, 0, 1}}}
	home := cube(1, 2, 3, 1)
	for _, n := range []int{1, 2, 400} {
		tree := newTree(t, linear.Config{})
		objects := make([]soa.Object, n)
		for i := range objects {
			objects[i].Box = home
		}
		ids := insert(t, tree, objects)
		spheres, boxes := make([][4]float32, n), make([]soa.OrientedBox, n)
		for i := range ids {
			spheres[i], boxes[i] = sphere, oriented
		}
		has := func(what string, round, turned bool, ids ...uint32) {
			t.Helper()
			for range 2 {
				valid(t, tree)
				for _, id := range ids {
					s, ok := tree.Sphere(id)
					b, is := tree.Oriented(id)
					if ok != round || ok && s != sphere || is != turned || is && b != oriented {
						t.Fatalf("%d objects, %s: object %d has %v, %v and %v, %v", n, what, id, s, ok, b, is)
					}
				}
				must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
			}
		}
		both := func() {
			t.Helper()
			must(t, tree.MoveBatch(ids, slices.Repeat([]soa.AABB{home}, n)))
			has("MoveBatch", false, false, ids...)
			must(t, tree.SetBounds(ids, linear.Bodies{Spheres: spheres}))
			has("SetBounds of spheres", true, false, ids...)
			must(t, tree.SetBounds(ids, linear.Bodies{Oriented: boxes}))
			has("SetBounds of boxes", true, true, ids...)
			must(t, tree.SetSphere(ids[0], sphere))
			has("SetSphere", true, true, ids...)
			must(t, tree.SetOriented(ids[0], oriented))
			has("SetOriented", true, true, ids...)
		}
		both()
		must(t, tree.Move(ids[0], home))
		has("Move", false, false, ids[0])
		has("Move of another", true, true, ids[1:]...)
		both()
		must(t, tree.MoveSphere(ids[0], sphere))
		has("MoveSphere", true, false, ids[0])
		both()
		must(t, tree.MoveOriented(ids[0], oriented))
		has("MoveOriented", false, true, ids[0])
		both()
		must(t, tree.MoveBodies(ids, linear.Bodies{Spheres: spheres}))
		has("MoveBodies of spheres", true, false, ids...)
		both()
		must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: boxes}))
		has("MoveBodies of boxes", false, true, ids...)
		both()
		_, arrangement := tree.Order(nil)
		must(t, tree.MoveInOrder(arrangement, slices.Repeat([]soa.AABB{home}, n)))
		has("MoveInOrder", false, false, ids...)
		both()
		must(t, tree.SetMask(ids[0], 8))
		must(t, tree.SetStatic(ids[0], true))
		has("labels", true, true, ids...)
		clone := tree.Clone()
		tree.Trim()
		has("Trim", true, true, ids...)
		must(t, tree.RemoveBatch(ids))
		insert(t, tree, objects[:1])
		has("an insertion", false, false, ids[0])
		tree = clone
		has("Clone", true, true, ids...)
	}
}

// A change by an oriented box is marked as such in the log; held versions have it.
func TestOrientedAreLogged(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true})
	r := testkit.Rand(3)
	objects := make([]soa.Object, 300)
	for i := range objects {
		objects[i].Box = cube(float32(i), 2, 3, 2)
	}
	ids := insert(t, tree, objects)
	tick(t, tree)
	s := linear.NewPublisher(tree)
	_, next, _ := tree.View().Changes(0)
	to := []soa.OrientedBox{someOriented(r, 9), someOriented(r, 9), someOriented(r, 9)}
	must(t, tree.MoveBodies(ids[:2], linear.Bodies{Oriented: to[:2]}))
	must(t, tree.MoveOriented(ids[2], to[2]))
	in := soa.OrientedBox{Center: [3]float32{4, 2, 3}, Axes: [3][3]float32{{1}}}
	must(t, tree.SetOriented(ids[4], in))
	must(t, tree.SetSphere(ids[4], [4]float32{4, 2, 3, 1}))
	must(t, tree.Move(ids[4], objects[4].Box))
	var want []soa.Change
	for i := range 3 {
		want = append(want, soa.Change{ID: ids[i], Object: soa.Object{Box: to[i].Box()}, Sphere: [4]float32{3: -1}, Oriented: true})
	}
	none := soa.Change{ID: ids[4], Object: objects[4], Sphere: [4]float32{3: -1}}
	set, both := none, none
	set.Oriented, both.Oriented, both.Sphere = true, true, [4]float32{4, 2, 3, 1}
	want = append(want, set, both, none)
	if got, _, ok := tree.View().Changes(next); !ok || !slices.Equal(got, want) {
		t.Errorf("the log has %v, %v; want %v", got, ok, want)
	}
	s.Publish()
	if diff := s.Differs(); diff != nil {
		t.Error(diff)
	}
	h := s.Acquire()
	v := h.View()
	must(t, tree.MoveBatch(ids[:3], outerBoxes(to)))
	must(t, tree.SetOriented(ids[9], soa.OrientedBox{Center: objects[9].Box.Center()}))
	s.Publish()
	if diff := s.Differs(); diff != nil {
		t.Error(diff)
	}
	for i, id := range ids[:3] {
		if b, ok := v.Oriented(id); !ok || b != to[i] {
			t.Errorf("the version that is held has %v, %v; want %v", b, ok, to[i])
		}
		if b, ok := tree.View().Oriented(id); ok {
			t.Errorf("the tree has %v", b)
		}
	}
	if _, ok := v.Oriented(1000); ok {
		t.Error("an object that is not there")
	}
	if _, ok := tree.Oriented(1000); ok {
		t.Error("an object that is not there")
	}
	h.Release()
}

// Invalid boxes are rejected with the numbers and the index, and change nothing.
func TestOrientedErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := soa.OrientedBox{Center: [3]float32{4, 5, 6}, Axes: [3][3]float32{{1}, {0, 1}, {0, 0, 1}}}
	tree := newTree(t, linear.Config{})
	objects := make([]soa.Object, 300)
	for i := range objects {
		objects[i].Box = cube(4, 5, 6, 1)
	}
	ids := insert(t, tree, objects)
	refused := func(v linear.View, what string, err error, words ...string) {
		t.Helper()
		v.Store() // nothing has changed
		for _, word := range words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %v, want one with %q", what, err, word)
			}
		}
	}
	batch := func(at int, b soa.OrientedBox) []soa.OrientedBox {
		list := slices.Repeat([]soa.OrientedBox{good}, len(ids))
		list[at] = b
		return list
	}
	for what, change := range map[string]func(b *soa.OrientedBox){
		"is not finite":       func(b *soa.OrientedBox) { b.Center[1] = nan },
		"oriented box":        func(b *soa.OrientedBox) { b.Axes[2][2] = inf },
		"not at right angles": func(b *soa.OrientedBox) { b.Axes[1][0] = 0.01 },
		"finite":              func(b *soa.OrientedBox) { b.Center[0], b.Axes[0][0] = math.MaxFloat32, math.MaxFloat32 },
	} {
		bad := good
		change(&bad)
		v := tree.View()
		refused(v, "MoveOriented", tree.MoveOriented(ids[5], bad), "object 5: ", what)
		refused(v, "SetOriented", tree.SetOriented(ids[5], bad), "object 5: ")
		for _, at := range []int{0, 255, 256, 299} {
			index := fmt.Sprintf("object %d of the batch, ID %d: ", at, ids[at])
			refused(v, "MoveBodies", tree.MoveBodies(ids, linear.Bodies{Oriented: batch(at, bad)}), index, what)
			refused(v, "SetBounds", tree.SetBounds(ids, linear.Bodies{Oriented: batch(at, bad)}), index)
		}
		var b linear.Batch
		b.SetMask(ids[0], 4)
		b.MoveOriented(ids[1], bad)
		_, err := tree.Apply(&b)
		refused(v, "Apply", err, "change 1 of the batch, MoveOriented: ", what)
	}
	// An oriented box may exceed the box of its object by a rounding error, with its centre inside.
	v := tree.View()
	out := good
	out.Axes[1][1] = 1 + 0x1p-16
	refused(v, "SetOriented", tree.SetOriented(ids[0], out), "is not in the box")
	out.Axes[1][1], out.Center[1] = 0, math.Nextafter32(6, 7)
	refused(v, "SetOriented", tree.SetOriented(ids[0], out), "is not in the box")
	out.Axes[1][1], out.Center[1] = 1+0x1p-20, 5
	must(t, tree.SetOriented(ids[0], out))

	v = tree.View()
	for what, err := range map[string]error{
		"MoveOriented": tree.MoveOriented(1000, good),
		"SetOriented":  tree.SetOriented(1000, good),
		"MoveBodies":   tree.MoveBodies([]uint32{1, 1000}, linear.Bodies{Oriented: batch(0, good)[:2]}),
		"SetBounds":    tree.SetBounds([]uint32{1, 1000}, linear.Bodies{Oriented: batch(0, good)[:2]}),
	} {
		v.Store()
		if !errors.Is(err, linear.ErrUnknown) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	must(t, tree.MoveBodies(nil, linear.Bodies{Oriented: nil}))
	must(t, tree.SetBounds(nil, linear.Bodies{Oriented: nil}))
	v.Store()
	for what, call := range map[string]func() error{
		"MoveBodies of 1 IDs and 0 boxes, 0 spheres and 0 oriented boxes": func() error { return tree.MoveBodies(ids[:1], linear.Bodies{}) },
		"SetBounds of 1 IDs and 0 boxes, 0 spheres and 0 oriented boxes":  func() error { return tree.SetBounds(ids[:1], linear.Bodies{}) },
		"SetBounds with 1 boxes": func() error { return tree.SetBounds(ids[:1], linear.Bodies{Boxes: make([]soa.AABB, 1)}) },
	} {
		if got := fmt.Sprint(testkit.Panic(func() { must(t, call()) })); !strings.Contains(got, what) {
			t.Errorf("%q, want %q", got, what)
		}
	}
}

// Moves to oriented boxes allocate nothing in steady state.
func TestOrientedAllocate(t *testing.T) {
	tree := newTree(t, linear.Config{Workers: 1, Log: true})
	r := testkit.Rand(1)
	boxes := make([]soa.OrientedBox, 3000)
	objects := make([]soa.Object, len(boxes))
	for i := range boxes {
		boxes[i] = someOriented(r, 50)
		objects[i].Box = boxes[i].Box()
	}
	ids := insert(t, tree, objects)
	var b linear.Batch
	frame := func() {
		for i := range boxes {
			boxes[i].Center[0] += (r.Float32() - 0.5) / 10
		}
		must(t, tree.MoveBodies(ids[:200], linear.Bodies{Oriented: boxes[:200]}))
		must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: boxes}))
		must(t, tree.MoveOriented(ids[9], boxes[9]))
		must(t, tree.SetOriented(ids[9], boxes[9]))
		b.Reset()
		b.MoveOriented(ids[8], boxes[8])
		_, err := tree.Apply(&b)
		must(t, err)
		tick(t, tree)
	}
	for range 100 {
		frame()
	}
	testkit.Allocs(t, 30, frame)
}

// Validate names a bound outside its box, and a bound without an object.
func TestValidateBounds(t *testing.T) {
	for what, damage := range map[string]func(p *soa.PacketColumns, slot uint32){
		"is not in the box":        func(p *soa.PacketColumns, slot uint32) { p.OrientedBoxes[slot][0].Center[1] = 99 },
		"not at right angles":      func(p *soa.PacketColumns, slot uint32) { p.OrientedBoxes[slot][0].Axes[0] = [3]float32{0.1, 0.2, 0} },
		"sphere .* is not in":      func(p *soa.PacketColumns, slot uint32) { p.SetSphere(slot, 0, [4]float32{1, 2, 3, 99}) },
		"is free and has a bound":  func(p *soa.PacketColumns, slot uint32) { p.SetOriented(slot, 15, &soa.OrientedBox{}) },
		"lane 15 is free and has ": func(p *soa.PacketColumns, slot uint32) { p.SetSphere(slot, 15, [4]float32{}) },
	} {
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, []soa.Object{{Box: cube(1, 2, 3, 1)}, {Box: cube(1, 2, 3, 1)}})
		must(t, tree.SetBounds(ids, linear.Bodies{Spheres: [][4]float32{{1, 2, 3, 1}, {1, 2, 3, 1}}}))
		box := soa.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{0.5, 0.5}, {-0.5, 0.5}}}
		must(t, tree.SetBounds(ids, linear.Bodies{Oriented: []soa.OrientedBox{box, box}}))
		valid(t, tree)
		damage(&tree.View().Store().Packets, 0)
		if err := tree.Validate(); err == nil || !regexp.MustCompile(what).MatchString(err.Error()) {
			t.Errorf("error %v, want one with %q", err, what)
		}
	}
}

// A rebuild into full packets keeps the spheres and oriented boxes of all lanes.
func TestBoundsOfFullPackets(t *testing.T) {
	tree := newTree(t, linear.Config{})
	for i := range 400 {
		at := [3]float32{float32(i % 20), float32(i / 20), float32(i * i % 7)}
		id, err := tree.Insert(soa.Object{Box: soa.AABB{Min: at, Max: at}, Mask: 1})
		must(t, err)
		if i%2 == 0 {
			must(t, tree.MoveSphere(id, [4]float32{at[0], at[1], at[2], 0.3}))
		} else {
			must(t, tree.MoveOriented(id, linear.OrientedBox{Center: at, Axes: [3][3]float32{{1, 1}, {-1, 1}, {0, 0, 1}}}))
		}
	}
	want := tree.Digest()
	for range 2 { // from packets with room, and from full ones
		must(t, tree.Rebuild(t.Context(), linear.RebuildOptions{Frozen: true}))
		if got := tree.Digest(); got != want {
			t.Fatalf("digest %016x, before the rebuild %016x", got, want)
		}
		must(t, tree.Validate())
	}
}
