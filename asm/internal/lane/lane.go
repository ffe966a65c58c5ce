// Package lane has what the packages of kernels share: functions on the 16 lanes of a packet or a
// node, and on the exponents of floats, and the tables by which assembly permutes lanes.
package lane

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// BoxMask returns the boxes of a packet that intersect the box p, minx maxx miny maxy minz maxz.
func BoxMask(b *soa.Packet, p *[6]float32) uint32 {
	m := OverlapMask(&b[soa.MinX], &b[soa.MaxX], p[soa.MinX], p[soa.MaxX])
	if m != 0 {
		m &= OverlapMask(&b[soa.MinY], &b[soa.MaxY], p[soa.MinY], p[soa.MaxY])
	}
	if m != 0 {
		m &= OverlapMask(&b[soa.MinZ], &b[soa.MaxZ], p[soa.MinZ], p[soa.MaxZ])
	}
	return m
}

// OverlapMask returns a bit for each lane whose interval intersects qlo to qhi, both finite. It
// iterates down, as planeMask does.
func OverlapMask(lo, hi *[soa.Lanes]float32, qlo, qhi float32) (miss uint32) {
	qlo, qhi = SignedZeros(qlo, qhi)
	_, _ = lo[0], hi[0] // eliminates nil checks in the loop
	for i := soa.Lanes - 4; i >= 0; i -= 4 {
		miss = miss + miss + Apart(lo[i+3], hi[i+3], qlo, qhi)>>31
		miss = miss + miss + Apart(lo[i+2], hi[i+2], qlo, qhi)>>31
		miss = miss + miss + Apart(lo[i+1], hi[i+1], qlo, qhi)>>31
		miss = miss + miss + Apart(lo[i], hi[i], qlo, qhi)>>31
	}
	return miss ^ 0xffff
}

// Apart returns a number whose highest bit is set if two intervals are disjoint: a difference of
// floats is negative if the first is smaller. Signs can be ORed; results of comparisons would have
// to become numbers first.
func Apart(lo, hi, qlo, qhi float32) uint32 {
	return math.Float32bits(qhi-lo) | math.Float32bits(hi-qlo)
}

// SignedZeros makes zeros -0 in qlo and +0 in qhi, so that no difference in Apart is -0.
func SignedZeros(qlo, qhi float32) (lo, hi float32) { return -(0 - qlo), qhi + 0 }

var inf = float32(math.Inf(1))

// LiveMask returns a bit for each live lane; free lanes are last.
func LiveMask(b *soa.Packet) (m uint32) {
	n := soa.Lanes
	for n > 0 && b[soa.MinX][n-1] == inf {
		n--
	}
	return 1<<n - 1
}

// Bit returns 1 for true.
func Bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// WithinMask writes the squared distances of 16 boxes from c, with each difference multiplied by
// scale, and returns a bit for each that is at most limit.
func WithinMask(b *soa.Packet, c *[3]float32, scale, limit float32, dist *[soa.Lanes]float32) (m uint32) {
	x, y, z := c[0], c[1], c[2]
	for l := soa.Lanes - 1; l >= 0; l-- {
		dx := gap(b[soa.MinX][l], b[soa.MaxX][l], x) * scale
		dy := gap(b[soa.MinY][l], b[soa.MaxY][l], y) * scale
		dz := gap(b[soa.MinZ][l], b[soa.MaxZ][l], z) * scale
		d2 := float32(float32(dx*dx)+float32(dy*dy)) + float32(dz*dz)
		dist[l] = d2
		m = m + m + Bit(d2 <= limit)
	}
	return m
}

// gap returns the distance of c from the interval lo to hi: the maximum of two differences and 0,
// compared as integers, without a branch.
func gap(lo, hi, c float32) float32 {
	d, e := int32(math.Float32bits(lo-c)), int32(math.Float32bits(c-hi))
	return math.Float32frombits(uint32(max(d, e, 0)))
}

// At returns element i of the array at p.
func At[T any](p *T, i int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(p), uintptr(i)*unsafe.Sizeof(*p)))
}

// Allowed returns the number of nodes that a call may test: the budget of a walk, 0 for none, but
// at most bound.
func Allowed(budget, bound int) int {
	if budget > 0 {
		return min(budget, bound)
	}
	return bound
}
