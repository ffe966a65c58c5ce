package octree

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// FastBounds holds the fast bounds of a tree, which let most boxes skip validation. A box inside them is
// finite and near, its centre is in the world and in the box where Config.Outside keeps centres,
// and it does not widen the bounds that the tree keeps. The fast bounds are closed (empty), which
// is always correct, when the world or the kept bounds shrink, and computed again when the kept
// bounds have been determined or widened.
type FastBounds struct {
	Boxes   soa.AABB // in the reach of the world and between -Near and Near
	Centres soa.AABB // in the world and in Tree.centres
}

// none contains no box.
var none = FastBounds{soa.Empty(), soa.Empty()}

// Contains reports whether a box is not inverted and inside the fast bounds.
func (d *FastBounds) Contains(b *soa.AABB) bool {
	return d.spans(0, b.Min[0], b.Max[0]) && d.spans(1, b.Min[1], b.Max[1]) && d.spans(2, b.Min[2], b.Max[2])
}

// spans reports whether lo to hi is a valid side of a box on one axis. It is inlined with a constant axis.
func (d *FastBounds) spans(axis int, lo, hi float32) bool {
	c := float32(lo*0.5) + float32(hi*0.5) // as soa.AABB.Center
	return lo <= hi && lo >= d.Boxes.Min[axis] && hi <= d.Boxes.Max[axis] && c >= d.Centres.Min[axis] && c <= d.Centres.Max[axis]
}

// holdAll reports whether they contain the boxes of moves.
func (d *FastBounds) holdAll(m *Moves) bool {
	return d.Boxes.Contains(m.union) && d.Centres.Contains(m.Centres)
}

// computeFastBounds returns the widest valid fast bounds.
func (t *Tree) computeFastBounds() (d FastBounds) {
	inside := t.Code.world
	if t.Config.Outside != OutsideKeep {
		inside = t.Config.World // the cube contains it
	}
	for a, near := range t.Store.Near {
		d.Boxes.Min[a], d.Boxes.Max[a] = max(t.Code.reach.Min[a], -near), min(t.Code.reach.Max[a], near)
		d.Centres.Min[a] = max(inside.Min[a], t.Centres.Min[a])
		d.Centres.Max[a] = min(inside.Max[a], t.Centres.Max[a])
	}
	return d
}

// LeftWorld reports whether a centre is outside Config.World. The cube of the keys, which is
// larger, has no effect.
func (t *Tree) LeftWorld(centre [3]float32) bool { return !t.Config.World.ContainsPoint(centre) }

// CountOut counts a finite box whose centre is outside the cube, if the tree keeps such boxes.
func (t *Tree) CountOut(box *soa.AABB) {
	if t.Config.Outside == OutsideKeep && !t.World.Inside(box.Center()) {
		t.Outside++
	}
}

// holdsAll reports whether the world cube contains all points of a box.
func (t *Tree) holdsAll(b soa.AABB) bool { return t.World.Inside(b.Min) && t.World.Inside(b.Max) }

// Admits returns an error if there are no IDs for n more objects.
func (t *Tree) Admits(n int) error {
	if have := t.IDs.Len(); have > radix.MaxLen-n {
		return fault.Errorf("linear: %w: no object ID is left: %d live, %d more wanted, at most %d", soa.ErrFull, have, n, radix.MaxLen)
	}
	if err := t.IDs.Fits(n); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	return nil
}

// AdmitsPending returns an error if there are no IDs or no packets for n more pending objects.
func (t *Tree) AdmitsPending(n int) error {
	if err := t.Admits(n); err != nil {
		return err
	}
	if n > t.freePending() && t.recordPackets()+packetsFor(n) > t.spareSlots() {
		return fault.Errorf("linear: %w: no packet is left for %d pending objects: %d slots, at most %d", soa.ErrFull, n, len(t.Store.Packets.Counts), t.Store.Packets.Limit())
	}
	return nil
}

// freePending returns the number of free lanes in the last packet of the pending list, with its records packed.
func (t *Tree) freePending() int { return -t.Pending & (soa.Lanes - 1) }

// recordPackets returns the number of packets for which Pack allocates slots.
func (t *Tree) recordPackets() int {
	n := packetsFor(t.Pending) - packetsFor(t.Pending-t.Unpacked())
	if t.records != nil {
		n -= len(t.records.slots)
	}
	return n
}

