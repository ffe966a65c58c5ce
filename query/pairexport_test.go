package query

// FindAll makes the next update compare all pairs, whatever has changed.
func (t *PairTracker) FindAll() { t.filter.StaticPairs = !t.Filter.StaticPairs }

// Looked returns about the number of former pairs that the last update looked at:
// at least half of it, and no more.
func (t *PairTracker) Looked() int { return len(t.then.table) / 8 }
