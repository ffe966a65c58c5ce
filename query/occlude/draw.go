package occlude

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// DrawBoxes draws boxes as occluders until the next SetCamera; they need not be objects. A box that is not
// finite or is inverted is an error, which names the box; no box is drawn then. A box that contains the eye
// is not drawn, nor is a box that is too far away or too small to cover a pixel. For oriented boxes use
// hulls.
//
// The depth buffer does not depend on the order of drawing.
func (e *Culler) DrawBoxes(boxes ...soa.AABB) error {
	e.checkCamera()
	for i := range boxes {
		if err := boxes[i].Check(); err != nil {
			return fault.Errorf("occlude: box %d of %d: %w", i, len(boxes), err)
		}
	}
	defer phase.Enter(phase.Cones).Leave()
	e.forHand()
	for i := range boxes {
		if e.frame.drawBox(e.next(), &boxes[i]) {
			e.take()
			e.byHand++
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
func (e *Culler) DrawHulls(hulls []Hull, transforms []linear.Transform) {
	e.checkCamera()
	if transforms != nil && len(transforms) != len(hulls) {
		panic(fmt.Sprintf("occlude: %d hulls and %d transforms", len(hulls), len(transforms)))
	}
	defer phase.Enter(phase.Cones).Leave()
	e.forHand()
	var identity linear.Transform
	for i := range hulls {
		transform := &identity
		if transforms != nil {
			transform = &transforms[i]
		}
		e.place.set(&e.frame, &hulls[i], transform)
		if e.frame.drawPlaced(e.next(), &e.place) {
			e.take()
			e.byHand++
		}
	}
	e.place.hull = nil // holds memory of the caller
}

// pending is the maximum number of cones that wait to be drawn together.
const pending = 64

// next returns room for a cone, which counts once it is taken.
func (e *Culler) next() *asm.Cone {
	if e.cones == nil {
		e.cones = make([]asm.Cone, 0, pending)
	}
	return &e.cones[:len(e.cones)+1][len(e.cones)]
}

// take counts the cone that next returned.
func (e *Culler) take() {
	e.cones = e.cones[:len(e.cones)+1]
	e.open = false
	if len(e.cones) == cap(e.cones) {
		e.draw()
	}
}

// draw draws the waiting cones.
func (e *Culler) draw() {
	if len(e.cones) == 0 {
		return
	}
	e.clear()
	defer phase.Enter(phase.Draw).Leave() // workers start in this phase
	e.inBands((*Culler).drawBand)
	if base := e.baseToo(); base != nil {
		e.inBands((*Culler).drawBaseBand)
	}
	e.cones = e.cones[:0]
	e.flat = true
}

// inBands runs work on every worker, each with its number.
func (e *Culler) inBands(work func(e *Culler, i int)) {
	e.work = work
	e.team.Run(e.cfg.Workers, e.band, nil)
}

// drawBand draws the rows of a worker.
func (e *Culler) drawBand(i int) {
	n, h := e.cfg.Workers, e.frame.height
	asm.DrawCones(&e.depth, e.cones, i*h/n, (i+1)*h/n)
}

// drawBaseBand draws the same rows in the base, which has only the occluders drawn by the program.
func (e *Culler) drawBaseBand(i int) {
	n, h := e.cfg.Workers, e.frame.height
	asm.DrawCones(&e.layers.base, e.cones, i*h/n, (i+1)*h/n)
}

// clear clears the buffer before its first use since SetCamera.
func (e *Culler) clear() {
	if e.stale {
		e.depth.Clear(e.frame.open())
		e.stale = false
	}
}

// settle draws the waiting cones and builds the pyramid.
func (e *Culler) settle() {
	e.clear()
	if e.draw(); e.flat {
		defer phase.Enter(phase.Pyramid).Leave()
		asm.Pyramid(&e.depth)
		e.flat = false
	}
}

// visible returns the depth buffer, nil if it is empty.
func (e *Culler) visible() *asm.Picture {
	if e.open {
		return nil
	}
	e.settle()
	return &e.depth
}

// drawPlaces draws the occluders at locations of a tree.
func (e *Culler) drawPlaces(p *soa.PacketColumns, places []uint32) {
	if len(places) == 0 {
		return
	}
	defer phase.Enter(phase.Cones).Leave()
	e.forTrees()
	for _, place := range places {
		e.drawPlace(p, soa.Location(place).Slot(), soa.Location(place).Lane())
	}
}

// drawPlace draws the occluder in a lane of a packet: its oriented box if it has one, nothing if it has only
// a sphere, else its box.
func (e *Culler) drawPlace(p *soa.PacketColumns, slot uint32, lane int) {
	if b, ok := p.Oriented(slot, lane); ok {
		if e.place.setOriented(&e.frame, &b); e.frame.drawPlaced(e.next(), &e.place) {
			e.take()
		}
		return
	}
	if _, ok := p.Sphere(slot, lane); ok {
		return
	}
	if b := p.Box(slot, lane); e.frame.drawBox(e.next(), &b) {
		e.take()
	}
}
