package scene_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
)

// Contact events with instancing: a cart, an instance of three cubes, rolls along a row of posts.
func ExampleTracker() {
	yard := made(linear.NewScene(linear.Config{Log: true}))
	for x := range 3 {
		post := linear.AABB{Min: [3]float32{float32(4 * x), 0, 0}, Max: [3]float32{float32(4*x) + 1, 1, 1}}
		made(yard.Tree().Insert(linear.Object{Box: post, Static: true}))
	}
	cart := made(yard.AddInstance(cubes([3]float32{0, 0, 0}, [3]float32{1, 0, 0}, [3]float32{2, 0, 0}), at(-4, 0, 0, 0, 1), linear.InstanceOptions{}))
	var tracker scene.Tracker
	for frame := range 4 {
		if err := yard.Move(cart, at(-3.5+2*float64(frame), 0, 0, 0, 1)); err != nil {
			panic(err)
		}
		if err := yard.Tick(); err != nil {
			panic(err)
		}
		if err := tracker.Update(yard.View()); err != nil {
			panic(err)
		}
		fmt.Println("frame", frame, "has", tracker.Len(), "pairs")
		for _, p := range tracker.Began() {
			fmt.Println("  post", p.A.ID, "touches cube", p.B.ID, "of", p.B.Path)
		}
		for _, p := range tracker.Ended() {
			fmt.Println("  post", p.A.ID, "leaves cube", p.B.ID, "of", p.B.Path)
		}
	}
	stayed := 0
	for range tracker.Stayed() {
		stayed++
	}
	all := 0
	for range tracker.Pairs() {
		all++
	}
	for partner := range tracker.Of(scene.Object{ID: 1}) {
		fmt.Println("post 1 touches cube", partner.ID)
	}
	tracker.Trim() // frees the buffers of the largest update
	tracker.Reset()
	fmt.Println(stayed, "of", all, "stayed,", tracker.Len(), "after the reset")
	// Output:
	// frame 0 has 0 pairs
	// frame 1 has 2 pairs
	//   post 0 touches cube 1 of /0
	//   post 0 touches cube 2 of /0
	// frame 2 has 1 pairs
	//   post 0 touches cube 0 of /0
	//   post 0 leaves cube 1 of /0
	//   post 0 leaves cube 2 of /0
	// frame 3 has 2 pairs
	//   post 1 touches cube 1 of /0
	//   post 1 touches cube 2 of /0
	//   post 0 leaves cube 0 of /0
	// post 1 touches cube 1
	// post 1 touches cube 2
	// 0 of 2 stayed, 0 after the reset
}
