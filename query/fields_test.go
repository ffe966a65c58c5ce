package query_test

import (
	"iter"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// asked is the input of every form of a query.
type asked struct {
	v, other linear.View
	flt      query.Filter
	excluded uint32 // ID of the object that flt excludes, or soa.None
	pairs    collide.Filter
	frusta   []query.Frustum // plain and precise
	boxes    []query.Box
	spheres  []query.Sphere
	points   [][3]float32
	convexes []query.Convex
	turned   []query.OrientedBox
	rays     []query.Ray
	sweeps   []query.SweptBox
	balls    []query.SweptSphere
	// For other packages: a scene with the objects of the trees as its own, one that also has v in an instance, and
	// the numbers of boxes and spheres.
	own          linear.View
	alone, scene linear.SceneView
	corners      []soa.AABB
	centers      [][3]float32
	radii        []float32
}

// check compares a form with the reference form of its kind, and returns the size of the result.
type check func(t *testing.T, a *asked) int

// checks are comparisons by name: one for each exported function and method that takes a filter.
type checks struct {
	all map[string]check
	of  map[string]string
}

func (c *checks) add(name string, compare check, forms ...string) {
	c.all[name] = compare
	for _, form := range forms {
		c.of[form] = name
	}
}

func formChecks() *checks {
	checks := &checks{map[string]check{}, map[string]string{}}
	// Volumes: every form against Append.
	addVolume(checks, "Frustum", func(a *asked) []query.Frustum { return a.frusta }, query.Frustum.All)
	addVolume(checks, "Box", func(a *asked) []query.Box { return a.boxes }, query.Box.All)
	addVolume(checks, "Sphere", func(a *asked) []query.Sphere { return a.spheres }, query.Sphere.All)
	addVolume(checks, "Convex", func(a *asked) []query.Convex { return a.convexes }, query.Convex.All)
	addVolume(checks, "OrientedBox", func(a *asked) []query.OrientedBox { return a.turned }, query.OrientedBox.All)
	addVolume(checks, "Point", func(a *asked) (points []query.Point) {
		for _, p := range a.points {
			q, err := query.NewPoint(p)
			if err != nil {
				panic(err)
			}
			points = append(points, q)
		}
		return points
	}, query.Point.All)
	addCaster(checks, "Ray", func(a *asked) []query.Ray { return a.rays }, query.Ray.All)
	addCaster(checks, "SweptBox", func(a *asked) []query.SweptBox { return a.sweeps }, query.SweptBox.All)
	addCaster(checks, "SweptSphere", func(a *asked) []query.SweptSphere { return a.balls }, query.SweptSphere.All)
	addBatches(checks)
	addNearest(checks)
	addPairs(checks)
	addScenes(checks)
	addCullers(checks)
	addViewers(checks)
	addPictures(checks)
	return checks
}

type explained interface {
	Explain(linear.View, query.Filter, *query.Heat) query.Counters
}

func sameCounters(t *testing.T, q explained, v linear.View, flt query.Filter, ranges int) {
	t.Helper()
	c, d := q.Explain(v, flt, nil), q.Explain(v, flt, query.NewHeat(v))
	if c != d || c.Ranges != ranges {
		t.Errorf("Explain %+v, with heat %+v, want %d ranges", c, d, ranges)
	}
}

func addVolume[Q interface {
	query.Volume
	volume
	explained
}](checks *checks, kind string, all func(*asked) []Q, iterate func(Q, linear.View, query.Filter) iter.Seq[uint32]) {
	f := func(t *testing.T, a *asked) (n int) {
		for _, q := range all(a) {
			got := forms(t, q, iterate(q, a.v, a.flt), a.v, a.flt)
			// The other fields restrict the results that Exact leaves.
			want := keptOf(a, q.Append(nil, a.v, query.Filter{Exact: a.flt.Exact}))
			testkit.SameIDSet(t, got, want)
			ranges := 0
			q.Ranges(a.v, a.flt, func(query.Range) bool { ranges++; return true })
			sameCounters(t, q, a.v, a.flt, ranges)
			boxesAre(t, q, a.v, a.flt, got, func(id uint32) soa.AABB { o, _ := a.v.Object(id); return o.Box })
			n += len(got)
		}
		return n
	}
	checks.add(kind, f, kind+".Append", kind+".Count", kind+".Any", kind+".All", kind+".Ranges", kind+".Explain", "Boxes")
}

// keptOf returns the IDs that pass all fields of the filter but Exact.
func keptOf(a *asked, ids []uint32) (kept []uint32) {
	s := a.v.Store()
	var buf []soa.Location
	locations := a.v.Locator(&buf)
	for _, id := range ids {
		slot, lane, _ := locations.Locate(id)
		o := s.Packets.Object(slot, lane)
		if a.flt.Mask != 0 && o.Mask&a.flt.Mask == 0 || a.flt.Motion == query.MovingOnly && o.Static ||
			a.flt.Motion == query.StaticOnly && !o.Static || !alive(a.flt, int(id)) || id == a.excluded {
			continue
		}
		kept = append(kept, id)
	}
	return kept
}

func addCaster[Q interface {
	caster
	hitForms
	explained
}](checks *checks, kind string, all func(*asked) []Q, iterate func(Q, linear.View, query.Filter) iter.Seq[query.Hit]) {
	f := func(t *testing.T, a *asked) (n int) {
		for i, q := range all(a) {
			got := q.Append(nil, a.v, a.flt)
			var ids, want []uint32
			for _, h := range got {
				ids = append(ids, h.ID)
			}
			for _, h := range q.Append(nil, a.v, query.Filter{Exact: a.flt.Exact}) {
				want = append(want, h.ID)
			}
			testkit.SameIDs(t, ids, keptOf(a, want))
			if yielded := slices.Collect(iterate(q, a.v, a.flt)); !slices.Equal(yielded, got) {
				t.Errorf("All yields %v, Append %v", yielded, got)
			}
			first, ok := q.First(a.v, a.flt)
			if ok != (len(got) > 0) || ok && first != got[0] || ok != q.Any(a.v, a.flt) {
				t.Errorf("Nearest %v %v, Any %v, Append %v", first, ok, q.Any(a.v, a.flt), got)
			}
			if i%testkit.Budget(t, 4, 1) == 0 {
				sameShort(t, a, q, got, ids)
			}
			sameCounters(t, q, a.v, a.flt, len(got))
			n += len(got)
		}
		return n
	}
	checks.add(kind, f, kind+".Append", kind+".First", kind+".Any", kind+".All", kind+".Explain",
		kind+".FirstID", kind+".FirstFunc", kind+".AppendIDs", kind+".Count")
}

// hitForms are the forms of rays and moving shapes that have no hits.
type hitForms interface {
	firstFuncQuery
	FirstID(linear.View, query.Filter) (uint32, float32, bool)
	Count(linear.View, query.Filter) int
}

// sameShort compares these forms with the hits, whose IDs it sorts.
func sameShort(t *testing.T, a *asked, q hitForms, got []query.Hit, ids []uint32) {
	t.Helper()
	slices.Sort(ids)
	sameSet(t, q.AppendIDs(nil, a.v, a.flt), ids)
	if k := q.Count(a.v, a.flt); k != len(got) {
		t.Errorf("Count %d, Append has %d", k, len(got))
	}
	id, dist, found := q.FirstID(a.v, a.flt)
	if found != (len(got) > 0) || found && (id != got[0].ID || dist != got[0].Dist) {
		t.Errorf("First %d at %v %v, Append has %v", id, dist, found, got[:min(1, len(got))])
	}
	var asked []uint32
	if id, dist, found := q.FirstFunc(a.v, a.flt, func(id uint32, tEnter float32) (float32, bool) {
		asked = append(asked, id)
		return tEnter, false
	}); found {
		t.Errorf("FirstFunc %d at %v, the test has no hit", id, dist)
	}
	sameSet(t, asked, ids)
}

// sameSet compares IDs in any order with sorted ones.
func sameSet(t *testing.T, got, want []uint32) {
	t.Helper()
	slices.Sort(got)
	testkit.SameIDs(t, got, want)
}

func addBatches(checks *checks) {
	checks.add("FrustumBatch.Find", func(t *testing.T, a *asked) int {
		var b query.FrustumBatch
		testkit.Must(t, b.Find(nil, a.v, a.frusta, a.flt))
		sameFrusta(t, &b, a.v, a.frusta, a.flt)
		return len(b.IDs)
	}, "FrustumBatch.Find")
	checks.add("BoxBatch.Find", func(t *testing.T, a *asked) int {
		var b query.BoxBatch
		testkit.Must(t, b.Find(nil, a.v, a.boxes, a.flt))
		for i, q := range a.boxes {
			testkit.SameIDs(t, b.Of(i), q.Append(nil, a.v, a.flt))
		}
		return len(b.IDs)
	}, "BoxBatch.Find")
	checks.add("SphereBatch.Find", func(t *testing.T, a *asked) int {
		var b query.SphereBatch
		testkit.Must(t, b.Find(nil, a.v, a.spheres, a.flt))
		for i, q := range a.spheres {
			testkit.SameIDs(t, b.Of(i), q.Append(nil, a.v, a.flt))
		}
		return len(b.IDs)
	}, "SphereBatch.Find")
	rays := func(t *testing.T, a *asked, nearest bool) (n int) {
		b := query.RayBatch{Workers: 2}
		find := b.FindAll
		if nearest {
			find = b.Find
		}
		testkit.Must(t, find(nil, a.v, a.rays, a.flt))
		for i, q := range a.rays {
			want := q.Append(nil, a.v, a.flt)
			if nearest {
				want = want[:min(len(want), 1)]
			}
			if !slices.Equal(b.Of(i), want) {
				t.Errorf("ray %d: %v, want %v", i, b.Of(i), want)
			}
			for _, h := range want {
				n += 1 + int(h.ID)
			}
		}
		return n
	}
	checks.add("RayBatch.FindAll", func(t *testing.T, a *asked) int { return rays(t, a, false) }, "RayBatch.FindAll")
	checks.add("RayBatch.Find", func(t *testing.T, a *asked) int { return rays(t, a, true) }, "RayBatch.Find")
}

// The k nearest of the objects that pass all fields but Exact; Nearby.All returns all.
func addNearest(checks *checks) {
	const k = 9
	dist := float32(40)
	alone := func(t *testing.T, a *asked, p [3]float32) (near []query.Neighbor) {
		q, err := query.NewNearby(p)
		testkit.Must(t, err)
		reach := sphere(t, scene.Sphere{Center: p, Radius: dist})
		within := reach.Append(nil, a.v, a.flt)
		for n := range q.All(a.v, a.flt) {
			if len(near) == k || n.Dist2 > 3*dist*dist {
				break
			}
			if slices.Contains(within, n.ID) {
				near = append(near, n)
			}
		}
		return near
	}
	all := func(t *testing.T, a *asked) (n int) {
		for _, p := range a.points {
			got := nearestOf(t, a.v, p, k, dist, a.flt)
			if want := alone(t, a, p); !slices.Equal(got, want) {
				t.Errorf("point %v: %v, want %v", p, got, want)
			}
			c, err := query.ExplainNearest(a.v, p, k, dist, a.flt, nil)
			testkit.Must(t, err)
			d, err := query.ExplainNearest(a.v, p, k, dist, a.flt, query.NewHeat(a.v))
			testkit.Must(t, err)
			if c != d || c.Ranges != len(got) {
				t.Errorf("ExplainNearest %+v, with heat %+v, %d found", c, d, len(got))
			}
			for _, x := range got {
				n += 1 + int(x.ID)
			}
		}
		return n
	}
	checks.add("AppendNearest", all, "AppendNearest", "ExplainNearest")
	checks.add("Nearby.All", func(t *testing.T, a *asked) (n int) {
		// Any object is somewhere, so its order is the only effect of Exact.
		q, err := query.NewNearby(a.points[0])
		testkit.Must(t, err)
		var ids, want []uint32
		last := query.Neighbor{}
		for x := range q.All(a.v, a.flt) {
			if x.Dist2 < last.Dist2 || x.Dist2 == last.Dist2 && x.ID < last.ID {
				t.Errorf("%v after %v", x, last)
			}
			last, ids = x, append(ids, x.ID)
			n += 1 + int(math.Float32bits(x.Dist2)%1000)
		}
		for x := range q.All(a.v, query.Filter{Exact: a.flt.Exact}) {
			want = append(want, x.ID)
		}
		testkit.SameIDs(t, ids, keptOf(a, want))
		return n
	}, "Nearby.All")
	checks.add("NearestBatch.Find", func(t *testing.T, a *asked) (n int) {
		b := query.NearestBatch{Workers: 2}
		testkit.Must(t, b.Find(nil, a.v, a.points, k, dist, a.flt))
		for i, p := range a.points {
			if want := nearestOf(t, a.v, p, k, dist, a.flt); !slices.Equal(b.Of(i), want) {
				t.Errorf("point %d: %v, want %v", i, b.Of(i), want)
			}
			for _, x := range b.Of(i) {
				n += 1 + int(x.ID)
			}
		}
		return n
	}, "NearestBatch.Find")
}

// Every form of every query heeds every field of its filter, alone and with the others, and agrees with its reference
// form. Objects have spheres or not, and are placed or pending. Forms that take a filter are found in the source,
// fields in the types.
func TestEveryFormHeedsEveryField(t *testing.T) {
	seed := testkit.Seed(t)
	n := testkit.Budget(t, 200, 700) // of more objects no single one is found by queries of all kinds
	objects := testkit.SceneByName(t, "city").Make(n, seed)
	f := forest{Objects: objects, Trees: map[string]*linear.Tree{}}
	for _, form := range treeForms {
		tree := trees.New(t, linear.Config{PendingMin: 1 << 20, Log: true, Frozen: form == "frozen"})
		cut := n
		if form == "pending" {
			cut -= 100
		}
		trees.Insert(t, tree, objects[:cut])
		trees.Insert(t, tree, objects[cut:])
		f.Trees[form] = tree
	}
	scenes := map[string]*linear.Scene{}
	for _, form := range append(slices.Clone(treeForms), "alone") {
		s, err := linear.NewScene(linear.Config{})
		testkit.Must(t, err)
		trees.Insert(t, s.Tree(), objects)
		scenes[form], f.Trees["scene "+form] = s, s.Tree()
	}
	f.SetBalls(t, testkit.BallsIn(objects))
	for _, form := range treeForms {
		_, err := scenes[form].AddInstance(f.Trees[form], linear.Transform{}, linear.InstanceOptions{})
		testkit.Must(t, err)
	}
	questions := manyQuestions(t, f, seed)
	filters := subsets[query.Filter](t, map[string][]any{
		"Mask": {uint32(3), uint32(0x14)}, "Motion": {query.MovingOnly, query.StaticOnly}, "Only": {someLive(n/64 + 1)}, "Exact": {true},
		"Exclude": {excludedOf(t, f, &questions)},
	})
	pairFilters := subsets[collide.Filter](t, map[string][]any{
		"Mask": {uint32(0x13), uint32(0xc)}, "Layers": {new(collide.Layers(testkit.SomeLayers()))}, "StaticPairs": {true}, "Exact": {true},
		"Live": {someLive(n/64 + 1)}, "LiveBoth": {someLive(n / 64)},
		"Exclude": {pairedOf(t, f)},
	})
	checks := formChecks()
	types := map[string][]string{
		".": {"Filter"}, "collide": {"Filter"}, "scene": {"query.Filter", "collide.Filter", "PairFilter"}, "occlude": {"query.Filter"},
		"interest": {"query.Filter"}, "show": {"query.Filter"},
	}
	folders, err := filepath.Glob("*/doc.go")
	testkit.Must(t, err)
	for _, file := range folders {
		if types[filepath.Dir(file)] == nil {
			t.Errorf("%s: the package has no list of its filters", file)
		}
	}
	for folder, types := range types {
		for _, filter := range types {
			for _, form := range filtered(t, folder, filter) {
				if checks.of[form] == "" {
					t.Errorf("%s takes a filter and has no check", form)
				}
			}
		}
	}
	for name, ask := range checks.all {
		t.Run(name, func(t *testing.T) {
			testkit.EachTier(t, func(t *testing.T) {
				whole, telling := 0, 0 // the results without a filter; fields that change them, set alone
				all := filters
				ofPairs := name == "pairs" || name == "pairs between" || name == "Tracker" || name == "Watch" || name == "scene pairs"
				if ofPairs {
					all = make([]query.Filter, len(pairFilters))
				}
				for i, flt := range all {
					total := 0
					a := questions
					a.excluded = soa.None
					if flt.Exclude != (linear.Handle{}) {
						a.excluded = flt.Exclude.ID
					}
					if a.flt = flt; ofPairs {
						a.pairs = pairFilters[i]
					}
					for k, form := range treeForms {
						a.v, a.other = f.Trees[form].View(), f.Trees[treeForms[(k+1)%3]].View()
						a.own, a.alone, a.scene = f.Trees["scene alone"].View(), scenes["alone"].View(), scenes[form].View()
						total += ask(t, &a)
					}
					if t.Failed() {
						t.Fatalf("filter %+v, pairs %+v", a.flt, a.pairs)
					}
					if i == 0 {
						whole = total
					} else if i&(i-1) == 0 && total != whole {
						telling++
					}
				}
				fields := len(fieldsOf[query.Filter]())
				switch {
				case name == "scene pairs": // it ignores Live and LiveBoth
					fields = len(fieldsOf[collide.Filter]()) - 2
				case ofPairs:
					fields = len(fieldsOf[collide.Filter]())
				case name == "SweptBox":
					fields-- // it ignores Exact
				}
				if telling != fields && testkit.Long(t) { // two hundred have few balls that matter
					t.Errorf("%d fields change the answers, want %d", telling, fields)
				}
			})
		})
	}
}
