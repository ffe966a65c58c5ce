package query

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// MaxViewers is the largest number of frusta of a [FrustumBatch].
const MaxViewers = asm.MaxViewers

// FrustumBatch asks for several frusta in one walk, such as a camera and its
// shadow cascades, or all viewers of a server, and reports each object once with
// the set of its viewers. The zero value is ready to use; it keeps its buffers
// from one [FrustumBatch.Find] to the next. One goroutine at a time may use it.
//
// It saves what frusta have in common: reading nodes, packets and IDs once. It
// is faster than one query after the other when many frusta overlap in a tree
// that exceeds the cache; for a few that hardly do, such as the slices of
// cascaded shadows, writing the viewers costs more than that.
type FrustumBatch struct {
	// IDs and Viewers are the answer of the last Find: the object IDs[i] is
	// seen by frustum k if bit k of Viewers[i] is set; no word is zero.
	IDs     []uint32
	Viewers []uint64

	walk   asm.FrustaWalk
	keep   []uint16
	places []soa.Place // of the entries: see narrow
}

// Find looks for the objects that any of the frusta holds. Bit k of the viewers
// is set exactly for the objects that frusta[k].Append reports.
//
// Nodes and packets are tested against the frusta that have them on their border
// only, and are read once for all of them. What is found on the border then goes
// through the second tests of each frustum, which cost what they cost in a query of
// its own: that of [Frustum.Precise], and those of the spheres with Filter.Exact.
//
// The order is that of a breadth-first walk over what any frustum meets, pending
// objects last: a function of the changes made to the tree, of the frusta and of the
// filter, equal on every CPU. More than
// [MaxViewers] frusta are an error, and so is a filter that is out of range; the
// answer is then empty. It allocates only
// while its buffers grow.
func (b *FrustumBatch) Find(v linear.View, frusta []Frustum, flt Filter) error {
	b.IDs, b.Viewers = b.IDs[:0], b.Viewers[:0]
	s := v.Store()
	if err := flt.check(); err != nil {
		return err
	}
	if len(frusta) > MaxViewers {
		return fmt.Errorf("query: %d frusta, at most %d are possible", len(frusta), MaxViewers)
	}
	if len(frusta) == 0 {
		return nil
	}
	label := phase.Enter(phase.Nodes)
	defer label.Leave()
	m := &b.walk
	m.Planes = m.Planes[:0]
	for i := range frusta {
		m.Planes = append(m.Planes, asm.MakePlanes(&frusta[i].planes, s.Near, s.Extent))
	}
	w := take(s)
	w.nodeFilter = flt.nodeFilter()
	b.collect(s, &w.nodeFilter)
	label.Next(phase.Ranges)
	b.inside(w, flt)
	label.Next(phase.Packets)
	first := len(b.IDs)
	b.border(w, flt)
	w.release()
	b.narrow(s, frusta, first, flt.Exact)
	return nil
}

// collect walks the nodes.
func (b *FrustumBatch) collect(s *soa.Store, filter *asm.NodeFilter) {
	m := &b.walk
	m.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		m.Head = 1
	}
	for !m.Done() {
		asm.MultiNodes(m, s.Nodes.Hot, filter)
	}
	for _, slot := range s.Pending {
		m.Packets.Add(slot, m.All(), 0)
	}
}

// inside reports what lies below references that no frustum has on its border:
// runs of references with the same viewers at once.
func (b *FrustumBatch) inside(w *walk, flt Filter) {
	p := &w.store.Packets
	refs, viewers := b.walk.Inside.Refs, b.walk.Inside.In
	for i, j := 0, 0; i < len(refs); i = j {
		for j = i + 1; j < len(refs) && viewers[j] == viewers[i]; j++ {
		}
		w.ranges = w.ranges[:0]
		w.lists.Inside = w.lists.Inside[:0]
		for _, ref := range refs[i:j] {
			w.lists.Inside = append(w.lists.Inside, soa.Ref(ref))
		}
		w.inside()
		if !flt.all() {
			w.filter(flt)
		}
		b.IDs = asm.EmitIDs(b.IDs, p.IDs, p.Counts, w.ranges)
		at := len(b.Viewers)
		b.Viewers = slices.Grow(b.Viewers, len(b.IDs)-at)[:len(b.IDs)]
		fill(b.Viewers[at:], viewers[i])
	}
}

// fill sets all words to x: some one by one, which are then copied.
func fill(words []uint64, x uint64) {
	const step = 256
	for i := range words[:min(step, len(words))] {
		words[i] = x
	}
	for at := step; at < len(words); at += step {
		copy(words[at:], words[:step])
	}
}

// border tests the packets.
func (b *FrustumBatch) border(w *walk, flt Filter) {
	p := &w.store.Packets
	slots := b.walk.Packets.Refs
	b.keep = slices.Grow(b.keep[:0], len(slots))[:len(slots)]
	if flt.all() {
		for i, slot := range slots {
			b.keep[i] = uint16(1<<p.Counts[slot] - 1)
		}
	} else {
		w.ranges = w.ranges[:0]
		for _, slot := range slots {
			w.ranges = append(w.ranges, asm.Range{First: slot, N: asm.RangeHit | 0xffff})
		}
		w.filter(flt)
		k := 0
		for i, slot := range slots {
			b.keep[i] = 0
			if k < len(w.ranges) && w.ranges[k].First == slot {
				b.keep[i] = uint16(w.ranges[k].N)
				k++
			}
		}
	}
	b.IDs, b.Viewers = asm.MultiPackets(b.IDs, b.Viewers, &b.walk, p.Bounds, p.IDs, b.keep)
}
