package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// ErrRearranged is returned for an arrangement that is not that of the tree any more.
var ErrRearranged = errors.New("linear: objects have been rearranged")

// Order appends the IDs of all objects to dst in the order in which their boxes lie in
// memory, and returns the number of that arrangement: what [Tree.MoveInOrder] wants to
// know. The arrangement is another one, with another number, as soon as an object comes,
// goes or is given another packet, by a change, a [Tree.Flush], a [Tree.Tick], a look that
// flushes ([Tree.View]) or a rebuild; a move leaves it as it is unless it ends with a
// flush or takes an object far away. Numbers are never 0, and belong to one tree.
//
// It takes time proportional to the tree and allocates only to grow dst.
func (t *Tree) Order(dst []uint32) (ids []uint32, arrangement uint64) {
	t.look()
	return t.order(dst), t.arrangement + 1
}

func (t *Tree) order(dst []uint32) []uint32 {
	p := &t.store.Packets
	for slot, n := range p.Counts {
		dst = append(dst, p.IDs[slot][:n]...)
	}
	return dst
}

// MoveInOrder gives all objects new boxes, which come in the order of [Tree.Order]: that
// of memory, so that nothing is searched. It does what [Tree.MoveBatch] does with the IDs
// of that order, in 0.6 to 0.8 of the time (go test ./linear -run '^$' -bench MoveAll): the
// way for a program that moves everything in each frame and keeps its boxes in the tree's
// order. Under [PolicyAuto] that order holds for many frames of a slow motion, until a
// tick finds homes or rebuilds.
//
//	if err := t.MoveInOrder(arrangement, boxes); errors.Is(err, linear.ErrRearranged) {
//		ids, arrangement = t.Order(ids[:0])
//		// boxes[i] becomes that of ids[i]
//		err = t.MoveInOrder(arrangement, boxes)
//	}
//
// The errors are [ErrRearranged], when the arrangement is another one by now, and those of
// MoveBatch, which name the index of a box and its ID; then nothing moves. It panics when
// there are not as many boxes as objects. In steady state it allocates nothing. It ends
// the life of all views: an iteration that goes on panics.
func (t *Tree) MoveInOrder(arrangement uint64, boxes []soa.AABB) error {
	t.catchUp()
	if arrangement != t.arrangement+1 {
		return fmt.Errorf("%w: arrangement %d, it is %d by now", ErrRearranged, arrangement, t.arrangement+1)
	}
	if len(boxes) != t.Len() {
		panic(fmt.Sprintf("linear: MoveInOrder of %d boxes in a tree of %d objects", len(boxes), t.Len()))
	}
	if len(boxes) == 0 {
		return nil
	}
	defer phase.Enter(phase.Flush).Leave()
	centres, union, bad := asm.Survey(soa.BoxWords(boxes), 6, len(boxes))
	all := boxOf(union)
	inside := t.holdsAll(boxOf(centres))
	if bad >= 0 || !t.isMajority(len(boxes)) || !t.code.near(&all) ||
		t.cfg.Outside != OutsideKeep && !t.cfg.World.Contains(boxOf(centres)) {
		// A box is refused, or its object loses its place at once: somebody must be named.
		return t.moveBatch(t.orderNow(), &bodies{boxes: boxes})
	}
	t.change()
	t.centres = t.centres.Union(boxOf(centres))
	t.bound(&all)
	t.refitOnly()
	t.work.Moved += len(boxes)
	if err := t.moveMost(herd{to: bodies{boxes: boxes}, out: !inside}); err != nil {
		return err
	}
	return t.flushStrays()
}

// orderNow returns the IDs in the order of memory, until the next call.
func (t *Tree) orderNow() (ids []uint32) {
	t.buffers().order = t.order(t.buffers().order[:0])
	return t.buffers().order
}
