package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Bodies holds the new boxes of a batch move. One list is used and the others are nil: boxes, or
// bounds (spheres or oriented boxes), which objects get together with the smallest boxes that hold
// them.
type Bodies struct {
	Boxes    []soa.AABB
	Spheres  [][4]float32
	Oriented []soa.OrientedBox
}

func (b *Bodies) len() int { return len(b.Boxes) + len(b.Spheres) + len(b.Oriented) }

// part returns bodies i to end-1.
func (b *Bodies) part(i, end int) (p Bodies) {
	switch {
	case b.Spheres != nil:
		p.Spheres = b.Spheres[i:end]
	case b.Oriented != nil:
		p.Oriented = b.Oriented[i:end]
	default:
		p.Boxes = b.Boxes[i:end]
	}
	return p
}

// NextStride is the number of boxes of bounds that are computed at a time.
const NextStride = 256

// NextBoxes returns the boxes of bodies i to end-1. Boxes of bounds are computed, at most
// NextStride at a time, and valid until the next call.
func (t *Tree) NextBoxes(b *Bodies, i, end int) []soa.AABB {
	if b.Spheres == nil && b.Oriented == nil {
		return b.Boxes[i:end]
	}
	part := mem.Fresh(t.Buffers().boxes, NextStride)
	t.Buffers().boxes = part
	if b.Spheres != nil {
		build.BallBoxes(part[:end-i], b.Spheres[i:end])
	} else {
		for k := range part[:end-i] {
			part[k] = b.Oriented[i+k].Box()
		}
	}
	return part[:end-i]
}

// SurveyBodies is build.Survey for the boxes of bodies: bad is the index of the first invalid body,
// negative if there is none.
func (t *Tree) SurveyBodies(b *Bodies) (centres, union [6]float32, bad int) {
	if b.Spheres == nil && b.Oriented == nil {
		return build.Survey(soa.BoxWords(b.Boxes), 6, len(b.Boxes))
	}
	centres, union, _ = build.Survey(nil, 6, 0)
	for i := 0; i < b.len(); i += NextStride {
		end := min(i+NextStride, b.len())
		boxes := t.NextBoxes(b, i, end)
		c, u, bad := build.Survey(soa.BoxWords(boxes), 6, len(boxes))
		for k := range boxes {
			if k == bad || b.Spheres != nil && !(b.Spheres[i+k][3] >= 0) || b.Oriented != nil && b.Oriented[i+k].Check() != nil {
				return centres, union, i + k
			}
		}
		for k := 0; k < 6; k += 2 {
			centres[k], centres[k+1] = min(centres[k], c[k]), max(centres[k+1], c[k+1])
			union[k], union[k+1] = min(union[k], u[k]), max(union[k+1], u[k+1])
		}
	}
	return centres, union, -1
}
