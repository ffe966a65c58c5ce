package show_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Other packages run the same queries on scenes, with occlusion culling, for viewers and for pictures. Each form is
// compared with the query of this package on the tree, whose result is that of a loop over all objects.

// both are the objects to be found: own objects of a scene and those of its instance. The bitmap and the handle of the
// filter refer to own objects.
type both struct{ own, placed []uint32 }

func bothOf(a *asked, find func(a *asked) []uint32) (b both) {
	b.own = find(a)
	inside := *a
	inside.flt.Only, inside.flt.Exclude, inside.excluded = nil, linear.Handle{}, soa.None
	b.placed = find(&inside)
	return b
}

func (b *both) len() int { return len(b.own) + len(b.placed) }

// same fails unless the objects are the expected ones, separately for own objects and others.
func (b *both) same(t *testing.T, form string, got map[bool][]uint32) {
	t.Helper()
	for own, want := range map[bool][]uint32{true: b.own, false: b.placed} {
		slices.Sort(got[own])
		if !slices.Equal(got[own], want) {
			t.Errorf("%s, own objects %v: %d objects, want %d", form, own, len(got[own]), len(want))
		}
	}
}

// explainedRanges fails unless the ranges of a scene are counted; a part that is wholly inside is one.
func explainedRanges(t *testing.T, a *asked, counted, ranges int) {
	t.Helper()
	whole := a.flt.Mask == 0 && a.flt.Motion == query.AnyMotion
	if counted != ranges && (!whole || counted > ranges || counted == 0) {
		t.Errorf("Explain counts %d ranges, want %d", counted, ranges)
	}
}

// split lists the objects of an iteration, own objects apart from others.
func split(all func(yield func(scene.Path, uint32) bool)) map[bool][]uint32 {
	got := map[bool][]uint32{true: nil, false: nil}
	for path, id := range all {
		own := path == scene.Path{}
		got[own] = append(got[own], id)
	}
	return got
}

type appender interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
}

// bruteOf is the result of a volume by a loop: the objects that it hits, and that pass all fields but Exact.
func bruteOf[Q appender](a *asked, q Q) []uint32 {
	want := keptOf(a, q.Append(nil, a.v, query.Filter{Exact: a.flt.Exact}))
	slices.Sort(want)
	return want
}

