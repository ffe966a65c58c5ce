package linear_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// dirtyOf returns a column with the next boxes of objects, and their bits.
func dirtyOf(ids []uint32, next func(uint32) soa.AABB) (boxes []soa.AABB, dirty []uint64) {
	nan := float32(math.NaN())
	for _, id := range ids {
		for uint32(len(boxes)) <= id {
			boxes = append(boxes, cube(nan, nan, nan, 1)) // this box is not read
		}
		for uint32(len(dirty)) <= id/64 {
			dirty = append(dirty, 0)
		}
		boxes[id] = next(id)
		dirty[id/64] |= 1 << (id % 64)
	}
	return boxes, dirty
}

// Bits are equivalent to a list: trees with moves by bits and by lists are equal in every byte, called directly
// and recorded, for few moves or all, with bits at the ends of words.
func TestMoveDirtyIsMoveBatch(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range append(slices.Clone(modelConfigs), linear.Config{Log: true, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove}) {
		s := newScript(cfg, nil, seed+uint64(i))
		trees := make([]*linear.Tree, 4) // lists and bits, called and applied
		n := []int{63, 64, 65, 128, 700}[i%5]
		for k := range trees {
			trees[k] = newTree(t, cfg)
		}
		objects := make([]soa.Object, n)
		for k := range objects {
			objects[k] = soa.Object{Box: s.box(false), Mask: 1}
			s.boxes[uint32(k)] = objects[k].Box
			s.ids = append(s.ids, uint32(k))
		}
		for _, tree := range trees {
			insert(t, tree, objects)
		}
		for frame := range testkit.Budget(t, 10, 200) {
			ids := s.some([]int{0, 1, 5, n / 2, n, n}[frame%6])
			slices.Sort(ids)
			if frame%6 == 4 && n > 64 {
				ids = ids[:64] // the first word, full
			}
			ids = slices.DeleteFunc(ids, func(id uint32) bool { return !trees[0].Has(id) })
			boxes, dirty := dirtyOf(ids, s.next)
			dirty = append(dirty, make([]uint64, s.r.IntN(3))...)
			boxes = append(boxes, make([]soa.AABB, s.r.IntN(3))...)
			bits := slices.Clone(dirty)
			list := make([]soa.AABB, len(ids))
			for k, id := range ids {
				list[k] = boxes[id]
			}
			for k, tree := range trees {
				var b linear.Batch
				switch k {
				case 0:
					must(t, tree.MoveBatch(ids, list))
				case 1:
					must(t, tree.MoveDirty(boxes, dirty))
				case 2:
					b.MoveBatch(ids, list)
				case 3:
					b.MoveDirty(boxes, dirty)
				}
				if _, err := tree.Apply(&b); err != nil {
					t.Fatal(err)
				}
				if frame%3 == 2 {
					must(t, tree.Tick())
				}
				if k%2 == 1 && linear.StateOf(tree) != linear.StateOf(trees[k-1]) {
					t.Fatalf("config %d, frame %d: %d moves as bits make another tree, way %d", i, frame, len(ids), k)
				}
			}
			if !slices.Equal(bits, dirty) {
				t.Fatal("the bits have changed")
			}
			for _, tree := range trees {
				valid(t, tree)
			}
		}
	}
}

// hugeIDs reports whether an ID is too large for an index of a bit set.
func hugeIDs(ids ...uint32) bool { return slices.Max(ids) > 1<<20 }

// bitsOfIDs returns the bit set of IDs.
func bitsOfIDs(ids []uint32) (dirty []uint64) {
	for _, id := range ids {
		for uint32(len(dirty)) <= id/64 {
			dirty = append(dirty, 0)
		}
		dirty[id/64] |= 1 << (id % 64)
	}
	return dirty
}

