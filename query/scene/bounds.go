package scene

import (
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// bounds are the sphere and the oriented box of an object of a pair.
type bounds struct {
	hasSphere bool
	sphere    ball // in the part

	hasOriented bool
	oriented    soa.OrientedBox // in the part
	image       cell            // image of oriented in the space of the scene
	dirs        [3][3]float64   // images of the directions of its edges
}

func (b *bounds) set(s *pairSide, p *soa.PacketColumns, slot uint32, lane int) {
	var sphere [4]float32
	if sphere, b.hasSphere = p.Sphere(slot, lane); b.hasSphere {
		b.sphere.set(&sphere)
	}
	if b.oriented, b.hasOriented = p.Oriented(slot, lane); b.hasOriented {
		b.image, b.dirs = s.orientedImage(&b.oriented)
	}
}

// touch reports whether each bound of an object of s is at most a distance from each bound of one of t. The box
// stands for an object without a bound. Spheres whose images are not balls are ignored.
func touch(s, t *pairSide, x, y *shape, distance float64) bool {
	if a, b := &x.bounds, &y.bounds; !s.similar() || !t.similar() {
		a.hasSphere, b.hasSphere = false, false
	} else if a.hasSphere && b.hasSphere {
		p, q := a.sphere, b.sphere
		s.ballOut(&p)
		t.ballOut(&q)
		if p.radius += distance; !p.overlaps(&q) {
			return false
		}
	}
	return x.ballNear(y, s, t, distance) && y.ballNear(x, t, s, distance) &&
		x.orientedNear(y, t, distance) && y.orientedNear(x, s, distance)
}

// ballNear reports whether the sphere of x, if it has one, is at most a distance from the oriented box of y, or
// the box if y has no bound.
func (x *shape) ballNear(y *shape, s, t *pairSide, distance float64) bool {
	if !x.bounds.hasSphere || y.bounds.hasSphere && !y.bounds.hasOriented {
		return true
	}
	p := x.bounds.sphere
	s.ballOut(&p)
	p.radius += distance
	t.ballIn(&p)
	if !y.bounds.hasOriented {
		return p.overlapsBox(&y.object.Box)
	}
	var f exact.Frame
	f.Set(&y.bounds.oriented)
	return p.overlapsFrame(&f)
}

// orientedNear reports whether the oriented box of x, if it has one, is at most a distance from the one of y, which
// is of t, or from the box if y has no bound.
func (x *shape) orientedNear(y *shape, t *pairSide, distance float64) bool {
	a, b := &x.bounds, &y.bounds
	switch {
	case !a.hasOriented, !b.hasOriented && b.hasSphere:
		return true
	case b.hasOriented:
		return cellsNear(&a.image, &b.image, &a.dirs, &b.dirs, distance)
	}
	return cellsNear(&a.image, &y.image, &a.dirs, t.axes(), distance)
}
