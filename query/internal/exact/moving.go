package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Moving is a box or an oriented box that moves on a straight line, for a fast test of pairs, which decides most of
// them. Tests of a [Window] decide the others.
type Moving struct {
	center, move [3]float64
	axes         [3][3]float64 // half axes at the start, at right angles up to a cosine of 2^-18
	inverse      [3]float64    // reciprocals of the squared lengths of the axes; finite for axes of length 0
	slack        float64       // bound of the growth, the tolerance and rounding errors, along each coordinate axis
	solid        bool          // the shortest axis is at least 2^-8 of the longest
}

// SetBox sets m to a box that changes from one to another.
func (m *Moving) SetBox(from, to *soa.AABB, move *[3]float64) {
	m.axes = [3][3]float64{}
	growth, sizes := 0.0, 0.0
	for k := range 3 {
		lo, hi := float64(from.Min[k]), float64(from.Max[k])
		half := (hi - lo) / 2
		m.center[k], m.move[k], m.axes[k][k] = (lo+hi)/2, move[k], half
		growth += math.Abs((float64(to.Max[k])-float64(to.Min[k]))/2 - half)
		sizes += half
	}
	m.invert()
	m.slack = growth + m.error(sizes+growth)
}

// SetOriented sets m to an oriented box.
func (m *Moving) SetOriented(b *soa.OrientedBox, move *[3]float64) {
	sizes := 0.0
	for k := range 3 {
		x, y, z := float64(b.Axes[0][k]), float64(b.Axes[1][k]), float64(b.Axes[2][k])
		m.axes[0][k], m.axes[1][k], m.axes[2][k] = x, y, z
		m.center[k], m.move[k] = float64(b.Center[k]), move[k]
		sizes += math.Abs(x) + math.Abs(y) + math.Abs(z)
	}
	m.invert()
	m.slack = float64(sizes*0x1p-15) + m.error(sizes) // the first term exceeds the growth of a Frame
}

// error returns more than the rounding errors of tests, and twice the margins of those of a [Window].
func (m *Moving) error(sizes float64) float64 {
	return float64((sizes + sum(&m.center) + sum(&m.move)) * rounding)
}

// invert sets the fields that follow from the axes.
func (m *Moving) invert() {
	x, y, z := dot(&m.axes[0], &m.axes[0]), dot(&m.axes[1], &m.axes[1]), dot(&m.axes[2], &m.axes[2])
	const least = 1e-300 // does not change squares of float32
	m.inverse[0], m.inverse[1], m.inverse[2] = 1/(x+least), 1/(y+least), 1/(z+least)
	m.solid = max(x, y, z) < min(x, y, z)*0x1p16
}

const (
	rounding = 0x1p-44    // share of sizes, positions and motions
	inside   = 1 - 0x1p-6 // squared coordinate, in lengths of axes, of a point surely inside
)

// Verdict is the result of [Moving.Judge].
type Verdict int

// The verdicts of two shapes in motion.
const (
	Unsure  Verdict = iota
	Apart           // they are apart all the time
	Touches         // they touch at the start
)

