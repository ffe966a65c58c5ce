package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Known failure modes of dynamic trees, one test each.

func valid(t testing.TB, tree *linear.Tree) {
	t.Helper()
	must(t, tree.Validate())
}

func tick(t testing.TB, tree *linear.Tree) {
	t.Helper()
	must(t, tree.Tick())
}

// Sorted insertion one by one makes no deeper tree than other orders.
func TestSortedInsertion(t *testing.T) {
	n := testkit.Budget(t, 20_000, 1_000_000)
	tree := newTree(t, linear.Config{})
	for i := range n {
		if _, err := tree.Insert(soa.Object{Box: cube(float32(i), float32(i), float32(i), 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	tick(t, tree)
	valid(t, tree)
	st := tree.Stats()
	rebuild(t, tree, false)
	if fresh := tree.Stats(); st.Depth > fresh.Depth+4 || st.Fill < 0.5*fresh.Fill {
		t.Errorf("sorted insertion gave depth %d, fill %.2f; a build gives %d, %.2f", st.Depth, st.Fill, fresh.Depth, fresh.Fill)
	}
}

// Identical boxes share one key, which no split can separate.
func TestIdenticalInsertion(t *testing.T) {
	n := testkit.Budget(t, 20_000, 1_000_000)
	tree := newTree(t, linear.Config{})
	o := soa.Object{Box: cube(1, 2, 3, 1)}
	batch := make([]soa.Object, 1000)
	for i := range batch {
		batch[i] = o
	}
	var ids []uint32
	for len(ids) < n {
		var err error
		if ids, err = tree.InsertBatch(ids, batch); err != nil {
			t.Fatal(err)
		}
		if len(ids)%(n/10) == 0 {
			tick(t, tree)
			valid(t, tree)
		}
	}
	if d := tree.Stats().Depth; d > 12 {
		t.Errorf("%d identical boxes make a tree of depth %d", n, d)
	}
	v := tree.View()
	if k := (query.Frustum{}).Count(v, query.Filter{}); k != n {
		t.Errorf("%d of %d identical boxes are found", k, n)
	}
	for len(ids) > n/2 {
		must(t, tree.RemoveBatch(ids[len(ids)-1000:]))
		ids = ids[:len(ids)-1000]
	}
	tick(t, tree)
	valid(t, tree)
}

// Repeatedly emptying and filling a tree does not make it grow.
func TestFillAndEmpty(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 2000, 10_000), 1)
	for _, batch := range []bool{true, false} {
		tree := newTree(t, linear.Config{})
		var ids []uint32
		second := 0
		for round := range testkit.Budget(t, 10, 100) {
			if batch {
				ids = insert(t, tree, objects)
			} else {
				ids = ids[:0]
				for _, o := range objects {
					id, err := tree.Insert(o)
					must(t, err)
					ids = append(ids, id)
				}
			}
			tick(t, tree)
			valid(t, tree)
			must(t, tree.RemoveBatch(ids))
			tick(t, tree)
			valid(t, tree)
			if tree.Len() != 0 {
				t.Fatalf("%d objects are left", tree.Len())
			}
			st := tree.Stats()
			if bytes := st.LiveBytes() + st.Slack + st.Scratch; round == 1 {
				second = bytes
			} else if round > 1 && bytes > second+second/4 {
				t.Fatalf("round %d holds %d bytes, round 1 held %d", round, bytes, second)
			}
		}
	}
}

// A stream of bullets reuses the nodes of earlier bullets.
func TestBulletsReuseNodes(t *testing.T) {
	tree := newTree(t, linear.Config{PendingMin: 1})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(5000, 1))
	tick(t, tree)
	type bullet struct {
		id  uint32
		age int
	}
	var flying []bullet
	reused := 0
	for frame := range testkit.Budget(t, 100, 400) {
		if frame%6 == 0 {
			for k := range 300 {
				id, err := tree.Insert(soa.Object{Box: cube(20+float32(k%10)/50, 20+float32(k)/1000, 20, 0.01)})
				must(t, err)
				flying = append(flying, bullet{id, 0})
			}
		}
		kept := flying[:0]
		for _, b := range flying {
			b.age++
			if b.age > 3 {
				must(t, tree.Remove(b.id))
				continue
			}
			must(t, tree.Move(b.id, cube(20+float32(b.age)/20, 20+float32(b.id%300)/1000, 20, 0.01)))
			kept = append(kept, b)
		}
		flying = kept
		tick(t, tree)
		if frame%20 == 0 {
			valid(t, tree)
		}
		reused += tree.Work().Reused
	}
	if reused == 0 {
		t.Error("no emptied node was used again")
	}
}

// All objects leave the world, and return; the world follows.
func TestWorldFollows(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	boxes := make([]soa.AABB, len(ids))
	for _, by := range []float32{1e4, 1e6, -1e5, 0} {
		for i := range ids {
			for a := range 3 {
				boxes[i].Min[a], boxes[i].Max[a] = objects[i].Box.Min[a]+by, objects[i].Box.Max[a]+by
			}
		}
		must(t, tree.MoveBatch(ids, boxes))
		tick(t, tree)
		valid(t, tree)
		tick(t, tree)
		valid(t, tree)
		all := soa.Empty()
		for _, b := range boxes {
			all = all.Union(b)
		}
		if want, err := morton.Fit(all.Min, all.Max); err != nil || tree.World().Exp() > want.Exp() {
			t.Errorf("moved by %v the world is %v, want %v, %v", by, tree.World(), want, err)
		}
		ctr := boxes[17].Center()
		if !tree.World().Inside(ctr) {
			t.Errorf("moved by %v the world %v does not hold %v", by, tree.World(), ctr)
		}
	}
}

// A queue of objects, inserted at one end and removed at the other, without a tick.
func TestPendingQueue(t *testing.T) {
	tree := newTree(t, linear.Config{})
	var queue []uint32
	slots := 0
	for i := range 20_000 {
		id, err := tree.Insert(soa.Object{Box: cube(float32(i%100), float32(i%7), 0, 1)})
		must(t, err)
		queue = append(queue, id)
		if len(queue) > 100 {
			must(t, tree.Remove(queue[0]))
			queue = queue[1:]
		}
		slots = max(slots, tree.View().Slots())
	}
	valid(t, tree)
	if slots > 1000 {
		t.Errorf("100 objects at a time took %d slots", slots)
	}
	if n := (query.Frustum{}).Count(tree.View(), query.Filter{}); n != len(queue) {
		t.Errorf("%d of %d objects are found", n, len(queue))
	}
}

// Many objects beyond the lowest corner of a world share key 0, at which packets are split.
func TestManyAtKeyZero(t *testing.T) {
	tree := newTree(t, linear.Config{PendingMin: 1, PendingShare: 1 << 20, World: cube(0, 0, 0, 1), Fixed: true, Policy: linear.PolicyIncremental})
	r := testkit.Rand(testkit.Seed(t))
	var ids []uint32
	for i := range 400 {
		at := float32(-100)
		if i%2 == 0 {
			at = 4*r.Float32() - 2
		}
		id, err := tree.Insert(soa.Object{Box: cube(at, at, at, 0.1)})
		must(t, err)
		ids = append(ids, id)
		valid(t, tree)
	}
	for len(ids) > 0 {
		i := r.IntN(len(ids))
		must(t, tree.Remove(ids[i]))
		ids = append(ids[:i], ids[i+1:]...)
		tick(t, tree)
		valid(t, tree)
	}
}
