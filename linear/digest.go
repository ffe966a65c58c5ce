package linear

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/soa"
)

// Digest returns a hash of the content of the tree by ID: boxes, masks, static flags, spheres, oriented boxes and
// generations of the live objects. Use it to compare replicas, or a replay with its recording. It does not depend
// on locations, on the configuration or on the history: trees with the same content have the same digest, on all
// machines and for all versions of the library. The chance of an accidental collision is one in 2^64. It is no
// signature: a tree with a given digest can be constructed.
//
// Digest reads the tree like [Tree.View]. It takes time proportional to the packets and allocates nothing.
//
// # Definition
//
// The digest is the sum, modulo 2^64, over all objects of h after these words of 64 bits, the first half of each in
// the lower bits:
//
//	ID, generation | minx, maxx | miny, maxy | minz, maxz | mask, kind
//	x, y | z, radius of the sphere, if there is one
//	the twelve floats of the oriented box, centre first, if there is one
//
// A float of -0 counts as 0. kind has bit 0 for static, 1 for a sphere and 2 for an oriented box. h is 0 before the
// first word, a word w makes it (rotl(h, 23) ^ w) * 0x9e3779b97f4a7c15, and after the last one h ^= h>>32, h *=
// 0xd6e8feb86659fd93, h ^= h>>32.
func (t *Tree) Digest() uint64 {
	t.sync()
	p := &t.octree.Store.Packets
	sum := uint64(0)
	for slot, n := range p.Counts {
		for l, id := range p.IDs[slot][:n] {
			sum += digest(p, uint32(slot), l, t.octree.IDs.Gen[id])
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
	h.words(p.Masks[slot][l], kind)
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

// hash is the value h in the definition of Digest.
type hash uint64

func (h *hash) words(low, high uint32) {
	*h = hash((bits.RotateLeft64(uint64(*h), 23) ^ (uint64(low) | uint64(high)<<32)) * 0x9e3779b97f4a7c15)
}

// floats adds two floats. The sums turn -0 into 0, which it equals.
func (h *hash) floats(low, high float32) { h.words(math.Float32bits(low+0), math.Float32bits(high+0)) }

// LayoutDigest returns a hash of the complete state of the tree, including its layout: every column and list, and the
// numbers in the state of the tree. It excludes machine-dependent settings, such as [Config.Workers], and the change
// number that invalidates views. Trees made by the same calls have the same hash, on all machines. So have a tree, its
// [Tree.Clone], and the tree that [Snapshot.Load] makes of it. It is no signature.
//
// It reads the tree like [Tree.View], so any number of goroutines may call it. It takes time proportional to the
// tree: a part of the time of [Tree.WriteTo].
func (t *Tree) LayoutDigest() (digest uint64) {
	t.sync()
	i := file.ImageOf(&t.octree)
	return i.Digest()
}
