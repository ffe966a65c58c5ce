package soa

import "github.com/zoctree/zoctree/internal/mem"

// The column of type masks has no rows while all objects have the same mask, which is then in the field Mask.

// MaskAt returns the type mask of the object in a lane.
func (c *PacketColumns) MaskAt(slot uint32, lane int) uint32 {
	if len(c.Masks) == 0 {
		return c.Mask
	}
	return c.Masks[slot][lane]
}

// Masked reports whether the column of type masks is in use: objects may have different masks.
func (c *PacketColumns) Masked() bool { return c.masked || len(c.Masks) > 0 }

// UseMasks puts the column of type masks in use, unless it is. Every object gets the mask of the field Mask, which
// becomes 0. The time is proportional to the number of packets. Slots added later have rows, too.
func (c *PacketColumns) UseMasks() {
	if c.Masked() {
		return
	}
	c.masked = true
	c.Masks = mem.FreshWithRoom(c.Masks, len(c.Counts), cap(c.Counts)-len(c.Counts))
	for slot, n := range c.Counts {
		row := &c.Masks[slot]
		*row = [Lanes]uint32{}
		for l := range row[:n] {
			row[l] = c.Mask
		}
	}
	c.Mask = 0
}

// FreshMasks puts the column of type masks in use for n slots, as [PacketColumns.Fresh] does for other columns.
func (c *PacketColumns) FreshMasks(n, more int) {
	c.Masks, c.masked, c.Mask = mem.FreshWithRoom(c.Masks, n, more), true, 0
}

// DropMasks takes the column of type masks out of use and keeps its memory: every object has the mask.
func (c *PacketColumns) DropMasks(mask uint32) { c.Masks, c.masked, c.Mask = c.Masks[:0], false, mask }

// UniformMask returns the type mask of all objects, and true, or false if two objects have different ones. Without
// objects in a column the mask is 0. The time is proportional to the number of packets.
func (c *PacketColumns) UniformMask() (mask uint32, uniform bool) {
	if len(c.Masks) == 0 {
		return c.Mask, true
	}
	some := false
	for slot, n := range c.Counts {
		for _, m := range c.Masks[slot][:n] {
			if !some {
				mask, some = m, true
			}
			if m != mask {
				return 0, false
			}
		}
	}
	return mask, true
}

// UseColumnsOf puts the same optional columns in use as in p: masks, with unspecified contents, and bounds, with none
// set, as [PacketColumns.UseBoundsOf] does.
func (c *PacketColumns) UseColumnsOf(p *PacketColumns) {
	c.Mask, c.masked = p.Mask, p.Masked()
	if c.masked {
		c.Masks = mem.Fresh(c.Masks, len(c.Counts))
	} else {
		c.Masks = c.Masks[:0]
	}
	c.UseBoundsOf(p)
}
