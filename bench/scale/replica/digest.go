package replica

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Digest is a fingerprint of a replica, compared between replicas.
type Digest struct {
	Content uint64 // Tree.Digest: all objects by their IDs
	Layout  uint64 // Tree.LayoutDigest: all state that affects queries and changes
}

// String returns the content.
func (d Digest) String() string { return fmt.Sprintf("%016x", d.Content) }

// digest returns the digest of a tree in time proportional to its size.
func digest(t *linear.Tree) Digest { return Digest{t.Digest(), t.LayoutDigest()} }
