package linear

// bounds checks the bounds of a lane, which holds an object or not.
func (c *checker) bounds(slot uint32, l int, live bool) {
	p := &c.s.Packets
	box := p.Box(slot, l)
	sphere, round := p.Sphere(slot, l)
	oriented, turned := p.Oriented(slot, l)
	if !live {
		if round || turned {
			c.fail("slot %d lane %d is free and has a bound", slot, l)
		}
		return
	}
	if round {
		if err := checkSphere(sphere, box); err != nil {
			c.fail("slot %d lane %d: %v", slot, l, err)
		}
	}
	if turned {
		if err := checkInside(&oriented, box); err != nil {
			c.fail("slot %d lane %d: %v", slot, l, err)
		}
	}
}
