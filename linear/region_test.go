package linear_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// region is a box or a ball in the form of a test.
type region struct {
	box    soa.AABB
	center [3]float32
	radius float32
	ball   bool
}

func (r region) linear() linear.Region {
	if r.ball {
		return linear.SphereRegion(r.center, r.radius)
	}
	return linear.BoxRegion(r.box)
}

// in reports whether an object with that box is in the region, by the reference implementations of queries.
func (r region) in(box soa.AABB) bool {
	one := []soa.Object{{Box: box}}
	if r.ball {
		return len(testkit.ReferenceSphere(one, r.center, r.radius)) > 0
	}
	return len(testkit.ReferenceBox(one, r.box)) > 0
}

// selected reports whether a filter keeps an object.
func selected(o soa.Object, flt linear.Filter) bool {
	return (flt.Mask == 0 || o.Mask&flt.Mask != 0) && (flt.Motion == query.AnyMotion || (flt.Motion == query.StaticOnly) == o.Static)
}

// query returns the objects that a query finds in the region.
func (r region) query(t testing.TB, v linear.View, flt query.Filter) []uint32 {
	if r.ball {
		q, err := query.NewSphere(r.center, r.radius)
		must(t, err)
		return q.Append(nil, v, flt)
	}
	q, err := query.NewBox(r.box.Min, r.box.Max)
	must(t, err)
	return q.Append(nil, v, flt)
}

// selection is the argument of a removal by region.
type selection struct {
	region linear.Region
	filter linear.Filter
}

// badSelections are invalid regions and filters.
func badSelections() (bad []selection) {
	for a := range 3 {
		for _, x := range []float32{nan32, inf32, -inf32} {
			center := [3]float32{}
			center[a] = x
			low, high := cube(0, 0, 0, 1), cube(0, 0, 0, 1)
			low.Min[a], high.Max[a] = x, x
			bad = append(bad, selection{region: linear.SphereRegion(center, 1)},
				selection{region: linear.BoxRegion(low)}, selection{region: linear.BoxRegion(high)})
		}
		inverted := cube(0, 0, 0, 1)
		inverted.Max[a] = -1.5
		bad = append(bad, selection{region: linear.BoxRegion(inverted)})
	}
	for _, radius := range []float32{-1, nan32, inf32, -1e-40} {
		bad = append(bad, selection{region: linear.SphereRegion([3]float32{1, 2, 3}, radius)})
	}
	for _, m := range []linear.Motion{3, 255} {
		bad = append(bad, selection{linear.BoxRegion(goodBox), linear.Filter{Motion: m}})
	}
	return bad
}

