package collide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// typicalDistance returns a distance at which some objects of a list have a few partners: that of two of them, or
// a share of it.
func typicalDistance(rng *rand.Rand, objects []soa.Object) float32 {
	if len(objects) < 2 {
		return 1
	}
	best := float32(math.MaxFloat32)
	a := &objects[rng.IntN(len(objects))].Box
	for range 40 {
		b := &objects[rng.IntN(len(objects))].Box
		if d := testkit.TouchingDistance(a, b, rng.IntN(8)); d > 0 {
			best = min(best, d)
		}
	}
	return best
}

// nearForms queries in every form, with a batch of three workers, and returns the pairs in their order.
func nearForms(t testing.TB, of collide.Views, flt collide.Filter) []collide.Pair {
	t.Helper()
	got := collide.Append(nil, of, flt)
	if n := collide.Count(of, flt); n != len(got) {
		t.Errorf("Count %d, Append gave %d", n, len(got))
	}
	if all := slices.Collect(collide.All(of, flt)); !slices.Equal(all, got) {
		t.Errorf("All yields %d other pairs than the %d of Append", len(all), len(got))
	}
	batch := collide.Batch{Workers: 3}
	if all := batched(t, &batch, nil, of, flt); !slices.Equal(all, got) {
		t.Errorf("Batch finds %d other pairs than the %d of Append", len(all), len(got))
	}
	return got
}

// testNear queries every tree within, and against another one, on every tier, in the normal form in all forms on one of
// them.
func testNear(t *testing.T, f trees.Forest, objects, others []soa.Object, other linear.View, flt collide.Filter) (judged, kept int) {
	t.Helper()
	keep := func(a, b *soa.Object) bool { return passes(flt, a, b) }
	pairs := testkit.ReferencePairsNear[soa.Object]
	if len(objects) > 300 {
		pairs = testkit.SweepNear[soa.Object]
	}
	within := testkit.KeepPairs(pairs(objects, flt.Distance), objects, objects, keep)
	between := testkit.KeepPairs(testkit.ReferencePairsNearBetween(objects, others, flt.Distance), objects, others, keep)
	for k, form := range trees.Forms {
		tree := f.Trees[form]
		var order [2][]collide.Pair
		testkit.EachTier(t, func(t *testing.T) {
			for i, of := range [2]collide.Views{collide.Within(tree.View()), collide.Between(tree.View(), other)} {
				var got []collide.Pair
				if testkit.OfTier(t, k) {
					got = nearForms(t, of, flt)
				} else {
					got = collide.Append(nil, of, flt)
				}
				if want := [2][]testkit.IndexPair{within, between}[i]; order[i] == nil {
					order[i] = got
					checkPairs(t, got, want)
				} else if !slices.Equal(got, order[i]) {
					t.Errorf("%d pairs are not the same %d in the same order as on the first tier", len(got), len(order[i]))
				}
			}
		})
		if t.Failed() {
			t.Fatalf("tree %s, filter %+v", form, flt)
		}
	}
	n, m := len(objects), len(others)
	return n*(n-1)/2 + n*m, len(within) + len(between)
}

