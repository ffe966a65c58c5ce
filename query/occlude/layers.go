package occlude

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
)

// The picture is a maximum over solids, from which none can be removed. When what is asked
// about has changed since it was drawn, the solids of all trees are removed at once: the
// picture becomes that of what is drawn by hand, which is kept beside it once there are
// solids of both kinds. The answer then draws the solids as they are now.

// layers tells the solids of trees in the picture from those that are drawn by hand.
type layers struct {
	trees   bool        // the picture, or what waits, has solids of trees
	waiting bool        // what waits to be drawn are solids of trees; else it is drawn by hand
	kept    bool        // base has all that is drawn by hand, but for what waits
	base    asm.Picture // its first level alone
}

// clear makes the layers those of a cleared picture.
func (l *layers) clear() { l.trees, l.waiting, l.kept = false, false, false }

// sourcesMost is the number of trees and scenes whose stamps are remembered.
const sourcesMost = 1024

// renew begins an answer about what has that stamp. It removes the solids of trees from the
// picture if the tree or scene has been asked about in another state.
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
	if len(e.asked) == sourcesMost {
		e.redraw()
	}
	e.asked = append(e.asked, of)
}

// redraw begins a new frame of the same camera, with what was drawn by hand.
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
	copyDepths(&e.picture, &l.base)
	e.flat = true
}

// begins begins a frame, in which the next answer is the first one.
func (e *Culler) begins() {
	e.asked, e.answers = e.asked[:0], 0
	e.rest.look()
}

// forTrees makes ready to draw solids of trees.
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
		copyDepths(&l.base, &e.picture)
		l.kept = true
	}
}

// forHand makes ready to draw by hand.
func (e *Culler) forHand() {
	l := &e.layers
	if l.waiting {
		e.draw()
		l.waiting = false
	}
	if !l.trees {
		l.kept = false // base will lack what is drawn now
	}
}

// baseToo returns the picture in which what waits is drawn, too: nil if there is none. It
// is made if what waits is the first to be drawn by hand.
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

// resize gives the base the size of the picture.
func (l *layers) resize(f *frame) {
	if l.base.N == 0 || l.base.Width() != f.width || l.base.Height() != f.height {
		l.base.Resize(f.width, f.height)
	}
}

// copyDepths copies the first level of a picture of the same size.
func copyDepths(to, from *asm.Picture) {
	l := &from.Levels[0]
	copy(to.Pix[:l.Stride*l.Height], from.Pix[:l.Stride*l.Height])
}
