package linear

import "github.com/zoctree/zoctree/linear/internal/file"

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
	return file.DigestObjects(&t.octree)
}

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
