package asm

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// hull is the box around all boxes of a packet, or around all children of a node. A
// plane that it lies inside of does not cut any of them: the test is monotone in each
// coordinate. Of the planes of a frustum one cuts most packets on its border, and none
// some, so the others are spared the tests of 16 lanes.
func hull(b *soa.Packet) (h [8]float32) {
	h[soa.MinX], h[soa.MaxX] = least(&b[soa.MinX]), most(&b[soa.MaxX])
	h[soa.MinY], h[soa.MaxY] = least(&b[soa.MinY]), most(&b[soa.MaxY])
	h[soa.MinZ], h[soa.MaxZ] = least(&b[soa.MinZ]), most(&b[soa.MaxZ])
	return h
}

// Floats of one sign are in the order of their bits, or in the opposite one: as numbers
// with a sign, negative ones come first, and as such without, last.

func least(c *[soa.Lanes]float32) float32 {
	if w := (*[soa.Lanes]int32)(unsafe.Pointer(c)); w[0] >= 0 {
		if m := lowest(w); m >= 0 {
			return math.Float32frombits(uint32(m))
		}
	}
	return math.Float32frombits(highest((*[soa.Lanes]uint32)(unsafe.Pointer(c))))
}

func most(c *[soa.Lanes]float32) float32 {
	if w := (*[soa.Lanes]uint32)(unsafe.Pointer(c)); w[0]>>31 != 0 {
		if m := lowest(w); m>>31 != 0 {
			return math.Float32frombits(m)
		}
	}
	return math.Float32frombits(uint32(highest((*[soa.Lanes]int32)(unsafe.Pointer(c)))))
}

func lowest[T int32 | uint32](w *[soa.Lanes]T) T {
	a, b, c, d := w[0], w[1], w[2], w[3]
	for i := 4; i < soa.Lanes; i += 4 {
		a, b, c, d = min(a, w[i]), min(b, w[i+1]), min(c, w[i+2]), min(d, w[i+3])
	}
	return min(a, b, c, d)
}

func highest[T int32 | uint32](w *[soa.Lanes]T) T {
	a, b, c, d := w[0], w[1], w[2], w[3]
	for i := 4; i < soa.Lanes; i += 4 {
		a, b, c, d = max(a, w[i]), max(b, w[i+1]), max(c, w[i+2]), max(d, w[i+3])
	}
	return max(a, b, c, d)
}

// cuts returns a bit for each plane that a hull does not lie inside of.
func cuts(h *[8]float32, coef [][4]float32, off [][4]uint32) (m uint64) {
	off = off[:len(coef)]
	for i := len(coef) - 1; i >= 0; i-- {
		c, o := &coef[i], &off[i]
		x, y, z := h[o[0]/64^1&7], h[o[1]/64^1&7], h[o[2]/64^1&7]
		s := float32(float32(c[0]*x)+float32(c[1]*y)) + float32(c[2]*z)
		m = shiftIn(m, s+(c[3]+0))
	}
	return m ^ (1<<len(coef) - 1)
}

// liveMask returns a bit for each lane in use; the others come last.
func liveMask(b *soa.Packet) (m uint32) {
	n := soa.Lanes
	for n > 0 && b[soa.MinX][n-1] == inf {
		n--
	}
	return 1<<n - 1
}

// planesNodeMasks returns the children of n that the planes meet, and of these those
// inside. Lanes that are not in use may be among them.
func planesNodeMasks(n *soa.Node, coef [][4]float32, off [][4]uint32) (hit, in uint32) {
	hit, in = 0xffff, 0xffff
	h := hull(&n.Bounds)
	for left := cuts(&h, coef, off); left != 0; left &= left - 1 {
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

// planesMask returns the boxes of a packet that the planes meet.
func planesMask(b *soa.Packet, coef [][4]float32, off [][4]uint32) uint32 {
	m, h := liveMask(b), hull(b)
	for left := cuts(&h, coef, off); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		c, o := &coef[i], &off[i]
		m &= planeMask(&b[o[0]/64], &b[o[1]/64], &b[o[2]/64], c)
		if m == 0 {
			break
		}
	}
	return m
}
