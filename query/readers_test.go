package query_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
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

// EnvObjects is the number of objects of TestOrderOfMany.
const EnvObjects = "ZOCTREE_OBJECTS"

// The digests of results, in their order, where an int has 64 bits.
var orderDigests = map[int]string{
	20_000: "9997 bf192cb4323dd16a\n17574 ca72f1edef363377\n" +
		"20000 c095fedaf6c50c11\n20000 b2d73acc553e3869\n",
	5_000_000: "2500669 3ccc2632bcf75a88\n4376409 964770ed538ed5d1\n" +
		"5000000 769d31952c680125\n5000000 32399cc84ab6eec9\n",
}

// Results have the order that they have where an int has 64 bits, also in trees so large that products of their
// counts do not fit 32 bits. With ZOCTREE_LONG=1 and ZOCTREE_OBJECTS=5000000 it takes some 700 MB.
func TestOrderOfMany(t *testing.T) {
	n := 20_000
	if text := os.Getenv(EnvObjects); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", EnvObjects, err)
		}
		n = testkit.Budget(t, min(n, 20_000), n)
	}
	r := testkit.Rand(1)
	objects := make([]soa.Object, n)
	for i := range objects {
		p := [3]float32{r.Float32() * 1000, r.Float32() * 1000, r.Float32() * 4}
		objects[i] = soa.Object{Box: soa.AABB{Min: p, Max: [3]float32{p[0] + 0.3, p[1] + 0.3, p[2] + 0.01}}, Mask: 1}
	}
	v := plant(t, objects, true).View()
	objects = nil
	digests := ""
	var ids []uint32
	for _, height := range []float32{2, 3.5, 4, 4.5} {
		q := box(t, soa.AABB{Max: [3]float32{1000, 1000, height}})
		ids = q.Append(ids[:0], v, query.Filter{})
		h := fnv.New64a()
		var word [4]byte
		for _, id := range ids {
			binary.LittleEndian.PutUint32(word[:], id)
			h.Write(word[:])
		}
		digests += fmt.Sprintf("%d %016x\n", len(ids), h.Sum64())
	}
	t.Logf("%d objects:\n%s", n, digests)
	if want, ok := orderDigests[n]; ok && digests != want {
		t.Errorf("the digests are\n%swant\n%s", digests, want)
	}
}
