package cull

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// If the hull, the box around all boxes of a packet or all children of a node, is inside a plane,
// the plane cuts none of them: the test is monotone in each coordinate. Most packets on the border
// of a frustum are cut by one plane and some by none, so the hull pays: it costs less than the test
// of 16 lanes against two planes (BenchmarkPackets).

// hull returns that box. Free lanes have no effect on it.
func hull(b *soa.Packet) (h [8]float32) {
	h[soa.MinX], h[soa.MaxX] = minimum(&b[soa.MinX]), maximum(&b[soa.MaxX])
	h[soa.MinY], h[soa.MaxY] = minimum(&b[soa.MinY]), maximum(&b[soa.MaxY])
	h[soa.MinZ], h[soa.MaxZ] = minimum(&b[soa.MinZ]), maximum(&b[soa.MaxZ])
	return h
}

// Minimum and maximum compare floats by their bits, without a branch for each:
//
//	as int32     -small ... -large   +small ... +large     correct if all are +
//	as uint32    +small ... +large   -small ... -large     if some are -, the minimum is last
//
// The sign of the first lane decides the one to try first.

func minimum(c *[soa.Lanes]float32) float32 {
	if w := (*[soa.Lanes]int32)(unsafe.Pointer(c)); w[0] >= 0 {
		if m := lowest(w); m >= 0 {
			return math.Float32frombits(uint32(m))
		}
	}
	return math.Float32frombits(highest((*[soa.Lanes]uint32)(unsafe.Pointer(c))))
}

func maximum(c *[soa.Lanes]float32) float32 {
	if w := (*[soa.Lanes]uint32)(unsafe.Pointer(c)); w[0]>>31 != 0 {
		if m := lowest(w); m>>31 != 0 {
			return math.Float32frombits(m)
		}
	}
	return math.Float32frombits(uint32(highest((*[soa.Lanes]int32)(unsafe.Pointer(c)))))
}

func lowest[T int32 | uint32](w *[soa.Lanes]T) T {
	return min(min(w[0], w[1], w[2], w[3]), min(w[4], w[5], w[6], w[7]),
		min(w[8], w[9], w[10], w[11]), min(w[12], w[13], w[14], w[15]))
}

func highest[T int32 | uint32](w *[soa.Lanes]T) T {
	return max(max(w[0], w[1], w[2], w[3]), max(w[4], w[5], w[6], w[7]),
		max(w[8], w[9], w[10], w[11]), max(w[12], w[13], w[14], w[15]))
}

// cuts returns a bit for each plane that does not contain the hull, also for planes of
// [Convex.SetWithin].
func cuts(h *[8]float32, coef [][4]float32) (m uint64) {
	for i := len(coef) - 1; i >= 0; i-- {
		c := &coef[i]
		x, y, z := h[vertex(0, c[0])/64^1&7], h[vertex(1, c[1])/64^1&7], h[vertex(2, c[2])/64^1&7]
		s := float32(float32(c[0]*x)+float32(c[1]*y)) + float32(c[2]*z)
		m = shiftIn(m, s+(c[3]+0))
	}
	return m ^ (1<<len(coef) - 1)
}

// planesNodeMasks returns the children of n that the planes intersect, and the contained ones. Both
// may include free lanes.
func planesNodeMasks(n *soa.Node, coef [][4]float32, off [][4]uint32) (hit, in uint32) {
	hit, in = 0xffff, 0xffff
	h := hull(&n.Bounds)
	for left := cuts(&h, coef); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		c, o := &coef[i], &off[i]
		x, y, z := o[0]/64, o[1]/64, o[2]/64
		hit &= planeMask(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], c)
		if hit == 0 {
			return 0, 0
		}
		if in &= hit; in != 0 {
			in &= planeMask(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], c)
		}
	}
	return hit, in & hit
}

// planesMask returns the boxes of a packet that the planes intersect: if no plane cuts the hull,
// all.
func planesMask(b *soa.Packet, coef [][4]float32, off [][4]uint32) uint32 {
	m, h := lane.LiveMask(b), hull(b)
	for left := cuts(&h, coef); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		c, o := &coef[i], &off[i]
		m &= planeMask(&b[o[0]/64], &b[o[1]/64], &b[o[2]/64], c)
		if m == 0 {
			break
		}
	}
	return m
}
