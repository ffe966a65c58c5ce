package octree

// Order appends the IDs of all objects in memory order.
func (t *Tree) Order(dst []uint32) []uint32 {
	p := &t.Store.Packets
	for slot, n := range p.Counts {
		dst = append(dst, p.IDs[slot][:n]...)
	}
	return dst
}

// OrderNow returns the IDs in memory order, valid until the next call.
func (t *Tree) OrderNow() (ids []uint32) {
	t.Buffers().order = t.Order(t.Buffers().order[:0])
	return t.Buffers().order
}
