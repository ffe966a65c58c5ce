package depth

import "github.com/zoctree/zoctree/soa"

// BoxEye is a perspective camera in the layout of [BoxCone]. Each axis has two lanes, for the
// minimum and the maximum of a box: x x y y z z, then 0 0. The ray of the point x, y of the picture
// starts at Ref and has the direction D0 + x*DX + y*DY.
type BoxEye struct {
	Ref, D0, DX, DY [8]float64
	Reach           [8]float64 // largest absolute ray direction of each axis
	Width, Height   float64    // of the picture, in pixels
}

// MakeBoxEye returns the perspective camera with its eye at ref.
func MakeBoxEye(ref, d0, dx, dy, reach [3]float64, width, height int) BoxEye {
	return BoxEye{inLanes(ref), inLanes(d0), inLanes(dx), inLanes(dy), inLanes(reach), float64(width), float64(height)}
}

// From moves the eye to ref.
func (e *BoxEye) From(ref [3]float64) { e.Ref = inLanes(ref) }

func inLanes(v [3]float64) [8]float64 { return [8]float64{v[0], v[0], v[1], v[1], v[2], v[2]} }

// BoxConeState says whether [BoxCone] has computed the silhouette that a culler draws for an occluder.
type BoxConeState int

const (
	ConeUnknown BoxConeState = iota // not computed
	ConeNone                        // empty silhouette: nothing to draw
	ConeMade
)

// BoxCone computes the silhouette of an occluder, a box, as a [Cone] in float64, all lines at once. It does not
// set Limit. Within a pixel a plane differs by at most spread. It returns [ConeUnknown] on tiers
// without such a kernel, and for planes outside the range of the numbers; the caller then computes
// the cone itself.
//
// Package query/occlude documents the formulas and their proof; its boxCone is the reference.
func BoxCone(to *Cone, b *soa.AABB, e *BoxEye) (spread float64, state BoxConeState) {
	return boxCone(to, b, e, 1)
}
