package linear_test

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A Map in three lines: insert a value, query it, and find the nearest.
func ExampleMap() {
	var m linear.Map[string]
	m.Insert(linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 1}}, "crate")
	m.Insert(linear.AABB{Min: [3]float32{50, 0, 0}, Max: [3]float32{51, 9, 1}}, "tower")

	near, _ := query.NewSphere([3]float32{2, 0, 0}, 5)
	v := m.View()
	for id := range near.All(v, query.Filter{}) {
		fmt.Println(*m.At(v, id))
	}
	// Output: crate
}

// A handle identifies one object until its removal, and never a later object with the same ID.
func ExampleMap_Delete() {
	var m linear.Map[string]
	crate, _ := m.Insert(cube(0, 0, 0, 1), "crate")
	m.Delete(crate)
	barrel, _ := m.Insert(cube(0, 0, 0, 1), "barrel")
	_, ok := m.Get(crate)
	fmt.Println(crate.ID == barrel.ID, ok, errors.Is(m.Delete(crate), linear.ErrStale), m.Len())
	// Output: true false true 1
}

// Values can be changed in place without invalidating views.
func ExampleMap_Ptr() {
	type unit struct{ health int }
	var m linear.Map[unit]
	h, _ := m.Insert(cube(0, 0, 0, 1), unit{health: 10})
	v := m.View()
	m.Ptr(h).health -= 3
	m.At(v, h.ID).health -= 2
	fmt.Println(m.Get(h))
	m.Set(h, unit{health: 1})
	fmt.Println(m.Get(h))
	// Output:
	// {5} true
	// {1} true
}

// Bulk insertion with masks; everything else is done through the tree of the map.
func ExampleMap_InsertBatch() {
	m, _ := linear.NewMap[string](linear.Config{Log: true})
	handles, _ := m.InsertBatch(nil, []linear.Object{{Box: cube(0, 0, 0, 1), Mask: 1}, {Box: cube(9, 0, 0, 1), Mask: 2}}, []string{"door", "lamp"})
	m.Move(handles[1], cube(5, 0, 0, 1))
	m.Tree().SetMask(handles[0].ID, 2)
	m.Tree().Tick()
	for h, value := range m.All() {
		o, _ := m.Tree().Object(h.ID)
		fmt.Println(value, o.Box.Center(), o.Mask)
	}
	// Output:
	// door [0 0 0] 2
	// lamp [5 0 0] 2
}

// A clone is independent, and keeps the IDs.
func ExampleMap_Clone() {
	var m linear.Map[string]
	h, _ := m.Insert(cube(0, 0, 0, 1), "crate")
	c := m.Clone()
	m.Clear()
	value, ok := c.Get(h)
	fmt.Println(m.Len(), c.Len(), value, ok)
	// Output: 0 1 crate true
}

// Set gives a value to an object that was inserted through the tree.
func ExampleMap_Set() {
	var m linear.Map[string]
	id, _ := m.Tree().InsertBall(linear.Ball{Sphere: [4]float32{0, 0, 0, 2}, Mask: 1})
	h, _ := m.Tree().Handle(id)
	_, had := m.Get(h)
	m.Set(h, "ball")
	value, has := m.Get(h)
	fmt.Println(had, value, has)
	// Output: false ball true
}

// Trim frees the memory of removed objects, and keeps the other values.
func ExampleMap_Trim() {
	var m linear.Map[string]
	objects := make([]linear.Object, 1000)
	handles, _ := m.InsertBatch(nil, objects, make([]string, 1000))
	m.Set(handles[0], "crate")
	for _, h := range handles[1:] {
		m.Delete(h)
	}
	m.Trim()
	value, ok := m.Get(handles[0])
	fmt.Println(m.Len(), value, ok)
	// Output: 1 crate true
}
