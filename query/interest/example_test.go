package interest_test

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
)

// cube returns a box of side 1 about a place on the x axis.
func cube(x float32) linear.AABB {
	return linear.AABB{Min: [3]float32{x - 0.5, -0.5, -0.5}, Max: [3]float32{x + 0.5, 0.5, 0.5}}
}

// road returns a tree with a log and cubes at 0, 10, 20, … on the x axis.
func road(n int) *linear.Tree {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		panic(err)
	}
	objects := make([]linear.Object, n)
	for i := range objects {
		objects[i] = linear.Object{Box: cube(10 * float32(i)), Mask: 1}
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		panic(err)
	}
	return tree
}

// around returns the area within 15 of a position on the x axis; objects leave it at 18.
func around(x float32) interest.Area {
	a, err := interest.Sphere([3]float32{x, 0, 0}, 15, 18)
	if err != nil {
		panic(err)
	}
	return a
}

// Interest management: a server reports objects that enter, change in, and leave a player's area.
func ExampleTracker() {
	tree := road(10)
	var tracker interest.Tracker
	player := tracker.Add(around(0))
	frame := func() {
		err := errors.Join(tree.Tick(), tracker.Update(tree.View()))
		fmt.Println("entered", tracker.Entered(player), "touched", tracker.Touched(player),
			"left", tracker.Left(player), "in view", tracker.InView(player), err)
	}
	frame()
	tracker.Move(player, around(20)) // the player walks
	tree.Move(2, cube(21))           // will be new to the player
	frame()
	tree.Move(2, cube(22)) // already in the player's view
	tree.Remove(3)
	frame()
	frame()
	tracker.Remove(player)
	fmt.Println(tracker.Len())
	// Output:
	// entered [0 1] touched [] left [] in view [0 1] <nil>
	// entered [2 3] touched [] left [0] in view [1 2 3] <nil>
	// entered [] touched [2] left [3] in view [1 2] <nil>
	// entered [] touched [] left [] in view [1 2] <nil>
	// 0
}

// An ID is reused: the former object has left, and another one has entered.
func ExampleTracker_Update() {
	tree := road(2)
	var tracker interest.Tracker
	player := tracker.Add(around(0))
	tracker.Update(tree.View())
	tree.Remove(1)
	id, err := tree.Insert(linear.Object{Box: cube(10)})
	fmt.Println(id, err, tracker.Update(tree.View()))
	fmt.Println(tracker.Left(player), tracker.Entered(player))
	// Output:
	// 1 <nil> <nil>
	// [1] [1]
}

// Changed lists only those viewers that have events, out of many.
func ExampleTracker_Changed() {
	tree := road(1000)
	var tracker interest.Tracker
	for i := range 1000 {
		tracker.Add(around(10 * float32(i)))
	}
	tracker.Update(tree.View())
	fmt.Println(len(tracker.Changed()))
	tree.Move(500, cube(5001))
	tracker.Update(tree.View())
	fmt.Println(tracker.Changed(), tracker.Touched(499))
	// Output:
	// 1000
	// [499 500 501] [500]
}

// With a margin, an object that oscillates across a border causes few events.
func ExampleSphere() {
	a, err := interest.Sphere([3]float32{}, 10, 12)
	fmt.Println(err)
	tree := road(1)
	tracker := interest.Tracker{Workers: 1}
	viewer := tracker.Add(a)
	var seen []int
	for _, x := range []float32{11, 10, 11, 12, 13, 11} {
		tree.Move(0, cube(x))
		tracker.Update(tree.View())
		seen = append(seen, len(tracker.InView(viewer)))
	}
	fmt.Println(seen)
	_, err = interest.Sphere([3]float32{}, 12, 10)
	fmt.Println(err)
	// Output:
	// <nil>
	// [0 1 1 1 0 0]
	// interest: a radius 12 to enter exceeds 10 to leave
}

// A trigger: a box without a margin.
func ExampleBox() {
	door := linear.AABB{Min: [3]float32{4, -1, -1}, Max: [3]float32{6, 1, 1}}
	a, err := interest.Box(door, door)
	tree := road(1)
	var tracker interest.Tracker
	trigger := tracker.Add(a)
	tracker.Update(tree.View())
	for x := range 10 {
		tree.Move(0, cube(float32(x)))
		tracker.Update(tree.View())
		for range tracker.Entered(trigger) {
			fmt.Println("opens at", x)
		}
		for range tracker.Left(trigger) {
			fmt.Println("closes at", x)
		}
	}
	fmt.Println(err)
	// Output:
	// opens at 4
	// closes at 7
	// <nil>
}

