package linear

import "github.com/zoctree/zoctree/internal/snap"

// LayoutDigest returns a hash of the complete state of the tree, including its layout: every column and list, and the
// numbers in the state of the tree. It excludes machine-dependent settings, such as [Config.Workers], and the change
// number that invalidates views. Trees made by the same calls have the same hash, on all machines. So have a tree, its
// [Tree.Clone], and the tree that [Snapshot.Load] makes of it. It is no signature.
//
// It reads the tree like [Tree.View], so any number of goroutines may call it. It takes time proportional to the
// tree: a part of the time of [Tree.WriteTo].
func (t *Tree) LayoutDigest() (digest uint64) {
	t.sync()
	i := t.image()
	return i.digest()
}

// digest hashes the saved sections, except those that are not part of the layout.
func (i *treeImage) digest() (digest uint64) {
	for _, s := range i.sections() {
		if s.name != versionSection {
			digest = snap.Digest(digest, s.col.Bytes(), s.words())
		}
	}
	return digest
}
