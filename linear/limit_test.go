package linear_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Exhausted columns are an error that loses nothing: pending objects stay pending, and the tree works again
// after removals.
func TestNoPacketsLeft(t *testing.T) {
	for _, limit := range []struct{ slots, nodes int }{{128, 0}, {0, 10}, {16, 0}, {96, 6}} {
		for _, changes := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental} {
			r := testkit.Rand(1)
			tree := newTree(t, linear.Config{PendingMin: 16, PendingShare: 1 << 20, Policy: changes})
			tree.SetLimits(0, limit.slots, limit.nodes)
			live := map[uint32]soa.Object{}
			var ids []uint32
			refused, unflushed := 0, 0
			for _, o := range testkit.SceneByName(t, "city").Make(3000, 1) {
				id, err := tree.Insert(o)
				if err == nil {
					live[id] = o
					ids = append(ids, id)
				} else if refused++; !errors.Is(err, soa.ErrFull) {
					t.Fatal(err)
				}
				if r.IntN(100) == 0 {
					if err := tree.Tick(); err != nil {
						if unflushed++; !errors.Is(err, soa.ErrFull) {
							t.Fatal(err)
						}
					}
					valid(t, tree)
				}
				if len(ids) > 0 && r.IntN(4) == 0 {
					i := r.IntN(len(ids))
					must(t, tree.Remove(ids[i]))
					delete(live, ids[i])
					ids[i] = ids[len(ids)-1]
					ids = ids[:len(ids)-1]
				}
			}
			valid(t, tree)
			if refused+unflushed == 0 {
				t.Errorf("%+v: the limit was never met", limit)
			}
			if st := tree.Stats(); limit.slots > 0 && st.Slots > limit.slots {
				t.Errorf("%+v: %d slots", limit, st.Slots)
			}
			for id, o := range live {
				if got, ok := tree.Object(id); !ok || got != o {
					t.Fatalf("%+v: object %d is %v, %v; want %v", limit, id, got, ok, o)
				}
				if len(live) > 20 {
					must(t, tree.Remove(id))
					delete(live, id)
				}
			}
			tree.SetLimits(0, 0, 0)
			tick(t, tree)
			valid(t, tree)
		}
	}
}

// waysToAdd are the calls that add an object, here outside of the world.
func waysToAdd() map[string]func(tree *linear.Tree) error {
	o := soa.Object{Box: cube(1e4, 2, 3, 1), Mask: 1}
	ball := soa.Ball{Sphere: [4]float32{1e4, 2, 3, 1}, Mask: 1}
	return map[string]func(tree *linear.Tree) error{
		"Insert":          func(tree *linear.Tree) error { _, err := tree.Insert(o); return err },
		"InsertBall":      func(tree *linear.Tree) error { _, err := tree.InsertBall(ball); return err },
		"InsertBatch":     func(tree *linear.Tree) error { _, err := tree.InsertBatch(nil, []soa.Object{o}); return err },
		"InsertBallBatch": func(tree *linear.Tree) error { _, err := tree.InsertBallBatch(nil, []soa.Ball{ball}); return err },
		"InsertPoints": func(tree *linear.Tree) error {
			_, err := tree.InsertPoints(nil, [][3]float32{{1e4, 2, 3}}, linear.Labels{})
			return err
		},
		"Batch.Insert": func(tree *linear.Tree) error {
			var b linear.Batch
			b.Insert(o)
			_, err := tree.Apply(&b)
			return err
		},
		"Batch.InsertBall": func(tree *linear.Tree) error {
			var b linear.Batch
			b.InsertBall(ball)
			_, err := tree.Apply(&b)
			return err
		},
	}
}

// The last ID and the last lane for a pending object can be used, by any call. The next call is rejected with
// an error that names the exhausted resource, and changes nothing.
func TestLastOne(t *testing.T) {
	for name, add := range waysToAdd() {
		for what, limit := range map[string]func(tree *linear.Tree){
			"ID":   func(tree *linear.Tree) { tree.SetLimits(uint32(tree.Len()+1), 0, 0) },
			"lane": func(tree *linear.Tree) { tree.SetLimits(0, tree.Stats().Slots, 0) },
		} {
			tree := fullPending(t)
			limit(tree)
			for i, want := range []error{nil, soa.ErrFull} {
				n, v := tree.Len(), tree.View()
				state := linear.StateOf(tree)
				err := add(tree)
				if !errors.Is(err, want) {
					t.Errorf("%s with %d of the last %s: error %v, want %v", name, 1-i, what, err, want)
				}
				for other, text := range map[string]string{"ID": "no object ID is left", "lane": "no packet is left"} {
					if err != nil && strings.Contains(err.Error(), text) != (what == other) {
						t.Errorf("%s without the last %s: error %v", name, what, err)
					}
				}
				if want == nil {
					n++
				} else {
					v.Len() // nothing has changed
				}
				if want != nil && linear.StateOf(tree) != state {
					t.Errorf("%s without the last %s is refused, and has made the tree\n%s\nit was\n%s", name, what, linear.StateOf(tree), state)
				}
				if tree.Len() != n {
					t.Errorf("%s with %d of the last %s: %d objects, want %d", name, 1-i, what, tree.Len(), n)
				}
				valid(t, tree)
			}
		}
	}
}

