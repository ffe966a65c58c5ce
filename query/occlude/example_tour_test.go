// The tour, 5 of 8: what is hidden. Before it: query/collide; next: query/scene.
package occlude_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// Houses hide what is behind them.
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
			linear.Object{Box: linear.AABB{Min: [3]float32{x + 14, y + 14, 0}, Max: [3]float32{x + 15, y + 15, 2}}, Mask: 2}) // somebody
	}
	if _, err := town.InsertBatch(nil, objects); err != nil {
		panic(err)
	}
	// Somebody stands in a street and looks along it.
	camera := query.Camera{
		Eye: [3]float64{16, 16, 1.7}, Forward: [3]float64{1, 0.3, 0}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 3000,
	}
	frustum, err := camera.Frustum()
	if err != nil {
		panic(err)
	}
	fmt.Println("before the camera:", frustum.Count(town.View(), query.Filter{}))

	// An eye draws what is large, and remembers it from frame to frame, into a small picture of depths, and
	// leaves out what is behind. No ray, at no resolution, reaches what it leaves out.
	eye, err := occlude.New(occlude.Config{OccluderMask: houseBit})
	if err != nil {
		panic(err)
	}
	var seen []uint32
	for range 60 { // frames
		if err := eye.SetCamera(camera); err != nil {
			panic(err)
		}
		seen = eye.Append(seen[:0], town.View(), query.Filter{})
	}
	fmt.Println("seen:", len(seen))
	// Output:
	// before the camera: 14404
	// seen: 388
}
