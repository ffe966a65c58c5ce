package interest_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/interest"
)

// Interest management with instancing: carts of two cubes pass a viewer.
func ExampleSceneTracker() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	cart, err := linear.New(linear.Config{})
	check(err)
	_, err = cart.InsertBatch(nil, []linear.Object{{Box: cube(0)}, {Box: cube(2)}})
	check(err)
	world, err := linear.NewScene(linear.Config{})
	check(err)
	_, err = world.Tree().Insert(linear.Object{Box: cube(5)})
	check(err)
	at := func(x float64) linear.Transform {
		transform, err := linear.Similarity([3]float64{x, 0, 0}, [4]float64{3: 1}, 1)
		check(err)
		return transform
	}
	first, err := world.AddInstance(cart, at(10), linear.InstanceOptions{})
	check(err)
	_, err = world.AddInstance(cart, at(30), linear.InstanceOptions{})
	check(err)

	var tracker interest.SceneTracker
	player := tracker.Add(around(0)) // up to 15, and to leave at 18
	for frame := range 4 {
		check(world.Move(first, at(10+3*float64(frame))))
		check(world.Tick())
		check(tracker.Update(world.View()))
		fmt.Println(tracker.Changed(), "entered", tracker.Entered(player), "touched", tracker.Touched(player), "left", tracker.Left(player))
	}
	fmt.Println("in view", slices.Collect(tracker.InView(player)))
	check(tracker.Move(player, around(30)))
	check(tracker.Update(world.View()))
	fmt.Println("in view", slices.Collect(tracker.InView(player)))
	tracker.Trim() // frees the buffers of the largest update
	check(tracker.Remove(player))
	fmt.Println(tracker.Len(), "viewers")
	// Output:
	// [0] entered [{/ 0} {/0 0} {/0 1}] touched [] left []
	// [0] entered [] touched [{/0 0} {/0 1}] left []
	// [0] entered [] touched [{/0 0} {/0 1}] left []
	// [0] entered [] touched [] left [{/0 0} {/0 1}]
	// in view [{/ 0}]
	// in view [{/0 0} {/0 1} {/1 0} {/1 1}]
	// 0 viewers
}
