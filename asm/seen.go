package asm

import (
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Seen is a walk of what is in a frustum and not hidden in a picture. Its lists are as those of
// a [VolumeWalk], but what is wholly inside the frustum stays in them, with [SeenInside].
type Seen struct {
	Queue   []uint32
	Packets []uint32
	Head    int

	// What was left out because the picture hides it, or the lens does not show it.
	HiddenNodes, HiddenPackets, HiddenLanes int
}

// SeenInside marks an entry of a list of [Seen] whose node or packet lies wholly inside the
// frustum.
const (
	SeenInside = 1 << 30
	seenSlot   = SeenInside - 1 // the rest of an entry
)

// A seen kernel tests at most so many nodes or packets in one call, all 16 boxes of each against the
// picture. A nodes kernel stores whole registers of 16.
const (
	seenNodesPerCall   = 32
	seenPacketsPerCall = 64
	seenRoom           = seenNodesPerCall*soa.Fan + 16
)

// Reset empties the lists and forgets what was left out.
func (w *Seen) Reset() {
	*w = Seen{Queue: w.Queue[:0], Packets: w.Packets[:0]}
}

// Done reports whether the queue is used up.
func (w *Seen) Done() bool { return w.Head >= len(w.Queue) }

// Nodes tests the children of up to 64 queued nodes and appends to both lists those that the
// planes meet, the filter keeps and the picture does not hide, in the order of the queue, then
// of the lanes. Without a picture nothing is hidden. It allocates only while lists grow.
func (w *Seen) Nodes(nodes []soa.Node, planes *Planes, filter *NodeFilter, l *Lens, p *Picture) {
	if w.Done() {
		return
	}
	w.Queue = slices.Grow(w.Queue, seenRoom)
	w.Packets = slices.Grow(w.Packets, seenRoom)
	seenNodes(w, nodes, planes, filter, l, p, seenNodesPerCall)
}

// AppendHits tests the packets of slots, whose entries are as in Packets, and appends a hit range
// for each of which the planes meet a box that the picture does not hide, in the order of the
// list. Without a picture nothing is hidden.
func (w *Seen) AppendHits(out []Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *Picture) []Range {
	out = slices.Grow(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), seenPacketsPerCall)
		n, hidden := seenPackets(out[len(out):len(out)+k], packets, slots[:k], planes, l, p)
		out, slots = out[:len(out)+n], slots[k:]
		w.HiddenLanes += hidden
	}
	return out
}

// SeenRanges removes from hit ranges the boxes that the picture hides, and the ranges that
// none is left of. It returns how many boxes it has removed.
func SeenRanges(ranges []Range, packets []soa.Packet, l *Lens, p *Picture) (left []Range, hidden int) {
	left = ranges[:0]
	for len(ranges) > 0 {
		k := min(len(ranges), seenPacketsPerCall)
		n, less := seenRanges(left[len(left):len(left)+k], packets, ranges[:k], l, p)
		left, ranges = left[:len(left)+n], ranges[k:]
		hidden += less
	}
	return left, hidden
}

// SeenAreas writes, for the lanes m of a packet, how many pixels the rectangle of the box has on
// the picture: all of them where it has no rectangle. The others are unspecified.
func SeenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *Picture) {
	seenAreas(areas, b, m, l, p, 1)
}

// Hides reports whether the picture hides a box: whether all rays of the picture that meet it beyond
// the eye's plane have a pixel that is nearer. Off the picture there are none.
func Hides(b *soa.AABB, l *Lens, p *Picture) bool {
	var one soa.Packet
	for a := range 3 {
		one[2*a][0], one[2*a+1][0] = b.Min[a], b.Max[a]
	}
	return l.hides(p, &one, 0)
}
