package testkit

import (
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// IndexPair is two indices of boxes that overlap.
type IndexPair struct{ A, B int }

// TwinPairs returns the pairs of boxes that share a point, A < B, ascending: the
// double loop. Comparisons are exact, so this is the definition too.
func TwinPairs[B Boxed](boxes []B) (pairs []IndexPair) {
	for i := range boxes {
		for _, j := range TwinBox(boxes[i+1:], *boxOf(&boxes[i])) {
			pairs = append(pairs, IndexPair{i, i + 1 + j})
		}
	}
	return pairs
}

// TwinPairsBetween returns the pairs of a box of a and one of b that share a
// point, ascending.
func TwinPairsBetween[B Boxed](a, b []B) (pairs []IndexPair) {
	for i := range a {
		for _, j := range TwinBox(b, *boxOf(&a[i])) {
			pairs = append(pairs, IndexPair{i, j})
		}
	}
	return pairs
}

// KeepPairs returns the pairs that keep says, in their order.
func KeepPairs(pairs []IndexPair, a, b []soa.Object, keep func(a, b *soa.Object) bool) []IndexPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p IndexPair) bool { return !keep(&a[p.A], &b[p.B]) })
}
