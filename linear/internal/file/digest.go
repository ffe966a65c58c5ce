package file

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// DigestObjects returns a hash of the content of a tree by ID: linear.Tree.Digest defines it.
func DigestObjects(t *octree.Tree) uint64 {
	p := &t.Store.Packets
	sum := uint64(0)
	for slot, n := range p.Counts {
		for l, id := range p.IDs[slot][:n] {
			sum += digest(p, uint32(slot), l, t.IDs.Generation(id))
		}
	}
	return sum
}

// digest returns the term of an object in the digest of a tree.
func digest(p *soa.PacketColumns, slot uint32, l int, gen uint32) uint64 {
	var h hash
	b := &p.Bounds[slot]
	h.words(p.IDs[slot][l], gen)
	h.floats(b[soa.MinX][l], b[soa.MaxX][l])
	h.floats(b[soa.MinY][l], b[soa.MaxY][l])
	h.floats(b[soa.MinZ][l], b[soa.MaxZ][l])
	kind := uint32(p.Moving[slot]>>l&1) ^ 1
	var sphere [4]float32
	var oriented soa.OrientedBox
	var ball, turned bool
	if p.Bounded() {
		if sphere, ball = p.Sphere(slot, l); ball {
			kind |= 2
		}
		if oriented, turned = p.Oriented(slot, l); turned {
			kind |= 4
		}
	}
	h.words(p.MaskAt(slot, l), kind)
	if ball {
		h.floats(sphere[0], sphere[1])
		h.floats(sphere[2], sphere[3])
	}
	if turned {
		c, a := &oriented.Center, &oriented.Axes
		h.floats(c[0], c[1])
		h.floats(c[2], a[0][0])
		h.floats(a[0][1], a[0][2])
		h.floats(a[1][0], a[1][1])
		h.floats(a[1][2], a[2][0])
		h.floats(a[2][1], a[2][2])
	}
	x := uint64(h)
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// hash is the value h in the definition of the digest.
type hash uint64

func (h *hash) words(low, high uint32) {
	*h = hash((bits.RotateLeft64(uint64(*h), 23) ^ (uint64(low) | uint64(high)<<32)) * 0x9e3779b97f4a7c15)
}

// floats adds two floats. The sums turn -0 into 0, which it equals.
func (h *hash) floats(low, high float32) { h.words(math.Float32bits(low+0), math.Float32bits(high+0)) }
