package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The cost of making a query.
func BenchmarkNew(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(1000, 1)
	cam := scene.Cameras(objects, 0.1, 1, 1)[0]
	planes := cam.Planes()
	matrix, wide := cam.ViewProjection32(scene.ClipZeroToOne), cam.ViewProjection(scene.ClipZeroToOne)
	view := query.Camera{Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100}
	var planes64 [6][4]float64
	for i, p := range planes {
		for k, x := range p {
			planes64[i][k] = float64(x)
		}
	}
	lo, hi, dir := [3]float32{1, 2, 3}, [3]float32{4, 5, 6}, [3]float32{0, 0.6, 0.8}
	lo64, hi64, dir64 := [3]float64{1, 2, 3}, [3]float64{4, 5, 6}, [3]float64{0, 0.6, 0.8}
	var zero [3]float64
	for _, x := range []struct {
		name string
		make func() error
	}{
		{"CameraFrustum", func() error { _, err := view.Frustum(); return err }},
		{"FrustumPlanes", func() error { _, err := query.FrustumPlanes(planes); return err }},
		{"FrustumPlanes64", func() error { _, err := query.FrustumPlanes64(planes64, zero); return err }},
		{"FrustumColumnMajor", func() error { _, err := query.FrustumColumnMajor(matrix, query.ClipZeroToOne); return err }},
		{"FrustumColumnMajor64", func() error { _, err := query.FrustumColumnMajor64(wide, query.ClipZeroToOne, zero); return err }},
		{"ConvexPlanes", func() error { _, err := query.ConvexPlanes(planes[:]); return err }},
		{"ConvexPlanes64", func() error { _, err := query.ConvexPlanes64(planes64[:], zero); return err }},
		{"Box", func() error { _, err := query.NewBox(lo, hi); return err }},
		{"Box64", func() error { _, err := query.NewBox64(lo64, hi64, zero); return err }},
		{"Sphere", func() error { _, err := query.NewSphere(lo, 2); return err }},
		{"Sphere64", func() error { _, err := query.NewSphere64(lo64, 2, zero); return err }},
		{"Point", func() error { _, err := query.NewPoint(lo); return err }},
		{"Ray", func() error { _, err := query.NewRay(lo, dir, 100); return err }},
		{"Ray64", func() error { _, err := query.NewRay64(lo64, dir64, 100, zero); return err }},
		{"SweptBox", func() error { _, err := query.NewSweptBox(soa.AABB{Min: lo, Max: hi}, dir); return err }},
		{"SweptSphere", func() error { _, err := query.NewSweptSphere(lo, 1, dir); return err }},
		{"Nearby", func() error { _, err := query.NewNearby(lo); return err }},
	} {
		b.Run("of="+x.name, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: 1, Item: "query", Run: func() {
				testkit.Must(b, x.make())
			}})
		})
	}
}

// The cost of a query besides its walk: of a tree of 10,000 objects, all in front of it, it tests the root and finds
// nothing, or, if it must, the nearest object.
func BenchmarkFrame(b *testing.B) {
	v := plant(b, testkit.SceneByName(b, "uniform").Make(10_000, 1), true).View()
	away := v.Store().Extent
	for a := range away {
		away[a] *= 2
	}
	far := [3]float32{away[0] + 1, away[1] + 1, away[2] + 1}
	ray := rayOf(b, away, [3]float32{0.6, 0, 0.8}, 100)
	volumes := []struct {
		name string
		volume
	}{
		{"frustum", frustum(b, [6][4]float32{{1, 0, 0, -away[0]}, {-1, 0, 0, far[0]}, {0, 1, 0, 0}, {0, -1, 0, 1}, {0, 0, 1, 0}, {0, 0, -1, 1}})},
		{"box", box(b, soa.AABB{Min: away, Max: far})},
		{"sphere", sphere(b, scene.Sphere{Center: away, Radius: 1})},
	}
	var ids []uint32
	var hits []query.Hit
	var near []query.Neighbor
	run := func(name string, ask func()) {
		b.Run("of="+name, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: 1, Item: "query", Run: ask})
		})
	}
	for _, x := range volumes {
		run(x.name+"/form=Append", func() { ids = x.Append(ids[:0], v, query.Filter{}); formSum += len(ids) })
		run(x.name+"/form=Count", func() { formSum += x.Count(v, query.Filter{}) })
		run(x.name+"/form=Any", func() {
			if x.Any(v, query.Filter{}) {
				formSum++
			}
		})
	}
	run("ray/form=Nearest", func() {
		if _, ok := ray.First(v, query.Filter{}); ok {
			formSum++
		}
	})
	run("ray/form=Append", func() { hits = ray.Append(hits[:0], v, query.Filter{}); formSum += len(hits) })
	run("point/form=AppendNearest", func() {
		near, _ = query.AppendNearest(near[:0], v, away, 1, infinity, query.Filter{})
		formSum += len(near)
	})
	run("point/form=AppendNearest/within=0", func() {
		near, _ = query.AppendNearest(near[:0], v, away, 1, 0, query.Filter{})
		formSum += len(near)
	})
}
