// Package space transforms volumes into the space of a part of a scene, and classifies the bounds of the part against
// them: inside, outside or on the border. Packages scene and occlude walk the parts of a scene with it.
//
// Volumes are transformed in float64, each product rounded, and enlarged by bounds of the rounding errors: the result
// contains each point of the part that is in the original.
package space

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Extent is the bounds of a part in float64.
type Extent struct {
	Min, Max     [3]float64
	center, half [3]float64
	Most         [3]float64 // the largest magnitude of coordinates on each axis

	// Bits of the sides of a box that are known to contain the whole part: 2*a of the lower side on axis a, 2*a + 1 of
	// the upper side.
	Clear uint32
}

// Numbers returns Min, Max, center, half and Most, which are contiguous.
func (e *Extent) Numbers() *[15]float64 { return (*[15]float64)(unsafe.Pointer(e)) }

var _ [0]struct{} = [unsafe.Offsetof(Extent{}.Most) - 12*8]struct{}{}

// Set sets e to a box.
func (e *Extent) Set(b *soa.AABB) {
	for a := range 3 {
		lo, hi := float64(b.Min[a]), float64(b.Max[a])
		e.Min[a], e.Max[a] = lo, hi
		e.center[a], e.half[a] = (lo+hi)/2, (hi-lo)/2
		e.Most[a] = max(-lo, hi)
	}
	e.Clear = 0
}

// Move sets to to the image of from in the space of a part with these bounds, under a transform
// other than the identity. Planes that contain all of the bounds are dropped, so that a frustum becomes planes, unless
// it is precise or has a minimum size.
func Move(to, from *walk.Volume, transform *xform.Transform, bounds *Extent) exact.Relation {
	side := move(to, from, transform, bounds, true)
	to.Most, to.IsMoved = bounds.Most, true
	return side
}

func move(to, from *walk.Volume, transform *xform.Transform, bounds *Extent, drop bool) exact.Relation {
	to.Kind = from.Kind
	switch from.Kind {
	case walk.KindFrustum:
		to.Precise, to.Least = from.Precise, 0
		if from.Least > 0 {
			MoveSize(to, from, transform)
		}
		if drop = drop && !from.Precise && from.Least == 0; drop {
			to.Kind = walk.KindPlanes
		}
		return movePlanes(to, from, transform, bounds, drop)
	case walk.KindPlanes:
		return movePlanes(to, from, transform, bounds, true)
	case walk.KindBox:
		if transform.AtMost(xform.Aligned) {
			moveBox(to, from, transform)
			return classifyBox(to, bounds)
		}
		return turnBox(to, from, transform, bounds)
	case walk.KindCell, walk.KindOriented, walk.KindFunc:
		return moveCell(to, from, transform, bounds)
	default:
		moveBall(to, from, transform)
		return classifyBall(to, bounds)
	}
}

// Transform returns the image of a volume in the space of a part with these bounds, under a transform. The image is
// from itself, or to, which it overwrites. A frustum stays one of six planes.
func Transform(to, from *walk.Volume, transform *xform.Transform, bounds *soa.AABB) (image *walk.Volume, side exact.Relation) {
	var e Extent
	e.Set(bounds)
	if transform.AtMost(xform.Identity) {
		return from, Classify(from, &e)
	}
	return to, move(to, from, transform, &e, false)
}

// Classify classifies bounds against a volume in the same space.
func Classify(v *walk.Volume, bounds *Extent) exact.Relation {
	switch v.Kind {
	case walk.KindBox:
		return classifyBox(v, bounds)
	case walk.KindBall:
		return classifyBall(v, bounds)
	}
	verdict := exact.Inside
	for i := range v.N {
		switch side(&v.Planes[i], bounds) {
		case exact.Outside:
			return exact.Outside
		case exact.Partly:
			verdict = exact.Partly
		default:
			if v.Kind != walk.KindCell {
				continue
			}
			if p := v.Lowered(i); side(&p, bounds) != exact.Inside {
				verdict = exact.Partly
			}
		}
	}
	if v.Kind >= walk.KindCell {
		return bounded(v, verdict, bounds)
	}
	return verdict
}

