// The tour, 5 of 8: occlusion culling. Before it: query/collide; next: query/scene.
package occlude_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// Houses are occluders.
const houseBit = 1 << 0

func Example_tour() {
	town, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	var objects []linear.Object
	for i := range 10_000 {
		x, y := float32(i%100)*20, float32(i/100)*20
		objects = append(objects,
			linear.Object{Box: linear.AABB{Min: [3]float32{x, y, 0}, Max: [3]float32{x + 12, y + 12, 9}}, Mask: houseBit, Static: true},
			linear.Object{Box: linear.AABB{Min: [3]float32{x + 14, y + 14, 0}, Max: [3]float32{x + 15, y + 15, 2}}, Mask: 2}) // a person
	}
	if _, err := town.InsertBatch(nil, objects); err != nil {
		panic(err)
	}
	// The camera is in a street and faces along it.
	camera := query.Camera{
		Eye: [3]float64{16, 16, 1.7}, Forward: [3]float64{1, 0.3, 0}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 3000,
	}
	frustum, err := camera.Frustum()
	if err != nil {
		panic(err)
	}
	fmt.Println("before the camera:", frustum.Count(town.View(), query.Filter{}))

	// A culler rasterizes large occluders into a small depth buffer, remembers them from frame to frame,
	// and rejects objects behind them. Every ray to a rejected object enters an occluder first, at any
	// resolution.
	culler, err := occlude.New(occlude.Config{OccluderMask: houseBit})
	if err != nil {
		panic(err)
	}
	var visible []uint32
	for range 60 { // frames
		if err := culler.SetCamera(camera); err != nil {
			panic(err)
		}
		visible = culler.Append(visible[:0], town.View(), query.Filter{})
	}
	fmt.Println("visible:", len(visible))
	// Output:
	// before the camera: 14404
	// visible: 388
}
