package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// Sweep is a ray cast or a shape cast: a box, a sphere or a point that moves along a vector.
type Sweep struct {
	cast      trace.BoxRay // Back: factor from times of the kernels to lengths of dir; Most: upper limit of Dist
	lo        [3]float32   // moving box at the start
	hi        [3]float32
	dir       [3]float32
	center    [3]float32 // centre of a sphere in the box; of a ray, a sphere of radius 0
	radius    float32
	end       float64 // last time of the sphere, in the kernels' unit
	spherical bool    // the sphere moves, not the box
	balls     bool    // there is a sphere: bounds of objects can be tested
	entering  bool    // objects that are only touched are left out
}

// set sets s to the motion of a box. Queries are built in location: copying values that have just
// been written would stall on store forwarding.
func (s *Sweep) set(lo, hi, dir *[3]float32, maxT float32) {
	exp := s.cast.Ray.Set(lo, hi, dir, maxT)
	for a := range 3 {
		s.lo[a], s.hi[a], s.dir[a] = lo[a], hi[a], dir[a]
	}
	s.cast.Back = math.Float64frombits(uint64(1023-exp) << 52)
	s.cast.Most = math.MaxFloat32
	if maxT <= math.MaxFloat32 {
		s.cast.Most = float64(maxT)
	}
}

// dist returns the Dist of a time of the kernels. It does not fall as the time grows. At the ends
// of float32, and where the query ends, many times share one Dist.
func (s *Sweep) dist(t float32) float32 {
	d := float64(t) * s.cast.Back
	if d > s.cast.Most {
		d = s.cast.Most
	}
	return float32(d)
}

// last returns a time of the kernels that is not before any time with the Dist d; t is a time with
// that Dist.
func (s *Sweep) last(t, d float32) float32 {
	if d > 0x1p-126 && float64(d) < s.cast.Most {
		return t // d is t in another unit, exactly
	}
	return s.until(d)
}

// until returns a time of the kernels that is not before any time with a Dist of d or less.
func (s *Sweep) until(d float32) float32 {
	if float64(d) >= s.cast.Most {
		return float32(math.Inf(1))
	}
	// A number that is rounded to d lies within half a step of the denormals.
	x := (float64(d) + 0x1p-150) / s.cast.Back
	last := float32(x)
	return math.Float32frombits(math.Float32bits(last) + wordOf(float64(last) < x)&1) // the next one, if it was rounded down
}

// enter returns the time of entry into a box that is hit.
func (s *Sweep) enter(box *soa.AABB) (t float32) {
	for a, near := range box.Min {
		if s.cast.Ray.Off[a]&64 != 0 {
			near = box.Max[a]
		}
		if e := (near - s.cast.Ray.Near[a]) * s.cast.Ray.InvNear[a]; e > t {
			t = e
		}
	}
	return t
}

// Hit computes the hit of a key. A hit, like a query, is built in location.
func (s *Sweep) Hit(h *Hit, m HitKey, p *soa.PacketColumns, exact bool) {
	if exact && s.balls && p.Bounded() && s.hitBound(h, m, p) {
		return
	}
	if s.spherical {
		b, ball := m.box(p), s.ball()
		*h = ball.hit(m, &b)
		return
	}
	// The axis of entry and its side are as good as random: both are selected without a branch.
	b, l := &p.Bounds[m.location.Slot()], m.location.Lane()
	t, d := m.time, m.Dist()
	h.ID, h.Dist = m.ID(), d
	open := wordOf(t > 0) // all bits set until the face of entry has been found
	for a := range 3 {
		lo, hi := b[2*a][l], b[2*a+1][l]
		down := s.cast.Ray.Off[a] << 25 & (1 << 31)
		near := b[s.cast.Ray.Off[a]/64][l]
		face := open & wordOf((near-s.cast.Ray.Near[a])*s.cast.Ray.InvNear[a] == t)
		open &^= face
		// The middle of the intersection of the two boxes.
		way := float32(d * s.dir[a])
		mid := clamp(float32(clamp(s.lo[a]+way, lo, hi)*0.5)+float32(clamp(s.hi[a]+way, lo, hi)*0.5), lo, hi)
		h.Pos[a] = math.Float32frombits(math.Float32bits(near)&face | math.Float32bits(mid)&^face)
		h.Normal[a] = math.Float32frombits((math.Float32bits(-1) ^ down) & face)
	}
	if t == 0 && !s.balls {
		s.touch(h, b, l)
	}
}

