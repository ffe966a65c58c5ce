package collide

import (
	"fmt"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Contact is how two objects touch or penetrate each other. An object with a
// bounding sphere (package linear, Tree.SetSphere) counts as that ball, one with an
// oriented box (Tree.SetOriented) as that, any other one as its box. Of an object with
// both, that of the two counts which gives the lesser depth, the ball of equal ones.
//
//	box, box        Normal is the axis on which the boxes overlap least; Pos the
//	                middle of what they have in common
//	ball, ball      Normal is the line of the centres
//	ball, box       Normal is the line from the centre to the nearest point of
//	                the box; from a centre in the box or on its surface, that
//	                through the nearest face
//
//	box, oriented   the same for two oriented boxes: Normal is the axis of least depth of
//	                the normals of the faces of A, those of the faces of B, and those of
//	                an edge of each, in the order of the axes of A and then B; one of two
//	                edges only if it is better than any face by 2^-20 of what both reach
//	ball, oriented  as ball, box in the frame of the oriented box: one at right angles that
//	                holds it, and is larger by up to 2^-17 of its half axes, where these are
//	                a little off right angles
//
// With a ball, Pos is the middle between the points of the two that lie deepest
// in the other, along Normal. With the face of an oriented box, it lies halfway between that
// and what of the other box is deepest, a corner, an edge or a face, and in the middle of
// what both have in common on either axis of the face, moved into both if that is beside one;
// with two edges it is the middle of the shortest way between them.
//
// Moving B by Depth along Normal, or A by as much against it, is the shortest
// way to make them touch and no more, also when one holds the other. Depth is 0
// for shapes that touch, and negative for those that do not meet: two balls or a
// ball and a box are then -Depth apart, and boxes that far on the axis on which
// they are furthest apart. Where several normals serve, it is the first of +x,
// -x, +y, -y, +z, -z, of a ball and a box as seen from the ball; it is +x for
// balls of the same centre. Shapes of no extent are no exception. With oriented boxes,
// Depth may exceed the shortest way by what is said above of edges and of the frame; of
// several axes the first serves, along it if both ways do.
//
// Everything is computed in float64, each operation rounded, from the float32
// numbers of the tree, and rounded to float32 at the end, numbers too large to
// the largest: the answer is the same on every CPU. The error before the last
// rounding is below 2^-48 times the largest coordinate or radius, by size; with oriented
// boxes below 2^-44 times that.
type Contact struct {
	A, B   uint32
	Pos    [3]float32
	Normal [3]float32 // of length 1, from A to B
	Depth  float32
}

// AppendContacts appends the contact of each pair of objects of the views, in their
// order, to dst and returns it. The pairs
// are those of [Append] or others of two live objects, whether they overlap or not. A
// pair that names an object that its view does not hold is a panic that tells its
// index and IDs.
//
// It takes constant time for each pair, most of it to fetch the boxes; pairs in
// the order of Append find them in the cache. It allocates only when dst lacks
// room. A published view (package linear, Publisher) has no index of its objects;
// one is made first, in time proportional to them, so ask for many contacts at a
// time. Any number of goroutines may query one view.
func AppendContacts(dst []Contact, of Views, pairs []Pair) []Contact {
	x, y := of.stores()
	w := contactSearches.Get().(*contactSearch)
	w.x, w.y = &x.Packets, &y.Packets
	w.placesX = of.a.Locator(&w.bufX)
	if w.placesY = w.placesX; of.kind == between && of.a != of.b {
		w.placesY = of.b.Locator(&w.bufY)
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
		c.meet(&s, &t)
	}
	w.leave()
	return dst
}

// contactSearch is what a batch of contacts needs beside the pairs.
type contactSearch struct {
	x, y             *soa.PacketColumns
	placesX, placesY linear.Locator
	bufX, bufY       []soa.Location
}

var contactSearches = sync.Pool{New: func() any { return new(contactSearch) }}

// leave drops what belongs to the trees.
func (w *contactSearch) leave() {
	*w = contactSearch{bufX: w.bufX, bufY: w.bufY}
	contactSearches.Put(w)
}