// Every scene and form of tree, and boxes of every kind: the pairs are those at most the distance apart in exact
// arithmetic, in one order on all tiers.
func TestPairsNear(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	judged, kept := 0, 0
	check := func(name string, objects, others []soa.Object) {
		t.Helper()
		f, other := trees.PlantAll(t, objects), trees.Plant(t, others, rng.IntN(2) == 0).View()
		for range 2 {
			flt := pairFilters[rng.IntN(len(pairFilters))]
			flt.Distance = typicalDistance(rng, objects)
			j, k := testNear(t, f, objects, others, other, flt)
			judged, kept = judged+j, kept+k
			if t.Failed() {
				t.Fatal(name)
			}
		}
	}
	for i, sc := range testkit.Scenes() {
		sizes := testkit.Budget(t, []int{testkit.Turn(t, i, []int{2, 17, 130})[0], 300}, []int{1, 16, 129, 700, 1500})
		for _, n := range sizes {
			objects := sc.Make(n, uint64(i))
			if rng.IntN(3) == 0 { // few move
				for k := range objects {
					objects[k].Static = k%50 != 0
				}
			}
			check(sc.Name, objects, sc.Make(n/3, uint64(i+1)))
		}
	}
	for _, kind := range testkit.BoxKinds() {
		for range testkit.Budget(t, 4, 40) {
			var lists [2][]soa.Object
			for k, n := range []int{1 + rng.IntN(200), rng.IntN(60)} {
				for _, b := range testkit.RandomBoxes(rng, n, kind) {
					lists[k] = append(lists[k], soa.Object{Box: b, Mask: rng.Uint32N(64), Static: rng.IntN(3) == 0})
				}
			}
			check(fmt.Sprint(kind), lists[0], lists[1])
		}
	}
	if least := testkit.Budget(t, 100_000, 10_000_000); judged < least || kept < judged/100 {
		t.Errorf("%d pairs judged, %d of them near; want %d", judged, kept, least)
	}
	t.Logf("%d pairs judged, %d of them near", judged, kept)
}

// Points of a lattice, whose distances are the limit, and the limit is one number off; and huge and tiny distances.
func TestPairsNearLattice(t *testing.T) {
	const n = 7
	for number, edge := range []float32{1, 0.1, 0x1p-140, 0x1p100} {
		var points []soa.Object
		for i := range n * n * n {
			p := [3]float32{edge * float32(i%n), edge * float32(i/n%n), edge * float32(i/n/n)}
			points = append(points, soa.Object{Box: soa.AABB{Min: p, Max: p}})
		}
		f, other := trees.PlantAll(t, points), trees.Plant(t, points[:50], true).View()
		diagonal := float32(math.Sqrt2 * float64(edge))
		for _, d := range testkit.Turn(t, number, []float32{edge, math.Nextafter32(edge, 0), math.Nextafter32(edge, math.MaxFloat32), diagonal, math.Nextafter32(diagonal, 0),
			math.Nextafter32(diagonal, math.MaxFloat32), 3 * edge, math.SmallestNonzeroFloat32, math.MaxFloat32}) {
			testNear(t, f, points, points[:50], other, collide.Filter{Distance: d})
		}
	}
}

// For points the join is exact, and a sphere about a point finds all partners.
func TestPairsNearSphere(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := testkit.SceneByName(t, "clustered").Make(2000, 1)
	for i := range objects {
		objects[i].Box.Max = objects[i].Box.Min
	}
	tree := trees.Plant(t, objects, true)
	v := tree.View()
	d := typicalDistance(rng, objects)
	partners := make([][]uint32, len(objects))
	for p := range collide.All(collide.Between(v, v), collide.Filter{Distance: d, StaticPairs: true}) {
		partners[p.A] = append(partners[p.A], p.B)
	}
	for i, o := range objects {
		q, err := query.NewSphere(o.Box.Min, d)
		testkit.Must(t, err)
		got := q.Append(nil, v, query.Filter{})
		if !testkit.NothingLost(t, got, partners[i]) {
			t.Fatalf("point %d, distance %x", i, d)
		}
	}
}

