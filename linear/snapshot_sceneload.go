package linear

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/soa"
)

// This file builds a scene from loaded parts, in the order of the file. The parts are trees with
// memory of their own, or snapshots, which give an immutable scene. The lists of the file are
// checked here, at all levels. The instance boxes, which only queries read, are checked by boxes.

// scene returns the scene of the lists with these trees and parts. total is the number of parts of
// the file; the missing ones follow the scene in it.
func (l *sceneLists) scene(parts []*partNode, total int) (*Scene, error) {
	s := &Scene{entryOf: make(map[*partNode]uint32), shape: nextShape(), free: slices.Clone(l.unused), due: bitset.Of(slices.Clone(l.due)), writes: 1}
	s.partNode.scene = s
	s.partNode.stale.Store(true)
	n := len(l.in)
	switch {
	case len(l.ticks) != 1 || l.ticks[0] > math.MaxUint32:
		return nil, file.NotSound("it has %d ticks", l.ticks)
	case len(l.transforms) != 12*n || len(l.reaches) != n:
		return nil, file.NotSound("%d instances, %d numbers of transforms and %d reaches", n, len(l.transforms), len(l.reaches))
	case len(l.entries) < firstPart:
		return nil, file.NotSound("%d entries, fewer than the %d of its own trees", len(l.entries), firstPart)
	}
	s.ticks = uint32(l.ticks[0])
	for i := range l.entries {
		if err := l.entry(s, i, parts, total); err != nil {
			return nil, err
		}
	}
	if err := l.unusedEntries(s); err != nil {
		return nil, err
	}
	if s.depth > MaxDepth {
		return nil, fault.Errorf("%w: %w: instances nested %d deep, at most %d", ErrSnapshot, ErrDepth, s.depth, MaxDepth)
	}
	s.in, s.transforms, s.rows, s.wrote = slices.Clone(l.in), make([]Transform, n), make([]placement, n), make([]uint64, n)
	for id := range s.in {
		if err := l.place(s, id); err != nil {
			return nil, err
		}
		s.wrote[id] = s.writes
	}
	for i := firstPart; i < len(s.entries); i++ {
		if e := &s.entries[i]; e.partNode != nil && len(e.ids) == 0 {
			return nil, file.NotSound("entry %d has no instances", i)
		}
	}
	return s, nil
}

// entry adds an entry.
func (l *sceneLists) entry(s *Scene, i int, parts []*partNode, total int) error {
	part, ticked, to := l.entries[i].unpack()
	if part == None && i >= firstPart {
		if l.entries[i] != (packedEntry{None}) {
			return file.NotSound("entry %d has no part, but data of one", i)
		}
		s.entries = append(s.entries, entry{})
		return nil
	}
	switch {
	case uint64(part) >= uint64(total):
		return file.NotSound("entry %d holds part %d, which is missing: there are %d", i, part, total)
	case uint64(part) >= uint64(len(parts)):
		return fault.Errorf("%w: %w: entry %d holds part %d, which does not precede it", ErrSnapshot, ErrCycle, i, part)
	case to.bounds.Check() != nil || !(to.radius >= 0 && to.radius <= math.MaxFloat64):
		return file.NotSound("entry %d has the bounds %v and the radius %g", i, to.bounds, to.radius)
	}
	u := parts[part]
	if _, twice := s.entryOf[u]; i >= firstPart && twice {
		return file.NotSound("part %d is in two entries", part)
	}
	s.entries = append(s.entries, entry{partNode: u, bounds: to, ticked: ticked})
	if i >= firstPart {
		s.entryOf[u] = uint32(i)
		s.held.Add(uint32(i))
		s.parts[u.depth()]++
		s.depth = max(s.depth, u.depth()+1)
	}
	return nil
}

// unusedEntries checks the list of free entries, and the set of due ones.
func (l *sceneLists) unusedEntries(s *Scene) error {
	free := 0
	for i := range s.entries {
		if s.entries[i].partNode == nil {
			free++
		}
	}
	seen := make(map[uint32]bool, len(l.unused))
	for _, i := range l.unused {
		if uint64(i) >= uint64(len(s.entries)) || s.entries[i].partNode != nil || seen[i] {
			return file.NotSound("entry %d of %d is listed as unused twice, or is in use", i, len(s.entries))
		}
		seen[i] = true
	}
	if free != len(l.unused) {
		return file.NotSound("%d entries are unused, %d are listed", free, len(l.unused))
	}
	for i, ok := s.due.Next(0); ok; i, ok = s.due.Next(i + 1) {
		if uint64(i) >= uint64(len(s.entries)) || s.entries[i].partNode == nil {
			return file.NotSound("entry %d of %d is due", i, len(s.entries))
		}
	}
	return nil
}

// place sets the row of an instance ID.
func (l *sceneLists) place(s *Scene, id int) (err error) {
	i, reach := s.in[id], l.reaches[id]
	transform := [12]float64(l.transforms[12*id:])
	if i == None {
		if transform != [12]float64{0: 1, 5: 1, 10: 1} || reach != 0 {
			return file.NotSound("instance %d is free, with the transform %v and the reach %g", id, transform, reach)
		}
		return nil
	}
	if i < firstPart || uint64(i) >= uint64(len(s.entries)) || s.entries[i].partNode == nil {
		return file.NotSound("instance %d is in entry %d, of %d", id, i, len(s.entries))
	}
	if s.transforms[id], err = NewTransform(transform); err != nil {
		return file.NotSound("instance %d: %v", id, err)
	}
	if reach != stays && !(reach >= 0 && reach <= math.MaxFloat64) {
		return file.NotSound("instance %d has the reach %g", id, reach)
	}
	e := &s.entries[i]
	s.rows[id] = placement{uint32(len(e.ids)), reach}
	e.ids = append(e.ids, uint32(id))
	if s.rows[id].turns() {
		e.turns++
	}
	return nil
}

// boxes checks the tree of instance boxes: its IDs are instance IDs, and each box follows from the
// transform and the recorded size of the part.
func (s *Scene) boxes(v View) error {
	live := 0
	for _, e := range s.entries {
		live += len(e.ids)
	}
	if v.Len() != live {
		return file.NotSound("%d boxes of %d instances", v.Len(), live)
	}
	for id, o := range v.All() {
		if uint64(id) >= uint64(len(s.in)) || s.in[id] == None {
			return file.NotSound("instance %d has a box, but does not exist", id)
		}
		transform, row, to := &s.transforms[id], &s.rows[id], &s.entries[s.in[id]].bounds
		if want, ok := row.boxOf(transform, to); !ok || o.Box != want || o.Mask == 0 {
			return file.NotSound("instance %d has the box %v, the mask %#x and the reach %g, its part has the bounds %v and the radius %g", id, o.Box, o.Mask, row.reach, to.bounds, to.radius)
		}
	}
	return nil
}

// boxOf returns the expected box of an instance; ok is false if the reach is wrong.
func (row *placement) boxOf(transform *Transform, to *instanceBounds) (box AABB, ok bool) {
	if !row.turns() {
		return imageOf(transform, &to.bounds), true
	}
	for a, x := range transform.form().Offset() {
		box.Min[a], box.Max[a] = soa.Below(x, row.reach), soa.Above(x, -row.reach)
	}
	return box, row.turnsTo(to, transform, transform)
}

// known registers the scene as a holder of its parts.
func (s *Scene) known() {
	for i := range s.entries {
		if e := &s.entries[i]; e.partNode != nil {
			e.at = e.partNode.add(use{s, uint32(i)})
		}
	}
}