// Judge decides for most pairs of shapes whether they touch. Those that touch at the start do so by the tests
// of a [Window], too, and those that are apart do not.
//
// It projects the centre of o onto m, the result onto o, and that onto m. A projection onto one shape that is inside
// the other is a common point. The vector between two projections is an axis that may separate the shapes. They are
// apart if it separates them at the start and at the end, by more than the slack.
func (m *Moving) Judge(o *Moving) Verdict {
	wx, wy, wz := o.center[0]-m.center[0], o.center[1]-m.center[1], o.center[2]-m.center[2]
	dx, dy, dz := o.move[0]-m.move[0], o.move[1]-m.move[1], o.move[2]-m.move[2]
	slack := float64((m.slack + o.slack) * 2) // times the length: at least the slack along each coordinate axis
	p, q, r := &m.axes[0], &m.axes[1], &m.axes[2]
	s, t, u := along(p, wx, wy, wz)*m.inverse[0], along(q, wx, wy, wz)*m.inverse[1], along(r, wx, wy, wz)*m.inverse[2]
	s, t, u = clamp(s), clamp(t), clamp(u)
	x, y, z := mix(p[0], q[0], r[0], s, t, u)-wx, mix(p[1], q[1], r[1], s, t, u)-wy, mix(p[2], q[2], r[2], s, t, u)-wz
	for second := false; ; second = true {
		p, q, r = &o.axes[0], &o.axes[1], &o.axes[2]
		s, t, u = along(p, x, y, z)*o.inverse[0], along(q, x, y, z)*o.inverse[1], along(r, x, y, z)*o.inverse[2]
		if s*s <= inside && t*t <= inside && u*u <= inside && o.solid {
			return Touches
		}
		s, t, u = clamp(s), clamp(t), clamp(u)
		ax, ay, az := mix(p[0], q[0], r[0], s, t, u), mix(p[1], q[1], r[1], s, t, u), mix(p[2], q[2], r[2], s, t, u)
		nx, ny, nz := x-ax, y-ay, z-az
		limit := math.Abs(along(p, nx, ny, nz)) + math.Abs(along(q, nx, ny, nz)) + math.Abs(along(r, nx, ny, nz)) +
			math.Abs(along(&m.axes[0], nx, ny, nz)) + math.Abs(along(&m.axes[1], nx, ny, nz)) + math.Abs(along(&m.axes[2], nx, ny, nz)) +
			float64(math.Sqrt(mix(nx, ny, nz, nx, ny, nz))*slack)
		if at := -mix(nx, ny, nz, wx, wy, wz); at > limit && at-mix(nx, ny, nz, dx, dy, dz) > limit {
			return Apart
		}
		if second {
			return Unsure
		}
		m, o = o, m
		x, y, z = ax+wx, ay+wy, az+wz
		wx, wy, wz, dx, dy, dz = -wx, -wy, -wz, -dx, -dy, -dz
	}
}

// JudgeBall decides for most pairs of a ball and the shape whether they touch, like [Moving.Judge]. The axis
// is the vector from the point of the box that is nearest to the centre of the ball.
func (m *Moving) JudgeBall(s *[4]float32, move *[3]float64) Verdict {
	x, y, z := float64(s[0])-m.center[0], float64(s[1])-m.center[1], float64(s[2])-m.center[2]
	p, q, r := &m.axes[0], &m.axes[1], &m.axes[2]
	a, b, c := clamp(along(p, x, y, z)*m.inverse[0]), clamp(along(q, x, y, z)*m.inverse[1]), clamp(along(r, x, y, z)*m.inverse[2])
	nx, ny, nz := x-mix(p[0], q[0], r[0], a, b, c), y-mix(p[1], q[1], r[1], a, b, c), z-mix(p[2], q[2], r[2], a, b, c)
	square, radius := mix(nx, ny, nz, nx, ny, nz), float64(s[3])
	if square < float64(float64(radius*radius)*(1-0x1p-20)) {
		return Touches
	}
	slack := m.slack + float64((math.Abs(float64(s[0]))+math.Abs(float64(s[1]))+math.Abs(float64(s[2]))+radius+sum(move))*rounding)
	limit := math.Abs(along(p, nx, ny, nz)) + math.Abs(along(q, nx, ny, nz)) + math.Abs(along(r, nx, ny, nz)) +
		float64(math.Sqrt(square)*(radius+float64(slack*2)))
	at := mix(nx, ny, nz, x, y, z)
	if at > limit && at+mix(nx, ny, nz, move[0]-m.move[0], move[1]-m.move[1], move[2]-m.move[2]) > limit {
		return Apart
	}
	return Unsure
}

// along returns a dot product.
func along(a *[3]float64, x, y, z float64) float64 {
	return float64(a[0]*x) + float64(a[1]*y) + float64(a[2]*z)
}

// mix returns the dot product of (a, b, c) and (x, y, z).
func mix(a, b, c, x, y, z float64) float64 { return float64(a*x) + float64(b*y) + float64(c*z) }

// clamp returns the number in [-1, 1] that is nearest to x, up to rounding.
func clamp(x float64) float64 { return (math.Abs(x+1) - math.Abs(x-1)) / 2 }