// Trees whose objects are removed by bits and by lists are equal in every byte, called directly and recorded,
// with other changes between the removals, for few objects or all.
func TestRemoveDirtyIsRemoveBatch(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range append(slices.Clone(modelConfigs), linear.Config{Log: true}) {
		if cfg.Outside == linear.OutsideRemove {
			continue // other objects are removed, too
		}
		s := newScript(cfg, nil, seed+uint64(i))
		trees := make([]*linear.Tree, 4) // lists and bits, called and applied
		for k := range trees {
			trees[k] = newTree(t, cfg)
		}
		var live []uint32
		for frame := range testkit.Budget(t, 12, 200) {
			n := []int{63, 64, 65, 128, 700, 1}[frame%6]
			objects := make([]soa.Object, n)
			for k := range objects {
				objects[k] = soa.Object{Box: s.box(false), Mask: 1}
			}
			for k, tree := range trees {
				if added := insert(t, tree, objects); k == 0 {
					live = append(live, added...)
				}
			}
			slices.Sort(live)
			to := s.box(false)
			ids := slices.DeleteFunc(slices.Clone(live), func(id uint32) bool { return frame%4 != 3 && s.r.IntN(1+frame%5) > 0 })
			dirty := append(bitsOfIDs(ids), make([]uint64, s.r.IntN(3))...)
			bits := slices.Clone(dirty)
			for k, tree := range trees {
				must(t, tree.Move(live[len(live)/2], to)) // it is deferred
				var b linear.Batch
				switch k {
				case 0:
					if len(ids) > 0 { // without IDs RemoveBatch ends views
						must(t, tree.RemoveBatch(ids))
					}
				case 1:
					must(t, tree.RemoveDirty(dirty))
				case 2:
					b.RemoveBatch(ids)
				case 3:
					b.RemoveDirty(dirty)
				}
				if _, err := tree.Apply(&b); err != nil {
					t.Fatal(err)
				}
				if frame%3 == 2 {
					must(t, tree.Tick())
				}
				if k%2 == 1 && linear.StateOf(tree) != linear.StateOf(trees[k-1]) {
					t.Fatalf("config %d, frame %d: %d removals as bits make another tree, way %d", i, frame, len(ids), k)
				}
			}
			if !slices.Equal(bits, dirty) {
				t.Fatal("the bits have changed")
			}
			live = slices.DeleteFunc(live, func(id uint32) bool { return slices.Contains(ids, id) })
			for _, tree := range trees {
				valid(t, tree)
				if left := slices.Sorted(maps.Keys(maps.Collect(tree.All()))); !slices.Equal(left, live) {
					t.Fatalf("config %d, frame %d: %d objects are left, want %d", i, frame, tree.Len(), len(live))
				}
			}
		}
	}
}

// A rejected call removes nothing, and a call without bits ends no view.
func TestRemoveDirtyRefused(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(5))
	must(t, tree.Remove(70))
	v := tree.View()
	state := linear.StateOf(tree)
	for want, ids := range map[string][]uint32{
		"linear: object 2 of the batch: no live object": {1, 64, 70, 71},
		"linear: object 1 of the batch: no live object": {1, 1000},
	} {
		if err := tree.RemoveDirty(bitsOfIDs(ids)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if linear.StateOf(tree) != state {
			t.Fatalf("%s: the tree has changed", want)
		}
	}
	must(t, tree.RemoveDirty(nil))
	must(t, tree.RemoveDirty(make([]uint64, 3)))
	v.Len()
	var b linear.Batch
	b.RemoveDirty(make([]uint64, 3))
	if b.Len() != 0 {
		t.Error("no bits are recorded as a change")
	}
}

func TestRemoveDirtyAllocations(t *testing.T) {
	tree := newTree(t, linear.Config{Workers: 1, Cut: linear.CutSpace})
	objects := grid(8)
	ids := insert(t, tree, objects)
	dirty := bitsOfIDs(ids[100:200])
	var b linear.Batch
	back := make([]uint32, 0, 100)
	testkit.Allocs(t, 10, func() {
		must(t, tree.RemoveDirty(dirty))
		_, err := tree.InsertBatch(back, objects[100:200])
		must(t, err)
		b.Reset()
		b.RemoveDirty(dirty)
		_, err = tree.Apply(&b)
		must(t, err)
		_, err = tree.InsertBatch(back, objects[100:200])
		must(t, err)
		must(t, tree.Tick())
	})
}

