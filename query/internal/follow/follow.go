// Package follow reads the change log of a tree from update to update. The trackers of packages
// collide and interest use it: it has the position of a reader in the log, the set of changed IDs,
// and the order of their boxes along the Morton curve.
package follow

import "github.com/zoctree/zoctree/soa"

// Position is the position of a reader in the change log of a tree. The zero value has read nothing.
type Position struct {
	Log  uint64 // number of the log that was read last; 0: none
	Next uint64 // number of its first unread change
}

// Known reports whether the log was read last: it belongs to the same tree, or to a version of it.
func (p *Position) Known(l *soa.Log) bool { return p.Log == l.Number }

// Changes returns the unread changes in their order. ok is false if the reader must compare all
// objects: the log is not known, or it has dropped some of these changes.
func (p *Position) Changes(l *soa.Log) (changes []soa.Change, ok bool) {
	if !p.Known(l) {
		return nil, false
	}
	return l.Since(p.Next)
}

// MayReuse reports whether an ID may belong to another object than when a known log was read last:
// objects have been inserted since, or the view is older.
func (p *Position) MayReuse(l *soa.Log) bool { return l.Births > p.Next || l.Next() < p.Next }

// Advance moves the position behind the last change.
func (p *Position) Advance(l *soa.Log) { p.Log, p.Next = l.Number, l.Next() }
