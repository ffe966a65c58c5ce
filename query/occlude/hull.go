package occlude

import (
	"errors"
	"fmt"
	"math"
)

// Hull is a convex polyhedron or a flat convex polygon that occludes. Make one with [NewHull], [NewPrism] or
// [NewPolygon] and draw it with [Culler.DrawHulls], any number of times and under any transform. It is
// immutable: any number of goroutines may use it, and copies share its memory. The zero Hull is empty.
type Hull struct {
	points [][3]float64
	faces  [][]int32 // corners, counterclockwise seen from outside
	edges  []edge
}

// edge joins two faces: left has its corners in the order from, to, right in the reverse order.
type edge struct {
	from, to, left, right int32
}

// MaxCorners is the maximum number of corners of a [Hull], and of its faces.
const MaxCorners = 32

// bend is the tolerance of flat faces and of convexity, relative to the size of the hull.
const bend = 0x1p-20

// NewHull returns the convex polyhedron with these corners and faces. A face lists its corners around, all
// faces in the same sense seen from outside. The error names the numbers. It is an error if
//
//   - there are more than [MaxCorners] corners or faces
//   - a corner is not finite, or a face lists a corner that does not exist
//   - the faces do not close: every edge needs a face on either side
//   - the polyhedron is flat
//   - a corner is outside a face's plane by more than 2^-20 of the size of the polyhedron
//
// Smaller deviations, as rounding causes them, are harmless: the shape that is drawn lies in the convex hull
// of the corners.
func NewHull(corners [][3]float32, faces [][]int32) (Hull, error) {
	h, err := newHull(corners, faces)
	if err != nil {
		return Hull{}, err
	}
	volume, size := 0.0, h.size()
	for i := range h.faces {
		volume += dot(h.normal(i), minus(h.points[h.faces[i][0]], h.points[0]))
	}
	if !(math.Abs(volume) > float64(bend*size*size*size)) {
		return Hull{}, fmt.Errorf("occlude: a hull of corners %v is flat: see NewPolygon", corners)
	}
	if volume < 0 { // faces are clockwise
		h.turn()
	}
	for i := range h.faces {
		n := h.normal(i)
		l := length(n)
		if l == 0 {
			return Hull{}, fmt.Errorf("occlude: face %d of a hull, corners %v, has no area", i, faces[i])
		}
		for k, p := range h.points {
			if off := dot(n, minus(p, h.points[h.faces[i][0]])) / l; off > bend*size {
				return Hull{}, fmt.Errorf("occlude: corner %d of a hull, %v, is outside face %d by %g", k, corners[k], i, off)
			}
		}
	}
	return h, nil
}

// NewPrism returns the prism over a convex polygon of x and y, from z0 to z1, for example over the footprint
// of a building. The base lists its corners around in any sense. Errors are those of [NewHull]; a prism has
// twice the corners of its base.
func NewPrism(base [][2]float32, z0, z1 float32) (Hull, error) {
	n := int32(len(base))
	var corners [][3]float32
	for _, z := range [2]float32{z0, z1} {
		for _, p := range base {
			corners = append(corners, [3]float32{p[0], p[1], z})
		}
	}
	floor, top := make([]int32, n), make([]int32, n)
	faces := [][]int32{floor, top}
	for i := range n {
		next := (i + 1) % n
		floor[n-1-i], top[i] = i, n+i
		faces = append(faces, []int32{i, next, n + next, n + i})
	}
	return NewHull(corners, faces)
}

