package collide_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// billiards returns a tree of the swept boxes of three balls on a table in one time step, and their steps.
func billiards() (*linear.Tree, *linear.Column[collide.Step]) {
	ball := func(x, y float32) linear.AABB {
		return linear.AABB{Min: [3]float32{x - 1, y - 1, 0}, Max: [3]float32{x + 1, y + 1, 2}}
	}
	steps := new(linear.Column[collide.Step])
	steps.Set(0, collide.Displace(ball(0, 0), [3]float32{16, 0, 0}))
	steps.Set(1, collide.Displace(ball(6, 5), [3]float32{0, -4, 0}))
	// Ball 2 rests.

	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, []linear.Object{
		{Box: steps.At(0).Swept()},
		{Box: steps.At(1).Swept()},
		{Box: ball(12, 0), Static: true},
	})
	return t, steps
}

// Continuous collision detection for a fast ball, with impacts sorted by time: the ball passes one that
// arrives too late, then hits one at rest.
func ExampleAppendImpacts() {
	t, steps := billiards()
	impacts := collide.AppendImpacts(nil, collide.Within(t.View()), steps, nil, collide.Filter{})
	collide.SortImpacts(impacts)
	for _, h := range impacts {
		fmt.Println(h.A, h.B, "at", h.Time)
	}

	// In the next step each object has moved: the tree holds the new swept boxes.
	s := collide.Displace(steps.At(1).To, [3]float32{10, 0, 0})
	steps.Set(0, collide.Step{}) // ball 0 now rests where the tree holds it
	steps.Set(1, s)
	t.MoveBatch([]uint32{0, 1}, []linear.AABB{{Min: [3]float32{9, -1, 0}, Max: [3]float32{10, 1, 2}}, s.Swept()})
	for _, h := range collide.AppendImpacts(impacts[:0], collide.Within(t.View()), steps, nil, collide.Filter{}) {
		fmt.Println(h.A, h.B, "at", h.Time)
	}
	// Unordered output:
	// 0 2 at 0.625
	// 0 1 at 0.2
	// 1 2 at 0.4
}

// The moving objects of one tree against a world at rest in another.
func ExampleAppendImpacts_between() {
	t, steps := billiards()
	world, _ := linear.New(linear.Config{})
	world.InsertBatch(nil, []linear.Object{{Box: linear.AABB{Min: [3]float32{15, -9, 0}, Max: [3]float32{16, 9, 9}}, Static: true}})
	for _, h := range collide.AppendImpacts(nil, collide.Between(t.View(), world.View()), steps, nil, collide.Filter{}) {
		fmt.Println(h.A, h.B, "at", h.Time)
	}
	// Output: 0 0 at 0.875
}

// Pool balls as spheres: a ball that moves by 20 passes one at (10, 1.8, 1.8), although their boxes touch. The
// tree holds the swept boxes, and the spheres at the start of the step.
func ExampleAppendImpacts_exact() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var steps linear.Column[collide.Step]
	for _, b := range []struct{ center, by [3]float32 }{
		{[3]float32{0, 0, 0}, [3]float32{20, 0, 0}},
		{[3]float32{10, 1.8, 1.8}, [3]float32{}},
		{[3]float32{18, 1, 0}, [3]float32{0, -1, 0}},
	} {
		var box linear.AABB
		for a, c := range b.center {
			box.Min[a], box.Max[a] = c-1, c+1
		}
		s := collide.Displace(box, b.by)
		id, err := tree.Insert(linear.Object{Box: s.Swept()})
		if err != nil {
			log.Fatal(err)
		}
		steps.Set(id, s)
		if err := tree.SetSphere(id, [4]float32{b.center[0], b.center[1], b.center[2], 1}); err != nil {
			log.Fatal(err)
		}
	}
	for _, flt := range []collide.Filter{{}, {Exact: true}} {
		impacts := collide.AppendImpacts(nil, collide.Within(tree.View()), &steps, nil, flt)
		collide.SortImpacts(impacts)
		for _, h := range impacts {
			fmt.Printf("exact %v: %d and %d at %.4f\n", flt.Exact, h.A, h.B, h.Time)
		}
	}
	// Output:
	// exact false: 0 and 1 at 0.4000
	// exact false: 0 and 2 at 0.8000
	// exact true: 0 and 2 at 0.8005
}
