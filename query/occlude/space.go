package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// partSpace is the coordinate space of a part of a scene with instancing. The walk does not transform the part
// before the camera; it transforms the camera into the space of the part. A point p of the part is at M*p + t
// in the outer space, so with a row r of the lens
//
//	r·(M*p + t - ref) = (r*M)·(p - ref')    M*ref' + t = ref
//
// and rectangles and depths of boxes of the part are those of the exact parallelepipeds that the boxes
// represent, in the same depth buffer.
type partSpace struct {
	instance       // of the part, or the scene itself, as it is listed when the walk enters it
	at       int32 // its index in the list of instances

	rows, err [3][3]float64 // as in frame, and the error bound of each element
	off       [3]float64    // the error bound of the reference point on each axis

	form    *walk.Volume
	own     walk.Volume
	lowered walk.Lowered
	volume  *query.Frustum // the frustum in the space of the part

	ids []gate
}

// gate is an instance ID with its mask.
type gate struct{ id, mask uint32 }

// top makes s the space of the scene itself, which is the first instance.
func (s *partSpace) top(f *frame, first *instance, frustum *query.Frustum) {
	s.instance, s.at = *first, 0
	s.rows, s.off = f.rows, [3]float64{}
	for i := range 3 {
		for a := range 3 {
			s.err[i][a] = f.slip[i]
		}
	}
	s.form, s.volume = &s.own, frustum
	(*walk.Frustum)(frustum).Lift(s.form)
}

// into transforms the camera into the space of a part of outer.
//
// The error of an element of r*M is at most 2^-51 of the sum of its three absolute terms, plus the propagated
// errors of r.
func (s *partSpace) into(outer *partSpace, f *frame) {
	if s.transform.AtMost(xform.Identity) {
		s.rows, s.err, s.ref, s.off = outer.rows, outer.err, outer.ref, outer.off
		s.identity, s.lens, s.sighted = outer.identity, outer.lens, outer.sighted
		return
	}
	s.ref, s.off = s.transform.LocalWithin(outer.ref, outer.off)
	s.identity = outer.identity && s.transform.AtMost(xform.Translation) && s.off == [3]float64{}
	if s.transform.AtMost(xform.Translation) {
		s.rows, s.err = outer.rows, outer.err
	} else {
		var m [12]float64
		s.transform.ReadRows(&m)
		for i := range 3 {
			r, e := &outer.rows[i], &outer.err[i]
			for j := range 3 {
				x, y, z := float64(r[0]*m[j]), float64(r[1]*m[4+j]), float64(r[2]*m[8+j])
				s.rows[i][j] = x + y + z
				s.err[i][j] = float64((math.Abs(x)+math.Abs(y)+math.Abs(z))*0x1p-50) +
					float64((float64(e[0]*math.Abs(m[j]))+float64(e[1]*math.Abs(m[4+j]))+float64(e[2]*math.Abs(m[8+j])))*(1+0x1p-50))
			}
		}
	}
	s.aim(f.parallel)
}

// far is the minimum distance of a box with a rectangle from the reference point, as a multiple of the error
// of that point.
const far = 0x1p22

// aim makes the lens, or leaves the space without one if the lens would not be conservative.
//
// # Error bound
//
// The slack is that of [cull.MakeLens], which covers the rounding of rows to float32, and more. If an element
// of a row is off by e, the sum over a box is off by e*s, where s is the size that the slack is a multiple
// of. The middle of the box is off by the error of the reference point, q on all axes together, which costs
// a*q if a is the largest element of the row. For a box with s > far*q that is less than 4u*a*s, and there is
// room for it: of 32u some 24u are used. In a perspective projection boxes with a smaller s have w0 < b*s, so
// Least rejects them. A parallel projection has no such test, so the lens is not used if an object is that
// near.
//
// The lens is not used either if a depth may have a term beyond float32, which would be infinitely far: rows
// of a tree are at most 1, but those of a part may be of any size.
func (s *partSpace) aim(parallel bool) {
	s.sighted = false
	if b := s.view.Bounds(); b.Min[0] <= b.Max[0] {
		size := 0.0
		for a := range 3 {
			size += max(math.Abs(float64(b.Min[a])-s.ref[a]), math.Abs(float64(b.Max[a])-s.ref[a]))
		}
		if !(float64(biggest(s.rows[2])*size) < 0x1p126) {
			return
		}
	}
	for i, r := range s.rows {
		if m := biggest(r); !(m < 0x1p100 && m > 0x1p-60 && math.Abs(s.ref[i]) < math.MaxFloat32) {
			return
		}
	}
	l := &s.lens
	*l = cull.MakeLens(s.ref, s.rows[0], s.rows[1], s.rows[2], parallel)
	off := float64(sum(s.off) * far)
	to := [3]*float32{&l.EX, &l.EY, &l.EW}
	if parallel {
		to[2] = &l.ET
		if !s.distant(off) {
			return
		}
	} else if off > 0 {
		least := float64(biggest(s.rows[2]) * off)
		if l.Least = max(l.Least, soa.Above(least, -float64(least*0x1p-10))); !(l.Least < 0x1p100) {
			return
		}
	}
	for i := range 3 {
		*to[i] = soa.Above(float64(*to[i]), -float64(2*biggest(s.err[i])))
	}
	s.sighted = true
}

