package soa

import "fmt"

// String returns the bounds, "[0 0 0] to [1 1 1]". Like all String methods of the package it is for
// people: the text may change, and it is allocated.
func (b AABB) String() string { return fmt.Sprintf("%v to %v", b.Min, b.Max) }

// String returns the bounds, as [AABB.String] does.
func (b AABB64) String() string { return fmt.Sprintf("%v to %v", b.Min, b.Max) }

// String returns the centre and the half axes.
func (b OrientedBox) String() string {
	return fmt.Sprintf("%v with half axes %v %v %v", b.Center, b.Axes[0], b.Axes[1], b.Axes[2])
}

// String returns the box, the mask in hexadecimal, and "static" if the object is static.
func (o Object) String() string { return o.Box.String() + labels(o.Mask, o.Static) }

// String returns the centre, the radius, and the mask and flag as [Object.String] does.
func (b Ball) String() string {
	return fmt.Sprintf("%v radius %v%s", [3]float32(b.Sphere[:3]), b.Sphere[3], labels(b.Mask, b.Static))
}

// String returns the ID and the generation.
func (h Handle) String() string { return fmt.Sprintf("ID %d generation %d", h.ID, h.Gen) }

func labels(mask uint32, static bool) string {
	text := fmt.Sprintf(" mask %#x", mask)
	if static {
		text += " static"
	}
	return text
}
