package morton

import "iter"

// Range is an interval of keys, both ends included.
type Range struct {
	First, Last Key
}

// Contains reports whether the range holds the key.
func (r Range) Contains(k Key) bool { return r.First <= k && k <= r.Last }

// Ranges returns the maximal ranges of keys in the box, ascending: together
// they are exactly the box, and between two of them lies at least one key
// outside. Each costs a constant number of steps however many keys it holds.
// There are about as many as there are grid cells in an eighth to a quarter of
// the surface of the box: use [Box.AppendCover] to have few.
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

// runEnd returns the last key of the maximal range that holds k, a key in the
// box: the one before the nearest key that lies beyond any of the six faces.
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
