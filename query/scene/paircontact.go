package scene

import (
	"fmt"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Contact is the contact manifold of a pair, of one point: position, normal and depth, in the
// space of the part of the pair. Moving B by Depth along Normal, or A by as much against it, is
// the shortest motion that makes them just touch. Depth is negative for objects that do not
// overlap.
//
//	one tree            both paths are empty: the contact of package collide
//	box, box            images of boxes, parallelepipeds. Normal is the axis on which they
//	                    overlap least of the normals of the faces of A, those of B, and those
//	                    to an edge of A and one of B, in the order of edges x, y, z; the
//	                    first of equal ones. Pos on a face is the middle of the overlap of the
//	                    deepest face, edge or corner of the other and the box around it in the
//	                    space of the one, and halfway to the face; this also applies to two edges
//	                    whose normal is that of a face. Else Pos is the midpoint of the closest
//	                    points of the two edges.
//	ball, ball          of package collide, of their images
//	ball, box           the same, in the space of the box
//
// An oriented box counts as any other box. The shape of an object is its bounding sphere, if it
// has one and all transforms on the paths of both are similarities. It is also its oriented box,
// if it has one. Without these it is its box. Of several shapes the two of least depth make the
// contact, the first of equal ones, spheres before oriented boxes. The normal to edges of no
// length is arbitrary, and so is Pos for two shapes that do not overlap along a face.
//
// # Rounding
//
// It is computed in float64 and rounded to float32 at the end, numbers too large to the largest.
// Before that it is off by at most 2^-20 of the magnitudes of the summands of the coordinates of
// the two: edges whose angle is below 2^-26 count as parallel. Radii are off by 2^-16 for each
// transform of the kind [linear.TransformSimilarity].
type Contact struct {
	Pair
	Pos    [3]float32
	Normal [3]float32 // of length 1, from A to B
	Depth  float32
}

// AppendContacts appends the contact of each pair, in their order, to dst and returns it. The
// pairs are pairs of [AppendPairs] of the view or others, overlapping or not. If a part, an
// instance or an object of a pair does not exist, it panics with the index of the pair.
//
// The time is that of the separating axis test of each pair, and of following their paths. It
// allocates only when dst lacks room. Any number of goroutines may query one view.
func AppendContacts(dst []Contact, v linear.SceneView, pairs []Pair) []Contact {
	w := touches.Get().(*contacts)
	for _, part := range v.Parts() {
		w.parts = append(w.parts, part)
	}
	for i := 0; i < len(pairs); {
		p := &pairs[i]
		if uint64(p.Part) >= uint64(len(w.parts)) {
			panic(fmt.Sprintf("scene: pair %d is of part %d, there are %d", i, p.Part, len(w.parts)))
		}
		part := w.parts[p.Part]
		if p.A.Path.n|p.B.Path.n != 0 {
			dst = append(dst, Contact{Pair: *p})
			if !w.compute(&dst[len(dst)-1], part) {
				panic(fmt.Sprintf("scene: pair %d of part %d names the objects %d of %v and %d of %v, which do not both exist", i, p.Part, p.A.ID, p.A.Path, p.B.ID, p.B.Path))
			}
			i++
			continue
		}
		w.pairs = w.pairs[:0] // as many as pairs of one tree
		from := i
		for ; i < len(pairs) && pairs[i].Part == p.Part && pairs[i].A.Path.n|pairs[i].B.Path.n == 0; i++ {
			w.pairs = append(w.pairs, collide.Pair{A: pairs[i].A.ID, B: pairs[i].B.ID})
		}
		w.found = collide.AppendContacts(w.found[:0], collide.Within(part.Objects()), w.pairs)
		for k, c := range w.found {
			dst = append(dst, Contact{pairs[from+k], c.Pos, c.Normal, c.Depth})
		}
	}
	clear(w.parts)
	clear(w.a[:])
	clear(w.b[:])
	w.parts = w.parts[:0]
	touches.Put(w)
	return dst
}

// contacts is the state of one call, taken from a pool.
type contacts struct {
	parts []linear.SceneView
	pairs []collide.Pair
	found []collide.Contact
	a, b  [linear.MaxDepth + 1]pairSide // the paths to both objects
	x, y  figure
}

var touches = sync.Pool{New: func() any { return new(contacts) }}

// followPath follows a path. It returns nil if the path does not exist.
func followPath(way *[linear.MaxDepth + 1]pairSide, part linear.SceneView, path *Path) *pairSide {
	way[0].top(part)
	for i, id := range path.ids[:path.n] {
		if _, ok := way[i].view.Instances().Object(id); !ok || !way[i+1].enter(&way[i], id) {
			return nil
		}
	}
	return &way[path.n]
}

// compute computes the contact of a pair. It returns false if the objects do not exist.
func (w *contacts) compute(c *Contact, part linear.SceneView) bool {
	s, t := followPath(&w.a, part, &c.A.Path), followPath(&w.b, part, &c.B.Path)
	if s == nil || t == nil || !w.x.find(s, c.A.ID) || !w.y.find(t, c.B.ID) {
		return false
	}
	x, y := &w.x, &w.y
	if !s.similar() || !t.similar() {
		x.hasSphere, y.hasSphere = false, false
	}
	d := Contact{Pair: c.Pair}
	first := true
	for _, a := range [2]bool{true, false} { // as a ball?
		for _, b := range [2]bool{true, false} {
			if !x.can(a) || !y.can(b) {
				continue
			}
			if d.one(x, y, a, b); first || d.Depth < c.Depth {
				*c, first = d, false
			}
		}
	}
	return true
}

// can reports whether a figure can be treated as a ball, or as its other shape.
func (f *figure) can(ball bool) bool { return f.hasSphere == ball || f.hasSphere && f.tilted }

// one computes the contact of two figures, as balls or as boxes.
func (c *Contact) one(x, y *figure, a, b bool) {
	switch {
	case a && b:
		c.balls(x, y)
	case a:
		c.ballBox(x, y)
	case b:
		c.ballBox(y, x)
		for k, n := range c.Normal {
			c.Normal[k] = 0 - n
		}
	default:
		c.boxes(x, y)
	}
}
