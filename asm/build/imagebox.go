package build

import "github.com/zoctree/zoctree/soa"

// ImageBox sets image to the bounding box of the image of b under an affine map p -> M*p + t, rounded outwards to
// float32. The numbers of the map are t, the rows of M, and an upper bound of the lengths of the images of unit
// vectors. Of each axis, with the row r of M,
//
//	middle = t + (r[0]*c[0] + r[1]*c[1] + r[2]*c[2])               c = (Min + Max) / 2
//	reach  = |r[0]|*h[0] + |r[1]|*h[1] + |r[2]|*h[2]               h = (Max - Min) / 2
//	Min    = the largest float32 below middle - reach
//	Max    = the smallest float32 above middle + reach
//
// in float64, each operation rounded. It reports false, and image is undefined, if an error of 2^-48 times the sum of
// |t| and the largest magnitude of a term may change a result, and on tiers without a kernel. It does not allocate.
func ImageBox(image *soa.AABB, numbers *[13]float64, b *soa.AABB) bool {
	return imageBox(image, numbers, b, 1)
}
