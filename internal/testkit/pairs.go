package testkit

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// IndexPair is a pair of indices of boxes that overlap.
type IndexPair struct{ A, B int }

// ReferencePairs is the reference for the pair search (broad phase): it returns the pairs of overlapping
// boxes, A < B, ascending, with a double loop. Comparisons are exact, so it is also the definition.
func ReferencePairs[B Boxed](boxes []B) (pairs []IndexPair) {
	for i := range boxes {
		for _, j := range ReferenceBox(boxes[i+1:], *boxOf(&boxes[i])) {
			pairs = append(pairs, IndexPair{i, i + 1 + j})
		}
	}
	return pairs
}

// ReferencePairsBetween returns the overlapping pairs of a box of a and a box of b, ascending.
func ReferencePairsBetween[B Boxed](a, b []B) (pairs []IndexPair) {
	for i := range a {
		for _, j := range ReferenceBox(b, *boxOf(&a[i])) {
			pairs = append(pairs, IndexPair{i, j})
		}
	}
	return pairs
}

// KeepPairs returns the pairs for which keep returns true, in order.
func KeepPairs(pairs []IndexPair, a, b []soa.Object, keep func(a, b *soa.Object) bool) []IndexPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p IndexPair) bool { return !keep(&a[p.A], &b[p.B]) })
}

// Collide reports whether a pair of objects passes a pair filter as documented: its mask, its
// layers unless nil, and static pairs.
func Collide(mask uint32, layers *[32]uint32, staticPairs bool, a, b *soa.Object) bool {
	if a.Static && b.Static && !staticPairs || mask != 0 && (a.Mask&mask == 0 || b.Mask&mask == 0) {
		return false
	}
	if layers == nil {
		return true
	}
	for c := a.Mask; c != 0; c &= c - 1 {
		for d := b.Mask; d != 0; d &= d - 1 {
			i, j := bits.TrailingZeros32(c), bits.TrailingZeros32(d)
			if layers[i]>>j&1 != 0 && layers[j]>>i&1 != 0 {
				return true
			}
		}
	}
	return false
}

// SomeLayers returns a collision matrix: layer 0 with 0 and 1, 2 with 3, and 0 with 4. Layer 4
// allows all layers, but only 0 allows 4.
func SomeLayers() (l [32]uint32) {
	l[0], l[1] = 1<<0|1<<1|1<<4, 1<<0
	l[2], l[3] = 1<<3, 1<<2
	l[4] = ^uint32(0)
	return l
}

// KeysOf returns the keys of the entries that pass, ascending; never nil.
func KeysOf[K comparable, V any](m map[K]V, pass func(K, V) bool, compare func(a, b K) int) []K {
	keys := []K{}
	for k, v := range m {
		if pass(k, v) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compare)
	return keys
}
