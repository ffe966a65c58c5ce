package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// spheresOf are the expected spheres of objects; all other objects have none.
type spheresOf map[uint32][4]float32

// give gives an object a sphere in the middle of its box: a point, for one in three.
func (s spheresOf) give(t *testing.T, tree *linear.Tree, id uint32) {
	t.Helper()
	o, ok := tree.Object(id)
	if !ok {
		t.Fatalf("no object %d", id)
	}
	c := o.Box.Center()
	sphere := [4]float32{c[0], c[1], c[2], 0}
	if id%3 != 0 {
		sphere[3] = min(o.Box.Max[0]-o.Box.Min[0], o.Box.Max[1]-o.Box.Min[1], o.Box.Max[2]-o.Box.Min[2]) / 2
	}
	must(t, tree.SetSphere(id, sphere))
	s[id] = sphere
}

func (s spheresOf) check(t *testing.T, tree *linear.Tree, when string) {
	t.Helper()
	valid(t, tree)
	for id := range tree.All() {
		want, has := s[id]
		if got, ok := tree.Sphere(id); ok != has || got != want && has {
			t.Fatalf("%s: object %d has the sphere %v, %v; want %v, %v", when, id, got, ok, want, has)
		}
	}
}

// An object keeps its sphere, even a point, through every relocation: from the pending list into its packet,
// between packets when displaced, with a packet into another block, and when a leaf is re-split or the tree is
// rebuilt. One in four has none.
func TestSpheresFindPackets(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(6000, 1)
	for i := range objects { // boxes with room for a ball
		c := objects[i].Box.Center()
		objects[i].Box = cube(c[0], c[1], c[2], 0.5)
	}
	for _, frozen := range []bool{false, true} {
		tree := newTree(t, linear.Config{Frozen: frozen, Policy: linear.PolicyIncremental})
		spheres := spheresOf{}
		ids := insert(t, tree, objects[:2000])
		for _, id := range ids {
			if id%4 != 0 {
				spheres.give(t, tree, id)
			}
		}
		spheres.check(t, tree, "set")

		// Placing pending objects makes packets and nodes split.
		splits := 0
		for at := 2000; at < len(objects); at += 500 {
			for _, id := range insert(t, tree, objects[at:at+500]) {
				if id%4 != 0 {
					spheres.give(t, tree, id)
				}
				ids = append(ids, id)
			}
			spheres.check(t, tree, "pending")
			tick(t, tree)
			spheres.check(t, tree, "at home")
			splits += tree.Work().Splits
		}
		if tree.Work().Placed != 500 || splits < 100 {
			t.Errorf("%+v, %d splits: nothing went home", tree.Work(), splits)
		}

		// Displaced objects: a move drops a sphere, and another one is set.
		r := testkit.Rand(testkit.Seed(t))
		homed := 0
		for range 5 {
			for range 300 {
				id := ids[r.IntN(len(ids))]
				must(t, tree.Move(id, objects[r.IntN(len(objects))].Box))
				delete(spheres, id)
				if id%4 != 0 {
					spheres.give(t, tree, id)
				}
			}
			spheres.check(t, tree, "astray")
			tick(t, tree)
			spheres.check(t, tree, "at home again")
			homed += tree.Work().Placed
		}
		if homed < 1000 {
			t.Errorf("%d of 1500 strays went home", homed)
		}

		// Packets merge after removals.
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		merges := 0
		for len(ids) > 500 {
			must(t, tree.RemoveBatch(ids[:500]))
			for _, id := range ids[:500] {
				delete(spheres, id)
			}
			ids = ids[500:]
			tick(t, tree)
			spheres.check(t, tree, "merged")
			merges += tree.Work().Merges
		}
		if merges < 50 {
			t.Errorf("%d merges", merges)
		}
		rebuild(t, tree, !frozen)
		spheres.check(t, tree, "rebuilt")
		clone := tree.Clone()
		for _, id := range ids {
			must(t, tree.Move(id, objects[0].Box))
		}
		spheres.check(t, clone, "cloned")
	}
}

// A packet that moves as a whole keeps its spheres: into the block that the first insertion gives a node of a
// frozen tree.
func TestSpheresMoveWithPacket(t *testing.T) {
	var objects []soa.Object
	for i := range 100 {
		objects = append(objects, soa.Object{Box: cube(float32(i), 0, 0, 0.5)})
	}
	tree := newTree(t, linear.Config{Frozen: true, Policy: linear.PolicyIncremental})
	spheres := spheresOf{}
	for _, id := range insert(t, tree, objects) {
		spheres.give(t, tree, id)
	}
	_, err := tree.Insert(objects[40])
	must(t, err)
	tick(t, tree)
	if w := tree.Work(); w.Shifted < 100 {
		t.Fatalf("%+v: no packet has moved", w)
	}
	spheres.check(t, tree, "after an insertion")
}
