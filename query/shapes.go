package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// capsule is the tester of a capsule, with the numbers that it was made from.
type capsule struct {
	exact.Capsule
	a, b   [3]float32
	radius float32
}

// String returns the ends and the radius.
func (c *capsule) String() string {
	return fmt.Sprintf("capsule from %v to %v radius %v", c.a, c.b, c.radius)
}

// NewCapsule returns the capsule of the points within a radius of the segment from a to b as a volume query, for
// characters and for thick rays. Ends that are equal give a ball. A number that is NaN or infinite, a negative
// radius, or a capsule that reaches beyond the largest float32, is an error. It allocates once.
func NewCapsule(a, b [3]float32, radius float32) (f Func, err error) {
	if !allFinite(&a) || !allFinite(&b) || !isFinite(radius) || radius < 0 {
		return Func{}, fmt.Errorf("query: capsule from %v to %v of radius %v: want finite numbers, and a radius of 0 or more", a, b, radius)
	}
	c := &capsule{a: a, b: b, radius: radius}
	c.Set(&a, &b, radius)
	return shape(c, &c.Box.Min, &c.Box.Max)
}

// cone is the tester of a cylinder or a cone, with the numbers that it was made from.
type cone struct {
	exact.Cone
	a, b          [3]float32
	radius, angle float32
	pointed       bool // b is an axis, and radius a length
}

// String returns the ends and the radius, or the apex, the axis, the length and the angle.
func (c *cone) String() string {
	if c.pointed {
		return fmt.Sprintf("cone from %v along %v length %v angle %v", c.a, c.b, c.radius, c.angle)
	}
	return fmt.Sprintf("cylinder from %v to %v radius %v", c.a, c.b, c.radius)
}

// NewCylinder returns the cylinder around the segment from a to b, with flat ends, as a volume query. A number that
// is NaN or infinite, a negative radius, ends that are equal, or a cylinder that reaches beyond the largest float32,
// is an error. It allocates once.
func NewCylinder(a, b [3]float32, radius float32) (f Func, err error) {
	var axis [3]float64
	for k := range axis {
		axis[k] = float64(b[k]) - float64(a[k])
	}
	switch {
	case !allFinite(&a) || !allFinite(&b) || !isFinite(radius) || radius < 0:
		return Func{}, fmt.Errorf("query: cylinder from %v to %v of radius %v: want finite numbers, and a radius of 0 or more", a, b, radius)
	case a == b:
		return Func{}, fmt.Errorf("query: cylinder from %v to %v has no axis", a, b)
	}
	c := &cone{a: a, b: b, radius: radius}
	c.Set(&a, &axis, exact.Length(&axis), float64(radius), 0)
	return shape(c, &c.Box.Min, &c.Box.Max)
}

// NewCone returns the cone with that apex as a volume query, for spot lights and fields of view. It opens along the
// axis, of any length but zero, up to a flat end at a distance of length along the axis. The angle, in radians, is
// that between the axis and the side, half the opening: 0 or more, and less than a right angle.
//
// A number that is NaN or infinite, an axis of zero, a negative length, an angle out of range, or a cone that reaches
// beyond the largest float32, is an error. It allocates once.
func NewCone(apex, axis [3]float32, length, angle float32) (f Func, err error) {
	switch {
	case !allFinite(&apex) || !allFinite(&axis) || !isFinite(length) || length < 0:
		return Func{}, fmt.Errorf("query: cone from %v along %v of length %v: want finite numbers, and a length of 0 or more", apex, axis, length)
	case axis == [3]float32{}:
		return Func{}, fmt.Errorf("query: cone axis %v is zero", axis)
	case !(angle >= 0 && float64(angle) < math.Pi/2):
		return Func{}, fmt.Errorf("query: cone of angle %v, want 0 or more, and less than pi/2", angle)
	}
	c := &cone{a: apex, b: axis, radius: length, angle: angle, pointed: true}
	dir := [3]float64{float64(axis[0]), float64(axis[1]), float64(axis[2])}
	c.Set(&apex, &dir, float64(length), 0, math.Tan(float64(angle)))
	return shape(c, &c.Box.Min, &c.Box.Max)
}

// tester is the tester of a shape, with its text.
type tester interface {
	walk.Tester
	fmt.Stringer
}

// shape returns the volume of a shape, or an error if its box is not finite.
func shape(test tester, min, max *[3]float32) (f Func, err error) {
	if !allFinite(min) || !allFinite(max) {
		return Func{}, fmt.Errorf("query: %v reaches beyond the largest float32", test)
	}
	(*walk.Func)(&f).Set(min, max, test)
	return f, nil
}
