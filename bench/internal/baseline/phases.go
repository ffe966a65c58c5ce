package baseline

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Phases runs a box query in the two steps that papers on octrees measure separately: Query traverses the
// nodes, Cull tests the remaining objects. A query of the library does both in one pass, and scans all
// packets if that is faster. The zero value is ready to use; it keeps its buffers.
type Phases struct {
	volume cull.Volume
	walk   asm.VolumeWalk
	ranges []asm.Range
	stack  []soa.Ref
}

// Query finds the packets in nodes that overlap a box: packets to test, and ranges of packets wholly inside.
func (p *Phases) Query(s *soa.Store, box *cull.Box) {
	p.volume.Shape, p.volume.Box = cull.ShapeBox, *box
	filter := asm.AllNodes
	w := &p.walk
	w.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		w.Head = 1
	}
	w.Packets = append(w.Packets, s.Pending...)
	for !w.Done() {
		p.volume.Nodes(w, s.Nodes.Hot, &filter)
	}
	p.ranges = p.ranges[:0]
	p.stack = append(p.stack[:0], w.Inside...)
	for n := len(p.stack); n > 0; n = len(p.stack) {
		ref := p.stack[n-1]
		p.stack = p.stack[:n-1]
		if ref.IsPacket() {
			p.ranges = append(p.ranges, asm.Range{First: ref.Index(), N: 1})
			continue
		}
		node := ref.Index()
		if span := s.Nodes.Slots[node]; span.End != 0 {
			p.ranges = append(p.ranges, asm.Range{First: span.First, N: span.End - span.First})
			continue
		}
		for _, child := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
			p.stack = append(p.stack, child)
		}
	}
}

// Found returns the number of objects in the packets that Query found.
func (p *Phases) Found(s *soa.Store) int {
	n := cull.CountRanges(s.Packets.Counts, p.ranges)
	for _, slot := range p.walk.Packets {
		n += int(s.Packets.Counts[slot])
	}
	return n
}

// Cull appends the IDs of the objects that Query found and that overlap the box.
func (p *Phases) Cull(dst []uint32, s *soa.Store, box *cull.Box) []uint32 {
	p.ranges = p.volume.Packets(p.ranges, s.Packets.Bounds, p.walk.Packets)
	return cull.EmitIDs(dst, s.Packets.IDs, s.Packets.Counts, p.ranges)
}
