package occlude

import (
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/linear"
)

// The depth buffer is a maximum over occluders, so a single occluder cannot be removed. When a tree has
// changed since its occluders were drawn, the occluders of all trees are removed at once: the buffer is reset
// to the occluders drawn by the program. A copy of these is kept once there are occluders of both kinds. The
// query then draws the occluders at their current positions.

// layers separates the occluders of trees in the buffer from those drawn by the program.
type layers struct {
	trees   bool          // the buffer, or a cone that waits, has occluders of trees
	waiting bool          // the cones that wait are occluders of trees; else drawn by the program
	kept    bool          // base holds all occluders drawn by the program, except cones that wait
	base    depth.Picture // first level only
}

// clear resets the layers for a cleared buffer.
func (l *layers) clear() { l.trees, l.waiting, l.kept = false, false, false }

// sourcesMax is the maximum number of trees and scenes whose stamps are remembered.
const sourcesMax = 1024

// renew begins a query of a tree or scene with this stamp. It removes the occluders of trees from the buffer
// if the tree or scene was queried before in another state.
func (c *Culler) renew(of linear.Stamp) {
	for _, s := range c.asked {
		if s.Source == of.Source {
			if s != of {
				c.redraw()
				c.asked = append(c.asked, of)
			}
			return
		}
	}
	if len(c.asked) == sourcesMax {
		c.redraw()
	}
	c.asked = append(c.asked, of)
}

// redraw begins a new frame of the same camera with the occluders drawn by the program.
func (c *Culler) redraw() {
	c.begins()
	l := &c.layers
	if !l.trees {
		return
	}
	if l.waiting {
		c.cones = c.cones[:0]
	} else {
		c.draw() // into base, too
	}
	l.trees, l.waiting = false, false
	if !l.kept {
		c.open, c.flat, c.stale = true, false, true
		return
	}
	copyDepths(&c.depth, &l.base)
	c.flat = true
}

// begins begins a frame: the next query is its first.
func (c *Culler) begins() {
	c.asked, c.answers = c.asked[:0], 0
	c.rest.beginFrame()
}

// forTrees prepares for drawing occluders of trees.
func (c *Culler) forTrees() {
	l := &c.layers
	if l.waiting {
		return
	}
	c.draw()
	l.waiting = true
	if l.trees {
		return
	}
	l.trees = true
	if !l.kept && !c.open {
		l.resize(&c.frame)
		copyDepths(&l.base, &c.depth)
		l.kept = true
	}
}

// forHand prepares for drawing occluders that are not of trees.
func (c *Culler) forHand() {
	l := &c.layers
	if l.waiting {
		c.draw()
		l.waiting = false
	}
	if !l.trees {
		l.kept = false // base will lack the next drawings
	}
}

// baseToo returns the buffer into which waiting cones are drawn as well, nil if there is none. It creates the
// base if the cones are the first ones drawn by the program.
func (c *Culler) baseToo() *depth.Picture {
	l := &c.layers
	if !l.trees || l.waiting {
		return nil
	}
	if !l.kept {
		l.resize(&c.frame)
		l.base.Clear(c.frame.open())
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
func copyDepths(to, from *depth.Picture) {
	l := &from.Levels[0]
	copy(to.Pix[:l.Stride*l.Height], from.Pix[:l.Stride*l.Height])
}