// bounded corrects the verdict of the planes of a cell. The planes are raised by the rounding
// errors over a whole part, which may be far larger than the cell. So a box inside all planes
// need not be inside an oriented box, which is tested exactly. A volume with a tester has no
// planes: no box is known to be inside.
func bounded(v *walk.Volume, verdict exact.Relation, bounds *Extent) exact.Relation {
	switch {
	case verdict == exact.Outside || classifyBox(v, bounds) == exact.Outside:
		return exact.Outside
	case v.Kind == walk.KindFunc, verdict == exact.Inside && v.Kind == walk.KindOriented && !holds(v, bounds):
		return exact.Partly
	}
	return verdict
}

// holds reports whether bounds are surely inside an oriented box.
func holds(v *walk.Volume, bounds *Extent) bool {
	var solid exact.Solid
	var slabs exact.Slabs
	var around, box soa.AABB
	around.Min, around.Max = v.Outward()
	for a := range 3 {
		box.Min[a], box.Max[a] = float32(bounds.Min[a]), float32(bounds.Max[a]) // the values were float32
	}
	solid.SetCell(v.Center, v.Off, v.Dirs, v.Half)
	slabs.Set(&solid, &around)
	return slabs.Holds(&box)
}

// movePlanes transforms planes, up to the first one that has all of the bounds outside. Planes that contain all of
// the bounds are left out if drop is set.
//
// Under p -> M*p + t, n*x + d becomes (n*M)*p + (n*t + d). A component of n*M is off by at most
// 2^-51 of the magnitudes of its three terms. Over the bounds, with X the largest coordinate of
// the axis, this is as much of the terms times X. d is off by at most 2^-51 of the magnitudes of
// its four. It is raised by four times as much. Each number of a plane made by [cull.ScalePlane]
// is also off by up to 2^-150, so the sizes include 2^-100 times the coordinates outside, and 1.
//
// The image of the ball around the bounds decides most planes: at its centre a plane is off by less than 2^-46 of the
// magnitudes, |d| and at most the length of the normal times the sum of the sizes, which the radius includes. It also
// includes the error of ScalePlane: its normals are at least 1/8 long, so the distance of a plane is off by up to
// 2^-147 times the sizes and 1.
//
// A raised plane may contain all of a part that the box around the cell cuts, if the cell is far smaller than a part
// around it. So a plane of a cell contains bounds only if the lowered one does. It is raised by at most 2^-49 of the
// magnitudes and the error, at each level.
func movePlanes(to, from *walk.Volume, transform *xform.Transform, bounds *Extent, drop bool) exact.Relation {
	m, _, t, _ := transform.Numbers()
	c, most := &bounds.center, &bounds.Most
	var middle, sizes [3]float64 // of the image of the bounds
	scaled := 1.0
	for i := range m {
		r := &m[i]
		middle[i] = t[i] + float64(r[0]*c[0]) + float64(r[1]*c[1]) + float64(r[2]*c[2])
		sizes[i] = math.Abs(t[i]) + float64(math.Abs(r[0])*most[0]) + float64(math.Abs(r[1])*most[1]) + float64(math.Abs(r[2])*most[2])
		scaled += sizes[i]
	}
	scaled *= scaleError
	_, stretch := transform.Stretch()
	h := &bounds.half
	radius := float64(math.Sqrt(float64(h[0]*h[0])+float64(h[1]*h[1])+float64(h[2]*h[2])) * stretch)
	radius += float64((sizes[0] + sizes[1] + sizes[2] + scaled) * 0x1p-46)
	square := float64(radius * radius * (1 + 0x1p-40))
	verdict, n := exact.Inside, 0
	for i := range from.N {
		p, q := &from.Planes[i], &to.Planes[n]
		nx, ny, nz := p[0], p[1], p[2]
		at := p[3] + float64(nx*middle[0]) + float64(ny*middle[1]) + float64(nz*middle[2])
		normal := float64(nx*nx) + float64(ny*ny) + float64(nz*nz)
		raised := 0.0
		if from.Kind == walk.KindCell {
			raised = from.Raised[i]
		}
		if near := math.Abs(at) - float64(math.Abs(p[3])*0x1p-46) - raised; near > 0 && float64(near*near) > float64(square*normal) && normal > 0x1p-900 {
			if at < 0 {
				return exact.Outside
			}
			if drop {
				continue
			}
		}
		size := math.Abs(p[3]) + float64(math.Abs(nx)*sizes[0]) + float64(math.Abs(ny)*sizes[1]) + float64(math.Abs(nz)*sizes[2]) + scaled
		x, y, z := float64(nx*t[0]), float64(ny*t[1]), float64(nz*t[2])
		d := p[3] + x + y + z
		at, reach, span := d, 0.0, 0.0
		for j := range 3 {
			x, y, z := float64(nx*m[0][j]), float64(ny*m[1][j]), float64(nz*m[2][j])
			n := x + y + z
			q[j] = n
			at += float64(n * c[j])
			abs := math.Abs(n)
			reach += float64(abs * h[j])
			span += float64(abs * most[j])
		}
		to.Spans[n] = span
		q[3] = d + float64(size*0x1p-49)
		// The side of the bounds, as in side: size is no less than there.
		switch off := float64(size * 0x1p-47); {
		case at+reach+off < 0:
			return exact.Outside
		case !(at-reach-off-raised >= 0):
			verdict = exact.Partly
		case drop:
			continue
		}
		if from.Kind == walk.KindCell {
			to.Raised[n] = raised + float64(size*0x1p-48)
		}
		n++
	}
	to.N = n
	return verdict
}

