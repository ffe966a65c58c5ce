package linear

func (t *Tree) order(dst []uint32) []uint32 {
	p := &t.store.Packets
	for slot, n := range p.Counts {
		dst = append(dst, p.IDs[slot][:n]...)
	}
	return dst
}

// orderNow returns the IDs in memory order, valid until the next call.
func (t *Tree) orderNow() (ids []uint32) {
	t.buffers().order = t.order(t.buffers().order[:0])
	return t.buffers().order
}
