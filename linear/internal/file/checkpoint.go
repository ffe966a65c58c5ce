package file

import (
	"sync"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Checkpoint is the state of a tree at the time of a version, which is saved while the tree changes. A version has the
// columns of a tree. The other state that decides how a tree changes, generations by ID and lists, is copied when the
// checkpoint is taken. The locations of objects and the log are derived from the version when it is saved first.
type Checkpoint struct {
	store *soa.Store // of the version
	lists *Lists
	ids   int      // number of IDs
	chain []uint32 // free IDs in the order of their list, unless lists.Where has been copied
	full  sync.Once

	former Lists // memory for the copies, while they are made
}

// fewFree is the minimum ratio of IDs to free IDs at which the free list is walked, one cache line
// per free ID, instead of copying all locations.
const fewFree = 256

// CheckpointOf returns a checkpoint of a tree, whose present columns the version has. The copies are in the memory of
// lists.
func CheckpointOf(t *octree.Tree, version *soa.Store, lists *Lists) *Checkpoint {
	c := &Checkpoint{store: version, lists: lists, ids: t.IDs.Cap()}
	l, own := lists, &c.former
	*own = *l
	l.Of(t)
	l.Changes = own.Changes[:0]
	if free := t.IDs.Cap() - t.IDs.Len(); free <= t.IDs.Cap()/fewFree {
		l.Where, c.chain = own.Where[:0], t.IDs.AppendFree(make([]uint32, 0, free))
	} else {
		l.Where = copyInto(own.Where, l.Where)
	}
	l.CopyTo(own)
	*own = Lists{}
	return c
}

// Image returns the saved form of the tree.
func (c *Checkpoint) Image() (Image, error) {
	c.full.Do(c.complete)
	return Image{Store: c.store, Lists: c.lists}, nil
}

// Release returns the memory of the copies.
func (c *Checkpoint) Release() *Lists {
	c.lists.Born = nil // belongs to the version
	return c.lists
}

// complete derives the log and the locations from the version.
func (c *Checkpoint) complete() {
	l, s := c.lists, c.store
	l.Log(s.Log)
	if len(l.Where) == c.ids {
		return
	}
	if cap(l.Where) < c.ids {
		l.Where = mem.Fresh[soa.Location](nil, c.ids)
	}
	l.Where = l.Where[:c.ids]
	for slot, n := range s.Packets.Counts {
		for lane, id := range s.Packets.IDs[slot][:n] {
			l.Where[id] = soa.MakeLocation(uint32(slot), lane)
		}
	}
	next := soa.NoLocation
	for k := range c.chain {
		id := c.chain[len(c.chain)-1-k]
		l.Where[id] = next
		next = soa.Location(id)
	}
}
