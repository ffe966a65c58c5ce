package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/form"
)

// size is the depth function of a frustum, and its minimum size.
type size struct {
	depth [4]float32 // nx, ny, nz, d, with a normal of length 1; all zero if there are no depths
	near  [4]float32 // near plane; in a part of a scene not raised, as planes are there
	scale [3]float32 // lengths of the axes: 1, except in a part of a scene
	least float32    // minimum size; 0: none
}

// MinSize returns the frustum with a minimum size on the screen: level of detail by distance. A
// box that intersects the frustum is excluded if its longest edge is less than s times the depth
// of its nearest corner, and that corner is beyond the near plane. Depth is measured from the eye
// along the direction of view, in units of the tree. 0 excludes nothing, and costs nothing.
//
// On an image of height h of a camera with the vertical field of view a, an edge as long as s
// times its depth has at most s*h/(2*tan(a/2)) pixels, in the middle of the image: s = 1/500 is
// about one pixel of an image of 1000 lines and 90 degrees.
//
// The stored box decides, also for an object with a sphere or an oriented box, with or without
// Filter.Exact. Under the transforms of a scene (package query/scene) edges have their lengths in
// the scene. The order of an answer is stated at [Frustum.Append], and need not be the same as for the
// frustum without a minimum size.
//
// An s that is NaN, negative or infinite is an error. So is an s above 0 for a frustum without
// depth: one of [FrustumPlanes], the zero value, or a parallel projection, where objects have the
// same size at any distance. The frustum returned is then without minimum size. [FrustumBatch]
// takes no frusta with a minimum size. MinSize is a function of its arguments, and costs a copy.
//
// Cost of a query: each packet of the answer is read and tested, also where it lies wholly inside,
// but nothing of a subtree that is small (BenchmarkMinSize).
//
// # Rounding
//
// In float32, with each difference, product and sum rounded by itself, a box from lo to hi is
// excluded if
//
//	max(hix-lox, hiy-loy, hiz-loz) < s*(((nx*cx + ny*cy) + nz*cz) + d)
//	((mx*bx + my*by) + mz*bz) + e > 0
//
// where nx, ny, nz, d is the depth with a normal of length 1, computed in float64 and rounded to
// the nearest float32, and mx, my, mz, e is the near plane of [Frustum.Planes]. c and b are the
// corners of the box lowest along each: lo where a component is not negative, else hi.
//
// Each step is monotone, so a box that contains one that is not small is never small by rounding.
// The walk can therefore skip whole subtrees, and the exclusion of a box is a function of the
// frustum and the box alone: the same on every CPU, in every tree and in every form of the query.
// Depths are as precise as d is: half a step of float32 at the distance of the eye from the origin
// of the tree.
func (f Frustum) MinSize(s float32) (Frustum, error) {
	f.size = size{depth: f.size.depth}
	switch {
	case !(s >= 0 && s <= math.MaxFloat32):
		return f, fmt.Errorf("query: a minimum size of %v, want a finite one of 0 or more", s)
	case s > 0 && f.size.depth == [4]float32{}:
		return f, fmt.Errorf("query: a minimum size of %v, but the frustum has no depth: it was made of planes, or of a parallel projection", s)
	case s > 0:
		f.size.least, f.size.near, f.size.scale = s, f.planes[4], [3]float32{1, 1, 1}
	}
	return f, nil
}

// setDepth sets the depth of the frustum, about an origin, from a row of numbers that is 0 at the
// eye and grows along the direction of view. A row without direction, or beyond float32, gives no
// depth.
func (f *Frustum) setDepth(row *[4]float64, origin *[3]float64) {
	f.size = size{}
	p := *row
	scale(&p)
	n := [3]float64(p[:3])
	length := math.Sqrt(exact.Dot(n, n))
	d := (p[3] + exact.Dot(n, *origin)) / length
	if !(math.Abs(d) <= math.MaxFloat32) { // NaN without direction
		return
	}
	f.size.depth = [4]float32{float32(n[0] / length), float32(n[1] / length), float32(n[2] / length), float32(d)}
}

// open writes the minimum size, if there is one, in float64.
func (z *size) open(to *form.Volume) {
	if to.Least = z.least; z.least == 0 {
		return
	}
	for i, x := range z.depth {
		to.Depth[i], to.Front[i] = float64(x), float64(z.near[i])
	}
	to.Axes = [3][3]float64{}
	for i, x := range z.scale {
		to.Axes[i][i] = float64(x)
	}
}

// close sets the minimum size from a form.
func (z *size) close(from *form.Volume) {
	*z = size{}
	if from.Least == 0 {
		return
	}
	if depth, near, scale, ok := from.Sized(); ok {
		*z = size{depth, near, scale, from.Least}
	}
}

// nodes continues a walk by one call of the kernel, and removes small boxes from the lists of the
// call.
func (w *walk) nodes() {
	l := &w.lists
	head, queue, packets, inside := l.Head, len(l.Queue), len(l.Packets), len(l.Inside)
	w.volume.Nodes(l, w.store.Nodes.Hot, &w.nodeFilter)
	if w.size.On() {
		w.size.PruneWalk(l, w.store.Nodes.Hot, head, queue, packets, inside)
	}
}

// onlyLarge removes the lanes of small boxes from the ranges.
func (w *walk) onlyLarge() {
	w.kept = w.size.AppendRanges(w.kept[:0], w.ranges, &w.store.Packets)
	w.ranges, w.kept = w.kept, w.ranges
}
