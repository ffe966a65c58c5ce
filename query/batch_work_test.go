package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A batch runs as many goroutines at the same time as it has workers.
func TestBatchAtOnce(t *testing.T) {
	s := plant(t, nil, false).View().Store()
	for _, workers := range []int{1, 2, 3, 8} {
		if !query.BatchAtOnce(s, workers) {
			t.Errorf("%d workers do not work at once", workers)
		}
	}
}

// Queries are in order if three in four are near the previous one: in a cell that 512 of them would share if they
// were spread evenly.
func TestBatchOrderRule(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 100, 511, 512, 1000, 4096, 5000} {
		near := uint64(morton.MaxKey)
		for m := n; m >= 512; m /= 2 {
			near /= 2
		}
		for _, far := range []int{0, n/4 - 1, n / 4, n/4 + 1, n - 1} {
			if far < 0 || far >= n || near == uint64(morton.MaxKey) && far > 0 {
				continue
			}
			keys := make([]uint64, n) // each as far as it may be, with some exceptions
			for i := 1; i < n; i++ {
				keys[i] = keys[i-1] ^ near
				if i <= far {
					keys[i] = keys[i-1] ^ (near + 1)
				}
			}
			if got, want := query.BatchInOrder(keys), far <= n/4; got != want {
				t.Errorf("%d of %d questions are far from the one before: in order %v", far, n, got)
			}
		}
	}
}

// In a tree that exceeds the cache, batches read the centres of their queries. They also allocate nothing, keep
// nothing alive, and return the same results.
func TestBatchesOfLargeTree(t *testing.T) {
	objects, tree := largeTree(t)
	v := tree.View()
	n := len(v.Store().Packets.Counts)/query.BatchDense + 1
	points := scene.PointQueries(objects, n, 1)
	var boxes []query.Box
	var spheres []query.Sphere
	var middles [][3]float32
	for i, p := range points {
		b := soa.AABB{Min: p, Max: [3]float32{p[0] + 1, p[1] + 2, p[2] + float32(i%3)}}
		middles = append(middles, b.Center())
		boxes = append(boxes, box(t, b))
		spheres = append(spheres, sphere(t, scene.Sphere{Center: p, Radius: 1}))
	}
	rays := benchRays(t, objects, n)
	inBoxes, inSpheres := query.BoxBatch{Workers: 1}, query.SphereBatch{Workers: 1}
	cast, near := query.RayBatch{Workers: 1}, query.NearestBatch{Workers: 1}
	find := func(n int) {
		testkit.Must(t, inBoxes.Find(nil, v, boxes[:n], query.Filter{Mask: 3})) // so that none shares a walk
		testkit.Must(t, inSpheres.Find(nil, v, spheres[:n], query.Filter{}))
		testkit.Must(t, cast.Find(nil, v, rays[:n], query.Filter{}))
		testkit.Must(t, near.Find(nil, v, points[:n], 3, 50, query.Filter{}))
		for _, offsets := range [...][]int{inBoxes.Offsets, inSpheres.Offsets, cast.Offsets, near.Offsets} {
			if len(offsets) != n+1 {
				t.Errorf("%d offsets of %d answers", len(offsets), n)
			}
		}
	}
	testkit.Allocs(t, 2, func() { find(n) })
	if !slices.Equal(query.BoxPoints(&inBoxes), middles) || !slices.Equal(query.SpherePoints(&inSpheres), points) {
		t.Error("boxes or spheres are not asked by where their middles are")
	}
	for i, keeps := range []bool{query.BoxKeeps(&inBoxes), query.SphereKeeps(&inSpheres), query.RayKeeps(&cast), query.NearestKeeps(&near)} {
		if keeps {
			t.Errorf("batch %d keeps what it was asked, or the tree", i)
		}
	}
	find(0)
}
