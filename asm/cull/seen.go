package cull

import (
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// Seen is the state of a walk for occlusion culling: it finds objects that are in a frustum and not
// hidden in a depth picture. Its lists are as in [asm.VolumeWalk], but contained nodes and packets stay
// in them, marked with [SeenInside].
type Seen struct {
	Queue   []uint32
	Packets []uint32
	Head    int

	// Counts of boxes that were excluded because they are hidden or outside the picture.
	HiddenNodes, HiddenPackets, HiddenLanes int
}

// SeenInside marks an entry of a list of [Seen] whose node or packet is contained in the frustum.
const (
	SeenInside = 1 << 30
	seenSlot   = SeenInside - 1 // the rest of an entry
)

// Bounds of one call of a seen kernel, which tests all 16 boxes of each node or packet against the
// picture. A nodes kernel stores whole registers of 16.
const (
	seenNodesPerCall   = 32
	seenPacketsPerCall = 64
	seenRoom           = seenNodesPerCall*soa.Fan + 16
)

// Reset empties the lists and sets the counts to 0.
func (w *Seen) Reset() {
	*w = Seen{Queue: w.Queue[:0], Packets: w.Packets[:0]}
}

// Done reports whether the queue is used up.
func (w *Seen) Done() bool { return w.Head >= len(w.Queue) }

// Nodes is the nodes kernel of occlusion culling. It tests the children of up to 32 queued nodes.
// It appends to both lists the children that the planes intersect, the filter keeps and the picture
// does not hide, in the order of the queue, then of the lanes. If p is nil nothing is hidden. Nodes
// allocates only while lists grow.
func (w *Seen) Nodes(nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture) {
	if w.Done() {
		return
	}
	w.Queue = slices.Grow(w.Queue, seenRoom)
	w.Packets = slices.Grow(w.Packets, seenRoom)
	seenNodes(w, nodes, planes, filter, l, p, seenNodesPerCall)
}

// AppendHits is the packets kernel of occlusion culling. It tests the packets of slots, whose
// entries are as in Packets. It appends a hit range for each packet with a box that the planes
// intersect and the picture does not hide, in the order of the list. If p is nil nothing is hidden.
func (w *Seen) AppendHits(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) []asm.Range {
	out = slices.Grow(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), seenPacketsPerCall)
		n, hidden := seenPackets(out[len(out):len(out)+k], packets, slots[:k], planes, l, p)
		out, slots = out[:len(out)+n], slots[k:]
		w.HiddenLanes += hidden
	}
	return out
}

// SeenRanges removes from hit ranges the boxes that the picture hides, and ranges without a box
// left. It returns the number of boxes removed.
func SeenRanges(ranges []asm.Range, packets []soa.Packet, l *Lens, p *depth.Picture) (left []asm.Range, hidden int) {
	left = ranges[:0]
	for len(ranges) > 0 {
		k := min(len(ranges), seenPacketsPerCall)
		n, less := seenRanges(left[len(left):len(left)+k], packets, ranges[:k], l, p)
		left, ranges = left[:len(left)+n], ranges[k:]
		hidden += less
	}
	return left, hidden
}

// SeenAreas writes the areas of the lanes m of a packet: the number of pixels of the box's
// rectangle inside the picture, or all pixels if it has no rectangle. Other lanes are unspecified.
func SeenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture) {
	seenAreas(areas, b, m, l, p, 1)
}

// Hides reports whether the picture hides a box: every ray of the picture that hits the box beyond
// the eye's plane has a nearer pixel. A box outside the picture is hidden, as no ray hits it.
func Hides(b *soa.AABB, l *Lens, p *depth.Picture) bool {
	var one soa.Packet
	for a := range 3 {
		one[2*a][0], one[2*a+1][0] = b.Min[a], b.Max[a]
	}
	return l.hides(p, &one, 0)
}
