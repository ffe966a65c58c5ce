package query

// FindAll makes the next update compare all pairs, whatever has changed.
func (t *PairTracker) FindAll() { t.filter.StaticPairs = !t.Filter.StaticPairs }

// Looked returns the number of pairs, former and new, that the last update
// compared.
func (t *PairTracker) Looked() int { return len(t.then.keys) + len(t.now.keys) }
