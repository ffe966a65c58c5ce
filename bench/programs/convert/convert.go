// Package convert converts between the types of this library and those of other geometry packages: vectors and boxes of
// gonum.org/v1/gonum/spatial/r3, and points and bounds of github.com/paulmach/orb.
//
// The library's own types are arrays, so that vectors of packages whose types are arrays, too, such as mgl32.Vec3,
// convert without any function: linear.AABB{Min: [3]float32(v)}. A matrix that is a [16]float32 is an argument of
// query.FrustumColumnMajor and linear.TransformColumnMajor as it is.
//
// A box is rounded outward, so that queries find all that the float64 box intersects. The functions do not allocate,
// and any number of goroutines may call them.
package convert

import (
	"github.com/paulmach/orb"
	"github.com/zoctree/zoctree/linear"
	"gonum.org/v1/gonum/spatial/r3"
)

// FromVec returns the numbers of a vector rounded to float32, to nearest. Use FromBox for objects: a rounded point is
// not where the exact one is.
func FromVec(v r3.Vec) [3]float32 { return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)} }

// ToVec returns a vector with the same numbers.
func ToVec(p [3]float32) r3.Vec {
	return r3.Vec{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
}

// FromBox returns the smallest box that contains another, relative to an origin. Coordinates beyond float32 become
// infinite, which trees reject.
func FromBox(b r3.Box, origin r3.Vec) linear.AABB {
	wide := linear.AABB64{Min: [3]float64{b.Min.X, b.Min.Y, b.Min.Z}, Max: [3]float64{b.Max.X, b.Max.Y, b.Max.Z}}
	return wide.Box([3]float64{origin.X, origin.Y, origin.Z})
}

// ToBox returns a box with the same numbers.
func ToBox(b linear.AABB) r3.Box { return r3.Box{Min: ToVec(b.Min), Max: ToVec(b.Max)} }

// FromBound returns the smallest box at height 0 that contains a bound, relative to an origin. An origin near the data
// keeps the digits of longitudes and latitudes: float32 has steps of 1.5e-5 degrees, or 1.7 metres, near 180.
func FromBound(b orb.Bound, origin orb.Point) linear.AABB {
	wide := linear.AABB64{Min: [3]float64{b.Min[0], b.Min[1]}, Max: [3]float64{b.Max[0], b.Max[1]}}
	return wide.Box([3]float64{origin[0], origin[1]})
}

// ToBound returns the bound of a box without its heights: a box relative to the origin (0, 0).
func ToBound(b linear.AABB) orb.Bound {
	return orb.Bound{Min: orb.Point{float64(b.Min[0]), float64(b.Min[1])}, Max: orb.Point{float64(b.Max[0]), float64(b.Max[1])}}
}
