package morton

import (
	"fmt"
	"math/bits"
)

// Box is a box of grid cells, as the keys of its lowest and its highest corner,
// both included. A box whose corners are inverted on an axis is empty.
//
// Lo and Hi are also the smallest and the largest key in the box, but not every
// key between them is in it.
type Box struct {
	Lo, Hi Key
}

// BoxOf returns the box of the points p with lo <= p <= hi on each axis. It
// panics when a coordinate exceeds [Max].
func BoxOf(lo, hi [3]uint32) Box {
	for a := range 3 {
		if lo[a] > Max || hi[a] > Max {
			panic(fmt.Sprintf("morton: box %v to %v exceeds %d", lo, hi, Max))
		}
	}
	return Box{Encode(lo[0], lo[1], lo[2]), Encode(hi[0], hi[1], hi[2])}
}

// Corners returns the coordinates of the lowest and the highest corner.
func (b Box) Corners() (lo, hi [3]uint32) {
	lo[0], lo[1], lo[2] = b.Lo.Decode()
	hi[0], hi[1], hi[2] = b.Hi.Decode()
	return lo, hi
}

// Empty reports whether the box holds no point.
func (b Box) Empty() bool {
	for _, m := range axisBits {
		if b.Lo&m > b.Hi&m {
			return true
		}
	}
	return false
}

// Contains reports whether the point of key k is in the box. Bits of one axis
// compare like the coordinates themselves: no need to decode.
func (b Box) Contains(k Key) bool {
	for _, m := range axisBits {
		if k&m < b.Lo&m || k&m > b.Hi&m {
			return false
		}
	}
	return true
}

// Next returns the smallest key in the box that is at least k, the BIGMIN of
// Tropf and Herzog ("Multidimensional range search in dynamically balanced
// trees", 1981); ok is false when there is none. A scan of sorted keys that
// meets a key outside the box continues at Next of that key.
//
// It jumps from k to the next key that satisfies one limit of the box, until
// all six hold. No jump passes a key of the box, so the first key that
// satisfies all is the answer. A jump costs a few instructions; most calls need
// fewer than ten.
func (b Box) Next(k Key) (next Key, ok bool) {
	if k > MaxKey || b.Empty() {
		return 0, false
	}
	for {
		was := k
		for _, m := range axisBits {
			switch {
			case k&m < b.Lo&m:
				k = reach(k, m, b.Lo)
			case k&m > b.Hi&m:
				if k, ok = evade(k, m, b.Hi); !ok {
					return 0, false
				}
			}
		}
		if k == was {
			return k, true
		}
	}
}

// Prev returns the largest key in the box that is at most k, the LITMAX of
// Tropf and Herzog; ok is false when there is none. Complementing all bits
// reverses the order of keys and of coordinates, so it is Next in a mirror.
func (b Box) Prev(k Key) (prev Key, ok bool) {
	const all = MaxKey
	mirror := Box{^b.Hi & all, ^b.Lo & all}
	prev, ok = mirror.Next(^min(k, all) & all)
	if !ok {
		return 0, false
	}
	return ^prev & all, true
}

// reach returns the smallest key above k whose coordinate on the axis with bits
// m is at least that of lo. The coordinate of k must be less: at the highest
// bit p where they differ, k has 0 and lo has 1. The answer keeps k above p,
// sets p, and is as small as possible below: zeros, and lo on the axis.
func reach(k, m, lo Key) Key {
	p := below(highest((k ^ lo) & m))
	return k&^p | lo&m&p
}

// evade returns the smallest key above k whose coordinate on the axis with bits
// m is at most that of hi; ok is false when there is none. The coordinate of k
// must be greater: at the highest bit p where they differ, k has 1 and hi has
// 0. Above p they agree, so a bit of this axis cannot be raised there: the
// answer raises the lowest 0 bit above p of another axis, with zeros below.
func evade(k, m, hi Key) (key Key, ok bool) {
	p := below(highest((k ^ hi) & m))
	q := lowest(MaxKey &^ (k | m | p))
	return k&^below(q) | q, q != 0
}

// highest returns the highest set bit of a key that is not 0.
func highest(k Key) Key { return 1 << (63 - bits.LeadingZeros64(uint64(k))) }

// below returns bit p and all bits under it.
func below(p Key) Key { return p | (p - 1) }
