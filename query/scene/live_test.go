package scene_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// someIDs draws a set of IDs: nil, an empty one, or one with a part of the IDs.
func someIDs(rng *rand.Rand) []uint64 {
	switch rng.IntN(6) {
	case 0, 1:
		return nil
	case 2:
		return []uint64{}
	case 3:
		return []uint64{1 << rng.IntN(8)}
	}
	return []uint64{rng.Uint64() & rng.Uint64(), rng.Uint64()}
}

// keepsLive is the definition of Live and LiveBoth with the sets of instances.
func keepsLive(f *scene.PairFilter, p *scene.Pair) bool {
	in := func(own, instances []uint64, o scene.Object) bool {
		if own == nil && instances == nil {
			return true
		}
		set, id := own, o.ID
		if o.Path.Len() > 0 {
			set, id = instances, o.Path.At(0)
		}
		return int(id/64) < len(set) && set[id/64]>>(id%64)&1 != 0
	}
	one := func(o scene.Object) bool { return in(f.Live, f.LiveInstances, o) }
	both := func(o scene.Object) bool { return in(f.LiveBoth, f.LiveBothInstances, o) }
	return (one(p.A) || one(p.B)) && both(p.A) && both(p.B)
}

// The pairs of live objects are those among all pairs, each once, on every tier in the same order.
func TestPairsLive(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		kept, dropped, inner := 0, 0, 0
		for i, family := range families {
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 6, 120) {
				s := denseScene(t, rng, family, 1+rng.IntN(3), []int{4, 8, 40}[rng.IntN(3)])
				v, f := s.View(), pairFilter(rng)
				if f.Instances = true; rng.IntN(3) == 0 {
					f.Distance = rng.Float32()
				}
				all := scene.AppendPairs(nil, v, f)
				f.Live, f.LiveInstances, f.LiveBoth, f.LiveBothInstances = someIDs(rng), someIDs(rng), someIDs(rng), someIDs(rng)
				if rng.IntN(2) == 0 {
					f.LiveBoth, f.LiveBothInstances = nil, nil
				}
				some := f.Live != nil || f.LiveInstances != nil || f.LiveBoth != nil || f.LiveBothInstances != nil
				if !some {
					continue
				}
				for _, f.Instances = range []bool{true, false} {
					got := scene.AppendPairs(nil, v, f)
					answers = append(answers, fmt.Sprint(got))
					set := pairsByPart(t, got)
					for _, p := range all {
						within := p.A.Path.Len() > 0 && p.B.Path.Len() > 0 && p.A.Path.At(0) == p.B.Path.At(0)
						if !keepsLive(&f, &p) || within && !f.Instances {
							dropped++
							continue
						}
						if !set[p] {
							t.Fatalf("%s %+v: %v is lost", family, f, p)
						}
						if kept++; p.A.Path.Len() > 0 {
							inner++
						}
						delete(set, p)
					}
					for p := range set {
						t.Fatalf("%s %+v: %v is kept by no rule", family, f, p)
					}
				}
			}
		}
		if kept == 0 || dropped == 0 || inner == 0 {
			t.Errorf("%d kept, %d of them of two instances, %d dropped", kept, inner, dropped)
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other pairs, or in another order")
		}
	})
}

