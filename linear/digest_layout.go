package linear

import "github.com/zoctree/zoctree/linear/internal/file"

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