// distant reports whether no object of the part is within reach of the reference point on each axis.
func (s *partSpace) distant(reach float64) bool {
	if reach == 0 {
		return true
	}
	var least, most [3]float32
	b := s.view.Bounds()
	away := false
	for a := range 3 {
		r := float64(2*reach) + float64(math.Abs(s.ref[a])*0x1p-40)
		least[a], most[a] = soa.Below(s.ref[a]-r, 0), soa.Above(s.ref[a]+r, 0)
		away = away || b.Max[a] < least[a] || b.Min[a] > most[a]
	}
	if away {
		return true
	}
	near, err := query.NewBox(least, most)
	return err == nil && len(s.view.Outgrown()) == 0 &&
		!near.Any(s.view.Objects(), query.Filter{}) && !near.Any(s.view.Instances(), query.Filter{})
}

// enter transforms the frustum into the space of the part with these bounds. It reports false if the bounds
// are outside.
func (s *partSpace) enter(outer *partSpace, bounds *soa.AABB) bool {
	moved, side := space.Transform(&s.own, outer.form, s.transform, bounds)
	if s.form, s.inside = moved, side == exact.Inside; side == exact.Outside {
		return false
	}
	if s.volume = outer.volume; s.form == &s.own {
		s.lowered.Lower(s.form)
		s.volume = (*query.Frustum)(&s.lowered.Frustum)
	}
	return true
}

// setImage makes p the image of an oriented box, or of a box if that is not nil, of an instance: a
// parallelepiped.
//
// The error of a corner is 2^-50 of the sum of the absolute terms. At each outer level it is the previous
// error times the largest row sum of the transform, and the same rounding again.
func (p *hullPoints) setImage(f *frame, instances []instance, at int32, box *soa.AABB, oriented *soa.OrientedBox) {
	var middle, half [3]float64
	var axes [3][3]float64
	for a := range 3 {
		if box != nil {
			lo, hi := float64(box.Min[a])/2, float64(box.Max[a])/2
			middle[a], half[a] = lo+hi, hi-lo
			continue
		}
		middle[a] = float64(oriented.Center[a])
		for i := range 3 {
			axes[i][a] = float64(oriented.Axes[i][a])
		}
	}
	p.hull, p.mirrored = &cube, false
	sizes := 0.0
	for a := range 3 {
		sizes += math.Abs(middle[a]) + math.Abs(half[a]) + sum(axes[a])
	}
	for i, q := range cube.points {
		for a := range 3 {
			p.points[i][a] = middle[a] + float64(q[a]*half[a]) +
				(float64(q[0]*axes[0][a]) + float64(q[1]*axes[1][a]) + float64(q[2]*axes[2][a]))
		}
	}
	if box == nil {
		p.mirrored = dot(axes[0], cross(axes[1], axes[2])) < 0
	}
	p.off = float64(sizes * 0x1p-50)
	p.image(f, instances, at)
}

// image transforms the points by the transforms of an instance and of all around it, and makes them relative
// to the reference point.
func (p *hullPoints) image(f *frame, instances []instance, at int32) {
	points := p.points[:len(p.hull.points)]
	for s := &instances[at]; s.transform != nil; s = &instances[s.in] {
		if s.transform.AtMost(xform.Identity) {
			continue
		}
		var m [12]float64
		s.transform.ReadRows(&m)
		most, spread := 0.0, 0.0
		for i := range 3 {
			spread = max(spread, math.Abs(m[4*i])+math.Abs(m[4*i+1])+math.Abs(m[4*i+2]))
		}
		for k := range points {
			q := points[k]
			for i := range 3 {
				x, y, z := float64(m[4*i]*q[0]), float64(m[4*i+1]*q[1]), float64(m[4*i+2]*q[2])
				points[k][i] = x + y + z + m[4*i+3]
				most = max(most, math.Abs(x)+math.Abs(y)+math.Abs(z)+math.Abs(m[4*i+3]))
			}
		}
		p.off = float64((float64(p.off*spread) + float64(most*0x1p-50)) * (1 + 0x1p-50))
		p.mirrored = p.mirrored != isMirrored(&m)
	}
	largest := 0.0
	for k := range points {
		largest = max(largest, biggest(points[k]))
		points[k] = minus(points[k], f.ref)
	}
	p.off += float64(0x1p-50 * (largest + biggest(f.ref)))
}
