package interest

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// past is what the objects were at the last update, by ID.
type past struct {
	records []record
	spheres [][4]float32      // no rows until an object has one
	turned  []soa.OrientedBox // the same of oriented boxes
	live    int               // records of objects
	mark    uint32            // isMarked, or not: as all of them were marked last
}

// record is an object.
type record struct {
	box   soa.AABB
	mask  uint32
	flags uint32
	born  uint64 // the number of the change that inserted it
}

const (
	isLive   uint32 = 1 << iota // there is an object
	isStatic                    // it is static
	isRound                     // it has a sphere
	isTurned                    // it has an oriented box
	isMarked                    // it has been seen, or has not: see past.mark
)

// state is what an object is now.
type state struct {
	id     uint32
	object soa.Object
	born   uint64
	sphere [4]float32 // a radius below 0: none
	turned soa.OrientedBox
	flags  uint32 // isTurned, or 0
}

// reset forgets all objects.
func (p *past) reset() {
	clear(p.records)
	p.live = 0
}

// cover has a record for each ID below n.
func (p *past) cover(n int) {
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

// took says what there is to tell of an object.
type took uint8

const (
	same    took = iota
	differs      // it is the same object in another state
	comes        // it is another object, and there was none
	ousts        // it is another object, and there was one
)

// compare tells what there is to tell of an object, and with which flags it is to be written.
func (p *past) compare(s *state) (flags uint32, what took) {
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

// write makes the record of an ID that of an object.
func (p *past) write(s *state, flags uint32) {
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

// covering returns a column with n rows.
func covering[T any](col []T, n int) []T {
	if len(col) < n {
		return mem.Resize(col, n)
	}
	return col
}

// unchanged reports, for most objects at little cost, that compare would find nothing.
func (r *record) unchanged(o *soa.Object, born uint64) bool {
	flags := isLive
	if o.Static {
		flags |= isStatic
	}
	return r.flags&^isMarked == flags && r.box == o.Box && r.mask == o.Mask && r.born == born
}
