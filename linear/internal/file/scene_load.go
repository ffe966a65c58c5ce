package file

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/soa"
)

// This file builds a scene from loaded parts, in the order of the file. The parts are trees with
// memory of their own, or snapshots, which give an immutable scene. The lists of the file are
// checked here, at all levels. The instance boxes, which only queries read, are checked by checkBoxes.

// scene makes s, a zero scene, the scene of the lists with these trees and parts. total is the number of parts of
// the file; the missing ones follow the scene in it.
func (l *sceneLists) scene(s *instance.Scene, parts []*instance.Part, total int) error {
	s.Init()
	s.Free, s.Due, s.Writes = slices.Clone(l.unused), bitset.Of(slices.Clone(l.due)), 1
	n := len(l.in)
	switch {
	case len(l.ticks) != 1 || l.ticks[0] > math.MaxUint32:
		return NotSound("it has %d ticks", l.ticks)
	case len(l.transforms) != 12*n || len(l.reaches) != n:
		return NotSound("%d instances, %d numbers of transforms and %d reaches", n, len(l.transforms), len(l.reaches))
	case len(l.entries) < instance.FirstPart:
		return NotSound("%d entries, fewer than the %d of its own trees", len(l.entries), instance.FirstPart)
	}
	s.Ticks = uint32(l.ticks[0])
	for i := range l.entries {
		if err := l.entry(s, i, parts, total); err != nil {
			return err
		}
	}
	if err := l.unusedEntries(s); err != nil {
		return err
	}
	if s.Depth > instance.MaxDepth {
		return fault.Errorf("%w: %w: instances nested %d deep, at most %d", snap.ErrFormat, instance.ErrDepth, s.Depth, instance.MaxDepth)
	}
	s.Reserve(n)
	copy(s.In, l.in)
	clear(s.Transforms)
	clear(s.Rows)
	for id := range s.In {
		if err := l.place(s, id); err != nil {
			return err
		}
		s.Wrote[id] = s.Writes
	}
	for i := instance.FirstPart; i < len(s.Entries); i++ {
		if e := &s.Entries[i]; e.Part != nil && len(e.IDs) == 0 {
			return NotSound("entry %d has no instances", i)
		}
	}
	return nil
}

// entry adds an entry.
func (l *sceneLists) entry(s *instance.Scene, i int, parts []*instance.Part, total int) error {
	part, ticked, to := l.entries[i].unpack()
	if part == soa.None && i >= instance.FirstPart {
		if l.entries[i] != (packedEntry{soa.None}) {
			return NotSound("entry %d has no part, but data of one", i)
		}
		s.Entries = append(s.Entries, instance.Entry{})
		return nil
	}
	switch {
	case uint64(part) >= uint64(total):
		return NotSound("entry %d holds part %d, which is missing: there are %d", i, part, total)
	case uint64(part) >= uint64(len(parts)):
		return fault.Errorf("%w: %w: entry %d holds part %d, which does not precede it", snap.ErrFormat, instance.ErrCycle, i, part)
	case to.Box.Check() != nil || !(to.Radius >= 0 && to.Radius <= math.MaxFloat64):
		return NotSound("entry %d has the bounds %v and the radius %g", i, to.Box, to.Radius)
	}
	u := parts[part]
	if _, twice := s.EntryOf[u]; i >= instance.FirstPart && twice {
		return NotSound("part %d is in two entries", part)
	}
	s.Entries = append(s.Entries, instance.Entry{Part: u, Bounds: to, Ticked: ticked})
	if i >= instance.FirstPart {
		s.EntryOf[u] = uint32(i)
		s.Held.Add(uint32(i))
		s.Parts[u.Depth()]++
		s.Depth = max(s.Depth, u.Depth()+1)
	}
	return nil
}

// unusedEntries checks the list of free entries, and the set of due ones.
func (l *sceneLists) unusedEntries(s *instance.Scene) error {
	free := 0
	for i := range s.Entries {
		if s.Entries[i].Part == nil {
			free++
		}
	}
	seen := make(map[uint32]bool, len(l.unused))
	for _, i := range l.unused {
		if uint64(i) >= uint64(len(s.Entries)) || s.Entries[i].Part != nil || seen[i] {
			return NotSound("entry %d of %d is listed as unused twice, or is in use", i, len(s.Entries))
		}
		seen[i] = true
	}
	if free != len(l.unused) {
		return NotSound("%d entries are unused, %d are listed", free, len(l.unused))
	}
	for i, ok := s.Due.Next(0); ok; i, ok = s.Due.Next(i + 1) {
		if uint64(i) >= uint64(len(s.Entries)) || s.Entries[i].Part == nil {
			return NotSound("entry %d of %d is due", i, len(s.Entries))
		}
	}
	return nil
}

// place sets the row of an instance ID.
func (l *sceneLists) place(s *instance.Scene, id int) (err error) {
	i, reach := s.In[id], l.reaches[id]
	transform := [12]float64(l.transforms[12*id:])
	if i == soa.None {
		if transform != [12]float64{0: 1, 5: 1, 10: 1} || reach != 0 {
			return NotSound("instance %d is free, with the transform %v and the reach %g", id, transform, reach)
		}
		return nil
	}
	if i < instance.FirstPart || uint64(i) >= uint64(len(s.Entries)) || s.Entries[i].Part == nil {
		return NotSound("instance %d is in entry %d, of %d", id, i, len(s.Entries))
	}
	if err = instance.SetTransform(&s.Transforms[id], &transform); err != nil {
		return NotSound("instance %d: %v", id, err)
	}
	if reach != instance.Stays && !(reach >= 0 && reach <= math.MaxFloat64) {
		return NotSound("instance %d has the reach %g", id, reach)
	}
	e := &s.Entries[i]
	s.Rows[id] = instance.Placement{Index: uint32(len(e.IDs)), Reach: reach}
	e.IDs = append(e.IDs, uint32(id))
	if s.Rows[id].Turns() {
		e.Turns++
	}
	return nil
}

// checkBoxes checks the tree of instance boxes: its IDs are instance IDs, and each box follows from the
// transform and the recorded size of the part.
func checkBoxes(s *instance.Scene, v instance.View) error {
	live := 0
	for _, e := range s.Entries {
		live += len(e.IDs)
	}
	if v.Store.Count != live {
		return NotSound("%d boxes of %d instances", v.Store.Count, live)
	}
	p := &v.Store.Packets
	for slot := range p.Counts {
		for lane, id := range p.IDs[slot][:p.Counts[slot]] {
			if uint64(id) >= uint64(len(s.In)) || s.In[id] == soa.None {
				return NotSound("instance %d has a box, but does not exist", id)
			}
			o := p.Object(uint32(slot), lane)
			transform, row, to := &s.Transforms[id], &s.Rows[id], &s.Entries[s.In[id]].Bounds
			if want, ok := row.BoxOf(transform, to); !ok || o.Box != want || o.Mask == 0 {
				return NotSound("instance %d has the box %v, the mask %#x and the reach %g, its part has the bounds %v and the radius %g", id, o.Box, o.Mask, row.Reach, to.Box, to.Radius)
			}
		}
	}
	return nil
}

// register registers the scene as a holder of its parts.
func register(s *instance.Scene) {
	for i := range s.Entries {
		if e := &s.Entries[i]; e.Part != nil {
			e.At = e.Part.Add(instance.Use{Scene: s, Entry: uint32(i)})
		}
	}
}
