// Package nth implements selection (quickselect): it finds the k-th smallest element of a slice
// without sorting it.
package nth

import (
	"cmp"
	"math/bits"
	"slices"
)

// sortMax is the longest range that is sorted, which is faster up to this length.
const sortMax = 12

// Element returns the k-th smallest element of x, counted from 0, and partitions x around index k:
// elements before it are not larger, elements behind it not smaller. It takes O(n) time on average
// and never more than sorting does, and allocates nothing. k must be an index of x, and x must not
// hold a NaN.
//
//	lo      j   i      hi
//	+-------+---+-------+
//	| <= p  | p |  >= p |     the part with k is partitioned again
//	+-------+---+-------+
//	+-------+---+-------+
func Element[T cmp.Ordered](x []T, k int) T {
	lo, hi := 0, len(x)-1
	for parts := 2 * bits.Len(uint(len(x))); hi-lo >= sortMax && parts > 0; parts-- {
		p := median(x[lo], x[lo+(hi-lo)/2], x[hi])
		i, j := lo, hi
		for i <= j {
			for x[i] < p {
				i++
			}
			for x[j] > p {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	slices.Sort(x[lo : hi+1])
	return x[k]
}

// median returns the median of three values.
func median[T cmp.Ordered](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}