// One live instance of a thousand has the pairs with its two neighbours, and nothing allocates.
func TestPairsLiveFew(t *testing.T) {
	const n = 1000
	rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1.25, 1, 1}}, Mask: 1}}, false)
	s := newScene(t)
	for i := range n {
		place(t, s, rod, translation(t, float64(i), 0, 0), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	v := s.View()
	moved := make([]uint64, n/64+1)
	moved[7] = 1 << 5
	layers := collide.AllLayers()
	for _, f := range []scene.PairFilter{{LiveInstances: moved}, {LiveInstances: moved, Filter: collide.Filter{Layers: &layers}}, {LiveInstances: moved, Filter: collide.Filter{Distance: 2}}, {LiveBothInstances: moved}} {
		var pairs []scene.Pair
		ask := func() { pairs = scene.AppendPairs(pairs[:0], v, f) }
		want := 2
		switch {
		case f.LiveInstances == nil:
			want = 0
		case f.Distance > 0:
			want = 6
		}
		if ask(); len(pairs) != want {
			t.Errorf("%d pairs, want %d: %v", len(pairs), want, pairs)
		}
		if !testkit.RaceEnabled {
			if a := testing.AllocsPerRun(20, ask); a != 0 {
				t.Errorf("%+v: %v allocations", f, a)
			}
		}
	}
}

// In worlds with wide gaps, the pairs of live objects within a distance and their impacts are those among all pairs
// and all impacts, each once.
func TestPairsLiveApart(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	kept, beside, touching := 0, 0, 0
	for range testkit.Budget(t, 300, 3000) {
		s := newScene(t)
		trees.Insert(t, s.Tree(), scattered(rng, rng.IntN(20), 80))
		parts := []*linear.Tree{trees.Plant(t, scattered(rng, 1, 2), false), trees.Plant(t, scattered(rng, 4, 8), false)}
		for i := range 20 + rng.IntN(60) {
			at := [3]float64{rng.Float64() * 80, rng.Float64() * 80, rng.Float64() * 80}
			place(t, s, parts[i%2], translation(t, at[0]-40, at[1]-40, at[2]-40), linear.InstanceOptions{})
		}
		testkit.Must(t, s.Tick())
		if rng.IntN(4) == 0 { // instances of this part outgrow their boxes
			trees.Insert(t, parts[0], []soa.Object{{Box: soa.AABB{Min: [3]float32{9, 0, 0}, Max: [3]float32{10, 1, 1}}}})
		}
		f := scene.PairFilter{Filter: collide.Filter{StaticPairs: true, Distance: float32(math.Ldexp(rng.Float64(), rng.IntN(5)))}}
		all := scene.AppendPairs(nil, s.View(), f)
		f.Live, f.LiveInstances = []uint64{rng.Uint64() & rng.Uint64() & rng.Uint64()}, []uint64{1 << rng.IntN(64)}
		switch rng.IntN(4) {
		case 0:
			f.LiveInstances[0] = rng.Uint64()
		case 1:
			f.LiveBoth, f.LiveBothInstances = []uint64{rng.Uint64()}, []uint64{rng.Uint64() | rng.Uint64()}
		case 2: // two neighbours
			if k := slices.IndexFunc(all, func(p scene.Pair) bool { return p.Part == 0 && p.A.Path.Len() > 0 }); k >= 0 {
				f.LiveInstances[0] = 1<<(all[k].A.Path.At(0)%64) | 1<<(all[k].B.Path.At(0)%64)
			}
		}
		set := pairsByPart(t, scene.AppendPairs(nil, s.View(), f))
		for _, p := range all {
			if p.Part != 0 || !keepsLive(&f, &p) {
				continue
			}
			if !set[p] {
				t.Fatalf("%+v: %v is lost", f, p)
			}
			if kept++; p.A.Path.Len() == 0 {
				beside++
			}
			delete(set, p)
		}
		for p := range set {
			if p.Part == 0 { // inside of parts there are no sets
				t.Fatalf("%+v: %v is kept by no rule", f, p)
			}
		}
		m := setMoving(t, rng, s, 40)
		for id := range uint32(80) {
			if rng.IntN(2) == 0 {
				m.motions.Set(id, [3]float32{})
			}
		}
		f.Distance = 0
		got := scene.AppendImpacts(nil, s.View(), &m.motions, &m.steps, f)
		want := scene.AppendImpacts(nil, s.View(), &m.motions, &m.steps, scene.PairFilter{Filter: collide.Filter{StaticPairs: true}})
		want = slices.DeleteFunc(want, func(h scene.Impact) bool { return !keepsLive(&f, &scene.Pair{A: h.A, B: h.B}) })
		scene.SortImpacts(got)
		scene.SortImpacts(want)
		if touching += len(want); !slices.Equal(got, want) {
			t.Fatalf("%+v: impacts %v, want %v", f, got, want)
		}
	}
	if beside == 0 || kept == beside || touching == 0 {
		t.Errorf("%d pairs, %d of own objects, %d impacts", kept, beside, touching)
	}
}

// scattered draws small objects in a cube: some of its sides are flat, some objects are points.
func scattered(rng *rand.Rand, n int, side float64) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		o := &objects[i]
		for a := range 3 {
			lo := float32((rng.Float64() - 0.5) * side)
			o.Box.Min[a], o.Box.Max[a] = lo, lo+float32(max(rng.Float64()-0.1, 0))
		}
		o.Mask, o.Static = 1<<rng.IntN(4), rng.IntN(3) == 0
	}
	return objects
}

