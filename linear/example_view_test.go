package linear_test

import (
	"bytes"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Properties of a whole tree: bounds, size and structure.
func ExampleTree_Bounds() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(10))
	fmt.Println(t.Bounds(), "no point farther out than", int(t.Radius()))
	objects := 0
	for p := range t.Packets() {
		objects += p.Count
	}
	stats := t.View().Stats()
	fmt.Println(objects, "objects in packets,", stats.Objects, "in all,", stats.Packets > objects/16)
	fmt.Println(t.View().Store().Extent) // the columns themselves, read-only
	// Output:
	// [0 0 0] to [9.5 9.5 9.5] no point farther out than 16
	// 1000 objects in packets, 1000 in all, true
	// [9.5 9.5 9.5]
}

// After many removals, Refit shrinks the boxes, Trim frees memory, and Validate checks the whole structure.
func ExampleTree_Trim() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(30))
	before := t.Stats().LiveBytes()
	t.RemoveBatch(ids[100:])
	t.Refit()
	fmt.Println(t.Bounds())
	t.Trim()
	fmt.Println(t.Len(), "objects,", before/t.Stats().LiveBytes() >= 8, t.Validate())
	// Output:
	// [0 0 0] to [29.5 3.5 0.5]
	// 100 objects, true <nil>
}

// Balls are objects with a centre and a radius: a Batch moves them by their spheres.
func ExampleBatch_InsertBall() {
	t, _ := linear.New(linear.Config{})
	var b linear.Batch
	b.InsertBall(linear.Ball{Sphere: [4]float32{0, 0, 0, 1}, Mask: 1})
	t.Apply(&b)
	b.Reset()
	b.MoveSphere(0, [4]float32{5, 0, 0, 2})
	b.SetStatic(0, true)
	fmt.Println(t.Apply(&b))
	object, _ := t.View().Object(0)
	fmt.Println(object.Box, object.Static)
	// Output:
	// [] <nil>
	// [3 -2 -2] to [7 2 2] true
}

// The path from an object up to the root, by the parent links of the columns.
func ExampleView_Store() {
	t, _ := linear.New(linear.Config{})
	var objects []linear.Object
	for i := range 1000 {
		at := [3]float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)}
		objects = append(objects, linear.Object{Box: linear.AABB{Min: at, Max: at}})
	}
	t.InsertBatch(nil, objects)
	s := t.View().Store()
	slot, lane, _ := t.View().Locate(123)
	place := soa.MakeLocation(slot, lane)
	fmt.Println(s.Packets.IDs[place.Slot()][place.Lane()])
	up := s.Packets.Parents[slot]
	ref := s.Nodes.Hot[up.Node()].Child[up.Lane()]
	fmt.Println(ref.IsPacket(), ref.Index() == slot, ref.Flags() == soa.RefMoving)
	for up != soa.NoParent && up.Node() != 0 {
		up = s.Nodes.Parents[up.Node()]
	}
	fmt.Println("root", up.Node())
	// Output:
	// 123
	// true true true
	// root 0
}

// All iterates over the objects of any view in the order of memory: of a tree, a snapshot, a published version or a
// part of a scene.
func ExampleView_All() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(3))
	var file bytes.Buffer
	t.WriteTo(&file)
	s, err := linear.FromBytes(file.Bytes(), linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	all := linear.EmptyBox()
	for _, o := range s.View().All() {
		all = all.Union(o.Box)
	}
	fmt.Println(all)

	var b linear.Batch // a change here would make the iteration panic
	for id, o := range t.View().All() {
		b.SetMask(id, o.Mask|8)
	}
	t.Apply(&b)
	o, _ := t.Object(5)
	fmt.Println(o.Mask&8 != 0)
	// Output:
	// [0 0 0] to [2.5 2.5 2.5]
	// true
}