// The error of an invalid region has its numbers.
func TestRegionErrors(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(3))
	for want, s := range map[string]selection{
		"linear: sphere about [1 2 3] of radius -4.5: want finite numbers, and a radius of 0 or more": {region: linear.SphereRegion([3]float32{1, 2, 3}, -4.5)},
		"linear: sphere about [1 NaN 3] of radius 1: ":                                                {region: linear.SphereRegion([3]float32{1, nan32, 3}, 1)},
		"linear: box of a region: ":                                                                   {region: linear.BoxRegion(cube(8.75, nan32, 0, 1))},
		"linear: Filter.Motion 7 is not 0 to 2":                                                       {filter: linear.Filter{Motion: 7}},
	} {
		_, _, err := tree.RemoveIn(nil, s.region, s.filter)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		var b linear.Batch
		b.Flush()
		b.RemoveOutside(s.region, s.filter)
		_, err = tree.Apply(&b)
		if want := strings.Replace(want, "linear: ", "linear: change 1 of the batch, RemoveOutside: ", 1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if r := linear.BoxRegion(cube(1, 2, 3, 1)); r.String() != "box [0 1 2] to [2 3 4]" || r != linear.BoxRegion(cube(1, 2, 3, 1)) {
		t.Errorf("a region is %v", r)
	}
	if r := linear.SphereRegion([3]float32{1, 2, 3}, 4); r.String() != "sphere [1 2 3] radius 4" {
		t.Errorf("a region is %v", r)
	}
}

// A batch names an object only while the removals by region before it keep the object, with the box, mask and flag that
// it has at each of them.
func TestApplyRegions(t *testing.T) {
	here, there := linear.BoxRegion(cube(0, 0, 0, 1)), linear.BoxRegion(cube(50, 0, 0, 1))
	ball, all := linear.SphereRegion([3]float32{}, 1), linear.Filter{}
	for name, x := range map[string]struct {
		record func(b *linear.Batch)
		bad    int // index of the rejected change; -1: none
		left   int // objects after it
	}{
		"removed, then moved": {func(b *linear.Batch) {
			b.Insert(soa.Object{})
			b.Move(1, cube(0, 0, 0, 1))
			b.RemoveIn(here, all)
			b.Move(1, cube(3, 0, 0, 1))
		}, 3, 3},
		"moved out, then removed": {func(b *linear.Batch) { b.Move(0, cube(50, 0, 0, 1)); b.RemoveIn(here, all); b.SetMask(0, 9) }, -1, 3},
		"moved in, then removed": {func(b *linear.Batch) {
			b.MoveBatch([]uint32{1, 2}, []soa.AABB{cube(0, 0, 0, 1), cube(50, 0, 0, 1)})
			b.RemoveIn(ball, all)
			b.SetStatic(1, true)
		}, 2, 3},
		"its neighbour":    {func(b *linear.Batch) { b.RemoveIn(here, all); b.SetStatic(1, true) }, -1, 2},
		"kept by the mask": {func(b *linear.Batch) { b.SetMask(0, 2); b.RemoveIn(here, linear.Filter{Mask: 1}); b.SetMask(0, 1) }, -1, 3},
		"not kept by the mask": {func(b *linear.Batch) {
			b.SetMask(0, 4)
			b.RemoveIn(ball, linear.Filter{Mask: 4})
			b.MoveBatch([]uint32{1, 0}, make([]soa.AABB, 2))
		}, 2, 3},
		"kept by its flag": {func(b *linear.Batch) {
			b.SetStatic(0, true)
			b.RemoveIn(here, linear.Filter{Motion: linear.MovingOnly})
			b.Remove(0)
		}, -1, 2},
		"not kept by its flag": {func(b *linear.Batch) {
			b.SetStatic(0, true)
			b.RemoveIn(here, linear.Filter{Motion: linear.StaticOnly})
			b.Remove(0)
		}, 2, 3},
		"outside": {func(b *linear.Batch) { b.RemoveOutside(here, all); b.SetMask(0, 3); b.SetMask(2, 3) }, 2, 3},
		"the second of two": {func(b *linear.Batch) {
			b.RemoveIn(there, all)
			b.SetMask(1, 3)
			b.RemoveIn(here, all)
			b.RemoveIn(there, all)
			b.SetMask(1, 1)
			b.RemoveDirty([]uint64{1})
		}, 5, 3},
		"moved between two": {func(b *linear.Batch) {
			b.RemoveIn(there, all)
			b.Move(0, cube(50, 0, 0, 1))
			b.RemoveIn(here, all)
			b.Move(0, cube(0, 0, 0, 1))
		}, -1, 3},
		"a bound of a removed one": {func(b *linear.Batch) { b.RemoveIn(here, all); b.SetSphere(0, [4]float32{3: 0.5}) }, 1, 3},
		"by ID, then by region":    {func(b *linear.Batch) { b.Remove(0); b.RemoveIn(here, all); b.Insert(soa.Object{}); b.SetMask(2, 1) }, -1, 3},
		"by region, then all":      {func(b *linear.Batch) { b.RemoveIn(here, all); b.RemoveAll(); b.Insert(soa.Object{}) }, -1, 1},
		"an ID that is used again": {func(b *linear.Batch) { b.RemoveIn(here, all); b.Insert(soa.Object{}); b.Move(0, cube(1, 1, 1, 1)) }, 2, 3},
		"removed by Remove":        {func(b *linear.Batch) { b.Remove(1); b.MoveBatch([]uint32{0, 1}, make([]soa.AABB, 2)) }, 1, 3},
	} {
		tree := newTree(t, linear.Config{})
		insert(t, tree, []soa.Object{{Box: cube(0, 0, 0, 1), Mask: 1}, {Box: cube(9, 0, 0, 1), Mask: 1}, {Box: cube(-9, 0, 0, 1), Mask: 1}})
		var b linear.Batch
		x.record(&b)
		before := linear.StateOf(tree)
		ids, err := tree.Apply(&b)
		valid(t, tree)
		if x.bad < 0 {
			if err != nil || tree.Len() != x.left {
				t.Errorf("%s: %d objects, error %v", name, tree.Len(), err)
			}
			continue
		}
		if !errors.Is(err, linear.ErrUnknown) || len(ids) > 0 || !strings.HasPrefix(err.Error(), fmt.Sprintf("linear: change %d of the batch, ", x.bad)) {
			t.Errorf("%s: IDs %v, error %v, want that of change %d", name, ids, err, x.bad)
		}
		if linear.StateOf(tree) != before {
			t.Errorf("%s: a rejected batch has changed the tree", name)
		}
	}
}

// Removal by region frees the nodes inside at once, in every kind of tree, and later changes keep the tree sound.
func TestRegionFreesSubtrees(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20000, 1)
	union := soa.Empty()
	for _, o := range objects {
		union = union.Union(o.Box)
	}
	half := union
	half.Max[0] = half.Center()[0]
	for i, cfg := range []linear.Config{{}, {Frozen: true}, {TickBudget: 500}, {Policy: linear.PolicyIncremental, SplitAbove: 4, MergeBelow: 2}, {Cut: linear.CutCurve}} {
		for _, outside := range []bool{false, true} {
			tree := newTree(t, cfg)
			insert(t, tree, objects)
			for k := range 400 { // some pending, in grafts, and far away
				o := objects[k*7]
				if k%50 == 0 {
					o.Box = cube(1e7, float32(k), 0, 1)
				}
				_, err := tree.Insert(o)
				must(t, err)
				if k%150 == 149 {
					tree.View()
				}
			}
			r := region{box: half}
			var want []uint32
			for id, o := range tree.All() {
				if r.in(o.Box) != outside {
					want = append(want, id)
				}
			}
			before := tree.Stats()
			remove := tree.RemoveIn
			if outside {
				remove = tree.RemoveOutside
			}
			got, n, err := remove([]uint32{}, r.linear(), linear.Filter{})
			must(t, err)
			valid(t, tree)
			if n != len(want) || !slices.Equal(got, want) {
				t.Fatalf("config %d: %d objects, want %d", i, n, len(want))
			}
			if after := tree.Stats(); after.Nodes > before.Nodes*3/4 || after.Packets > before.Packets*3/4 {
				t.Errorf("config %d, outside %v: of %d nodes and %d packets %d and %d are left", i, outside, before.Nodes, before.Packets, after.Nodes, after.Packets)
			}
			if _, n, err := remove(nil, r.linear(), linear.Filter{}); n != 0 || err != nil {
				t.Errorf("config %d: %d more objects, error %v", i, n, err)
			}
			for k := 0; k < 30; k += testkit.Budget(t, 7, 1) {
				_, err := tree.InsertBatch(nil, objects[k*300:k*300+300])
				must(t, err)
				_, _, err = tree.RemoveIn(nil, linear.SphereRegion(objects[k*99].Box.Min, 2*float32(k)), linear.Filter{})
				must(t, err)
				valid(t, tree)
				tick(t, tree)
				valid(t, tree)
			}
		}
	}
}

