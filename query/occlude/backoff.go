package occlude

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// In open country nothing hides anything, and to find that out costs many times what the frustum
// alone does. So an answer is given up once it is plain that it is not worth it, and the next
// ones are not tried: 1 answer, then 2, 4, up to 16, until a try has been worth it again. Answers
// are counted, nothing else, so all this is a function of the calls.

const (
	longestPause = 16

	// A try is worth it if of the objects that were tested at least one in worthShare is hidden, or of the subtrees
	// and packets one in subtreeShare: of these one stands for many that were not come to.
	worthShare   = 16
	subtreeShare = 64

	// It is judged when so many nodes are done with, by that and by a sample of packets.
	judgeNodes   = 128
	judgePackets = 64

	// After a pause solids are drawn wherever they are, if the picture has but this many times their
	// rectangle.
	scanShare = 256
)

// backoff counts the answers that are not tried.
type backoff struct {
	pause  int  // length of the last one
	left   int  // answers that are left of it
	tried  bool // the first answer since Look was
	worth  bool // one of those since Look was
	judged bool // the answer that is being made has been judged
}

// look is called by each Look: what the answers since the last one were worth decides.
func (b *backoff) look() {
	switch {
	case b.worth:
		b.pause, b.left = 0, 0
	case b.tried:
		b.pause = min(max(2*b.pause, 1), longestPause)
		b.left = b.pause
	}
	b.tried, b.worth = false, false
}

// thorough reports whether a try may take long: not while pauses are short.
func (b *backoff) thorough() bool { return b.pause == 0 || b.pause == longestPause }

// pauses reports whether the next answer is not tried: it is that of the frustum. What was drawn by
// hand is always looked at.
func (e *Culler) pauses() bool { return e.rest.left > 0 && e.byHand == 0 }

// tested is what an answer has tested and hidden.
type tested struct {
	nodes              int // whose children were tested
	boxes, hiddenBoxes int // of subtrees and packets
	lanes, hiddenLanes int
}

func (t *tested) worth() bool {
	return subtreeShare*t.hiddenBoxes >= t.boxes || worthShare*t.hiddenLanes >= t.lanes
}

// add adds what a walk has tested, of which so many lanes were seen.
func (t *tested) add(w *asm.Seen, seen int) {
	hidden := w.HiddenNodes + w.HiddenPackets
	t.nodes += w.Head
	t.boxes += hidden + len(w.Queue) + len(w.Packets)
	t.hiddenBoxes += hidden
	t.lanes += w.HiddenLanes + seen
	t.hiddenLanes += w.HiddenLanes
}

// worthwhile judges an answer in the middle of a walk, once it is time to, by what was tested and a sample of
// packets.
func (e *Culler) worthwhile(s *soa.Store, lens *asm.Lens, picture *asm.Picture) bool {
	w := &e.walk
	if e.rest.judged || e.sum.nodes+w.Head < judgeNodes || len(w.Packets) < judgePackets {
		return true
	}
	e.rest.judged = true
	var sample [judgePackets]uint32
	for i := range sample {
		sample[i] = w.Packets[i*len(w.Packets)/judgePackets]
	}
	so := e.sum
	before := w.HiddenLanes
	e.kept = w.AppendHits(e.kept[:0], s.Packets.Bounds, sample[:], &e.planes, lens, picture)
	so.add(w, lanesIn(e.kept))
	w.HiddenLanes = before
	return so.worth()
}

// lanesIn returns the number of lanes of hit ranges.
func lanesIn(ranges []asm.Range) (n int) {
	for _, r := range ranges {
		n += lanesOf(r.N)
	}
	return n
}

// scan draws the solids of which a single one hides much, however far away they are: what is large lies in what
// is large. Nothing else would find one behind a field of small ones, as no walk comes to its end.
func (e *Culler) scan(s *soa.Store) {
	least := float32(e.frame.width*e.frame.height) / scanShare
	planes := e.frame.frustum.Planes()
	e.planes.Set(&planes, &s.Near, &s.Extent)
	e.picks, e.stack = e.picks[:0], e.stack[:0]
	if len(s.Nodes.Hot) > 0 {
		e.stack = append(e.stack, 0)
	}
	for _, slot := range s.Pending {
		e.scanPacket(s, slot, least)
	}
	for len(e.stack) > 0 {
		last := len(e.stack) - 1
		n := &s.Nodes.Hot[e.stack[last]]
		e.stack = e.stack[:last]
		m := asm.MaskLanes(&n.Mask, e.cfg.OccluderMask)
		for m = e.largeLanes(&n.Bounds, m, least); m != 0; m &= m - 1 {
			ref := n.Child[bits.TrailingZeros32(m)]
			switch {
			case ref&soa.RefFlags == 0:
			case ref.IsPacket():
				e.scanPacket(s, ref.Index(), least)
			default:
				e.stack = append(e.stack, ref.Index())
			}
		}
	}
	e.drawPicks(s)
}

// scanPacket lists the solids of a packet that the frustum meets: those beside the eye have the whole picture.
func (e *Culler) scanPacket(s *soa.Store, slot uint32, least float32) {
	p := &s.Packets
	m := e.largeLanes(&p.Bounds[slot], asm.MaskLanes(&p.Masks[slot], e.cfg.OccluderMask), least)
	if m == 0 {
		return
	}
	slots := [1]uint32{slot}
	e.kept = e.walk.AppendHits(e.kept[:0], p.Bounds, slots[:], &e.planes, &e.frame.lens, nil)
	for _, r := range e.kept {
		e.pickLanes(p, slot, m&r.N)
	}
}

// largeLanes returns the lanes of m whose boxes have large rectangles, and are not behind the eye.
func (e *Culler) largeLanes(b *soa.Packet, m uint32, least float32) (large uint32) {
	if m == 0 {
		return 0
	}
	f := &e.frame
	var areas [soa.Lanes]float32
	asm.SeenAreas(&areas, b, m, &f.lens, &e.picture)
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
