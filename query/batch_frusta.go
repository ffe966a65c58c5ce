package query

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// MaxViewers is the largest number of frusta of a [FrustumBatch].
const MaxViewers = cull.MaxViewers

// FrustumBatch culls a tree against several frusta in one walk, such as a camera and its shadow
// cascades, or all viewers of a server. It reports each object once, with the set of its viewers.
// The zero value is ready to use; it keeps its buffers from one [FrustumBatch.Find] to the next.
// One goroutine at a time may use it.
//
// # Cost
//
// Shared nodes, packets and IDs are read once. A node that only one frustum intersects is left to
// a separate walk of that frustum, as in a single query. So frusta that share little are walked
// one by one below the uppermost nodes.
//
// A batch is faster than single queries when many frusta overlap in a tree that exceeds the cache,
// and about as fast when they do not. [FrustumBatch.Viewers] costs extra, because it writes a word
// for each object.
type FrustumBatch struct {
	// IDs are the objects of the answer of the last Find. [FrustumBatch.Viewers] and [FrustumBatch.Of]
	// return their viewers.
	IDs []uint32

	runs    []viewerRun // runs of IDs with the same viewers
	words   []uint64    // viewers of the objects on the border, object by object
	told    bool        // whether viewers is up to date
	viewers []uint64    // result of Viewers
	lists   lists       // results of Of, by frustum, made by its first call

	walk      cull.FrustaWalk
	solos     []solo // nodes left to each frustum
	keep      []uint16
	locations []soa.Location // locations of the entries: see narrow
}

// Find finds the objects in any of the frusta. The objects of frustum k are exactly those that
// frusta[k].Append reports.
//
// It returns the error of the context, which it checks every 64 nodes and between the steps of the
// walk, and an error for more than [MaxViewers] frusta, for a frustum with a [Frustum.MinSize], or
// for a filter that is out of range. The answer is then empty. A nil context never ends. Find
// allocates only while its buffers grow. It uses no workers.
//
// Nodes and packets are tested only against the frusta that have them on their border, and are
// read once for all of them. Objects on the border then pass through the second tests of each
// frustum, at the cost of a single query: [Frustum.Precise], and the tests of bounds with
// Filter.Exact.
//
// # Order
//
// The answer has two parts, the first from the common walk, the second from the walks of single
// frusta:
//
//   - The common walk, breadth first: the objects that are on no frustum's border, then the
//     packets on the border of some frustum, with the pending ones last.
//   - The walks of single frusta, from frustum 0 on, breadth first from the nodes left to them:
//     the objects wholly inside, then the packets on the border.
//
// So the order is a function of the changes made to the tree, of the frusta and of the filter,
// equal on every CPU.
func (b *FrustumBatch) Find(ctx context.Context, v linear.View, frusta []Frustum, flt Filter) error {
	b.reset()
	b.lists.frusta = len(frusta)
	s := v.Store()
	if err := flt.of(v).Check(); err != nil {
		return err
	}
	if len(frusta) > MaxViewers {
		return fmt.Errorf("query: %d frusta, at most %d are possible", len(frusta), MaxViewers)
	}
	for k := range frusta {
		if frusta[k].size.least > 0 {
			return fmt.Errorf("query: frustum %d of a batch has a minimum size of %v: query it alone", k, frusta[k].size.least)
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

// viewerRun is a run of objects with the same viewers, from the end of the run before up to end.
// If viewers is 0, words holds the viewers object by object.
type viewerRun struct {
	end     int
	viewers uint64
}

// seen ends a run at the last of the IDs.
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

// Viewers returns the viewers of each of the IDs: bit k of word i is set if the object IDs[i] is
// in frustum k. No word is zero. The words are valid until the next Find. The first call after a
// Find takes time proportional to its answer, and allocates while a buffer grows.
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

// ctxErr returns the error of a context, which may be nil.
func ctxErr(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// lists are the answers of a batch by frustum.
type lists struct {
	frusta  int
	done    bool // made since the last Find
	offsets [MaxViewers + 1]int
	ids     []uint32
}

// Of returns the objects in frustum k, in the order of IDs. The list is valid until the next Find.
// The first call after a Find takes time proportional to its answer, and allocates while a buffer
// grows. It panics unless k is the index of a frustum of the last Find.
func (b *FrustumBatch) Of(k int) []uint32 {
	l := &b.lists
	if k < 0 || k >= l.frusta {
		panic(fmt.Sprintf("query: frustum %d of a batch of %d", k, l.frusta))
	}
	if len(b.IDs) == 0 {
		return nil // after a failed Find there may be more frusta than offsets
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

// collect walks the nodes, until the walk or the context ends.
func (b *FrustumBatch) collect(ctx context.Context, s *soa.Store, filter *asm.NodeFilter) {
	m := &b.walk
	m.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		m.Head = 1
	}
	for !m.Done() && ctxErr(ctx) == nil {
		cull.MultiNodes(m, s.Nodes.Hot, filter)
		b.part()
	}
	for _, slot := range s.Pending {
		m.Packets.Add(slot, m.All(), 0)
	}
}

// inside reports the objects below references that are on no frustum's border, in runs of
// references with the same viewers.
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
		b.IDs = cull.EmitIDs(b.IDs, p.IDs, p.Counts, w.ranges)
		b.seen(viewers[i])
	}
}

// fill sets all words to x: the first ones one by one, the rest by copying these.
func fill(words []uint64, x uint64) {
	const step = 256
	for i := range words[:min(step, len(words))] {
		words[i] = x
	}
	for at := step; at < len(words); at += step {
		copy(words[at:], words[:step])
	}
}

// border tests the packets on the border.
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
	b.IDs, b.words = cull.MultiPackets(b.IDs, b.words, &b.walk, p.Bounds, p.IDs, b.keep)
}