// A distance that is negative, infinite or NaN is an error that names it, or a panic with that, and changes nothing.
func TestDistanceOutOfRange(t *testing.T) {
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, testkit.SceneByName(t, "uniform").Make(100, 1))
	v := tree.View()
	first := []collide.Pair{{A: 1, B: 2}}
	var tracker collide.Tracker
	testkit.Must(t, tracker.Update(v))
	pairs := tracker.Len()
	for _, d := range []float32{-1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -math.SmallestNonzeroFloat32} {
		flt := collide.Filter{Distance: d}
		want := fmt.Sprintf("collide: Filter.Distance %v is not a finite number of 0 or more", d)
		check := func(call string, err error) {
			t.Helper()
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", call, err, want)
			}
		}
		check("Check", flt.Check())
		var batch collide.Batch
		got, err := batch.Append(nil, first, collide.Within(v), flt)
		if check("Batch.Append", err); !slices.Equal(got, first) {
			t.Errorf("Batch.Append returned %v", got)
		}
		tracker.Filter = flt
		if check("Tracker.Update", tracker.Update(v)); tracker.Len() != pairs {
			t.Errorf("%d pairs, had %d", tracker.Len(), pairs)
		}
		budget := collide.BudgetTracker{Filter: flt, Budget: 1}
		check("BudgetTracker.Update", budget.Update(v))
		for call, ask := range map[string]func(){
			"Append": func() { collide.Append(nil, collide.Within(v), flt) },
			"Count":  func() { collide.Count(collide.Within(v), flt) },
			"All":    func() { _ = slices.Collect(collide.All(collide.Within(v), flt)) },
		} {
			if got := testkit.Panic(ask); got != want {
				t.Errorf("%s panics with %v, want %s", call, got, want)
			}
		}
	}
	testkit.Must(t, collide.Filter{Distance: math.MaxFloat32}.Check())
	got := testkit.Panic(func() { collide.AppendImpacts(nil, collide.Within(v), nil, nil, collide.Filter{Distance: 0.5}) })
	if want := "collide: AppendImpacts with a Filter.Distance of 0.5, want 0"; got != want {
		t.Errorf("AppendImpacts panics with %v, want %s", got, want)
	}
}

// A tracker of pairs within a distance: objects move past each other, some of them little, and pairs begin and end as
// the exact distance says, on the path of changes and on that of all pairs.
func TestTrackerNear(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	began, ended, few := 0, 0, 0
	for round := range testkit.Budget(t, 3, 30) {
		objects := testkit.SceneByName(t, "uniform").Make(400, uint64(round))
		for i := range objects {
			if i%2 == 0 {
				objects[i].Box.Max = objects[i].Box.Min
			}
			objects[i].Static = i%5 == 0
		}
		tree := trees.New(t, linear.Config{Log: true})
		trees.Insert(t, tree, objects)
		trees.SetBalls(t, tree, testkit.BallsIn(objects))
		d := typicalDistance(rng, objects)
		tracker := collide.Tracker{Filter: collide.Filter{Distance: d, Exact: round%2 == 0, StaticPairs: round%3 == 0}}
		was := map[collide.Pair]bool{}
		for range 20 {
			for range 1 + rng.IntN(20) {
				id := rng.Uint32N(400)
				box := objects[id].Box
				step := (rng.Float32() - 0.5) * 2 * d
				axis := rng.IntN(3)
				box.Min[axis], box.Max[axis] = box.Min[axis]+step, box.Max[axis]+step
				objects[id].Box = box
				testkit.Must(t, tree.Move(id, box))
			}
			if rng.IntN(4) == 0 {
				tracker.FindAll()
			} else {
				few++
			}
			v := tree.View()
			testkit.Must(t, tracker.Update(v))
			is := map[collide.Pair]bool{}
			for _, p := range testkit.ReferencePairsNear(objects, d) {
				a, b := &objects[p.A], &objects[p.B]
				if passes(tracker.Filter, a, b) {
					is[collide.Pair{A: uint32(p.A), B: uint32(p.B)}] = true
				}
			}
			if tracker.Filter.Exact { // a test of its own compares them
				clear(is)
				for p := range collide.All(collide.Within(v), tracker.Filter) {
					is[p] = true
				}
			}
			for _, p := range tracker.Began() {
				if !is[p] || was[p] {
					t.Fatalf("%v began: it is a pair: %v, was one: %v", p, is[p], was[p])
				}
				was[p] = true
				began++
			}
			for _, p := range tracker.Ended() {
				if is[p] || !was[p] {
					t.Fatalf("%v ended: it is a pair: %v, was one: %v", p, is[p], was[p])
				}
				delete(was, p)
				ended++
			}
			if len(was) != len(is) || tracker.Len() != len(is) {
				t.Fatalf("%d pairs after the events, %d by Len, want %d", len(was), tracker.Len(), len(is))
			}
		}
	}
	if began < 100 || ended < 50 || few < 10 {
		t.Errorf("%d pairs began, %d ended, in %d updates from changes", began, ended, few)
	}
}