// A rejected call moves nothing.
func TestMoveDirtyRefused(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, grid(5))
	must(t, tree.Remove(70))
	tree.View()
	state := linear.StateOf(tree)
	to := func(uint32) soa.AABB { return cube(1, 1, 1, 1) }
	bad := func(at uint32) func(uint32) soa.AABB {
		return func(id uint32) soa.AABB {
			if id == at {
				return cube(0, float32(math.NaN()), 0, 1)
			}
			return to(id)
		}
	}
	for want, call := range map[string]func() ([]soa.AABB, []uint64){
		"linear: object 2 of the batch: ":            func() ([]soa.AABB, []uint64) { return dirtyOf([]uint32{1, 64, 70, 71}, to) },
		"linear: object 1 of the batch: ":            func() ([]soa.AABB, []uint64) { return dirtyOf([]uint32{1, 1000}, to) },
		"linear: object 1 of the batch, ID 64: box ": func() ([]soa.AABB, []uint64) { return dirtyOf([]uint32{1, 64}, bad(64)) },
		"linear: object 9 of the batch, ID 9: box ":  func() ([]soa.AABB, []uint64) { return dirtyOf(ids[:70], bad(9)) },
	} {
		if err := tree.MoveDirty(call()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if linear.StateOf(tree) != state {
			t.Fatalf("%s: the tree has changed", want)
		}
	}
	var b linear.Batch
	for _, call := range []func([]soa.AABB, []uint64){func(x []soa.AABB, d []uint64) { _ = tree.MoveDirty(x, d) }, b.MoveDirty} {
		if got, want := testkit.Panic(func() { call(make([]soa.AABB, 66), []uint64{0, 1<<2 | 1}) }), "linear: MoveDirty with the bit of ID 66, and 66 boxes"; got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}
	if linear.StateOf(tree) != state || b.Len() != 0 {
		t.Error("a panic has left something")
	}
}

func TestMoveDirtyAllocations(t *testing.T) {
	tree := newTree(t, linear.Config{Workers: 1, Cut: linear.CutSpace})
	objects := grid(8)
	ids := insert(t, tree, objects)
	var boxes []soa.AABB
	for _, o := range objects {
		boxes = append(boxes, o.Box)
	}
	for _, movers := range [][]uint32{ids, ids[3:40]} {
		_, dirty := dirtyOf(movers, func(id uint32) soa.AABB { return boxes[id] })
		var b linear.Batch
		testkit.Allocs(t, 10, func() {
			boxes[5].Min[0] -= 0.01
			must(t, tree.MoveDirty(boxes, dirty))
			b.Reset()
			b.MoveDirty(boxes, dirty)
			_, err := tree.Apply(&b)
			must(t, err)
			must(t, tree.Tick())
		})
	}
}

// MoveDirty alternates with a MoveBatch of existing lists and with one of lists that the program makes from
// flags: x is the ratio of the median time of MoveDirty to the median time of the first.
func BenchmarkMoveDirty(b *testing.B) {
	const n = 100_000
	for _, share := range []int{1000, 100, 10, 2, 1} {
		b.Run(fmt.Sprintf("n=%d/movers=%d", n, n/share), func(b *testing.B) {
			objects := sceneOf(b, "uniform", n)
			tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
			insert(b, tree, objects)
			r := testkit.Rand(1)
			boxes, flags, dirty := make([]soa.AABB, n), make([]bool, n), make([]uint64, (n+63)/64)
			for i := range objects {
				boxes[i] = objects[i].Box
			}
			var ids, ownIDs []uint32
			var list, own []soa.AABB
			frame := func() {
				clear(flags)
				clear(dirty)
				ids, list = ids[:0], list[:0]
				for id := range boxes {
					if r.IntN(share) > 0 {
						continue
					}
					for a := range 3 {
						by := (r.Float32() - 0.5) / 8
						boxes[id].Min[a] += by
						boxes[id].Max[a] += by
					}
					flags[id] = true
					dirty[id/64] |= 1 << (id % 64)
					ids, list = append(ids, uint32(id)), append(list, boxes[id])
				}
			}
			var times [3][]time.Duration
			b.ReportAllocs()
			for turn := 0; b.Loop(); turn++ {
				for k := range times {
					b.StopTimer()
					frame()
					way := (k + turn) % len(times)
					var err error
					b.StartTimer()
					start := time.Now()
					switch way {
					case 0:
						err = tree.MoveBatch(ids, list)
					case 1:
						err = tree.MoveDirty(boxes, dirty)
					case 2:
						ownIDs, own = ownIDs[:0], own[:0]
						for id, is := range flags {
							if is {
								ownIDs, own = append(ownIDs, uint32(id)), append(own, boxes[id])
							}
						}
						err = tree.MoveBatch(ownIDs, own)
					}
					tree.View() // applies the moves
					times[way] = append(times[way], time.Since(start))
					must(b, err)
					b.StopTimer()
					must(b, tree.Tick())
					b.StartTimer()
				}
			}
			median := func(way int) float64 {
				slices.Sort(times[way])
				return float64(times[way][len(times[way])/2])
			}
			each := float64(n) / float64(share)
			b.ReportMetric(median(0)/each, "ns/listed")
			b.ReportMetric(median(1)/each, "ns/dirty")
			b.ReportMetric(median(2)/each, "ns/flagged")
			b.ReportMetric(median(1)/median(0), "x")
		})
	}
}
