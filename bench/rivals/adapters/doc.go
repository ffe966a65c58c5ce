// Package adapters wraps other spatial indexes for Go, and a plain slice, in the interfaces of package index.
// Each library is used as its documentation recommends.
//
// An adapter adds features that a library lacks, as a program would: a frustum query becomes a query with the
// bounding box and a filter; a ray cast becomes a query with the box around the part of the ray in the scene.
// The comment of each adapter describes its additions. Their memory, such as a table of the boxes that a
// removal must name, counts as the library's.
package adapters

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// noBox marks an unused ID in a table.
var noBox = soa.Empty()

// table holds the boxes of the stored objects by ID.
type table []soa.AABB

func (t *table) fill(objects []soa.Object) {
	*t = make(table, len(objects))
	for i := range objects {
		(*t)[i] = objects[i].Box
	}
}

// put adds an unused ID.
func (t *table) put(id uint32, b soa.AABB) {
	for len(*t) <= int(id) {
		*t = append(*t, noBox)
	}
	if (*t)[id] != noBox {
		panicStored(id)
	}
	(*t)[id] = b
}

// swap replaces the box of a stored ID and returns the former box.
func (t *table) swap(id uint32, b soa.AABB) (last soa.AABB) {
	if int(id) >= len(*t) || (*t)[id] == noBox {
		panicMissing(id)
	}
	last, (*t)[id] = (*t)[id], b
	return last
}

// outward returns the box in float64, enlarged by one step. An open test of it equals a closed test of the
// box, because the tested coordinates are float32.
func outward(b *soa.AABB) (lo, hi [3]float64) {
	for a := range 3 {
		lo[a] = math.Nextafter(float64(b.Min[a]), math.Inf(-1))
		hi[a] = math.Nextafter(float64(b.Max[a]), math.Inf(1))
	}
	return lo, hi
}

// union returns the bounding box of all objects.
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

// byDistance is the order of [index.Nearest].
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
