package linear

import "iter"

// All returns an iterator over the objects of the view, with their IDs. It is the same for views of trees,
// snapshots, published versions and the parts of scenes ([SceneView.Objects]).
//
// The order is that of memory, slot by slot, as in [Tree.Order]; [Tree.All] iterates in the order of IDs. All reads
// the packets in sequence, once each, and needs no index of IDs.
//
// It takes time proportional to the number of slots and allocates nothing. Any number of goroutines may iterate at a
// time. As other reads do, it panics when the view is stale: also when the tree changes, or the version is released,
// during the iteration. Record changes in a [Batch], and apply it afterwards.
func (v View) All() iter.Seq2[uint32, Object] {
	return func(yield func(uint32, Object) bool) { v.each(yield) } // short enough to be inlined
}

func (v View) each(yield func(uint32, Object) bool) {
	p := &v.Store().Packets
	for slot := range uint32(len(p.Counts)) {
		for lane := range int(p.Counts[slot]) {
			if !yield(p.IDs[slot][lane], p.Object(slot, lane)) {
				return
			}
			v.Store() // panics if the view is stale
		}
	}
}

// All returns an iterator over the instances of the scene in the order of their IDs, with their parts.
// [Scene.Instance] returns the transform of each. The boxes and masks of instances are the objects of
// [SceneView.Instances].
//
// It applies deferred changes as [Scene.View] does. After that it takes time proportional to the largest ID ever
// assigned and allocates nothing. A change of the scene, or of any part below it, during the iteration makes it
// panic.
func (s *Scene) All() iter.Seq2[uint32, Part] {
	return func(yield func(uint32, Part) bool) { s.each(yield) } // short enough to be inlined
}

func (s *Scene) each(yield func(uint32, Part) bool) {
	v := s.View()
	for id, entry := range s.in {
		if entry == None {
			continue
		}
		if !yield(uint32(id), s.entries[entry].partNode.part()) {
			return
		}
		v.seen() // panics if the scene has changed
	}
}