func addScenes(checks *checks) {
	checks.add("scene volumes", func(t *testing.T, a *asked) (n int) {
		for _, q := range a.Spheres {
			n += sceneVolume(t, a, q)
		}
		for _, q := range a.Boxes[:len(a.Boxes)/2] {
			n += sceneVolume(t, a, q)
		}
		return n
	}, "scene.Append", "scene.Count", "scene.Any", "scene.All", "scene.Ranges", "scene.Explain", "scene.VolumeBatch.Find")
	checks.add("scene sweeps", func(t *testing.T, a *asked) (n int) {
		for _, q := range a.Balls {
			n += sceneSweep(t, a, q)
		}
		for _, q := range a.Rays {
			n += sceneSweep(t, a, q)
		}
		return n
	}, "scene.AppendHits", "scene.First", "scene.FirstFunc", "scene.Any", "scene.ExplainSweep", "scene.SweepBatch.Find", "scene.SweepBatch.FindAll")
	checks.add("scene.AppendNearest", func(t *testing.T, a *asked) (n int) {
		const k = 5
		for _, p := range a.Points {
			want, err := query.AppendNearest(nil, a.own, p, k, 40, a.flt)
			testkit.Must(t, err)
			got, err := scene.AppendNearest(nil, a.alone, p, k, 40, a.flt)
			testkit.Must(t, err)
			if !slices.EqualFunc(got, want, func(x scene.Neighbor, y query.Neighbor) bool { return x.ID == y.ID && x.Dist == y.Dist() }) {
				t.Errorf("point %v: %v of a scene, %v of its tree", p, got, want)
			}
			// With the instance, the results are those of two trees.
			inside := a.flt
			inside.Only, inside.Exclude = nil, linear.Handle{}
			placed, err := query.AppendNearest(nil, a.v, p, k, 40, inside)
			testkit.Must(t, err)
			all, err := scene.AppendNearest(nil, a.scene, p, 2*k, 40, a.flt)
			testkit.Must(t, err)
			for i, x := range all {
				list := placed
				if (x.Path == scene.Path{}) {
					list = want
				}
				if i < k && !slices.ContainsFunc(list, func(y query.Neighbor) bool { return x.Dist == y.Dist() }) {
					t.Errorf("point %v: %v is not one of %v", p, x, list)
				}
			}
			if len(all) < len(want)+len(placed) {
				t.Errorf("point %v: %d neighbours, want %d", p, len(all), len(want)+len(placed))
			}
			from, err := query.NewNearby(p)
			testkit.Must(t, err)
			i := 0
			for x := range scene.Nearby(from, a.scene, a.flt) {
				if i == len(all) {
					break
				}
				if x != all[i] {
					t.Errorf("point %v: neighbour %d is %v of Nearby, %v of AppendNearest", p, i, x, all[i])
				}
				i++
			}
			var near scene.NearestBatch
			testkit.Must(t, near.Find(nil, a.scene, [][3]float32{p}, 2*k, 40, a.flt))
			if i != len(all) || !slices.Equal(near.Of(0), all) {
				t.Errorf("point %v: %d neighbours of Nearby, %v of a batch, want %v", p, i, near.Of(0), all)
			}
			for _, x := range got {
				n += int(math.Float32bits(x.Dist)%1000) + int(x.ID)
			}
		}
		return n
	}, "scene.AppendNearest", "scene.Nearby", "scene.NearestBatch.Find")
	checks.add("scene pairs", func(t *testing.T, a *asked) int {
		want := collide.Append(nil, collide.Within(a.own), a.pairs)
		var got []collide.Pair
		for _, p := range scene.AppendPairs(nil, a.alone, scene.PairFilter{Filter: a.pairs}) {
			got = append(got, collide.Pair{A: p.A.ID, B: p.B.ID})
		}
		testkit.SameIDSet(t, pairNumbers(got), pairNumbers(want))
		if own := (scene.Object{ID: a.pairs.Exclude.ID}); a.pairs.Exclude.Gen != 0 && a.pairs.Layers == nil && !a.pairs.StaticPairs {
			// Also with objects in an instance.
			with, without := scene.PairFilter{Filter: a.pairs}, scene.PairFilter{Filter: a.pairs}
			without.Exclude = linear.Handle{}
			all := scene.AppendPairs(nil, a.scene, without)
			all = slices.DeleteFunc(all, func(p scene.Pair) bool { return p.Part == 0 && (p.A == own || p.B == own) })
			if got := scene.AppendPairs(nil, a.scene, with); !slices.Equal(got, all) {
				t.Errorf("%d pairs without object %d, want %d", len(got), own.ID, len(all))
			}
		}
		if a.pairs.Distance == 0 { // without motions all impacts are pairs, at time 0
			flt := scene.PairFilter{Filter: a.pairs}
			var all []scene.Pair
			for _, p := range scene.AppendPairs(nil, a.scene, flt) {
				if p.Part == 0 {
					all = append(all, p)
				}
			}
			var impacts []scene.Pair
			for _, h := range scene.AppendImpacts(nil, a.scene, nil, nil, flt) {
				impacts = append(impacts, scene.Pair{A: h.A, B: h.B})
			}
			if !slices.Equal(impacts, all) {
				t.Errorf("%d impacts of scenes, want %d", len(impacts), len(all))
			}
		}
		tracker := scene.Tracker{Filter: scene.PairFilter{Filter: a.pairs}}
		testkit.Must(t, tracker.Update(a.alone))
		if !slices.EqualFunc(tracker.Began(), sortedPairs(want), func(x scene.Pair, y collide.Pair) bool { return x.A.ID == y.A && x.B.ID == y.B }) {
			t.Errorf("a tracker has %d pairs, want %d", tracker.Len(), len(want))
		}
		budget := scene.BudgetTracker{Filter: tracker.Filter}
		budget.Own.Budget, budget.Instances.Budget = 1<<20, 1
		testkit.Must(t, budget.Update(a.alone))
		if !slices.EqualFunc(budget.Found(), sortedPairs(want), func(x scene.Pair, y collide.Pair) bool { return x.A.ID == y.A && x.B.ID == y.B }) {
			t.Errorf("a budget tracker has found %d pairs, want %d", len(budget.Found()), len(want))
		}
		return len(want)
	}, "scene.AppendPairs", "scene.AppendImpacts", "scene.PairFilter", "scene.Tracker", "scene.BudgetTracker")
}

