package morton

import (
	"fmt"
	"math/bits"
)

// Box is a box of grid cells, given by the keys of its lowest and its highest corner, both
// included. A box whose corners are inverted on an axis is empty.
//
// Lo and Hi are also the smallest and the largest key in the box, but not every key between them is
// in it.
type Box struct {
	Lo, Hi Key
}

// BoxOf returns the axis-aligned box of the points p with lo <= p <= hi on each axis. It
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

// Empty reports whether the box has no grid cell.
func (b Box) Empty() bool {
	for _, m := range axisBits {
		if b.Lo&m > b.Hi&m {
			return true
		}
	}
	return false
}

// Contains reports whether the point of key k is in the box. The bits of one axis compare like the
// coordinates themselves, so no key is decoded.
func (b Box) Contains(k Key) bool {
	for _, m := range axisBits {
		if k&m < b.Lo&m || k&m > b.Hi&m {
			return false
		}
	}
	return true
}

// Next returns the smallest key in the box that is at least k, the BIGMIN of Tropf and Herzog
// ("Multidimensional range search in dynamically balanced trees", 1981). ok is false if there is
// none. A scan of sorted keys that reaches a key outside the box continues at Next of that key.
//
// Tropf and Herzog descend the bits of k and of both corners. Next finds the deciding bits by
// comparisons instead, so the cost does not depend on the level. Let p be the highest bit at which
// a coordinate of k leaves the box. The result agrees with k above some bit that it raises from 0
// to 1, and is the smallest key of the box with that prefix. The raised bit is
//
//   - p itself, if the coordinate is too small there;
//   - else the lowest bit above p that can be raised: a 0 whose axis stays within hi, because it is
//     at or below the highest bit where hi exceeds k.
func (b Box) Next(k Key) (next Key, ok bool) {
	if k > MaxKey || b.Empty() {
		return 0, false
	}
	var p, free Key
	small := false
	for _, m := range axisBits {
		if k&m < b.Lo&m {
			if d := highest((k ^ b.Lo) & m); d > p {
				p, small = d, true
			}
		}
		switch {
		case k&m < b.Hi&m:
			free |= m & upTo(highest((k^b.Hi)&m))
		case k&m > b.Hi&m:
			if d := highest((k ^ b.Hi) & m); d > p {
				p, small = d, false
			}
		}
	}
	if p == 0 {
		return k, true
	}
	if !small {
		if p = lowest(free &^ (k | upTo(p))); p == 0 {
			return 0, false
		}
	}
	// Below the raised bit an axis is 0, or equal to lo where its prefix equals the prefix of lo.
	k = k&^upTo(p) | p
	for _, m := range axisBits {
		if k&m == b.Lo&m&^(p-1) {
			k |= b.Lo & m & (p - 1)
		}
	}
	return k, true
}

// Prev returns the largest key in the box that is at most k, the LITMAX of Tropf and Herzog; ok is
// false if there is none. Complementing all bits reverses the order of keys and of coordinates, so
// Prev is Next in the mirrored box.
func (b Box) Prev(k Key) (prev Key, ok bool) {
	const all = MaxKey
	mirror := Box{^b.Hi & all, ^b.Lo & all}
	prev, ok = mirror.Next(^min(k, all) & all)
	if !ok {
		return 0, false
	}
	return ^prev & all, true
}

// highest returns the highest set bit of a key that is not 0.
func highest(k Key) Key { return 1 << (63 - bits.LeadingZeros64(uint64(k))) }

// upTo returns bit p and all bits under it.
func upTo(p Key) Key { return p | (p - 1) }
