package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A row of trees is planted in one call; the IDs of places are dense numbers.
func ExampleScene_PlaceBatch() {
	wood, err := linear.NewScene(linear.Config{})
	orPanic(err)
	row := make([]linear.Pose, 4)
	for i := range row {
		row[i] = posedAt(float64(i)*5, 0, 0)
	}
	ids, err := wood.PlaceBatch(nil, crate(), row, linear.PlaceOptions{})
	fmt.Println(ids, err, wood.Bounds())
	// Output: [0 1 2 3] <nil> [0 0 0] to [17 2 2]
}

// Places are removed together or, if one of them is not there, not at all. The part lives on.
func ExampleScene_RemoveBatch() {
	part := crate()
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := s.PlaceBatch(nil, part, []linear.Pose{posedAt(0, 0, 0), posedAt(5, 0, 0), posedAt(9, 0, 0)}, linear.PlaceOptions{})
	orPanic(err)
	fmt.Println(s.RemoveBatch([]uint32{ids[0], 7}) != nil, s.Stats().Places)
	fmt.Println(s.RemoveBatch(ids[:2]), s.Stats().Places, part.Len())
	// Output:
	// true 3
	// <nil> 1 1
}

// A scene is emptied for the next level of a game: its parts are kept.
func ExampleScene_Clear() {
	part := crate()
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = s.Place(part, posedAt(3, 0, 0), linear.PlaceOptions{})
	orPanic(err)
	s.Clear()
	fmt.Println(s.View().Total(), part.Len())
	id, err := s.Place(part, posedAt(0, 0, 0), linear.PlaceOptions{})
	fmt.Println(id, err, s.View().Total())
	// Output:
	// 0 1
	// 0 <nil> 1
}

// What a scene of many places has taken is given back when few are left.
func ExampleScene_Trim() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	poses := make([]linear.Pose, 1000)
	for i := range poses {
		poses[i] = posedAt(float64(i), 0, 0)
	}
	ids, err := s.PlaceBatch(nil, crate(), poses, linear.PlaceOptions{})
	orPanic(err)
	orPanic(s.RemoveBatch(ids[10:]))
	before := s.Stats().Bytes()
	s.Trim()
	after := s.Stats()
	fmt.Println(after.Places, after.Bytes() < before/2)
	// Output: 10 true
}

// Stats tell what is placed, and what it takes.
func ExampleSceneStats() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	part := crate()
	_, err = s.PlaceBatch(nil, part, []linear.Pose{posedAt(0, 0, 0), posedAt(5, 0, 0)}, linear.PlaceOptions{})
	orPanic(err)
	_, err = s.Place(part, posedAt(9, 0, 0), linear.PlaceOptions{Turns: true})
	orPanic(err)
	st := s.Stats()
	fmt.Println(st.Places, st.Parts, st.Turning, st.Depth, st.Total)
	fmt.Println(st.Poses > 0, st.Bytes() >= st.Poses+st.Boxes.LiveBytes())
	// Output:
	// 3 1 1 1 3
	// true true
}

// A reader holds a version of a scene as long as it asks it.
func ExampleHeldScene() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = s.Place(crate(), posedAt(4, 0, 0), linear.PlaceOptions{})
	orPanic(err)
	p := linear.NewScenePublisher(s)

	held := p.Acquire()
	v := held.View() // until the release, whatever the writer does
	s.Clear()
	p.Publish()
	fmt.Println(v.Total(), v.Bounds())
	held.Release()
	// Output: 1 [4 0 0] to [6 2 2]
}

// What is asked of many poses is asked without copying them.
func ExamplePose_ReadRows() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := s.PlaceBatch(nil, crate(), []linear.Pose{{}, posedAt(5, 0, 0)}, linear.PlaceOptions{})
	orPanic(err)
	v := s.View()
	var rows [12]float64
	for _, id := range ids {
		_, _, pose := v.Place(id)
		pose.ReadRows(&rows)
		fmt.Println(pose.AtMost(linear.PoseIdentity), rows[3])
	}
	// Output:
	// true 0
	// false 5
}
