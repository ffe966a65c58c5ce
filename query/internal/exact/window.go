package exact

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Window is the interval of time, within [0, 1], in which shapes that move on straight lines overlap.
// Convex shapes that keep their orientation overlap in one interval. Each test narrows it and reports
// whether it is not empty. Rounding may widen a window, never narrow it.
type Window struct{ Enter, Leave float64 }

// Always is the window of shapes that overlap all the time.
var Always = Window{0, 1}

// Line narrows w to the time in which a linear function that is f0 at time 0 and f1 at time 1 is not
// above 0:
//
//	f0 <= 0, f1 <= 0    the whole time
//	f0 > 0,  f1 <= 0    from   f0/(f0-f1) * (1 - 2^-50)
//	f0 <= 0, f1 > 0     until  f0/(f0-f1) * (1 + 2^-50)
//	f0 > 0,  f1 > 0     never
func (w *Window) Line(f0, f1 float64) bool {
	switch {
	case f0 > 0 && f1 > 0:
		w.Leave = -1
	case f0 > 0:
		w.Enter = max(w.Enter, float64(f0/(f0-f1)*(1-0x1p-50)))
	case f1 > 0:
		w.Leave = min(w.Leave, float64(f0/(f0-f1)*(1+0x1p-50)))
	}
	return w.Enter <= w.Leave
}

// reachShare is the share of the largest number in a test of balls by which their radius is larger.
// Gaps and their squares are off by less than 2^-50 of it, and times by as much of the motion.
const reachShare = 0x1p-46

// Balls narrows w to the time in which two balls overlap. At time 0 the vector between their centres
// is way; the first moves by m, the second by n. radius is the sum of the radii. Leave is narrowed only
// if leaves is set.
func (w *Window) Balls(way, m, n *[3]float64, radius float64, leaves bool) bool {
	q0 := dot(way, way)
	if q0 <= float64(radius*radius) && !leaves {
		return true
	}
	d := [3]float64{n[0] - m[0], n[1] - m[1], n[2] - m[2]}
	most := radius
	for a := range way {
		most = max(most, math.Abs(way[a]), math.Abs(m[a])+math.Abs(n[a]))
	}
	reach := radius + float64(most*reachShare)
	limit := float64(reach * reach)
	q1, q2 := dot(way, &d), dot(&d, &d)
	if q2 == 0 || q0 > limit && q1 >= 0 {
		return q0 <= limit
	}
	lowest, half, ok := chord(way, &d, q1, q2, limit)
	if !ok {
		return false
	}
	if q0 > limit {
		w.Enter = max(w.Enter, lowest-half)
	}
	w.Leave = min(w.Leave, lowest+half)
	return w.Enter <= w.Leave
}

// chord returns the time at which |g + t*d| is smallest, and half the time in which its square is not
// above limit, from the products q1 = g·d and q2 = d·d. The value there is computed from g, without loss
// of digits at any distance. ok is false if that square is above limit.
func chord(g, d *[3]float64, q1, q2, limit float64) (lowest, half float64, ok bool) {
	lowest = -q1 / q2
	x, y, z := g[0]+float64(lowest*d[0]), g[1]+float64(lowest*d[1]), g[2]+float64(lowest*d[2])
	under := limit - (float64(x*x) + float64(y*y) + float64(z*z))
	return lowest, math.Sqrt(max(under, 0) / q2), under >= 0
}

// Gap is the position of a moving point relative to a moving and growing interval at the times 0 and
// 1: how far it is below its minimum and above its maximum. Negative numbers are distances inside.
type Gap struct{ Below, Above [2]float64 }

// BallBox narrows w to the time in which a ball overlaps a box; g are the gaps between its centre and
// the box on each axis, and most is at least the size of each component of the motions. Leave is
// narrowed only if leaves is set.
func (w *Window) BallBox(g *[3]Gap, radius, most float64, leaves bool) bool {
	most = max(most, radius)
	for a := range g {
		b := &g[a]
		most = max(most, math.Abs(b.Below[0]), math.Abs(b.Below[1]), math.Abs(b.Above[0]), math.Abs(b.Above[1]))
	}
	reach := radius + float64(most*reachShare)
	for a := range g {
		if b := &g[a]; b.Below[0] > reach && b.Below[1] > reach || b.Above[0] > reach && b.Above[1] > reach {
			return false
		}
	}
	t, ok := firstWithin(g, reach)
	if !ok {
		return false
	}
	w.Enter = max(w.Enter, t)
	if leaves {
		back := *g
		for a := range back {
			for _, f := range [2]*[2]float64{&back[a].Below, &back[a].Above} {
				f[0], f[1] = f[1], f[0]
			}
		}
		if t, ok = firstWithin(&back, reach); ok {
			w.Leave = min(w.Leave, 1-t)
		}
	}
	return w.Enter <= w.Leave
}

