// Package nth finds the element of a slice that has a rank, without sorting the
// slice.
package nth

import (
	"cmp"
	"math/bits"
	"slices"
)

// sortMax is the longest range that is sorted: up to there it is the faster way.
const sortMax = 12

// Element returns what x[k] is once x is sorted, and puts it there: elements before
// it are not larger, those behind it not smaller. It takes O(n) time in the mean and
// never more than sorting does, and allocates nothing. k must be an index of x, and
// x hold no NaN.
//
//	lo      j   i      hi
//	+-------+---+-------+
//	| <= p  | p |  >= p |     the part with k is parted again
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

// median returns the middle one of three.
func median[T cmp.Ordered](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}
