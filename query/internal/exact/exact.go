// Package exact computes in float64 for package query and its wings. Products are
// rounded before they are added, so that no compiler fuses them and every CPU
// gives the same bits.
package exact

// Widen is the relative widening of the tests of bounding spheres: far above their
// rounding errors in float64, far below those of the float32 numbers of a tree. So
// no sphere that meets is lost.
const Widen = 1 + 0x1p-40

// Dot returns the dot product.
func Dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}