// firstWithin returns the first time at which a point is within reach of a box. The squared distance
// is a convex function of up to seven parabolas, which end where the point passes a face.
func firstWithin(g *[3]Gap, reach float64) (t float64, ok bool) {
	var stops [8]float64
	n, limit := 1, float64(reach*reach)
	for a := range g {
		for _, f := range [2]*[2]float64{&g[a].Below, &g[a].Above} {
			if f[0] < 0 != (f[1] < 0) {
				stops[n] = f[0] / (f[0] - f[1])
				n++
			}
		}
	}
	stops[n] = 1
	slices.Sort(stops[:n])
	for i, from := range stops[:n] {
		to := stops[i+1]
		gap, slope := pieceOf(g, from+(to-from)/2)
		var start [3]float64
		for a := range start {
			start[a] = gap[a] + float64(from*slope[a])
		}
		if Dot(start, start) <= limit {
			return from, true
		}
		if Dot(start, slope) >= 0 {
			return 0, false // the distance only grows
		}
		if lowest, half, ok := chord(&gap, &slope, Dot(gap, slope), Dot(slope, slope), limit); ok && lowest-half <= to {
			return max(lowest-half, from), true
		}
	}
	return 0, false
}

// pieceOf returns the gaps of the axes on which the point is outside at time t, extended to time 0,
// and their growth.
func pieceOf(g *[3]Gap, t float64) (gap, slope [3]float64) {
	for a := range g {
		for _, f := range [2]*[2]float64{&g[a].Below, &g[a].Above} {
			if d := f[1] - f[0]; f[0]+float64(t*d) > 0 {
				gap[a], slope[a] = f[0], d
			}
		}
	}
	return gap, slope
}

// MovingSolid is a solid for [Window.Solids]: its centre moves by Move, and its half axes change to End,
// if they do.
type MovingSolid struct {
	Solid
	Move, End [3]float64
	Grows     bool

	finished bool // Faces are set
}

// SetOriented sets s to an oriented box. Its directions are the axes, of any length, which takes less
// time than [Solid.SetOriented]: products of up to four lengths of float32, or one less and directions of
// length 1, neither overflow nor underflow in float64.
func (s *MovingSolid) SetOriented(b *soa.OrientedBox, move *[3]float64) {
	s.Grows, s.finished = false, false
	u, v, w := &b.Axes[0], &b.Axes[1], &b.Axes[2]
	for k := range 3 { // one by one, without copies of arrays, which wait until all elements are stored
		x, y, z, c := float64(u[k]), float64(v[k]), float64(w[k]), float64(b.Center[k])
		s.Dirs[0][k], s.Dirs[1][k], s.Dirs[2][k], s.Half[k] = x, y, z, 1
		s.Center[k], s.Move[k], s.Size[k] = c, move[k], math.Abs(c)+math.Abs(x)+math.Abs(y)+math.Abs(z)
	}
}

// SetBox sets s to a box that changes from one to another.
func (s *MovingSolid) SetBox(from, to *soa.AABB) {
	var end Solid
	s.Solid.SetBox(from)
	end.SetBox(to)
	for k := range 3 {
		s.Move[k] = end.Center[k] - s.Center[k]
		s.Size[k] = max(s.Size[k], end.Size[k]) + end.Half[k]
	}
	s.End, s.Grows, s.finished = end.Half, end.Half != s.Half, true
}

// least returns the half axes at the end of the motion at which they are smaller.
func (s *MovingSolid) least() (half [3]float64) {
	if !s.Grows {
		return s.Half
	}
	for i := range half {
		half[i] = min(s.Half[i], s.End[i])
	}
	return half
}

