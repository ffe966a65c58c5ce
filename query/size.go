package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/form"
)

// size is what a frustum knows of depths, and the least size that it asks for.
type size struct {
	depth [4]float32 // nx, ny, nz, d, with a normal of length 1; none: there are no depths
	near  [4]float32 // the near plane; in a part of a scene not raised, as planes are there
	scale [3]float32 // of edges: 1, but in a part of a scene
	least float32    // 0: none
}

// MinSize returns the frustum without what is small on the picture: level of detail by
// distance. A box that the frustum meets is left out if its longest edge is less than s times the
// depth of its nearest corner, and that corner is beyond the near plane. Depth is measured
// from the eye along the direction of view, in units of the tree. On a picture of height h of a
// camera with the vertical field of view a, an edge as long as s times its depth has at
// most s*h/(2*tan(a/2)) pixels, in the middle of the picture: s = 1/500 is about one pixel of a
// picture of 1000 lines and 90 degrees. 0 means that nothing is left out, and costs nothing.
//
// In float32, with each difference, product and sum rounded by itself, a box from lo to hi is left
// out if
//
//	max(hix-lox, hiy-loy, hiz-loz) < s*(((nx*cx + ny*cy) + nz*cz) + d)
//	((mx*bx + my*by) + mz*bz) + e > 0
//
// where nx, ny, nz, d is the depth with a normal of length 1, computed in float64 and rounded to the
// nearest float32, mx, my, mz, e the near plane of [Frustum.Planes], and c and b are the corners of
// the box lowest along each: lo where a component is not negative, else hi. Each step is monotone, so no
// rounding makes a box small that holds one which is not: the walk leaves out whole subtrees, and what
// it leaves out is a function of the frustum and the box alone, the same on every CPU, in every tree
// and in every form of the query. Depths are as precise as d is: half a step of float32 at the distance
// of the eye from the origin of the tree.
//
// The stored box decides, also of an object with a sphere or an oriented box, whatever
// Filter.Exact says. Under the poses of a scene (package query/scene) edges are as long as they
// are in the scene. The order of an answer is told at [Frustum.Append], and need not be that of
// the frustum without a least size.
//
// Cost: each packet of the answer is read and tested, also where all of it lies inside, but nothing
// of a subtree that is small (BenchmarkLeastSize).
//
// An s that is NaN, negative or infinite is an error, and so is one above 0 where there is no depth: of
// a frustum of [FrustumPlanes] or the zero one, and of a parallel projection, where things look
// as large at any distance. The frustum returned is then without least size. [FrustumBatch] takes
// none with one. It is a function of its arguments, and costs a copy.
func (f Frustum) MinSize(s float32) (Frustum, error) {
	f.size = size{depth: f.size.depth}
	switch {
	case !(s >= 0 && s <= math.MaxFloat32):
		return f, fmt.Errorf("query: a least size of %v, want a finite one of 0 or more", s)
	case s > 0 && f.size.depth == [4]float32{}:
		return f, fmt.Errorf("query: a least size of %v, but the frustum has no depth: it is one of planes, or of a parallel projection", s)
	case s > 0:
		f.size.least, f.size.near, f.size.scale = s, f.planes[4], [3]float32{1, 1, 1}
	}
	return f, nil
}

// setDepth makes a row of numbers that are 0 at the eye and grow along the direction of view the
// depth of the frustum, about an origin. A row without direction is none, and neither is one beyond float32.
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

// open writes the least size, if there is one, in float64.
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

// close makes the least size that of a form.
func (z *size) close(from *form.Volume) {
	*z = size{}
	if from.Least == 0 {
		return
	}
	if depth, near, scale, ok := from.Sized(); ok {
		*z = size{depth, near, scale, from.Least}
	}
}

// nodes goes on with a walk by one call of the kernel, and leaves out what is small of what that found.
func (w *walk) nodes() {
	l := &w.lists
	head, queue, packets, inside := l.Head, len(l.Queue), len(l.Packets), len(l.Inside)
	w.volume.Nodes(l, w.store.Nodes.Hot, &w.nodeFilter)
	if w.size.On() {
		l.Prune(&w.size, w.store.Nodes.Hot, head, queue, packets, inside)
	}
}

// onlyLarge leaves the lanes of the ranges that are not small.
func (w *walk) onlyLarge() {
	w.kept = w.size.AppendRanges(w.kept[:0], w.ranges, &w.store.Packets)
	w.ranges, w.kept = w.kept, w.ranges
}
