package linear

import (
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Locator maps object IDs to their locations in memory. Make one with [View.Locator].
type Locator struct {
	view  View
	where []soa.Location // location of each live ID; undefined for others
}

// Locator returns a map from object ID to location in the view. The view of a tree shares the tree's own index at
// no cost. For a view without an index the map is written to buf, which grows to the largest ID, in time
// proportional to the objects. The Locator is valid as long as the view; using it later panics. Any number of
// goroutines may read it.
func (v View) Locator(buf *[]Location) Locator {
	p := &v.Store().Packets
	if v.index.IDs != nil {
		return Locator{v, v.index.IDs.Where}
	}
	where := (*buf)[:0]
	for slot := range p.Counts {
		where = octree.AppendLocations(where, p, uint32(slot))
	}
	*buf = where
	return Locator{v, where}
}

// Locate returns the slot and the lane of an object. ok is false when no object of the view has this ID.
func (p *Locator) Locate(id uint32) (slot uint32, lane int, ok bool) {
	return octree.Locate(p.where, &p.view.Store().Packets, id)
}