// With Exact, pairs of spheres, oriented boxes and boxes are kept up to the distance of their bounds.
func TestPairsNearExact(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	n := testkit.Budget(t, 300, 2000)
	kept, dropped := 0, 0 // on all tiers
	pairs, doubt := 0, 0  // on one
	for _, distance := range []float32{0.05, 1, 6} {
		objects := testkit.SceneByName(t, "uniform").Make(n, 5)
		bounds := make([]bounded, n)
		for i := range objects {
			objects[i].Static = false
			bounds[i] = boundedOf(rng, i, objects[i].Box)
		}
		tree := trees.Plant(t, objects, true)
		for i := range bounds {
			bounds[i].give(t, tree, uint32(i))
		}
		flt := collide.Filter{Distance: distance, Exact: true}
		all := testkit.SweepNear(objects, distance)
		far := make([]float64, len(all))
		pairs += len(all)
		for i, p := range all {
			if far[i] = bounds[p.A].apart(&bounds[p.B], float64(distance)); math.IsNaN(far[i]) {
				doubt++
			}
		}
		testkit.EachTier(t, func(t *testing.T) {
			got := nearForms(t, collide.Within(tree.View()), flt)
			is := map[collide.Pair]bool{}
			for _, p := range got {
				is[p] = true
			}
			for i, p := range all {
				pair := collide.Pair{A: uint32(p.A), B: uint32(p.B)}
				if math.Abs(far[i]-float64(distance)) > 1e-5 && is[pair] != (far[i] < float64(distance)) {
					t.Fatalf("objects %v are %v apart, distance %v: kept %v", pair, far[i], distance, is[pair])
				}
				if is[pair] {
					kept++
				} else {
					dropped++
				}
				delete(is, pair)
			}
			if len(is) > 0 {
				t.Fatalf("%d pairs whose boxes are beyond the distance", len(is))
			}
		})
	}
	if kept < 1000 || dropped < 200 || doubt > pairs/50 {
		t.Errorf("%d pairs kept, %d dropped, %d of %d have no reference", kept, dropped, doubt, pairs)
	}
}

// apart returns the largest distance of a bound of one object and a bound of the other, about: if it is not near limit,
// one on the same side of it.
func (b *bounded) apart(o *bounded, limit float64) (far float64) {
	each := func(x *bounded, ball bool) (testkit.Turned, float64) {
		if ball {
			p, r := wideBall(x.ball)
			return testkit.Turned{Center: p}, r
		}
		return x.turned, 0
	}
	for i := range 4 {
		x, y := i&1 != 0, i&2 != 0
		if x && !b.round || y && !o.round || !x && b.round && !b.tilted || !y && o.round && !o.tilted {
			continue
		}
		s, r := each(b, x)
		q, u := each(o, y)
		far = max(far, convexDistance(&s, &q, limit+r+u)-r-u)
	}
	return far
}

// convexDistance returns the distance of two oriented boxes by projections of a point to each of them in turn, with
// the planes between them as lower bounds: the middle of both, which are close to each other, or one that is not near
// the limit and on the same side of it.
func convexDistance(s, q *testkit.Turned, limit float64) float64 {
	p := s.Center
	for range 20_000 {
		near := q.Nearest(p)
		p = s.Nearest(near)
		n := [3]float64{near[0] - p[0], near[1] - p[1], near[2] - p[2]}
		l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
		if l < 1e-9 || l < limit-1e-4 {
			return l
		}
		way := 0.0
		for k := range n {
			n[k] /= l
			way += n[k] * (q.Center[k] - s.Center[k])
		}
		if low := way - s.Reach(n) - q.Reach(n); l-low < 1e-6 {
			return (l + max(low, 0)) / 2
		} else if low > limit+1e-4 {
			return low
		}
	}
	return math.NaN()
}
