package testkit

import "github.com/zoctree/zoctree/soa"

// ReferenceBox is the reference for box queries: it returns the indices of the boxes that overlap the
// closed box q, ascending. Comparisons are exact, so it is also the definition.
func ReferenceBox[B Boxed](boxes []B, q soa.AABB) (hits []int) {
next:
	for i := range boxes {
		b := boxOf(&boxes[i])
		for a := range 3 {
			if float64(b.Max[a]) < float64(q.Min[a]) || float64(q.Max[a]) < float64(b.Min[a]) {
				continue next
			}
		}
		hits = append(hits, i)
	}
	return hits
}

// CubeAt returns a cube by its centre and half its edge, with rounded sums.
func CubeAt(center [3]float32, half float32) (b soa.AABB) {
	for a, x := range center {
		b.Min[a], b.Max[a] = x-half, x+half
	}
	return b
}

// Wide converts a vector to float64.
func Wide(x [3]float32) [3]float64 {
	return [3]float64{float64(x[0]), float64(x[1]), float64(x[2])}
}
