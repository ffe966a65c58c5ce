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

	// After a pause an occluder is drawn at any distance if its rectangle has at least 1/scanShare of the
	// pixels.
	scanShare = 256
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

// pauses reports whether the next query falls back to the frustum. There is no pause while the buffer has
// occluders drawn by the program.
func (c *Culler) pauses() bool { return c.rest.left > 0 && c.byHand == 0 }

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
func (c *Culler) worthwhile(s *soa.Store, lens *cull.Lens, picture *depth.Picture) bool {
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
	c.kept = w.AppendHits(c.kept[:0], s.Packets.Bounds, sample[:], &c.planes, lens, picture)
	so.add(w, lanesIn(c.kept))
	w.HiddenLanes = before
	return so.paidOff()
}

// lanesIn returns the number of lanes of hit ranges.
func lanesIn(ranges []asm.Range) (n int) {
	for _, r := range ranges {
		n += lanesOf(r.N)
	}
	return n
}

// scan draws the very large occluders, at any distance. It descends only into nodes that are large on the
// image, for large occluders lie in large nodes. It finds a large occluder behind a field of small ones,
// which no abandoned walk reaches.
func (c *Culler) scan(s *soa.Store) {
	least := float32(c.frame.width*c.frame.height) / scanShare
	planes := c.frame.frustum.Planes()
	c.planes.Set(&planes, &s.Near, &s.Extent)
	c.candidates, c.stack = c.candidates[:0], c.stack[:0]
	if len(s.Nodes.Hot) > 0 {
		c.stack = append(c.stack, 0)
	}
	for _, slot := range s.Pending {
		c.scanPacket(s, slot, least)
	}
	for len(c.stack) > 0 {
		last := len(c.stack) - 1
		n := &s.Nodes.Hot[c.stack[last]]
		c.stack = c.stack[:last]
		m := asm.MaskLanes(&n.Mask, c.cfg.OccluderMask)
		for m = c.largeLanes(&n.Bounds, m, least); m != 0; m &= m - 1 {
			ref := n.Child[bits.TrailingZeros32(m)]
			switch {
			case ref&soa.RefFlags == 0:
			case ref.IsPacket():
				c.scanPacket(s, ref.Index(), least)
			default:
				c.stack = append(c.stack, ref.Index())
			}
		}
	}
	c.drawCandidates(s)
}

// scanPacket lists the large occluders of a packet in the frustum. A box next to the eye has the whole image
// as its rectangle.
func (c *Culler) scanPacket(s *soa.Store, slot uint32, least float32) {
	p := &s.Packets
	m := c.largeLanes(&p.Bounds[slot], asm.MaskLanes(&p.Masks[slot], c.cfg.OccluderMask), least)
	if m == 0 {
		return
	}
	slots := [1]uint32{slot}
	c.kept = c.walk.AppendHits(c.kept[:0], p.Bounds, slots[:], &c.planes, &c.frame.lens, nil)
	for _, r := range c.kept {
		c.candidateLanes(p, slot, m&r.N)
	}
}

// largeLanes returns the lanes of m whose boxes have large rectangles and are not behind the eye.
func (c *Culler) largeLanes(b *soa.Packet, m uint32, least float32) (large uint32) {
	if m == 0 {
		return 0
	}
	f := &c.frame
	var areas [soa.Lanes]float32
	cull.SeenAreas(&areas, b, m, &f.lens, &c.depth)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		if areas[lane] < least {
			continue
		}
		deepest := 0.0
		for a, d := range f.depth {
			k := 2 * a
			if d > 0 {
				k++
			}
			deepest += float64(d * (float64(b[k][lane]) - f.ref[a]))
		}
		if deepest > 0 {
			large |= 1 << lane
		}
	}
	return large
}
