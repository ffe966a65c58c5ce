package query_test

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// distances of a sphere from a volume: 0 or less when they intersect.
func gapToBox(s [4]float32, b soa.AABB) float64 {
	var sum float64
	for a := range 3 {
		c := float64(s[a])
		d := max(float64(b.Min[a])-c, c-float64(b.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3])
}

func gapToBall(s [4]float32, center [3]float32, radius float32) float64 {
	var sum float64
	for a := range 3 {
		d := float64(s[a]) - float64(center[a])
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3]) - float64(radius)
}
