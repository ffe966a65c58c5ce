package linear

// SetLimits bounds IDs, packet slots and nodes, for tests of exhaustion. 0
// means the limit of the type.
func (t *Tree) SetLimits(ids uint32, slots, nodes int) {
	t.ids.SetLimit(ids)
	if t.spare == nil {
		t.spare = newStore()
	}
	t.store.Packets.SetLimit(slots)
	t.store.Nodes.SetLimit(nodes)
	t.spare.Packets.SetLimit(slots)
	t.spare.Nodes.SetLimit(nodes)
}

// WithoutIDs returns the view without the tree's index of objects.
func WithoutIDs(v View) View {
	v.ids = nil
	return v
}
