// Package adapters makes indexes of the libraries that a Go program would
// otherwise take, each used as its documentation recommends, and of a plain
// slice.
//
// What a library lacks is put in front of it where a program would do so: a
// frustum becomes the box around it and a filter, a ray the box around the part
// of it in the scene. The comment of each adapter says what. What that takes in
// memory, such as a table of the boxes that a removal must name, counts as the
// library's.
package adapters

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// noBox marks an ID in a table that is not stored.
var noBox = soa.Empty()

// table holds the boxes of the stored objects by ID.
type table []soa.AABB

func (t *table) fill(objects []soa.Object) {
	*t = make(table, len(objects))
	for i := range objects {
		(*t)[i] = objects[i].Box
	}
}

// put adds an ID that is not stored.
func (t *table) put(id uint32, b soa.AABB) {
	for len(*t) <= int(id) {
		*t = append(*t, noBox)
	}
	if (*t)[id] != noBox {
		panicStored(id)
	}
	(*t)[id] = b
}

// swap gives a stored ID another box and returns its last one.
func (t *table) swap(id uint32, b soa.AABB) (last soa.AABB) {
	if int(id) >= len(*t) || (*t)[id] == noBox {
		panicMissing(id)
	}
	last, (*t)[id] = (*t)[id], b
	return last
}

// outward returns the box in float64, a little larger: an open test of it is a
// closed one of the box, since what it is compared with was float32.
func outward(b *soa.AABB) (lo, hi [3]float64) {
	for a := range 3 {
		lo[a] = math.Nextafter(float64(b.Min[a]), math.Inf(-1))
		hi[a] = math.Nextafter(float64(b.Max[a]), math.Inf(1))
	}
	return lo, hi
}

// union returns the box around all.
func union(objects []soa.Object) soa.AABB {
	b := soa.Empty()
	for i := range objects {
		b = b.Union(objects[i].Box)
	}
	return b
}

func wide(p [3]float32) [3]float64 {
	return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
}

// byDistance orders neighbours as [index.Nearest] says.
func byDistance(a, b index.Neighbor) int {
	switch {
	case a.Dist2 != b.Dist2 && a.Dist2 < b.Dist2, a.Dist2 == b.Dist2 && a.ID < b.ID:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func panicStored(id uint32)  { panic(fmt.Sprintf("adapters: object %d is stored already", id)) }
func panicMissing(id uint32) { panic(fmt.Sprintf("adapters: object %d is not stored", id)) }