// MoveSize sets the minimum size of to to that of from in the space of a part: the row of depths, and the images of
// edges in its space. Both are rounded like planes, and not widened: the result is defined by their float32 values.
func MoveSize(to, from *walk.Volume, transform *xform.Transform) {
	var rows [12]float64
	transform.ReadRows(&rows)
	n, front := [3]float64(from.Depth[:3]), [3]float64(from.Front[:3])
	to.Least = from.Least
	at := [3]float64{rows[3], rows[7], rows[11]}
	to.Depth[3], to.Front[3] = from.Depth[3]+exact.Dot(n, at), from.Front[3]+exact.Dot(front, at)
	for j := range 3 {
		column := [3]float64{rows[j], rows[4+j], rows[8+j]}
		to.Depth[j], to.Front[j] = exact.Dot(n, column), exact.Dot(front, column)
		for a := range 3 {
			to.Axes[j][a] = exact.Dot([3]float64{from.Axes[0][a], from.Axes[1][a], from.Axes[2][a]}, column)
		}
	}
}

// scaleError relates the rounding of [cull.ScalePlane] to the magnitudes that errors are
// proportional to, with a margin.
const scaleError = 0x1p-100

// side classifies bounds against a plane with allowance for rounding: outside and inside are
// certain. Non-finite numbers are on the border.
func side(p *[4]float64, b *Extent) exact.Relation {
	at, reach, size := p[3], 0.0, math.Abs(p[3])+float64(scaleError*(1+b.Most[0]+b.Most[1]+b.Most[2]))
	for a := range 3 {
		t := float64(p[a] * b.center[a])
		r := float64(math.Abs(p[a]) * b.half[a])
		at += t
		reach += r
		size += math.Abs(t) + r
	}
	off := float64(size * 0x1p-48)
	switch {
	case at+reach+off < 0:
		return exact.Outside
	case at-reach-off >= 0:
		return exact.Inside
	}
	return exact.Partly
}

// moveBox transforms a box under a transform that maps boxes to boxes.
func moveBox(to, from *walk.Volume, transform *xform.Transform) {
	a, offA := transform.Local(from.Min)
	b, offB := transform.Local(from.Max)
	for k := range 3 {
		to.Min[k] = min(below(a[k], offA[k]), below(b[k], offB[k]))
		to.Max[k] = max(above(a[k], offA[k]), above(b[k], offB[k]))
	}
	to.SetMiddle()
}

// above returns a number not below x + off; x itself if off is 0.
func above(x, off float64) float64 {
	if off == 0 {
		return x
	}
	return x + float64((off+float64(math.Abs(x)*0x1p-51))*(1+0x1p-50))
}

// below returns a number not above x - off; x itself if off is 0.
func below(x, off float64) float64 { return -above(-x, off) }

