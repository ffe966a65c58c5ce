package linear_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
)

// grid returns n*n*n boxes of side 0.5 with corners at whole numbers.
func grid(n int) (objects []linear.Object) {
	for i := range n * n * n {
		x, y, z := float32(i%n), float32(i/n%n), float32(i/n/n)
		objects = append(objects, linear.Object{
			Box:  linear.AABB{Min: [3]float32{x, y, z}, Max: [3]float32{x + 0.5, y + 0.5, z + 0.5}},
			Mask: 1,
		})
	}
	return objects
}

// An empty tree is ready for use; the error describes a bad configuration.
func ExampleNew() {
	t, err := linear.New(linear.Config{})
	fmt.Println(t.Len(), err)
	_, err = linear.New(linear.Config{Workers: -2})
	fmt.Println(err)
	// Output:
	// 0 <nil>
	// linear: negative number in Config: Workers -2, PendingMin 0, PendingShare 0
}

// Objects inserted into an empty tree get the IDs 0, 1, 2, …; one bad box rejects the whole batch.
func ExampleTree_InsertBatch() {
	t, _ := linear.New(linear.Config{})
	ids, err := t.InsertBatch(nil, grid(2))
	fmt.Println(ids, err)

	ids, err = t.InsertBatch(ids, grid(1)) // pending, and found by queries at once
	fmt.Println(ids, err, t.Stats().Pending)

	bad := []linear.Object{{}, {Box: linear.AABB{Min: [3]float32{5, 0, 0}}}}
	_, err = t.InsertBatch(nil, bad)
	fmt.Println(err, t.Len())
	// Output:
	// [0 1 2 3 4 5 6 7] <nil>
	// [0 1 2 3 4 5 6 7 8] <nil> 1
	// linear: object 1: box [5 0 0] to [0 0 0] is inverted or not finite on axis x 9
}

// Rebuild packs static data tightly, and reports its progress by phase.
func ExampleTree_Rebuild() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(20))
	roomy := t.Stats()
	last := ""
	err := t.Rebuild(context.Background(), linear.RebuildOptions{
		Frozen: true,
		Progress: func(p linear.Phase, share float64) {
			if name := p.String(); name != last {
				fmt.Println(name)
				last = name
			}
		},
	})
	frozen := t.Stats()
	fmt.Println(err, frozen.Frozen, frozen.Fill > roomy.Fill)
	// Output:
	// encode
	// sort
	// topology
	// fill
	// <nil> true true
}

// A cancelled rebuild leaves the tree unchanged.
func ExampleTree_Rebuild_cancel() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(20))
	v := t.View()

	ctx, cancel := context.WithCancel(context.Background())
	err := t.Rebuild(ctx, linear.RebuildOptions{
		Frozen: true,
		Progress: func(p linear.Phase, share float64) {
			if p == linear.PhaseTopology {
				cancel()
			}
		},
	})
	fmt.Println(errors.Is(err, context.Canceled), t.Stats().Frozen, v.Len())
	// Output: true false 8000
}

// Flush places pending objects in the tree; their IDs stay the same.
func ExampleTree_Flush() {
	t, _ := linear.New(linear.Config{PendingMin: 100})
	t.InsertBatch(nil, grid(4))
	t.InsertBatch(nil, grid(3))
	fmt.Println(t.Stats().Pending)
	err := t.Flush()
	o, ok := t.Object(64)
	fmt.Println(err, t.Stats().Pending, t.Len(), o.Box.Max, ok)
	// Output:
	// 27
	// <nil> 0 91 [0.5 0.5 0.5] true
}

// A tree drawn as an octree: cells by their common key prefix, here octant 0 of octant 0 and two bits more.
func ExampleTree_Cells() {
	t, _ := linear.New(linear.Config{World: linear.AABB{Max: [3]float32{16, 16, 16}}, Fixed: true})
	var objects []linear.Object
	for _, o := range grid(16) {
		if o.Box.Min[2] == 0 || o.Box.Min[0] < 8 && o.Box.Min[1] < 8 {
			objects = append(objects, o)
		}
	}
	t.InsertBatch(nil, objects)
	total, sticking := 0, 0
	for c := range t.Cells() {
		total += c.Count
		if !c.Box.Contains(c.Tight) {
			sticking++
		}
	}
	fmt.Println(total == t.Len(), sticking)
	for c := range t.Cells() {
		fmt.Printf("%v: %d objects in %v to %v\n", c.Prefix, c.Count, c.Tight.Min, c.Tight.Max)
		for p := range t.PacketsOf(c) {
			fmt.Printf("its first packet has %d objects\n", p.Count)
			break
		}
		break
	}
	// Output:
	// true 0
	// /00+00: 128 objects in [0 0 0] to [7.5 3.5 3.5]
	// its first packet has 14 objects
}

// CellOf returns the cell in which an object with this key is, or would be, placed.
func ExampleView_CellOf() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(10))
	o, _ := t.Object(123)
	v := t.View()
	slots, ok := v.CellOf(t.Key(o.Box))
	found := false
	for slot := slots.First; slot < slots.End; slot++ {
		for lane, id := range v.IDs(slot) {
			found = found || id == 123 && v.Box(slot, lane) == o.Box
		}
	}
	fmt.Println(ok, found)
	empty, _ := linear.New(linear.Config{})
	_, ok = empty.View().CellOf(morton.MaxKey)
	fmt.Println(ok)
	// Output:
	// true true
	// false
}

func ExampleTree_Stats() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(16))
	t.Rebuild(nil, linear.RebuildOptions{Frozen: true})
	st := t.Stats()
	fmt.Println(st.Objects, st.Packets, st.Nodes, st.Depth)
	fmt.Printf("%.1f bytes an object are read by queries\n", float64(st.Hot())/float64(st.Objects))
	// Output:
	// 4096 256 17 2
	// 30.1 bytes an object are read by queries
}

// An ID is reused after the removal of its object; a handle is not.
func ExampleTree_Handle() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(2))
	h, ok := t.Handle(ids[3])
	id, err := t.Resolve(h)
	fmt.Println(ok, id, err)

	_, err = t.Resolve(linear.Handle{ID: 3, Gen: h.Gen + 2}) // a handle of a later object
	fmt.Println(errors.Is(err, linear.ErrStale))
	_, ok = t.Handle(99)
	fmt.Println(ok)
	// Output:
	// true 3 <nil>
	// true
	// false
}

// Values of the program by object ID: the IDs that a query returns index them.
func ExampleColumn() {
	type unit struct {
		Name   string
		Health int
	}
	var units linear.Column[unit]
	units.SetBatch([]uint32{0, 1, 2}, []unit{{"knight", 80}, {"archer", 40}, {"mage", 25}})

	seen := []uint32{2, 0} // the result of a query
	for _, id := range seen {
		u := units.At(id)
		u.Health -= 30
		fmt.Println(u.Name, u.Health)
	}
	units.Delete(2) // with its object
	units.Trim(2)   // no ID from 2 on is in use
	fmt.Printf("%q %d\n", units.Get(2).Name, units.Get(99).Health)
	// Output:
	// mage -5
	// knight 50
	// "" 0
}