// A removal of everything leaves an empty tree, and one of all objects in the tree leaves the pending ones.
func TestRegionOfEverything(t *testing.T) {
	for _, n := range []int{1, 16, 17, 300, 5000} {
		objects := testkit.SceneByName(t, "uniform").Make(n, 1)
		for _, keep := range []int{0, 1, 20} {
			tree := newTree(t, linear.Config{PendingMin: 100})
			insert(t, tree, objects)
			tick(t, tree)
			for k := range keep {
				_, err := tree.Insert(soa.Object{Box: cube(float32(k), 1e6, 0, 1)})
				must(t, err)
			}
			_, removed, err := tree.RemoveOutside(nil, linear.BoxRegion(cube(0, 1e6, 0, 100)), linear.Filter{})
			must(t, err)
			valid(t, tree)
			if removed != n || tree.Len() != keep {
				t.Errorf("%d of %d objects removed, %d left, want %d", removed, n, tree.Len(), keep)
			}
			for range 20 {
				tick(t, tree)
				valid(t, tree)
			}
			ids := insert(t, tree, objects)
			tick(t, tree)
			if keep == 0 {
				check(t, tree, ids, objects)
			}
			valid(t, tree)
		}
	}
}

// Removal of a subtree alone, without a packet at the border, updates the numbers of objects of the nodes above.
func TestRegionIsSubtree(t *testing.T) {
	var objects []soa.Object
	for k, o := range testkit.SceneByName(t, "uniform").Make(10000, 1) {
		c := o.Box.Min
		o.Box = cube(c[0]+float32(k%4)*1e5, c[1], c[2], 0.5)
		objects = append(objects, o)
	}
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	tick(t, tree)
	for k := range 3 {
		c := [3]float32{float32(k) * 1e5}
		_, n, err := tree.RemoveIn(nil, linear.BoxRegion(linear.BoxAround(c, [3]float32{4e4, 4e4, 4e4})), linear.Filter{})
		must(t, err)
		valid(t, tree)
		if n != 2500 || tree.Len() != 7500-2500*k {
			t.Fatalf("%d objects removed, %d left", n, tree.Len())
		}
		all, err := query.NewBox([3]float32{-1e6, -1e6, -1e6}, [3]float32{1e6, 1e6, 1e6})
		must(t, err)
		if n := all.Count(tree.View(), query.Filter{}); n != tree.Len() {
			t.Errorf("a query counts %d of %d objects", n, tree.Len())
		}
	}
	tick(t, tree)
	valid(t, tree)
}

