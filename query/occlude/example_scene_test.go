package occlude_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// street returns a scene with two instances of a part: a wall with a lamp on either side. The first
// instance is across the stander's view; the second is behind it and rotated, and half of it is visible
// beside the first.
func street() *linear.Scene {
	part, _ := linear.New(linear.Config{})
	part.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-10, 0, 0}, Max: [3]float32{10, 1, 6}}, Mask: wallBit},
		{Box: linear.AABB{Min: [3]float32{-1, -3, 0}, Max: [3]float32{0, -2, 2}}, Mask: 1},
		{Box: linear.AABB{Min: [3]float32{-1, 9, 0}, Max: [3]float32{0, 10, 2}}, Mask: 1},
	})
	s, _ := linear.NewScene(linear.Config{})
	for _, at := range []struct{ x, y, angle float64 }{{0, 20, 0}, {20, 50, math.Pi / 8}} {
		transform, _ := linear.Similarity([3]float64{at.x, at.y, 0}, [4]float64{0, 0, math.Sin(at.angle / 2), math.Cos(at.angle / 2)}, 1)
		s.AddInstance(part, transform, linear.InstanceOptions{})
	}
	return s
}

// Occluders may be inside instances: the walls of parts are drawn under their transforms, and objects of a
// part are tested in the part's space. The answer holds one run of objects per instance.
func ExampleCuller_AppendScene() {
	s, culler := street(), looking()
	var visible scene.Answer
	culler.AppendScene(&visible, s.View(), query.Filter{})
	for i := range visible.Runs {
		place, ids := visible.Run(i)
		fmt.Println(visible.Path(place), ids)
	}
	var all scene.Answer
	scene.Append(&all, culler.Frustum(), s.View(), query.Filter{})
	fmt.Println(visible.Len(), "of", all.Len())
	// Output:
	// /1 [0]
	// /0 [1 0]
	// 3 of 6
}

func ExampleCuller_CountScene() {
	culler := looking()
	fmt.Println(culler.CountScene(street().View(), query.Filter{Mask: 1}))
	// Output: 1
}

func ExampleCuller_AnyScene() {
	s, culler := street(), looking()
	fmt.Println(culler.AnyScene(s.View(), query.Filter{Mask: 1}), culler.AnyScene(s.View(), query.Filter{Mask: 4}))
	// Output: true false
}

func ExampleCuller_AllScene() {
	culler := looking()
	for path, id := range culler.AllScene(street().View(), query.Filter{}) {
		fmt.Println(path, id)
	}
	// Output:
	// /1 0
	// /0 1
	// /0 0
}

// Ranges returns slots of packets, from which columns are read without copying.
func ExampleCuller_RangesScene() {
	culler := looking()
	culler.RangesScene(street().View(), query.Filter{}, func(part scene.Part, r query.Range) bool {
		ids := part.View.Objects().IDs(r.First)
		for lane, id := range ids {
			if r.Mask>>lane&1 != 0 {
				fmt.Println(part.Path, id)
			}
		}
		return true
	})
	// Output:
	// /1 0
	// /0 1
	// /0 0
}

func ExampleCuller_ExplainScene() {
	culler := looking()
	counters := culler.ExplainScene(street().View(), query.Filter{}, nil)
	fmt.Println(counters.Instances, "instances,", counters.Occluders, "occluders drawn,", counters.HiddenObjects, "objects occluded")
	// Output: 2 instances, 2 occluders drawn, 3 objects occluded
}

// Back-off in open country: after 1 query in which nothing was hidden, the culler runs 1 query as a plain
// frustum query, then tests occlusion again.
func ExampleCounters_pause() {
	meadow, _ := linear.New(linear.Config{})
	meadow.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{0, 10, 0}, Max: [3]float32{0.1, 10.1, 0.2}}, Mask: 1})
	culler, _ := occlude.New(occlude.Config{OccluderMask: wallBit})
	for range 9 {
		culler.SetCamera(stander)
		fmt.Print(culler.Explain(meadow.View(), query.Filter{}, nil).Pause, " ")
		culler.Count(meadow.View(), query.Filter{})
	}
	// Output: 0 1 0 2 1 0 4 3 2
}
