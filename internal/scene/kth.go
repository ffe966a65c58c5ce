package scene

// kth returns the element that would be at index k if x were sorted (quickselect), and reorders x.
// It requires 0 <= k < len(x) and no NaN.
func kth[F float32 | float64](x []F, k int) F {
	lo, hi := 0, len(x)-1
	for lo < hi {
		pivot := x[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		// x[lo..j] <= pivot, x[i..hi] >= pivot, and all elements between are equal to it.
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return pivot
		}
	}
	return x[k]
}
