package scene

import "github.com/zoctree/zoctree/soa"

// shape is an object in the space of the scene.
type shape struct {
	id     uint32
	object soa.Object
	image  cell
	bounds bounds // set if bounds count

	end   cell        // image at the end of the step, for impacts
	boxes [2]soa.AABB // of the object in its part, at the start and at the end
	move  [3]float64  // motion of the bounds
}

// set reads the object in a lane of a side.
func (w *join) set(x *shape, s *pairSide, p *soa.PacketColumns, slot uint32, lane int) {
	if x.id = p.IDs[slot][lane]; w.flt.Exact {
		x.bounds.set(s, p, slot, lane)
	}
	x.object = p.Object(slot, lane)
	s.setImage(&x.image, &x.object.Box)
	if w.step.on {
		w.step.set(x, s)
	}
}

// pair adds two objects if they overlap, or are near enough, and pass the filter.
func (w *join) pair(s, t *pairSide, x, y *shape) {
	switch {
	case w.flt.Mask != 0 && y.object.Mask&w.flt.Mask == 0,
		x.object.Static && y.object.Static && !w.flt.StaticPairs,
		w.flt.Layers != nil && !w.collide(x.object.Mask, y.object.Mask),
		!w.step.on && !cellsNear(&x.image, &y.image, s.axes(), t.axes(), w.distance),
		!w.step.on && w.flt.Exact && !touch(s, t, x, y, w.distance):
		return
	}
	p := Pair{w.number, Object{s.path, x.id}, Object{t.path, y.id}}
	if p.A.Compare(p.B) > 0 {
		p.A, p.B = p.B, p.A
	}
	if !w.step.on {
		w.out = append(w.out, p)
	} else if time, ok := impact(s, t, x, y, w.flt.Exact); ok {
		w.step.found = append(w.step.found, Impact{p.A, p.B, float32(time)})
	}
}

// collide reports whether a layer of one mask and one of the other accept each other.
func (w *join) collide(a, b uint32) bool {
	for c := range w.accepts {
		if a>>c&1 != 0 && w.accepts[c]&b != 0 {
			return true
		}
	}
	return false
}
