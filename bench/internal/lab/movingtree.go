package lab

import (
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// MovingTree is a tree of moving objects.
type MovingTree struct {
	Tree *linear.Tree
	*Motion
	IDs   []uint32   // of the steps drawn, in sequence
	To    []soa.AABB // boxes of IDs
	fresh []uint32
	stuff []soa.Object
	Err   error // first error
}

func NewMovingTree(objects []soa.Object, seed uint64) (*MovingTree, error) {
	tree, err := Build(objects, 1, make([]uint32, 0, len(objects)))
	return &MovingTree{Tree: tree, Motion: NewMotion(objects, seed)}, err
}

// Draw draws the next steps.
func (h *MovingTree) Draw(steps, moves int) {
	h.IDs, h.To = h.IDs[:0], h.To[:0]
	for range steps {
		h.IDs, h.To = h.Step(h.IDs, h.To, moves)
	}
}

func (h *MovingTree) Note(err error) {
	if h.Err == nil {
		h.Err = err
	}
}

// Move applies the steps with MoveBatch and Tick.
func (h *MovingTree) Move(moves int) uint64 {
	for at := 0; at < len(h.IDs); at += moves {
		end := min(at+moves, len(h.IDs))
		h.Note(h.Tree.MoveBatch(h.IDs[at:end], h.To[at:end]))
		h.Note(h.Tree.Tick())
	}
	return uint64(h.Tree.Len())
}

// Churn applies the steps with RemoveBatch, InsertBatch and Tick. The IDs of inserted objects differ from
// those in the motion; this does not matter, because one object is as good as another.
func (h *MovingTree) Churn(moves int) uint64 {
	for at := 0; at < len(h.IDs); at += moves {
		end := min(at+moves, len(h.IDs))
		h.stuff = h.stuff[:0]
		for _, b := range h.To[at:end] {
			h.stuff = append(h.stuff, soa.Object{Box: b, Mask: 1})
		}
		h.Note(h.Tree.RemoveBatch(h.IDs[at:end]))
		fresh, err := h.Tree.InsertBatch(h.fresh[:0], h.stuff)
		h.Note(err)
		h.Note(h.Tree.Tick())
		h.fresh = fresh
	}
	return uint64(h.Tree.Len())
}

// Sound returns an error unless the tree is valid.
func (h *MovingTree) Sound() error {
	if h.Err != nil {
		return h.Err
	}
	if h.Tree.Len() != len(h.Boxes) {
		return fmt.Errorf("%d objects are left of %d", h.Tree.Len(), len(h.Boxes))
	}
	return h.Tree.Validate()
}

// InOrder returns all IDs.
func (h *MovingTree) InOrder() []uint32 {
	ids := make([]uint32, len(h.Boxes))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}

// FrameShare is the inverse of the share of objects that move in a frame.
const FrameShare = 100

// FirstBuild inserts the objects into new trees.
func (h *MovingTree) FirstBuild(objects []soa.Object) measure.Task {
	ids := make([]uint32, 0, len(objects))
	return measure.Task{Units: len(objects), Before: runtime.GC, Do: func() uint64 {
		t, err := Build(objects, 1, ids)
		h.Note(err)
		return uint64(t.Len())
	}}
}
