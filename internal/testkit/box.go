package testkit

import "github.com/zoctree/zoctree/soa"

// TwinBox returns the indices of the boxes that share a point with the closed
// box q, ascending. Comparisons are exact, so this is the definition too.
func TwinBox[B Boxed](boxes []B, q soa.AABB) (hits []int) {
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
