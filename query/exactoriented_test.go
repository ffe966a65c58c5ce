package query_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// boundedScene has four kinds of objects in equal shares: with no bound, a sphere, an oriented box, and both, in
// trees of all forms.
type boundedScene struct {
	trees.Forest
	spheres  [][4]float32
	oriented []soa.OrientedBox
	turned   []testkit.Turned
	size     float64 // of coordinates
}

func (s *boundedScene) round(id uint32) bool { return id%4 == 1 || id%4 == 3 }
func (s *boundedScene) tilted(id uint32) bool {
	return id%4 >= 2
}

func newBoundedScene(t testing.TB, name string, n int) *boundedScene {
	objects := testkit.SceneByName(t, name).Make(n, 3)
	s := &boundedScene{Forest: plantAll(t, objects)}
	r := testkit.Rand(testkit.Seed(t))
	for _, o := range objects {
		ball := testkit.BallIn(o.Box)
		ball[3] *= 0.75 + float32(r.Float32()/4)
		s.spheres = append(s.spheres, ball)
		box := testkit.OrientedIn(r, o.Box)
		s.oriented = append(s.oriented, box)
		s.turned = append(s.turned, testkit.TurnedOf(box))
	}
	extent := testkit.Extent(objects)
	s.size = float64(max(extent[0], extent[1], extent[2]))
	for form, tree := range s.Trees {
		for id := range uint32(n) {
			if s.round(id) {
				fail(t, tree.SetSphere(id, s.spheres[id]))
			}
			if s.tilted(id) {
				fail(t, tree.SetOriented(id, s.oriented[id]))
			}
		}
		if form == "frozen" { // bounds follow their objects
			trees.Rebuild(t, tree, true)
		}
		fail(t, tree.Validate())
	}
	return s
}

// reach is the length of the axes of an object, to which their deviation from right angles is in proportion.
func (s *boundedScene) reach(id uint32) (r float64) {
	for _, a := range s.turned[id].Axes {
		r += math.Sqrt(dotProduct(a, a))
	}
	return r
}

