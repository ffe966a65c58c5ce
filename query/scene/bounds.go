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

// touch reports whether each bound of an object of s overlaps each bound of one of t. The box
// stands for an object without a bound. Spheres whose images are not balls are ignored.
func touch(s, t *pairSide, x, y *shape) bool {
	if a, b := &x.bounds, &y.bounds; !s.similar() || !t.similar() {
		a.hasSphere, b.hasSphere = false, false
	} else if a.hasSphere && b.hasSphere {
		p, q := a.sphere, b.sphere
		s.ballOut(&p)
		t.ballOut(&q)
		if !p.overlaps(&q) {
			return false
		}
	}
	return x.ballOverlaps(y, s, t) && y.ballOverlaps(x, t, s) && x.orientedOverlaps(y, t) && y.orientedOverlaps(x, s)
}

// ballOverlaps reports whether the sphere of x, if it has one, overlaps the oriented box of y, or
// the box if y has no bound.
func (x *shape) ballOverlaps(y *shape, s, t *pairSide) bool {
	if !x.bounds.hasSphere || y.bounds.hasSphere && !y.bounds.hasOriented {
		return true
	}
	p := x.bounds.sphere
	s.ballOut(&p)
	t.ballIn(&p)
	if !y.bounds.hasOriented {
		return p.overlapsBox(&y.object.Box)
	}
	var f exact.Frame
	f.Set(&y.bounds.oriented)
	return p.overlapsFrame(&f)
}

// orientedOverlaps reports whether the oriented box of x, if it has one, overlaps the one of y, which
// is of t, or the box if y has no bound.
func (x *shape) orientedOverlaps(y *shape, t *pairSide) bool {
	a, b := &x.bounds, &y.bounds
	switch {
	case !a.hasOriented, !b.hasOriented && b.hasSphere:
		return true
	case b.hasOriented:
		return !apart(&a.image, &b.image, &a.dirs, &b.dirs)
	}
	return !apart(&a.image, &y.image, &a.dirs, t.axes())
}
