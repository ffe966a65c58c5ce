package scene_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// cubes makes a tree of cubes of edge 1 with their lowest corners there.
func cubes(corners ...[3]float32) *linear.Tree {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	for _, c := range corners {
		box := linear.AABB{Min: c, Max: [3]float32{c[0] + 1, c[1] + 1, c[2] + 1}}
		if _, err := tree.Insert(linear.Object{Box: box, Mask: 1}); err != nil {
			panic(err)
		}
	}
	return tree
}

// at returns the transform that scales, rotates about z by an angle, and translates.
func at(x, y, z, angle, scale float64) linear.Transform {
	p, err := linear.Similarity([3]float64{x, y, z}, [4]float64{0, 0, math.Sin(angle / 2), math.Cos(angle / 2)}, scale)
	if err != nil {
		panic(err)
	}
	return p
}

// Instancing: a forest of two kinds of trees. Each kind is a part, stored once, with many instances. A box
// query returns runs, one for each instance; a renderer draws a run with one call.
func Example_forest() {
	fir := cubes([3]float32{0, 0, 0}, [3]float32{0, 0, 1}, [3]float32{0, 0, 2}, [3]float32{0, 0, 3})
	oak := cubes([3]float32{0, 0, 0}, [3]float32{-1, 0, 1}, [3]float32{1, 0, 1})

	forest, err := linear.NewScene(linear.Config{})
	if err != nil {
		panic(err)
	}
	var firs, oaks []linear.Transform
	for x := range 100 {
		for y := range 100 {
			if (x+y)%3 == 0 {
				oaks = append(oaks, at(float64(10*x), float64(10*y), 0, float64(x), 1.5))
			} else {
				firs = append(firs, at(float64(10*x), float64(10*y), 0, 0, 1))
			}
		}
	}
	if _, err := forest.AddInstances(nil, fir, firs, linear.InstanceOptions{}); err != nil {
		panic(err)
	}
	if _, err := forest.AddInstances(nil, oak, oaks, linear.InstanceOptions{}); err != nil {
		panic(err)
	}
	if err := forest.Tick(); err != nil { // the end of a frame
		panic(err)
	}

	v := forest.View()
	box, err := query.NewBox([3]float32{-5, -5, 1.2}, [3]float32{5, 15, 2.5})
	if err != nil {
		panic(err)
	}
	var seen scene.Answer // kept from frame to frame
	seen.Reset()
	scene.Append(&seen, box, v, query.Filter{})
	for i := range seen.Runs {
		place, ids := seen.Run(i)
		_, id := seen.In(place)
		_, transform, _ := forest.Instance(id)
		fmt.Println("tree", id, "at", transform.Point([3]float64{}), "parts", ids)
	}
	fmt.Println(scene.Count(query.Frustum{}, v, query.Filter{}), "in all")
	// Output:
	// tree 6666 at [0 0 0] parts [1 0 2]
	// tree 0 at [0 10 0] parts [1 2]
	// 36666 in all
}

// A robot arm: the forearm is an instance in the upper arm, which is an instance in the base. To bend a
// joint, move one instance; the outer instances follow.
func Example_robotArm() {
	link := cubes([3]float32{0, -0.5, 0}, [3]float32{1, -0.5, 0}, [3]float32{2, -0.5, 0})
	hand := cubes([3]float32{0, -0.5, 0})

	place := func(s *linear.Scene, p linear.Part, transform linear.Transform) uint32 {
		id, err := s.AddInstance(p, transform, linear.InstanceOptions{Turns: true})
		if err != nil {
			panic(err)
		}
		return id
	}
	part := func() *linear.Scene {
		s, err := linear.NewScene(linear.Config{})
		if err != nil {
			panic(err)
		}
		return s
	}
	forearm, upper, arm := part(), part(), part()
	place(forearm, link, at(0, 0, 0, 0, 1))
	place(forearm, hand, at(3, 0, 0, 0, 1))
	place(upper, link, at(0, 0, 0, 0, 1))
	elbow := place(upper, forearm, at(3, 0, 0, 0, 1))
	shoulder := place(arm, upper, at(0, 0, 0, 0, 1))

	// The first hit of a ray along y at x = 3.
	ray, err := query.NewRay([3]float32{3, -10, 0.5}, [3]float32{0, 1, 0}, 100)
	if err != nil {
		panic(err)
	}
	for _, bend := range []float64{0, math.Pi / 2} {
		if err := upper.Move(elbow, at(3, 0, 0, bend, 1)); err != nil {
			panic(err)
		}
		if err := arm.Move(shoulder, at(0, 0, 0, -bend, 1)); err != nil {
			panic(err)
		}
		if err := arm.Tick(); err != nil {
			panic(err)
		}
		hit, ok := scene.First(ray, arm.View(), query.Filter{})
		fmt.Printf("%v: object %d of %v at %.2f\n", ok, hit.ID, hit.Path, hit.Dist)
	}
	// Output:
	// true: object 2 of /0/0 at 9.50
	// true: object 2 of /0/1/0 at 6.50
}