func fail(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gap is the distance of a volume from the bounds of an object: 0 or less when it intersects them all.
func (s *boundedScene) gap(id uint32, round func([4]float32) float64, tilted func(*testkit.Turned) float64) float64 {
	gap := math.Inf(-1)
	if s.round(id) {
		gap = max(gap, round(s.spheres[id]))
	}
	if s.tilted(id) {
		gap = max(gap, tilted(&s.turned[id]))
	}
	return gap
}

// With Filter.Exact bounds decide: no object is lost if the volume intersects all its bounds, and none is kept if one
// bound is further away than rounding explains. This holds in every form of a query and of a tree, on every tier.
func TestExactOriented(t *testing.T) {
	n := testkit.Budget(t, 700, 8000)
	for _, name := range []string{"uniform", "city", "far"} {
		s := newBoundedScene(t, name, n)
		tolerance := 1e-6 * s.size
		removed := 0
		var first [][]uint32
		testkit.EachTier(t, func(t *testing.T) {
			at := 0
			ask := func(what string, q iterable, round func([4]float32) float64, tilted func(*testkit.Turned) float64) {
				t.Helper()
				for _, form := range treeForms {
					v := s.Trees[form].View()
					plain := slices.Sorted(slices.Values(q.Append(nil, v, query.Filter{})))
					exact := forms(t, q, q.All(v, query.Filter{Exact: true}), v, query.Filter{Exact: true})
					if at == len(first) {
						first = append(first, slices.Clone(exact))
					} else if !slices.Equal(first[at], exact) {
						t.Errorf("%s: another answer than on the first tier", what)
					}
					at++
					slices.Sort(exact)
					removed += len(plain) - len(exact)
					for _, id := range exact {
						if _, ok := slices.BinarySearch(plain, id); !ok {
							t.Fatalf("%s, %s: object %d has a bound that is met and a box that is not", what, form, id)
						}
					}
					for _, id := range plain {
						_, kept := slices.BinarySearch(exact, id)
						gap := s.gap(id, round, tilted)
						if gap < -tolerance && !kept || gap > tolerance && kept {
							t.Fatalf("%s, %s: object %d is %v away and was kept: %v", what, form, id, gap, kept)
						}
					}
				}
			}
			for i, b := range scene.BoxQueries(s.Objects, 100, 8, 1) {
				x := testkit.TurnedBox(b)
				round := func(o [4]float32) float64 { return gapToBox(o, b) }
				ask(fmt.Sprintf("%s box %d", name, i), box(t, b), round, func(o *testkit.Turned) float64 { gap, _ := o.Gap(&x); return gap })
			}
			for i, b := range scene.SphereQueries(s.Objects, 100, 8, 1) {
				q := sphere(t, b)
				ask(fmt.Sprintf("%s sphere %d", name, i), q, func(o [4]float32) float64 { return gapToBall(o, b.Center, b.Radius) },
					func(o *testkit.Turned) float64 { return o.Distance(testkit.Wide(b.Center)) - float64(b.Radius) })
			}
			for i, p := range scene.PointQueries(s.Objects, 8, 1) {
				b := soa.AABB{Min: p, Max: p}
				ask(fmt.Sprintf("%s point %d", name, i), point(t, p), func(o [4]float32) float64 { return gapToBox(o, b) },
					func(o *testkit.Turned) float64 { return o.Distance(testkit.Wide(p)) })
			}
			for i, c := range scene.Cameras(s.Objects, 0.05, 4, 1) {
				planes := c.Planes()
				round := func(o [4]float32) float64 { return gapToPlanes(o, planes[:]) }
				tilted := func(o *testkit.Turned) float64 { return turnedToPlanes(o, planes[:]) }
				f, err := query.FrustumPlanes(planes)
				fail(t, err)
				ask(fmt.Sprintf("%s frustum %d", name, i), f, round, tilted)
				ask(fmt.Sprintf("%s convex %d", name, i), convex(t, planes[:]), round, tilted)
			}
			r := testkit.Rand(7)
			for i, b := range orientedQueries(r, s.Objects, 2) {
				x := testkit.TurnedOf(b)
				round := func(o [4]float32) float64 {
					return x.Distance([3]float64{float64(o[0]), float64(o[1]), float64(o[2])}) - float64(o[3])
				}
				ask(fmt.Sprintf("%s oriented %d %v", name, i, b), orientedBox(t, b), round, func(o *testkit.Turned) float64 { gap, _ := o.Gap(&x); return gap })
			}
		})
		if removed == 0 && name != "far" { // whose objects are small
			t.Errorf("%s: no bound misses what its box meets", name)
		}
	}
}

func turnedToPlanes(o *testkit.Turned, planes [][4]float32) float64 {
	gap := math.Inf(-1)
	for _, p := range planes {
		n := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
		length := math.Sqrt(dotProduct(n, n))
		gap = max(gap, -(dotProduct(n, o.Center)+float64(p[3])+o.Reach(n))/length)
	}
	return gap
}

// The frusta of a batch have the results of single frusta.
func TestExactOrientedBatch(t *testing.T) {
	s := newBoundedScene(t, "city", testkit.Budget(t, 900, 8000))
	var frusta []query.Frustum
	for i, c := range scene.Cameras(s.Objects, 0.1, 5, 1) {
		f, err := query.FrustumPlanes(c.Planes())
		fail(t, err)
		if i == 2 {
			f = f.Precise()
		}
		frusta = append(frusta, f)
	}
	flt := query.Filter{Exact: true}
	for _, form := range treeForms {
		v := s.Trees[form].View()
		var b query.FrustumBatch
		fail(t, b.Find(nil, v, frusta, flt))
		sameFrusta(t, &b, v, frusta, flt)
	}
}

// The distance of an object is that to its furthest bound, in all forms.
func TestExactOrientedNearest(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		s := newBoundedScene(t, name, testkit.Budget(t, 500, 5000))
		flt := query.Filter{Exact: true}
		r := testkit.Rand(testkit.Seed(t))
		testkit.EachTier(t, func(t *testing.T) {
			for _, p := range scene.PointQueries(s.Objects, 20, r.Uint64()) {
				for _, form := range treeForms {
					v := s.Trees[form].View()
					all, err := query.AppendNearest(nil, v, p, len(s.Objects), infinity, flt)
					fail(t, err)
					if len(all) != len(s.Objects) {
						t.Fatalf("%d of %d objects", len(all), len(s.Objects))
					}
					for _, nb := range all {
						b := s.Objects[nb.ID].Box
						dist := max(gapToBox([4]float32{p[0], p[1], p[2]}, b), s.gap(nb.ID, func(o [4]float32) float64 {
							return gapToBall(o, p, 0)
						}, func(o *testkit.Turned) float64 { return o.Distance(testkit.Wide(p)) }))
						got := math.Sqrt(float64(nb.Dist2))
						if math.Abs(got-dist) > 1e-6*(dist+s.reach(nb.ID)) {
							t.Fatalf("object %d is %v away from %v, found at %v", nb.ID, dist, p, got)
						}
						if low := float64(nb.Low()); low > dist*(1+1e-12)+1e-6*s.reach(nb.ID) {
							t.Fatalf("object %d is %v away from %v, Low is %v", nb.ID, dist, p, low)
						}
					}
					for _, k := range []int{1, 5, 60} {
						some, err := query.AppendNearest(nil, v, p, k, infinity, flt)
						fail(t, err)
						if !slices.Equal(some, all[:k]) {
							t.Fatalf("the nearest %d are not the first of all", k)
						}
					}
					near, err := query.NewNearby(p)
					fail(t, err)
					if !slices.Equal(slices.Collect(near.All(v, flt)), all) {
						t.Fatal("Nearby yields something else")
					}
				}
			}
		})
	}
}