// wordOf returns a word with all bits set for true.
func wordOf(yes bool) (w uint32) {
	if yes {
		w = 1
	}
	return -w
}

// clamp returns x moved into lo to hi.
func clamp(x, lo, hi float32) float32 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Start returns the moving box at the start. For a ray it is a point.
func (s *Sweep) Start() (lo, hi [3]float32) { return s.lo, s.hi }

// Motion returns the direction of a ray, or the motion of a shape: zero if the sweep hits nothing.
func (s *Sweep) Motion() [3]float32 { return s.dir }

// Limit returns the upper limit of Dist.
func (s *Sweep) Limit() float64 { return s.cast.Most }

// Sphere returns the moving sphere; that of a ray has the radius 0.
func (s *Sweep) Sphere() (center [3]float32, radius float32) { return s.center, s.radius }

// SetPoint sets s to a ray of a length.
func (s *Sweep) SetPoint(origin, dir *[3]float32, length float32) {
	s.set(origin, origin, dir, length)
	s.setBall(origin, 0, min(float64(length)/s.cast.Back, 0x1p127))
}

// SetBox sets s to a box that moves.
func (s *Sweep) SetBox(lo, hi, motion *[3]float32) { s.set(lo, hi, motion, 1) }

// SetSphere sets s to a sphere that moves, in a box that contains it at the start.
func (s *Sweep) SetSphere(lo, hi, center *[3]float32, radius float32, motion *[3]float32) {
	s.set(lo, hi, motion, 1)
	s.spherical = true
	s.setBall(center, radius, 1/s.cast.Back)
}

// SetSpan sets s to a box that moves until a time.
func (s *Sweep) SetSpan(lo, hi, dir *[3]float32, until float32) {
	s.set(lo, hi, dir, until)
	s.entering, s.spherical, s.balls = false, false, false
}

// Enter sets to to a motion that was clipped to a part. With [trace.Enters] it sets s as [Sweep.SetSpan] does, but for
// the numbers of the box and its direction, which only hits of the part's own tree need.
func (s *Sweep) Enter(to *trace.Motion, from *trace.Clipped) trace.Entry {
	s.entering, s.spherical, s.balls = false, false, false
	return from.Box(to, &s.cast)
}

// Unit returns the factor from times of s to those of the motion of [Sweep.Enter].
func (s *Sweep) Unit() float64 { return s.cast.Unit }

// Cut makes s skip objects with a Dist above d. Other hits are those without a cut, to the last digit.
func (s *Sweep) Cut(d float32) { s.cast.Ray.Max = min(s.cast.Ray.Max, s.until(d)) }

// Lift writes the sweep in float64.
func (s *Sweep) Lift(to *Swept) {
	*to = Swept{None: s.cast.Ray.InvNear[0] == 0, Until: s.cast.Most, Ball: s.balls, Spherical: s.spherical, Radius: float64(s.radius), Entering: s.entering}
	if s.cast.Most == math.MaxFloat32 {
		to.Until = math.Inf(1)
	}
	for a := range 3 {
		to.Min[a], to.Max[a] = float64(s.lo[a]), float64(s.hi[a])
		to.Dir[a], to.Center[a] = float64(s.dir[a]), float64(s.center[a])
	}
}

// Lower sets s to a sweep in float64, whose numbers must be float32.
func (s *Sweep) Lower(from *Swept) {
	if from.None {
		*s = Sweep{}
		return
	}
	var lo, hi, dir, center [3]float32
	for a := range 3 {
		lo[a], hi[a] = float32(from.Min[a]), float32(from.Max[a])
		dir[a], center[a] = float32(from.Dir[a]), float32(from.Center[a])
	}
	s.SetSpan(&lo, &hi, &dir, float32(from.Until))
	s.entering = from.Entering
	if s.spherical = from.Spherical; from.Ball {
		s.setBall(&center, float32(from.Radius), min(from.Until/s.cast.Back, 0x1p127))
	}
}
