package occlude

import (
	"fmt"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
)

// buffer is the depth buffer of a frame, with the occluders drawn in it and the cones that wait to be drawn.
//
// The depth buffer is a maximum over occluders, so a single occluder cannot be removed. When a tree has
// changed since its occluders were drawn, the occluders of all trees are removed at once: the buffer is reset
// to the occluders drawn by the program. A copy of these, base, is kept once there are occluders of both
// kinds. The query then draws the occluders at their current positions.
type buffer struct {
	frame   *frame // of the Culler
	picture depth.Picture
	cones   []depth.Cone // cones to draw
	byHand  int          // number of occluders drawn by the program since SetCamera
	open    bool         // nothing has been drawn since SetCamera
	flat    bool         // the pyramid lacks the last drawings
	stale   bool         // the buffer has not been cleared since SetCamera

	trees   bool          // the buffer, or a cone that waits, has occluders of trees
	waiting bool          // the cones that wait are occluders of trees; else drawn by the program
	kept    bool          // base holds all occluders drawn by the program, except cones that wait
	base    depth.Picture // first level only

	hull hullPoints
	mesh meshDraw

	workers   int
	team      team.Team
	drawBands func(i int)    // drawBand, bound once
	drawTiles func(i int)    // drawMeshTiles, bound once
	drawTo    *depth.Picture // of drawBand
}

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
	b := &c.buffer
	b.forHand()
	for i := range boxes {
		if b.add(b.frame.boxCone(b.next(), &boxes[i])) {
			b.byHand++
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
	b := &c.buffer
	b.forHand()
	var identity linear.Transform
	for i := range hulls {
		transform := &identity
		if transforms != nil {
			transform = &transforms[i]
		}
		b.hull.set(b.frame, &hulls[i], (*xform.Transform)(transform))
		if b.add(b.frame.hullCone(b.next(), &b.hull)) {
			b.byHand++
		}
	}
	b.hull.hull = nil // holds memory of the caller
}

// begin begins a frame. resized is set if the frame has another size than the last one.
func (b *buffer) begin(resized bool) {
	if resized {
		b.picture.Resize(b.frame.width, b.frame.height)
	}
	b.cones, b.byHand, b.open, b.flat, b.stale = b.cones[:0], 0, true, false, true
	b.trees, b.waiting, b.kept = false, false, false
}

// pending is the maximum number of cones that wait to be drawn together.
const pending = 64

// next returns room for a cone, which counts once it is added.
func (b *buffer) next() *depth.Cone {
	if b.cones == nil {
		b.cones = make([]depth.Cone, 0, pending)
	}
	return &b.cones[:len(b.cones)+1][len(b.cones)]
}

// add adds the cone that next returned to the waiting cones, if it was made, and reports whether it was.
func (b *buffer) add(made bool) bool {
	if made {
		b.cones = b.cones[:len(b.cones)+1]
		b.open = false
		if len(b.cones) == cap(b.cones) {
			b.draw()
		}
	}
	return made
}

// draw draws the waiting cones.
func (b *buffer) draw() {
	if len(b.cones) == 0 {
		return
	}
	b.clear()
	defer phase.Enter(phase.Draw).Leave() // workers start in this phase
	b.drawTo = &b.picture
	b.team.Run(b.workers, b.drawBands, nil)
	if b.drawTo = b.baseToo(); b.drawTo != nil {
		b.team.Run(b.workers, b.drawBands, nil)
	}
	b.cones = b.cones[:0]
	b.flat = true
}

// drawBand draws the rows of a worker.
func (b *buffer) drawBand(i int) {
	n, h := b.workers, b.frame.height
	depth.DrawCones(b.drawTo, b.cones, i*h/n, (i+1)*h/n)
}

// clear clears the buffer before its first use since SetCamera.
func (b *buffer) clear() {
	if b.stale {
		b.picture.Clear(b.frame.open())
		b.stale = false
	}
}

// settle draws the waiting cones, builds the pyramid, and returns the depth buffer. It returns nil, and leaves a
// stale buffer as it is, if nothing has been drawn.
func (b *buffer) settle() *depth.Picture {
	if b.open {
		return nil
	}
	b.clear()
	if b.draw(); b.flat {
		defer phase.Enter(phase.Pyramid).Leave()
		depth.Pyramid(&b.picture)
		b.flat = false
	}
	return &b.picture
}

// removeTrees removes the occluders of trees.
func (b *buffer) removeTrees() {
	if !b.trees {
		return
	}
	if b.waiting {
		b.cones = b.cones[:0]
	} else {
		b.draw() // into base, too
	}
	b.trees, b.waiting = false, false
	if !b.kept {
		b.open, b.flat, b.stale = true, false, true
		return
	}
	copyDepths(&b.picture, &b.base)
	b.flat = true
}

// forTrees prepares for drawing occluders of trees.
func (b *buffer) forTrees() {
	if b.waiting {
		return
	}
	b.draw()
	b.waiting = true
	if b.trees {
		return
	}
	b.trees = true
	if !b.kept && !b.open {
		b.resizeBase()
		copyDepths(&b.base, &b.picture)
		b.kept = true
	}
}

// forHand prepares for drawing occluders that are not of trees.
func (b *buffer) forHand() {
	if b.waiting {
		b.draw()
		b.waiting = false
	}
	if !b.trees {
		b.kept = false // base will lack the next drawings
	}
}

// baseToo returns the buffer into which waiting cones are drawn as well, nil if there is none. It creates the
// base if the cones are the first ones drawn by the program.
func (b *buffer) baseToo() *depth.Picture {
	if !b.trees || b.waiting {
		return nil
	}
	if !b.kept {
		b.resizeBase()
		b.base.Clear(b.frame.open())
		b.kept = true
	}
	return &b.base
}

// resizeBase gives the base the size of the buffer.
func (b *buffer) resizeBase() {
	if b.base.N == 0 || b.base.Width() != b.frame.width || b.base.Height() != b.frame.height {
		b.base.Resize(b.frame.width, b.frame.height)
	}
}

// covered returns the number of covered pixels.
func (b *buffer) covered() (n int) {
	picture := b.settle()
	if picture == nil {
		return 0
	}
	open := b.frame.open()
	for y := range b.frame.height {
		for _, v := range picture.Row(y) {
			if v != open {
				n++
			}
		}
	}
	return n
}

// copyDepths copies the first level of a buffer of the same size.
func copyDepths(to, from *depth.Picture) {
	l := &from.Levels[0]
	copy(to.Pix[:l.Stride*l.Height], from.Pix[:l.Stride*l.Height])
}
