package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// layoutObjects returns boxes of side 1 and 2 on whole numbers, so that the dumps
// are easy to read. Object 0 has a coordinate that is -0: a packet keeps it, the
// bounds above do not.
func layoutObjects(first, n int) (objects []soa.Object) {
	for i := first; i < first+n; i++ {
		at := [3]float32{float32(i * 7 % 40), float32(i * 11 % 24), float32(i * 5 % 8)}
		side := float32(1 + i%2)
		objects = append(objects, soa.Object{
			Box:    soa.AABB{Min: at, Max: [3]float32{at[0] + side, at[1] + side, at[2] + side}},
			Mask:   1 << (i % 3),
			Static: i%4 == 0,
		})
	}
	if first == 0 {
		objects[0].Box.Min[1] = float32(math.Copysign(0, -1))
	}
	return objects
}

// layoutConfig splits packets and nodes early, so that few objects make several levels.
var layoutConfig = linear.Config{Policy: linear.PolicyIncremental, SplitAbove: 4, MergeBelow: 3, Lifespan: 2}

// layoutStories take small trees through all changes of their layout, and call show after each step. Each story
// checks that its subject has happened.
func layoutStories(t *testing.T, show func(step string, tree *linear.Tree, s *soa.Store)) {
	see := func(step string, tree *linear.Tree) {
		t.Helper()
		valid(t, tree)
		show(step, tree, tree.View().Store())
	}
	some := func(what string, n int) {
		t.Helper()
		if n == 0 {
			t.Fatalf("no %s", what)
		}
	}
	start := func(see func(step string, tree *linear.Tree)) *linear.Tree {
		tree := newTree(t, layoutConfig)
		insert(t, tree, layoutObjects(0, 40))
		see("01-build", tree)
		insert(t, tree, layoutObjects(40, 3))
		see("02-pending", tree)
		insert(t, tree, layoutObjects(43, 60))
		tick(t, tree)
		some("insertion", tree.Work().Placed)
		see("03-insertion", tree)
		return tree
	}
	again := func(string, *linear.Tree) {}

	// Insertions and removals.
	tree := start(see)
	denseScene := layoutObjects(103, 30) // more than a node of packets holds
	for i := range denseScene {
		denseScene[i].Box = cube(3+float32(i%6)/8, 5+float32(i/6)/8, 2, 0.0625)
	}
	insert(t, tree, denseScene)
	tick(t, tree)
	some("split", tree.Work().Splits)
	some("new node", tree.Work().Allocated)
	see("04-split", tree)
	for id := uint32(103); id < 133; id++ {
		must(t, tree.Remove(id))
	}
	see("05-removal", tree)
	tick(t, tree)
	some("merge", tree.Work().Merges)
	see("06-merge", tree)
	p := &tree.View().Store().Packets
	for id := range uint32(103) {
		if slot := linear.PlacesOf(tree).Where[id] >> 4; p.Parents[slot].Node() == 2 {
			must(t, tree.Remove(id))
		}
	}
	tick(t, tree)
	some("empty node", tree.Work().Emptied)
	see("07-emptied", tree)
	freed := 0
	for range layoutConfig.Lifespan + 1 {
		tick(t, tree)
		freed += tree.Work().Freed
	}
	some("node given back", freed)
	see("08-freed", tree)
	insert(t, tree, denseScene[:9])
	see("09-reuse", tree) // of the IDs and the block that were freed last

	// Moves: within packets, out of them, and out of the world.
	tree = start(again)
	for id := uint32(0); id < 40; id += 9 {
		o, _ := tree.Object(id)
		up := o.Box
		up.Max[2] += 10
		must(t, tree.Move(id, up))
		must(t, tree.Move(id, o.Box))
		must(t, tree.SetMask(id, 1<<4))
	}
	see("10-moved", tree) // bounds have grown
	tick(t, tree)
	some("refit", tree.Work().RefitNodes)
	see("11-refit", tree)
	for id := uint32(0); id < 40; id += 4 {
		must(t, tree.Move(id, cube(100+float32(id), 20, 4, 1)))
	}
	tick(t, tree)
	some("growth of the world", tree.Work().Grown)
	see("12-world", tree)
	insert(t, tree, []soa.Object{giant(8, 8, 8, 1<<20)})
	tick(t, tree)
	if s := tree.View().Store(); s.Near == s.Extent {
		t.Fatalf("no object is far: near %v, extent %v", s.Near, s.Extent)
	}
	see("13-far", tree)
	rebuild(t, tree, true)
	see("14-frozen", tree)

	// Publications: of three versions, the last uses the memory of the first, and only the changes of the
	// second have been copied there.
	tree = start(again)
	s := linear.NewPublisher(tree)
	all := tree.Stats().Patched
	for id := range uint32(2) {
		must(t, tree.Move(id, cube(20, 12, 4, 1)))
		tick(t, tree)
		s.Publish()
		if patched := tree.Stats().Patched; patched == 0 || patched >= all {
			t.Fatalf("%d of %d nodes and packets patched", patched, all)
		}
	}
	h := s.Acquire()
	defer h.Release()
	valid(t, tree)
	show("15-published", nil, h.View().Store())
}
