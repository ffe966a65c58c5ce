package scene

import (
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// pairSide is one side of a pair query: the scene, or the contents of an instance at any depth, with
// its transform to the scene.
type pairSide struct {
	view      linear.SceneView
	path      Path
	transform *xform.Transform // in the space of outer
	outer     *pairSide        // nil for the scene itself
	identity  bool             // the transform is the identity
	dirs      [3][3]float64    // images of the axes, of any length; valid after axes
	hasDirs   bool

	all    soa.AABB // bounds of all objects
	own    soa.AABB // bounds of the own objects of a side with instances, valid if hasOwn
	hasOwn bool

	move [3]float64 // motion of the instance of the scene during a step, for impacts
}

// unmoved is the transform of the scene itself.
var unmoved xform.Transform

// top sets a side to the scene itself.
func (s *pairSide) top(v linear.SceneView) {
	*s = pairSide{view: v, transform: &unmoved, identity: true, all: v.Bounds()}
}

// enter sets a side to the contents of an instance of another side. It returns false if it is
// empty.
func (s *pairSide) enter(outer *pairSide, id uint32) bool {
	s.view, _, s.transform = instanceOf(outer.view, id)
	if s.all = s.view.Bounds(); s.all.Min[0] > s.all.Max[0] {
		return false
	}
	s.path, s.outer = outer.path, outer
	s.path.push(id)
	s.identity = s.transform.Kind() == xform.Identity
	s.hasDirs, s.hasOwn = false, false
	return true
}

// axes returns the images of the axes of the side, of any length.
func (s *pairSide) axes() *[3][3]float64 {
	if !s.hasDirs {
		s.hasDirs = true
		s.dirs = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		s.rotate(&s.dirs)
	}
	return &s.dirs
}

// similar reports whether all transforms are similarities.
func (s *pairSide) similar() bool {
	for ; s.outer != nil; s = s.outer {
		if least, most := s.transform.Stretch(); most*(1-0x1p-16) > least {
			return false
		}
	}
	return true
}

// rotate replaces directions by their images in the space of the scene.
func (s *pairSide) rotate(dirs *[3][3]float64) {
	for ; s.outer != nil; s = s.outer {
		if s.transform.Kind() <= xform.Translation {
			continue
		}
		rows := s.transform.Rows()
		for k := range dirs {
			turn(&dirs[k], &rows)
			even(&dirs[k])
		}
	}
}

// out transforms a cell from the space of the side to the space of the scene.
func (s *pairSide) out(c *cell) {
	for ; s.outer != nil; s = s.outer {
		c.out(s.transform)
	}
}

// in transforms a cell from the space of the scene into the space of the side.
func (s *pairSide) in(c *cell) {
	if s.outer != nil {
		s.outer.in(c)
		c.in(s)
	}
}

// ballOut and ballIn transform a ball likewise.
func (s *pairSide) ballOut(b *ball) {
	for ; s.outer != nil; s = s.outer {
		b.out(s)
	}
}

func (s *pairSide) ballIn(b *ball) {
	if s.outer != nil {
		s.outer.ballIn(b)
		b.in(s)
	}
}

// boxQuery returns the query of a finite box.
func boxQuery(b *soa.AABB) query.Box {
	q, _ := query.NewBox(b.Min, b.Max)
	return q
}

// orientedImage returns the image of an oriented box, and of the directions of its edges.
func (s *pairSide) orientedImage(o *soa.OrientedBox) (c cell, dirs [3][3]float64) {
	var solid exact.Solid
	solid.SetOriented(o)
	dirs = solid.Dirs
	s.rotate(&dirs)
	c.setOriented(o)
	s.out(&c)
	return c, dirs
}

// setImage sets the cell to the image of a box in the space of the scene.
func (s *pairSide) setImage(c *cell, b *soa.AABB) {
	if s.outer == nil || s.identity {
		c.set(b)
	} else {
		c.setMoved(b, s.transform)
	}
	if s.outer != nil {
		s.outer.out(c)
	}
}
