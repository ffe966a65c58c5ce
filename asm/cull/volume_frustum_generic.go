package cull

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// planeMask returns a bit for each lane whose p-vertex is inside the plane. x, y and z are the
// columns of the p-vertex. It iterates down, so that each lane shifts by a constant.
//
// A sum is at least 0 if its bits, as a number, are below those of a NaN: no sum is -0, because d
// is not. The borrow of that comparison is added to the mask, which takes fewer instructions than a
// comparison of floats whose result becomes a number.
func planeMask(x, y, z *[soa.Lanes]float32, c *[4]float32) uint32 {
	nx, ny, nz, d := c[0], c[1], c[2], c[3]+0
	_, _, _ = x[0], y[0], z[0] // eliminates nil checks in the loop
	var m uint64
	for i := soa.Lanes - 4; i >= 0; i -= 4 {
		s3 := float32(float32(nx*x[i+3])+float32(ny*y[i+3])) + float32(nz*z[i+3])
		s2 := float32(float32(nx*x[i+2])+float32(ny*y[i+2])) + float32(nz*z[i+2])
		s1 := float32(float32(nx*x[i+1])+float32(ny*y[i+1])) + float32(nz*z[i+1])
		s0 := float32(float32(nx*x[i])+float32(ny*y[i])) + float32(nz*z[i])
		m = shiftIn(shiftIn(shiftIn(shiftIn(m, s3+d), s2+d), s1+d), s0+d)
	}
	return uint32(m)
}

// shiftIn appends a bit to a mask: whether x, which is not -0, is at least 0.
func shiftIn(m uint64, x float32) uint64 {
	const nan = 0x7f800001 // the smallest
	_, atLeast := bits.Sub64(uint64(math.Float32bits(x)), nan, 0)
	m, _ = bits.Add64(m, m, atLeast)
	return m
}

// frustumNodeMasks returns the children of n that the planes intersect, and the contained ones.
func frustumNodeMasks(n *soa.Node, p *Planes) (hit, in uint32) {
	return planesNodeMasks(n, p.Coef[:], p.Off[:])
}

// frustumMask returns the boxes of a packet that the planes intersect.
func frustumMask(b *soa.Packet, p *Planes) uint32 { return planesMask(b, p.Coef[:], p.Off[:]) }
