package linear

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// MoveDirty moves the objects that say that they have moved: boxes has the box of each
// object by its ID, as a game keeps them, and bit id%64 of dirty[id/64] is set where that of
// the object has changed. It is [Tree.MoveBatch] of the IDs whose bits are set, in their
// order, with its errors, all or none, and its effects on views; boxes of other IDs are not
// looked at. The bits stay as they are. A set bit beyond the boxes panics; words that are
// not there are 0.
//
// It takes the time of MoveBatch with lists that are there already, to which the look at the
// words adds a nanosecond for each 64 IDs, and the lists what a copy of them takes (go test ./linear -run '^$' -bench MoveDirty).
// In steady state it allocates nothing.
func (t *Tree) MoveDirty(boxes []soa.AABB, dirty []uint64) error {
	sc := &t.scratch
	n, end := countDirty("MoveDirty", boxes, dirty)
	sc.dirty = appendDirty(slices.Grow(sc.dirty[:0], n), dirty)
	moved := boxes[:end]
	if n < end { // else all of them move
		sc.moved = appendMoved(slices.Grow(sc.moved[:0], n), boxes, sc.dirty)
		moved = sc.moved
	}
	return t.moveBatch(sc.dirty, &bodies{boxes: moved})
}

// MoveDirty records the moves of the objects whose bits are set, as one change, which is a
// MoveBatch. It panics when a set bit is beyond the boxes.
func (b *Batch) MoveDirty(boxes []soa.AABB, dirty []uint64) {
	if n, _ := countDirty("MoveDirty", boxes, dirty); n > 0 {
		have := len(b.ids)
		b.ids = appendDirty(b.ids, dirty)
		b.boxes = appendMoved(b.boxes, boxes, b.ids[have:])
		b.record(batchMotion, n)
	}
}

// countDirty returns the number of set bits and one more than the last of them.
func countDirty(name string, boxes []soa.AABB, dirty []uint64) (n, end int) {
	for i, word := range dirty {
		if word != 0 {
			n += bits.OnesCount64(word)
			end = 64*i + bits.Len64(word)
		}
	}
	if end > len(boxes) {
		panic(fmt.Sprintf("linear: %s with the bit of ID %d, and %d boxes", name, end-1, len(boxes)))
	}
	return n, end
}

// appendDirty adds the numbers of the bits that are set.
func appendDirty(ids []uint32, dirty []uint64) []uint32 {
	for i, word := range dirty {
		for ; word != 0; word &= word - 1 {
			ids = append(ids, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return ids
}

// appendMoved adds the boxes of objects.
func appendMoved(moved, boxes []soa.AABB, ids []uint32) []soa.AABB {
	for _, id := range ids {
		moved = append(moved, boxes[id])
	}
	return moved
}
