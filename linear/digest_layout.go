package linear

import "github.com/zoctree/zoctree/internal/snap"

// LayoutDigest returns a hash of all that decides how the tree answers and changes: every
// column and list, and the numbers beside them, but for what a machine has to do with it, as
// [Config.Workers], and the count of changes that ends views. Trees that the same calls have
// made have the same one, on all machines, and so have a tree, its [Tree.Clone], and what
// [Snapshot.Load] makes of it. It is no signature.
//
// It is a look ([Tree.View]), so any number of goroutines may ask. It takes time proportional
// to the tree: a part of what [Tree.WriteTo] takes.
func (t *Tree) LayoutDigest() (digest uint64) {
	t.look()
	i := t.image()
	return i.digest()
}

// digest hashes what is saved, but for what tells nothing of the layout.
func (i *treeImage) digest() (digest uint64) {
	for _, s := range i.sections() {
		if s.name != versionSection {
			digest = snap.Digest(digest, s.col.Bytes(), s.words())
		}
	}
	return digest
}
