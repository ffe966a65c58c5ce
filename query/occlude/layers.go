package occlude

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
)

// The depth buffer is a maximum over occluders, so a single occluder cannot be removed. When a tree has
// changed since its occluders were drawn, the occluders of all trees are removed at once: the buffer is reset
// to the occluders drawn by the program. A copy of these is kept once there are occluders of both kinds. The
// query then draws the occluders at their current positions.

// layers separates the occluders of trees in the buffer from those drawn by the program.
type layers struct {
	trees   bool        // the buffer, or a cone that waits, has occluders of trees
	waiting bool        // the cones that wait are occluders of trees; else drawn by the program
	kept    bool        // base holds all occluders drawn by the program, except cones that wait
	base    asm.Picture // first level only
}

// clear resets the layers for a cleared buffer.
func (l *layers) clear() { l.trees, l.waiting, l.kept = false, false, false }

// sourcesMax is the maximum number of trees and scenes whose stamps are remembered.
const sourcesMax = 1024

// renew begins a query of a tree or scene with this stamp. It removes the occluders of trees from the buffer
// if the tree or scene was queried before in another state.
func (e *Culler) renew(of linear.Stamp) {
	for _, s := range e.asked {
		if s.Source == of.Source {
			if s != of {
				e.redraw()
				e.asked = append(e.asked, of)
			}
			return
		}
	}
	if len(e.asked) == sourcesMax {
		e.redraw()
	}
	e.asked = append(e.asked, of)
}

// redraw begins a new frame of the same camera with the occluders drawn by the program.
func (e *Culler) redraw() {
	e.begins()
	l := &e.layers
	if !l.trees {
		return
	}
	if l.waiting {
		e.cones = e.cones[:0]
	} else {
		e.draw() // into base, too
	}
	l.trees, l.waiting = false, false
	if !l.kept {
		e.open, e.flat, e.stale = true, false, true
		return
	}
	copyDepths(&e.depth, &l.base)
	e.flat = true
}

// begins begins a frame: the next query is its first.
func (e *Culler) begins() {
	e.asked, e.answers = e.asked[:0], 0
	e.rest.look()
}

// forTrees prepares for drawing occluders of trees.
func (e *Culler) forTrees() {
	l := &e.layers
	if l.waiting {
		return
	}
	e.draw()
	l.waiting = true
	if l.trees {
		return
	}
	l.trees = true
	if !l.kept && !e.open {
		l.resize(&e.frame)
		copyDepths(&l.base, &e.depth)
		l.kept = true
	}
}

// forHand prepares for drawing occluders that are not of trees.
func (e *Culler) forHand() {
	l := &e.layers
	if l.waiting {
		e.draw()
		l.waiting = false
	}
	if !l.trees {
		l.kept = false // base will lack the next drawings
	}
}

// baseToo returns the buffer into which waiting cones are drawn as well, nil if there is none. It creates the
// base if the cones are the first ones drawn by the program.
func (e *Culler) baseToo() *asm.Picture {
	l := &e.layers
	if !l.trees || l.waiting {
		return nil
	}
	if !l.kept {
		l.resize(&e.frame)
		l.base.Clear(e.frame.open())
		l.kept = true
	}
	return &l.base
}

// resize gives the base the size of the buffer.
func (l *layers) resize(f *frame) {
	if l.base.N == 0 || l.base.Width() != f.width || l.base.Height() != f.height {
		l.base.Resize(f.width, f.height)
	}
}

// copyDepths copies the first level of a buffer of the same size.
func copyDepths(to, from *asm.Picture) {
	l := &from.Levels[0]
	copy(to.Pix[:l.Stride*l.Height], from.Pix[:l.Stride*l.Height])
}
