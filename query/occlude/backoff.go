package occlude

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// In open country nothing is hidden, and finding that out costs many times the frustum query. So a query is
// abandoned once it is evidently not worthwhile, and the next ones do not try: first 1 query, then 2, 4, up
// to 16, until a try has been worthwhile again (exponential back-off). Only queries are counted, so the
// back-off is a function of the calls.

const (
	longestPause = 16

	// A try is worthwhile if at least one in worthShare of the tested objects is hidden, or one in
	// subtreeShare of the tested subtrees and packets, each standing for many objects that were not
	// reached.
	worthShare   = 16
	subtreeShare = 64

	// A query is evaluated after this number of nodes, by these and by a sample of packets.
	evaluateNodes   = 128
	evaluatePackets = 64
)

// backoff counts the queries that do not try occlusion (exponential back-off).
type backoff struct {
	pause     int  // length of the last pause, in queries
	left      int  // remaining queries of the pause
	tried     bool // the first query since SetCamera tried
	paidOff   bool // a query since SetCamera was worthwhile
	evaluated bool // the current query has been evaluated
}

// beginFrame begins a frame. The success of the queries since the last frame decides on a pause.
func (b *backoff) beginFrame() {
	switch {
	case b.paidOff:
		b.pause, b.left = 0, 0
	case b.tried:
		b.pause = min(max(2*b.pause, 1), longestPause)
		b.left = b.pause
	}
	b.tried, b.paidOff = false, false
}

// mayTakeLong reports whether a try may take long: not while pauses are short.
func (b *backoff) mayTakeLong() bool { return b.pause == 0 || b.pause == longestPause }

// tested counts the tests of a query and the hidden ones among them.
type tested struct {
	nodes              int // with tested children
	boxes, hiddenBoxes int // subtrees and packets
	lanes, hiddenLanes int
}

func (t *tested) paidOff() bool {
	return subtreeShare*t.hiddenBoxes >= t.boxes || worthShare*t.hiddenLanes >= t.lanes
}

// add adds the tests of a walk that found seen visible lanes.
func (t *tested) add(w *cull.Seen, seen int) {
	hidden := w.HiddenNodes + w.HiddenPackets
	t.nodes += w.Head
	t.boxes += hidden + len(w.Queue) + len(w.Packets)
	t.hiddenBoxes += hidden
	t.lanes += w.HiddenLanes + seen
	t.hiddenLanes += w.HiddenLanes
}

// worthwhile judges a query in the middle of its walk, once enough nodes are tested, by the counts so far and
// by a sample of packets.
func (c *Culler) worthwhile(s *instance, store *soa.Store, picture *depth.Picture) bool {
	w := &c.walk
	if c.rest.evaluated || c.sum.nodes+w.Head < evaluateNodes || len(w.Packets) < evaluatePackets {
		return true
	}
	c.rest.evaluated = true
	var sample [evaluatePackets]uint32
	for i := range sample {
		sample[i] = w.Packets[i*len(w.Packets)/evaluatePackets]
	}
	so := c.sum
	before := w.HiddenLanes
	c.kept = w.AppendHits(c.kept[:0], store.Packets.Bounds, sample[:], &c.planes, &s.lens, picture)
	so.add(w, lanesIn(c.kept))
	w.HiddenLanes = before
	return so.paidOff()
}

// lanesIn returns the number of lanes of hit ranges.
func lanesIn(ranges []asm.Range) (n int) {
	for _, r := range ranges {
		n += bits.OnesCount16(uint16(r.N))
	}
	return n
}
