package query

import (
	"sync"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Small boxes of a batch share a walk, 16 side by side. While the nodes and packets of one are
// loaded from memory, others are tested, and the cost to begin and end a query is paid once. Each
// box has the answer, in the order, of a walk by itself. A box that hits more than the lists of
// the walk can hold is run by itself.

const (
	// togetherSlots is the smallest number of slots for a shared walk: in a smaller tree a box by
	// itself may scan (see walk.meet), in another order.
	togetherSlots = 512

	// togetherPending is the largest number of pending packets, which all boxes test.
	togetherPending = 8

	// togetherLost is the number of boxes that may drop out of a walk. If more do, the next
	// togetherRest boxes are run one by one.
	togetherLost = cull.MaxBoxes / 8
	togetherRest = 256
)

// walksTogether reports whether boxes may share a walk of a tree.
func walksTogether(s *soa.Store, f *walk.Filter) bool {
	return f.All() && !f.Exact && len(s.Packets.Counts) >= togetherSlots && len(s.Pending) <= togetherPending
}

// boxesWalk is a walk of several boxes, taken from a pool.
type boxesWalk struct {
	cull.BoxesWalk
	sums [cull.MaxBoxes]uint32
}

var boxesWalks = sync.Pool{New: func() any { return new(boxesWalk) }}

// nodes walks the nodes with the boxes in w and returns the number of boxes that dropped out.
func (w *boxesWalk) nodes(s *soa.Store) (lost int) {
	// A box by itself would scan if it hit three of four packets, and the lists hold fewer. It would
	// also check for a scan after this many nodes.
	w.Nodes(s.Nodes.Hot, s.Nodes.Slots, s.Pending, walk.NodesBeforeDoubt(len(s.Packets.Counts))-2)
	for i := range w.N {
		if w.Abandoned(i) {
			lost++
		}
	}
	return lost
}

// together runs the first boxes of a strip in one walk and returns the others.
func (b *BoxBatch) together(queries []uint32, p *strip.Part[uint32]) []uint32 {
	w := boxesWalks.Get().(*boxesWalk)
	w.N = min(len(queries), cull.MaxBoxes)
	for k, i := range queries[:w.N] {
		w.Boxes[k] = *(*walk.Box)(&b.batch.queries[i]).Kernel()
	}
	m := phase.Enter(phase.Nodes)
	if w.nodes(b.batch.store) > togetherLost {
		p.Alone = togetherRest
	}
	m.Next(phase.Packets)
	c := &b.batch.store.Packets
	for k := 0; k < w.N; k++ {
		first := k
		for k < w.N && !w.Abandoned(k) {
			k++
		}
		if k > first {
			p.List = w.AppendIDs(p.List, &w.sums, first, k, c.Bounds, c.IDs, c.Counts)
			from := uint32(0)
			for at, sum := range w.sums[first:k] {
				p.Runs = append(p.Runs, strip.Run{Query: queries[first+at], N: sum - from})
				from = sum
			}
		}
		if k < w.N {
			b.alone(queries[k], p)
		}
	}
	m.Leave()
	queries = queries[w.N:]
	boxesWalks.Put(w)
	return queries
}

const (
	// sampledBoxes is the number of boxes from which a batch is sampled, to estimate whether boxes are
	// small.
	sampledBoxes = 512

	// togetherFew is the mean number of packets for a box up to which boxes that share walks gain
	// nothing by being in order.
	togetherFew = 10
)

// plan decides whether boxes share walks, and reports whether their order matters.
func (b *BoxBatch) plan() (sorted bool) {
	sorted = large(b.batch.store, len(b.batch.queries))
	b.share = walksTogether(b.batch.store, &b.batch.filter)
	if b.share && len(b.batch.queries) >= sampledBoxes {
		lost, hit := b.sample()
		b.share = lost <= togetherLost
		sorted = sorted && (lost > 0 || hit > togetherFew*cull.MaxBoxes)
	}
	return sorted
}

// sample runs a shared walk with 16 boxes from all over the batch. lost is the number of boxes
// that dropped out, hit the number of packets that the others hit.
func (b *BoxBatch) sample() (lost, hit int) {
	w := boxesWalks.Get().(*boxesWalk)
	w.N = cull.MaxBoxes
	for k := range w.Boxes {
		w.Boxes[k] = *(*walk.Box)(&b.batch.queries[k*len(b.batch.queries)/cull.MaxBoxes]).Kernel()
	}
	lost, hit = w.nodes(b.batch.store), w.Packets()
	boxesWalks.Put(w)
	return lost, hit
}
