package linear

import "github.com/zoctree/zoctree/linear/internal/octree"

// MiscountPending makes the tree count a pending object that does not exist.
func (t *Tree) MiscountPending() { t.octree.Pending++ }

// ValidateAll is Validate without a limit of faults.
func (t *Tree) ValidateAll() error { return t.octree.Validate(1 << 30) }

// MaxErrors is the limit of the faults that Validate lists.
const MaxErrors = octree.MaxErrors
