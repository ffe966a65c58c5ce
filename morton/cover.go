package morton

import (
	"cmp"
	"fmt"
	"slices"
)

// coverEffort bounds the maximal ranges per requested range up to which a box is covered without
// rounding. On random boxes 512 left out no more keys than 16; 8 includes at most 0.3 % more keys
// than either (BenchmarkCover, keys/key).
const coverEffort = 8

// AppendCover appends at most k key ranges that together cover the box, and returns the extended
// slice. The ranges hold every key of the box and are ascending, disjoint and not adjacent. An
// empty box appends nothing. AppendCover panics unless k >= 1.
//
// A box of at most k maximal ranges ([Box.Ranges]) is covered exactly. A box of more, but at most
// 8k, is covered by k ranges with as few keys outside the box as possible: the cover leaves out the
// k-1 widest gaps between the maximal ranges. A box of more than 8k is first rounded outward to the
// finest octants for which it has at most 8k. Its cover leaves out the k-1 widest gaps of the
// rounded box. That box may have fewer gaps, so the cover has from 1 to k ranges and may hold more
// keys than k ranges need. The ends of the ranges are then trimmed to keys of the box itself.
//
// It visits about 25 k maximal ranges in all, some 30 ns each (BenchmarkRanges), and allocates only
// to grow dst.
func (b Box) AppendCover(dst []Range, k int) []Range {
	if k < 1 {
		panic(fmt.Sprintf("morton: cover of %d ranges", k))
	}
	if b.Empty() {
		return dst
	}
	base := len(dst)
	for r := range b.Ranges() {
		if len(dst) == base+k {
			dst = b.appendGaps(dst[:base], k)
			return b.fillGaps(dst, base)
		}
		dst = append(dst, r)
	}
	return dst
}

// appendGaps appends the k-1 widest gaps between the maximal ranges of the box, or of the box
// rounded outward. The gaps form a heap with the narrowest on top.
func (b Box) appendGaps(dst []Range, k int) []Range {
	if k == 1 {
		return dst
	}
	base := len(dst)
	b = b.rounded(coverEffort * k)
	next := b.Lo // the first key that is in no range so far
	for r := range b.Ranges() {
		gap := Range{next, r.First - 1}
		next = r.Last + 1
		switch heap := dst[base:]; {
		case r.First == b.Lo:
		case len(heap) < k-1:
			dst = append(dst, gap)
			siftUp(dst[base:])
		case gap.width() > heap[0].width():
			heap[0] = gap
			siftDown(heap)
		}
	}
	return dst
}

// fillGaps replaces the n gaps in dst[base:] by the n+1 ranges around and between them, trimmed to
// keys of the box.
func (b Box) fillGaps(dst []Range, base int) []Range {
	gaps := dst[base:]
	slices.SortFunc(gaps, func(x, y Range) int { return cmp.Compare(x.First, y.First) })
	first := b.Lo
	for i, gap := range gaps {
		last, _ := b.Prev(gap.First)
		gaps[i] = Range{first, last}
		first, _ = b.Next(gap.Last)
	}
	return append(dst, Range{first, b.Hi})
}

// rounded returns the box rounded outward to the finest octants for which it has at most limit
// maximal ranges. Halving the octants multiplies the ranges by about four, so the last two steps
// dominate the cost.
func (b Box) rounded(limit int) Box {
	fit := b.outward(Levels)
	for up := Levels - 1; up >= 0; up-- {
		finer, n := b.outward(up), 0
		for range finer.Ranges() {
			if n++; n > limit {
				return fit
			}
		}
		fit = finer
	}
	return fit
}

// outward returns the smallest box of octants of 2^up grid cells an axis that
// holds b.
func (b Box) outward(up int) Box {
	in := Key(1)<<(3*up) - 1
	return Box{b.Lo &^ in, b.Hi | in}
}

// width returns the number of keys less one.
func (r Range) width() Key { return r.Last - r.First }

// siftUp restores the heap after an append.
func siftUp(heap []Range) {
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if heap[up].width() <= heap[i].width() {
			return
		}
		heap[up], heap[i] = heap[i], heap[up]
		i = up
	}
}

// siftDown restores the heap after a change of its top.
func siftDown(heap []Range) {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].width() < heap[least].width() {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[least], heap[i] = heap[i], heap[least]
		i = least
	}
}