// finish sets the normals of faces, and gives directions to axes of length zero. It reports whether there are any.
func (s *MovingSolid) finish() (flat bool) {
	if s.finished {
		return false
	}
	s.finished = true
	for i := range 3 {
		if isZero(&s.Dirs[i]) {
			s.Half[i], flat = 0, true
		}
	}
	if flat {
		s.complete()
	}
	for i := range 3 {
		j, k := after(i)
		s.Faces[i] = cross(&s.Dirs[j], &s.Dirs[k])
	}
	return flat
}

// Solids narrows w to the time in which two moving solids overlap, by the axes of [Solid.Overlaps]: on
// each of them the gap changes linearly. With m the sum of the sizes of both, of the lengths of their
// motions and of half axes that change, gaps are smaller by
//
//	2^-48 * (|lx|*mx + |ly|*my + |lz|*mz) + 2^-1000
//
// which exceeds twice the rounding errors: those of [Solid.Overlaps], 3*2^-53 of the bracket for the
// motion, and as much for each edge at right angles to l, which is left out of the radii.
//
// The radii on an axis D×E are products of an edge of one solid and the normal of a face of the other, which
// the tests of faces have, and its product with a vector v is E·(v×D). Where edges are nearly parallel these
// products lose digits that D×E has: they are off by 20*2^-53 * |D| * |E| * |m| at most, with sums of components
// for lengths. So they only decide, with 2^-48 for 20*2^-53, that the solids overlap along D×E all the time.
// Otherwise D×E is computed.
func (w *Window) Solids(a, b *MovingSolid) bool {
	s := sweep{w: w, a: a, b: b, grows: a.Grows || b.Grows}
	for k := range 3 {
		s.way[k] = b.Center[k] - a.Center[k]
		s.end[k] = s.way[k] + (b.Move[k] - a.Move[k])
		s.m[k] = (a.Size[k] + b.Size[k] + math.Abs(a.Move[k]) + math.Abs(b.Move[k])) * (2 * offShare)
	}
	a.finish()
	ha, hb := &a.Half, &b.Half
	if s.grows {
		la, lb := a.least(), b.least()
		ha, hb = &la, &lb
	}
	var p, q [3][3]float64 // p[i][j] is |a.Faces[i]·b.Dirs[j]|, q[i][j] is |a.Dirs[i]·b.Faces[j]|
	for i := range 3 {
		l, row := &a.Faces[i], &p[i]
		x, y, z := math.Abs(dot(l, &b.Dirs[0])), math.Abs(dot(l, &b.Dirs[1])), math.Abs(dot(l, &b.Dirs[2]))
		row[0], row[1], row[2] = x, y, z
		r := float64(x*hb[0]) + float64(y*hb[1]) + float64(z*hb[2])
		if !s.along(l, float64(math.Abs(dot(l, &a.Dirs[i]))*ha[i])+r) {
			return false
		}
	}
	if b.finish() {
		for i := range 3 {
			for j := range 3 {
				p[i][j] = math.Abs(dot(&a.Faces[i], &b.Dirs[j]))
			}
		}
		for j := range 3 {
			hb[j] = min(hb[j], b.Half[j])
		}
	}
	for j := range 3 {
		l := &b.Faces[j]
		x, y, z := math.Abs(dot(l, &a.Dirs[0])), math.Abs(dot(l, &a.Dirs[1])), math.Abs(dot(l, &a.Dirs[2]))
		q[0][j], q[1][j], q[2][j] = x, y, z
		r := float64(x*ha[0]) + float64(y*ha[1]) + float64(z*ha[2])
		if !s.along(l, float64(math.Abs(dot(l, &b.Dirs[j]))*hb[j])+r) {
			return false
		}
	}
	size := s.m[0] + s.m[1] + s.m[2]
	nb := [3]float64{sum(&b.Dirs[0]), sum(&b.Dirs[1]), sum(&b.Dirs[2])}
	for i := range 3 {
		i1, i2 := after(i)
		d := &a.Dirs[i]
		c0, c1, off := cross(&s.way, d), cross(&s.end, d), float64(sum(d)*size)
		for j := range 3 {
			j1, j2 := after(j)
			e := &b.Dirs[j]
			r := float64(p[i2][j]*ha[i1]) + float64(p[i1][j]*ha[i2]) +
				float64(q[i][j2]*hb[j1]) + float64(q[i][j1]*hb[j2]) - float64(off*nb[j])
			if x0, x1 := dot(&c0, e), dot(&c1, e); x0 <= r && x0 >= -r && x1 <= r && x1 >= -r {
				continue
			}
			l := cross(d, e)
			r = float64(math.Abs(dot(&l, &a.Dirs[i1]))*ha[i1]) + float64(math.Abs(dot(&l, &a.Dirs[i2]))*ha[i2]) +
				float64(math.Abs(dot(&l, &b.Dirs[j1]))*hb[j1]) + float64(math.Abs(dot(&l, &b.Dirs[j2]))*hb[j2])
			if !s.along(&l, r) {
				return false
			}
		}
	}
	return true
}

