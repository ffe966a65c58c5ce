package radix

import "math/bits"

const (
	// splitMin is the least number of keys that is split into buckets.
	splitMin = 2048

	// splitMax is the widest digit of the split, and the digit that is counted. With fewer than
	// 2^11 counters, neighbouring keys share a counter too often.
	splitMax   = 11
	splitMask  = 1<<splitMax - 1
	splitShift = keyBits - splitMax

	// A bucket of uniform keys has at least 2^smallBits items, so that its own sort pays off, and
	// at most 2^largeBits, so that it and its copy fit into the second-level cache.
	smallBits = 11
	largeBits = 16

	// streamBits is the widest digit whose buckets the hardware prefetcher follows while they fill.
	// Wider digits cost up to half as much again when the items are not in the cache.
	streamBits = 5
)

// splitWidth returns the width of the digit that splits n uniform keys.
func splitWidth(n int) uint {
	size := bits.Len(uint(n))
	width := min(size-smallBits, streamBits)
	return uint(min(max(width, size-largeBits), splitMax))
}

// cells are the buckets of a split: prefixes of the keys of up to splitMax bits. A prefix with more
// keys than a bucket should have is divided, so that buckets have similar lengths even if keys are
// clustered or fill only a part of their range.
//
//	000xxxxxxxx | 00100xxxxxx | 00101xxxxxx | 0011xxxxxxx |     | 1xxxxxxxxxx
//	                                                        empty: no bucket
type cells struct {
	n     int                     // number of buckets
	of    [1 << splitMax]uint16   // bucket of a digit, if any key has it
	first [1 << splitMax]uint16   // first digit of a bucket
	wide  [1 << splitMax]uint8    // number of bits in which the digits of a bucket differ
	at    [1<<splitMax + 1]uint32 // position of the first item of a bucket
}

// divide computes the buckets, each of at most most keys where digits can separate them. upTo
// holds, for each digit, the number of keys with this digit or a smaller one.
func (c *cells) divide(upTo *[1 << splitMax]uint32, most uint32) {
	c.n = 0
	c.prefix(upTo, 0, splitMax, most)
	c.at[c.n] = upTo[splitMask]
}

// prefix divides the digits first to first + 1<<wide - 1.
func (c *cells) prefix(upTo *[1 << splitMax]uint32, first, wide uint, most uint32) {
	at := uint32(0)
	if first > 0 {
		at = upTo[first-1]
	}
	end := first + 1<<wide
	switch n := upTo[end-1] - at; {
	case n == 0:
	case n > most && wide > 0:
		c.prefix(upTo, first, wide-1, most)
		c.prefix(upTo, first+1<<(wide-1), wide-1, most)
	default:
		for d := first; d < end; d++ {
			c.of[d] = uint16(c.n)
		}
		c.first[c.n], c.wide[c.n], c.at[c.n] = uint16(first), uint8(wide), at
		c.n++
	}
}

// A worker is the part of a sort that one goroutine does.
type worker struct {
	sorter
	job    *Scratch
	lo, hi int                      // chunk of the keys
	tmp    []uint64                 // copy of a bucket
	digits [2][1 << splitMax]uint32 // counts; then, in the second, positions in buckets
}

// countDigits counts the keys of the worker's chunk by their widest digit. It counts alternate keys
// in two tables: in sorted input neighbours share a counter, and each increment would stall on the
// one before.
func (w *worker) countDigits() {
	even, odd := &w.digits[0], &w.digits[1]
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
	for d, n := range odd {
		even[d] += n
	}
}

// scatterKeys packs the worker's chunk into the buckets. The last mask only eliminates the bounds
// check.
func (w *worker) scatterKeys() {
	next, of := &w.digits[1], &w.job.cells.of
	items := w.job.out
	lo := w.lo
	for i, key := range w.keys[lo:w.hi] {
		b := of[key>>splitShift&splitMask] & splitMask
		p := next[b]
		next[b] = p + 1
		items[p] = pack(key, lo+i)
	}
}

// sortBuckets takes and sorts buckets until none is left or the context ends.
func (w *worker) sortBuckets() {
	s := w.job
	for {
		b := int(s.next.Add(1)) - 1
		if b >= s.cells.n {
			return
		}
		lo, hi := s.cells.at[b], s.cells.at[b+1]
		if w.stop() {
			return
		}
		tmp := w.tmp
		if int(hi-lo) > len(tmp) {
			tmp = s.spare[lo:]
		}
		w.order(s.out[lo:hi], tmp[:hi-lo], topBits-splitMax+uint(s.cells.wide[b]))
		s.finished(w, int(hi-lo))
	}
}
