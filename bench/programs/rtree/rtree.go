// Package rtree is an index of rectangles with the call shape of github.com/tidwall/rtree, made of an octree: a program
// that inserts, deletes and searches imports a copy of this package instead of that path. The module here cannot be
// imported, as it replaces zoctree by a folder. Bounds, Copy, Nearby, Children and RTreeGN are missing.
//
//	var tree rtree.RTreeG[string]
//	tree.Insert([2]float64{-112, 33}, [2]float64{-112, 33}, "PHX")
//	tree.Search([2]float64{-113, 32}, [2]float64{-111, 34}, func(min, max [2]float64, name string) bool { return true })
//
// # How it works
//
// The octree stores the rectangle, rounded outward to float32, as a box at height 0. A search compares the float64
// rectangles of the boxes that it finds, so the results are exact. Their order is a function of the calls.
package rtree

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// RTree is an RTreeG of any data.
type RTree = RTreeG[any]

// RTreeG is a set of rectangles with data. The zero value is empty and ready to use. One goroutine may change it, while
// none searches; between changes any number of goroutines may search. It must not be copied.
type RTreeG[T any] struct {
	index linear.Tree
	items []item[T] // by ID
}

type item[T any] struct {
	min, max [2]float64
	data     T
}

// box returns the float32 box of a rectangle. Coordinates beyond float32 become its largest numbers, which keeps
// rectangles overlapping that do. It panics for NaN, and for a min above max.
func box(min, max [2]float64) linear.AABB {
	const most = math.MaxFloat32
	var b linear.AABB64
	for d := range min {
		if !(min[d] <= max[d]) {
			panic(fmt.Sprintf("rtree: rectangle from %v to %v", min, max))
		}
		b.Min[d], b.Max[d] = math.Min(math.Max(min[d], -most), most), math.Min(math.Max(max[d], -most), most)
	}
	return b.Box([3]float64{})
}

// Insert adds a rectangle with data. It panics for NaN and for a min above max.
func (tr *RTreeG[T]) Insert(min, max [2]float64, data T) {
	id, err := tr.index.Insert(linear.Object{Box: box(min, max)})
	if err != nil {
		panic(fmt.Sprintf("rtree: %v", err))
	}
	for int(id) >= len(tr.items) {
		tr.items = append(tr.items, item[T]{})
	}
	tr.items[id] = item[T]{min: min, max: max, data: data}
}

// Search calls iter for each rectangle that intersects the closed one from min to max, until iter returns false. It
// panics for NaN and for a min above max. Changes to the tree by iter make it panic.
func (tr *RTreeG[T]) Search(min, max [2]float64, iter func(min, max [2]float64, data T) bool) {
	for id := range tr.hits(min, max) {
		it := &tr.items[id]
		if it.min[0] <= max[0] && it.min[1] <= max[1] && it.max[0] >= min[0] && it.max[1] >= min[1] && !iter(it.min, it.max, it.data) {
			return
		}
	}
}

// hits returns the IDs of the boxes that intersect a rectangle.
func (tr *RTreeG[T]) hits(min, max [2]float64) func(yield func(id uint32) bool) {
	around := box(min, max)
	b, err := query.NewBox(around.Min, around.Max)
	if err != nil {
		panic(fmt.Sprintf("rtree: %v", err)) // no finite box has an error
	}
	return b.All(tr.index.View(), query.Filter{})
}

// Delete removes one rectangle with exactly these bounds and data equal by ==. It does nothing if there is none, and
// panics as Insert and as == do. The other package removes one within the bounds, so that both agree when no two
// rectangles have equal data.
func (tr *RTreeG[T]) Delete(min, max [2]float64, data T) { tr.remove(min, max, data) }

// Replace removes a rectangle as Delete does and, if there was one, inserts another.
func (tr *RTreeG[T]) Replace(oldMin, oldMax [2]float64, oldData T, newMin, newMax [2]float64, newData T) {
	box(newMin, newMax) // panics before anything has changed
	if tr.remove(oldMin, oldMax, oldData) {
		tr.Insert(newMin, newMax, newData)
	}
}

func (tr *RTreeG[T]) remove(min, max [2]float64, data T) (removed bool) {
	for id := range tr.hits(min, max) {
		it := &tr.items[id]
		if it.min == min && it.max == max && any(it.data) == any(data) {
			if err := tr.index.Remove(id); err != nil {
				panic(fmt.Sprintf("rtree: %v", err))
			}
			*it = item[T]{}
			return true
		}
	}
	return false
}

// Scan calls iter for each rectangle, until iter returns false.
func (tr *RTreeG[T]) Scan(iter func(min, max [2]float64, data T) bool) {
	for id := range tr.index.View().All() {
		if it := &tr.items[id]; !iter(it.min, it.max, it.data) {
			return
		}
	}
}

// Len returns the number of rectangles.
func (tr *RTreeG[T]) Len() int { return tr.index.Len() }

// Clear removes all rectangles.
func (tr *RTreeG[T]) Clear() {
	tr.index.Clear()
	clear(tr.items)
	tr.items = tr.items[:0]
}
