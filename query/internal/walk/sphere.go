package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Sphere is a sphere query.
type Sphere struct{ sphere cull.Sphere }

// Set sets the centre and the radius.
func (b *Sphere) Set(center *[3]float32, radius float32) { b.sphere.Set(center, radius) }

// Center returns the centre.
func (b *Sphere) Center() [3]float32 { return b.sphere.Center }

// Kernel returns the sphere in the form of the kernels.
func (b *Sphere) Kernel() *cull.Sphere { return &b.sphere }

// Begin takes a walk from the pool and prepares the sphere for the store.
func (b *Sphere) Begin(s *soa.Store) *Walk {
	w := take(s)
	w.volume.Shape, w.volume.Sphere = cull.ShapeSphere, b.sphere
	if b.sphere.Scale == 0 { // the zero value
		w.volume.Sphere = cull.MakeSphere([3]float32{}, 0)
	}
	return w
}

// Lift writes the sphere in float64.
func (b *Sphere) Lift(to *Volume) {
	to.Kind, to.Spherical, to.Radius = KindBall, true, 0
	to.Off = [3]float64{}
	for a, x := range b.sphere.Center {
		to.Center[a] = float64(x)
	}
	if b.sphere.Scale != 0 {
		// Not below the radius from which the limit was computed.
		to.Radius = math.Sqrt(float64(b.sphere.Limit)) / float64(b.sphere.Scale)
	}
	// The kernels find every object in the ball of radius Inner, with any rounding.
	to.Inner = to.Radius * (1 - 0x1p-21)
}
