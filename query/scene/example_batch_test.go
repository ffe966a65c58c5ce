package scene_test

import (
	"context"
	"fmt"
	"time"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// Many queries of a scene by several goroutines: volumes, rays and points, with a time limit.
func ExampleVolumeBatch() {
	v := terrace()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	var volumes scene.VolumeBatch[query.Sphere] // kept from frame to frame
	balls := []query.Sphere{made(query.NewSphere([3]float32{0, 0, 0}, 1)), made(query.NewSphere([3]float32{20, 0, 0}, 1))}
	if err := volumes.Find(ctx, v, balls, query.Filter{}); err != nil {
		panic(err)
	}
	for i := range balls {
		for ref, id := range volumes.Of(i).All() {
			fmt.Println("ball", i, "touches", id, "of", volumes.Of(i).Path(ref))
		}
	}

	var cast scene.SweepBatch[query.Ray]
	var rays []query.Ray
	for y := range 3 {
		rays = append(rays, made(query.NewRay([3]float32{-5, 0.5, float32(y) + 0.5}, [3]float32{1, 0, 0}, 100)))
	}
	if err := cast.Find(ctx, v, rays, query.Filter{}); err != nil {
		panic(err)
	}
	for i := range rays {
		for _, h := range cast.Of(i) {
			fmt.Println("ray", i, "hits", h.ID, "of", h.Path, "at", h.Dist)
		}
	}
	if err := cast.FindAll(ctx, v, rays, query.Filter{}); err != nil {
		panic(err)
	}
	fmt.Println(len(cast.Hits), "hits")

	var near scene.NearestBatch
	if err := near.Find(ctx, v, [][3]float32{{5.5, 0, 0}, {14, 0, 0}}, 1, query.Unlimited, query.Filter{}); err != nil {
		panic(err)
	}
	fmt.Println(near.Of(0)[0].Path, near.Of(1)[0].Path)
	// Output:
	// ball 0 touches 0 of /0
	// ball 0 touches 1 of /0
	// ball 1 touches 0 of /2
	// ball 1 touches 1 of /2
	// ray 0 hits 0 of /0 at 5
	// ray 1 hits 1 of /0 at 5
	// 6 hits
	// /0 /1
}
