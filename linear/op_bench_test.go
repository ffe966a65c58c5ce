package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// opSteps is the number of changes of an operation before its tick.
const opSteps = 1000

// opSum keeps results alive.
var opSum int

// opBench is the tree of all measurements, with some random objects of it.
type opBench struct {
	tree    *linear.Tree
	objects []soa.Object
	ids     []uint32 // opSteps different IDs
	boxes   []soa.AABB
	spheres [][4]float32
}

func newOpBench(b *testing.B, n int) *opBench {
	x := &opBench{tree: newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace}), objects: sceneOf(b, "uniform", n)}
	insert(b, x.tree, x.objects)
	for _, id := range testkit.Rand(1).Perm(n)[:opSteps] {
		box := x.objects[id].Box
		c := box.Center()
		x.ids = append(x.ids, uint32(id))
		x.boxes = append(x.boxes, box)
		x.spheres = append(x.spheres, [4]float32{c[0], c[1], c[2], 0.5})
	}
	return x
}

// must ends the process: the benchmark of the failure is not the present one.
func (x *opBench) must(err error) {
	if err != nil {
		panic(err)
	}
}

// each runs f for every chosen object.
func (x *opBench) each(f func(i int, id uint32) error) {
	for i, id := range x.ids {
		x.must(f(i, id))
	}
}

// changes are operations that restore the tree, except for IDs: each on 1,000 objects, with a tick. Removed
// objects are inserted again with the freed IDs, in another order.
func (x *opBench) changes() map[string]func() {
	var batch linear.Batch
	t := x.tree
	reinsert := func() {
		for i := range x.ids {
			id, err := t.Insert(soa.Object{Box: x.boxes[i], Mask: 1})
			x.must(err)
			x.ids[i] = id
		}
	}
	return map[string]func(){
		"Tick": func() {},
		"Move": func() { x.each(func(i int, id uint32) error { return t.Move(id, x.boxes[i]) }) },
		"MoveBatch": func() {
			x.must(t.MoveBatch(x.ids, x.boxes))
		},
		"MoveRefit": func() {
			x.must(t.MoveBatch(x.ids, x.boxes))
			t.Refit()
		},
		"RemoveInsert": func() {
			x.each(func(_ int, id uint32) error { return t.Remove(id) })
			reinsert()
		},
		"RemoveInsertFlush": func() {
			x.must(t.RemoveBatch(x.ids))
			reinsert()
			x.must(t.Flush())
		},
		"SetMask":   func() { x.each(func(i int, id uint32) error { return t.SetMask(id, uint32(i)|1) }) },
		"SetStatic": func() { x.each(func(i int, id uint32) error { return t.SetStatic(id, i%2 == 0) }) },
		"SetSphere": func() { x.each(func(i int, id uint32) error { return t.SetSphere(id, x.spheres[i]) }) },
		"SetBounds": func() {
			x.must(t.SetBounds(x.ids, linear.Bodies{Spheres: x.spheres}))
		},
		"MoveSphere": func() { x.each(func(i int, id uint32) error { return t.MoveSphere(id, x.spheres[i]) }) },
		"MoveBodies": func() {
			x.must(t.MoveBodies(x.ids, linear.Bodies{Spheres: x.spheres}))
		},
		"Apply": func() {
			batch.Reset()
			for i, id := range x.ids {
				batch.Move(id, x.boxes[i])
			}
			_, err := t.Apply(&batch)
			x.must(err)
		},
	}
}

// reads are operations on 1,000 objects that change nothing.
func (x *opBench) reads() map[string]func() {
	t, v, world := x.tree, x.tree.View(), x.tree.World()
	keys := make([]morton.Key, len(x.ids))
	handles := make([]soa.Handle, len(x.ids))
	for i, id := range x.ids {
		keys[i] = world.Key(x.boxes[i].Center())
		handles[i], _ = t.Handle(id)
	}
	return map[string]func(){
		"Has": func() {
			for _, id := range x.ids {
				if t.Has(id) {
					opSum++
				}
			}
		},
		"Object": func() {
			for _, id := range x.ids {
				o, _ := t.Object(id)
				opSum += int(o.Mask)
			}
		},
		"Sphere": func() {
			for _, id := range x.ids {
				s, _ := t.Sphere(id)
				opSum += int(s[3])
			}
		},
		"Handle": func() {
			for _, id := range x.ids {
				h, _ := t.Handle(id)
				opSum += int(h.ID)
			}
		},
		"Resolve": func() {
			for _, h := range handles {
				id, err := t.Resolve(h)
				x.must(err)
				opSum += int(id)
			}
		},
		"CellOf": func() {
			for _, k := range keys {
				slots, _ := v.CellOf(k)
				opSum += int(slots.First)
			}
		},
		"View": func() {
			for range x.ids {
				opSum += t.View().Len()
			}
		},
	}
}

// Small changes, and reads, of one object at a time.
func BenchmarkObject(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 1_000_000) {
		x := newOpBench(b, n)
		run := func(op string, f func()) {
			b.Run(fmt.Sprintf("op=%s/n=%d", op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: opSteps, Item: "object", Run: f})
			})
		}
		for _, op := range []string{"Has", "Object", "Sphere", "Handle", "Resolve", "CellOf", "View"} {
			run(op, x.reads()[op])
		}
		changes := x.changes()
		for _, op := range []string{
			"Tick", "Move", "MoveBatch", "MoveRefit", "Apply", "SetMask", "SetStatic",
			"RemoveInsert", "RemoveInsertFlush", "SetSphere", "SetBounds",
		} {
			run(op, func() {
				changes[op]()
				x.must(x.tree.Tick())
			})
		}
		x.must(x.tree.Validate())
	}
}

// Operations on all objects.
func BenchmarkTree(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 1_000_000) {
		objects := sceneOf(b, "uniform", n)
		tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
		ids := make([]uint32, 0, n)
		fill := func() {
			var err error
			if ids, err = tree.InsertBatch(ids[:0], objects); err != nil {
				b.Fatal(err)
			}
		}
		fill()
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"All", func() {
				for id := range tree.All() {
					opSum += int(id)
				}
			}},
			{"Cells", func() {
				for c := range tree.Cells() {
					opSum += c.Count
				}
			}},
			{"Stats", func() { opSum += tree.Stats().Objects }},
			{"Validate", func() {
				must(b, tree.Validate())
			}},
			{"Clone", func() { opSum += tree.Clone().Len() }},
			{"ClearInsertBatch", func() {
				tree.Clear()
				fill()
			}},
			{"TrimRebuild", func() {
				tree.Trim()
				must(b, tree.Rebuild(nil, linear.RebuildOptions{}))
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: n, Item: "object", Run: x.run})
			})
		}
	}
}
