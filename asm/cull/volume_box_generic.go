package cull

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// boxNodeMasks returns the children of n that intersect the box, and the contained ones.
func boxNodeMasks(n *soa.Node, p *Box) (hit, in uint32) {
	b := &n.Bounds
	hit = lane.BoxMask(b, (*[6]float32)(p))
	minx, maxx := lane.SignedZeros(p[soa.MinX], p[soa.MaxX])
	miny, maxy := lane.SignedZeros(p[soa.MinY], p[soa.MaxY])
	minz, maxz := lane.SignedZeros(p[soa.MinZ], p[soa.MaxZ])
	for left := hit; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Fan - 1)
		// The child is not contained if its maximum is above the box's, or its minimum below.
		out := lane.Apart(b[soa.MaxX][l], b[soa.MinX][l], minx, maxx) |
			lane.Apart(b[soa.MaxY][l], b[soa.MinY][l], miny, maxy) |
			lane.Apart(b[soa.MaxZ][l], b[soa.MinZ][l], minz, maxz)
		in |= (out>>31 ^ 1) << l
	}
	return hit, in
}
