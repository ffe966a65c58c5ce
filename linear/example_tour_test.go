// The tour, 2 of 8: a dynamic tree. Before it: morton; next: query.
package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// The program's own data of each object, by ID.
type thing struct {
	name   string
	people int
}

// The bits of a mask are kinds of objects.
const (
	buildings = 1 << iota
	carts
)

func Example_tour() {
	// The zero configuration suits most programs. The tree fits its world to the objects.
	town, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	// InsertBatch is the fastest way to insert many objects. An object is a box, a mask, and a flag for static
	// data.
	var objects []linear.Object
	for i := range 10_000 {
		x, y := float32(i%100)*20, float32(i/100)*20
		objects = append(objects, linear.Object{
			Box:    linear.AABB{Min: [3]float32{x, y, 0}, Max: [3]float32{x + 10, y + 10, 8}},
			Mask:   buildings,
			Static: true,
		})
	}
	ids, err := town.InsertBatch(nil, objects)
	fmt.Println(len(ids), "houses", err)

	// IDs are dense numbers: index your own columns by them.
	var things linear.Column[thing]
	things.Set(ids[7], thing{"the mill", 3})

	// One cart is inserted and moved. Changes are cheap; Tick ends a frame and maintains the tree.
	cart, err := town.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{1, 2, 1}}, Mask: carts})
	fmt.Println("cart", cart, err)
	for frame := range 100 {
		x := float32(frame)
		err = town.Move(cart, linear.AABB{Min: [3]float32{x, 12, 0}, Max: [3]float32{x + 1, 14, 1}})
		if err := town.Tick(); err != nil {
			panic(err)
		}
	}
	fmt.Println(err)

	// Keep a handle, not an ID, of an object that may be removed: IDs are reused.
	handle, _ := town.Handle(cart)
	town.Remove(cart)
	_, err = town.Resolve(handle)
	fmt.Println(err == linear.ErrStale)

	// Bad input is an error with its numbers, and changes nothing.
	_, err = town.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{1, 0, 0}}})
	fmt.Println(err)

	// Queries take a View, which is valid until the next change.
	v := town.View()
	fmt.Println(v.Len(), "objects in", v.Bounds(), things.Get(7).name)
	// Output:
	// 10000 houses <nil>
	// cart 10000 <nil>
	// <nil>
	// true
	// linear: box [1 0 0] to [0 0 0] is inverted or not finite on axis x
	// 10000 objects in [0 0 0] to [1990 1990 8] the mill
}