func classifyBox(v *walk.Volume, b *Extent) exact.Relation {
	within := true
	for a := range 3 {
		if b.Min[a] > v.Max[a] || b.Max[a] < v.Min[a] {
			return exact.Outside
		}
		within = within && v.Min[a] <= b.Min[a] && b.Max[a] <= v.Max[a]
	}
	if within && v.Kind == walk.KindBox {
		return exact.Inside
	}
	return exact.Partly
}

// moveCell transforms a cell.
func moveCell(to, from *walk.Volume, transform *xform.Transform, bounds *Extent) exact.Relation {
	to.Precise = false
	to.Plain = from.Plain && from.Kind == walk.KindOriented && stepped(&to.Oriented, &from.Oriented, transform)
	verdict := movePlanes(to, from, transform, bounds, true)
	if verdict == exact.Outside {
		return exact.Outside
	}
	var half [3]float64
	to.Center, to.Off = transform.LocalWithin(from.Center, from.Off)
	for k := range 3 {
		dir, off := transform.LocalVector(from.Dirs[k], [3]float64{})
		length := from.Half[k]
		for a := range 3 {
			to.Off[a] += float64(off[a] * length)
			half[a] += float64(math.Abs(dir[a]) * length)
		}
		to.Half[k] = length * exact.Pull(&dir)
		to.Dirs[k] = dir
	}
	for a := range 3 {
		reach := float64((half[a] + to.Off[a]) * (1 + 0x1p-50))
		to.Min[a], to.Max[a] = below(to.Center[a], reach), above(to.Center[a], reach)
	}
	verdict = bounded(to, verdict, bounds)
	dropSides(to, bounds)
	return verdict
}

// dropSides makes the box around a moved box unbounded where it does not cut bounds.
func dropSides(to *walk.Volume, bounds *Extent) {
	if to.Kind != walk.KindCell {
		return
	}
	for a := range 3 {
		if to.Min[a] <= bounds.Min[a] {
			to.Min[a] = math.Inf(-1)
		}
		if to.Max[a] >= bounds.Max[a] {
			to.Max[a] = math.Inf(1)
		}
	}
}

// stepped sets to to the image of an oriented box in a part, and reports whether it is exact.
func stepped(to, from *soa.OrientedBox, transform *xform.Transform) bool {
	if transform.Kind() != xform.Translation {
		return false
	}
	var c [3]float64
	for a, x := range from.Center {
		c[a] = float64(x)
	}
	c, off := transform.Local(c)
	to.Axes = from.Axes
	for a, x := range c {
		if to.Center[a] = float32(x); off[a] != 0 || float64(to.Center[a]) != x {
			return false
		}
	}
	return to.Box().Check() == nil
}

// moveBall transforms a ball. Under a transform that is no similarity the ball becomes a ball
// around the ellipsoid, and one inside it.
func moveBall(to, from *walk.Volume, transform *xform.Transform) {
	to.Center, to.Off = transform.LocalWithin(from.Center, from.Off)
	to.Radius, to.Inner, to.Spherical = from.Radius, from.Inner, from.Spherical
	if least, most := transform.Stretch(); least != 1 || most != 1 {
		to.Radius = float64(from.Radius / least * (1 + 0x1p-50))
		to.Inner = float64(from.Inner / most * (1 - 0x1p-50))
		to.Spherical = from.Spherical && most*(1-0x1p-16) <= least
	}
}

// classifyBall classifies bounds as border if only the rounding of the kernels, of some 2^-22, may
// hit them.
func classifyBall(v *walk.Volume, b *Extent) exact.Relation {
	var near, far [3]float64
	for a := range 3 {
		low, high := b.Min[a]-v.Center[a], v.Center[a]-b.Max[a]
		near[a] = max(low-v.Off[a], high-v.Off[a], 0)
		far[a] = max(v.Off[a]-low, v.Off[a]-high)
	}
	switch {
	case exact.Length(&near)*(1-0x1p-21) > v.Radius:
		return exact.Outside
	case exact.Length(&far)*(1+0x1p-40) <= v.Inner:
		return exact.Inside
	}
	return exact.Partly
}
