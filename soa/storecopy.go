package soa

// Empty makes the store one without nodes and packets and keeps the memory.
func (s *Store) Empty() {
	s.Nodes.Resize(0)
	s.Nodes.Forget()
	s.Packets.Resize(0)
	s.Packets.Forget()
	s.Pending = s.Pending[:0]
	s.Near, s.Extent, s.Count = [3]float32{}, [3]float32{}, 0
}

// Clone returns an independent copy without slack. Its log is one of its own.
func (s *Store) Clone() *Store {
	c := *s
	n, p := &c.Nodes, &c.Packets
	n.Hot, n.Up, n.Slots, n.Keys = copied(n.Hot), copied(n.Up), copied(n.Slots), copied(n.Keys)
	n.Below, n.Used, n.Height, n.Life, n.Dies = copied(n.Below), copied(n.Used), copied(n.Height), copied(n.Life), copied(n.Dies)
	p.Bounds, p.IDs, p.Masks = copied(p.Bounds), copied(p.IDs), copied(p.Masks)
	p.Moving, p.Counts, p.Owner, p.Keys = copied(p.Moving), copied(p.Counts), copied(p.Owner), copied(p.Keys)
	p.Spheres = copied(p.Spheres)
	c.Pending = copied(c.Pending)
	if s.Log != nil {
		c.Log = s.Log.Clone()
	}
	return &c
}

// copied returns a copy of a column that starts on a cache line, too.
func copied[T any](col []T) []T {
	c := Fresh[T](nil, len(col))
	copy(c, col)
	return c
}
