package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Exact queries of spheres and oriented boxes, and exact oriented box queries, allocate nothing.
func TestExactOrientedAllocate(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(900, 3)
	tree, r := plant(t, objects, false), testkit.Rand(1)
	for i, o := range objects { // a quarter each without a bound, with one of them, and with both
		if i%2 == 1 {
			testkit.Must(t, tree.SetSphere(uint32(i), testkit.BallIn(o.Box)))
		}
		if i%4 >= 2 {
			testkit.Must(t, tree.SetOriented(uint32(i), testkit.OrientedIn(r, o.Box)))
		}
	}
	v, flt, at := tree.View(), query.Filter{Exact: true}, objects[0].Box.Min
	q := orientedBox(t, orientedQueries(r, objects, 1)[1])
	b := sphere(t, scene.Sphere{Center: at, Radius: 20})
	ray := rayOf(t, at, [3]float32{1, 1, 1}, infinity)
	var ids []uint32
	var hits []query.Hit
	var near []query.Neighbor
	heat := query.NewHeat(v)
	planes := [6][4]float32{{1, 0, 0, 9}, {-1, 0, 0, 9}, {0, 1, 0, 9}, {0, -1, 0, 9}, {0, 0, 1, 9}, {0, 0, -1, 9}}
	f, x, c := frustum(t, planes), box(t, objects[0].Box), convex(t, planes[:])
	testkit.Allocs(t, 10, func() {
		ids = q.Append(ids[:0], v, flt)
		ids = b.Append(ids[:0], v, flt)
		q.Count(v, query.Filter{})
		q.Any(v, flt)
		hits = ray.Append(hits[:0], v, flt)
		ray.First(v, flt)
		near, _ = query.AppendNearest(near[:0], v, at, 5, infinity, flt)
		b.Explain(v, flt, heat)
		f.Explain(v, flt, heat)
		x.Explain(v, flt, heat)
		c.Explain(v, flt, heat)
		ray.Explain(v, flt, heat)
		query.ExplainNearest(v, at, 5, infinity, flt, heat)
	})
	if len(hits) == 0 || len(near) != 5 || sum(heat.Nodes) == 0 {
		t.Errorf("%d hits, %d neighbors, heat of %d nodes", len(hits), len(near), sum(heat.Nodes))
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
		testkit.Must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: []soa.OrientedBox{b, b, b}}))
		testkit.Must(t, tree.SetBounds(ids[2:], linear.Bodies{Spheres: [][4]float32{{f(40), f(8), 0, f(1)}}}))
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
		ray := rayOf(t, [3]float32{f(46), f(16), 0}, [3]float32{f(-3), f(-4), 0}, 1)
		hits := ray.Append(nil, v, flt)
		count("a ray that ends at the face", len(hits), 2)
		for _, h := range hits {
			if math.Abs(float64(h.Dist)-1) > 1e-6 || math.Abs(float64(h.Normal[0])-0.6) > 1e-6 || math.Abs(float64(h.Normal[1])-0.8) > 1e-6 {
				t.Errorf("2^%d: %+v", e, h)
			}
		}
	}
}
