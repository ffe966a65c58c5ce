package pair

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Moving is a convex shape that moves on a straight line during a time step, for continuous collision detection: a
// box, which may change its size, an oriented box, or a ball. The fourth number of a row is 0 unless it has a meaning
// of its own.
type Moving struct {
	Center   [4]float64    // at the start; the fourth bounds growth, tolerance and rounding errors along each axis
	Move     [4]float64    // the fourth is the radius of the ball, or 0
	Axes     [3][4]float64 // half axes at the start, at right angles up to a cosine of 2^-18; 0 of a ball
	Inverse  [4]float64    // reciprocals of the squared lengths of the axes; the fourth is inside or, of boxes, -1
	Min, Max [4]float64    // bounds of the shape during the step; no zero is negative
}

var _ [0]struct{} = [unsafe.Sizeof(Moving{}) - 256]struct{}{} // kernels shift indices

// Constants of the test. Rounding errors are below 2^-50 of sizes, positions and motions.
const (
	leastSquare = 1e-300     // does not change squares of float32
	rounding    = 0x1p-44    // share of sizes, positions and motions by which gaps are reduced
	tolerance   = 0x1p-15    // share of an oriented box by which a frame around it may be larger, and more
	outward     = 0x1p-49    // share by which bounds are larger; exceeds their rounding errors
	inside      = 1 - 0x1p-6 // squared coordinate, in lengths of axes, of a point surely inside
	solidShare  = 0x1p16     // largest ratio of two squared axes with which that holds
	within      = 1 - 0x1p-20
)

// noCenter is the centre of a shape that no test decides: a NaN.
var noCenter = math.Float64frombits(math.MaxUint64)

// Set sets m to the shape of an object: its oriented box, or else its ball, or else the box of the step. The radius of
// the ball is negative if there is none, and oriented is nil. Bounds move as the middle of the box does. For an object
// with a ball and an oriented box, Min and Max bound the oriented box, and [Judge] returns Unsure.
func (m *Moving) Set(step *[2]soa.AABB, ball *[4]float32, oriented *soa.OrientedBox) {
	*m = Moving{}
	var errors [3]float64
	for k := range 3 {
		from, to := [2]float64{float64(step[0].Min[k]), float64(step[0].Max[k])}, [2]float64{float64(step[1].Min[k]), float64(step[1].Max[k])}
		move := ((to[0] - from[0]) + (to[1] - from[1])) / 2
		var center, reach, own float64
		switch {
		case oriented != nil:
			u, v, w := float64(oriented.Axes[0][k]), float64(oriented.Axes[1][k]), float64(oriented.Axes[2][k])
			center, m.Axes[0][k], m.Axes[1][k], m.Axes[2][k] = float64(oriented.Center[k]), u, v, w
			reach = math.Abs(u) + math.Abs(v) + math.Abs(w)
			own = float64(reach * tolerance)
		case ball[3] >= 0:
			center, reach, m.Move[3] = float64(ball[k]), float64(ball[3]), float64(ball[3])
		default:
			half := (from[1] - from[0]) / 2
			center, m.Axes[k][k] = (from[0]+from[1])/2, half
			own = math.Abs((to[1]-to[0])/2 - half)
			reach = half + own
		}
		m.Center[k], m.Move[k] = center, move
		errors[k] = own + float64((reach+math.Abs(center)+math.Abs(move))*rounding)
		if oriented == nil && !(ball[3] >= 0) {
			m.Min[k], m.Max[k] = min(from[0], to[0])+0, max(from[1], to[1])+0
			continue
		}
		middle := center + move/2
		reach += math.Abs(move / 2)
		reach += float64((math.Abs(middle) + reach) * outward)
		m.Min[k], m.Max[k] = middle-reach, middle+reach
	}
	m.Center[3] = errors[0] + errors[1] + errors[2]
	var square [3]float64
	for i := range square {
		a := &m.Axes[i]
		square[i] = dot3(a, a)
		m.Inverse[i] = 1 / (square[i] + leastSquare)
	}
	bounded := oriented != nil // two boxes are tested exactly
	if m.Inverse[3] = -1; bounded && max(square[0], square[1], square[2]) < min(square[0], square[1], square[2])*solidShare {
		m.Inverse[3] = inside
	}
	if oriented != nil && ball[3] >= 0 {
		m.Center[0], m.Center[1], m.Center[2] = noCenter, noCenter, noCenter
	}
}

