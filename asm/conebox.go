package asm

import "github.com/zoctree/zoctree/soa"

// BoxEye is a perspective as [BoxCone] takes it. What each axis has is in two lanes, as the least and the largest
// coordinate of a box are: x x y y z z, then 0 0. The ray of the point x, y of the picture is D0 + x*DX + y*DY from Ref on.
type BoxEye struct {
	Ref, D0, DX, DY [8]float64
	Reach           [8]float64 // the largest directions of rays
	Width, Height   float64    // of the picture
}

// MakeBoxEye returns the perspective of an eye at ref.
func MakeBoxEye(ref, d0, dx, dy, reach [3]float64, width, height int) BoxEye {
	return BoxEye{inLanes(ref), inLanes(d0), inLanes(dx), inLanes(dy), inLanes(reach), float64(width), float64(height)}
}

// From moves the eye.
func (e *BoxEye) From(ref [3]float64) { e.Ref = inLanes(ref) }

func inLanes(v [3]float64) [8]float64 { return [8]float64{v[0], v[0], v[1], v[1], v[2], v[2]} }

// BoxConeState is what [BoxCone] says of a box.
type BoxConeState int

const (
	ConeUnknown BoxConeState = iota // not done
	ConeNone                        // nothing to draw
	ConeMade
)

// BoxCone makes the cone of a box in float64, all lines of its silhouette at once, but for Limit. A plane differs in a pixel by at most spread.
// Who calls it makes the cone where the answer is [ConeUnknown]: on the tiers that have no such kernel, and of a plane beyond
// what numbers can say.
//
// What it computes, and why that holds, is told at package query/occlude, whose drawBox is the twin.
func BoxCone(to *Cone, b *soa.AABB, e *BoxEye) (spread float64, state BoxConeState) {
	return boxCone(to, b, e, 1)
}