// When a removal leaves a single node of packets, beside which there were higher ones, it becomes the root.
func TestRegionLeavesLeaf(t *testing.T) {
	for _, n := range []int{300, 3000, 20000} {
		objects := testkit.SceneByName(t, "uniform").Make(n, 1)
		tree := newTree(t, linear.Config{})
		insert(t, tree, append(objects, soa.Object{Box: cube(1e5, 1e5, 1e5, 1)}, soa.Object{Box: cube(1e5, 1e5, 1e5, 1)}))
		tick(t, tree)
		_, removed, err := tree.RemoveIn(nil, linear.BoxRegion(cube(0, 0, 0, 9e4)), linear.Filter{})
		must(t, err)
		valid(t, tree)
		if removed != n || tree.Len() != 2 {
			t.Errorf("%d objects removed, %d left", removed, tree.Len())
		}
		tick(t, tree)
		valid(t, tree)
	}
}

// A read between insertions and a removal by region, which packs the pending objects, does not affect the tree.
func TestRegionAfterRead(t *testing.T) {
	r := testkit.Rand(1)
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	var trees [3]*linear.Tree
	for i := range trees {
		trees[i] = newTree(t, linear.Config{SplitAbove: 8, PendingMin: 5000}) // no read flushes
		insert(t, trees[i], objects[:1000])
	}
	for k := range 200 {
		from, n := r.IntN(2000), r.IntN(1000)
		center, radius := objects[r.IntN(len(objects))].Box.Min, 1000*r.Float32()
		flt := linear.Filter{Motion: linear.Motion(r.IntN(3)), Mask: uint32(r.IntN(3))}
		region := linear.SphereRegion(center, radius)
		outside := k%20 == 19
		for i, tree := range trees {
			if tree.Len() > 0 && k%3 == 0 { // a removal that has not been applied yet
				for id := range tree.All() {
					must(t, tree.Remove(id))
					break
				}
			}
			_, err := tree.InsertBatch(nil, objects[from:from+n/2])
			must(t, err)
			if i == 1 {
				tree.View()
			}
			_, err = tree.InsertBatch(nil, objects[from+n/2:from+n])
			must(t, err)
			if i == 2 {
				tree.View()
			}
			remove := tree.RemoveIn
			if outside {
				remove = tree.RemoveOutside
			}
			_, _, err = remove(nil, region, flt)
			must(t, err)
			if k%5 == 4 {
				tick(t, tree)
			}
			if i == k%len(trees) { // they are equal
				valid(t, tree)
			}
			if got, want := tree.LayoutDigest(), trees[0].LayoutDigest(); got != want {
				t.Fatalf("round %d: tree %d has %d objects and the digest %#x, want %d and %#x", k, i, tree.Len(), got, trees[0].Len(), want)
			}
		}
	}
}

// A tree after removals by region is the same on every tier.
func TestRegionSameOnEveryTier(t *testing.T) {
	want := uint64(0)
	testkit.EachTier(t, func(t *testing.T) {
		m := newModel(t, linear.Config{}, 5, 100)
		for range 60 {
			m.step(t, 2000)
			m.removeRegion(t)
		}
		tick(t, m.tree)
		if got := m.tree.LayoutDigest(); want == 0 {
			want = got
		} else if got != want {
			t.Errorf("the tree has the digest %#x, want %#x", got, want)
		}
	})
}

// Removals by region and insertions of the same objects allocate nothing in steady state, by calls or by batches with
// changes of named objects.
func TestRegionAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := newTree(t, linear.Config{Workers: 1})
	insert(t, tree, objects)
	var spheres []region
	var inside [][]soa.Object
	for k := range 20 {
		r := region{center: objects[k].Box.Min, radius: 12, ball: true}
		var in []soa.Object
		for _, o := range objects {
			if r.in(o.Box) {
				in = append(in, o)
			}
		}
		spheres, inside = append(spheres, r), append(inside, in)
	}
	ids := make([]uint32, 0, 5000)
	var b linear.Batch
	k, kept := 0, uint32(0)
	run := func() {
		k = (k + 1) % len(spheres)
		if r, in := spheres[k], inside[k]; k%2 == 0 {
			_, n, err := tree.RemoveIn(ids[:0], r.linear(), linear.Filter{})
			must(t, err)
			if n != len(in) {
				t.Fatalf("%d objects removed, want %d", n, len(in))
			}
			_, err = tree.InsertBatch(ids[:0], in)
			must(t, err)
			tick(t, tree)
		} else {
			for o, ok := tree.Object(kept); !ok || r.in(o.Box); o, ok = tree.Object(kept) {
				kept = (kept + 1) % 5000
			}
			b.Reset()
			b.RemoveIn(r.linear(), linear.Filter{})
			b.SetMask(kept, uint32(k))
			b.InsertBatch(in)
			b.Tick()
			_, err := tree.Apply(&b)
			must(t, err)
		}
	}
	for range 300 {
		run()
	}
	testkit.Allocs(t, 100, run)
	valid(t, tree)
}
