package radix

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// Sizes tuned with BenchmarkOrder; see the package comment. All are flat optima: half or twice the
// value costs at most a few per cent.
const (
	// insertionMax is the longest range for insertion sort, the only quadratic step: it bounds the
	// cost of any input.
	insertionMax = 16

	// digitMax is the widest digit of a pass.
	digitMax  = 11
	digitMask = 1<<digitMax - 1

	// slackBits is the number of bits beyond log2 of a range's length that distinguish nearly all
	// keys of a uniform distribution: about 1 in 32 has an equal.
	slackBits = 5

	// longMin is the least length of a range for which common bits and clustering are detected.
	longMin = 512

	// narrowMin is the least number of common bits that is skipped.
	narrowMin = 8

	// pollMin is the least length of a range before which the context is checked.
	pollMin = 1 << 15
)

// A sorter orders ranges of items on one goroutine.
type sorter struct {
	keys    []uint64
	ctx     context.Context // may be nil
	err     error           // error of ctx after it has ended: ranges stay unsorted
	halted  *atomic.Bool    // another worker has panicked; nil: there is no other worker
	low     bool            // the current items hold low key bits
	clumped bool            // the previous long range had many equal prefixes
	count   [2][1 << digitMax]uint32
}

// stop reports whether the context has ended or another worker has panicked.
func (s *sorter) stop() bool {
	if s.halted != nil && s.halted.Load() {
		return true
	}
	if s.err == nil && s.ctx != nil {
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// order sorts a, in which items agree in all their key bits except the lowest left ones, and are in
// ascending order of index. tmp is scratch space of the same length.
//
//	         left: key bits still to sort
//	+---------------+---------------+---------------+
//	| take          | rest          | index         |
//	+---------------+---------------+---------------+
//	  two passes      in runs that
//	                  agree in take
//
// Clustered keys have many such runs; then rest is sorted first, by two passes of its own.
// Neighbouring ranges are similar, so the range before predicts the faster way; the result is the
// same.
func (s *sorter) order(a, tmp []uint64, left uint) {
	if len(a) <= insertionMax {
		insertion(a)
		if !s.low {
			s.runs(a, tmp, 0)
		}
		return
	}
	if len(a) >= pollMin && s.stop() {
		return
	}
	long := len(a) >= longMin
	if long {
		if left = narrow(a, left); left == 0 {
			s.tie(a, tmp)
			return
		}
	}
	take := min(left, uint(bits.Len(uint(len(a))))+slackBits, 2*digitMax)
	left -= take
	shift := indexBits + left
	if long && s.clumped {
		rest := min(left, 2*digitMax)
		left -= rest
		s.twoPasses(a, tmp, indexBits+left, rest)
	}
	s.twoPasses(a, tmp, shift, take)
	if long {
		s.clumped = clumped(a, shift)
	}
	s.runs(a, tmp, left)
}

// runs sorts each run of a sorted range whose items agree in all key bits except the lowest left
// ones.
func (s *sorter) runs(a, tmp []uint64, left uint) {
	shift := (indexBits + left) & 63
	prev := a[0]
	for i := 1; i < len(a); i++ {
		item := a[i]
		if (item^prev)>>shift != 0 {
			prev = item
			continue
		}
		start := i - 1
		for i++; i < len(a) && (a[i]^prev)>>shift == 0; i++ {
		}
		run := a[start:i]
		switch {
		case len(run) == 2 && (item^prev)>>indexBits != 0:
			run[0], run[1] = min(prev, item), max(prev, item)
		case len(run) == 2:
			if !s.low && s.keys[item&indexMask]&lowMask < s.keys[prev&indexMask]&lowMask {
				run[0], run[1] = item, prev
			}
		case left == 0:
			s.tie(run, tmp[start:i])
		default:
			s.order(run, tmp[start:i], left)
		}
		if i < len(a) {
			prev = a[i]
		}
	}
}

// tie sorts items that agree in all their key bits by the low key bits, which items do not hold.
// Equal keys are already in order, because every step is stable.
func (s *sorter) tie(a, tmp []uint64) {
	if s.low {
		return
	}
	top := a[0] &^ indexMask
	for i, item := range a {
		index := item & indexMask
		a[i] = packLow(s.keys[index], index)
	}
	if len(a) <= insertionMax {
		insertion(a)
	} else {
		s.low = true
		s.order(a, tmp, lowBits)
		s.low = false
	}
	for i, item := range a {
		a[i] = top | item&indexMask
	}
}

// narrow lowers left if the items agree in at least narrowMin more bits. It reads all items only if
// a sample of three agrees.
func narrow(a []uint64, left uint) uint {
	diff := a[0] ^ a[len(a)/2] | a[0] ^ a[len(a)-1]
	if uint(bits.Len64(diff>>indexBits))+narrowMin > left {
		return left
	}
	first := a[0]
	for _, item := range a {
		diff |= item ^ first
	}
	return uint(bits.Len64(diff >> indexBits))
}

// clumped reports whether more than an eighth of the items of a sorted range agree with the one
// before from bit shift on. Items that agree in all their key bits do not count, because more
// passes cannot separate them. It samples one item in 32.
func clumped(a []uint64, shift uint) bool {
	const every = 32
	equal := 0
	for i := every; i < len(a); i += every {
		if diff := a[i] ^ a[i-1]; diff>>(shift&63) == 0 && diff>>indexBits != 0 {
			equal++
		}
	}
	return equal > len(a)/every/8
}

// insertion sorts distinct items by insertion sort.
func insertion(a []uint64) {
	for i := 1; i < len(a); i++ {
		item := a[i]
		j := i
		for ; j > 0 && a[j-1] > item; j-- {
			a[j] = a[j-1]
		}
		a[j] = item
	}
}
