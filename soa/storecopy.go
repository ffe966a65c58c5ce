package soa

import "github.com/zoctree/zoctree/internal/mem"

// Empty removes all nodes and packets and keeps the memory.
func (s *Store) Empty() {
	s.Nodes.Resize(0)
	s.Nodes.Forget()
	s.Packets.Resize(0)
	s.Packets.Mask, s.Packets.masked = 0, false
	s.Pending = s.Pending[:0]
	s.Near, s.Extent, s.Count = [3]float32{}, [3]float32{}, 0
}

// Vacant reports whether the store has no rows, so that queries read nothing.
func (s *Store) Vacant() bool {
	return len(s.Nodes.Hot)+len(s.Packets.Counts)+len(s.Pending) == 0
}

// Clone returns an independent copy without slack. Its log has its own number.
func (s *Store) Clone() *Store {
	c := *s
	var room columnList
	for _, col := range c.columns(room[:0]) {
		col.clone()
	}
	c.Packets.masked = c.Packets.Masked() // the rows may be of a file
	c.Pending = copied(c.Pending)
	if s.Log != nil {
		c.Log = s.Log.Clone()
	}
	return &c
}

// copied returns a copy of a column that also starts on a cache line.
func copied[T any](col []T) []T {
	c := mem.Fresh[T](nil, len(col))
	copy(c, col)
	return c
}
