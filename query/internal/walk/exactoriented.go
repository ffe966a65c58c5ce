package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// overlapsOriented reports whether the oriented box of an object intersects the volume. The object's
// box is in a lane of p.
func (b *body) overlapsOriented(w *Walk, o *soa.OrientedBox, p *soa.Packet, lane int) bool {
	v := &w.volume
	if v.Shape == cull.ShapeSphere {
		var f exact.Frame
		f.Set(o)
		return f.Distance(float64s(v.Sphere.Center)) <= b.radius
	}
	if v.Shape == cull.ShapeBox && keeps(&v.Box, p, lane) {
		return true // its centre is inside
	}
	var s exact.Solid
	s.SetOriented(o)
	switch {
	case w.second == secondOriented:
		return w.oriented.solid.Overlaps(&s)
	case v.Shape == cull.ShapeBox:
		return b.box.Overlaps(&s)
	}
	for i := range b.n {
		if n, d, _ := b.plane(i); exact.Dot(n, s.Center)+d+s.Radius(n) < 0 {
			return false
		}
	}
	return true
}

func float64s(v [3]float32) [3]float64 {
	return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
}

// boundDist2 returns the squared distance from a point to the bounds of an object in the unit of a
// walk. It is the largest of d2, the distance to its box, and of those to its sphere and to its
// oriented box, computed in float64 and rounded to float32.
func boundDist2(p *soa.PacketColumns, slot uint32, lane int, point [3]float32, d2 float32, u *nearScale) float32 {
	if s, ok := p.Sphere(slot, lane); ok {
		var d [3]float64
		for a := range d {
			d[a] = float64(point[a]) - float64(s[a])
		}
		d2 = max(d2, u.square(max(math.Sqrt(exact.Dot(d, d))-float64(s[3]), 0)))
	}
	if o, ok := p.Oriented(slot, lane); ok {
		var f exact.Frame
		f.Set(&o)
		d2 = max(d2, u.square(f.Distance(float64s(point))))
	}
	return d2
}

// square returns the square of a distance in the unit of a walk.
func (u *nearScale) square(d float64) float32 {
	if u.scale != 0 {
		d *= float64(u.scale)
	}
	return float32(d * d)
}
