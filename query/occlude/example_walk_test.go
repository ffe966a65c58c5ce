package occlude_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// A walk through a city of blocks of houses, which are occluders, and of lamps, bins and benches. Of about
// fourteen thousand objects in the frustum several hundred remain to be drawn: the objects in the street.
func Example_walk() {
	const house, thing = 1, 2
	rng := rand.New(rand.NewPCG(1, 2))
	var objects []linear.Object
	stand := func(x, y, w, d, h float64, mask uint32) {
		objects = append(objects, linear.Object{Mask: mask, Static: true, Box: linear.AABB{
			Min: [3]float32{float32(x), float32(y), 0}, Max: [3]float32{float32(x + w), float32(y + d), float32(h)},
		}})
	}
	for x := range 20 { // houses of 36 by 36, streets of 14
		for y := range 20 {
			stand(float64(50*x)+7, float64(50*y)+7, 36, 36, 8+30*rng.Float64(), house)
		}
	}
	for range 20_000 {
		stand(1000*rng.Float64(), 1000*rng.Float64(), 0.5, 0.5, 0.5+3*rng.Float64(), thing)
	}
	city, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	if _, err := city.InsertBatch(nil, objects); err != nil {
		panic(err)
	}

	culler, err := occlude.New(occlude.Config{Width: 320, Height: 180, OccluderMask: house})
	if err != nil {
		panic(err)
	}
	var visible []uint32
	for frame := range 5 {
		err := culler.SetCamera(query.Camera{
			Eye: [3]float64{100, 51 + 20*float64(frame), 1.7}, Forward: [3]float64{0.3, 1, 0}, Up: [3]float64{0, 0, 1},
			FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: 2000,
		})
		if err != nil {
			panic(err)
		}
		visible = culler.Append(visible[:0], city.View(), query.Filter{})
		fmt.Println(culler.Frustum().Count(city.View(), query.Filter{}), "in the frustum,", len(visible), "visible")
	}
	// Output:
	// 14895 in the frustum, 644 visible
	// 14461 in the frustum, 629 visible
	// 14051 in the frustum, 607 visible
	// 13635 in the frustum, 587 visible
	// 13233 in the frustum, 561 visible
}
