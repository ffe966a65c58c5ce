package walk

import (
	"context"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
)

// A node that only one frustum of a batch intersects gains nothing from the common walk. It leaves
// that walk, and is walked as by the query of that frustum.

// solo is the nodes left to one frustum, in the order of the common walk.
type solo struct {
	queue []uint32
}

// soloLists empties the lists of n frusta.
func (b *Frusta) soloLists(n int) {
	b.solos = slices.Grow(b.solos[:0], n)[:n]
	for i := range b.solos {
		x := &b.solos[i]
		x.queue = x.queue[:0]
	}
}

// part moves the nodes that only one frustum intersects from the queue of the common walk to the
// lists of the frusta.
func (b *Frusta) part() {
	l := &b.walk.Queue
	n := b.walk.Head
	for i := n; i < len(l.Refs); i++ {
		ref, open, in := l.Refs[i], l.Open[i], l.In[i]
		if who := open | in; who&(who-1) == 0 {
			x := &b.solos[bits.TrailingZeros64(who)]
			x.queue = append(x.queue, ref)
			continue
		}
		l.Refs[n], l.Open[n], l.In[n] = ref, open, in
		n++
	}
	l.Refs, l.Open, l.In = l.Refs[:n], l.Open[:n], l.In[:n]
}

// alone walks the nodes left to each of the frusta.
func (b *Frusta) alone(ctx context.Context, w *Walk, flt *Filter, label phase.Mark) error {
	s := w.store
	for k := range b.solos {
		x := &b.solos[k]
		if len(x.queue) == 0 {
			continue
		}
		label.Next(phase.Nodes)
		w.volume.Shape, w.volume.Planes = cull.ShapeFrustum, b.walk.Planes[k]
		w.Apart.N = 0
		if b.frusta[k].precise {
			w.Apart.set(&w.volume.Planes, s.Near, s.Extent)
		}
		l := &w.lists
		l.Reset(0)
		l.Queue = append(l.Queue[:0], x.queue...)
		for !l.Done() {
			if err := ctxErr(ctx); err != nil {
				return err
			}
			w.volume.Nodes(l, s.Nodes.Hot, &w.nodeFilter)
		}
		label.Next(phase.Ranges)
		w.ranges = w.ranges[:0]
		w.inside()
		p := &s.Packets
		if w.Apart.N == 0 && !flt.Exact && flt.All() {
			b.IDs = cull.EmitIDs(b.IDs, p.IDs, p.Counts, w.ranges)
			label.Next(phase.Packets)
			b.IDs, w.ranges = w.volume.AppendIDs(b.IDs, w.ranges, p.Bounds, p.IDs, l.Packets)
		} else {
			label.Next(phase.Packets)
			w.border()
			label.Next(phase.Ranges)
			w.filterExact(flt)
			b.IDs = cull.EmitIDs(b.IDs, p.IDs, p.Counts, w.ranges)
		}
		b.seen(1 << k)
	}
	return nil
}
