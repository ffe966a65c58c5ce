package scene_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// Nearest-neighbour search in a scene: the three cubes nearest to a point between two instances of a lamp
// post.
func ExampleAppendNearest() {
	street, err := linear.NewScene(linear.Config{})
	if err != nil {
		panic(err)
	}
	lamp := cubes([3]float32{0, 0, 0}, [3]float32{0, 0, 1}, [3]float32{0, 0, 2})
	for _, transform := range []linear.Transform{at(0, 0, 0, 0, 1), at(9, 0, 0, math.Pi/2, 2)} {
		if _, err := street.AddInstance(lamp, transform, linear.InstanceOptions{}); err != nil {
			panic(err)
		}
	}
	near, err := scene.AppendNearest(nil, street.View(), [3]float32{4, 0.5, 0.5}, 3, 10, query.Filter{})
	if err != nil {
		panic(err)
	}
	for _, n := range near {
		fmt.Printf("%d in %v: %.2f\n", n.ID, n.Path, n.Dist)
	}
	// Output:
	// 0 in /0: 3.00
	// 0 in /1: 3.00
	// 1 in /0: 3.04
}

// Incremental search in a scene: all objects outward from a point, until they are too far away.
func ExampleNearby() {
	street := terrace()
	from := made(query.NewNearby([3]float32{4, 0.5, 0.5}))
	for n := range scene.Nearby(from, street, query.Filter{}) {
		if n.Low > 6 {
			break
		}
		fmt.Printf("%d in %v: %.2f from %v\n", n.ID, n.Path, n.Dist, from.Point())
	}
	// Output:
	// 0 in /0: 3.00 from [4 0.5 0.5]
	// 1 in /0: 3.04 from [4 0.5 0.5]
	// 0 in /1: 6.00 from [4 0.5 0.5]
}
