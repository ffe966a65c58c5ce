// Package exact has the exact geometric tests of package query and its subpackages, in float64.
// Products are rounded before they are added, so that no compiler fuses them and every CPU gives
// the same bits.
package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Widen is the relative widening of the tests of bounding spheres: far above their rounding errors
// in float64, far below the rounding errors of the float32 numbers of a tree. So there are no false negatives.
const Widen = 1 + 0x1p-40

// Dot returns the dot product.
func Dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// Length returns the length of a vector within a relative 2^-50.
func Length(v *[3]float64) float64 {
	return math.Sqrt(float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2]))
}

// BallsNear reports whether two balls, x, y, z, radius, are at most a distance apart; 0: they share a point.
//
//	|a - b| <= (ra + rb + distance) * (1 + 2^-40)
func BallsNear(a, b *[4]float32, distance float64) bool {
	var d [3]float64
	for k := range d {
		d[k] = float64(a[k]) - float64(b[k])
	}
	return math.Sqrt(Dot(d, d)) <= (float64(a[3])+float64(b[3])+distance)*Widen
}

// BallNearBox reports whether a ball and the box in a lane of a packet are at most a distance apart; 0: they
// share a point.
//
//	|a - nearest point of the box| <= (ra + distance) * (1 + 2^-40)
func BallNearBox(a *[4]float32, p *soa.Packet, lane int, distance float64) bool {
	var d [3]float64
	for k := range d {
		c := float64(a[k])
		d[k] = max(float64(p[2*k][lane])-c, c-float64(p[2*k+1][lane]), 0)
	}
	return math.Sqrt(Dot(d, d)) <= (float64(a[3])+distance)*Widen
}
