package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// bodies holds the new boxes of a batch move. One list is used and the others are nil: boxes, or
// bounds (spheres or oriented boxes), which objects get together with the smallest boxes that hold
// them.
type bodies struct {
	boxes    []soa.AABB
	spheres  [][4]float32
	oriented []soa.OrientedBox
}

func (b *bodies) len() int { return len(b.boxes) + len(b.spheres) + len(b.oriented) }

// part returns bodies i to end-1.
func (b *bodies) part(i, end int) (p bodies) {
	switch {
	case b.spheres != nil:
		p.spheres = b.spheres[i:end]
	case b.oriented != nil:
		p.oriented = b.oriented[i:end]
	default:
		p.boxes = b.boxes[i:end]
	}
	return p
}

// nextStride is the number of boxes of bounds that are computed at a time.
const nextStride = 256

// nextBoxes returns the boxes of bodies i to end-1. Boxes of bounds are computed, at most
// nextStride at a time, and valid until the next call.
func (t *Tree) nextBoxes(b *bodies, i, end int) []soa.AABB {
	if b.spheres == nil && b.oriented == nil {
		return b.boxes[i:end]
	}
	part := mem.Fresh(t.buffers().boxes, nextStride)
	t.buffers().boxes = part
	if b.spheres != nil {
		asm.BallBoxes(part[:end-i], b.spheres[i:end])
	} else {
		for k := range part[:end-i] {
			part[k] = b.oriented[i+k].Box()
		}
	}
	return part[:end-i]
}

// surveyBodies is asm.Survey for the boxes of bodies: bad is the index of the first invalid body,
// negative if there is none.
func (t *Tree) surveyBodies(b *bodies) (centres, union [6]float32, bad int) {
	if b.spheres == nil && b.oriented == nil {
		return asm.Survey(soa.BoxWords(b.boxes), 6, len(b.boxes))
	}
	centres, union, _ = asm.Survey(nil, 6, 0)
	for i := 0; i < b.len(); i += nextStride {
		end := min(i+nextStride, b.len())
		boxes := t.nextBoxes(b, i, end)
		c, u, bad := asm.Survey(soa.BoxWords(boxes), 6, len(boxes))
		for k := range boxes {
			if k == bad || b.spheres != nil && !(b.spheres[i+k][3] >= 0) || b.oriented != nil && b.oriented[i+k].Check() != nil {
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
