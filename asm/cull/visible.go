package cull

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// VisibleWalk is the state of a walk for occlusion culling: it finds objects that are in a frustum and not
// hidden in a depth picture. Its lists are as in [asm.VolumeWalk], but contained nodes and packets stay
// in them, marked with [InsideFlag].
type VisibleWalk struct {
	Queue   []uint32
	Packets []uint32
	Head    int

	// Counts of boxes that were excluded because they are hidden or outside the picture.
	HiddenNodes, HiddenPackets, HiddenLanes int
}

// InsideFlag marks an entry in a list of a [VisibleWalk] whose node or packet is contained in the frustum.
const (
	InsideFlag = 1 << 30
	entryIndex = InsideFlag - 1 // the rest of an entry
)

// Bounds of one call of a visibility kernel, which tests all 16 boxes of each node or packet against the
// picture. A nodes kernel stores whole registers of 16.
const (
	visibleNodesPerCall   = 32
	visiblePacketsPerCall = 64
	visibleRoom           = visibleNodesPerCall*soa.Fan + 16
)

// Reset empties the lists and sets the counts to 0.
func (w *VisibleWalk) Reset() {
	*w = VisibleWalk{Queue: w.Queue[:0], Packets: w.Packets[:0]}
}

// Done reports whether the queue is used up.
func (w *VisibleWalk) Done() bool { return w.Head >= len(w.Queue) }

// Nodes is the nodes kernel of occlusion culling. It tests the children of up to 32 queued nodes.
// It appends to both lists the children that the planes intersect, the filter keeps and the picture
// does not hide, in the order of the queue, then of the lanes. If p is nil nothing is hidden. Nodes
// allocates only while lists grow.
func (w *VisibleWalk) Nodes(nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture) {
	if w.Done() {
		return
	}
	w.Queue = slices.Grow(w.Queue, visibleRoom)
	w.Packets = slices.Grow(w.Packets, visibleRoom)
	visibleNodes(w, nodes, planes, filter, l, p, visibleNodesPerCall)
}

// AppendHits is the packets kernel of occlusion culling. It tests the packets of slots, whose
// entries are as in Packets. It appends a hit range for each packet with a box that the planes
// intersect and the picture does not hide, in the order of the list. If p is nil nothing is hidden.
func (w *VisibleWalk) AppendHits(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) []asm.Range {
	out = slices.Grow(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), visiblePacketsPerCall)
		n, hidden := visiblePackets(out[len(out):len(out)+k], packets, slots[:k], planes, l, p)
		out, slots = out[:len(out)+n], slots[k:]
		w.HiddenLanes += hidden
	}
	return out
}

// VisibleRanges removes from hit ranges the boxes that the picture hides, and ranges without a box
// left. It returns the number of boxes removed.
func VisibleRanges(ranges []asm.Range, packets []soa.Packet, l *Lens, p *depth.Picture) (left []asm.Range, hidden int) {
	left = ranges[:0]
	for len(ranges) > 0 {
		k := min(len(ranges), visiblePacketsPerCall)
		n, less := visibleRanges(left[len(left):len(left)+k], packets, ranges[:k], l, p)
		left, ranges = left[:len(left)+n], ranges[k:]
		hidden += less
	}
	return left, hidden
}

// VisibleAreas writes the areas of the lanes m of a packet: the number of pixels of the box's
// rectangle inside the picture, or all pixels if it has no rectangle. Other lanes are unspecified.
func VisibleAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture) {
	visibleAreas(areas, b, m, l, p, 1)
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

// Pixels returns the pixels of the picture that the rectangle of a box touches: columns c0 to c1 and
// rows r0 to r1, of which there are none if r1 < r0. ok is false if the box has no rectangle.
func (l *Lens) Pixels(b *soa.Packet, lane int, p *depth.Picture) (c0, c1, r0, r1 int, ok bool) {
	var r rect
	if !l.rect(&r, b, lane) {
		return 0, 0, 0, 0, false
	}
	c0, c1, r0, r1, in, ok := r.clip(p)
	if !in {
		return 0, -1, 0, -1, true
	}
	return c0, c1, r0, r1, ok
}

// VisibleRangesByPixel tests boxes against the depth buffer at full resolution: an exact form of
// [VisibleRanges] for the boxes that VisibleRanges has left. It refines the depth test of large boxes
// down to single pixels. VisibleRanges stops at a level whose border texels also cover pixels outside
// the rectangle. Few boxes of a walk are left to it.
func VisibleRangesByPixel(ranges []asm.Range, packets []soa.Packet, l *Lens, p *depth.Picture) (left []asm.Range, hidden int) {
	left = ranges[:0]
	for _, r := range ranges {
		m := r.N & 0xffff
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & (soa.Lanes - 1)
			var box rect
			if l.rect(&box, &packets[r.First], lane) && box.hidesByPixel(p) {
				m &^= 1 << lane
				hidden++
			}
		}
		if m != 0 {
			left = append(left, asm.Range{First: r.First, N: asm.RangeHit | m})
		}
	}
	return left, hidden
}

// hidesByPixel is hides with an exact test of the pixels. It returns false if hides has tested the
// pixels already.
func (r *rect) hidesByPixel(p *depth.Picture) bool {
	c0, c1, r0, r1, in, ok := r.clip(p)
	if !in || !ok {
		return false
	}
	level := levelOf(c0, c1, r0, r1)
	return level > finerLevels && corners(p, c0, c1, r0, r1, r.z) && nearer(p, level, c0, c1, r0, r1, r.z)
}

// nearer reports whether all pixels from c0, r0 to c1, r1 are nearer than z. It descends from a
// level to the levels below. Only texels at the border of the rectangle cover other pixels too, so
// only they need the level below.
func nearer(p *depth.Picture, level, c0, c1, r0, r1 int, z float32) bool {
	l, shift := &p.Levels[level], level*depth.LevelShift
	for y := r0 >> shift; y <= r1>>shift; y++ {
		top, bottom := y<<shift, min((y+1)<<shift, p.Height())-1
		row := p.Pix[l.Base+y*l.Stride:][:l.Width]
		for x := c0 >> shift; x <= c1>>shift; x++ {
			if row[x] > z {
				continue
			}
			left, right := x<<shift, min((x+1)<<shift, p.Width())-1
			if left >= c0 && right <= c1 && top >= r0 && bottom <= r1 ||
				!nearer(p, level-1, max(c0, left), min(c1, right), max(r0, top), min(r1, bottom), z) {
				return false
			}
		}
	}
	return true
}
