package linear_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/zoctree/zoctree/linear"
)

// posedAt returns a translation.
func transformedAt(x, y, z float64) linear.Transform {
	p, err := linear.Similarity([3]float64{x, y, z}, [4]float64{3: 1}, 1)
	orPanic(err)
	return p
}

func orPanic(err error) {
	if err != nil {
		panic(err)
	}
}

// crate returns a tree with a box of side 2 at the origin.
func crate() *linear.Tree {
	t, err := linear.New(linear.Config{})
	orPanic(err)
	_, err = t.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{2, 2, 2}}, Mask: 1})
	orPanic(err)
	return t
}

// Instancing: a street has two instances of one house, which contains one instance of a table.
func ExampleScene() {
	table := crate()

	house, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = house.Tree().Insert(linear.Object{Box: linear.AABB{Max: [3]float32{10, 10, 8}}, Mask: 1})
	orPanic(err)
	_, err = house.AddInstance(table, transformedAt(5, 5, 0), linear.InstanceOptions{})
	orPanic(err)

	street, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := street.AddInstances(nil, house, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	orPanic(street.Tick()) // Tick of the scene and of all its parts

	v := street.View()
	fmt.Println(v.Total(), v.Bounds())
	inner, part, transform := v.Instance(ids[1])
	fmt.Println(part, inner.Bounds(), transform.Point([3]float64{}))
	// Output:
	// 4 [0 0 0] to [30 10 8]
	// 1 [0 0 0] to [10 10 8] [20 0 0]
}

// Invalid instances are rejected, and leave the scene unchanged.
func ExampleScene_AddInstance() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	id, err := s.AddInstance(crate(), transformedAt(1, 0, 0), linear.InstanceOptions{})
	fmt.Println(id, err)

	room, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = room.AddInstance(s, transformedAt(0, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	_, err = s.AddInstance(room, transformedAt(0, 0, 0), linear.InstanceOptions{})
	fmt.Println(err, errors.Is(err, linear.ErrCycle))

	for range linear.MaxDepth - 2 {
		outer, err := linear.NewScene(linear.Config{})
		orPanic(err)
		_, err = outer.AddInstance(room, transformedAt(0, 0, 0), linear.InstanceOptions{})
		orPanic(err)
		room = outer
	}
	outer, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = outer.AddInstance(room, transformedAt(0, 0, 0), linear.InstanceOptions{})
	fmt.Println(errors.Is(err, linear.ErrDepth))
	// Output:
	// 0 <nil>
	// linear: a scene would contain itself true
	// true
}

// The blades of windmills are instances of one part that rotate in each frame. Their bounding boxes hold for
// every rotation.
func ExampleScene_MoveBatch() {
	blades := crate()
	field, err := linear.NewScene(linear.Config{})
	orPanic(err)
	mills := []linear.Transform{transformedAt(0, 0, 0), transformedAt(50, 0, 0)}
	ids, err := field.AddInstances(nil, blades, mills, linear.InstanceOptions{Turns: true})
	orPanic(err)
	box, _ := field.View().Instances().Object(ids[1])
	for frame := range 8 {
		for i := range mills {
			at := mills[i].Point([3]float64{})
			angle := float64(frame) * math.Pi / 8
			mills[i], err = linear.Similarity(at, [4]float64{math.Sin(angle), 0, 0, math.Cos(angle)}, 1)
			orPanic(err)
		}
		orPanic(field.MoveBatch(ids, mills))
		orPanic(field.Tick())
	}
	now, _ := field.View().Instances().Object(ids[1])
	fmt.Println(now == box)
	// Output: true
}

// An instance is moved and removed by its ID. A handle detects that the instance was removed.
func ExampleScene_Move() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	car := crate()
	id, err := s.AddInstance(car, transformedAt(1, 0, 0), linear.InstanceOptions{Mask: 4})
	orPanic(err)
	h, _ := s.Handle(id)
	orPanic(s.Move(id, transformedAt(7, 0, 0)))
	orPanic(s.SetMask(id, 2)) // matches filters with bit 1
	orPanic(s.Tick())         // makes the bounds exact
	part, transform, ok := s.Instance(id)
	fmt.Println(part == linear.Part(car), transform.Point([3]float64{}), ok, s.Bounds())
	orPanic(s.Remove(id))
	_, err = s.Resolve(h)
	fmt.Println(err, s.Move(id, transform))
	// Output:
	// true [7 0 0] true [7 0 0] to [9 2 2]
	// soa: stale handle: its object has been removed linear: no live object has this ID: instance 0
}

// Queries find a grown part at once; Tick updates the bounding boxes of its instances, for speed.
func ExampleSceneView_Outgrown() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	box := crate()
	_, err = s.AddInstance(box, transformedAt(100, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	fmt.Println(s.View().Outgrown())
	orPanic(box.Move(0, linear.AABB{Max: [3]float32{9, 9, 9}}))
	fmt.Println(s.View().Outgrown(), s.View().Instances().Bounds(), s.View().Bounds())
	orPanic(s.Tick())
	fmt.Println(s.View().Outgrown(), s.View().Instances().Bounds())
	// Output:
	// []
	// [0] [100 0 0] to [102 2 2] [100 0 0] to [109 9 9]
	// [] [100 0 0] to [109 9 9]
}

// A search that enters many instances prefetches their transforms.
func ExampleSceneView_Prefetch() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	ids, err := s.AddInstances(nil, crate(), []linear.Transform{transformedAt(0, 0, 0), transformedAt(5, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	v := s.View()
	v.Prefetch(ids, len(ids))
	for _, id := range ids {
		part, _, transform := v.Instance(id)
		fmt.Println(transform.Box(part.Bounds()))
	}
	// Output:
	// [0 0 0] to [2 2 2]
	// [5 0 0] to [7 2 2]
}

// Walking the views of a scene and its parts lists every object, once for each of its instances.
func ExampleSceneView_Instance() {
	row, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = row.AddInstances(nil, crate(), []linear.Transform{transformedAt(0, 0, 0), transformedAt(5, 0, 0)}, linear.InstanceOptions{})
	orPanic(err)
	hall, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = hall.AddInstances(nil, row, []linear.Transform{transformedAt(0, 0, 0), transformedAt(0, 9, 0)}, linear.InstanceOptions{})
	orPanic(err)

	var list func(v linear.SceneView, to linear.Transform)
	list = func(v linear.SceneView, to linear.Transform) {
		for id := range uint32(v.Objects().Len()) {
			o, _ := v.Objects().Object(id)
			fmt.Println(to.Box(o.Box))
		}
		for id := range uint32(v.Instances().Len()) {
			in, _, transform := v.Instance(id)
			all, err := transform.Then(to)
			orPanic(err)
			list(in, all)
		}
	}
	list(hall.View(), linear.Transform{})
	// Output:
	// [0 0 0] to [2 2 2]
	// [5 0 0] to [7 2 2]
	// [0 9 0] to [2 11 2]
	// [5 9 0] to [7 11 2]
}

// Each part has a dense number in the scene, which a program may use as an index, for instance of a mesh.
func ExampleSceneView_Parts() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	for _, part := range []linear.Part{crate(), crate()} {
		_, err = s.AddInstances(nil, part, []linear.Transform{transformedAt(0, 0, 0), transformedAt(9, 0, 0)}, linear.InstanceOptions{})
		orPanic(err)
	}
	for number, part := range s.View().Parts() {
		fmt.Println(number, part.Total(), part.Bounds())
	}
	fmt.Println(s.Stats().Parts, s.Stats().Instances)
	// Output:
	// 0 4 [0 0 0] to [11 2 2]
	// 1 1 [0 0 0] to [2 2 2]
	// 2 1 [0 0 0] to [2 2 2]
	// 2 4
}

// A part is a tree, a snapshot or a scene. All of them have bounds and a size.
func ExamplePart() {
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	_, err = s.AddInstance(crate(), transformedAt(1, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	saved, err := linear.FromBytes(embedded, linear.CheckSafe)
	orPanic(err)
	defer saved.Close()
	for _, part := range []linear.Part{crate(), s, saved} {
		fmt.Printf("%v %.3f\n", part.Bounds(), part.Radius())
	}
	// Output:
	// [0 0 0] to [2 2 2] 3.464
	// [1 0 0] to [3 2 2] 4.123
	// [0 0 0] to [41 25 9] 48.857
}

// Readers hold versions of a scene, with all its parts, while the writer continues.
func ExampleScenePublisher() {
	box := crate()
	s, err := linear.NewScene(linear.Config{})
	orPanic(err)
	id, err := s.AddInstance(box, transformedAt(0, 0, 0), linear.InstanceOptions{})
	orPanic(err)
	p := linear.NewScenePublisher(s)

	h := p.Acquire() // on any goroutine
	orPanic(box.Move(0, linear.AABB{Max: [3]float32{1, 1, 1}}))
	orPanic(s.Move(id, transformedAt(50, 0, 0)))
	orPanic(s.Tick())
	p.Publish()
	now := p.Acquire()
	fmt.Println(h.View().Bounds(), now.View().Bounds())
	h.Release()
	now.Release()
	// Output: [0 0 0] to [2 2 2] [50 0 0] to [51 1 1]
}

// A checkpoint of a published scene is saved while the writer continues.
func ExampleScenePublisher_Checkpoint() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tree.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{1, 1, 1}}}); err != nil {
		log.Fatal(err)
	}
	forest, err := linear.NewScene(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := forest.AddInstance(tree, transformedAt(5, 0, 0), linear.InstanceOptions{}); err != nil {
		log.Fatal(err)
	}
	published := linear.NewScenePublisher(forest)
	checkpoint := published.Checkpoint()
	forest.Clear() // the writer continues

	var file bytes.Buffer
	if _, err := checkpoint.WriteTo(&file); err != nil { // on any goroutine
		log.Fatal(err)
	}
	checkpoint.Release()
	saved, err := linear.SceneFromBytes(file.Bytes(), linear.CheckSafe)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(saved.View().Total(), "object saved,", forest.View().Total(), "left")
	// Output:
	// 1 object saved, 0 left
}
