package query

import (
	"context"
	"fmt"
	"math/bits"
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
// It saves what frusta have in common: reading nodes, packets and IDs once. A node that
// a single frustum has met is left to a walk of that frustum alone, as its own query
// makes it: where frusta share little, they are walked one by one but for the
// uppermost nodes. It is faster than one query after the other when many frusta overlap
// in a tree that exceeds the cache, and about as fast when they do not, until
// [FrustumBatch.Viewers] is asked, which writes a word for each object.
type FrustumBatch struct {
	// IDs are the objects of the answer of the last Find. Who sees them is told by
	// [FrustumBatch.Viewers] and [FrustumBatch.Of].
	IDs []uint32

	runs    []viewerRun // of the IDs
	words   []uint64    // who sees what is on the border, object by object
	told    bool        // Viewers has been asked
	viewers []uint64    // its answer
	lists   lists       // of the answer, by frustum, once Of has been asked

	walk   asm.FrustaWalk
	solos  []solo // of the frusta
	keep   []uint16
	places []soa.Location // of the entries: see narrow
}

// Find looks for the objects that any of the frusta holds. Frustum k sees exactly the
// objects that frusta[k].Append reports.
//
// Nodes and packets are tested against the frusta that have them on their border
// only, and are read once for all of them. What is found on the border then goes
// through the second tests of each frustum, which cost what they cost in a query of
// its own: that of [Frustum.Precise], and those of the spheres with Filter.Exact.
//
// The order is that of two parts. First comes what the common walk has met, breadth
// first: what no frustum has on its border, then the packets that one has, of these the
// pending ones last. Then comes what the frusta have met alone, from frustum 0 on: breadth
// first from the nodes that were left to it, what is wholly inside and then what is on its
// border. So the order is a function of the changes made to the tree, of the frusta and of
// the filter, equal on every CPU.
//
// An error is that of the context, which is asked every 64 nodes and between the
// steps of the walk, tells of more than [MaxViewers] frusta, of one with a [Frustum.MinSize], or
// of a filter that is out of range; the answer is then empty. nil is a context that does not end. It
// allocates only while its buffers grow. The walk is one, so there are no workers.
func (b *FrustumBatch) Find(ctx context.Context, v linear.View, frusta []Frustum, flt Filter) error {
	b.reset()
	b.lists.frusta = len(frusta)
	s := v.Store()
	if err := flt.Check(); err != nil {
		return err
	}
	if len(frusta) > MaxViewers {
		return fmt.Errorf("query: %d frusta, at most %d are possible", len(frusta), MaxViewers)
	}
	for k := range frusta {
		if frusta[k].size.least > 0 {
			return fmt.Errorf("query: frustum %d of a batch has a least size of %v: ask it alone", k, frusta[k].size.least)
		}
	}
	if len(frusta) == 0 {
		return nil
	}
	label := phase.Enter(phase.Nodes)
	defer label.Leave()
	m := &b.walk
	m.Planes = slices.Grow(m.Planes[:0], len(frusta))[:len(frusta)]
	for i := range frusta {
		m.Planes[i].Set(&frusta[i].planes, &s.Near, &s.Extent)
	}
	b.soloLists(len(frusta))
	w := take(s)
	w.nodeFilter = flt.NodeFilter()
	first := 0
	for step := range 5 {
		err := ctxErr(ctx)
		if err == nil && step == 4 {
			err = b.alone(ctx, w, frusta, &flt, label)
		}
		if err != nil {
			w.release()
			b.reset()
			return err
		}
		switch step {
		case 0:
			b.collect(ctx, s, &w.nodeFilter)
		case 1:
			label.Next(phase.Ranges)
			b.inside(w, flt)
		case 2:
			label.Next(phase.Packets)
			first = len(b.IDs)
			b.border(w, flt)
		case 3:
			b.narrow(s, frusta, first, flt.Exact)
			if len(b.words) > 0 { // each object may have other viewers
				b.runs = append(b.runs, viewerRun{len(b.IDs), 0})
			}
		}
	}
	w.release()
	return nil
}

// reset empties the answer.
func (b *FrustumBatch) reset() {
	b.IDs, b.runs, b.words, b.viewers = b.IDs[:0], b.runs[:0], b.words[:0], b.viewers[:0]
	b.told, b.lists.done = false, false
}

// viewerRun tells who sees the objects up to the end, from that of the run before on. No
// viewers: the words tell it, object by object.
type viewerRun struct {
	end     int
	viewers uint64
}

// seen ends a run with the last of the IDs.
func (b *FrustumBatch) seen(viewers uint64) {
	from := 0
	if k := len(b.runs) - 1; k >= 0 {
		if b.runs[k].viewers == viewers {
			b.runs[k].end = len(b.IDs)
			return
		}
		from = b.runs[k].end
	}
	if len(b.IDs) > from {
		b.runs = append(b.runs, viewerRun{len(b.IDs), viewers})
	}
}

// Viewers returns who sees each of the IDs: bit k of the word i is set if frustum k sees
// the object IDs[i]; no word is zero. The first call after a Find takes time proportional
// to its answer, and allocates while a buffer grows. The words are valid until the next
// Find.
func (b *FrustumBatch) Viewers() []uint64 {
	if !b.told {
		b.told = true
		b.viewers = slices.Grow(b.viewers[:0], len(b.IDs))[:len(b.IDs)]
		from := 0
		for _, r := range b.runs {
			if r.viewers == 0 {
				copy(b.viewers[from:r.end], b.words)
			} else {
				fill(b.viewers[from:r.end], r.viewers)
			}
			from = r.end
		}
	}
	return b.viewers
}

// ctxErr is the error of a context that may be nil.
func ctxErr(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// lists are the answers of a batch of frusta by frustum.
type lists struct {
	frusta  int
	done    bool // made since the last Find
	offsets [MaxViewers + 1]int
	ids     []uint32
}

// Of returns the objects that frustum k holds, in the order of IDs. The first call
// after a Find takes time proportional to its answer, and allocates while a buffer
// grows. The list is valid until the next Find. It panics unless k is the index of a
// frustum of the last Find.
func (b *FrustumBatch) Of(k int) []uint32 {
	l := &b.lists
	if k < 0 || k >= l.frusta {
		panic(fmt.Sprintf("query: frustum %d of a batch of %d", k, l.frusta))
	}
	if len(b.IDs) == 0 {
		return nil // of a Find that failed there may be more frusta than offsets
	}
	if !l.done {
		l.make(b.IDs, b.runs, b.words)
	}
	lo, hi := l.offsets[k], l.offsets[k+1]
	return l.ids[lo:hi:hi]
}

func (l *lists) make(ids []uint32, runs []viewerRun, words []uint64) {
	l.done, l.offsets = true, [MaxViewers + 1]int{}
	// each calls put with the objects of each frustum, in their order.
	each := func(put func(k int, ids []uint32)) {
		from := 0
		for _, r := range runs {
			for m := r.viewers; m != 0; m &= m - 1 {
				put(bits.TrailingZeros64(m), ids[from:r.end])
			}
			if r.viewers == 0 {
				for i, m := range words {
					for ; m != 0; m &= m - 1 {
						put(bits.TrailingZeros64(m), ids[from+i:from+i+1])
					}
				}
			}
			from = r.end
		}
	}
	each(func(k int, ids []uint32) { l.offsets[k+1] += len(ids) })
	for k := range MaxViewers {
		l.offsets[k+1] += l.offsets[k]
	}
	total, next := l.offsets[MaxViewers], l.offsets
	l.ids = slices.Grow(l.ids[:0], total)[:total]
	each(func(k int, ids []uint32) { next[k] += copy(l.ids[next[k]:], ids) })
}

// collect walks the nodes, to the end unless the context ends before.
func (b *FrustumBatch) collect(ctx context.Context, s *soa.Store, filter *asm.NodeFilter) {
	m := &b.walk
	m.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		m.Head = 1
	}
	for !m.Done() && ctxErr(ctx) == nil {
		asm.MultiNodes(m, s.Nodes.Hot, filter)
		b.part()
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
		w.lists.Inside = w.lists.Inside[:0]
		for _, ref := range refs[i:j] {
			w.lists.Inside = append(w.lists.Inside, soa.Ref(ref))
		}
		w.inside()
		if !flt.all() {
			w.filter(&flt)
		}
		b.IDs = asm.EmitIDs(b.IDs, p.IDs, p.Counts, w.ranges)
		b.seen(viewers[i])
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
		w.filter(&flt)
		k := 0
		for i, slot := range slots {
			b.keep[i] = 0
			if k < len(w.ranges) && w.ranges[k].First == slot {
				b.keep[i] = uint16(w.ranges[k].N)
				k++
			}
		}
	}
	b.IDs, b.words = asm.MultiPackets(b.IDs, b.words, &b.walk, p.Bounds, p.IDs, b.keep)
}
