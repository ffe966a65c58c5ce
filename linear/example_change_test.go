package linear_test

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A handler records changes in a Batch while it iterates, and applies them afterwards.
func ExampleTree_Apply() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(4))
	blast, _ := query.NewSphere([3]float32{0, 0, 0}, 1.5)

	var b linear.Batch // kept and reset each frame
	for id := range blast.All(t.View(), query.Filter{}) {
		b.Remove(id)
	}
	b.Insert(linear.Object{Box: cube(0, 0, 0, 1), Mask: 8}) // the crater
	removed := b.Len() - 1
	ids, err := t.Apply(&b)
	fmt.Println(removed, len(ids), t.Len(), err)

	b.Reset()
	b.SetMask(ids[0], 4)
	b.Move(999, cube(0, 0, 0, 1))
	_, err = t.Apply(&b) // all changes or none
	o, _ := t.Object(ids[0])
	fmt.Println(errors.Is(err, linear.ErrUnknown), o.Mask)
	fmt.Println(err)
	// Output:
	// 7 1 58 <nil>
	// true 8
	// linear: change 1 of the batch, Move: no live object has this ID: 999
}

// All iterates over the objects in ascending order of their IDs.
func ExampleTree_All() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, []linear.Object{{Box: cube(5, 0, 0, 1)}, {Box: cube(1, 0, 0, 1)}, {Box: cube(3, 0, 0, 1)}})
	t.Remove(1)
	for id, o := range t.All() {
		fmt.Println(id, o.Box.Center())
	}
	fmt.Println(t.Has(1), t.Has(2))
	// Output:
	// 0 [5 0 0]
	// 2 [3 0 0]
	// false true
}

// Clear keeps the memory of the tree, so that filling it again does not allocate.
func ExampleTree_Clear() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(10))
	h, _ := t.Handle(ids[7])
	t.Clear()
	_, err := t.Resolve(h)
	fmt.Println(t.Len(), errors.Is(err, linear.ErrStale))
	ids, _ = t.InsertBatch(ids[:0], grid(10))
	fmt.Println(t.Len(), ids[:3])
	// Output:
	// 0 true
	// 1000 [0 1 2]
}

// Balls: the tree computes their bounding boxes, and exact queries test the spheres.
func ExampleTree_MoveBodies_spheres() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBallBatch(nil, []linear.Ball{
		{Sphere: [4]float32{0, 0, 0, 1}, Mask: 1},
		{Sphere: [4]float32{5, 0, 0, 0.5}, Mask: 1},
	})
	err := t.MoveBodies(ids, linear.Bodies{Spheres: [][4]float32{{0, 3, 0, 1}, {5, 3, 0, 0.5}}})
	o, _ := t.Object(ids[1])
	sphere, ok := t.Sphere(ids[1])
	fmt.Println(err, o.Box, sphere, ok)

	near, _ := query.NewBox([3]float32{0.9, 3.9, 0.9}, [3]float32{2, 5, 2}) // in a corner of the first box
	fmt.Println(near.Count(t.View(), query.Filter{}), near.Count(t.View(), query.Filter{Exact: true}))
	// Output:
	// <nil> [4.5 2.5 -0.5] to [5.5 3.5 0.5] [5 3 0 0.5] true
	// 1 0
}

// One ball, for instance a bullet. Its box is the smallest float32 box that contains it in exact arithmetic.
func ExampleTree_InsertBall() {
	t, _ := linear.New(linear.Config{})
	id, _ := t.InsertBall(linear.Ball{Sphere: [4]float32{1, 0, 0, 0.1}})
	t.MoveSphere(id, [4]float32{2, 0, 0, 0.1})
	o, _ := t.Object(id)
	fmt.Println(float64(o.Box.Min[0]) <= 2-float64(float32(0.1)), o.Box.Max[1])
	_, err := t.InsertBall(linear.Ball{Sphere: [4]float32{0, 0, 0, -1}})
	fmt.Println(err)
	// Output:
	// true 0.1
	// linear: sphere [0 0 0 -1] has the radius -1, want one of 0 or more
}

