package linear

// MiscountPending makes the tree believe in a pending object that is not there.
func (t *Tree) MiscountPending() { t.pending++ }

// ValidateAll is Validate without a limit to what it lists.
func (t *Tree) ValidateAll() error { return t.validate(1 << 30) }

// MaxErrors is how many faults Validate lists.
const MaxErrors = maxErrors
