package linear

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// What a batch touches lies anywhere in memory, and a change waits for most of
// it. So a batch is worked on in strides: while one is changed, the lines of the
// next ones are on their way.
//
//	places    ........ where each object of the batch lives
//	fetch           [ stride ]              packets
//	change  [ stride ]                      boxes, then the tight boxes above
const batchStride = 64

// firstDead returns the index of the first ID that is not live, or their number.
func (t *Tree) firstDead(ids []uint32) int {
	for i := 0; i < len(ids); i += batchStride {
		end := min(i+batchStride, len(ids))
		mem.Prefetch(t.ids.Gen, ids[end:min(end+batchStride, len(ids))], 0)
		for j, id := range ids[i:end] {
			if !t.ids.Alive(id) {
				return i + j
			}
		}
	}
	return len(ids)
}

// placesOf returns where each object of a batch lives, until the next call.
func (t *Tree) placesOf(ids []uint32) []soa.Place {
	at := soa.Fresh(t.scratch.at, len(ids))
	t.scratch.at = at
	for i := 0; i < len(ids); i += batchStride {
		end := min(i+batchStride, len(ids))
		mem.Prefetch(t.ids.Where, ids[end:min(end+batchStride, len(ids))], 0)
		for j, id := range ids[i:end] {
			at[i+j] = t.ids.Where[id]
		}
	}
	return at
}

// moveAll overwrites the boxes of live objects.
func (t *Tree) moveAll(ids []uint32, boxes []soa.AABB) {
	p := &t.store.Packets
	var keys [batchStride]uint64
	var up [batchStride]soa.Up
	at := t.placesOf(ids)
	fetchPackets(t, at[:min(batchStride, len(at))], 4)
	for i := 0; i < len(ids); i += batchStride {
		k := min(batchStride, len(ids)-i)
		fetchPackets(t, at[i+k:min(i+2*batchStride, len(at))], 4)
		t.code.boxes(keys[:k], soa.BoxWords(boxes[i:i+k]), 6)
		for j, w := range at[i : i+k] {
			up[j] = p.Owner[w.Slot()]
		}
		mem.Prefetch(t.store.Nodes.Hot, up[:k], 3)
		for j, w := range at[i : i+k] {
			t.moveTo(ids[i+j], w.Slot(), w.Lane(), &boxes[i+j], keys[j])
		}
	}
}

// removeAll removes live objects. It needs no memory.
func (t *Tree) removeAll(ids []uint32) {
	part := func(i int) []uint32 {
		return ids[max(min(i, len(ids)), 0):max(min(i+batchStride, len(ids)), 0)]
	}
	for i := -2 * batchStride; i < len(ids); i += batchStride {
		mem.Prefetch(t.ids.Where, part(i+2*batchStride), 0)
		// A removal moves another object, so these places are only where to look.
		var at [batchStride]soa.Place
		next := part(i + batchStride)
		for j, id := range next {
			at[j] = t.ids.Where[id]
		}
		fetchPackets(t, at[:len(next)], 4)
		fetchLabels(t, at[:len(next)], 4)
		for _, id := range part(i) {
			t.remove(id)
		}
	}
}

// fetchPackets asks for what a move reads and writes of packets: slots, or
// places with a shift of 4.
func fetchPackets[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.store.Packets
	mem.Prefetch(p.Owner, at, shift)
	mem.Prefetch(p.Keys, at, shift)
	mem.Prefetch(p.Bounds, at, shift)
	if t.store.Log != nil {
		mem.Prefetch(p.Masks, at, shift)
		mem.Prefetch(p.Moving, at, shift)
	}
}

// fetchLabels asks for what an insertion or a removal needs besides.
func fetchLabels[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.store.Packets
	mem.Prefetch(p.Counts, at, shift)
	mem.Prefetch(p.Moving, at, shift)
	mem.Prefetch(p.IDs, at, shift)
	mem.Prefetch(p.Masks, at, shift)
}

// within reports whether a point lies in a box without its upper faces. In the
// bounds of a world that means inside of it, found faster.
func insideHalfOpen(lo, hi *[3]float32, p [3]float32) bool {
	return p[0] >= lo[0] && p[0] < hi[0] && p[1] >= lo[1] && p[1] < hi[1] && p[2] >= lo[2] && p[2] < hi[2]
}
