package replica

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Digest is what replicas compare.
type Digest struct {
	Content uint64 // Tree.Digest: all objects by their IDs
	Layout  uint64 // Tree.LayoutDigest: all that decides how it answers and changes
}

// String returns the content.
func (d Digest) String() string { return fmt.Sprintf("%016x", d.Content) }

// digest takes time proportional to the tree.
func digest(t *linear.Tree) Digest { return Digest{t.Digest(), t.LayoutDigest()} }
