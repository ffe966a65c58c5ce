// The tour, 6 of 8: instancing. Before it: query/occlude; next: query/interest.
package scene_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// The rooms of one house, in the space of the house.
func rooms() *linear.Tree {
	return cubes([3]float32{0, 0, 0}, [3]float32{1, 0, 0}, [3]float32{0, 0, 1})
}

func Example_tour() {
	// A town of 10,000 equal houses holds the house once, and 10,000 transforms.
	town := made(linear.NewScene(linear.Config{}))
	var transforms []linear.Transform
	for i := range 10_000 {
		transforms = append(transforms, at(float64(i%100)*20, float64(i/100)*20, 0, float64(i), 3))
	}
	house := rooms()
	made(town.AddInstances(nil, house, transforms, linear.InstanceOptions{}))
	if err := town.Tick(); err != nil {
		panic(err)
	}
	// The queries are those in package query. They descend into the houses; a result is an object of the
	// part and the path of its instance.
	ray := made(query.NewRay([3]float32{-10, 1, 1}, [3]float32{1, 0, 0}, 1000))
	hit, ok := scene.First(ray, town.View(), query.Filter{})
	fmt.Println("house", hit.Path, "room", hit.ID, "after", hit.Dist, ok)
	box := made(query.NewBox([3]float32{0, 0, 0}, [3]float32{100, 100, 10}))
	fmt.Println(scene.Count(box, town.View(), query.Filter{}), "of", town.View().Total(), "rooms")

	// A change of the house changes all instances.
	made(house.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{1, 0, 1}, Max: [3]float32{2, 1, 2}}, Mask: 1}))
	if err := town.Tick(); err != nil {
		panic(err)
	}
	fmt.Println(scene.Count(box, town.View(), query.Filter{}), "of", town.View().Total(), "rooms")
	// Output:
	// house /0 room 0 after 10 true
	// 102 of 30000 rooms
	// 132 of 40000 rooms
}
