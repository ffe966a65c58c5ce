package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Bodies holds the new bodies of the objects of a batch: first boxes, then spheres, then oriented
// boxes. With a sphere or an oriented box an object gets the smallest box that holds it.
type Bodies struct {
	Boxes    []soa.AABB
	Spheres  [][4]float32
	Oriented []soa.OrientedBox
}

// Len returns the number of bodies.
func (b *Bodies) Len() int { return len(b.Boxes) + len(b.Spheres) + len(b.Oriented) }

// Reset empties the lists, and keeps their memory.
func (b *Bodies) Reset() { b.Boxes, b.Spheres, b.Oriented = b.Boxes[:0], b.Spheres[:0], b.Oriented[:0] }

// Bytes returns the memory of the lists in bytes.
func (b *Bodies) Bytes() int {
	return mem.Bytes(b.Boxes) + mem.Bytes(b.Spheres) + mem.Bytes(b.Oriented)
}

// bounded reports whether there are spheres or oriented boxes.
func (b *Bodies) bounded() bool { return len(b.Spheres)+len(b.Oriented) > 0 }

// End returns the end of the run of bodies of one kind from body i on, of at most most bodies.
func (b *Bodies) End(i, most int) int {
	end := len(b.Boxes)
	if i >= end {
		if end += len(b.Spheres); i >= end {
			end += len(b.Oriented)
		}
	}
	return min(i+most, end)
}

// part returns bodies i to end-1, which are of one kind.
func (b *Bodies) part(i, end int) (p Bodies) {
	n := len(b.Boxes)
	switch m := n + len(b.Spheres); {
	case i < n:
		p.Boxes = b.Boxes[i:end]
	case i < m:
		p.Spheres = b.Spheres[i-n : end-n]
	default:
		p.Oriented = b.Oriented[i-m : end-m]
	}
	return p
}

// NextStride is the number of boxes of bounds that are computed at a time.
const NextStride = 256

// NextBoxes returns the boxes of bodies i to end-1, which are of one kind. Boxes of bounds are
// computed, at most NextStride at a time, and valid until the next call.
func (t *Tree) NextBoxes(b *Bodies, i, end int) []soa.AABB {
	if i < len(b.Boxes) {
		return b.Boxes[i:end]
	}
	boxes := mem.Fresh(t.Buffers().boxes, NextStride)
	t.Buffers().boxes = boxes
	boxes = boxes[:end-i]
	if p := b.part(i, end); len(p.Spheres) > 0 {
		build.BallBoxes(boxes, p.Spheres)
	} else {
		for k := range boxes {
			boxes[k] = p.Oriented[k].Box()
		}
	}
	return boxes
}

// SurveyBodies is build.Survey for the boxes of bodies: bad is the index of the first invalid body,
// negative if there is none.
func (t *Tree) SurveyBodies(b *Bodies) (centres, union [6]float32, bad int) {
	centres, union, bad = build.Survey(soa.BoxWords(b.Boxes), 6, len(b.Boxes))
	for i := len(b.Boxes); bad < 0 && i < b.Len(); {
		end := b.End(i, NextStride)
		boxes, part := t.NextBoxes(b, i, end), b.part(i, end)
		c, u, wrong := build.Survey(soa.BoxWords(boxes), 6, len(boxes))
		for k := range boxes {
			if k == wrong || len(part.Spheres) > 0 && !(part.Spheres[k][3] >= 0) || len(part.Oriented) > 0 && part.Oriented[k].Check() != nil {
				return centres, union, i + k
			}
		}
		for k := 0; k < 6; k += 2 {
			centres[k], centres[k+1] = min(centres[k], c[k]), max(centres[k+1], c[k+1])
			union[k], union[k+1] = min(union[k], u[k]), max(union[k+1], u[k+1])
		}
		i = end
	}
	return centres, union, bad
}
