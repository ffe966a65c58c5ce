package testkit

import (
	"cmp"
	"slices"
)

// SweepAndPrune returns the pairs of overlapping boxes, A < B, ascending, by sweep and prune. It
// sorts the boxes by their minimum on x and compares each with the boxes that start before it ends.
// It shares no code with the tree or the double loop.
func SweepAndPrune[B Boxed](boxes []B) (pairs []IndexPair) {
	order := make([]int, len(boxes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Compare(boxOf(&boxes[i]).Min[0], boxOf(&boxes[j]).Min[0])
	})
	for k, i := range order {
		b := boxOf(&boxes[i])
		for _, j := range order[k+1:] {
			c := boxOf(&boxes[j])
			if c.Min[0] > b.Max[0] {
				break
			}
			if c.Min[1] <= b.Max[1] && c.Max[1] >= b.Min[1] && c.Min[2] <= b.Max[2] && c.Max[2] >= b.Min[2] {
				pairs = append(pairs, IndexPair{min(i, j), max(i, j)})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q IndexPair) int {
		if p.A != q.A {
			return cmp.Compare(p.A, q.A)
		}
		return cmp.Compare(p.B, q.B)
	})
	return pairs
}
