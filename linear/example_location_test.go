package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Locations find the boxes of objects by ID in a view.
func ExampleView_Locator() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))
	t.Remove(ids[2])

	v := t.View()
	var buf []linear.Location // reused in every frame
	instances := v.Locator(&buf)
	for _, id := range ids[1:4] {
		slot, lane, ok := instances.Locate(id)
		if !ok {
			fmt.Println(id, "is removed")
			continue
		}
		fmt.Println(id, v.Box(slot, lane).Center())
	}
	// Output:
	// 1 [1.25 0.25 0.25]
	// 2 is removed
	// 3 [3.25 0.25 0.25]
}

// A reader of a published version looks up the objects of a query result by ID.
func ExampleView_Object() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))
	t.SetMask(ids[1], 6)
	s := linear.NewPublisher(t)
	before := s.Acquire()
	defer before.Release()
	t.Remove(ids[1])
	s.Publish()
	after := s.Acquire()
	defer after.Release()

	o, ok := before.View().Object(ids[1])
	fmt.Println(o.Box.Min, o.Mask, o.Static, ok)
	_, ok = after.View().Object(ids[1])
	fmt.Println(ok)
	// Output:
	// [1 0 0] 6 false true
	// false
}

func ExampleView_Sphere() {
	t, _ := linear.New(linear.Config{})
	ball, _ := t.InsertBall(linear.Ball{Sphere: [4]float32{1, 2, 3, 0.5}})
	crate, _ := t.Insert(linear.Object{})

	v := t.View()
	fmt.Println(v.Sphere(ball))
	_, ok := v.Sphere(crate)
	fmt.Println(ok)
	// Output:
	// [1 2 3 0.5] true
	// false
}

// The location of one object in memory: a slot of packets, and a lane of it.
func ExampleView_Locate() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))

	v := t.View()
	slot, lane, ok := v.Locate(ids[3])
	fmt.Println(ok, v.IDs(slot)[lane] == ids[3])
	_, _, ok = v.Locate(1000)
	fmt.Println(ok)
	// Output:
	// true true
	// false
}

// A published version finds the objects that it holds, also by handles that are stale in the tree by now.
func ExampleView_LocateHandle() {
	t, _ := linear.New(linear.Config{})
	id, _ := t.Insert(grid(1)[0])
	h, _ := t.Handle(id)

	shared := linear.NewPublisher(t)
	before := shared.Acquire()
	defer before.Release()
	t.Remove(id)
	t.Insert(grid(1)[0]) // reuses the ID

	_, _, ok := before.View().LocateHandle(h)
	same, _ := before.View().Handle(id)
	fmt.Println("version:", ok, same == h)
	_, _, ok = t.View().LocateHandle(h)
	fmt.Println("tree:", ok)
	// Output:
	// version: true true
	// tree: false
}
