package query_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// sameFrusta fails unless the batch returns the results of the single frusta, in their order, and the
// objects of all of them, each once, with the set of its frusta.
func sameFrusta(t testing.TB, b *query.FrustumBatch, v linear.View, frusta []query.Frustum, flt query.Filter) {
	t.Helper()
	var ids []uint32
	sets := map[uint32]uint64{}
	for k, f := range frusta {
		alone := f.Append(nil, v, flt)
		testkit.SameIDs(t, b.Of(k), alone)
		for _, id := range alone {
			if sets[id] == 0 {
				ids = append(ids, id)
			}
			sets[id] |= 1 << k
		}
	}
	all, viewers := b.Viewers()
	testkit.SameIDs(t, all, ids)
	for i, id := range all {
		if viewers[i] != sets[id] {
			t.Fatalf("object %d is in the frusta %#x, want %#x", id, viewers[i], sets[id])
		}
	}
	if len(viewers) != len(all) {
		t.Fatalf("%d objects with %d sets", len(all), len(viewers))
	}
}

// Once its buffers have grown, a batch of one worker allocates nothing. It takes any number of frusta; the sets of more
// than 64 panic.
func TestFrustumBatchKept(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(80_000, 1) // shared among workers
	v := plant(t, objects, true).View()
	frusta := someFrusta(t, objects, 2, 1)[:12]
	b := query.FrustumBatch{}
	for _, b.Workers = range []int{3, 2, 1} {
		for _, flt := range testkit.Turn(t, b.Workers, filters) {
			testkit.Must(t, b.Find(nil, v, frusta, flt))
			sameFrusta(t, &b, v, frusta, flt)
		}
	}
	testkit.Allocs(t, 5, func() {
		for _, flt := range filters {
			b.Find(nil, v, frusta, flt)
			b.Viewers()
		}
	})
	many := slices.Repeat(frusta, 6)
	testkit.Must(t, b.Find(nil, v, many, query.Filter{}))
	for k, f := range many {
		testkit.SameIDs(t, b.Of(k), f.Append(nil, v, query.Filter{}))
	}
	if value := fmt.Sprint(testkit.Panic(func() { b.Viewers() })); !strings.Contains(value, "72") || !strings.Contains(value, "64") {
		t.Errorf("viewers of 72 frusta: panic %v", value)
	}
	testkit.Must(t, b.Find(nil, v, many[:64], query.Filter{}))
	sameFrusta(t, &b, v, many[:64], query.Filter{})
}

// boxesMeeting returns boxes that each intersect about so many objects.
func boxesMeeting(t testing.TB, objects []soa.Object, results, count int) (list []query.Box) {
	for _, b := range scene.BoxQueries(objects, results, count, 3) {
		list = append(list, box(t, b))
	}
	return list
}

// scaled returns the boxes of boxesMeeting with sides longer by a factor, for many results: boxesMeeting takes long for
// them.
func scaled(t testing.TB, objects []soa.Object, results, count int, factor float32) (list []query.Box) {
	for _, b := range scene.BoxQueries(objects, results, count, 3) {
		for a := range 3 {
			center, half := (b.Min[a]+b.Max[a])/2, (b.Max[a]-b.Min[a])/2*factor
			b.Min[a], b.Max[a] = center-half, center+half
		}
		list = append(list, box(t, b))
	}
	return list
}

// sameBoxes fails unless a batch returns the results of single boxes.
func sameBoxes(t *testing.T, b *query.BoxBatch, v linear.View, boxes []query.Box, flt query.Filter) {
	t.Helper()
	testkit.Must(t, b.Find(nil, v, boxes, flt))
	var want []uint32
	for i := range boxes {
		at := len(want)
		want = boxes[i].Append(want, v, flt)
		if !slices.Equal(b.Of(i), want[at:]) {
			t.Fatalf("box %d of %d: %d objects, want %d", i, len(boxes), len(b.Of(i)), len(want)-at)
		}
	}
	if !slices.Equal(b.IDs, want) {
		t.Fatalf("%d IDs, want %d", len(b.IDs), len(want))
	}
}