// pendingTree makes a tree in which a part of the objects is pending.
func pendingTree(t testing.TB, objects []soa.Object, pending int) *linear.Tree {
	tree := trees.New(t, linear.Config{PendingMin: 1 << 20})
	if placed := objects[:len(objects)-pending]; len(placed) > 0 {
		trees.Insert(t, tree, placed)
		trees.Rebuild(t, tree, false)
	}
	trees.Insert(t, tree, objects[len(objects)-pending:])
	if got := len(tree.View().Store().Pending); (got > 0) != (pending > 0) && pending < len(objects) {
		t.Fatalf("%d pending packets of %d pending objects", got, pending)
	}
	return tree
}

// largeScene makes a scene of instances of large and small parts near each other, with own objects.
func largeScene(t testing.TB, rng *rand.Rand, family string) *linear.Scene {
	s := newScene(t)
	own := scattered(rng, rng.IntN(700), 20)
	trees.Insert(t, s.Tree(), own)
	bind(t, rng, s.Tree(), own)
	var parts []linear.Part
	for i, n := range []int{300 + rng.IntN(400), 1 + rng.IntN(40), 200 + rng.IntN(200)} {
		objects := scattered(rng, n, 12)
		pending := 0
		if i != rng.IntN(2) {
			pending = 1 + rng.IntN(n)
		}
		tree := pendingTree(t, objects, pending)
		bind(t, rng, tree, objects)
		parts = append(parts, tree)
	}
	inner := newScene(t)
	trees.Insert(t, inner.Tree(), scattered(rng, 100, 12))
	for _, into := range []*linear.Scene{inner, s} {
		for i := range 3 {
			rows := transformOf(rng, family).Rows()
			for a := range 3 {
				rows[4*a+3] = rng.NormFloat64() * 4
				switch {
				case family == "flat":
					rows[4*a+3] /= 40
				case family == "far" && into == inner:
					rows[4*a+3] += 1e6
				}
			}
			transform, err := linear.NewTransform(rows)
			testkit.Must(t, err)
			place(t, into, parts[i], transform, linear.InstanceOptions{})
		}
	}
	var outer linear.Transform
	if family == "far" {
		outer = translation(t, -1e6, -1e6, -1e6)
	}
	place(t, s, inner, outer, linear.InstanceOptions{})
	testkit.Must(t, s.Tick())
	return s
}

// around is a box around the image of a solid.
type around struct{ min, max point }

// arounds returns the boxes of solids, each grown by a multiple of the error bounds of apart.
func arounds(all []solid) []around {
	boxes := make([]around, len(all))
	for k := range all {
		for i := range 3 {
			n := [3]float64{}
			n[i] = 1
			lo, hi, off := all[k].im.span(n, &all[k].has.Box)
			boxes[k].min[i], boxes[k].max[i] = lo-4*off, hi+4*off
		}
	}
	return boxes
}

// beyond reports whether two boxes are farther apart than a distance along x, y or z.
func (b *around) beyond(c *around, distance float64) bool {
	for i := range 3 {
		if b.min[i]-c.max[i] > distance || c.min[i]-b.max[i] > distance {
			return true
		}
	}
	return false
}

// The pairs of parts of hundreds of objects, some of them pending, are those of each object with each, on every tier in
// the same order. A pair in doubt is decided in exact arithmetic.
func TestPairsOfLargeParts(t *testing.T) {
	seed := testkit.Seed(t)
	met, doubts := 0, 0
	check := func(t *testing.T, family string, v linear.SceneView, f scene.PairFilter, known func(...any) bool) {
		pairs := scene.AppendPairs(nil, v, f)
		if known(pairs) {
			return
		}
		got := pairsByPart(t, pairs)
		for p := range got {
			if p.Part != 0 || p.B.Path.Len() == 0 {
				delete(got, p) // judged by TestPairsByDefinition
			}
		}
		all := solids(v, f.Mask)
		slices.SortFunc(all, func(a, b solid) int { return a.Compare(b.Object) })
		boxes := arounds(all)
		for i := range all {
			a := &all[i]
			for k := i + 1; k < len(all); k++ {
				if boxes[i].beyond(&boxes[k], 0) {
					continue // surely apart
				}
				b := &all[k]
				if n := a.Path.Len(); b.Path.Len() == 0 || n > 0 && a.Path.At(0) == b.Path.At(0) || !accepts(&f, &a.has, &b.has) {
					continue
				}
				key := scene.Pair{A: a.Object, B: b.Object}
				apart, clear := apart(a, b)
				switch {
				case got[key] && apart:
					t.Fatalf("%s: %v is kept", family, key)
				case got[key]:
					met++
				case clear || !apart && exactlyMeet(a, b):
					t.Fatalf("%s: %v is lost", family, key)
				case !apart:
					doubts++
				}
				delete(got, key)
			}
		}
		for key := range got {
			t.Fatalf("%s: %v is kept by no rule", family, key)
		}
	}
	testkit.TiersAgree(t, func(t *testing.T, known func(...any) bool) {
		for i, family := range families {
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 1, 8) {
				v := largeScene(t, rng, family).View()
				for _, f := range []scene.PairFilter{{Filter: collide.Filter{StaticPairs: true}}, pairFilter(rng)} {
					check(t, family, v, f, known)
				}
			}
		}
	})
	t.Logf("%d met, %d in doubt", met, doubts)
	if met == 0 {
		t.Error("no pairs")
	}
}

