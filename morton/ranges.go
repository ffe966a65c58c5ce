package morton

import "iter"

// Range is an interval of keys, both ends included.
type Range struct {
	First, Last Key
}

// Contains reports whether the range holds the key.
func (r Range) Contains(k Key) bool { return r.First <= k && k <= r.Last }

// Ranges returns the maximal ranges of keys in the box, ascending. Together they hold exactly the
// keys of the box, and between two ranges is at least one key outside. Each costs some 30 ns
// (BenchmarkRanges), independent of its length. A box has up to about a quarter as many ranges as
// grid cells on its surface; [Box.AppendCover] limits the number.
func (b Box) Ranges() iter.Seq[Range] {
	return func(yield func(Range) bool) {
		k, ok := b.Next(0)
		for ok {
			last := b.runEnd(k)
			if !yield(Range{k, last}) {
				return
			}
			k, ok = b.Next(last + 1)
		}
	}
}

// runEnd returns the last key of the maximal range that holds k, a key in the box: the key before
// the nearest one beyond any of the six faces.
func (b Box) runEnd(k Key) Key {
	end := MaxKey + 1
	for _, m := range axisBits {
		if b.Hi&m != m {
			end = min(end, reach(k, m, (b.Hi|^m)+1))
		}
		if b.Lo&m != 0 {
			if out, ok := evade(k, m, (b.Lo&m)-1); ok {
				end = min(end, out)
			}
		}
	}
	return end - 1
}

// reach returns the smallest key above k whose coordinate on the axis with bits m is at least the
// coordinate of lo. The coordinate of k must be less: at the highest bit p where they differ, k has
// 0 and lo has 1. The result keeps k above p, sets p, and is as small as possible below: zeros, and
// lo on the axis.
func reach(k, m, lo Key) Key {
	p := upTo(highest((k ^ lo) & m))
	return k&^p | lo&m&p
}

// evade returns the smallest key above k whose coordinate on the axis with bits m is at most the
// coordinate of hi; ok is false if there is none. The coordinate of k must be greater: at the
// highest bit p where they differ, k has 1 and hi has
//  0. Above p they agree, so a bit of this axis cannot be raised there: the result raises the
//     lowest 0 bit above p of another axis, with zeros below.
func evade(k, m, hi Key) (key Key, ok bool) {
	p := upTo(highest((k ^ hi) & m))
	q := lowest(MaxKey &^ (k | m | p))
	return k&^upTo(q) | q, q != 0
}
