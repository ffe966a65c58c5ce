package scene

import (
	"fmt"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Contact is how the two objects of a pair touch or penetrate each other, in the space of the
// part that the pair is of. Moving B by Depth along Normal, or A by as much against it, is the
// shortest way to make them touch and no more. Depth is negative for those that do not meet.
//
//	one tree            both paths are empty: the contact of package collide
//	box, box            images of boxes, parallelepipeds. Normal is the axis on which they
//	                    overlap least of the normals of the faces of A, those of B, and those
//	                    to an edge of A and one of B, in the order of edges x, y, z; the
//	                    first of equal ones. Pos is, on a face, the middle of what the deepest
//	                    face, edge or corner of the other has in common with the box around it
//	                    in the space of the one, and halfway to the face, which is that of two
//	                    edges, too, where their normal is one; else the middle of where the two
//	                    edges are nearest.
//	ball, ball          of package collide, of their images
//	ball, box           the same, in the space of the box
//
// An oriented box is a box as any other. An object counts as its bounding
// sphere, if it has one and all poses on the paths of both are similarities, and as its oriented
// box, if it has one, else as its box: of all these the two that are least deep make the
// contact, the first of equal ones, spheres before oriented boxes. Normals to edges of no length
// are as good as any; where two that do not meet are beside each other, so is Pos.
//
// It is computed in float64 and rounded to float32 at the end, numbers too large to the
// largest; before that it is off by at most 2^-20 of the sizes of the numbers that were added up
// to the coordinates of the two: edges whose angle is below 2^-26 count as parallel. Radii are off
// by 2^-16 for each pose of the kind [linear.TransformSimilarity].
type Contact struct {
	Pair
	Pos    [3]float32
	Normal [3]float32 // of length 1, from A to B
	Depth  float32
}

// AppendContacts appends the contact of each pair, in their order, to dst and returns it. The
// pairs are those of [AppendPairs] of the view or others, whether they overlap or not. A pair
// that names a part, a place or an object that is not there is a panic that tells its index.
//
// It takes the time of the separating axes of each pair, and to go through their paths. It
// allocates only when dst lacks room. Any number of goroutines may ask one view.
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
			if !w.meet(&dst[len(dst)-1], part) {
				panic(fmt.Sprintf("scene: pair %d of part %d names the objects %d of %v and %d of %v, which are not both there", i, p.Part, p.A.ID, p.A.Path, p.B.ID, p.B.Path))
			}
			i++
			continue
		}
		w.flat = w.flat[:0] // as many as there are of one tree
		from := i
		for ; i < len(pairs) && pairs[i].Part == p.Part && pairs[i].A.Path.n|pairs[i].B.Path.n == 0; i++ {
			w.flat = append(w.flat, collide.Pair{A: pairs[i].A.ID, B: pairs[i].B.ID})
		}
		w.found = collide.AppendContacts(w.found[:0], collide.Within(part.Objects()), w.flat)
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

// contacts is the work of one call, taken from a pool.
type contacts struct {
	parts []linear.SceneView
	flat  []collide.Pair
	found []collide.Contact
	a, b  [linear.MaxDepth + 1]party // the ways to both objects
	x, y  figure
}

var touches = sync.Pool{New: func() any { return new(contacts) }}

// follow goes along a path. It returns nil if that leads nowhere.
func follow(way *[linear.MaxDepth + 1]party, part linear.SceneView, path *Path) *party {
	way[0].top(part)
	for i, id := range path.ids[:path.n] {
		if _, ok := way[i].view.Instances().Object(id); !ok || !way[i+1].place(&way[i], id) {
			return nil
		}
	}
	return &way[path.n]
}

// meet fills in the contact of a pair. It reports false if there are no such objects.
func (w *contacts) meet(c *Contact, part linear.SceneView) bool {
	s, t := follow(&w.a, part, &c.A.Path), follow(&w.b, part, &c.B.Path)
	if s == nil || t == nil || !w.x.find(s, c.A.ID) || !w.y.find(t, c.B.ID) {
		return false
	}
	x, y := &w.x, &w.y
	if !s.round || !t.round {
		x.round, y.round = false, false
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

// can reports whether a figure is to be taken as a ball, or as what it is else.
func (f *figure) can(ball bool) bool { return f.round == ball || f.round && f.tilted }

// one fills in the contact of two figures, as balls or as boxes.
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