// Boxes of all sizes, alone in a batch and mixed, in numbers about the thresholds of the plan, have the results of
// single queries on every tree and tier: with and without shared walks and fallbacks.
func TestBoxesTogether(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 10_000, 20_000), 1)
		f := plantAll(t, objects)
		kinds := map[string][]query.Box{}
		for _, results := range []int{1, 8, 100, 500} {
			count := 600 // more than are sampled
			if results > 100 {
				count = testkit.Budget(t, 70, 600)
			}
			kinds[fmt.Sprint(results)] = boxesMeeting(t, objects, results, count)
		}
		kinds["large"] = scaled(t, objects, 100, testkit.Budget(t, 70, 600), 4) // thousands
		var mixed []query.Box
		for i := range 600 {
			for k, kind := range []string{"8", "100", "500", "large"} {
				if list := kinds[kind]; i%(1<<(2*k)) == 0 {
					mixed = append(mixed, list[i%len(list)])
				}
			}
		}
		kinds["mixed"] = mixed
		for _, b := range scene.EdgeBoxes(objects) {
			kinds["edges"] = append(kinds["edges"], box(t, b))
		}
		shared := false
		for form, tree := range f.Trees {
			v := tree.View()
			for i, kind := range slices.Sorted(maps.Keys(kinds)) {
				boxes := kinds[kind]
				testkit.EachTier(t, func(t *testing.T) {
					if !testkit.OfTier(t, i) {
						return
					}
					b := query.BoxBatch{Workers: 1}
					for _, n := range []int{0, 1, 15, 16, 17, 64, 65, len(boxes)} {
						if n <= len(boxes) {
							share, _ := query.BoxesPlan(v.Store(), boxes[:n], query.Filter{})
							shared = shared || share
							sameBoxes(t, &b, v, boxes[:n], query.Filter{})
						}
					}
					b.Workers = 3
					sameBoxes(t, &b, v, boxes, query.Filter{})
					if t.Failed() {
						t.Fatalf("%s, tree %s, boxes of %s", name, form, kind)
					}
				})
			}
		}
		if !shared {
			t.Errorf("%s: no boxes share walks", name)
		}
	}
}

// The plan, with shared walks and sorting, depends on counts alone.
func TestBoxesPlan(t *testing.T) {
	objects, frozen := largeTree(t)
	slots := len(frozen.View().Store().Packets.Counts)
	many := slots/query.BatchDense + 1
	if slots <= query.BatchCached || many < query.SampledBoxes {
		t.Fatalf("%d slots", slots)
	}
	little, most := boxesMeeting(t, objects, 4, many), boxesMeeting(t, objects, 300, many)
	all := scaled(t, objects, 300, many, 5) // some 30,000
	plan := func(name string, tree *linear.Tree, boxes []query.Box, flt query.Filter, share, sorted bool) {
		t.Helper()
		if a, b := query.BoxesPlan(tree.View().Store(), boxes, flt); a != share || b != sorted {
			t.Errorf("%s: share %v, sorted %v, want %v, %v", name, a, b, share, sorted)
		}
	}
	plan("small boxes", frozen, little, query.Filter{}, true, false)
	plan("boxes of hundreds", frozen, most, query.Filter{}, true, true)
	plan("boxes of hundreds, too few", frozen, most[:slots/query.BatchDense-1], query.Filter{}, true, false)
	plan("boxes of tens of thousands", frozen, all, query.Filter{}, false, true)
	plan("a few of these", frozen, all[:query.SampledBoxes-1], query.Filter{}, true, false)
	plan("a filter", frozen, little, query.Filter{Mask: 1}, false, true)
	plan("spheres", frozen, little, query.Filter{Exact: true}, false, true)
	small := plant(t, objects[:40*query.TogetherSlots/10], true)
	if n := len(small.View().Store().Packets.Counts); n >= query.TogetherSlots {
		t.Fatalf("%d slots", n)
	}
	plan("small boxes in a small tree", small, little, query.Filter{}, false, false)

	least := small
	for n := soa.Lanes * query.TogetherSlots; len(least.View().Store().Packets.Counts) < query.TogetherSlots; n += soa.Lanes {
		least = plant(t, objects[:n], true)
	}
	plan("small boxes in a tree that is just large enough", least, little, query.Filter{}, true, false)

	pending := trees.New(t, linear.Config{PendingMin: 1 << 20})
	trees.Insert(t, pending, objects[:50_000])
	trees.Rebuild(t, pending, false)
	for n := 0; ; n++ {
		share := len(pending.View().Store().Pending) <= query.TogetherPending
		plan(fmt.Sprintf("%d pending packets", len(pending.View().Store().Pending)), pending, little, query.Filter{}, share, false)
		sameBoxes(t, new(query.BoxBatch), pending.View(), little[:100], query.Filter{})
		if !share {
			break
		}
		if n > 3*query.TogetherPending {
			t.Fatal("nothing is pending")
		}
		trees.Insert(t, pending, objects[50_000+100*n:][:soa.Lanes])
	}
	b := new(query.BoxBatch)
	sameBoxes(t, b, frozen.View(), most, query.Filter{})
	sameBoxes(t, b, frozen.View(), little, query.Filter{})
	b.Workers = 1
	for _, boxes := range [][]query.Box{little, most} {
		testkit.Allocs(t, 3, func() { testkit.Must(t, b.Find(nil, frozen.View(), boxes, query.Filter{})) })
	}
}