// A clone is independent of its original.
func ExampleTree_Clone() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(3))
	c := t.Clone()
	c.Remove(ids[0])
	fmt.Println(t.Len(), c.Len())
	// Output: 27 26
}

// A fixed world that rejects objects outside it.
func ExampleConfig_outside() {
	t, _ := linear.New(linear.Config{
		World:   linear.AABB{Max: [3]float32{100, 100, 100}},
		Fixed:   true,
		Outside: linear.OutsideReject,
	})
	_, err := t.Insert(linear.Object{Box: cube(50, 50, 110, 1)})
	fmt.Println(errors.Is(err, linear.ErrOutside), t.Len())
	fmt.Println(t.Config().World) // the bound is this box, not the larger cube of the keys
	fmt.Println(t.World())
	// Output:
	// true 0
	// [0 0 0] to [100 100 100]
	// [0 0 0] to [128 128 128], cells of 2^-14
}

// With MinCell, small motions within a smallest cell do not relocate an object: here, eight objects share a
// cell.
func ExampleConfig_minCell() {
	for _, side := range []float32{0, 2} {
		t, _ := linear.New(linear.Config{MinCell: side, Policy: linear.PolicyIncremental, Cut: linear.CutSpace})
		ids, _ := t.InsertBatch(nil, grid(16))
		for i, o := range grid(16) {
			box := o.Box // jumps from one half of a cell of 2 by 2 by 2 to the other
			for a := range 3 {
				box.Min[a] += 1 - 2*float32(int(box.Min[a])%2)
				box.Max[a] = box.Min[a] + 0.5
			}
			t.Move(ids[i], box)
		}
		t.Tick()
		fmt.Println(t.Work().Placed > 1000)
	}
	// Output:
	// true
	// false
}

// The world is fitted to the objects again when more than one object in GrowShare is outside: here, one in 20.
func ExampleConfig_growShare() {
	t, _ := linear.New(linear.Config{GrowShare: 20, ShrinkShare: 8, World: linear.AABB{Max: [3]float32{10, 10, 10}}})
	ids, _ := t.InsertBatch(nil, grid(10))
	for _, id := range ids[:50] {
		t.Move(id, cube(20, 5, 5, 1))
	}
	t.Tick()
	fmt.Println(t.World(), t.Work().Grown)
	t.Move(ids[50], cube(20, 5, 5, 1)) // one more than one in 20
	t.Tick()
	fmt.Println(t.World(), t.Work().Grown)
	// Output:
	// [0 0 0] to [16 16 16], cells of 2^-17 0
	// [0 0 0] to [32 32 32], cells of 2^-16 1
}

// One zone of a larger world: Tick removes the objects that left the zone, and RemovedOutside lists them.
func ExampleTree_RemovedOutside() {
	t, _ := linear.New(linear.Config{
		World:   linear.AABB{Max: [3]float32{100, 100, 100}},
		Fixed:   true,
		Outside: linear.OutsideRemove,
	})
	ids, _ := t.InsertBatch(nil, grid(4))
	h, _ := t.Handle(ids[5])
	t.Move(ids[5], cube(500, 50, 50, 1))
	fmt.Println(t.Len(), t.Has(ids[5])) // the object stays until the end of the frame
	t.Tick()
	for _, gone := range t.RemovedOutside() {
		fmt.Println(gone == h, gone.ID == ids[5]) // the program can now delete its own data of the object
	}
	fmt.Println(t.Len(), t.Work().RemovedOutside)
	// Output:
	// 64 true
	// true true
	// 63 1
}

// Policy forces incremental changes or rebuilds; Work counts the objects that each of them processed.
func ExampleConfig_changes() {
	for _, way := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRebuild} {
		t, _ := linear.New(linear.Config{Policy: way})
		t.InsertBatch(nil, grid(10))
		t.Tick()
		t.InsertBatch(nil, grid(4)[:10])
		t.Tick()
		w := t.Work()
		fmt.Println(t.Stats().Policy, w.Placed, w.Rebuilt)
	}
	// Output:
	// auto 10 0
	// incremental 10 0
	// rebuild 0 1010
}