// fullPending is a tree with packets of pending objects in which one lane is free.
func fullPending(t *testing.T) *linear.Tree {
	t.Helper()
	tree := newTree(t, linear.Config{PendingMin: 1000})
	insert(t, tree, grid(5))
	insert(t, tree, grid(7)[:soa.Fan*soa.Lanes-1])
	if st := tree.Stats(); st.Pending != soa.Fan*soa.Lanes-1 {
		t.Fatalf("%d objects are pending", st.Pending)
	}
	return tree
}

// An object that moves far away becomes pending while there is a lane for it. Otherwise it stays in its packet,
// whose bounds grow.
func TestLastLaneForFar(t *testing.T) {
	for _, move := range []func(tree *linear.Tree, id uint32, box soa.AABB) error{
		func(tree *linear.Tree, id uint32, box soa.AABB) error { return tree.Move(id, box) },
		func(tree *linear.Tree, id uint32, box soa.AABB) error {
			return tree.MoveBatch([]uint32{id}, []soa.AABB{box})
		},
	} {
		tree := fullPending(t)
		tree.SetLimits(0, tree.Stats().Slots, 0)
		const block = soa.Fan * soa.Lanes
		for id := range uint32(3) {
			o, _ := tree.Object(id)
			o.Box = cube(1e9, float32(id), 0, 1)
			must(t, move(tree, id, o.Box))
			valid(t, tree)
			if st := tree.Stats(); st.Pending != block {
				t.Errorf("%d objects are pending in packets of %d when %d have gone far", st.Pending, block, id+1)
			}
			root := &tree.View().Store().Nodes.Hot[0]
			if reach := slices.Max(root.Bounds[soa.MaxX][:]); reach > 1e8 != (id > 0) {
				t.Errorf("the tree reaches up to %v when %d have gone far", reach, id+1)
			}
			if got, ok := tree.Object(id); !ok || got != o {
				t.Errorf("object %d is %v, %v", id, got, ok)
			}
		}
		tree.SetLimits(0, 0, 0)
		tick(t, tree)
		valid(t, tree)
		if err := alone(tree, cube(0, 0, 0, 100)); err != nil {
			t.Error(err)
		}
	}
}

// Objects are placed one by one while there is room for 32 nodes, and one for each level of the tree, that each
// object might split, with a slot for each lane. Otherwise the tree is rebuilt, even under a policy without
// rebuilds.
func TestRebuiltWhereSplitsMightNotFit(t *testing.T) {
	for _, n := range []int{20, 500, 8000} {
		for _, pending := range []int{1, 3} {
			for _, what := range []string{"nodes", "slots"} {
				for _, less := range []int{0, 1} {
					objects := sceneOf(t, "uniform", n+pending)
					filled := func() (tree *linear.Tree, ids []uint32) {
						tree = newTree(t, linear.Config{Policy: linear.PolicyIncremental, PendingMin: 100})
						ids = insert(t, tree, objects[:n])
						tick(t, tree)
						return tree, append(ids, insert(t, tree, objects[n:])...)
					}
					tree, ids := filled()
					s := tree.View().Store()
					splits := pending*(2*soa.Fan+int(s.Nodes.Height[0])) - less
					nodes, slots := len(s.Nodes.Hot)-s.Nodes.Unused()+splits, 0
					if what == "slots" {
						nodes, slots = 0, len(s.Packets.Counts)-tree.FreeSlots()+splits*soa.Fan
					}
					unread, _ := filled() // no read has packed the pending objects
					for _, tree := range []*linear.Tree{tree, unread} {
						tree.SetLimits(0, slots, nodes)
						tick(t, tree)
						if w := tree.Work(); w.Placed != pending*(1-less) || w.Rebuilt != less*(n+pending) {
							t.Errorf("%d pending, %d objects, room for %d %s to split: %d homed, %d rebuilt", pending, n, splits, what, w.Placed, w.Rebuilt)
						}
						check(t, tree, ids, objects)
					}
				}
			}
		}
	}
}

// A rebuild may use the last slot and the last node. With one less it is rejected, and nothing changes.
func TestRebuildFits(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(12))
	must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
	st := tree.Stats()
	for _, c := range []struct {
		slots, nodes int
		want         error
	}{{st.Slots, st.Nodes, nil}, {st.Slots - 1, st.Nodes, soa.ErrFull}, {st.Slots, st.Nodes - 1, soa.ErrFull}} {
		tree.SetLimits(0, c.slots, c.nodes)
		state := linear.StateOf(tree)
		if err := tree.Rebuild(nil, linear.RebuildOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%d slots and %d nodes of %d and %d: error %v, want %v", c.slots, c.nodes, st.Slots, st.Nodes, err, c.want)
		} else if err != nil && linear.StateOf(tree) != state {
			t.Error("the tree has changed")
		}
		valid(t, tree)
	}
}
