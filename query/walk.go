package query

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// walk is the work of one volume query: the prepared volume, the lists of the
// kernels and the ranges that come out. It is taken from a pool, so a query
// allocates nothing once the lists have grown.
type walk struct {
	volume volume
	sift   asm.Sift
	lists  asm.Walk
	ranges []asm.Range
	kept   []asm.Range // ranges that passed a filter
	stack  []uint32
}

var walks = sync.Pool{New: func() any { return new(walk) }}

const (
	// sweepSlots is the number of slots up to which a sweep over all of
	// them is faster than a walk.
	sweepSlots = 8

	// A walk that has to test more than sweepShare/8 of all slots one by
	// one sweeps over all of them instead.
	sweepShare = 6
)

// collect runs both phases of a walk and leaves the answer in w.ranges.
func (w *walk) collect(s *soa.Store, f Filter) {
	w.ranges = w.ranges[:0]
	slots := len(s.Packets.Counts)
	if slots <= sweepSlots {
		w.sweep(s)
	} else {
		w.sift = f.sift()
		w.start(s)
		for !w.lists.Done() {
			w.volume.nodes(&w.lists, s.Nodes.Hot, &w.sift)
		}
		if len(w.lists.Packets)*8 > slots*sweepShare {
			w.sweep(s)
		} else {
			w.inside(s, f)
			w.ranges = w.volume.packets(w.ranges, s.Packets.Bounds, w.lists.Packets)
		}
	}
	if !f.all() {
		w.filter(s, f)
	}
}

// start puts the root into the queue and loose packets among those to test.
func (w *walk) start(s *soa.Store) {
	w.lists.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		w.lists.Head = 1
	}
	w.lists.Packets = append(w.lists.Packets, s.Loose...)
}

// sweep tests every slot.
func (w *walk) sweep(s *soa.Store) {
	w.ranges = w.volume.sweep(w.ranges[:0], s.Packets.Bounds)
}

// inside turns references wholly inside the volume into ranges of slots. With
// a filter it goes on to the packets and leaves out what cannot pass.
func (w *walk) inside(s *soa.Store, f Filter) {
	all := f.all()
	for _, ref := range w.lists.Inside {
		if ref&asm.RefPacket != 0 {
			w.addRange(ref&asm.RefIndex, 1)
			continue
		}
		if span := s.Nodes.Slots[ref]; all && span.End != 0 {
			w.addRange(span.First, span.End-span.First)
			continue
		}
		w.descend(s, ref)
	}
}

// descend adds the packets below a node that can pass the sift.
func (w *walk) descend(s *soa.Store, node uint32) {
	w.stack = append(w.stack[:0], node)
	for len(w.stack) > 0 {
		n := &s.Nodes.Hot[w.stack[len(w.stack)-1]]
		w.stack = w.stack[:len(w.stack)-1]
		for l := asm.Fan - 1; l >= 0; l-- {
			ref := n.Child[l]
			if ref&w.sift.Flags == 0 || w.sift.Mask != 0 && n.Mask[l]&w.sift.Mask == 0 {
				continue
			}
			if ref&asm.RefPacket != 0 {
				continue
			}
			w.stack = append(w.stack, ref&asm.RefIndex)
		}
		for l := range asm.Fan {
			ref := n.Child[l]
			if ref&asm.RefPacket == 0 || ref&w.sift.Flags == 0 || w.sift.Mask != 0 && n.Mask[l]&w.sift.Mask == 0 {
				continue
			}
			w.addRange(ref&asm.RefIndex, 1)
		}
	}
}

// addRange appends slots, to the last range where they continue it.
func (w *walk) addRange(first, n uint32) {
	if k := len(w.ranges) - 1; k >= 0 && w.ranges[k].First+w.ranges[k].N == first {
		w.ranges[k].N += n
		return
	}
	w.ranges = append(w.ranges, asm.Range{First: first, N: n})
}

// filter replaces the ranges by the lanes in them that pass.
func (w *walk) filter(s *soa.Store, f Filter) {
	w.kept = w.kept[:0]
	p := &s.Packets
	for _, r := range w.ranges {
		if r.N&asm.RangeHit != 0 {
			if m := f.lanes(p, r.First, r.N&0xffff); m != 0 {
				w.kept = append(w.kept, asm.Range{First: r.First, N: asm.RangeHit | m})
			}
			continue
		}
		for slot := r.First; slot < r.First+r.N; slot++ {
			if m := f.lanes(p, slot, 0xffff); m != 0 {
				w.kept = append(w.kept, asm.Range{First: slot, N: asm.RangeHit | m})
			}
		}
	}
	w.ranges, w.kept = w.kept, w.ranges
}

// any reports whether an object meets the volume and passes the filter. It
// stops at the first one that it meets.
func (w *walk) any(s *soa.Store, f Filter) bool {
	w.sift = f.sift()
	w.start(s)
	for {
		w.ranges = w.ranges[:0]
		w.inside(s, f)
		w.lists.Inside = w.lists.Inside[:0]
		w.ranges = w.volume.packets(w.ranges, s.Packets.Bounds, w.lists.Packets)
		w.lists.Packets = w.lists.Packets[:0]
		if !f.all() {
			w.filter(s, f)
		}
		// A range of a tree with slack may hold no object.
		if len(w.ranges) > 0 && asm.CountRanges(s.Packets.Counts, w.ranges) > 0 {
			return true
		}
		if w.lists.Done() {
			return false
		}
		w.volume.nodes(&w.lists, s.Nodes.Hot, &w.sift)
	}
}

// each yields the IDs of the answer until yield returns false.
func (w *walk) each(v linear.View, yield func(uint32) bool) {
	s := v.Store()
	p := &s.Packets
	for _, r := range w.ranges {
		if r.N&asm.RangeHit != 0 {
			for m := r.N & 0xffff; m != 0; m &= m - 1 {
				if !yield(p.IDs[r.First][bits.TrailingZeros32(m)]) {
					return
				}
				v.Store()
			}
			continue
		}
		for slot := r.First; slot < r.First+r.N; slot++ {
			for l := range p.Counts[slot] {
				if !yield(p.IDs[slot][l]) {
					return
				}
				v.Store()
			}
		}
	}
}

// Range is a part of an answer: packet slots, by which a caller can read IDs
// and columns without copying.
type Range struct {
	First uint32 // first slot
	Count uint32 // number of slots
	Mask  uint16 // 0: all objects of the slots; else Count is 1 and these lanes are hit
}

// unpack turns a kernel's range into the public form.
func unpack(r asm.Range) Range {
	if r.N&asm.RangeHit != 0 {
		return Range{First: r.First, Count: 1, Mask: uint16(r.N)}
	}
	return Range{First: r.First, Count: r.N}
}

// grow makes room for n more IDs and what emit kernels store beyond them.
func grow(dst []uint32, n int) []uint32 { return slices.Grow(dst, n+asm.Lanes) }