// Parts of many levels have the pairs of flat trees of their images, which are exact: the walk resumes until no node is
// left, even if the first ones give no packets.
func TestPairsOfDeepParts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := newScene(t)
	var flat [2]*linear.Tree
	for i := range flat {
		objects := scattered(rng, 12_000, 40)
		for k := range objects {
			for _, x := range [][]float32{objects[k].Box.Min[:], objects[k].Box.Max[:]} {
				for a := range x {
					x[a] = float32(math.Round(float64(x[a])*1024) / 1024)
				}
			}
		}
		shift := float32(20 * i)
		place(t, s, trees.Plant(t, objects, false), translation(t, float64(shift), 0, 0), linear.InstanceOptions{})
		for k := range objects {
			objects[k].Box.Min[0], objects[k].Box.Max[0] = objects[k].Box.Min[0]+shift, objects[k].Box.Max[0]+shift
		}
		flat[i] = trees.Plant(t, objects, false)
	}
	testkit.Must(t, s.Tick())
	want := map[collide.Pair]bool{}
	for p := range collide.All(collide.Between(flat[0].View(), flat[1].View()), collide.Filter{}) {
		want[p] = true
	}
	testkit.EachTier(t, func(t *testing.T) {
		got := scene.AppendPairs(nil, s.View(), scene.PairFilter{})
		found := map[collide.Pair]bool{}
		for _, p := range got {
			if p.A.Path.Len() == 1 && p.B.Path.Len() == 1 && p.A.Path.At(0) == 0 && p.B.Path.At(0) == 1 {
				found[collide.Pair{A: p.A.ID, B: p.B.ID}] = true
			}
		}
		if len(want) < 100 || !maps.Equal(found, want) {
			t.Errorf("%d pairs, %d in flat trees", len(found), len(want))
		}
	})
}

// An instance in an instance grows beyond float32, so that the bounds of both are infinite: no pair of
// objects in it or beside it is lost.
func TestPairsBeyondFloat32(t *testing.T) {
	add := func(tree *linear.Tree, size float32) {
		if _, err := tree.Insert(soa.Object{Box: soa.AABB{Max: [3]float32{size, size, size}}}); err != nil {
			t.Fatal(err)
		}
	}
	place := func(s *linear.Scene, p linear.Part, scale float64) {
		transform, err := linear.NewTransform([12]float64{0: scale, 5: scale, 10: scale})
		testkit.Must(t, err)
		if _, err := s.AddInstance(p, transform, linear.InstanceOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	newScene := func() *linear.Scene {
		s := newScene(t)
		return s
	}
	newTree := func() *linear.Tree {
		tree := trees.New(t, linear.Config{})
		add(tree, 1)
		return tree
	}
	large, small := newTree(), newTree()
	inner, outer := newScene(), newScene()
	add(inner.Tree(), 1)
	place(inner, large, 0x1p60)
	place(outer, inner, 1)
	place(outer, small, 1)
	testkit.Must(t, outer.Tick())
	for _, want := range []int{3, 6} { // of each with each
		pairs := scene.AppendPairs(nil, outer.View(), scene.PairFilter{})
		if len(pairs) != want {
			t.Errorf("%d pairs, want %d: %v", len(pairs), want, pairs)
		}
		add(large, 0x1p100)
	}
}
