// The tour, 7 of 8: interest management. Before it: query/scene; next: query/show.
package interest_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/interest"
)

// personAt returns the box of a person of the town.
func personAt(x float32) linear.AABB {
	return linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 2}}
}

// near returns the area of interest of a person: objects enter within 10 units and leave beyond 12.
func near(x float32) interest.Area {
	a, err := interest.Sphere([3]float32{x, 0.5, 1}, 10, 12)
	if err != nil {
		panic(err)
	}
	return a
}

func Example_tour() {
	town, err := linear.New(linear.Config{Log: true})
	if err != nil {
		panic(err)
	}
	people, err := town.InsertBatch(nil, []linear.Object{{Box: personAt(0)}, {Box: personAt(8)}, {Box: personAt(30)}})
	if err != nil {
		panic(err)
	}
	// A server reports to each player the objects that entered, left, and changed.
	var tracker interest.Tracker
	player := tracker.Add(near(0))
	for _, x := range []float32{0, 11, 22, 33} {
		if err := town.Move(people[0], personAt(x)); err != nil {
			panic(err)
		}
		if err := tracker.Move(player, near(x)); err != nil {
			panic(err)
		}
		if err := tracker.Update(town.View()); err != nil { // all players at once
			panic(err)
		}
		fmt.Println("entered", tracker.Entered(player), "left", tracker.Left(player), "touched", tracker.Touched(player))
	}
	// Output:
	// entered [0 1] left [] touched []
	// entered [] left [] touched [0]
	// entered [2] left [1] touched [0]
	// entered [] left [] touched [0]
}
