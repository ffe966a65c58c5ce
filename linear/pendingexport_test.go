package linear

// MiscountPending makes the tree count a pending object that does not exist.
func (t *Tree) MiscountPending() { t.pending++ }

// ValidateAll is Validate without a limit of faults.
func (t *Tree) ValidateAll() error { return t.validate(1 << 30) }

// MaxErrors is the limit of the faults that Validate lists.
const MaxErrors = maxErrors
