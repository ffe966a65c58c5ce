package build

import "unsafe"

func cutLoadGo(c *Cut, x, y, z []uint32) {
	y, z = y[:len(x)], z[:len(x)]
	for i := range x {
		c.at[0][i] = x[i]<<cutPlaceBits | uint32(i)
		c.at[1][i] = y[i]<<cutPlaceBits | uint32(i)
		c.at[2][i] = z[i]<<cutPlaceBits | uint32(i)
	}
}

func cutHalveGo(c *Cut, steps []CutStep) {
	for _, s := range steps {
		if s.Lo < s.Mid && s.Mid < s.Hi {
			c.part(int(s.Lo), int(s.Mid), int(s.Hi))
		}
	}
}

// part splits a run into two parts, neither of which is empty.
func (c *Cut) part(lo, mid, hi int) {
	x, y, z := c.at[0][lo:hi], c.at[1][lo:hi], c.at[2][lo:hi]
	least, most := cutEndsGo(x)
	on, span := x, most>>cutPlaceBits-least>>cutPlaceBits
	for _, k := range [2][]uint32{y, z} {
		if a, b := cutEndsGo(k); b>>cutPlaceBits-a>>cutPlaceBits > span {
			on, span = k, b>>cutPlaceBits-a>>cutPlaceBits
			least, most = a, b
		}
	}
	at := threshold(on, least, most, mid-lo)
	y, z = y[:len(x)], z[:len(x)]
	on = on[:len(x)]
	down, up := 0, 0
	for i, k := range on {
		// Both parts get the object; the wrong part overwrites it in the next step.
		c.upper[0][up&(CutMost-1)], c.upper[1][up&(CutMost-1)], c.upper[2][up&(CutMost-1)] = x[i], y[i], z[i]
		x[down], y[down], z[down] = x[i], y[i], z[i]
		lower := int((k - at) >> 31)
		down += lower
		up += 1 - lower
	}
	copy(x[down:], c.upper[0][:up])
	copy(y[down:], c.upper[1][:up])
	copy(z[down:], c.upper[2][:up])
}

// cutEndsGo returns the smallest and the largest number.
func cutEndsGo(x []uint32) (least, most uint32) {
	least, most = x[0], x[0]
	for _, k := range x {
		least, most = min(least, k), max(most, k)
	}
	return least, most
}

// threshold returns a number that is above exactly rank of the numbers in x, all of which differ.
// They are in least to most, and there are more than rank.
func threshold(x []uint32, least, most uint32, rank int) uint32 {
	for {
		// Fewer than rank numbers are below least, rank or more are below most.
		at := least + (most-least+1)/2
		below := countBelow(x, at)
		switch {
		case below == rank:
			return at
		case below < rank:
			least = at
		default:
			most = at
		}
	}
}

// countBelow returns the count of numbers below at. Each must differ from at by less than 2^31.
func countBelow(x []uint32, at uint32) int {
	var a, b uint32
	for ; len(x) >= 4; x = x[4:] {
		a += (x[0]-at)>>31 + (x[1]-at)>>31
		b += (x[2]-at)>>31 + (x[3]-at)>>31
	}
	for _, k := range x {
		a += (k - at) >> 31
	}
	return int(a + b)
}

func cutPartGo(p *cutPartArgs) {
	column := func(of *uint32) []uint32 { return unsafe.Slice(of, p.n) }
	x, y, z, of := column(p.from[0]), column(p.from[1]), column(p.from[2]), column(p.from[3])
	ux, uy, uz, uof := column(p.upper[0]), column(p.upper[1]), column(p.upper[2]), column(p.upper[3])
	on := column(p.from[p.on])
	down, up := p.down, p.up
	for i := p.i; i < p.n; i++ {
		// Both parts get the object; the wrong part overwrites it in the next step.
		lower := int((on[i] - p.at) >> 31)
		ux[up], uy[up], uz[up], uof[up] = x[i], y[i], z[i], of[i]
		x[down], y[down], z[down], of[down] = x[i], y[i], z[i], of[i]
		down += lower
		up += 1 - lower
	}
	p.i, p.down, p.up = p.n, down, up
}

func cutDecodeGo(x, y, z []uint32, keys []uint64) {
	x, y, z = x[:len(keys)], y[:len(keys)], z[:len(keys)]
	for i, key := range keys {
		all := uint64(0)
		for shift := 54; shift >= 0; shift -= 9 {
			all = all<<3 | compactTriples[key>>shift&511]
		}
		x[i], y[i], z[i] = uint32(all&lastCell), uint32(all>>21&lastCell), uint32(all>>42&lastCell)
	}
}

// compactTriples[b] has bits 0, 3, 6 of b in bits 0 to 2, bits 1, 4, 7 from 21 on and bits 2, 5, 8
// from 42 on.
var compactTriples = func() (t [512]uint64) {
	for b := range t {
		for i := range 9 {
			t[b] |= uint64(b) >> i & 1 << (21*(i%3) + i/3)
		}
	}
	return t
}()
