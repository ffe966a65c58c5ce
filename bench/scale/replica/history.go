package replica

import (
	"math/rand/v2"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// History makes random batches for tests and demonstrations: insertions, removals, moves, and new masks and
// static flags of the objects that it has inserted.
type History struct {
	rng     *rand.Rand
	objects []soa.Object // boxes to insert and to move to
	Live    []uint32
}

// NewHistory starts a history of objects like these.
func NewHistory(rng *rand.Rand, objects []soa.Object) *History {
	return &History{rng: rng, objects: objects}
}

// Next records calls random calls in a batch. Call [History.Done] before the next one.
func (h *History) Next(b *linear.Batch, calls int) {
	some := func() *soa.Object { return &h.objects[h.rng.IntN(len(h.objects))] }
	grows := h.rng.IntN(9) < 5
	for range calls {
		kind := h.rng.IntN(8)
		if !grows && kind < 3 { // a batch of mostly removals
			kind = 3
		}
		if len(h.Live) == 0 {
			kind = 0
		}
		var i int
		var id uint32
		if kind > 2 {
			i = h.rng.IntN(len(h.Live))
			id = h.Live[i]
		}
		switch kind {
		case 0, 1, 2:
			b.Insert(*some())
		case 3, 4:
			b.Remove(id)
			last := len(h.Live) - 1
			h.Live[i] = h.Live[last]
			h.Live = h.Live[:last]
		case 5:
			b.Move(id, some().Box)
		case 6:
			b.SetMask(id, h.rng.Uint32())
		case 7:
			b.SetStatic(id, h.rng.IntN(2) == 0)
		}
	}
}

// Done records the IDs of the insertions of the last batch.
func (h *History) Done(ids []uint32) { h.Live = append(h.Live, ids...) }
