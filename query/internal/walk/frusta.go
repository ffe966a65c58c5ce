package walk

import (
	"context"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Frusta culls a tree against several frusta in one walk, and reports each object once, with the set of its viewers:
// the FrustumBatch of package query, whose Find states the order.
type Frusta struct {
	IDs []uint32 // objects of the answer

	frusta  []Frustum
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

// Reset empties the answer and removes the frusta.
func (b *Frusta) Reset() {
	b.reset()
	b.frusta = b.frusta[:0]
}

// Add adds a frustum, which must not have a minimum size.
func (b *Frusta) Add(f *Frustum) { b.frusta = append(b.frusta, *f) }

// Find finds the objects in any of the frusta. With the error of the context the answer is empty.
func (b *Frusta) Find(ctx context.Context, s *soa.Store, flt *Filter) error {
	label := phase.Enter(phase.Nodes)
	defer label.Leave()
	m := &b.walk
	m.Planes = slices.Grow(m.Planes[:0], len(b.frusta))[:len(b.frusta)]
	for i := range b.frusta {
		m.Planes[i].Set(&b.frusta[i].planes, &s.Near, &s.Extent)
	}
	b.soloLists(len(b.frusta))
	w := take(s)
	w.nodeFilter = flt.NodeFilter()
	first := 0
	for step := range 5 {
		err := ctxErr(ctx)
		if err == nil && step == 4 {
			err = b.alone(ctx, w, flt, label)
		}
		if err != nil {
			w.Release()
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
			b.narrow(s, first, flt.Exact)
			if len(b.words) > 0 { // each object may have other viewers
				b.runs = append(b.runs, viewerRun{len(b.IDs), 0})
			}
		}
	}
	w.Release()
	return nil
}

// reset empties the answer.
func (b *Frusta) reset() {
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
func (b *Frusta) seen(viewers uint64) {
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

// Viewers returns the viewers of each object, as bits.
func (b *Frusta) Viewers() []uint64 {
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
	done    bool // made since the last Find
	offsets [cull.MaxViewers + 1]int
	ids     []uint32
}

// Of returns the objects of frustum k, in their order.
func (b *Frusta) Of(k int) []uint32 {
	if len(b.IDs) == 0 {
		return nil // after a find without success there may be more frusta than offsets
	}
	l := &b.lists
	if !l.done {
		l.make(b.IDs, b.runs, b.words)
	}
	lo, hi := l.offsets[k], l.offsets[k+1]
	return l.ids[lo:hi:hi]
}

func (l *lists) make(ids []uint32, runs []viewerRun, words []uint64) {
	l.done, l.offsets = true, [cull.MaxViewers + 1]int{}
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
	for k := range cull.MaxViewers {
		l.offsets[k+1] += l.offsets[k]
	}
	total, next := l.offsets[cull.MaxViewers], l.offsets
	l.ids = slices.Grow(l.ids[:0], total)[:total]
	each(func(k int, ids []uint32) { next[k] += copy(l.ids[next[k]:], ids) })
}

// collect walks the nodes, until the walk or the context ends.
func (b *Frusta) collect(ctx context.Context, s *soa.Store, filter *asm.NodeFilter) {
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
func (b *Frusta) inside(w *Walk, flt *Filter) {
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
		if !flt.All() {
			w.filter(flt)
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
func (b *Frusta) border(w *Walk, flt *Filter) {
	p := &w.store.Packets
	slots := b.walk.Packets.Refs
	b.keep = slices.Grow(b.keep[:0], len(slots))[:len(slots)]
	if flt.All() {
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
	b.IDs, b.words = cull.MultiPackets(b.IDs, b.words, &b.walk, p.Bounds, p.IDs, b.keep)
}
