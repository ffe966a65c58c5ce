package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A moving origin: in a world of planetary size the program keeps its boxes in float64, and the tree holds them about
// an origin near the player, where float32 is precise. When the player is far from the origin, the origin follows,
// and all objects get boxes about it: those of the world, rounded again, so that no error accumulates.
func ExampleTree_MoveInOrder_origin() {
	// Crates of half a metre on a road, 4,000 km from the centre of the world.
	world := make([]linear.AABB64, 500) // by ID
	for i := range world {
		x, y := 4_000_000.1+float64(i)*10, 7_000.2
		world[i] = linear.AABB64{Min: [3]float64{x, y, 0}, Max: [3]float64{x + 0.5, y + 0.5, 0.5}}
	}

	var t linear.Tree
	player := world[0].Min
	origin := player
	objects := make([]linear.Object, len(world))
	for i := range world {
		objects[i] = linear.Object{Box: world[i].Box(origin), Mask: 1}
	}
	t.InsertBatch(nil, objects)

	var ids []uint32
	var boxes []linear.AABB
	for range 4 {
		player[0] += 1000
		if player[0]-origin[0] < 1500 {
			continue
		}
		origin = player
		var arrangement uint64
		ids, arrangement = t.Order(ids[:0])
		boxes = boxes[:0]
		for _, id := range ids {
			boxes = append(boxes, world[id].Box(origin))
		}
		if err := t.MoveInOrder(arrangement, boxes); err != nil {
			panic(err)
		}
		t.Tick()
		o, _ := t.Object(200)
		fmt.Println("about", origin[0], "crate 200 is at", o.Box.Min[0])
	}
	// Output:
	// about 4.0020001e+06 crate 200 is at 0
	// about 4.0040001e+06 crate 200 is at -2000
}
