package query

import (
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/form"
	"github.com/zoctree/zoctree/soa"
)

// A package that moves queries from one space to another, as query/scene does, opens them into
// forms of float64 and closes these into queries. Forms are of an internal package: programs have
// no use for these functions.

// Open writes the form of a volume.
func Open[V Volume](to *form.Volume, volume *V) {
	switch q := any(volume).(type) {
	case *Frustum:
		to.Kind, to.Precise, to.N = form.Six, q.precise, len(q.planes)
		openPlanes(to, q.planes[:])
		q.size.open(to)
	case *Convex:
		to.Kind, to.N = form.Planes, len(q.planes)
		openPlanes(to, q.planes)
	case *OrientedBox:
		q.open(to)
	case *Box:
		openBox(to, &q.box)
	case *Point:
		openBox(to, &q.box.box)
	case *Sphere:
		to.Kind, to.Round, to.Radius = form.Ball, true, 0
		to.Off = [3]float64{}
		for a, x := range q.sphere.Center {
			to.Center[a] = float64(x)
		}
		if q.sphere.Scale != 0 {
			// Not below the radius from which the limit was computed.
			to.Radius = math.Sqrt(float64(q.sphere.Limit)) / float64(q.sphere.Scale)
		}
		// The kernels find every object in the ball of radius Inner, with any rounding.
		to.Inner = to.Radius * (1 - 0x1p-21)
	default:
		panic("unreachable: a volume of another type")
	}
}

func openPlanes(to *form.Volume, planes [][4]float32) {
	for i := range planes {
		for k, x := range planes[i] {
			to.Planes[i][k] = float64(x)
		}
	}
}

func openBox(to *form.Volume, b *cull.Box) {
	to.Kind = form.Box
	for a := range 3 {
		to.Min[a], to.Max[a] = float64(b[2*a]), float64(b[2*a+1])
	}
}

// Closed is storage for a query of any kind, a volume, a ray or a shape cast: Close writes the field for the form's
// kind.
type Closed struct {
	Frustum Frustum
	Box     Box
	Point   Point // for the caller: no form becomes a Point
	Sphere  Sphere
	Convex  Convex // of planes, and of a cell

	Oriented OrientedBox // of a cell of kind Turned
}

// Close makes the query of a form. Boxes and balls are rounded outward, to unbounded where they
// leave the range of float32. A convex volume keeps its planes in the form, and a turned cell
// keeps a pointer to the form. It does not allocate.
func (c *Closed) Close(from *form.Volume) {
	switch from.Kind {
	case form.Six:
		c.Frustum.precise = from.Precise
		c.Frustum.size.close(from)
		copy(c.Frustum.planes[:], from.Scaled())
	case form.Box:
		least, most := from.Outward()
		c.Box.box.Set(&least, &most)
	case form.Ball:
		c.Sphere.sphere = from.Sphere()
	case form.Turned:
		if c.Oriented.moved = from; from.Plain {
			c.Oriented = OrientedBox{box: from.Oriented}
		}
	default:
		c.Convex.planes = from.Scaled()
	}
}

// Asked is a volume query, passed by pointer: a copy of values that have just been written would
// stall on store forwarding.
type Asked interface{ begin(s *soa.Store) *walk }

// AppendAsked is the volume's Append for a store in place of a view. Exclude counts as [Resolve]
// has resolved it.
func AppendAsked(dst []uint32, q Asked, s *soa.Store, flt *Filter) []uint32 {
	return q.begin(s).append(dst, flt)
}

// Sweep is the type set of rays and swept shapes, as for [OpenSweep].
type Sweep interface {
	Ray | SweptBox | SweptSphere
}

// OpenSweep writes the form of a ray or a swept shape.
func OpenSweep[S Sweep](to *form.Sweep, moving *S) {
	var s *sweep
	switch q := any(moving).(type) {
	case *Ray:
		s = &q.sweep
	case *SweptBox:
		s = &q.sweep
	case *SweptSphere:
		s = &q.sweep
	}
	*to = form.Sweep{None: s.ray.InvNear[0] == 0, Until: s.most, Ball: s.balls, Round: s.round, Radius: float64(s.radius)}
	if to.Cut = float32(math.Inf(1)); s.most == math.MaxFloat32 {
		to.Until = math.Inf(1)
	}
	for a := range 3 {
		to.Min[a], to.Max[a] = float64(s.lo[a]), float64(s.hi[a])
		to.Dir[a], to.Center[a] = float64(s.dir[a]), float64(s.center[a])
	}
}

