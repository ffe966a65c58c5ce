package walk

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// movingBall is a moving sphere in float64, in the kernels' unit of time.
type movingBall struct {
	center, dir [3]float64
	radius, end float64
	most        float64 // largest coordinate of the centre and the motion, by size
}

// measure sets most.
func (b *movingBall) measure() {
	b.most = 0
	for a := range 3 {
		b.most = max(b.most, math.Abs(b.center[a]), math.Abs(float64(b.dir[a]*b.end)))
	}
}

// reach returns the distance from the box at which the centre touches it, and the largest number
// in the test.
func (b *movingBall) reach(box *soa.AABB) (reach, most float64) {
	bits := uint32(0) // of the largest coordinate, by size
	for a := range 3 {
		bits = max(bits, math.Float32bits(box.Min[a])&^(1<<31), math.Float32bits(box.Max[a])&^(1<<31))
	}
	if most = float64(math.Float32frombits(bits)); most < b.most {
		most = b.most
	}
	return float64(b.radius*(1+0x1p-40)) + float64(most*0x3p-45), most
}

// gaps returns, on each axis, the distance of the centre at time t outside the box, and its growth
// in a unit of time around the time near.
func (b *movingBall) gaps(box *soa.AABB, t, near float64) (gap, slope [3]float64) {
	for a := range 3 {
		c, d := b.center[a], b.dir[a]
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		at := c + float64(near*d)
		if at < lo {
			gap[a], slope[a] = lo-c-float64(t*d), -d
		} else if at > hi {
			gap[a], slope[a] = c-hi+float64(t*d), d
		}
		if gap[a] < 0 {
			gap[a] = 0
		}
	}
	return gap, slope
}

// firstTime returns the first time at which the centre is within reach of the box. Where that is
// plainly after the time last it may return false.
func (b *movingBall) firstTime(box *soa.AABB, last float64) (t float64, ok bool) {
	reach, most := b.reach(box)
	limit := float64(reach * reach)
	gap, slope := b.gaps(box, 0, 0)
	q0, q1 := exact.Dot(gap, gap), exact.Dot(gap, slope)
	if q0 <= limit {
		return 0, true
	}
	if q1 >= 0 {
		return 0, false // the distance only grows
	}
	if b.above(box, min(b.end, last), q0, q1, limit+float64(most*most*0x1p-40)) {
		return 0, false
	}
	return b.follow(box, limit)
}

// above reports whether the squared distance, q0 at first and falling by 2*q1, is above the limit
// up to the time end: as a convex function it is nowhere below its tangents at 0 and at end.
func (b *movingBall) above(box *soa.AABB, end, q0, q1, limit float64) bool {
	if q0+float64(2*q1*end) > limit {
		return true
	}
	gap, slope := b.gaps(box, end, end)
	p0, p1 := exact.Dot(gap, gap), exact.Dot(gap, slope)
	if p1 <= 0 {
		return p0 > limit // it falls until end
	}
	crossing := (q0 - p0 + float64(2*p1*end)) / (2 * (p1 - q1)) // intersection of the tangents
	return q0+float64(2*q1*crossing) > limit
}

// stops writes the times at which one parabola ends and the next begins: n of them in order, the first of which is
// 0, and the end of the last.
func (b *movingBall) stops(stops *[8]float64, box *soa.AABB) (n int) {
	n = 1
	for a := range 3 {
		if b.dir[a] == 0 {
			continue
		}
		for _, face := range [2]float32{box.Min[a], box.Max[a]} {
			if s := (float64(face) - b.center[a]) / b.dir[a]; s > 0 && s < b.end {
				stops[n] = s
				n++
			}
		}
	}
	stops[n] = b.end
	slices.Sort(stops[:n])
	return n
}

// follow follows the parabolas until the squared distance is limit.
func (b *movingBall) follow(box *soa.AABB, limit float64) (t float64, ok bool) {
	var stops [8]float64
	n := b.stops(&stops, box)
	for i, from := range stops[:n] {
		to := stops[i+1]
		middle := from + (to-from)/2
		gap, slope := b.gaps(box, from, middle)
		q0, q1, q2 := exact.Dot(gap, gap), exact.Dot(gap, slope), exact.Dot(slope, slope)
		if q0 <= limit {
			return from, true
		}
		if q1 >= 0 {
			return 0, false // the distance only grows
		}
		// The lowest point decides. It is computed from the gaps there, without loss of digits at any
		// distance of the start.
		low := min(-q1/q2, to-from)
		gap, _ = b.gaps(box, from+low, middle)
		if exact.Dot(gap, gap) > limit {
			continue
		}
		over := q0 - limit
		root := math.Sqrt(max(0, float64(q1*q1)-float64(q2*over)))
		return from + min(low, over/(root-q1)), true
	}
	return 0, false
}

