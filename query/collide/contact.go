package collide

import (
	"fmt"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Contact is a contact manifold of one point: the position, normal and penetration depth of two
// objects. The shape of an object is its bounding sphere if it has one (package linear,
// Tree.SetSphere), its oriented box if it has one (Tree.SetOriented), else its box. For an object
// with both bounds, the one with the lesser depth counts, and the sphere if the depths are equal.
//
//	box, box        Normal is the axis on which the boxes overlap least; Pos the
//	                middle of their intersection
//	ball, ball      Normal is the line of the centres
//	ball, box       Normal is the line from the centre to the nearest point of
//	                the box; from a centre in the box or on its surface, that
//	                through the nearest face
//
//	box, oriented   the same for two oriented boxes: Normal is the axis of least depth among
//	                the normals of the faces of A, the normals of the faces of B, and the normals
//	                of an edge of each, in the order of the axes of A and then B; an axis of two
//	                edges only if it is better than any face by 2^-20 of the sum of both extents
//	ball, oriented  as ball, box in the frame of the oriented box: a right-angled box that
//	                contains it, and is larger by up to 2^-17 of its half axes, if these are
//	                a little off right angles
//
// With a ball, Pos is the midpoint of the points of each shape that lie deepest in the other,
// along Normal. With the face of an oriented box, Pos lies halfway between the face and the
// deepest corner, edge or face of the other box. On either axis of the face it is the middle of
// the overlap of both boxes, moved into both if it lies outside one. With two edges it is the
// midpoint of the shortest segment between them.
//
// Moving B by Depth along Normal, or A by as much against it, is the shortest motion that makes
// them just touch, also if one contains the other. Depth is 0 for shapes that touch, and negative
// for shapes that do not: two balls or a ball and a box are then -Depth apart, and boxes that far
// on the axis on which they are furthest apart. If several normals are equal, it is the first of
// +x, -x, +y, -y, +z, -z, for a ball and a box as seen from the ball; it is +x for balls of the
// same centre. Shapes of no extent are no exception. With oriented boxes, Depth may exceed the
// shortest distance by the margins given above for edges and for the frame; the first of several
// equal axes counts, in its positive direction if both directions are equal.
//
// # Rounding
//
// Everything is computed in float64, each operation rounded, from the float32 numbers of the
// tree, and rounded to float32 at the end, numbers too large to the largest. The result is the
// same on every CPU. The error before the last rounding is below 2^-48 times the largest
// coordinate or radius, by magnitude; with oriented boxes below 2^-44 times that.
type Contact struct {
	A, B   uint32
	Pos    [3]float32
	Normal [3]float32 // of length 1, from A to B
	Depth  float32
}

// AppendContacts appends the contact of each pair of objects of the views, in their order, to dst
// and returns it. The pairs are those of [Append] or other pairs of live objects, overlapping or
// not. If a view does not hold an object of a pair, it panics with the index and the IDs of the
// pair.
//
// It takes constant time per pair, most of it to fetch the boxes; pairs in the order of Append
// find them in the cache. It allocates only when dst lacks room. A published view (package
// linear, Publisher) has no index of its objects; the call builds one first, in time proportional
// to them, so compute many contacts per call. Any number of goroutines may query one view.
func AppendContacts(dst []Contact, views Views, pairs []Pair) []Contact {
	x, y := views.stores()
	w := contactSearches.Get().(*contactSearch)
	w.x, w.y = &x.Packets, &y.Packets
	w.placesX = views.a.Locator(&w.bufX)
	if w.placesY = w.placesX; views.kind == between && views.a != views.b {
		w.placesY = views.b.Locator(&w.bufY)
	}
	dst = slices.Grow(dst, len(pairs))
	n := len(dst)
	dst = dst[:n+len(pairs)]
	var s, t solid
	for i, p := range pairs {
		if !s.find(&w.placesX, w.x, p.A) || !t.find(&w.placesY, w.y, p.B) {
			panic(fmt.Sprintf("collide: pair %d names the objects %d and %d, which are not both in the views", i, p.A, p.B))
		}
		c := &dst[n+i]
		c.A, c.B = p.A, p.B
		c.compute(&s, &t)
	}
	w.leave()
	return dst
}

// contactSearch holds the buffers and locators of a batch of contacts.
type contactSearch struct {
	x, y             *soa.PacketColumns
	placesX, placesY linear.Locator
	bufX, bufY       []soa.Location
}

var contactSearches = sync.Pool{New: func() any { return new(contactSearch) }}

// leave drops the references to the trees.
func (w *contactSearch) leave() {
	*w = contactSearch{bufX: w.bufX, bufY: w.bufY}
	contactSearches.Put(w)
}
