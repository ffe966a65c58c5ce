package radix

import "math/bits"

const (
	// splitMin is the least number of keys that are split into buckets.
	splitMin = 2048

	// splitMax is the widest digit of the split, and the one that is
	// counted: with fewer counters than 2^11, neighbours share one too often.
	splitMax   = 11
	splitMask  = 1<<splitMax - 1
	splitShift = keyBits - splitMax

	// A bucket of uniform keys has 2^smallBits items or more, so that it is
	// worth a sort of its own, and at most 2^largeBits, so that it and its
	// copy stay in the second-level cache.
	smallBits = 11
	largeBits = 16

	// streamBits is the widest digit whose buckets the hardware prefetcher
	// follows while they fill. Wider ones cost up to half as much again when
	// the items are not in the cache.
	streamBits = 5
)

// splitWidth returns the width of the digit that splits n keys.
func splitWidth(n int) uint {
	size := bits.Len(uint(n))
	width := min(size-smallBits, streamBits)
	return uint(min(max(width, size-largeBits), splitMax))
}

// A worker is one goroutine's part of a sort.
type worker struct {
	sorter
	job     *Scratch
	run     func()   // background, bound once: go w.run() allocates nothing
	lo, hi  int      // its chunk of the keys
	tmp     []uint64 // copy of a bucket
	buckets [2][1 << splitMax]uint32
}

// countBuckets counts the worker's chunk by the widest digit, then joins the
// counts to those of the digit in use. Neighbouring keys go to different
// tables: in sorted input they share a counter, and an increment would have to
// wait for the one before.
func (w *worker) countBuckets() {
	even, odd := &w.buckets[0], &w.buckets[1]
	clear(even[:])
	clear(odd[:])
	keys := w.keys[w.lo:w.hi]
	for ; len(keys) >= 2; keys = keys[2:] {
		even[keys[0]>>splitShift&splitMask]++
		odd[keys[1]>>splitShift&splitMask]++
	}
	for _, key := range keys {
		even[key>>splitShift&splitMask]++
	}
	join := splitMax - w.job.width
	for b := range 1 << w.job.width {
		sum := uint32(0)
		for d := b << join; d < (b+1)<<join; d++ {
			sum += even[d] + odd[d]
		}
		even[b] = sum
	}
}

// scatterKeys packs the worker's chunk into the buckets. The last mask only
// proves to the compiler that the digit is in range.
func (w *worker) scatterKeys() {
	shift := (keyBits - w.job.width) & 63
	mask := uint64(1)<<w.job.width - 1
	next := &w.buckets[0]
	items := w.job.out
	lo := w.lo
	for i, key := range w.keys[lo:w.hi] {
		d := key >> shift & mask & splitMask
		p := next[d]
		next[d] = p + 1
		items[p] = pack(key, lo+i)
	}
}

// sortBuckets takes buckets until none is left or the context ends.
func (w *worker) sortBuckets() {
	s := w.job
	left := topBits - s.width
	for {
		b := int(s.next.Add(1)) - 1
		if b >= 1<<s.width {
			return
		}
		lo, hi := s.bounds[b], s.bounds[b+1]
		if lo == hi {
			continue
		}
		if w.stop() {
			return
		}
		tmp := w.tmp
		if int(hi-lo) > len(tmp) {
			tmp = s.spare[lo:]
		}
		w.order(s.out[lo:hi], tmp[:hi-lo], left)
		s.finished(w, int(hi-lo))
	}
}
