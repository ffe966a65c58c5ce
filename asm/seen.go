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
const SeenInside = 1 << 30

// seenStride is the number of nodes whose children have room in the lists at a time.
const seenStride = 64

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
	w.Queue = slices.Grow(w.Queue, seenStride*soa.Fan)
	w.Packets = slices.Grow(w.Packets, seenStride*soa.Fan)
	seenNodesGo(w, nodes, planes, filter, l, p, seenStride)
}

// AppendHits tests the packets of slots, whose entries are as in Packets, and appends a hit range
// for each of which the planes meet a box that the picture does not hide, in the order of the
// list. Without a picture nothing is hidden.
func (w *Seen) AppendHits(out []Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *Picture) []Range {
	out = slices.Grow(out, len(slots))
	n, hidden := seenPacketsGo(out[len(out):len(out)+len(slots)], packets, slots, planes, l, p)
	w.HiddenLanes += hidden
	return out[:len(out)+n]
}

// SeenRanges removes from hit ranges the boxes that the picture hides, and the ranges that
// none is left of. It returns how many boxes it has removed.
func SeenRanges(ranges []Range, packets []soa.Packet, l *Lens, p *Picture) (left []Range, hidden int) {
	left = ranges[:0]
	for _, r := range ranges {
		m := seenMask(&packets[r.First], r.N&0xffff, l, p)
		hidden += ones(r.N&0xffff) - ones(m)
		if m != 0 {
			left = append(left, Range{r.First, RangeHit | m})
		}
	}
	return left, hidden
}

// SeenAreas writes, for the lanes m of a packet, how many pixels the rectangle of the box has on
// the picture: all of them where it has no rectangle. The others are unspecified.
func SeenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *Picture) {
	seenAreasGo(areas, b, m, l, p)
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
