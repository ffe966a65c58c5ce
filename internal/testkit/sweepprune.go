package testkit

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// SweepAndPrune returns the pairs of overlapping boxes, A < B, ascending, by sweep and prune. It
// sorts the boxes by their minimum on one axis and compares each with the boxes that start before it ends.
// It shares no code with the tree or the double loop.
func SweepAndPrune[B Boxed](boxes []B) (pairs []IndexPair) {
	return sweep(boxes, 0, func(a, b *soa.AABB) bool {
		for k := range 3 {
			if a.Min[k] > b.Max[k] || b.Min[k] > a.Max[k] {
				return false
			}
		}
		return true
	})
}

// swept is a box and its index.
type swept struct {
	box   soa.AABB
	index int
}

// sweep returns the pairs for which near is true, A < B, ascending. It calls near for all pairs of boxes that are at
// most reach apart on the axis on which the boxes extend furthest.
func sweep[B Boxed](boxes []B, reach float64, near func(a, b *soa.AABB) bool) (pairs []IndexPair) {
	list := make([]swept, len(boxes))
	for i := range boxes {
		list[i] = swept{*boxOf(&boxes[i]), i}
	}
	axis, widest := 0, 0.0
	for k := range 3 {
		lo, hi := 0.0, 0.0
		for i := range list {
			x := float64(list[i].box.Min[k])
			if i == 0 {
				lo, hi = x, x
			}
			lo, hi = min(lo, x), max(hi, x)
		}
		if hi-lo > widest {
			axis, widest = k, hi-lo
		}
	}
	slices.SortFunc(list, func(a, b swept) int { return cmp.Compare(a.box.Min[axis], b.box.Min[axis]) })
	for n := range list {
		a := &list[n]
		end := float64(a.box.Max[axis])
		for m := n + 1; m < len(list) && !(float64(list[m].box.Min[axis])-end > reach); m++ {
			if b := &list[m]; near(&a.box, &b.box) {
				pairs = append(pairs, IndexPair{min(a.index, b.index), max(a.index, b.index)})
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