// dot3 returns the dot product of two vectors of three numbers.
func dot3(a, b *[4]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// A moving kernel takes at most movingPerCall objects or pairs in one call.
const movingPerCall = 256

// movingArgs is the argument of the kernel that reads objects.
type movingArgs struct {
	to       *Moving
	at       *soa.Location
	n        int
	ids      *uint32
	steps    *[2]soa.AABB
	count    int // of steps
	bounds   *soa.Packet
	spheres  *soa.SphereLanes   // nil if there are none
	oriented *soa.OrientedLanes // nil if there are none
}

// ReadMoving sets to to the shapes of the objects at these locations, as [Moving.Set] does. An object without a step
// by its ID, or with a step of zeros, rests. It panics if to is shorter than at.
func ReadMoving(to []Moving, at []soa.Location, steps [][2]soa.AABB, p *soa.PacketColumns) {
	if len(to) < len(at) {
		panic(fmt.Sprintf("pair: ReadMoving: %d objects into %d", len(at), len(to)))
	}
	for i := 0; i < len(at); i += movingPerCall {
		k := min(movingPerCall, len(at)-i)
		readMoving(&movingArgs{
			to: &to[i], at: &at[i], n: k, ids: &p.IDs[0][0], steps: unsafe.SliceData(steps), count: len(steps),
			bounds: &p.Bounds[0], spheres: firstOf(p.Spheres), oriented: firstOf(p.OrientedBoxes),
		})
	}
}

// firstOf returns the first row of a column, or nil if it is not in use: then it is empty, but may have memory.
func firstOf[T any](rows []T) *T {
	if len(rows) == 0 {
		return nil
	}
	return &rows[0]
}

func readMovingGo(a *movingArgs) {
	steps := unsafe.Slice(a.steps, a.count)
	to := unsafe.Slice(a.to, a.n)
	for i, at := range unsafe.Slice(a.at, a.n) {
		slot, lane := uintptr(at.Slot()), at.Lane()
		var step [2]soa.AABB
		if id := *(*uint32)(unsafe.Add(unsafe.Pointer(a.ids), 4*uintptr(at))); uint64(id) < uint64(len(steps)) {
			step = steps[id]
		}
		if step == ([2]soa.AABB{}) {
			b := (*soa.Packet)(unsafe.Add(unsafe.Pointer(a.bounds), slot*unsafe.Sizeof(*a.bounds)))
			for k := range 3 {
				step[0].Min[k], step[0].Max[k] = b[2*k][lane], b[2*k+1][lane]
			}
			step[1] = step[0]
		}
		ball := [4]float32{3: -1}
		if a.spheres != nil {
			s := (*soa.SphereLanes)(unsafe.Add(unsafe.Pointer(a.spheres), slot*unsafe.Sizeof(*a.spheres)))
			ball = [4]float32{s[0][lane], s[1][lane], s[2][lane], s[3][lane]}
		}
		var oriented *soa.OrientedBox
		if a.oriented != nil {
			o := (*soa.OrientedBox)(unsafe.Add(unsafe.Pointer(a.oriented), uintptr(at)*unsafe.Sizeof(*oriented)))
			if o.Center[0] <= math.MaxFloat32 {
				oriented = o
			}
		}
		to[i].Set(&step, &ball, oriented)
	}
}

// MovingPair is a candidate pair of a broad phase: two moving shapes, as indices of two lists.
type MovingPair struct {
	X, Y    uint16
	Verdict Verdict // set by [Judge]
}

var _ [0]struct{} = [unsafe.Sizeof(MovingPair{}) - 8]struct{}{}

// Verdict is the result of continuous collision detection by [Judge].
type Verdict uint32

// The verdicts of two shapes in motion.
const (
	Unsure  Verdict = iota
	Apart           // they are apart during the whole step
	Touches         // they touch at the start

	doubt Verdict = 4 // two boxes in doubt, for a test of axes
)

// judgeArgs is the argument of the kernels of pairs.
type judgeArgs struct {
	pairs *MovingPair
	n     int
	x, y  *Moving
	kept  int            // out: pairs kept
	rows  [34][4]float64 // scratch memory of Judge
}

var _ [0]struct{} = [unsafe.Sizeof(judgeArgs{}.rows) - 34*32]struct{}{} // kernels write 34 rows of 32 bytes

// KeepMeeting keeps the pairs whose bounds during the step touch or overlap, in their order, and returns their number.
func KeepMeeting(pairs []MovingPair, x, y []Moving) int {
	a, kept := judgeArgs{x: unsafe.SliceData(x), y: unsafe.SliceData(y)}, 0
	for i := 0; i < len(pairs); i += movingPerCall {
		part := pairs[i:min(i+movingPerCall, len(pairs))]
		a.pairs, a.n = &part[0], len(part)
		keepMeeting(&a)
		kept += copy(pairs[kept:], part[:a.kept])
	}
	return kept
}

func keepMeetingGo(a *judgeArgs) {
	pairs := unsafe.Slice(a.pairs, a.n)
	a.kept = 0
	for _, p := range pairs {
		o, q := a.shapes(p)
		pairs[a.kept] = p
		gaps := math.Float64bits(q.Max[0]-o.Min[0]) | math.Float64bits(o.Max[0]-q.Min[0]) |
			math.Float64bits(q.Max[1]-o.Min[1]) | math.Float64bits(o.Max[1]-q.Min[1]) |
			math.Float64bits(q.Max[2]-o.Min[2]) | math.Float64bits(o.Max[2]-q.Min[2])
		a.kept += int(gaps>>63 ^ 1) // a difference of 0 is +0, as no maximum is -0
	}
}

// shapes returns the shapes of a pair.
func (a *judgeArgs) shapes(p MovingPair) (x, y *Moving) {
	return (*Moving)(unsafe.Add(unsafe.Pointer(a.x), uintptr(p.X)*unsafe.Sizeof(*x))), (*Moving)(unsafe.Add(unsafe.Pointer(a.y), uintptr(p.Y)*unsafe.Sizeof(*y)))
}

// Judge performs a fast test of continuous collision detection: it decides for most pairs whether they touch, and sets
// their verdicts. Shapes that touch at the start do so by more than the rounding errors of a test in float64, and
// shapes that are apart are apart by more than these.
//
// It projects the centre of y onto x, the result onto y, and that onto x. A projection onto one shape that is inside
// the other, or nearer to its centre than the radius, is a common point. The vector between two projections is an axis
// that may separate the shapes. They are apart if it separates them at the start and at the end, by more than the
// bound of errors. For pairs in doubt it tests the axes that can separate two boxes, the normals of their faces and the
// cross products of their edges. Boxes that no axis separates at the start touch then, if none is a segment or a point.
func Judge(pairs []MovingPair, x, y []Moving) {
	a := judgeArgs{x: unsafe.SliceData(x), y: unsafe.SliceData(y)}
	var doubts [movingPerCall + 3]MovingPair // with room for whole fours
	var of [movingPerCall + 1]uint8
	var last [4]MovingPair // the rest and copies of its first pair
	for i := 0; i < len(pairs); i += movingPerCall {
		part := pairs[i:min(i+movingPerCall, len(pairs))]
		n := len(part) &^ 3
		if a.pairs, a.n = &part[0], n; n > 0 {
			judge(&a)
		}
		if rest := part[n:]; len(rest) > 0 {
			last = [4]MovingPair{rest[0], rest[0], rest[0], rest[0]}
			copy(last[:], rest)
			a.pairs, a.n = &last[0], len(last)
			judge(&a)
			copy(rest, last[:])
		}
		n = 0
		for j, p := range part { // without branches, which would be mispredicted
			doubts[n], of[n] = p, uint8(j)
			n += int(p.Verdict / doubt)
		}
		if n == 0 {
			continue
		}
		a.pairs, a.n = &doubts[0], (n+3)&^3 // the rest of the last four are other pairs, or zero, of shapes as well
		judgeAxes(&a)
		for j, p := range doubts[:n] {
			part[of[j]].Verdict = p.Verdict
		}
	}
}

func judgeGo(a *judgeArgs) {
	pairs := unsafe.Slice(a.pairs, a.n)
	for i := range pairs {
		x, y := a.shapes(pairs[i])
		pairs[i].Verdict = verdictOf(x, y)
	}
}

// verdictOf projects the centres of two shapes.
func verdictOf(m, o *Moving) Verdict {
	wx, wy, wz := o.Center[0]-m.Center[0], o.Center[1]-m.Center[1], o.Center[2]-m.Center[2]
	dx, dy, dz := o.Move[0]-m.Move[0], o.Move[1]-m.Move[1], o.Move[2]-m.Move[2]
	radius := m.Move[3] + o.Move[3]
	near := float64(float64(radius*radius) * within)
	reach := radius + float64((m.Center[3]+o.Center[3])*2) // times the length: at least the bound along each axis
	p, q, r := &m.Axes[0], &m.Axes[1], &m.Axes[2]
	s, t, u := clamp(along(p, wx, wy, wz)*m.Inverse[0]), clamp(along(q, wx, wy, wz)*m.Inverse[1]), clamp(along(r, wx, wy, wz)*m.Inverse[2])
	x, y, z := mix(p[0], q[0], r[0], s, t, u)-wx, mix(p[1], q[1], r[1], s, t, u)-wy, mix(p[2], q[2], r[2], s, t, u)-wz
	for second := false; ; second = true {
		p, q, r = &o.Axes[0], &o.Axes[1], &o.Axes[2]
		s, t, u = along(p, x, y, z)*o.Inverse[0], along(q, x, y, z)*o.Inverse[1], along(r, x, y, z)*o.Inverse[2]
		if max(s*s, t*t, u*u) <= o.Inverse[3] {
			return Touches
		}
		s, t, u = clamp(s), clamp(t), clamp(u)
		ax, ay, az := mix(p[0], q[0], r[0], s, t, u), mix(p[1], q[1], r[1], s, t, u), mix(p[2], q[2], r[2], s, t, u)
		nx, ny, nz := x-ax, y-ay, z-az
		square := mix(nx, ny, nz, nx, ny, nz)
		if square < near {
			return Touches
		}
		limit := math.Abs(along(p, nx, ny, nz)) + math.Abs(along(q, nx, ny, nz)) + math.Abs(along(r, nx, ny, nz)) +
			math.Abs(along(&m.Axes[0], nx, ny, nz)) + math.Abs(along(&m.Axes[1], nx, ny, nz)) + math.Abs(along(&m.Axes[2], nx, ny, nz)) +
			float64(math.Sqrt(square)*reach)
		if at := -mix(nx, ny, nz, wx, wy, wz); at > limit && at-mix(nx, ny, nz, dx, dy, dz) > limit {
			return Apart
		}
		if second {
			if near == 0 {
				return doubt
			}
			return Unsure
		}
		m, o = o, m
		x, y, z = ax+wx, ay+wy, az+wz
		wx, wy, wz, dx, dy, dz = -wx, -wy, -wz, -dx, -dy, -dz
	}
}

func judgeAxesGo(a *judgeArgs) {
	pairs := unsafe.Slice(a.pairs, a.n)
	for i := range pairs {
		x, y := a.shapes(pairs[i])
		pairs[i].Verdict = verdictByAxes(x, y)
	}
}

// verdictByAxes tests the axes that can separate two boxes.
func verdictByAxes(m, o *Moving) Verdict {
	s := axes{touches: true}
	for k := range 3 {
		s.way[k], s.move[k] = o.Center[k]-m.Center[k], o.Move[k]-m.Move[k]
	}
	s.reach = (m.Move[3] + o.Move[3]) + float64((m.Center[3]+o.Center[3])*2)
	for range 2 {
		for i := range m.Axes {
			l := m.Axes[i]
			if l[0] == 0 && l[1] == 0 && l[2] == 0 {
				l = cross3(&m.Axes[(i+1)%3], &m.Axes[(i+2)%3])
			}
			r := math.Abs(dot3(&m.Axes[i], &l)) + math.Abs(dot3(&o.Axes[0], &l)) + math.Abs(dot3(&o.Axes[1], &l)) + math.Abs(dot3(&o.Axes[2], &l))
			off := s.test(&l, r)
			s.touches = s.touches && off > 0
		}
		m, o = o, m
	}
	for i := range m.Axes {
		p, p1, p2 := &m.Axes[i], &m.Axes[(i+1)%3], &m.Axes[(i+2)%3]
		for j := range o.Axes {
			q, q1, q2 := &o.Axes[j], &o.Axes[(j+1)%3], &o.Axes[(j+2)%3]
			l := cross3(p, q)
			s.test(&l, math.Abs(dot3(p1, &l))+math.Abs(dot3(p2, &l))+math.Abs(dot3(q1, &l))+math.Abs(dot3(q2, &l)))
		}
	}
	switch {
	case s.apart:
		return Apart
	case s.touches:
		return Touches
	}
	return Unsure
}

// cross3 returns the cross product of two vectors of three numbers.
func cross3(p, q *[4]float64) [4]float64 {
	return [4]float64{
		float64(p[1]*q[2]) - float64(p[2]*q[1]),
		float64(p[2]*q[0]) - float64(p[0]*q[2]),
		float64(p[0]*q[1]) - float64(p[1]*q[0]),
	}
}

// axes is the state of a test by separating axes.
type axes struct {
	way, move      [4]float64 // between the centres at the start, and its change
	reach          float64    // the sum of the radii of balls and of twice the bounds of errors
	touches, apart bool
}

// test tests an axis, along which the sum of the radii of two boxes is r, and returns the bound of errors.
func (s *axes) test(l *[4]float64, r float64) (off float64) {
	from := dot3(&s.way, l)
	to := from + dot3(&s.move, l)
	if math.Signbit(from) {
		from, to = -from, -to
	}
	off = float64((math.Abs(l[0]) + math.Abs(l[1]) + math.Abs(l[2])) * s.reach)
	s.touches = s.touches && from+off <= r
	s.apart = s.apart || from > r+off && to > r+off
	return off
}

// along returns a dot product.
func along(a *[4]float64, x, y, z float64) float64 {
	return float64(a[0]*x) + float64(a[1]*y) + float64(a[2]*z)
}

// mix returns the dot product of (a, b, c) and (x, y, z).
func mix(a, b, c, x, y, z float64) float64 { return float64(a*x) + float64(b*y) + float64(c*z) }

// clamp returns the number in [-1, 1] that is nearest to x.
func clamp(x float64) float64 { return min(max(x, -1), 1) }