// after returns the two axes after i.
func after(i int) (j, k int) {
	j, k = i+1, i+2
	if j > 2 {
		j -= 3
	}
	if k > 2 {
		k -= 3
	}
	return j, k
}

// BallApart reports whether a plane normal to an edge separates a ball, which moves by move, and an
// oriented box all the time. It may be false for others that are apart.
func (b *MovingSolid) BallApart(center, move *[3]float64, radius float64) bool {
	var s sweep
	for k := range 3 {
		s.way[k] = b.Center[k] - center[k]
		s.end[k] = s.way[k] + (b.Move[k] - move[k])
		s.m[k] = (b.Size[k] + math.Abs(center[k]) + radius + math.Abs(b.Move[k]) + math.Abs(move[k])) * (2 * offShare)
	}
	for i := range 3 {
		if l := &b.Dirs[i]; s.apart(l, b.reach(l)+float64(radius*math.Sqrt(dot(l, l)))) {
			return true
		}
	}
	return false
}

// sweep is the motion of two solids: the vector between their centres at the times 0 and 1, and the
// sizes, times the share that is added to radii.
type sweep struct {
	w           *Window
	a, b        *MovingSolid
	way, end, m [3]float64
	grows       bool
}

// off returns the margin of an axis.
func (s *sweep) off(l *[3]float64) float64 {
	return float64(math.Abs(l[0])*s.m[0]) + float64(math.Abs(l[1])*s.m[1]) + float64(math.Abs(l[2])*s.m[2]) + offLeast
}

// apart reports whether a plane normal to l separates the solids all the time, the sum of whose radii is
// r at the start.
func (s *sweep) apart(l *[3]float64, r float64) bool {
	x0, x1 := dot(l, &s.way), dot(l, &s.end)
	if x0 < 0 {
		x0, x1 = -x0, -x1
	}
	if x0 <= r || x1 <= r {
		return false
	}
	off := s.off(l)
	if s.grows {
		return x0 > r+off && x1 > s.a.reachAtEnd(l)+s.b.reachAtEnd(l)+off
	}
	return min(x0, x1) > r+off
}

// along narrows the window to the time in which no plane normal to l separates the solids. r is the sum of
// their radii, of the least ones if they grow.
func (s *sweep) along(l *[3]float64, r float64) bool {
	x0, x1 := dot(l, &s.way), dot(l, &s.end)
	if x0 <= r && x0 >= -r && x1 <= r && x1 >= -r {
		return true // all the time
	}
	off := s.off(l)
	r0 := r + off
	r1 := r0
	if s.grows {
		r0 = s.a.reach(l) + s.b.reach(l) + off
		r1 = s.a.reachAtEnd(l) + s.b.reachAtEnd(l) + off
	}
	return s.w.Line(x0-r0, x1-r1) && s.w.Line(-x0-r0, -x1-r1)
}

// reach is [Solid.Radius] without copies.
func (s *Solid) reach(l *[3]float64) float64 {
	return float64(math.Abs(dot(l, &s.Dirs[0]))*s.Half[0]) +
		float64(math.Abs(dot(l, &s.Dirs[1]))*s.Half[1]) +
		float64(math.Abs(dot(l, &s.Dirs[2]))*s.Half[2])
}

// reachAtEnd is reach at the end of the motion.
func (s *MovingSolid) reachAtEnd(l *[3]float64) (r float64) {
	if !s.Grows {
		return s.reach(l)
	}
	for i := range s.End {
		r += float64(math.Abs(dot(l, &s.Dirs[i])) * s.End[i])
	}
	return r
}

// dot is [Dot] without copies.
func dot(a, b *[3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// cross is [Cross] without copies.
func cross(a, b *[3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// sum returns the sum of the sizes of the components.
func sum(a *[3]float64) float64 { return math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2]) }
