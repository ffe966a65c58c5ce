package scene_test

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// made panics if err is not nil.
func made[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// terrace returns a scene of three houses in a row, ten units apart: three instances of one part, which
// holds a hall with an attic on top.
func terrace() linear.SceneView {
	house := cubes([3]float32{0, 0, 0}, [3]float32{0, 0, 1})
	s := made(linear.NewScene(linear.Config{}))
	for i := range 3 {
		made(s.AddInstance(house, at(float64(10*i), 0, 0, 0, 1), linear.InstanceOptions{}))
	}
	if err := s.Tick(); err != nil {
		panic(err)
	}
	return s.View()
}

// All forms of a query with a volume: here the attics of the first two houses.
func ExampleAppend() {
	v := terrace()
	box := made(query.NewBox([3]float32{0, 0, 1.5}, [3]float32{12, 1, 3}))

	var a scene.Answer // kept from frame to frame
	scene.Append(&a, box, v, query.Filter{})
	for place, id := range a.All() {
		part, _ := a.Part(place)
		transform := made(a.Transform(place))
		fmt.Println(a.Path(place), "part", part, "at", transform.Point([3]float64{}), "object", id)
	}
	fmt.Println(scene.Count(box, v, query.Filter{}), scene.Any(box, v, query.Filter{}))
	scene.Ranges(box, v, query.Filter{}, func(in scene.Part, r query.Range) bool { // no copy
		fmt.Printf("in %v: lanes %b\n", in.Path, r.Mask)
		return true
	})
	// Output:
	// /0 part 1 at [0 0 0] object 1
	// /1 part 1 at [10 0 0] object 1
	// 2 true
	// in /0: lanes 10
	// in /1: lanes 10
}

// Ray casts and shape casts: all hits, the first hit, a test for any hit, and the first hit that passes the
// program's own test.
func ExampleAppendHits() {
	v := terrace()
	ray := made(query.NewRay([3]float32{-5, 0.5, 0.5}, [3]float32{1, 0, 0}, 100))
	for _, h := range scene.AppendHits(nil, ray, v, query.Filter{}) {
		fmt.Println("house", h.Path, "object", h.ID, "at distance", h.Dist)
	}
	fmt.Println(scene.Any(ray, v, query.Filter{}))
	h, ok := scene.FirstFunc(ray, v, query.Filter{}, func(path scene.Path, id uint32, tEnter float32) (t float32, hit bool) {
		open := slices.Contains(slices.Collect(path.All()), 0) // the door of house 0
		return tEnter, !open
	})
	fmt.Println(h.Path, h.Dist, ok)
	// Output:
	// house /0 object 0 at distance 5
	// house /1 object 0 at distance 15
	// house /2 object 0 at distance 25
	// true
	// /1 15 true
}

// A path names an instance; the scene resolves a path to the part and the transform of that instance.
func ExamplePath() {
	v := terrace()
	ray := made(query.NewRay([3]float32{-5, 0.5, 1.5}, [3]float32{1, 0, 0}, 100))
	h, _ := scene.First(ray, v, query.Filter{})
	part, transform, err := h.Path.Instance(v)
	fmt.Println(h.Path.Len(), "level down, at", transform.Point([3]float64{}), err)
	object, _ := part.Objects().Object(h.ID)
	fmt.Println("object", h.ID, "begins at", object.Box.Min, "in the space of its part")

	second := scene.PathOf(1)
	fmt.Println(h.Path.Compare(second), scene.Object{Path: second, ID: 1}.Compare(scene.Object{Path: second, ID: 0}))
	// Output:
	// 1 level down, at [0 0 0] <nil>
	// object 1 begins at [0 0 1] in the space of its part
	// -1 1
}

// Explain counts visits by node, for a profile of a scene.
func ExampleExplain() {
	v := terrace()
	heat := scene.NewHeat(v)
	box := made(query.NewBox([3]float32{0, 0, 1.5}, [3]float32{12, 1, 3}))
	volume := scene.Explain(box, v, query.Filter{}, heat)
	fmt.Println(volume.Instances, "instances,", volume.Entered, "entered")
	ray := made(query.NewRay([3]float32{-5, 0.5, 0.5}, [3]float32{1, 0, 0}, 100))
	both := volume.Add(scene.ExplainSweep(ray, v, query.Filter{}, heat))
	fmt.Println(both.Instances, "instances,", both.Entered, "entered")
	// Output:
	// 2 instances, 2 entered
	// 5 instances, 5 entered
}

// All instances of a scene at any depth, with their transforms to the scene.
func ExampleInstances() {
	houses, street := made(linear.NewScene(linear.Config{})), made(linear.NewScene(linear.Config{}))
	cube := cubes([3]float32{})
	for i := range 2 {
		made(houses.AddInstance(cube, at(0, float64(2*i), 0, 0, 1), linear.InstanceOptions{}))
		made(street.AddInstance(houses, at(float64(10*i), 0, 0, 0, 1), linear.InstanceOptions{}))
	}
	v := street.View()
	for part := range scene.Instances(v) {
		_, transform, err := part.Path.Instance(v)
		if err != nil {
			panic(err)
		}
		fmt.Println(part.Path, "of part", part.Number, "at", transform.Point([3]float64{}))
	}
	// Output:
	// /0 of part 1 at [0 0 0]
	// /0/0 of part 2 at [0 0 0]
	// /0/1 of part 2 at [0 2 0]
	// /1 of part 1 at [10 0 0]
	// /1/0 of part 2 at [10 0 0]
	// /1/1 of part 2 at [10 2 0]
}

// A program with its own search can report objects in the form of other answers: it enters an instance,
// adds IDs, and ends the run.
func ExampleAnswer_Enter() {
	v := terrace()
	_, part, transform := v.Instance(1)
	var a scene.Answer
	a.Reset()
	place := a.Enter(0, 1, part, transform)
	a.IDs = append(a.IDs, 0, 1)
	a.End(place)
	for place, id := range a.All() {
		fmt.Println(a.Path(place), id)
	}
	// Output:
	// /1 0
	// /1 1
}

// Levels of detail of what a camera sees of a scene. Each instance has a column of last levels, by its path.
func ExampleAppendLevels() {
	v := terrace()
	camera := made(query.Camera{
		Eye: [3]float64{-5, 0.5, 1}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: 2, Aspect: 1.5, Near: 0.1, Far: 100,
	}.Frustum())
	levels := made(camera.Levels(0.125, 1./8, 1./20))
	last := map[scene.Path]*linear.Column[uint8]{}
	var a scene.Answer
	scene.Append(&a, camera, v, query.Filter{})
	lods := scene.AppendLevels(nil, &a, &levels, v, func(ref scene.InstanceRef) *linear.Column[uint8] {
		path := a.Path(ref)
		if last[path] == nil {
			last[path] = new(linear.Column[uint8])
		}
		return last[path]
	})
	for i := range a.Runs {
		ref, ids := a.Run(i)
		fmt.Println("house", a.Path(ref), "objects", ids, "levels", lods[:len(ids)])
		lods = lods[len(ids):]
	}
	// Output:
	// house /0 objects [0 1] levels [0 0]
	// house /1 objects [0 1] levels [1 1]
	// house /2 objects [0 1] levels [2 2]
}
