package linear_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// frames moves a few objects of a shared tree and publishes it, n times.
func frames(t testing.TB, s *linear.Publisher, objects, n int, seed uint64) {
	t.Helper()
	r := testkit.Rand(seed)
	world := cube(0, 0, 0, 100)
	for range n {
		for range 10 {
			id := uint32(r.IntN(objects))
			o, _ := s.Tree().Object(id)
			must(t, s.Tree().Move(id, drift(r, o.Box, 1, world, 10)))
		}
		tick(t, s.Tree())
		s.Publish()
	}
}

func versions(s *linear.Publisher) (all, held int) {
	st := s.Tree().Stats()
	if (st.Versions == 0) != (st.VersionBytes == 0) || (st.Held == 0) != (st.HeldBytes == 0) || st.HeldBytes > st.VersionBytes {
		panic(st.String())
	}
	return st.Versions, st.Held
}

// One buffer beside the tree's own is enough for readers that keep up. Each older version that is held needs
// one more, and unused buffers are freed.
func TestSharedVersions(t *testing.T) {
	const n = 500
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, 1))
	if st := tree.Stats(); st.Versions != 0 || st.VersionBytes != 0 {
		t.Errorf("a tree that is not shared: %v", st)
	}
	s := linear.NewPublisher(tree)
	want := func(what string, all, held int) {
		t.Helper()
		if a, h := versions(s); a != all || h != held {
			t.Errorf("%s: %d versions, %d held; want %d and %d", what, a, h, all, held)
		}
	}
	want("shared", 1, 0)
	frames(t, s, n, 10, 1)
	want("without readers", 1, 0)

	var held [3]linear.Version
	var first [3][]soa.AABB
	for i := range held {
		held[i] = s.Acquire()
		first[i] = boxesOf(held[i].View())
		frames(t, s, n, 1, uint64(i))
	}
	want("held", 4, 3)
	again := s.Acquire() // of a version that had no readers
	want("all held", 4, 4)
	frames(t, s, n, 200, 2)
	want("held for long", 5, 4)
	for i := range held {
		if !reflect.DeepEqual(boxesOf(held[i].View()), first[i]) {
			t.Errorf("version %d has changed while it was held", i)
		}
		held[i].Release()
	}
	again.Release()
	frames(t, s, n, 1, 3)
	want("given back", 1, 0)
	valid(t, s.Tree())
}

// A publication copies only the changes since the buffer was last published.
func TestSharedPatches(t *testing.T) {
	const n = 20_000
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, 1))
	s := linear.NewPublisher(tree)
	all := len(tree.View().Store().Nodes.Hot) + tree.View().Slots()
	want := func(what string, least, most int) {
		t.Helper()
		s.Publish()
		if got := tree.Stats().Patched; got < least || got > most {
			t.Errorf("%s: %d of %d nodes and packets copied, want %d to %d", what, got, all, least, most)
		}
	}
	if got := tree.Stats().Patched; got != all {
		t.Errorf("sharing copied %d nodes and packets of %d", got, all)
	}
	depth := tree.Stats().Depth
	change := func(id uint32) {
		t.Helper()
		must(t, tree.SetMask(id, 1<<31)) // a mask that no object has
		tree.Refit()
	}
	change(7)
	want("one mask", 1+depth, 1+depth)
	h := s.Acquire()
	defer h.Release()
	change(8)
	want("a new buffer", all, all) // the other buffer is held
	change(9)
	want("one mask beside a reader", 1+depth, 1+depth)
	for id := range uint32(200) {
		o, _ := tree.Object(id)
		must(t, tree.Move(id, drift(testkit.Rand(uint64(id)), o.Box, 1, o.Box, 0)))
	}
	must(t, tree.Tick())
	want("one in a hundred moved", 200, 200*8)
	rebuild(t, tree, false)
	want("a rebuild", all/2, 2*all)
}

// boxesOf returns all boxes of a view, by ID.
func boxesOf(v linear.View) []soa.AABB {
	boxes := make([]soa.AABB, v.Len())
	for slot := range everything(v) {
		for l, id := range v.IDs(slot) {
			boxes[id] = v.Box(slot, l)
		}
	}
	return boxes
}

// Publishing an unchanged tree does nothing. Publishing, acquiring and releasing allocate nothing.
func TestSharedAllocatesNothing(t *testing.T) {
	const n = 20_000
	tree := newTree(t, linear.Config{Workers: 1})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, 1))
	s := linear.NewPublisher(tree)
	version := func() uint64 {
		h := s.Acquire()
		defer h.Release()
		return h.View().Store().Version
	}
	before := version()
	s.Publish()
	if after := version(); after != before {
		t.Errorf("version %d was published over version %d without a change", after, before)
	}
	frames(t, s, n, 50, 1)
	r := testkit.Rand(2)
	var old linear.Version
	testkit.Allocs(t, 100, func() {
		id := uint32(r.IntN(n))
		o, _ := s.Tree().Object(id)
		if err := s.Tree().Move(id, drift(r, o.Box, 0.01, o.Box, 0)); err != nil {
			t.Error(err)
		}
		s.Publish()
		h := s.Acquire()
		if h.View().Len() != n {
			t.Error(h.View().Len())
		}
		h.Release()
	})
	// With a reader that is one version behind.
	old = s.Acquire()
	frames(t, s, n, 3, 3)
	testkit.Allocs(t, 100, func() {
		if err := s.Tree().SetMask(7, r.Uint32()); err != nil {
			t.Error(err)
		}
		s.Publish()
		old.Release()
		old = s.Acquire()
	})
	old.Release()
}