// NewPolygon returns a flat convex occluder: a wall without thickness, which hides from both sides. The
// corners are listed around, in any sense. It is an error if there are fewer than 3 or more than
// [MaxCorners], if one is not finite, or if they do not form a flat convex polygon with an area, up to 2^-20
// of its size.
func NewPolygon(corners ...[3]float32) (Hull, error) {
	n := int32(len(corners))
	front, back := make([]int32, n), make([]int32, n)
	for i := range n {
		front[i], back[n-1-i] = i, i
	}
	h, err := newHull(corners, [][]int32{front, back})
	if err != nil {
		return Hull{}, err
	}
	normal, size := h.normal(0), h.size()
	l := length(normal)
	if !(l > float64(bend*size*size)) {
		return Hull{}, fmt.Errorf("occlude: a polygon of corners %v has no area", corners)
	}
	for i := range n {
		p, q := h.points[i], h.points[(i+1)%n]
		inward := cross(normal, minus(q, p))
		for k, r := range h.points {
			d := minus(r, p)
			if math.Abs(dot(normal, d)) > float64(bend*size*l) || dot(inward, d) < -float64(bend*size*length(inward)) {
				return Hull{}, fmt.Errorf("occlude: a polygon of corners %v is not flat and convex at corner %d", corners, k)
			}
		}
	}
	return h, nil
}

// newHull checks corners and whether the faces close.
func newHull(corners [][3]float32, faces [][]int32) (h Hull, err error) {
	if len(corners) < 3 || len(corners) > MaxCorners || len(faces) < 2 || len(faces) > MaxCorners {
		return h, fmt.Errorf("occlude: a hull of %d corners and %d faces, at most %d of each are possible", len(corners), len(faces), MaxCorners)
	}
	for i, p := range corners {
		q := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
		if !(sum(q) <= math.MaxFloat64) {
			return h, fmt.Errorf("occlude: corner %d of a hull, %v, is not finite", i, p)
		}
		h.points = append(h.points, q)
	}
	var by [MaxCorners][MaxCorners]int32 // 1 + the face with the edge from, to
	for f, face := range faces {
		if len(face) < 3 {
			return h, fmt.Errorf("occlude: face %d of a hull has %d corners, want 3 or more", f, len(face))
		}
		for i, from := range face {
			to := face[(i+1)%len(face)]
			if uint32(from) >= uint32(len(corners)) || uint32(to) >= uint32(len(corners)) || from == to {
				return h, fmt.Errorf("occlude: face %d of a hull of %d corners has an edge from %d to %d", f, len(corners), from, to)
			}
			if by[from][to] != 0 {
				return h, fmt.Errorf("occlude: faces %d and %d of a hull both have the edge from corner %d to %d", by[from][to]-1, f, from, to)
			}
			by[from][to] = int32(f) + 1
		}
		h.faces = append(h.faces, append([]int32(nil), face...))
	}
	for from := range h.points {
		for to := range h.points {
			left, right := by[from][to], by[to][from]
			if left != 0 && right == 0 {
				return h, fmt.Errorf("occlude: face %d of a hull has the edge from corner %d to %d, and no face has its reverse", left-1, from, to)
			}
			if left != 0 && from < to {
				h.edges = append(h.edges, edge{int32(from), int32(to), left - 1, right - 1})
			}
		}
	}
	return h, nil
}

// turn reverses the orientation of the faces.
func (h *Hull) turn() {
	for _, face := range h.faces {
		for i, j := 0, len(face)-1; i < j; i, j = i+1, j-1 {
			face[i], face[j] = face[j], face[i]
		}
	}
	for i, e := range h.edges {
		h.edges[i] = edge{e.from, e.to, e.right, e.left}
	}
}

// size returns the largest distance of a corner from the first one, on an axis.
func (h *Hull) size() (size float64) {
	for _, p := range h.points {
		size = max(size, biggest(minus(p, h.points[0])))
	}
	return size
}

// normal returns the outward normal of a face. Its length is twice the area of the face.
func (h *Hull) normal(face int) [3]float64 { return normalOf(h.points, h.faces[face]) }

func normalOf(points [][3]float64, face []int32) (n [3]float64) {
	first := points[face[0]]
	for i := 2; i < len(face); i++ {
		c := cross(minus(points[face[i-1]], first), minus(points[face[i]], first))
		for a := range 3 {
			n[a] += c[a]
		}
	}
	return n
}

// cube is the cube from -1 to 1 on each axis, for oriented boxes.
var cube = must(NewHull(
	[][3]float32{{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}},
	[][]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}},
))

func must(h Hull, err error) Hull {
	if err != nil {
		panic(errors.Join(errors.New("unreachable: the cube is a hull"), err))
	}
	return h
}
