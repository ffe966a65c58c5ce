package replica

import (
	"crypto/sha256"
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Digest is a hash of the content of a tree: of all objects by their IDs. Where they lie
// in memory, and how the tree came to be, is nothing to it.
type Digest [sha256.Size]byte

// String returns the first digits.
func (d Digest) String() string { return fmt.Sprintf("%x", d[:6]) }

// digest takes time proportional to the tree.
func digest(t *linear.Tree) (d Digest) {
	h := sha256.New()
	var b []byte
	for id, o := range t.All() {
		b = appendObject(order.AppendUint32(b[:0], id), &o)
		h.Write(b)
	}
	h.Sum(d[:0])
	return d
}
