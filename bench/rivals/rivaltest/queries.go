package rivaltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// queries are the queries of a test.
type queries struct {
	frusta  [][6][4]float32
	boxes   []soa.AABB
	spheres []scene.Sphere
	rays    []testkit.Sweep
	points  [][3]float32
}

// queriesOf returns queries that fit the objects, including known edge cases.
func queriesOf(objects []soa.Object, count int, seed uint64) (q queries) {
	for _, f := range scene.EdgeFrusta(objects) {
		q.frusta = append(q.frusta, f.Planes)
	}
	for _, c := range scene.Cameras(objects, 0.2, count, seed) {
		q.frusta = append(q.frusta, c.Planes())
	}
	results := max(2, len(objects)/20)
	q.boxes = scene.BoxQueries(objects, results, count, seed)
	q.spheres = scene.SphereQueries(objects, results, count, seed)
	for i := range min(count, len(objects)) {
		b := objects[i*len(objects)/count].Box
		q.boxes = append(q.boxes, b, soa.AABB{Min: b.Max, Max: b.Max})
		q.spheres = append(q.spheres, scene.Sphere{Center: b.Min}, scene.Sphere{Center: b.Max, Radius: 1e30})
	}
	q.rays = append(testkit.RaysOf(objects, count, seed), testkit.EdgeRays(objects, seed)...)
	q.points = scene.PointQueries(objects, count, seed)
	// Queries fitted to the largest objects may exceed float32.
	q.boxes = slices.DeleteFunc(q.boxes, func(b soa.AABB) bool { return b.Check() != nil })
	q.spheres = slices.DeleteFunc(q.spheres, func(s scene.Sphere) bool { return !finite(s.Center) || s.Radius-s.Radius != 0 })
	q.rays = slices.DeleteFunc(q.rays, func(s testkit.Sweep) bool { return !finite(s.Lo) || !finite(s.Dir) || s.Dir == [3]float32{} })
	q.points = slices.DeleteFunc(q.points, func(p [3]float32) bool { return !finite(p) })
	return q
}

func finite(v [3]float32) bool { return v[0]-v[0] == 0 && v[1]-v[1] == 0 && v[2]-v[2] == 0 }

// randomQueries returns one query of each kind for boxes of that kind.
func randomQueries(r *rand.Rand, kind testkit.BoxKind) (q queries) {
	var planes [6][4]float32
	for i := range planes {
		planes[i] = testkit.RandomPlane(r, kind)
	}
	box := testkit.RandomBoxes(r, 1, kind)[0]
	q.frusta = append(q.frusta, planes)
	q.boxes = append(q.boxes, box)
	q.spheres = append(q.spheres, scene.Sphere{Center: box.Max, Radius: max(box.Max[0], -box.Max[0]) / 4})
	q.points = append(q.points, box.Min)
	for len(q.rays) == 0 {
		if s := testkit.RandomSweep(r, kind); s.Lo == s.Hi && s.Dir != [3]float32{} {
			if s.MaxT == math.MaxFloat32 { // no limit
				s.MaxT = float32(math.Inf(1))
			}
			q.rays = append(q.rays, s)
		}
	}
	return q
}

// ask compares the results of all queries.
func (m *model) ask(t testing.TB, q *queries) {
	t.Helper()
	ids, objects := m.stored()
	if ix, ok := m.ix.(index.Volumes); ok {
		extent := testkit.Extent(objects)
		same := func(v index.Volume, hits []int, what string, of any) {
			t.Helper()
			var want []uint32
			for _, h := range hits {
				want = append(want, ids[h])
			}
			if !testkit.SameIDSet(t, ix.Append(nil, &v), want) {
				t.Fatalf("%s %v, after %v", what, of, m.log)
			}
		}
		for _, f := range q.frusta {
			same(index.Frustum(f, extent), testkit.ReferenceFrustum(objects, f), "frustum", f)
		}
		for _, b := range q.boxes {
			same(index.Box(b), testkit.ReferenceBox(objects, b), "box", b)
		}
		for _, s := range q.spheres {
			same(index.Sphere(s.Center, s.Radius), testkit.ReferenceSphere(objects, s.Center, s.Radius), "sphere", s)
		}
	}
	m.rays(t, q.rays, ids, objects)
	m.nearest(t, q.points, ids, objects)
}

func (m *model) rays(t testing.TB, rays []testkit.Sweep, ids []uint32, objects []soa.Object) {
	t.Helper()
	ix, ok := m.ix.(index.Rays)
	if !ok {
		return
	}
	for _, s := range rays {
		r := index.NewRay(s.Lo, s.Dir, s.MaxT)
		want := testkit.ReferenceSweep(objects, s)
		got := ix.AppendHits(nil, &r)
		if len(got) != len(want) {
			t.Fatalf("ray %v: %d hits, want %d, after %v", s, len(got), len(want), m.log)
		}
		for i, w := range want {
			if h := (index.Hit{ID: ids[w.Index], Dist: w.Time}); got[i] != h {
				t.Fatalf("ray %v: hit %d is %v, want %v, after %v", s, i, got[i], h, m.log)
			}
		}
		h, ok := ix.First(&r)
		if ok != (len(want) > 0) || ok && h != got[0] {
			t.Fatalf("ray %v: first %v, %v, all %v, after %v", s, h, ok, got, m.log)
		}
	}
}

func (m *model) nearest(t testing.TB, points [][3]float32, ids []uint32, objects []soa.Object) {
	t.Helper()
	ix, ok := m.ix.(index.Nearest)
	if !ok {
		return
	}
	for i, p := range points {
		k := []int{0, 1, 8, 33}[i%4]
		want := testkit.ReferenceNearest(objects, p, k, testkit.ReferenceBound2(1e38))
		got := ix.AppendNearest(nil, p, k)
		if len(got) != len(want) {
			t.Fatalf("%d nearest of %v: %d, want %d, after %v", k, p, len(got), len(want), m.log)
		}
		for i, w := range want {
			if n := (index.Neighbor{ID: ids[w.Index], Dist2: w.Dist2}); got[i] != n {
				t.Fatalf("%d nearest of %v: number %d is %v, want %v, after %v", k, p, i, got[i], n, m.log)
			}
		}
	}
}
