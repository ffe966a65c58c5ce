package interest

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// previous holds the objects as of the last update, by ID.
type previous struct {
	records []record
	spheres [][4]float32      // no rows until an object has one
	turned  []soa.OrientedBox // likewise
	live    int               // number of records with an object
	mark    uint32            // the mark of the last reading of all objects: isMarked or 0
}

// record is an object.
type record struct {
	box   soa.AABB
	mask  uint32
	flags uint32
	born  uint64 // number of the change that inserted it
}

const (
	isLive   uint32 = 1 << iota // the record has an object
	isStatic                    // it is static
	isRound                     // it has a sphere
	isTurned                    // it has an oriented box
	isMarked                    // mark of the last reading of all objects: see past.mark
)

// state is the current state of an object.
type state struct {
	id     uint32
	object soa.Object
	born   uint64
	sphere [4]float32 // none if the radius is below 0
	turned soa.OrientedBox
	flags  uint32 // isTurned, or 0
}

// reset drops all objects.
func (p *previous) reset() {
	clear(p.records)
	p.live = 0
}

// cover makes room for records of the IDs below n.
func (p *previous) cover(n int) {
	have := len(p.records)
	if n <= have {
		return
	}
	p.records = mem.Resize(p.records, n)
	clear(p.records[have:])
	if len(p.spheres) > 0 {
		p.spheres = mem.Resize(p.spheres, n)
	}
	if len(p.turned) > 0 {
		p.turned = mem.Resize(p.turned, n)
	}
}

// changeKind is the kind of change of an object.
type changeKind uint8

const (
	same    changeKind = iota
	differs            // the same object in another state
	comes              // a new object under a free ID
	ousts              // a new object under the ID of another one
)

// compare returns the kind of change of an object, and the flags of its new record.
func (p *previous) compare(s *state) (flags uint32, what changeKind) {
	r := &p.records[s.id]
	flags = r.flags&isMarked | isLive | s.flags
	if s.object.Static {
		flags |= isStatic
	}
	if s.sphere[3] >= 0 {
		flags |= isRound
	}
	switch {
	case r.flags&isLive == 0:
		return flags, comes
	case r.born != s.born:
		return flags, ousts
	case r.box != s.object.Box || r.mask != s.object.Mask || r.flags != flags ||
		flags&isRound != 0 && p.spheres[s.id] != s.sphere || flags&isTurned != 0 && p.turned[s.id] != s.turned:
		return flags, differs
	}
	return flags, same
}

// write sets the record of an ID to an object.
func (p *previous) write(s *state, flags uint32) {
	r := &p.records[s.id]
	if r.flags&isLive == 0 {
		p.live++
	}
	*r = record{box: s.object.Box, mask: s.object.Mask, flags: flags, born: s.born}
	if flags&isRound != 0 {
		p.spheres = covering(p.spheres, len(p.records))
		p.spheres[s.id] = s.sphere
	}
	if flags&isTurned != 0 {
		p.turned = covering(p.turned, len(p.records))
		p.turned[s.id] = s.turned
	}
}

// covering returns a column with at least n rows.
func covering[T any](col []T, n int) []T {
	if len(col) < n {
		return mem.Resize(col, n)
	}
	return col
}

// isOf reports whether a record is of an object without bounds, which has not become static or moving. It holds for
// most objects.
func (r *record) isOf(o *soa.Object, born uint64) bool {
	flags := isLive
	if o.Static {
		flags |= isStatic
	}
	return r.flags&^isMarked == flags && r.born == born
}