// packetsFor returns the number of packets for n pending objects.
func packetsFor(n int) int { return (n + soa.Lanes - 1) / soa.Lanes }

// fitsNodes reports whether there are slots for so many nodes of packets, and for the records.
func (t *Tree) fitsNodes(nodes int) bool {
	return nodes <= (t.spareSlots()-t.recordPackets())/soa.Fan
}

// insideHalfOpen reports whether a point is in a box without its upper faces. With the bounds of a
// world it is a faster test for the inside of that world.
func insideHalfOpen(lo, hi *[3]float32, p [3]float32) bool {
	return p[0] >= lo[0] && p[0] < hi[0] && p[1] >= lo[1] && p[1] < hi[1] && p[2] >= lo[2] && p[2] < hi[2]
}

// CheckSphere returns the error of a sphere that is invalid for an object with that box.
func CheckSphere(s [4]float32, box soa.AABB) error {
	r := float64(s[3])
	if !(r >= 0 && r <= math.MaxFloat32) {
		return BadRadius(s)
	}
	for a := range 3 {
		c, lo, hi := float64(s[a]), float64(box.Min[a]), float64(box.Max[a])
		slack := 0x1p-20 * (math.Abs(lo) + math.Abs(hi) + r)
		if !(c-r >= lo-slack && c+r <= hi+slack) { // a NaN fails
			return fmt.Errorf("sphere %v is not in the box %v to %v", s, box.Min, box.Max)
		}
	}
	return nil
}

// CheckInside returns the error of an oriented box that is invalid for an object with that box.
// With its centre in the box, every volume that contains the box intersects the oriented box.
func CheckInside(b *soa.OrientedBox, box soa.AABB) error {
	if err := b.Check(); err != nil {
		return err
	}
	for a := range 3 {
		c, lo, hi := float64(b.Center[a]), float64(box.Min[a]), float64(box.Max[a])
		r := math.Abs(float64(b.Axes[0][a])) + math.Abs(float64(b.Axes[1][a])) + math.Abs(float64(b.Axes[2][a]))
		slack := 0x1p-20 * (math.Abs(lo) + math.Abs(hi) + r)
		if !(c >= lo && c <= hi && c-r >= lo-slack && c+r <= hi+slack) {
			return fmt.Errorf("oriented box %v is not in the box %v to %v", *b, box.Min, box.Max)
		}
	}
	return nil
}

// BadRadius returns the error of a sphere with an invalid radius.
func BadRadius(s [4]float32) error {
	return fmt.Errorf("sphere %v has the radius %v, want one of 0 or more", s, s[3])
}

// BoundsOf returns the union of all boxes, the smallest one after a refit.
func BoundsOf(s *soa.Store) soa.AABB {
	box := soa.Empty()
	if len(s.Nodes.Hot) > 0 {
		box = NodeBox(&s.Nodes.Hot[0])
	}
	for _, slot := range s.Pending {
		b, n := &s.Packets.Bounds[slot], int(s.Packets.Counts[slot])
		for a := range 3 {
			least, most := box.Min[a], box.Max[a]
			for l := range n { // few boxes widen it: branches cost less than minima
				if x := b[2*a][l]; x < least {
					least = x
				}
				if x := b[2*a+1][l]; x > most {
					most = x
				}
			}
			box.Min[a], box.Max[a] = least, most
		}
	}
	return box
}

// RadiusOf returns an upper bound of the distance of all boxes from the origin.
func RadiusOf(s *soa.Store) float64 {
	square := 0.0
	if len(s.Nodes.Hot) > 0 {
		square = farthest(&s.Nodes.Hot[0].Bounds, int(s.Nodes.Used[0]))
	}
	for _, slot := range s.Pending {
		square = max(square, farthest(&s.Packets.Bounds[slot], int(s.Packets.Counts[slot])))
	}
	return Radius(square)
}

// Radius returns an upper bound of the square root of a rounded sum of three squares.
func Radius(square float64) float64 { return float64(math.Sqrt(square) * (1 + 0x1p-50)) }

// farthest returns the squared distance from the origin of the farthest corner of n boxes.
func farthest(b *soa.Packet, n int) (square float64) {
	for l := range n {
		sum := 0.0
		for a := range 3 {
			x := float64(max(-b[2*a][l], b[2*a+1][l], 0)) // 0 for an empty box
			sum += float64(x * x)
		}
		square = max(square, sum)
	}
	return square
}
