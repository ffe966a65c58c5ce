package collide

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query/internal/forest"
	"github.com/zoctree/zoctree/soa"
)

// search is the state of one query for pairs. It processes parts: the trees against each other,
// then the pending packets.
type search struct {
	walk    pair.Walk
	x, y    *soa.Store
	self    bool // x is y
	once    bool // each pair is returned once, its smaller ID first
	swapped bool // x is the second of the views
	objects bool // x has no packets: pending[0] is a tree over objects
	pending [2]forest.Tree
	filter  laneFilter
	exact   bool        // an object has a bound, and bounds count
	limit   pair.Limit  // of the distance, if walk.Reach is not 0
	part    int         // the next part
	plan    []pair.Task // the tasks of part 0 in their order, if they can be shared

	movers   soa.Store // few moving or live objects: the packets of x in that case
	set      []uint64  // the set of few live objects that are gathered; else nil
	most     int       // the largest number of movers
	counting bool      // movers are counted, not yet gathered
	located  []soa.Location
	places   []soa.Location // buffer of a locator

	candidates *candidates // of impacts of bounds; nil until they are needed

	ctx    context.Context // cancels the walk; may be nil
	halted *atomic.Bool    // cancels it, too; may be nil
	err    error           // the error that ended it
}

var searches = sync.Pool{New: func() any { return new(search) }}

// takeSearch returns a search of two views, or within one. The view with fewer objects is x: its
// objects are tested one by one, against many of y at a time.
func takeSearch(of Views, flt Filter) *search {
	defer phase.Enter(phase.Pairs).Leave()
	flt.mustCheck()
	self := of.kind == within
	x, y := of.stores()
	w := searches.Get().(*search)
	if w.swapped = !self && y.Count < x.Count; w.swapped {
		x, y = y, x
	}
	w.objects, w.once, w.set = false, self, nil
	w.prepare(x, y, &flt, self)
	w.filter.exclude(of.a, flt.Exclude)
	if few := self && (w.gatherLive(of.a) || w.gatherMovers()); few {
		w.pending[0].Join()
		w.x, w.self, w.objects = &w.movers, false, true
	} else {
		w.pending[0].Build(w.x)
	}
	if !w.self {
		w.pending[1].Build(w.y)
	}
	return w
}

// The kernels write a pair as two words.
var (
	_ [0]struct{} = [unsafe.Sizeof(Pair{}) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Pair{}.B) - 4]struct{}{}
)

// prepare sets all fields except the pending nodes.
func (w *search) prepare(x, y *soa.Store, flt *Filter, self bool) {
	w.x, w.y, w.self = x, y, self
	w.walk.X = pair.Side{Packets: &x.Packets}
	w.walk.Y = pair.Side{Packets: &y.Packets}
	w.walk.Every = 0
	if flt.StaticPairs {
		w.walk.Every = 0xffff
	}
	w.setDistance(flt.Distance)
	w.exact = flt.Exact && (x.Packets.Bounded() || y.Packets.Bounded())
	var any bool
	w.walk.Filter, any = w.filter.prepare(flt)
	w.walk.Tasks, w.walk.Rows, w.walk.Hits, w.walk.Head = w.walk.Tasks[:0], w.walk.Rows[:0], w.walk.Hits[:0], 0
	w.part, w.err = 0, nil
	if !any || !w.filter.resolve(&w.walk.Filter, &x.Packets, &y.Packets) {
		w.part = partCount
	}
}

// follow copies the query of lead, without its tasks.
func (w *search) follow(lead *search) {
	w.x, w.y, w.self, w.once, w.swapped = lead.x, lead.y, lead.self, lead.once, lead.swapped
	w.filter, w.exact, w.limit, w.objects, w.set = lead.filter, lead.exact, lead.limit, lead.objects, lead.set
	p, l := &w.walk, &lead.walk
	p.X, p.Y, p.Filter, p.Every, p.Self, p.Reach = l.X, l.Y, l.Filter, l.Every, l.Self, l.Reach
	p.Rows, p.Hits, p.Head = p.Rows[:0], p.Hits[:0], 0
	w.ctx, w.err = lead.ctx, nil
}

// leave drops references to the caller's data.
func (w *search) leave() {
	w.x, w.y, w.ctx, w.halted = nil, nil, nil, nil
	w.filter.one, w.filter.both, w.set = nil, nil, nil
	w.walk.X, w.walk.Y = pair.Side{}, pair.Side{}
}

func (w *search) release() {
	w.leave()
	searches.Put(w)
}

// partCount is the number of parts:
//
//	     of x      of y
//	0    tree      tree
//	1    tree      pending
//	2    pending   tree       not within one tree, where it is part 1
//	3    pending   pending
const partCount = 4

// begin starts the next part that has objects on both sides.
func (w *search) begin() bool {
	for w.part < partCount {
		part := w.part
		w.part++
		if w.self && part == 2 {
			continue
		}
		other := &w.pending[1]
		if w.self {
			other = &w.pending[0]
		}
		nodesX, rootX := w.x.Nodes.Hot, uint32(0)
		if part&2 != 0 {
			nodesX, rootX = w.pending[0].Nodes, w.pending[0].Root()
		}
		nodesY, rootY := w.y.Nodes.Hot, uint32(0)
		if part&1 != 0 {
			nodesY, rootY = other.Nodes, other.Root()
		}
		if len(nodesX) == 0 || len(nodesY) == 0 {
			continue
		}
		w.walk.X.Nodes, w.walk.Y.Nodes, w.walk.Self = nodesX, nodesY, 0
		if w.self && part != 1 {
			w.walk.Self = 1
		}
		w.walk.Reset(rootX, rootY)
		if part == 0 {
			w.spread()
		}
		return true
	}
	return false
}

