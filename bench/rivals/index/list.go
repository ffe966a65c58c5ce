package index

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Item is an object in the list of a node.
type Item struct {
	soa.Object
	ID uint32
}

// List is the objects of a node, in any order.
type List []Item

// Append appends the IDs of the objects that intersect the volume to dst.
func (l List) Append(dst []uint32, v *Volume) []uint32 {
	for i := range l {
		if v.Meets(&l[i].Box) {
			dst = append(dst, l[i].ID)
		}
	}
	return dst
}

// All appends the IDs of all objects to dst.
func (l List) All(dst []uint32) []uint32 {
	for i := range l {
		dst = append(dst, l[i].ID)
	}
	return dst
}

// Hits collects the hits of the ray.
func (l List) Hits(r *Ray, found *Found) {
	for i := range l {
		if at, ok := r.Enter(&l[i].Box); ok {
			found.Take(l[i].ID, at)
		}
	}
}

// First updates the best hit so far with the hits of the ray.
func (l List) First(r *Ray, f *First) {
	for i := range l {
		if at, ok := r.Enter(&l[i].Box); ok {
			f.Take(l[i].ID, at)
		}
	}
}

// Overlaps reports whether the boxes of two objects share a point and not both are static.
func (it *Item) Overlaps(other *Item) bool {
	return !(it.Static && other.Static) && it.Box.Overlaps(other.Box)
}

// Pairs calls yield for each object of the list that overlaps a.
func (l List) Pairs(a *Item, yield func(a, b uint32)) {
	for i := range l {
		if b := &l[i]; a.Overlaps(b) {
			yield(a.ID, b.ID)
		}
	}
}

// Bytes returns the memory of the list, capacity included.
func (l List) Bytes() int { return cap(l) * int(unsafe.Sizeof(Item{})) }

// Part sorts the list by part, with spare, which is as long, as scratch memory. It sets ends to the end of
// each part. of returns the part of an item, below len(ends).
func (l List) Part(spare List, ends []int, of func(it *Item) int) {
	clear(ends)
	for i := range l {
		ends[of(&l[i])]++
	}
	sum := 0
	for p, c := range ends {
		ends[p] = sum
		sum += c
	}
	for i := range l {
		p := of(&l[i])
		spare[ends[p]] = l[i]
		ends[p]++
	}
}
