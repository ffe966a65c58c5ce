package query_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// Goroutines that query one view do not disturb each other: each has the results of the references.
func TestReadersTogether(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	v := plant(t, objects, false).View()
	points, rays := scene.PointQueries(objects, 40, 1), benchRays(t, objects, 40)
	n := min(len(points), len(rays))
	cameras := scene.Cameras(objects, 0.05, n, 3)
	frusta, nearby := make([]query.Frustum, n), make([]query.Nearby, n)
	inside, hits, near := make([][]int, n), make([][]query.Hit, n), make([][]testkit.Near, n)
	for i := range n {
		var err error
		frusta[i] = frustum(t, cameras[i].Planes())
		nearby[i], err = query.NewNearby(points[i])
		testkit.Must(t, err)
		inside[i] = testkit.ReferenceFrustum(objects, cameras[i].Planes())
		hits[i] = rays[i].Append(nil, v, query.Filter{})
		near[i] = testkit.ReferenceNearest(objects, points[i], 12, infinity)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			var ids []uint32
			for k := range n {
				i := (k + 7*g) % n
				ids = frusta[i].Append(ids[:0], v, query.Filter{})
				slices.Sort(ids)
				testkit.SameIDs(t, ids, inside[i])
				if got := rays[i].Append(nil, v, query.Filter{}); !slices.Equal(got, hits[i]) {
					t.Errorf("ray %d: %v, want %v", i, got, hits[i])
				}
				if h, ok := rays[i].First(v, query.Filter{}); ok != (len(hits[i]) > 0) || ok && h != hits[i][0] {
					t.Errorf("ray %d: first hit %v %v, want the first of %v", i, h, ok, hits[i])
				}
				got, err := query.AppendNearest(nil, v, points[i], 12, infinity, query.Filter{})
				if err != nil || !sameNear(t, got, near[i]) || !sameNear(t, take(nearby[i].All(v, query.Filter{}), 12), near[i]) {
					t.Errorf("point %d: error %v, or other neighbors", i, err)
				}
			}
		})
	}
	wait.Wait()
}