// CloseSweep makes the query of a form, whose numbers must be float32, in the type of a ray.
func CloseSweep(to *Ray, from *form.Sweep) {
	if from.None {
		*to = Ray{}
		return
	}
	var lo, hi, dir, center [3]float32
	for a := range 3 {
		lo[a], hi[a] = float32(from.Min[a]), float32(from.Max[a])
		dir[a], center[a] = float32(from.Dir[a]), float32(from.Center[a])
	}
	s := &to.sweep
	s.set(&lo, &hi, &dir, float32(from.Until))
	s.ray.Max = min(s.ray.Max, s.until(from.Cut))
	if s.round, s.balls = from.Round, false; from.Ball {
		s.setBall(&center, float32(from.Radius), min(from.Until/s.back, 0x1p127))
	}
}

// MeetBall returns the first time, from 0 to end, at which a moving ball hits a box, as
// [SweptSphere] computes it.
func MeetBall(center, dir [3]float64, radius, end float64, box *soa.AABB) (t float64, ok bool) {
	b := ball{center: center, dir: dir, radius: radius, end: end}
	b.measure()
	return b.meet(box, end)
}

// MeetOriented is [MeetBall] for the frame that contains an oriented box.
func MeetOriented(center, dir [3]float64, radius, end float64, o *soa.OrientedBox) (t float64, ok bool) {
	q, unit := tilt(center, dir, radius, end, o)
	t, ok = q.meet(&q.box, q.end)
	return t / unit, ok
}

// TouchOriented returns the point of an oriented box nearest to the centre of a ball, or a ray,
// that moves from center along dir, at time t, and the direction from that point, of any length.
// For a ray, the direction is the normal of the face entered, or zero if it started inside.
func TouchOriented(center, dir [3]float64, ray bool, t float64, o *soa.OrientedBox) (at, out [3]float64) {
	q, unit := tilt(center, dir, 0, t, o)
	at, out, _ = q.touch(float64(t*unit), ray)
	return at, out
}

// tilt returns a moving ball in the frame of an oriented box, whose times are multiplied by unit compared with
// the ball.
func tilt(center, dir [3]float64, radius, end float64, o *soa.OrientedBox) (q tilted, unit float64) {
	if unit = exact.Pull(&dir); unit == 0 { // no motion
		unit = 1
	}
	b := ball{center: center, dir: dir, radius: radius, end: float64(end * unit)}
	return b.tilt(o), unit
}

// HitOf returns the hit of a ray or a shape with the object in a lane, as the query itself
// computes it, but with the given Dist.
func HitOf(q *Ray, packets *soa.PacketColumns, slot uint32, lane int, dist float32, exact bool) (h Hit) {
	box := packets.Box(slot, lane)
	m := markOf(dist, packets.IDs[slot][lane], soa.MakeLocation(slot, lane), q.sweep.enter(&box))
	q.sweep.hit(&h, m, packets, exact)
	return h
}

// SizeOf prepares culling by size in the image (level of detail, [Frustum.MinSize]); without a minimum it is off.
func SizeOf(to *cull.Size, f *Frustum) {
	if to.Least = 0; f.size.least > 0 {
		to.Set(&f.size.depth, &f.size.near, &f.size.scale, f.size.least)
	}
}

// Resolve resolves Exclude in a view, for queries of its store by [AppendStore] and [AppendAsked].
func Resolve(flt *Filter, v linear.View) { flt.of(v) }

// Narrow removes objects rejected by the frustum's second test or by the filter from hit ranges of
// boxes that intersect the frustum.
func Narrow(f *Frustum, v linear.View, flt *Filter, ranges []asm.Range) []asm.Range {
	own := *flt
	w := f.begin(v.Store())
	w.ranges = append(w.ranges[:0], ranges...)
	w.narrow(own.of(v))
	ranges = append(ranges[:0], w.ranges...)
	w.release()
	return ranges
}