// A late reader does not acquire a reused buffer, and leaves no trace in it.
func TestSharedLate(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, testkit.SceneByName(t, "uniform").Make(100, 1))
	s := linear.NewPublisher(tree)
	publish := func(mask uint32) {
		t.Helper()
		must(t, tree.SetMask(ids[0], mask))
		s.Publish()
	}
	want := func(what string, all, held int) {
		t.Helper()
		if a, h := versions(s); a != all || h != held {
			t.Errorf("%s: %d versions, %d held; want %d and %d", what, a, h, all, held)
		}
	}
	publish(1)
	hold, look, leave := s.Late()
	publish(2) // the tree now works in the buffer of version 1
	if hold() {
		t.Error("a version was acquired that the tree works in")
	}
	want("late", 1, 0)

	look() // holds the buffer until it is published
	publish(3)
	want("looked into", 1, 1)
	leave()
	want("left", 1, 0)
	if !hold() {
		t.Error("what is published was not acquired")
	}
	publish(4) // the tree needs another buffer
	want("held", 2, 1)
	leave()
	want("released", 2, 0)
	if hold() {
		t.Error("a version was acquired that is free")
	}
	for mask := range uint32(5) {
		publish(mask)
		want("used in turns", 2, 0)
		if diff := s.Differs(); diff != nil {
			t.Error(diff)
		}
	}
}

// Misuse panics.
func TestSharedMisuse(t *testing.T) {
	tree := newTree(t, linear.Config{})
	s := linear.NewPublisher(tree)
	if text := said(func() { linear.NewPublisher(tree) }); !strings.Contains(text, "has a Publisher already: use the one that NewPublisher returned") {
		t.Errorf("sharing twice says %q", text)
	}
	if s.Tree() != tree {
		t.Error("the tree is another one")
	}
	h := s.Acquire()
	if h.World() != tree.World() {
		t.Errorf("the world is %v, want %v", h.World(), tree.World())
	}
	if h.View().Len() != 0 || h.View().Slots() != 0 {
		t.Error("an empty tree is published with objects")
	}
	h.Release()
	panics(t, "a second release", func() { h.Release() })
	panics(t, "a view after the release", func() { h.View() })
	panics(t, "a world after the release", func() { h.World() })
	panics(t, "the zero Held", func() { new(linear.Version).Release() })

	// A view that is used after its release panics once its memory has been reused; a view of the tree panics
	// after a publication.
	h = s.Acquire()
	v, own := h.View(), tree.View()
	h.Release()
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(10, 1))
	s.Publish()
	panics(t, "a view of the tree from before a publication", func() { own.Len() })
	panics(t, "a view of a version that has been released", func() { v.Len() })

	h = s.Acquire()
	defer h.Release()
	if n := (query.Frustum{}).Count(h.View(), query.Filter{}); n != 10 {
		t.Errorf("%d objects, want 10", n)
	}
}

// Publications include the work of a tick on nodes that became empty long before: the tick at which they are
// freed, their reuse and their release.
func TestSharedLifespans(t *testing.T) {
	tree := newTree(t, linear.Config{PendingMin: 1, PendingShare: 1 << 20, Policy: linear.PolicyIncremental})
	s := linear.NewPublisher(tree)
	same := func(what string, i int) {
		t.Helper()
		s.Publish()
		if diff := s.Differs(); diff != nil {
			t.Fatalf("%s %d: %v", what, i, diff[:min(len(diff), 8)])
		}
	}
	ids := insert(t, tree, grid(18))
	tick(t, tree)
	emptied, reused, freed := 0, 0, 0
	for i := range 300 {
		switch {
		case i == 0 || i == 20: // a corner empties; later, all but the other corner
			for _, id := range ids {
				if o, ok := tree.Object(id); ok && (o.Box.Max[0] < 9 || i > 0 && o.Box.Min[0] < 14) {
					must(t, tree.Remove(id))
				}
			}
		case i == 5: // and is reused
			_, err := tree.Insert(soa.Object{Box: cube(1, 1, 1, 1)})
			must(t, err)
			must(t, tree.Flush())
		}
		same("change", i)
		tree.Refit()
		same("refit", i)
		tick(t, tree)
		same("tick", i)
		work := tree.Work()
		emptied, reused, freed = emptied+work.Emptied, reused+work.Reused, freed+work.Freed
	}
	if emptied == 0 || reused == 0 || freed == 0 {
		t.Errorf("%d nodes emptied, %d used again, %d freed", emptied, reused, freed)
	}
	valid(t, tree)
}
