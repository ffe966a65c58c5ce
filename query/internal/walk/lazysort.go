package walk

import "slices"

// lazySort is an incremental quicksort: it returns keys in ascending order and sorts only as many
// as are consumed, in n + m log m for the first m of n, on average.
//
//	keys    ... given ... | at ... sorted | ready ... | ends[last] ... | ends[0]
//
// No key before one of the ends is larger than a key behind it.
type lazySort struct {
	keys  []uint64
	at    int
	ready int
	ends  []int
}

const (
	// lazyRun is the number of keys that are sorted at once. After lazyDeep splits a part is sorted at
	// once, too, in case splits are bad.
	lazyRun  = 64
	lazyDeep = 64
)

// begin starts with the keys as they are, often in order already.
func (z *lazySort) begin() {
	z.at, z.ready = 0, 0
	z.ends = append(z.ends[:0], len(z.keys))
	if slices.IsSorted(z.keys) {
		z.ready = len(z.keys)
	}
}

// next returns the smallest remaining key.
func (z *lazySort) next() (key uint64, ok bool) {
	if z.at == len(z.keys) {
		return 0, false
	}
	for z.at == z.ready {
		end := z.ends[len(z.ends)-1]
		if end == z.at {
			z.ends = z.ends[:len(z.ends)-1]
			continue
		}
		part := z.keys[z.at:end]
		if len(part) > lazyRun && len(z.ends) < lazyDeep {
			z.ends = append(z.ends, z.at+split(part))
			continue
		}
		slices.Sort(part)
		z.ready = end
	}
	key = z.keys[z.at]
	z.at++
	return key, true
}

// split partitions two or more keys so that none before the returned index is larger than one
// behind it. Neither side is empty.
func split(keys []uint64) int {
	last := len(keys) - 1
	a, b, c := keys[0], keys[last/2], keys[last]
	pivot := max(min(a, b), min(max(a, b), c)) // the median
	if pivot == c {
		keys[last/2], keys[last] = c, b
	} else if pivot == a {
		keys[last/2], keys[0] = a, b
	}
	for i, j := 0, last; ; i, j = i+1, j-1 {
		for keys[i] < pivot {
			i++
		}
		for keys[j] > pivot {
			j--
		}
		if i >= j {
			return j + 1
		}
		keys[i], keys[j] = keys[j], keys[i]
	}
}