// A frame moves objects of all kinds in one call: the first IDs get boxes, the next ones spheres, and the last ones
// oriented boxes.
func ExampleTree_MoveBodies() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(2))
	err := t.MoveBodies(ids[:4], linear.Bodies{
		Boxes:    []linear.AABB{cube(1, 0, 0, 1), cube(2, 0, 0, 1)},
		Spheres:  [][4]float32{{3, 0, 0, 1}},
		Oriented: []linear.OrientedBox{{Center: [3]float32{4, 0, 0}, Axes: [3][3]float32{{2, 2, 0}, {-0.5, 0.5, 0}, {0, 0, 1}}}},
	})
	sphere, _ := t.Sphere(ids[2])
	o, _ := t.Object(ids[3])
	fmt.Println(err, sphere, o.Box)
	fmt.Println(t.MoveBodies(ids[:2], linear.Bodies{Boxes: []linear.AABB{cube(0, 0, 0, 1)}, Spheres: [][4]float32{{0, 0, 0, -1}}}))
	// Output:
	// <nil> [3 0 0 1] [1.5 -2.5 -1] to [6.5 2.5 1]
	// linear: object 1 of the batch, ID 1: sphere [0 0 0 -1] has the radius -1, want one of 0 or more
}

// SetBounds gives many objects bounds inside their boxes, all or none.
func ExampleTree_SetBounds() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{{Box: cube(0, 0, 0, 1)}, {Box: cube(5, 0, 0, 1)}})
	fmt.Println(t.SetBounds(ids, linear.Bodies{Spheres: [][4]float32{{0, 0, 0, 1}, {5, 0, 0, 1}}}))
	s, ok := t.Sphere(ids[1])
	fmt.Println(s, ok)
	// Output:
	// <nil>
	// [5 0 0 1] true
}

// Oriented boxes: the tree computes their bounding boxes, and exact queries test the oriented boxes.
func ExampleTree_MoveBodies_oriented() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(1))
	plank := linear.OrientedBox{Center: [3]float32{5, 5, 5}, Axes: [3][3]float32{{2, 2, 0}, {-0.5, 0.5, 0}, {0, 0, 1}}}
	err := t.MoveBodies(ids, linear.Bodies{Oriented: []linear.OrientedBox{plank}})
	o, _ := t.Object(ids[0])
	fmt.Println(err, o.Box)

	corner, _ := query.NewBox([3]float32{6, 2, 4}, [3]float32{8, 4, 6}) // in a corner of the bounding box
	fmt.Println(corner.Count(t.View(), query.Filter{}), corner.Count(t.View(), query.Filter{Exact: true}))
	// Output:
	// <nil> [2.5 2.5 4] to [7.5 7.5 6]
	// 1 0
}

// SetOriented sets an oriented box inside the present bounding box of the object.
func ExampleTree_SetOriented() {
	t, _ := linear.New(linear.Config{})
	id, _ := t.Insert(linear.Object{Box: cube(5, 5, 5, 3)})
	plank := linear.OrientedBox{Center: [3]float32{5, 5, 5}, Axes: [3][3]float32{{2, 2, 0}, {-0.5, 0.5, 0}, {0, 0, 1}}}
	fmt.Println(t.SetOriented(id, plank))
	b, ok := t.View().Oriented(id)
	fmt.Println(b == plank, ok)
	t.Move(id, cube(5, 5, 5, 3)) // Move removes the oriented box
	_, ok = t.Oriented(id)
	fmt.Println(ok)
	// Output:
	// <nil>
	// true true
	// false
}

// A batch rotates a door and removes another object. An oriented box must lie inside the bounding box of its
// object.
func ExampleBatch_MoveOriented() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(2))
	door := linear.OrientedBox{Center: [3]float32{9, 9, 1}, Axes: [3][3]float32{{0.6, 0.8, 0}, {-0.04, 0.03, 0}, {0, 0, 1}}}
	var b linear.Batch
	b.MoveOriented(ids[0], door)
	b.Remove(ids[1])
	_, err := t.Apply(&b)
	got, ok := t.Oriented(ids[0])
	fmt.Println(err, got == door, ok)
	fmt.Println(t.SetBounds(ids[2:3], linear.Bodies{Oriented: []linear.OrientedBox{door}}) != nil)
	// Output:
	// <nil> true true
	// true
}
