package space

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Turn is [Move] of a box query, or of planes that are also in moving, if that is not nil. It sets planes to the image,
// prepared for objects within the bounds, or, if it is not Partly, to no particular ones. ok is false if only Move can
// do it. The planes are those of [walk.Volume.SetConvex].
func Turn(planes *cull.Convex, from *walk.Volume, moving *cull.MovingPlanes, transform *xform.Transform, bounds *Extent) (side exact.Relation, ok bool) {
	var turned cull.Turned
	switch {
	case moving != nil && !transform.AtMost(xform.Identity):
		turned = planes.SetPlanes(moving, transform.All(), bounds.Numbers())
	case moving == nil && from.Kind == walk.KindBox && !transform.AtMost(xform.Aligned):
		turned = planes.SetTurned(transform.All(), from.Box(), bounds.Numbers(), bounds.Clear)
	}
	switch turned {
	case cull.TurnedApart:
		return exact.Outside, true
	case cull.TurnedCuts:
		return exact.Partly, true
	case cull.TurnedHolds:
		return exact.Inside, true
	}
	return exact.Outside, false
}

// turnBox transforms a box into a cell, under a transform that is not aligned. It is [moveCell] of the six planes of
// the box, with the same bounds of the rounding errors: the normal of a plane is a row of the matrix, an edge is
// a column of the inverse.
func turnBox(to, from *walk.Volume, transform *xform.Transform, bounds *Extent) exact.Relation {
	m, inv, t, slip := transform.Numbers()
	c, h, most := &bounds.center, &bounds.half, &bounds.Most
	_, stretch := transform.Stretch() // no number of the matrix is larger
	scaled := float64((1 + (math.Abs(t[0]) + math.Abs(t[1]) + math.Abs(t[2])) + float64(3*stretch*(most[0]+most[1]+most[2]))) * scaleError)
	n := 0
	for i := range m {
		clear := bounds.Clear >> (2 * i) & 3
		if clear == 3 {
			continue
		}
		r, at := &m[i], t[i]
		x, y, z := math.Abs(r[0]), math.Abs(r[1]), math.Abs(r[2])
		middle := float64(r[0]*c[0]) + float64(r[1]*c[1]) + float64(r[2]*c[2])
		reach := float64(x*h[0]) + float64(y*h[1]) + float64(z*h[2])
		span := float64(x*most[0]) + float64(y*most[1]) + float64(z*most[2])
		sizes := math.Abs(at) + span + scaled
		if clear&1 == 0 {
			d, size := at-from.Min[i], math.Abs(from.Min[i])+sizes
			above, off := d+middle, float64(size*0x1p-47)
			if above+reach+off < 0 {
				return exact.Outside
			}
			if !(above-reach-off >= 0) {
				p := &to.Planes[n]
				to.Spans[n] = span
				p[0], p[1], p[2], p[3] = r[0], r[1], r[2], d+float64(size*0x1p-49)
				to.Raised[n] = float64(size * 0x1p-48)
				n++
			}
		}
		if clear&2 == 0 {
			d, size := from.Max[i]-at, math.Abs(from.Max[i])+sizes
			above, off := d-middle, float64(size*0x1p-47)
			if above+reach+off < 0 {
				return exact.Outside
			}
			if !(above-reach-off >= 0) {
				p := &to.Planes[n]
				to.Spans[n] = span
				p[0], p[1], p[2], p[3] = -r[0], -r[1], -r[2], d+float64(size*0x1p-49)
				to.Raised[n] = float64(size * 0x1p-48)
				n++
			}
		}
	}
	to.Kind, to.N, to.Precise, to.Plain = walk.KindCell, n, false, false
	switch n {
	case 0:
		return exact.Inside
	case 1: // the part is cut as by one plane
		to.Kind = walk.KindPlanes
		return exact.Partly
	}
	// The preimage of a vector v is off from inverse*v by at most the slip times its largest component.
	x, y, z := from.Center[0]-t[0], from.Center[1]-t[1], from.Center[2]-t[2]
	var edges [3]float64
	largest := 0.0
	for j := range inv {
		r := &inv[j]
		a, b, c := float64(r[0]*x), float64(r[1]*y), float64(r[2]*z)
		at := a + b + c
		edge := float64(math.Abs(r[0])*from.Half[0]) + float64(math.Abs(r[1])*from.Half[1]) + float64(math.Abs(r[2])*from.Half[2])
		to.Center[j], to.Off[j], edges[j] = at, float64((math.Abs(a)+math.Abs(b)+math.Abs(c)+edge)*0x1p-50), edge
		largest += math.Abs(at) + edge
		to.Dirs[0][j], to.Dirs[1][j], to.Dirs[2][j] = r[0], r[1], r[2]
	}
	to.Half = from.Half
	slip = float64(largest * slip)
	for j, at := range to.Center {
		off := float64((to.Off[j] + slip) * (1 + 0x1p-20))
		reach := float64((edges[j] + off + float64(math.Abs(at)*0x1p-51)) * (1 + 0x1p-48))
		least, most := at-reach, at+reach
		if least > bounds.Max[j] || most < bounds.Min[j] {
			return exact.Outside
		}
		if least <= bounds.Min[j] {
			least = math.Inf(-1)
		}
		if most >= bounds.Max[j] {
			most = math.Inf(1)
		}
		to.Off[j], to.Min[j], to.Max[j] = off, least, most
	}
	return exact.Partly
}