// Visibility by a camera, with a wider camera for leaving.
func ExampleFrustum() {
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 25}
	near, err := camera.Frustum()
	camera.Far = 35
	far, err2 := camera.Frustum()
	tree := road(10)
	var tracker interest.Tracker
	viewer := tracker.Add(interest.Frustum(near, far))
	fmt.Println(err, err2, tracker.Update(tree.View()), tracker.InView(viewer))
	// Output:
	// <nil> <nil> <nil> [0 1 2]
}

// Occlusion in a viewer's area: walls hide objects, and a door that opens reveals one.
func ExampleVisible() {
	const wall = 1
	tree, _ := linear.New(linear.Config{Log: true})
	door, _ := tree.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{5, -9, -9}, Max: [3]float32{6, 9, 9}}, Mask: wall})
	tree.Insert(linear.Object{Box: cube(10), Mask: 2})
	sight := interest.Visibility{
		Camera: query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100},
		Config: occlude.Config{OccluderMask: wall},
	}
	a, err := interest.Visible(sight, sight) // no margin
	var tracker interest.Tracker
	viewer := tracker.Add(a)
	fmt.Println(err, tracker.Update(tree.View()), tracker.InView(viewer))
	tree.Move(door, linear.AABB{Min: [3]float32{5, 9, -9}, Max: [3]float32{6, 27, 9}})
	fmt.Println(tracker.Update(tree.View()), tracker.Entered(viewer), tracker.Left(viewer))
	// Output:
	// <nil> <nil> [0]
	// <nil> [1] [0]
}

// A margin at the edges of occluders: an object enters when no wall hides it, and leaves when a large one
// does.
func ExampleVisibility() {
	const large, small = 1, 2
	enter := interest.Visibility{
		Camera: query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100},
		Config: occlude.Config{OccluderMask: large | small},
	}
	leave := enter
	leave.Camera.FovY = 1.1 // and a margin at the sides of the picture
	leave.Config.OccluderMask = large
	a, err := interest.Visible(enter, leave)
	fmt.Println(a != interest.Area{}, err)
	enter.Camera.FovY = -1
	_, err = interest.Visible(enter, leave)
	fmt.Println(err != nil)
	// Output:
	// true <nil>
	// true
}

// Areas are comparable values: moving a viewer to an equal area is no change.
func ExampleArea() {
	fmt.Println(around(1) == around(1), around(1) == around(2), around(1) == interest.Area{})
	// Output:
	// true false false
}

// An unknown viewer is an error, and the tracker is unchanged.
func ExampleErrNoViewer() {
	var tracker interest.Tracker
	err := tracker.Move(7, around(0))
	fmt.Println(errors.Is(err, interest.ErrNoViewer), err)
	fmt.Println(tracker.Remove(7))
	// Output:
	// true interest: there is no such viewer: 7
	// interest: there is no such viewer: 7
}

// A tracker needs the log of a tree.
func ExampleErrNoLog() {
	tree, _ := linear.New(linear.Config{})
	var tracker interest.Tracker
	fmt.Println(errors.Is(tracker.Update(tree.View()), interest.ErrNoLog))
	// Output:
	// true
}

// A tracker reads a published version while the writer changes the tree.
func ExampleTracker_published() {
	versions := linear.NewPublisher(road(5))
	held := versions.Acquire()
	defer held.Release()
	versions.Tree().Clear() // another goroutine
	var tracker interest.Tracker
	viewer := tracker.Add(around(20))
	fmt.Println(tracker.Update(held.View()), tracker.InView(viewer))
	// Output:
	// <nil> [1 2 3]
}

// For a scene, the objects are those in its own tree, not in its parts.
func ExampleTracker_scene() {
	scene, err := linear.NewScene(linear.Config{Log: true})
	if err != nil {
		panic(err)
	}
	_, err = scene.Tree().Insert(linear.Object{Box: cube(5)})
	var tracker interest.Tracker
	viewer := tracker.Add(around(0))
	fmt.Println(err, scene.Tick(), tracker.Update(scene.View().Objects()), tracker.InView(viewer))
	// Output:
	// <nil> <nil> <nil> [0]
}
