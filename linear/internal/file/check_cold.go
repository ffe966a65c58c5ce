package file

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// The columns that queries do not read are checked when a tree is loaded, and at CheckFull. The first checks establish
// the preconditions of Validate: lists end and lead to existing rows. Then Validate runs.

// whole reads the cold sections, and checks them as the level requires. The lock is held.
func (s *Snapshot) whole() error {
	if s.all {
		return nil
	}
	if s.Level != CheckNone {
		for _, c := range s.Lists.Sections(s.Tree.Store) {
			if i := s.File.Find(s.group, c.Name); !c.Hot && i >= 0 {
				if err := s.File.Check(i); err != nil {
					return err
				}
			}
		}
	}
	if err := s.gatherBounds(false); err != nil {
		return err
	}
	s.all = true
	err := s.lengths()
	if err == nil {
		err = s.Lists.inside(&s.Tree)
	}
	if err == nil {
		s.Lists.LoadInto(&s.Tree)
		if s.Level <= CheckFull {
			err = followed(&s.Tree)
		}
	}
	if err == nil && s.Level <= CheckFull {
		if e := s.Tree.Validate(octree.MaxErrors); e != nil {
			err = NotSound("%v", e)
		}
	}
	s.all = err == nil
	return err
}

// inside checks that the members of lists exist, without which the tree cannot be assembled.
func (l *Lists) inside(t *octree.Tree) error {
	last := uint32(0)
	for _, end := range l.RefitEnds {
		if end < last || uint64(end) > uint64(len(l.refitByHeight)) {
			return NotSound("sets of nodes end at %d and %d, of %d words", last, end, len(l.refitByHeight))
		}
		last = end
	}
	if len(l.RefitEnds) > 256 || int(last) != len(l.refitByHeight) {
		return NotSound("%d sets of nodes have %d words, not %d", len(l.RefitEnds), last, len(l.refitByHeight))
	}
	// The users of other sets and lists check their members.
	if err := inSet("slots to refit", l.sets[0], len(t.Store.Packets.Counts)); err != nil {
		return err
	}
	first := uint32(0)
	for _, end := range l.RefitEnds {
		if err := inSet("nodes to refit", l.refitByHeight[first:end], len(t.Store.Nodes.Hot)); err != nil {
			return err
		}
		first = end
	}
	log := t.Store.Log
	if log == nil && len(l.Changes)+len(l.Born) > 0 || log != nil && (log.Frame < 0 || log.Frame > len(l.Changes)) {
		return NotSound("a log of %d changes and %d births, or none", len(l.Changes), len(l.Born))
	}
	for i := range l.Changes {
		if flags := l.Changes[i].flags; flags > 7 {
			return NotSound("change %d has the flags %#x", i, flags)
		}
	}
	return nil
}

// inSet checks that a set has no member from most on.
func inSet(what string, bits []uint64, most int) error {
	b := bitset.Of(bits)
	if i, some := b.Next(uint32(most)); some {
		return NotSound("%s: member %[3]d, want below %[2]d", what, most, i)
	}
	return nil
}

// followed checks the numbers and the linked lists that Validate follows.
func followed(t *octree.Tree) error {
	c := t.Store
	for _, n := range [...]int{t.Pending, t.Arrived, t.Base, t.Peak, t.PlacedThisTick, t.Outside, t.SingleMoves, t.Strayed, t.IDs.Len()} {
		if n < 0 || n > 1<<31-1 {
			return NotSound("a number of objects or packets is %d", n)
		}
	}
	// The fast bounds may be inverted: they contain no box then.
	if !(t.Visits >= 0) || !soundBox(t.Centres) || hasNaN(t.FastBounds.Boxes) || hasNaN(t.FastBounds.Centres) {
		return NotSound("the visits %v, or one of the boxes %v, %v, %v", t.Visits, t.Centres, t.FastBounds.Boxes, t.FastBounds.Centres)
	}
	for i, dies := range c.Nodes.FreeAtTick {
		if dies != 0 && (c.Nodes.Used[i] == 0 || c.Nodes.Height[i] != 0 || c.Nodes.Below[i] != 0) {
			return NotSound("node %d of height %d, with %d objects, is to be freed at tick %d", i, c.Nodes.Height[i], c.Nodes.Below[i], dies)
		}
	}
	nodes := c.Nodes.FreeList()
	left := len(c.Nodes.Parents)
	for next := nodes.First; next != 0; next = uint32(c.Nodes.Parents[next-1]) {
		if left--; left < 0 || uint64(next) > uint64(len(c.Nodes.Parents)) || c.Nodes.Used[next-1] != 0 {
			return NotSound("the list of free nodes leads to %d of %d", next-1, len(c.Nodes.Parents))
		}
	}
	return nil
}

// soundBox reports whether a box is finite and not inverted, or empty.
func soundBox(b soa.AABB) bool { return b == soa.Empty() || b.Check() == nil }

// hasNaN reports whether a box has a NaN.
func hasNaN(b soa.AABB) bool { return b != b }
