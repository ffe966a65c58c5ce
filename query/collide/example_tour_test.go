// The tour, 4 of 8: collision pairs. Before it: query; next: query/occlude.
package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// A cart of the town rolls along x.
func cartAt(x float32) linear.AABB {
	return linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 3, 2, 2}}
}

func Example_tour() {
	town, err := linear.New(linear.Config{Log: true}) // a log of changes, for trackers
	if err != nil {
		panic(err)
	}
	const wall, first, second = 0, 1, 2
	if _, err := town.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{20, -5, 0}, Max: [3]float32{21, 5, 3}}, Static: true},
		{Box: cartAt(0)}, {Box: cartAt(2)},
	}); err != nil {
		panic(err)
	}
	// All overlapping pairs. Two static objects are never a pair.
	pairs := collide.Append(nil, collide.Within(town.View()), collide.Filter{})
	fmt.Println(pairs)
	// The contact of a pair: its position, normal and depth.
	for _, c := range collide.AppendContacts(nil, collide.Within(town.View()), pairs) {
		fmt.Println("normal", c.Normal, "depth", c.Depth)
	}
	// A tracker reports the pairs that began and ended in each frame.
	var tracker collide.Tracker
	for frame := range 4 {
		if err := town.Move(second, cartAt(2+6*float32(frame))); err != nil {
			panic(err)
		}
		if err := tracker.Update(town.View()); err != nil {
			panic(err)
		}
		fmt.Println("frame", frame, "began", tracker.Began(), "ended", tracker.Ended())
	}
	// Output:
	// [{1 2}]
	// normal [1 0 0] depth 1
	// frame 0 began [{1 2}] ended []
	// frame 1 began [] ended [{1 2}]
	// frame 2 began [] ended []
	// frame 3 began [{0 2}] ended []
}