// Exact queries of oriented boxes, and exact oriented box queries, allocate nothing.
func TestExactOrientedAllocate(t *testing.T) {
	s := newBoundedScene(t, "uniform", 900)
	v, flt := s.Trees["roomy"].View(), query.Filter{Exact: true}
	q := orientedBox(t, orientedQueries(testkit.Rand(1), s.Objects, 1)[1])
	b := sphere(t, scene.Sphere{Center: s.Objects[0].Box.Min, Radius: 20})
	ray, err := query.NewRay(s.Objects[0].Box.Min, [3]float32{1, 1, 1}, infinity)
	fail(t, err)
	var ids []uint32
	var hits []query.Hit
	var near []query.Neighbor
	testkit.Allocs(t, 10, func() {
		ids = q.Append(ids[:0], v, flt)
		ids = b.Append(ids[:0], v, flt)
		q.Count(v, query.Filter{})
		q.Any(v, flt)
		hits = ray.Append(hits[:0], v, flt)
		ray.First(v, flt)
		near, _ = query.AppendNearest(near[:0], v, s.Objects[0].Box.Min, 5, infinity, flt)
	})
	if len(hits) == 0 || len(near) != 5 {
		t.Errorf("%d hits, %d neighbours", len(hits), len(near))
	}
}

// The smallest and the largest boxes of float32 have bounds that queries hit.
func TestExactOrientedScales(t *testing.T) {
	for _, e := range []int{-140, -120, -60, 0, 60, 110, 120} {
		unit := math.Ldexp(1, e)
		f := func(x float64) float32 { return float32(x * unit) }
		b := soa.OrientedBox{Center: [3]float32{f(40), f(8), 0}, Axes: [3][3]float32{{f(3), f(4), 0}, {f(-4), f(3), 0}, {0, 0, f(2)}}}
		tree := trees.New(t, linear.Config{})
		ids := trees.Insert(t, tree, make([]soa.Object, 3))
		fail(t, tree.MoveOrientedBatch(ids, []soa.OrientedBox{b, b, b}))
		fail(t, tree.SetSphereBatch(ids[2:], [][4]float32{{f(40), f(8), 0, f(1)}}))
		v, flt := tree.View(), query.Filter{Exact: true}
		count := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("2^%d: %s finds %d, want %d", e, what, got, want)
			}
		}
		corner := soa.AABB{Min: [3]float32{f(45.5), f(13), 0}, Max: [3]float32{f(47), f(15), 0}} // of the box around
		count("a box in the corner", box(t, corner).Count(v, flt), 0)
		count("a box in the corner, without Exact,", box(t, corner).Count(v, query.Filter{}), 3)
		face := [3]float32{f(43), f(12), f(1)} // on a face
		count("a point of a face", point(t, face).Count(v, flt), 2)
		if e > -70 { // below, spheres touch at distances of 2^-73
			count("a ball at a face", sphere(t, scene.Sphere{Center: [3]float32{f(46), f(16), 0}, Radius: f(5)}).Count(v, flt), 2)
			count("a smaller one", sphere(t, scene.Sphere{Center: [3]float32{f(46), f(16), 0}, Radius: f(4.875)}).Count(v, flt), 0)
		}
		count("an oriented box beside", orientedBox(t, soa.OrientedBox{Center: [3]float32{f(46), f(16), 0}, Axes: b.Axes}).Count(v, flt), 2)
		away := soa.OrientedBox{Center: [3]float32{f(46.125), f(16.125), 0}, Axes: b.Axes}
		count("one further away", orientedBox(t, away).Count(v, flt), 0)
		ray, err := query.NewRay([3]float32{f(46), f(16), 0}, [3]float32{f(-3), f(-4), 0}, 1)
		fail(t, err)
		hits := ray.Append(nil, v, flt)
		count("a ray that ends at the face", len(hits), 2)
		for _, h := range hits {
			if math.Abs(float64(h.Dist)-1) > 1e-6 || math.Abs(float64(h.Normal[0])-0.6) > 1e-6 || math.Abs(float64(h.Normal[1])-0.8) > 1e-6 {
				t.Errorf("2^%d: %+v", e, h)
			}
		}
	}
}
