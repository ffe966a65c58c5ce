package soa

import (
	"github.com/zoctree/zoctree/internal/mem"
	"slices"
	"sync/atomic"
)

// Change is an entry of a change log ([Log]): the state of a live object after a change, or its removal.
type Change struct {
	Object  Object     // zero if Removed
	Sphere  [4]float32 // x, y, z, radius; a radius below 0: no sphere
	ID      uint32
	Removed bool // the object was removed

	// Oriented means that the object has an oriented box. The log does not hold the box: after the
	// last entry of an object the tree does.
	Oriented bool
}

// Log is the change log of a tree: it holds the last insertions, removals, and changes of boxes,
// bounds, masks and static flags. Changes are numbered from 0 without gaps over the lifetime of the
// log.
//
//	number   First              First+Frame             Next()
//	         | the last frame    | since the last tick  |
//
// Following a frame of many changes one by one is slower than a scan of the tree. So when a frame
// has more than about one change for every logOneIn objects, the log drops all changes and records
// none until the next tick.
//
// A nil log records nothing: Remove, Insert, Fill, Clear and Trim accept it.
type Log struct {
	// Number identifies the log within the process. A copy made by Follow has the same number, a
	// clone its own.
	Number uint64

	Changes []Change
	First   uint64 // number of Changes[0]
	Frame   int    // Changes[Frame:] were made after the last tick

	Born   []uint64 // by ID: the number of the change that inserted its last object
	Births uint64   // 1 + the number of the last insertion; 0: none

	full bool // records nothing until the next tick
}

const (
	logMin   = 1024 // number of changes of a frame that are always kept
	logOneIn = 8
)

var logs atomic.Uint64

// NewLog returns an empty change log with a number of its own.
func NewLog() *Log { return &Log{Number: logs.Add(1)} }

// Next returns the number of the next change.
func (l *Log) Next() uint64 { return l.First + uint64(len(l.Changes)) }

// Set records the new state of an object and whether it has an oriented box; live is the number of
// objects.
func (l *Log) Set(id uint32, o Object, sphere [4]float32, oriented bool, live int) {
	l.add(Change{Object: o, Sphere: sphere, ID: id, Oriented: oriented}, live)
}

// Remove records the removal of an object; live is the number of objects.
func (l *Log) Remove(id uint32, live int) {
	if l != nil {
		l.add(Change{ID: id, Removed: true}, live)
	}
}

// Insert records a new object; live is the number of objects.
func (l *Log) Insert(id uint32, o Object, sphere [4]float32, live int) {
	if l != nil {
		l.insert(id, o, sphere, live)
	}
}

func (l *Log) insert(id uint32, o Object, sphere [4]float32, live int) {
	if n := len(l.Born); int(id) >= n {
		l.Born = mem.Resize(l.Born, int(id)+1)
		clear(l.Born[n:])
	}
	l.Born[id] = l.Next()
	l.Births = l.Next() + 1
	l.Set(id, o, sphere, false, live)
}

// Fill records, as one change, that the objects are now 0 to n-1, all new.
func (l *Log) Fill(n int) {
	if l == nil {
		return
	}
	l.Born = mem.Resize(l.Born, max(n, len(l.Born)))
	next := l.Next()
	for id := range n {
		l.Born[id] = next
	}
	l.Births = next + 1
	l.forget(1)
}

// Clear records, as one change, that all objects have been removed.
func (l *Log) Clear() {
	if l != nil {
		l.forget(1)
	}
}

// Takes reports whether the log has room for n changes in this frame. If not, it drops all changes
// and records none until the next tick; the n changes count as one.
func (l *Log) Takes(n, live int) bool {
	if l.full || len(l.Changes)-l.Frame+n > max(logMin, live/logOneIn) {
		l.full = true
		l.forget(1)
		return false
	}
	return true
}

func (l *Log) add(c Change, live int) {
	if l.Takes(1, live) {
		l.Changes = append(l.Changes, c)
	}
}

// forget drops all recorded changes and skips the next n numbers.
func (l *Log) forget(n int) {
	l.First, l.Changes, l.Frame = l.Next()+uint64(n), l.Changes[:0], 0
}

// Tick ends a frame and drops the changes of the frame before it.
func (l *Log) Tick() {
	l.First += uint64(l.Frame)
	l.Changes = l.Changes[:copy(l.Changes, l.Changes[l.Frame:])]
	l.Frame = len(l.Changes)
	l.full = false
}

// Trim releases the memory that changes and IDs below n do not need. The IDs from n on must not be
// live.
func (l *Log) Trim(n int) {
	if l == nil {
		return
	}
	l.Changes = slices.Clone(l.Changes)
	l.Born = slices.Clone(l.Born[:min(n, len(l.Born))])
}

// Since returns the changes from number n on, oldest first. ok is false if some of them have been
// dropped.
func (l *Log) Since(n uint64) (changes []Change, ok bool) {
	if n < l.First || n > l.Next() {
		return nil, false
	}
	i := int(n - l.First)
	return l.Changes[i:len(l.Changes):len(l.Changes)], true
}

// Follow makes l a copy of from. If l is an earlier copy and from still holds all changes since
// then, the time is proportional to the number of changes that from holds.
func (l *Log) Follow(from *Log) {
	if changes, ok := from.Since(l.Next()); ok && l.Number == from.Number {
		n := len(l.Born)
		l.Born = mem.Resize(l.Born, len(from.Born))
		clear(l.Born[min(n, len(l.Born)):])
		for i := range changes {
			if id := changes[i].ID; uint64(id) < uint64(len(l.Born)) {
				l.Born[id] = from.Born[id]
			}
		}
	} else {
		l.Born = append(l.Born[:0], from.Born...)
	}
	l.Changes = append(l.Changes[:0], from.Changes...)
	l.Number, l.First, l.Frame, l.Births, l.full = from.Number, from.First, from.Frame, from.Births, from.full
}

// Clone returns an independent copy with its own number.
func (l *Log) Clone() *Log {
	c := NewLog()
	n := c.Number
	c.Follow(l)
	c.Number = n
	return c
}
