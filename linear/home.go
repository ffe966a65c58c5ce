package linear

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// ErrOutside is returned for a box whose centre is outside the world of a tree
// that refuses such boxes: see [OutsideRefuse].
var ErrOutside = errors.New("linear: outside the world")

// home reports whether an object with that box may live in a packet of that
// interval: its key lies in it, or the cube of the slack about its centre has a
// grid cell whose key does. A larger interval is a home to no fewer.
func (t *Tree) home(k soa.KeySpan, box *soa.AABB) bool {
	return t.homeOfKey(k, t.code.key(box), box)
}

// homeOfKey is home for a box whose key is known.
func (t *Tree) homeOfKey(k soa.KeySpan, key uint64, box *soa.AABB) bool {
	return key >= k.Low && key <= k.High || t.cfg.Slack > 0 && t.inSlack(k, box)
}

// inSlack reports whether the cube of the slack about the centre of a box has a
// grid cell of the interval.
func (t *Tree) inSlack(k soa.KeySpan, box *soa.AABB) bool {
	if t.code.far && !t.code.near(box) {
		return false
	}
	// The largest j with 2^(3j) <= the number of keys.
	j := (bits.Len64(k.High-k.Low+1) - 1) / 3
	s := float32(math.Ldexp(float64(t.cfg.Slack)/100, t.world.Exp()+j))
	c := box.Center()
	cells, err := t.world.BoxOf([3]float32{c[0] - s, c[1] - s, c[2] - s}, [3]float32{c[0] + s, c[1] + s, c[2] + s})
	if err != nil {
		return false
	}
	first, ok := cells.Next(morton.Key(k.Low))
	return ok && uint64(first) <= k.High
}

// recheck lists as strays the objects that a smaller interval of their packet
// has put beyond its slack. A stray is then listed again, which does no harm.
func (t *Tree) recheck(slot uint32) {
	if t.cfg.Slack == 0 {
		return
	}
	p := &t.store.Packets
	for l := range int(p.Counts[slot]) {
		if b := p.Box(slot, l); !t.home(p.Keys[slot], &b) {
			t.strays = append(t.strays, p.IDs[slot][l])
		}
	}
}

// admit checks a box at the door.
func (t *Tree) admit(box *soa.AABB) error {
	if err := box.Check(); err != nil {
		return err
	}
	return t.checkWorld(box)
}

// checkWorld refuses or counts a finite box whose centre is outside the world.
func (t *Tree) checkWorld(box *soa.AABB) error {
	c := box.Center()
	if t.world.Inside(c) {
		return nil
	}
	if t.cfg.Outside == OutsideRefuse {
		return fmt.Errorf("%w: box %v to %v has the centre %v, the world is %v", ErrOutside, box.Min, box.Max, c, t.world)
	}
	t.outside++
	return nil
}

// holdsAll reports whether the world holds all points of a box.
func (t *Tree) holdsAll(b soa.AABB) bool { return t.world.Inside(b.Min) && t.world.Inside(b.Max) }

// room returns an error when n more objects cannot be numbered.
func (t *Tree) admits(n int) error {
	if t.Len() > radix.MaxLen-n {
		return fmt.Errorf("linear: %w: %d objects and %d more exceed %d", soa.ErrFull, t.Len(), n, radix.MaxLen)
	}
	if err := t.ids.Fits(n); err != nil {
		return fmt.Errorf("linear: %w", err)
	}
	return nil
}

// admitsPending is room for objects that are to be pending, in packets.
func (t *Tree) admitsPending(n int) error {
	if err := t.admits(n); err != nil {
		return err
	}
	if blocks := (n + blockMax - 1) / blockMax; !t.store.Packets.Fits(blocks) && n > t.freePending() {
		return fmt.Errorf("linear: %w: %d packets, no room for %d pending objects", soa.ErrFull, len(t.store.Packets.Counts), n)
	}
	return nil
}

// blockMax is the number of objects that a block holds.
const blockMax = soa.BlockSlots * soa.Lanes

// freePending returns the number of lanes that are left in the last block of
// the pending list.
func (t *Tree) freePending() int { return -t.pending & (blockMax - 1) }