// sortedPairs returns pairs ascending by A and then B.
func sortedPairs(pairs []collide.Pair) []collide.Pair {
	slices.SortFunc(pairs, func(x, y collide.Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return pairs
}

func sceneVolume[Q interface {
	query.Volume
	appender
}](t *testing.T, a *asked, q Q) int {
	t.Helper()
	want := bothOf(a, func(a *asked) []uint32 { return bruteOf(a, q) })
	var answer scene.Answer
	scene.Append(&answer, q, a.scene, a.flt)
	listed := map[bool][]uint32{true: nil, false: nil}
	for location, id := range answer.All() {
		listed[location == 0] = append(listed[location == 0], id)
	}
	want.same(t, "Append", listed)
	want.same(t, "All", split(scene.All(q, a.scene, a.flt)))
	var batch scene.VolumeBatch[Q]
	testkit.Must(t, batch.Find(nil, a.scene, []Q{q}, a.flt))
	listed = map[bool][]uint32{true: nil, false: nil}
	for location, id := range batch.Of(0).All() {
		listed[location == 0] = append(listed[location == 0], id)
	}
	want.same(t, "VolumeBatch", listed)
	if c := scene.Count(q, a.scene, a.flt); c != uint64(want.len()) || scene.Any(q, a.scene, a.flt) != (c > 0) {
		t.Errorf("Count %d, Any %v, want %d", c, scene.Any(q, a.scene, a.flt), want.len())
	}
	kept, ranges := 0, 0
	scene.Ranges(q, a.scene, a.flt, func(p scene.Part, r query.Range) bool {
		ranges++
		kept += len(keptIn(p.View.Objects(), r))
		return true
	})
	if kept != want.len() {
		t.Errorf("Ranges has %d objects, want %d", kept, want.len())
	}
	explainedRanges(t, a, scene.Explain(q, a.scene, a.flt, nil).Ranges, ranges)
	return want.len()
}

// caster is the interface of all sweeps.
type caster interface {
	Append([]query.Hit, linear.View, query.Filter) []query.Hit
}

func sceneSweep[Q query.Sweep, P interface {
	*Q
	caster
}](t *testing.T, a *asked, q Q) int {
	t.Helper()
	first := float32(math.Inf(1))
	want := bothOf(a, func(a *asked) (ids []uint32) {
		for _, h := range P(&q).Append(nil, a.v, a.flt) {
			ids = append(ids, h.ID)
			first = min(first, h.Dist)
		}
		slices.Sort(ids)
		return ids
	})
	got := map[bool][]uint32{true: nil, false: nil}
	hits := scene.AppendHits(nil, q, a.scene, a.flt)
	for _, h := range hits {
		own := h.Path == scene.Path{}
		got[own] = append(got[own], h.ID)
	}
	want.same(t, "AppendHits", got)
	h, ok := scene.First(q, a.scene, a.flt)
	if ok != (want.len() > 0) || ok && h.Dist != first || scene.Any(q, a.scene, a.flt) != ok {
		t.Errorf("Nearest %v %v, want %v of %d", h.Dist, ok, first, want.len())
	}
	var batch scene.SweepBatch[Q]
	testkit.Must(t, batch.FindAll(nil, a.scene, []Q{q}, a.flt))
	if !slices.Equal(batch.Of(0), hits) {
		t.Errorf("%v of a batch, want %v", batch.Of(0), hits)
	}
	testkit.Must(t, batch.Find(nil, a.scene, []Q{q}, a.flt))
	if one := batch.Of(0); ok != (len(one) == 1) || ok && one[0] != h {
		t.Errorf("%v of a batch, want %v", one, h)
	}
	tested := 0
	scene.FirstFunc(q, a.scene, a.flt, func(_ scene.Path, _ uint32, tEnter float32) (float32, bool) { tested++; return tEnter, false })
	if tested != len(hits) {
		t.Errorf("FirstFunc tests %d objects, want %d", tested, len(hits))
	}
	if c := scene.ExplainSweep(q, a.scene, a.flt, nil); c.Ranges != len(hits) {
		t.Errorf("ExplainSweep counts %d, want %d", c.Ranges, len(hits))
	}
	return want.len()
}

// keptIn returns the objects of a range.
func keptIn(v linear.View, r query.Range) (ids []uint32) {
	for slot := r.First; slot < r.First+r.Count; slot++ {
		for lane, id := range v.IDs(slot) {
			if r.Mask == 0 || r.Mask>>lane&1 != 0 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// eyeCamera returns one of three cameras inside of the bounds.
func eyeCamera(b soa.AABB, i int) query.Camera {
	c := b.Center()
	return query.Camera{
		Eye: [3]float64{float64(c[0]), float64(c[1]), float64(c[2]) + float64(i)}, Forward: [3]float64{1, float64(i - 1), 0.1}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: 1000,
	}
}

func addCullers(checks *checks) {
	checks.add("Eye", func(t *testing.T, a *asked) (n int) {
		for i := range 3 {
			// There are no occluders: a culler returns the objects in its frustum.
			culler, err := occlude.New(occlude.Config{})
			testkit.Must(t, err)
			testkit.Must(t, culler.SetCamera(eyeCamera(a.v.Bounds(), i)))
			f := culler.Frustum()
			want := bruteOf(a, f)
			got := culler.Append(nil, a.v, a.flt)
			slices.Sort(got)
			testkit.SameIDs(t, got, want)
			sameSet(t, slices.Collect(culler.All(a.v, a.flt)), want)
			if k := culler.Count(a.v, a.flt); k != len(want) || culler.Any(a.v, a.flt) != (k > 0) {
				t.Errorf("Count %d, Any %v, want %d", k, culler.Any(a.v, a.flt), len(want))
			}
			var ranged []uint32
			ranges := 0
			culler.Ranges(a.v, a.flt, func(r query.Range) bool { ranges++; ranged = append(ranged, keptIn(a.v, r)...); return true })
			sameSet(t, ranged, want)
			if c := culler.Explain(a.v, a.flt, nil); c.Ranges != ranges {
				t.Errorf("Explain counts %d ranges, want %d", c.Ranges, ranges)
			}
			n += len(want) + sceneCuller(t, a, culler)
		}
		return n
	}, "occlude.Culler.Append", "occlude.Culler.Count", "occlude.Culler.All", "occlude.Culler.Ranges", "occlude.Culler.Any", "occlude.Culler.Explain",
		"occlude.Culler.AppendScene", "occlude.Culler.CountScene", "occlude.Culler.AllScene", "occlude.Culler.RangesScene", "occlude.Culler.AnyScene", "occlude.Culler.ExplainScene")
}

func sceneCuller(t *testing.T, a *asked, culler *occlude.Culler) int {
	t.Helper()
	f := culler.Frustum()
	want := bothOf(a, func(a *asked) []uint32 { return bruteOf(a, f) })
	var answer scene.Answer
	culler.AppendScene(&answer, a.scene, a.flt)
	listed := map[bool][]uint32{true: nil, false: nil}
	for location, id := range answer.All() {
		listed[location == 0] = append(listed[location == 0], id)
	}
	want.same(t, "AppendScene", listed)
	want.same(t, "AllScene", split(culler.AllScene(a.scene, a.flt)))
	if c := culler.CountScene(a.scene, a.flt); c != uint64(want.len()) || culler.AnyScene(a.scene, a.flt) != (c > 0) {
		t.Errorf("CountScene %d, AnyScene %v, want %d", c, culler.AnyScene(a.scene, a.flt), want.len())
	}
	kept, ranges := 0, 0
	culler.RangesScene(a.scene, a.flt, func(p scene.Part, r query.Range) bool {
		ranges++
		kept += len(keptIn(p.View.Objects(), r))
		return true
	})
	if kept != want.len() {
		t.Errorf("RangesScene has %d objects, want %d", kept, want.len())
	}
	explainedRanges(t, a, culler.ExplainScene(a.scene, a.flt, nil).Ranges, ranges)
	return want.len()
}

func addViewers(checks *checks) {
	checks.add("interest.Tracker", func(t *testing.T, a *asked) (n int) {
		tr, alone := interest.Tracker{Workers: 2}, interest.SceneTracker{Workers: 2}
		var want [][]uint32
		for i, q := range a.Spheres[:min(len(a.Spheres), 40)] {
			area, err := interest.Sphere(a.Centers[i], a.Radii[i], a.Radii[i])
			testkit.Must(t, err)
			if id := tr.Add(area); int(id) != i {
				t.Fatalf("viewer %d is %d", i, id)
			}
			alone.Add(area)
			want = append(want, bruteOf(a, q))
		}
		// With the filter from the first update on, and after another one.
		for _, before := range []query.Filter{a.flt, {}} {
			tr.Filter = before
			testkit.Must(t, tr.Update(a.v))
			tr.Filter = a.flt
			testkit.Must(t, tr.Update(a.v))
			alone.Filter = before
			testkit.Must(t, alone.Update(a.alone))
			alone.Filter = a.flt
			testkit.Must(t, alone.Update(a.alone))
			for i := range want {
				testkit.SameIDs(t, tr.InView(uint32(i)), want[i])
				var own []uint32
				for o := range alone.InView(uint32(i)) {
					own = append(own, o.ID)
				}
				testkit.SameIDs(t, own, want[i])
				n += len(want[i])
			}
		}
		return n
	}, "interest.Tracker", "interest.SceneTracker")
}

func addPictures(checks *checks) {
	checks.add("show", func(t *testing.T, a *asked) (n int) {
		same := func(trace *show.Trace, err error, want []uint32) {
			t.Helper()
			testkit.Must(t, err)
			slices.Sort(want)
			slices.Sort(trace.Hits)
			if !slices.Equal(trace.Hits, want) {
				t.Errorf("%s: %d hits, want %d", trace.Name, len(trace.Hits), len(want))
			}
			n += len(want)
		}
		for i := range 4 {
			k := len(a.Boxes) - 1 - i
			trace, err := show.TraceQuery(a.Boxes[k], a.v, a.flt)
			same(trace, err, bruteOf(a, a.Boxes[k]))
			k = len(a.Spheres) - 1 - i
			trace, err = show.TraceQuery(a.Spheres[k], a.v, a.flt)
			same(trace, err, bruteOf(a, a.Spheres[k]))
			trace, err = show.TraceQuery(a.Frusta[0], a.v, a.flt)
			same(trace, err, bruteOf(a, a.Frusta[0]))
			trace, err = show.TraceQuery(a.Rays[i], a.v, a.flt)
			same(trace, err, a.Rays[i].AppendIDs(nil, a.v, a.flt))
			trace, err = show.TraceQuery(a.Balls[i], a.v, a.flt)
			same(trace, err, a.Balls[i].AppendIDs(nil, a.v, a.flt))
			near, err := query.AppendNearest(nil, a.v, a.Points[i], 7, float32(math.Inf(1)), a.flt)
			testkit.Must(t, err)
			var ids []uint32
			for _, x := range near {
				ids = append(ids, x.ID)
				n += int(x.ID)
			}
			trace, err = show.TraceNearest(a.v, a.Points[i], 7, a.flt)
			same(trace, err, ids)
		}
		return n
	}, "show.TraceQuery", "show.TraceNearest")
}

func pairNumbers(pairs []collide.Pair) (numbers []uint64) {
	for _, p := range pairs {
		numbers = append(numbers, uint64(p.A)<<32|uint64(p.B))
	}
	return numbers
}
