package soa

// A bound is what an object is known to be inside of, beside its box: a sphere, or an
// oriented box. Each kind has a column of its own, which is in use or has no rows. What
// is done to all kinds is written here.

// Bounded reports whether a column of bounds is in use.
func (c *PacketColumns) Bounded() bool { return len(c.Spheres)+len(c.OrientedBoxes) > 0 }

// UseBoundsOf has those columns of bounds in use that are so in others, with bounds of no
// object.
func (c *PacketColumns) UseBoundsOf(p *PacketColumns) {
	c.forgetBounds()
	if len(p.Spheres) > 0 {
		c.UseSpheres()
	}
	if len(p.OrientedBoxes) > 0 {
		c.UseOriented()
	}
}

// forgetBounds has no column of bounds in use.
func (c *PacketColumns) forgetBounds() {
	c.Spheres, c.OrientedBoxes = c.Spheres[:0], c.OrientedBoxes[:0]
}

// CopyBounds gives a lane the bounds that an object has in a lane of other columns, or the
// same, and no others. Where those are in use that it has, c has them in use.
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

// DropBounds takes all bounds of a lane away.
func (c *PacketColumns) DropBounds(slot uint32, lane int) {
	c.DropSphere(slot, lane)
	c.DropOriented(slot, lane)
}

// clearBounds takes the bounds of all lanes of a slot away.
func (c *PacketColumns) clearBounds(slot uint32) {
	if len(c.Spheres) > 0 {
		c.Spheres[slot] = noSpheres
	}
	if len(c.OrientedBoxes) > 0 {
		c.clearOriented(slot)
	}
}

// copyBoundsRow gives a slot the bounds of one of other columns, which have those in use
// that c has.
func (c *PacketColumns) copyBoundsRow(to uint32, p *PacketColumns, from uint32) {
	if len(c.Spheres) > 0 {
		c.Spheres[to] = p.Spheres[from]
	}
	if len(c.OrientedBoxes) > 0 {
		c.OrientedBoxes[to] = p.OrientedBoxes[from]
	}
}
