// Package queries makes the queries that tests of several packages run.
package queries

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Set has queries of all kinds.
type Set struct {
	Frusta   []query.Frustum // plain and precise
	Boxes    []query.Box
	Spheres  []query.Sphere
	Centers  [][3]float32 // of Spheres, as Radii
	Radii    []float32
	Points   [][3]float32
	Convexes []query.Convex
	Rays     []query.Ray
	Balls    []query.SweptSphere
}

// Make returns queries of all kinds, with no and with all objects among their results.
func Make(t testing.TB, objects []soa.Object, seed uint64) (s Set) {
	t.Helper()
	for i, q := range Frusta(t, objects, 3, seed) {
		if i%2 != 0 {
			q = q.Precise()
		}
		s.Frusta = append(s.Frusta, q)
	}
	for i, b := range append(scene.EdgeBoxes(objects), scene.BoxQueries(objects, 60, 8, seed)...) {
		s.Boxes = append(s.Boxes, Box(t, b))
		s.Convexes = append(s.Convexes, Convex(t, slices.Clone(Faces(b)[:3+i%4])))
	}
	for i, x := range append(scene.EdgeSpheres(objects), scene.SphereQueries(objects, 60, 8, seed)...) {
		s.Spheres, s.Centers, s.Radii = append(s.Spheres, Sphere(t, x)), append(s.Centers, x.Center), append(s.Radii, x.Radius)
		if ball, err := query.NewSweptSphere(x.Center, min(x.Radius, 30), [3]float32{9, float32(i%4) * 5, -7}); err == nil {
			s.Balls = append(s.Balls, ball)
		}
	}
	s.Points = scene.PointQueries(objects, 12, seed)
	for i := range 40 { // near corners, beyond the sphere
		b := objects[i*len(objects)/40].Box
		s.Points = append(s.Points, soa.AABB{Min: b.Min, Max: soa.AABB{Min: b.Min, Max: b.Center()}.Center()}.Center())
	}
	s.Rays = Rays(t, objects, 70)
	return s
}

// Box returns the query of a box.
func Box(t testing.TB, b soa.AABB) query.Box {
	t.Helper()
	q, err := query.NewBox(b.Min, b.Max)
	testkit.Must(t, err)
	return q
}

// Sphere returns the query of a sphere.
func Sphere(t testing.TB, s scene.Sphere) query.Sphere {
	t.Helper()
	q, err := query.NewSphere(s.Center, s.Radius)
	testkit.Must(t, err)
	return q
}

// Convex returns the query of planes.
func Convex(t testing.TB, planes [][4]float32) query.Convex {
	t.Helper()
	q, err := query.ConvexPlanes(planes)
	testkit.Must(t, err)
	return q
}

// Point returns the query of a point.
func Point(t testing.TB, p [3]float32) query.Point {
	t.Helper()
	q, err := query.NewPoint(p)
	testkit.Must(t, err)
	return q
}

// Frustum returns the query of a frustum of planes.
func Frustum(t testing.TB, planes [6][4]float32) query.Frustum {
	t.Helper()
	q, err := query.FrustumPlanes(planes)
	testkit.Must(t, err)
	return q
}

// OrientedBox returns the query of an oriented box.
func OrientedBox(t testing.TB, b soa.OrientedBox) query.OrientedBox {
	t.Helper()
	q, err := query.NewOrientedBox(b)
	testkit.Must(t, err)
	return q
}

// Ray returns a ray.
func Ray(t testing.TB, origin, dir [3]float32, maxDist float32) query.Ray {
	t.Helper()
	q, err := query.NewRay(origin, dir, maxDist)
	testkit.Must(t, err)
	return q
}

// SweptBox returns the query of a box that moves.
func SweptBox(t testing.TB, b soa.AABB, motion [3]float32) query.SweptBox {
	t.Helper()
	q, err := query.NewSweptBox(b, motion)
	testkit.Must(t, err)
	return q
}

// SweptSphere returns the query of a sphere that moves.
func SweptSphere(t testing.TB, center [3]float32, radius float32, motion [3]float32) query.SweptSphere {
	t.Helper()
	q, err := query.NewSweptSphere(center, radius, motion)
	testkit.Must(t, err)
	return q
}

// Faces are the six planes of a box, inward.
func Faces(b soa.AABB) [][4]float32 {
	return [][4]float32{
		{1, 0, 0, -b.Min[0]}, {-1, 0, 0, b.Max[0]},
		{0, 1, 0, -b.Min[1]}, {0, -1, 0, b.Max[1]},
		{0, 0, 1, -b.Min[2]}, {0, 0, -1, b.Max[2]},
	}
}

// Frusta returns frusta of all kinds: edge cases, and cameras of all shares.
func Frusta(t testing.TB, objects []soa.Object, each int, seed uint64) (all []query.Frustum) {
	t.Helper()
	add := func(planes [6][4]float32) {
		f, err := query.FrustumPlanes(planes)
		testkit.Must(t, err)
		all = append(all, f)
	}
	for _, share := range []float64{0.001, 0.1, 0.5} {
		for _, c := range scene.Cameras(objects, share, each, seed) {
			add(c.Planes())
		}
	}
	for _, f := range scene.EdgeFrusta(objects) {
		add(f.Planes)
	}
	return all
}

func Rays(b testing.TB, objects []soa.Object, n int) []query.Ray {
	rays := make([]query.Ray, n)
	for i, r := range scene.RayQueries(objects, n, 7) {
		var err error
		if rays[i], err = query.NewRay(r.Origin, r.Dir, r.MaxT); err != nil {
			b.Fatal(err)
		}
	}
	return rays
}
