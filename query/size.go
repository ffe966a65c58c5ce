package query

import (
	"fmt"
	"math"
)

// MinSize returns the frustum with a minimum size on the screen: level of detail by distance.
// [Frustum.Levels] returns the levels of the objects that it keeps. A
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
// same size at any distance. The frustum returned is then without minimum size. MinSize is a
// function of its arguments, and costs a copy.
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
	q := f.q()
	q.SetMinSize(0)
	switch {
	case !(s >= 0 && s <= math.MaxFloat32):
		return f, fmt.Errorf("query: a minimum size of %v, want a finite one of 0 or more", s)
	case s > 0 && !q.HasDepth():
		return f, fmt.Errorf("query: a minimum size of %v, but the frustum has no depth: it was made of planes, or of a parallel projection", s)
	}
	q.SetMinSize(s)
	return f, nil
}
