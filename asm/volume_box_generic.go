package asm

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// boxNodeMasks returns the children of n that intersect the box, and the contained ones.
func boxNodeMasks(n *soa.Node, p *Box) (hit, in uint32) {
	b := &n.Bounds
	hit = boxMask(b, p)
	minx, maxx := signedZeros(p[soa.MinX], p[soa.MaxX])
	miny, maxy := signedZeros(p[soa.MinY], p[soa.MaxY])
	minz, maxz := signedZeros(p[soa.MinZ], p[soa.MaxZ])
	for left := hit; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Fan - 1)
		// The child is not contained if its maximum is above the box's, or its minimum below.
		out := apart(b[soa.MaxX][l], b[soa.MinX][l], minx, maxx) |
			apart(b[soa.MaxY][l], b[soa.MinY][l], miny, maxy) |
			apart(b[soa.MaxZ][l], b[soa.MinZ][l], minz, maxz)
		in |= (out>>31 ^ 1) << l
	}
	return hit, in
}

// boxMask returns the boxes of a packet that intersect the box.
func boxMask(b *soa.Packet, p *Box) uint32 {
	m := meetMask(&b[soa.MinX], &b[soa.MaxX], p[soa.MinX], p[soa.MaxX])
	if m != 0 {
		m &= meetMask(&b[soa.MinY], &b[soa.MaxY], p[soa.MinY], p[soa.MaxY])
	}
	if m != 0 {
		m &= meetMask(&b[soa.MinZ], &b[soa.MaxZ], p[soa.MinZ], p[soa.MaxZ])
	}
	return m
}

// meetMask returns a bit for each lane whose interval intersects qlo to qhi, both finite. It
// iterates down, as planeMask does.
func meetMask(lo, hi *[soa.Lanes]float32, qlo, qhi float32) (miss uint32) {
	qlo, qhi = signedZeros(qlo, qhi)
	_, _ = lo[0], hi[0] // eliminates nil checks in the loop
	for i := soa.Lanes - 4; i >= 0; i -= 4 {
		miss = miss + miss + apart(lo[i+3], hi[i+3], qlo, qhi)>>31
		miss = miss + miss + apart(lo[i+2], hi[i+2], qlo, qhi)>>31
		miss = miss + miss + apart(lo[i+1], hi[i+1], qlo, qhi)>>31
		miss = miss + miss + apart(lo[i], hi[i], qlo, qhi)>>31
	}
	return miss ^ 0xffff
}

// apart returns a number whose highest bit is set if two intervals are disjoint: a difference of
// floats is negative if the first is smaller. Signs can be ORed; results of comparisons would have
// to become numbers first.
func apart(lo, hi, qlo, qhi float32) uint32 {
	return math.Float32bits(qhi-lo) | math.Float32bits(hi-qlo)
}

// signedZeros makes zeros -0 in qlo and +0 in qhi, so that no difference in apart is -0.
func signedZeros(qlo, qhi float32) (lo, hi float32) { return -(0 - qlo), qhi + 0 }
