package scene_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
)

// Continuous collision detection with instancing: in one step a fast cart of two cubes passes through a thin post, and
// hits another cart that moves aside too late.
func ExampleAppendImpacts() {
	yard := made(linear.NewScene(linear.Config{}))
	post := linear.AABB{Min: [3]float32{10, 0, 0}, Max: [3]float32{10.25, 1, 1}}
	made(yard.Tree().Insert(linear.Object{Box: post, Static: true}))
	part := cubes([3]float32{0, 0, 0}, [3]float32{1, 0, 0})
	fast := made(yard.AddInstance(part, at(0, 0, 0, 0, 1), linear.InstanceOptions{}))
	slow := made(yard.AddInstance(part, at(18, 0, 0, 0, 1), linear.InstanceOptions{}))
	if err := yard.Tick(); err != nil {
		panic(err)
	}
	var motions linear.Column[[3]float32] // displacements in this step, by instance
	motions.Set(fast, [3]float32{32, 0, 0})
	motions.Set(slow, [3]float32{0, 1, 0})
	var steps linear.Column[collide.Step] // all own objects rest
	impacts := scene.AppendImpacts(nil, yard.View(), &motions, &steps, scene.PairFilter{})
	scene.SortImpacts(impacts)
	for _, h := range impacts {
		fmt.Println(h.A.Path, h.A.ID, "and", h.B.Path, h.B.ID, "at", h.Time)
	}
	// Output:
	// / 0 and /0 1 at 0.25
	// / 0 and /0 0 at 0.28125
	// /0 1 and /1 0 at 0.5
	// /0 0 and /1 0 at 0.53125
	// /0 1 and /1 1 at 0.53125
	// /0 0 and /1 1 at 0.5625
}
