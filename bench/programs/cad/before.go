package cad

import (
	_ "embed"

	"github.com/zoctree/zoctree/linear"
)

// Before is the source of Copies.
//
//go:embed before.go
var Before string

// Copies is the picker before the move: the triangles of every part in the world, and a box around each part.
type Copies struct {
	assembly  Assembly
	boxes     []linear.AABB
	triangles [][]Triangle
}

// NewCopies transforms every part.
func NewCopies(a Assembly) (*Copies, error) {
	c := &Copies{assembly: a}
	for i, part := range a.Parts {
		c.boxes = append(c.boxes, linear.AABB{})
		c.triangles = append(c.triangles, make([]Triangle, len(a.Shapes[part.Shape])))
		c.Move(i, part.At)
	}
	return c, nil
}

// Move places a part anew.
func (c *Copies) Move(part int, at linear.Transform) error {
	box := linear.EmptyBox()
	for i, t := range c.assembly.Shapes[c.assembly.Parts[part].Shape] {
		c.triangles[part][i] = moved(t, at)
		box = box.Union(bounds(c.triangles[part][i]))
	}
	c.boxes[part] = box
	return nil
}

// Pick returns the first triangle that a ray hits.
func (c *Copies) Pick(origin, dir [3]float32) (best Pick, ok bool, err error) {
	for part, box := range c.boxes {
		if !meets(origin, dir, box) {
			continue
		}
		for i, t := range c.triangles[part] {
			if dist, hit := enters(origin, dir, t); hit {
				if p := (Pick{part, i, dist}); !ok || p.before(best) {
					best, ok = p, true
				}
			}
		}
	}
	return best, ok, nil
}

// meets reports whether a ray hits a box, by its slabs.
func meets(origin, dir [3]float32, box linear.AABB) bool {
	from, to := float32(0), float32(1e30)
	for d := range origin {
		a, b := (box.Min[d]-origin[d])/dir[d], (box.Max[d]-origin[d])/dir[d]
		from, to = max(from, min(a, b)), min(to, max(a, b))
	}
	return from <= to
}
