package testkit

import (
	"math/bits"
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

// Collide reports whether a pair of two objects passes the fields of a filter of
// pairs, as they are documented: its mask, its layers unless nil, and static pairs.
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

// SomeLayers returns layers: 0 with 0 and 1, 2 with 3, and 4 would with all, but
// only 0 with 4.
func SomeLayers() (l [32]uint32) {
	l[0], l[1] = 1<<0|1<<1|1<<4, 1<<0
	l[2], l[3] = 1<<3, 1<<2
	l[4] = ^uint32(0)
	return l
}

// KeysOf returns the keys of entries that pass, ascending; not nil.
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
