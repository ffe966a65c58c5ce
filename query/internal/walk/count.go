package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
)

// Count and Any read no IDs.

// Count returns the number of objects of the answer, and releases the walk.
func (w *Walk) Count(f *Filter) (n int) {
	m := phase.Enter(phase.Nodes)
	if w.begin(m, f) {
		var done bool
		if n, done = w.tally(f, math.MaxInt); done {
			w.Release()
			m.Leave()
			return n
		}
		if w.listNodes(m) {
			if f.All() && !f.Exact && !w.size.On() && w.store.Counted {
				n = w.countInside()
			} else {
				m.Next(phase.Ranges)
				w.inside()
			}
			m.Next(phase.Packets)
			w.ranges = w.volume.Packets(w.ranges, w.store.Packets.Bounds, w.lists.Packets)
		}
	}
	m.Next(phase.Ranges)
	w.filterExact(f)
	n += cull.CountRanges(w.store.Packets.Counts, w.ranges)
	w.Release()
	m.Leave()
	return n
}

// tally counts the objects in the volume, or at least enough of them, for a walk that has begun,
// if a single call of the kernel suffices. Otherwise done is false, and the walk continues.
func (w *Walk) tally(f *Filter, enough int) (n int, done bool) {
	if !w.isPlain(f) {
		return 0, false
	}
	n, done = w.volume.CountWhole(&w.lists, w.store, &w.nodeFilter, MostPackets(w.store), enough)
	if done && (w.store.Counted || len(w.lists.Inside) == 0) {
		return n + w.countInside(), true
	}
	doubtNodes(&w.lists, w.store, 0)
	return 0, false
}

// countInside returns the number of objects below the references wholly inside the volume, for a
// store with counts.
func (w *Walk) countInside() (n int) {
	s := w.store
	for _, ref := range w.lists.Inside {
		if at := ref.Index(); ref.IsPacket() {
			n += int(s.Packets.Counts[at])
		} else {
			n += int(s.Nodes.Below[at])
		}
	}
	return n
}

// Any reports whether the answer has an object, and releases the walk.
func (w *Walk) Any(f *Filter) bool {
	found := w.first(f)
	w.Release()
	return found
}

// first reports whether an object intersects the volume and passes the filter. It stops at the
// first one found.
func (w *Walk) first(f *Filter) bool {
	s := w.store
	m := phase.Enter(phase.Nodes)
	defer m.Leave()
	w.start(f)
	w.lists.Budget = NodesBeforeDoubt(len(s.Packets.Counts))
	if n, done := w.tally(f, 1); done {
		return n > 0
	}
	if w.second == secondFunc {
		return w.anyRelated(f)
	}
	for tested := 0; w.lists.Budget >= 0; {
		m.Next(phase.Ranges)
		if w.second == secondOriented {
			w.confirm()
		}
		w.inside()
		w.lists.Inside = w.lists.Inside[:0]
		m.Next(phase.Packets)
		w.ranges = w.volume.Packets(w.ranges, w.store.Packets.Bounds, w.lists.Packets)
		tested += len(w.lists.Packets)
		w.lists.Packets = w.lists.Packets[:0]
		m.Next(phase.Ranges)
		if w.found(f) {
			return true
		}
		if w.lists.Done() {
			return false
		}
		m.Next(phase.Nodes)
		w.nodes()
		doubtNodes(&w.lists, s, tested)
	}
	m.Next(phase.Packets)
	return w.scanFirst(f)
}

// found reports whether the ranges hold an object that passes.
func (w *Walk) found(f *Filter) bool {
	w.filterExact(f)
	// A range of a tree with slack may have no objects.
	return len(w.ranges) > 0 && cull.CountRanges(w.store.Packets.Counts, w.ranges) > 0
}

// firstSlots is the number of slots that a scan for any object tests at a time.
const firstSlots = 256

// scanFirst is first in the order of slots.
func (w *Walk) scanFirst(f *Filter) bool {
	b := w.store.Packets.Bounds
	for slot := 0; slot < len(b); slot += firstSlots {
		w.ranges = w.volume.Scan(w.ranges[:0], b, slot, min(firstSlots, len(b)-slot))
		if w.found(f) {
			return true
		}
	}
	return false
}
