package soa

// A bound is a volume that contains the object, in addition to its box: a bounding sphere or an
// oriented box. Each kind has a column of its own, which is either in use or has no rows. This file
// holds the operations on all kinds of bounds.

// Bounded reports whether a column of bounds is in use.
func (c *PacketColumns) Bounded() bool { return len(c.Spheres)+len(c.OrientedBoxes) > 0 }

// UseBoundsOf puts the same columns of bounds in use as in p, with no bound set in any lane.
func (c *PacketColumns) UseBoundsOf(p *PacketColumns) {
	c.forgetBounds()
	if len(p.Spheres) > 0 {
		c.UseSpheres()
	}
	if len(p.OrientedBoxes) > 0 {
		c.UseOriented()
	}
}

// forgetBounds takes all columns of bounds out of use.
func (c *PacketColumns) forgetBounds() {
	c.Spheres, c.OrientedBoxes = c.Spheres[:0], c.OrientedBoxes[:0]
}

// CopyBounds replaces the bounds of a lane by the bounds of a lane of p, which may be c. Columns
// that the source object needs must be in use in c.
func (c *PacketColumns) CopyBounds(to uint32, toLane int, p *PacketColumns, from uint32, lane int) {
	if len(c.Spheres) > 0 {
		c.DropSphere(to, toLane)
		if s, ok := p.Sphere(from, lane); ok {
			c.SetSphere(to, toLane, s)
		}
	}
	if len(c.OrientedBoxes) > 0 {
		c.DropOriented(to, toLane)
		if b, ok := p.Oriented(from, lane); ok {
			c.SetOriented(to, toLane, &b)
		}
	}
}

// DropBounds removes all bounds of a lane.
func (c *PacketColumns) DropBounds(slot uint32, lane int) {
	c.DropSphere(slot, lane)
	c.DropOriented(slot, lane)
}

// clearBounds removes the bounds of all lanes of a slot.
func (c *PacketColumns) clearBounds(slot uint32) {
	if len(c.Spheres) > 0 {
		c.Spheres[slot] = noSpheres
	}
	if len(c.OrientedBoxes) > 0 {
		c.clearOriented(slot)
	}
}

// copyBoundsRow copies the bounds of a slot of p, in which every column of bounds that c uses must
// be in use.
func (c *PacketColumns) copyBoundsRow(to uint32, p *PacketColumns, from uint32) {
	if len(c.Spheres) > 0 {
		c.Spheres[to] = p.Spheres[from]
	}
	if len(c.OrientedBoxes) > 0 {
		c.OrientedBoxes[to] = p.OrientedBoxes[from]
	}
}
