package linear_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Objects are moved by Remove and Insert, in single calls, batches and Apply: most nearby, with other masks and flags,
// some far; some are removed twice in a frame, some for good, and some new ones come. A tree that is read between
// removals and insertions answers the same.
func TestReplace(t *testing.T) {
	for i, cfg := range []linear.Config{
		{}, {Log: true}, {Frozen: true}, {Policy: linear.PolicyIncremental}, {TickBudget: 100}, {World: cube(-10, -10, -10, 140), Fixed: true},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := testkit.Rand(testkit.Seed(t))
			tree, read := newTree(t, cfg), newTree(t, cfg)
			both := func(f func(tree *linear.Tree) []uint32) []uint32 {
				t.Helper()
				ids, other := f(tree), f(read)
				if !slices.Equal(ids, other) {
					t.Fatalf("IDs %v, and with reads %v", ids, other)
				}
				return ids
			}
			side := []float32{100, 2}[i%2] // in a small world most boxes fit most packets
			object := func() soa.Object {
				return soa.Object{
					Box:  cube(side*r.Float32(), side*r.Float32(), side*r.Float32(), 1+r.Float32()),
					Mask: 1 << r.IntN(8), Static: r.IntN(3) == 0,
				}
			}
			objects := map[uint32]soa.Object{}
			var live []uint32
			add := func(some []soa.Object, ids []uint32) {
				for i, id := range ids {
					objects[id] = some[i]
				}
				live = append(live, ids...)
			}
			var first []soa.Object
			for range 2000 {
				first = append(first, object())
			}
			add(first, both(func(tree *linear.Tree) []uint32 { return insert(t, tree, first) }))
			both(func(tree *linear.Tree) []uint32 {
				for _, id := range live[:200] {
					c := objects[id].Box.Center()
					must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 0.4}))
				}
				must(t, tree.Tick())
				return nil
			})
			for step := range testkit.Budget(t, 12, 100) {
				if len(live) < 1000 {
					add(first, both(func(tree *linear.Tree) []uint32 { return insert(t, tree, first) }))
				}
				r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
				n := 1 + r.IntN(300)
				gone := slices.Clone(live[:n])
				var come []soa.Object
				for _, id := range gone {
					o := objects[id]
					if r.IntN(10) == 0 {
						o = object()
					}
					for a := range 3 {
						d := 0.4 * (r.Float32() - 0.5)
						o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+d, o.Box.Max[a]+d
					}
					if r.IntN(3) == 0 {
						o.Mask, o.Static = 1<<r.IntN(8), !o.Static
					}
					come = append(come, o)
				}
				live = live[n:]
				if step%3 == 2 {
					come = come[:n-n/3]
				}
				for _, id := range gone {
					delete(objects, id)
				}
				switch how := step % 4; how {
				case 0: // one by one
					add(come, both(func(tree *linear.Tree) (ids []uint32) {
						for i, id := range gone {
							must(t, tree.Remove(id))
							if i < len(come) {
								new, err := tree.Insert(come[i])
								must(t, err)
								ids = append(ids, new)
							}
							if tree == read && i%7 == 0 {
								tree.View()
							}
						}
						return ids
					}))
				case 1, 2: // all removals, then all insertions, of which some are removed at once
					slices.Reverse(come) // the ID that was freed last is the first to be reused
					add(come, both(func(tree *linear.Tree) []uint32 {
						must(t, tree.RemoveBatch(gone))
						if tree == read && how == 1 {
							tree.View()
						}
						return insert(t, tree, come)
					}))
					if how == 2 {
						last := live[len(live)-1-r.IntN(len(come))]
						live = slices.DeleteFunc(live, func(id uint32) bool { return id == last })
						delete(objects, last)
						both(func(tree *linear.Tree) []uint32 { must(t, tree.Remove(last)); return nil })
						more := []soa.Object{object(), object()}
						add(more, both(func(tree *linear.Tree) []uint32 { return insert(t, tree, more) }))
					}
				case 3:
					slices.Reverse(come)
					add(come, both(func(tree *linear.Tree) []uint32 {
						var b linear.Batch
						b.RemoveBatch(gone)
						b.InsertBatch(come)
						ids, err := tree.Apply(&b)
						must(t, err)
						return slices.Clone(ids)
					}))
				}
				if r.IntN(2) == 0 {
					both(func(tree *linear.Tree) []uint32 { must(t, tree.Tick()); return nil })
				}
				for _, tree := range []*linear.Tree{tree, read} {
					valid(t, tree)
					for id, o := range objects {
						if have, ok := tree.Object(id); !ok || have != o {
							t.Fatalf("object %d is %+v, %v, want %+v", id, have, ok, o)
						}
					}
					mask := uint32(1) << r.IntN(8)
					box := cube(0.6*side*r.Float32(), 0.6*side*r.Float32(), 0.6*side*r.Float32(), 0.4*side)
					var want []uint32
					for id, o := range objects {
						if o.Mask&mask != 0 && o.Box.Overlaps(box) {
							want = append(want, id)
						}
					}
					q, err := query.NewBox(box.Min, box.Max)
					must(t, err)
					got := q.Append(nil, tree.View(), query.Filter{Mask: mask})
					slices.Sort(got)
					slices.Sort(want)
					if !slices.Equal(got, want) {
						t.Fatalf("box query: %v, want %v", got, want)
					}
				}
			}
		})
	}
}

// Nearly all objects of a still scene that is inserted anew keep their places: nothing is placed or moved but what is
// left over.
func TestReplaceInPlace(t *testing.T) {
	for _, batch := range []bool{false, true} {
		objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
		tree := newTree(t, linear.Config{Cut: linear.CutSpace})
		ids := insert(t, tree, objects)
		tick(t, tree)
		before, _ := tree.Order(nil)
		gone, come := slices.Clone(ids[500:1500]), slices.Clone(objects[500:1500])
		if batch {
			must(t, tree.RemoveBatch(gone))
			slices.Reverse(come)
			insert(t, tree, come)
		} else {
			for i, id := range gone {
				must(t, tree.Remove(id))
				_, err := tree.Insert(come[i])
				must(t, err)
			}
		}
		tick(t, tree)
		if w := tree.Work(); w.Placed != len(gone) || w.Shifted+w.Splits+w.Rebuilt > 0 {
			t.Errorf("batch %v: %+v", batch, w)
		}
		if after, _ := tree.Order(nil); !slices.Equal(before, after) {
			t.Errorf("batch %v: the order of the objects has changed", batch)
		}
		valid(t, tree)
	}
}

// New objects that have found no place when too many removals were deferred are still pending, and can be removed.
func TestReplaceBeyondRoom(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(9000, 1)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects[:6000])
	tick(t, tree)
	var far []uint32
	gone := 0
	for i, id := range ids {
		must(t, tree.Remove(id))
		o := objects[id]
		if i%3 == 0 {
			o.Box = objects[6000+i/3].Box
		}
		new, err := tree.Insert(o)
		must(t, err)
		if i%3 == 0 {
			far = append(far, new)
		}
		if i == 4200 {
			for _, id := range far {
				must(t, tree.Remove(id))
			}
			gone, far = len(far), nil
		}
	}
	valid(t, tree)
	must(t, tree.RemoveBatch(far))
	valid(t, tree)
	if want := 6000 - gone - len(far); tree.Len() != want {
		t.Errorf("%d objects, want %d", tree.Len(), want)
	}
}
