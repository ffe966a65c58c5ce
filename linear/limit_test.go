package linear_test

import (
	"errors"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// IDs end with an error that changes nothing, and come back when objects go.
func TestNoIDsLeft(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	tree := newTree(t, linear.Config{})
	tree.SetLimits(500, 0, 0)
	full := func(err error) {
		t.Helper()
		if !errors.Is(err, soa.ErrFull) {
			t.Fatalf("error %v, want %v", err, soa.ErrFull)
		}
		valid(t, tree)
	}
	_, err := tree.InsertBatch(nil, objects[:501])
	full(err)
	ids := insert(t, tree, objects[:400])
	_, err = tree.InsertBatch(nil, objects[400:501])
	full(err)
	ids = append(ids, insert(t, tree, objects[400:500])...)
	_, err = tree.Insert(objects[500])
	full(err)
	var b linear.Batch
	b.Remove(ids[0])
	b.Insert(objects[500])
	_, err = tree.Apply(&b)
	full(err)
	check(t, tree, ids, objects[:500])
	if err := tree.Remove(ids[7]); err != nil {
		t.Fatal(err)
	}
	if id, err := tree.Insert(objects[7]); err != nil || id != ids[7] {
		t.Fatalf("ID %d, error %v, want %d", id, err, ids[7])
	}
	check(t, tree, ids, objects[:500])
}

// Columns end with an error that loses nothing: what is pending stays pending,
// and the tree works on when objects go.
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
					if err := tree.Remove(ids[i]); err != nil {
						t.Fatal(err)
					}
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
					if err := tree.Remove(id); err != nil {
						t.Fatal(err)
					}
					delete(live, id)
				}
			}
			tree.SetLimits(0, 0, 0)
			tick(t, tree)
			valid(t, tree)
		}
	}
}

// A batch that does not fit an empty tree leaves it empty and usable.
func TestNoRoomForBatch(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := newTree(t, linear.Config{})
	tree.SetLimits(0, 100, 0)
	if _, err := tree.InsertBatch(nil, objects); !errors.Is(err, soa.ErrFull) {
		t.Fatalf("error %v, want %v", err, soa.ErrFull)
	}
	valid(t, tree)
	ids := insert(t, tree, objects[:200])
	check(t, tree, ids, objects[:200])
}