// refine refines the time t at which the box around the shape hits an object. It may return false
// for a time later than c.last, and returns it for an object that is left out.
func (c *Cast) refine(s *Sweep, p *soa.PacketColumns, slot uint32, lane int, exact bool, t *float32) bool {
	end := float64(float64(c.last)*(1+0x1p-23)) + 0x1p-149 // times that may be rounded to last
	bound := false
	if exact && s.balls && p.Bounded() {
		if o, has := p.Sphere(slot, lane); has {
			b, point := c.ball.towards(o)
			at, ok := b.firstTime(&point, end)
			if !ok {
				return false
			}
			*t, bound = max(*t, float32(at)), true
		}
		if o, has := p.Oriented(slot, lane); has {
			q := c.ball.tilt(&o)
			at, ok := q.firstTime(&q.box, end)
			if !ok {
				return false
			}
			*t, bound = max(*t, float32(at)), true
		}
	}
	if !bound && s.spherical {
		box := p.Box(slot, lane)
		at, ok := c.ball.firstTime(&box, end)
		if !ok {
			return false
		}
		*t = max(*t, float32(at))
	}
	return !s.entering || c.enters(s, p, slot, lane, exact)
}

// hit computes the hit of a key.
func (b *movingBall) hit(m HitKey, box *soa.AABB) Hit {
	h := Hit{ID: m.ID(), Dist: m.Dist()}
	t, _ := b.firstTime(box, b.end)
	var out [3]float64
	for a := range 3 {
		c := b.center[a] + float64(t*b.dir[a])
		near := min(max(c, float64(box.Min[a])), float64(box.Max[a]))
		h.Pos[a], out[a] = float32(near), c-near
	}
	if length := math.Sqrt(exact.Dot(out, out)); length > 0 && (h.Dist > 0 || b.touches(box, length)) {
		for a := range 3 {
			h.Normal[a] = float32(out[a] / length)
		}
	}
	return h
}

// BallTime returns the first time, from 0 to end, at which a moving ball hits a box, as
// [SweptSphere] computes it. Coordinates and motions may have any magnitude.
func BallTime(center, dir [3]float64, radius, end float64, box *soa.AABB) (t float64, ok bool) {
	b, unit := pull(center, dir, radius, end)
	if b.isVast() {
		return 0, true
	}
	t, ok = b.firstTime(box, b.end)
	return t / unit, ok
}

// BallTimeOriented is [BallTime] for the frame that contains an oriented box.
func BallTimeOriented(center, dir [3]float64, radius, end float64, o *soa.OrientedBox) (t float64, ok bool) {
	b, unit := pull(center, dir, radius, end)
	if b.isVast() {
		return 0, true
	}
	q := b.tilt(o)
	t, ok = q.firstTime(&q.box, q.end)
	return t / unit, ok
}

// pull returns a moving ball with its motion divided by a power of two, so that the largest component is in [1, 2).
// Its times are multiplied by unit. Products of two lengths and two components of the motion then are finite.
func pull(center, dir [3]float64, radius, end float64) (b movingBall, unit float64) {
	if unit = exact.Pull(&dir); unit == 0 { // no motion
		unit = 1
	}
	b = movingBall{center: center, dir: dir, radius: radius, end: float64(end * unit)}
	b.measure()
	return b, unit
}

// isVast reports whether squares of lengths may exceed float64, as they do only below several transforms. Such a ball
// is taken to hit each box at time 0.
func (b *movingBall) isVast() bool { return !(max(b.most, b.radius) < 0x1p500) }

// OrientedContact returns the point of an oriented box nearest to the centre of a ball, or a ray,
// that moves from center along dir, at time t, and the vector from that point to the centre.
// For a ray, it is the normal of the face entered, of any length, or zero if it started inside.
func OrientedContact(center, dir [3]float64, ray bool, t float64, o *soa.OrientedBox) (at, out [3]float64) {
	q, unit := tilt(center, dir, 0, t, o)
	at, out, _ = q.touch(float64(t*unit), ray)
	for a := range 3 {
		out[a] *= q.back
	}
	return at, out
}

// tilt returns a moving ball in the frame of an oriented box, whose times are multiplied by unit compared with
// the ball.
func tilt(center, dir [3]float64, radius, end float64, o *soa.OrientedBox) (q tilted, unit float64) {
	b, unit := pull(center, dir, radius, end)
	return b.tilt(o), unit
}
