package walk

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// left returns the number of slots below the stack.
func (q *Nearest) left(s *soa.Store) (n int) {
	bound := uint64(math.Float32bits(q.walk.Bound))
	for _, e := range q.walk.Stack {
		if e>>32 <= bound {
			n += slotsBelow(s, soa.Ref(e))
		}
	}
	return n
}

// scan replaces the stack by all slots, in ascending order. Objects found before are found again;
// the bound holds.
func (q *Nearest) scan(s *soa.Store) {
	w := &q.walk
	stackAll(w, s)
	q.bailout.off()
	w.Bound = max(w.Bound, q.level)
	q.idle, q.level = 0, -1
}

// stackAll sets the stack to all slots, with the first on top.
func stackAll(w *trace.NearWalk, s *soa.Store) {
	w.Stack = w.Stack[:0]
	for slot := len(s.Packets.Counts) - 1; slot >= 0; slot-- {
		w.Stack = append(w.Stack, trace.NearEntry(0, soa.PacketRef(uint32(slot))))
	}
}

// strict leaves the ties at the distance of the k-th key for later. It keeps the stack: ties that
// were not visited are below it.
func (q *Nearest) strict(level float32) {
	w := &q.walk
	q.late, q.level, q.idle = append(q.late[:0], w.Stack...), level, 0
	if level > 0 {
		w.Bound = before(level)
	} else {
		w.Stack = w.Stack[:0]
	}
}

// tied reports whether the k-th key is at the distance of the ties left for later.
func (q *Nearest) tied(key uint64) bool { return distOf(key) == q.level }

// ties searches the stack left for later for smaller IDs at the distance of the k-th key. The keys
// are a heap.
func (q *Nearest) ties(s *soa.Store, f *Filter) {
	w, p := &q.walk, &s.Packets
	v := take(s)
	defer v.Release()
	w.Bound = q.level
	v.near(q.late, w)
	if q.tracing {
		for _, node := range v.lists.Queue[:v.lists.Head] {
			q.count.visit(s, soa.Ref(node), q.heat)
		}
	}
	for slot := range probes(v.lists.Packets) {
		if hasBelow(p, slot, uint32(q.keys[0])) {
			q.tie(s, slot, f)
		}
	}
}

// tie offers the objects of a slot whose distance is the bound.
func (q *Nearest) tie(s *soa.Store, slot uint32, f *Filter) {
	w := &q.walk
	w.Stack = append(w.Stack[:0], trace.NearEntry(0, soa.PacketRef(slot)))
	m, _ := q.next(s)
	ids := &s.Packets.IDs[slot]
	for m = f.lanes(&s.Packets, slot, m); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		d2 := w.Dist[l]
		if f.Exact {
			d2 = boundDist2(&s.Packets, slot, l, w.Point, d2, &q.unit)
		}
		if d2 == q.level {
			q.offer(keyOf(d2, ids[l]))
		}
	}
}

// near lists the packets below the entries that are within the bound of a walk, which may be
// infinite.
func (w *Walk) near(entries []uint64, from *trace.NearWalk) {
	s, d2, scale := w.store, from.Bound, from.Scale
	if scale == 0 {
		scale = 1
	}
	w.nodeFilter = from.Filter
	l := &w.lists
	l.Reset(0)
	l.Queue = l.Queue[:0]
	for _, e := range entries {
		switch ref := soa.Ref(e); {
		case math.Float32frombits(uint32(e>>32)) > d2:
		case d2 > math.MaxFloat32: // beyond any sphere
			l.Inside = append(l.Inside, ref)
		case ref.IsPacket():
			l.Packets = append(l.Packets, ref.Index())
		default:
			l.Queue = append(l.Queue, ref.Index())
		}
	}
	w.volume.Shape = cull.ShapeSphere
	w.volume.Sphere = cull.Sphere{Center: from.Point, Scale: scale, Limit: d2}
	for !l.Done() {
		w.volume.Nodes(l, s.Nodes.Hot, &w.nodeFilter)
	}
	w.inside()
	for _, r := range w.ranges {
		for slot := r.First; slot < r.First+r.N; slot++ {
			l.Packets = append(l.Packets, slot)
		}
	}
}