// A walk of planObjects or more is cut into planTasks or more tasks that can run in parallel. The
// cut does not depend on the workers, so neither does the order of pairs. Only tests change these
// numbers.
var (
	planObjects = 1 << 14
	planTasks   = 512
)

// spread expands the first task level by level into many, and also stores them in plan. Rows
// found meanwhile precede those of all tasks.
func (w *search) spread() {
	p := &w.walk
	w.plan = w.plan[:0]
	if min(w.x.Count, w.y.Count) < planObjects {
		return
	}
	w.plan = append(w.plan, p.Tasks...)
	head := 0
	for head < len(w.plan) && len(w.plan)-head < planTasks {
		p.Tasks = append(p.Tasks[:0], w.plan[head])
		head++
		pair.Nodes(p, 1)
		w.plan = append(w.plan, p.Tasks...)
	}
	w.plan = slices.Delete(w.plan, 0, head)
	p.Tasks = append(p.Tasks[:0], w.plan...)
	slices.Reverse(p.Tasks)
}

// packetRows is the number of rows that are gathered before packets are tested.
const packetRows = 64

// objectRows is that number for rows of objects, whose packets are scattered in memory: the
// kernel prefetches some while it tests others, except for the first of each call.
const objectRows = 256

// cancelled reports whether the walk must end, and then leaves no work.
func (w *search) cancelled() bool {
	switch {
	case w.halted != nil && w.halted.Load():
		w.err = context.Canceled
	case w.ctx != nil:
		w.err = w.ctx.Err()
	}
	if w.err != nil {
		w.part = partCount
	}
	return w.err != nil
}

// within finds more hits of this part, at least one, and reports whether there are any. It checks
// the context after 16 pairs of nodes or 128 pairs of packets.
func (w *search) within() bool {
	p := &w.walk
	rows := packetRows
	if w.objects {
		rows = objectRows
	}
	for {
		for p.Head == 0 && len(p.Tasks) > 0 && len(p.Rows) < rows {
			if w.cancelled() {
				return false
			}
			pair.Nodes(p, math.MaxInt)
		}
		if p.Head == len(p.Rows) || w.cancelled() {
			return false
		}
		if w.objects {
			pair.Objects(p)
			if w.once {
				p.Hits = w.keepOnce(p.Hits)
			}
		} else {
			pair.Packets(p)
		}
		w.filterHits()
		if len(p.Hits) > 0 {
			return true
		}
	}
}

// filterHits removes the hits that the distance, the filter or the exact test excludes.
func (w *search) filterHits() {
	p := &w.walk
	if p.Reach > 0 {
		w.keepNear()
	}
	if w.filter.on {
		p.Hits = w.filter.keep(p.Hits, &w.x.Packets, &w.y.Packets)
	}
	if w.filter.byID() {
		p.Hits = w.keepLive(p.Hits)
	}
	if w.exact {
		p.Hits = w.keepExact(p.Hits)
	}
}

// next finds more hits of this part or the later ones.
func (w *search) next() bool {
	defer phase.Enter(phase.Pairs).Leave()
	for !w.within() {
		if !w.begin() {
			return false
		}
	}
	return true
}

// append appends the pairs of all remaining hits.
func (w *search) append(dst []Pair) []Pair {
	defer phase.Enter(phase.Pairs).Leave()
	for w.next() {
		dst = w.emit(dst)
	}
	return dst
}

// emit appends the pairs of the hits.
func (w *search) emit(dst []Pair) []Pair {
	order := pair.Found
	switch {
	case w.once:
		order = pair.Ascending
	case w.swapped:
		order = pair.Swapped
	}
	words := unsafe.Slice((*[2]uint32)(unsafe.Pointer(unsafe.SliceData(dst))), cap(dst))
	words = pair.EmitPairs(words[:len(dst)], w.walk.Hits, w.x.Packets.IDs, w.y.Packets.IDs, order)
	return unsafe.Slice((*Pair)(unsafe.Pointer(unsafe.SliceData(words))), cap(words))[:len(words)]
}

// pair returns a Pair of two objects.
func (w *search) pair(a, b uint32) Pair {
	if w.once {
		return Pair{min(a, b), max(a, b)}
	}
	if w.swapped {
		return Pair{b, a}
	}
	return Pair{a, b}
}

func (w *search) count() (n int) {
	defer phase.Enter(phase.Pairs).Leave()
	for w.next() {
		n += pair.CountHits(w.walk.Hits)
	}
	return n
}

// each yields the pairs until yield returns false. The views are those of the search.
func (w *search) each(of *Views, yield func(Pair) bool) {
	for w.next() {
		for _, h := range w.walk.Hits {
			id := w.x.Packets.IDs[h.A.Slot()][h.A.Lane()]
			for m := h.Mask; m != 0; m &= m - 1 {
				if !yield(w.pair(id, w.y.Packets.IDs[h.B][bits.TrailingZeros32(m)])) {
					return
				}
				of.stores() // panics if a tree has changed
			}
		}
	}
}
