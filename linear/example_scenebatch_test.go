package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// AddInstances plants a row of trees in one call; the IDs of instances are dense numbers.
func ExampleScene_AddInstances() {
	wood, err := linear.NewScene(linear.Config{})
	orPanic(err)
	row := make([]linear.Transform, 4)
	for i := range row {
		row[i] = transformedAt(float64(i)*5, 0, 0)
	}
	ids, err := wood.AddInstances(nil, crate(), row, linear.InstanceOptions{})
	fmt.Println(ids, err, wood.Bounds())
	// Output: [0 1 2 3] <nil> [0 0 0] to [17 2 2]
}

// RemoveBatch removes all of the instances or, if one does not exist, none. The part stays.
func ExampleScene_RemoveBatch() {
	part := crate()
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := s.AddInstances(nil, part, []linear.Transform{transformedAt(0, 0, 0), transformedAt(5, 0, 0), transformedAt(9, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	fmt.Println(s.RemoveBatch([]uint32{ids[0], 7}) != nil, s.Stats().Instances)
	fmt.Println(s.RemoveBatch(ids[:2]), s.Stats().Instances, part.Len())
	// Output:
	// true 3
	// <nil> 1 1
}

// Clear empties a scene for the next level of a game, and keeps its parts.
func ExampleScene_Clear() {
	part := crate()
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = s.AddInstance(part, transformedAt(3, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	s.Clear()
	fmt.Println(s.View().Total(), part.Len())
	id, err := s.AddInstance(part, transformedAt(0, 0, 0), linear.InstanceOptions{})
	fmt.Println(id, err, s.View().Total())
	// Output:
	// 0 1
	// 0 <nil> 1
}

// Trim frees the memory of a scene that had many instances.
func ExampleScene_Trim() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	transforms := make([]linear.Transform, 1000)
	for i := range transforms {
		transforms[i] = transformedAt(float64(i), 0, 0)
	}
	ids, err := s.AddInstances(nil, crate(), transforms, linear.InstanceOptions{})
	orPanic(err)
	orPanic(s.RemoveBatch(ids[10:]))
	before := s.Stats().Bytes()
	s.Trim()
	after := s.Stats()
	fmt.Println(after.Instances, after.Bytes() < before/2)
	// Output: 10 true
}

// Stats returns counts of instances and parts, and memory use.
func ExampleSceneStats() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	part := crate()
	_, err = s.AddInstances(nil, part, []linear.Transform{transformedAt(0, 0, 0), transformedAt(5, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	_, err = s.AddInstance(part, transformedAt(9, 0, 0), linear.InstanceOptions{Turns: true})
	orPanic(err)
	st := s.Stats()
	fmt.Println(st.Instances, st.Parts, st.Turning, st.Depth, st.Total)
	fmt.Println(st.Transforms > 0, st.Bytes() >= st.Transforms+st.Boxes.LiveBytes())
	// Output:
	// 3 1 1 1 3
	// true true
}

// A reader holds a version of a scene while it queries the scene.
func ExampleSceneVersion() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = s.AddInstance(crate(), transformedAt(4, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	p := linear.NewScenePublisher(s)

	held := p.Acquire()
	v := held.View() // valid until the release, whether or not the writer publishes
	s.Clear()
	p.Publish()
	fmt.Println(v.Total(), v.Bounds())
	held.Release()
	// Output: 1 [4 0 0] to [6 2 2]
}

// The rows and the kind of the transform of each instance.
func ExampleTransform_Rows() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := s.AddInstances(nil, crate(), []linear.Transform{{}, transformedAt(5, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	v := s.View()
	for _, id := range ids {
		_, _, transform := v.Instance(id)
		fmt.Println(transform.Kind(), transform.Rows()[3])
	}
	// Output:
	// identity 0
	// translation 5
}

// All lists the instances of a scene: here an editor removes those of one part.
func ExampleScene_All() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	tree, stone := crate(), crate()
	_, err = s.AddInstances(nil, tree, []linear.Transform{transformedAt(0, 0, 0), transformedAt(5, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	_, err = s.AddInstance(stone, transformedAt(9, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	var felled []uint32
	for id, part := range s.All() {
		if part == tree {
			felled = append(felled, id)
		}
	}
	orPanic(s.RemoveBatch(felled))
	for id := range s.All() {
		_, transform, _ := s.Instance(id)
		fmt.Println(felled, id, transform.Point([3]float64{}))
	}
	// Output: [0 1] 2 [9 0 0]
}
