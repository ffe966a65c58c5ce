package occlude

import (
	"fmt"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// DrawBoxes draws boxes as occluders until the next SetCamera; they need not be objects. A box that is not
// finite or is inverted is an error, which names the box; no box is drawn then. A box that contains the eye
// is not drawn, nor is a box that is too far away or too small to cover a pixel. For oriented boxes use
// hulls.
//
// The depth buffer does not depend on the order of drawing.
func (c *Culler) DrawBoxes(boxes ...linear.AABB) error {
	c.checkCamera()
	for i := range boxes {
		if err := boxes[i].Check(); err != nil {
			return fault.Errorf("occlude: box %d of %d: %w", i, len(boxes), err)
		}
	}
	defer phase.Enter(phase.Cones).Leave()
	c.forHand()
	for i := range boxes {
		if c.frame.drawBox(c.next(), &boxes[i]) {
			c.take()
			c.byHand++
		}
	}
	return nil
}

// DrawHulls draws hulls as occluders until the next SetCamera, each under its transform, or untransformed if
// transforms is nil. Transforms of any kind are supported, including reflections. If transforms is not nil
// and its length differs from the number of hulls, DrawHulls panics.
//
// A hull with a corner beyond float32 is not drawn, nor is a hull that contains the eye, is too far away or is
// too small to cover a pixel.
func (c *Culler) DrawHulls(hulls []Hull, transforms []linear.Transform) {
	c.checkCamera()
	if transforms != nil && len(transforms) != len(hulls) {
		panic(fmt.Sprintf("occlude: %d hulls and %d transforms", len(hulls), len(transforms)))
	}
	defer phase.Enter(phase.Cones).Leave()
	c.forHand()
	var identity linear.Transform
	for i := range hulls {
		transform := &identity
		if transforms != nil {
			transform = &transforms[i]
		}
		c.place.set(&c.frame, &hulls[i], (*xform.Transform)(transform))
		if c.frame.drawPlaced(c.next(), &c.place) {
			c.take()
			c.byHand++
		}
	}
	c.place.hull = nil // holds memory of the caller
}

// pending is the maximum number of cones that wait to be drawn together.
const pending = 64

// next returns room for a cone, which counts once it is taken.
func (c *Culler) next() *depth.Cone {
	if c.cones == nil {
		c.cones = make([]depth.Cone, 0, pending)
	}
	return &c.cones[:len(c.cones)+1][len(c.cones)]
}

// take counts the cone that next returned.
func (c *Culler) take() {
	c.cones = c.cones[:len(c.cones)+1]
	c.open = false
	if len(c.cones) == cap(c.cones) {
		c.draw()
	}
}

// draw draws the waiting cones.
func (c *Culler) draw() {
	if len(c.cones) == 0 {
		return
	}
	c.clear()
	defer phase.Enter(phase.Draw).Leave() // workers start in this phase
	c.inBands((*Culler).drawBand)
	if base := c.baseToo(); base != nil {
		c.inBands((*Culler).drawBaseBand)
	}
	c.cones = c.cones[:0]
	c.flat = true
}

// inBands runs work on every worker, each with its number.
func (c *Culler) inBands(work func(c *Culler, i int)) {
	c.work = work
	c.team.Run(c.cfg.Workers, c.band, nil)
}

// drawBand draws the rows of a worker.
func (c *Culler) drawBand(i int) {
	n, h := c.cfg.Workers, c.frame.height
	depth.DrawCones(&c.depth, c.cones, i*h/n, (i+1)*h/n)
}

// drawBaseBand draws the same rows in the base, which has only the occluders drawn by the program.
func (c *Culler) drawBaseBand(i int) {
	n, h := c.cfg.Workers, c.frame.height
	depth.DrawCones(&c.layers.base, c.cones, i*h/n, (i+1)*h/n)
}

// clear clears the buffer before its first use since SetCamera.
func (c *Culler) clear() {
	if c.stale {
		c.depth.Clear(c.frame.open())
		c.stale = false
	}
}

// settle draws the waiting cones and builds the pyramid.
func (c *Culler) settle() {
	c.clear()
	if c.draw(); c.flat {
		defer phase.Enter(phase.Pyramid).Leave()
		depth.Pyramid(&c.depth)
		c.flat = false
	}
}

// visible returns the depth buffer, nil if it is empty.
func (c *Culler) visible() *depth.Picture {
	if c.open {
		return nil
	}
	c.settle()
	return &c.depth
}

// drawLocations draws the occluders at locations of a tree.
func (c *Culler) drawLocations(p *soa.PacketColumns, places []uint32) {
	if len(places) == 0 {
		return
	}
	defer phase.Enter(phase.Cones).Leave()
	c.forTrees()
	for _, place := range places {
		c.drawLocation(p, soa.Location(place).Slot(), soa.Location(place).Lane())
	}
}

// drawLocation draws the occluder in a lane of a packet: its oriented box if it has one, nothing if it has only
// a sphere, else its box.
func (c *Culler) drawLocation(p *soa.PacketColumns, slot uint32, lane int) {
	if b, ok := p.Oriented(slot, lane); ok {
		if c.place.setOriented(&c.frame, &b); c.frame.drawPlaced(c.next(), &c.place) {
			c.take()
		}
		return
	}
	if _, ok := p.Sphere(slot, lane); ok {
		return
	}
	if b := p.Box(slot, lane); c.frame.drawBox(c.next(), &b) {
		c.take()
	}
}
