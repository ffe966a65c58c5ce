package query_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// sweepKinds are the kinds of rays and moving shapes.
var sweepKinds = map[string]func(a *matrixArtist) (matrixAsk, error){
	"Ray": func(a *matrixArtist) (matrixAsk, error) {
		s := a.rays[a.rng.IntN(len(a.rays))]
		if a.rng.IntN(5) > 0 {
			s = a.sweep()
			s.Hi = s.Lo
		}
		if s.Dir == [3]float32{} {
			s.Dir[a.rng.IntN(3)] = 1
		}
		q, err := query.NewRay(s.Lo, s.Dir, s.MaxT)
		return matrixAsk{"Ray", q, showSweep(s), sweepTruth(a, s, true)}, err
	},
	"SweptBox": func(a *matrixArtist) (matrixAsk, error) {
		s := a.sweep()
		s.MaxT = 1
		q, err := query.NewSweptBox(soa.AABB{Min: s.Lo, Max: s.Hi}, s.Dir)
		return matrixAsk{"SweptBox", q, showSweep(s), sweepTruth(a, s, false)}, err
	},
	"EnteringBox": func(a *matrixArtist) (matrixAsk, error) {
		s := a.sweep()
		s.MaxT = 1
		if a.rng.IntN(2) == 0 { // it touches an object
			b, k := a.one(), a.rng.IntN(3)
			if s.Hi[k] = b.Min[k]; s.Lo[k] > s.Hi[k] {
				s.Lo[k] = s.Hi[k]
			}
		}
		q, err := query.NewSweptBox(soa.AABB{Min: s.Lo, Max: s.Hi}, s.Dir)
		return matrixAsk{"EnteringBox", q.Entering(), "entering " + showSweep(s), enteringTruth(sweepTruth(a, s, false), s)}, err
	},
	"SweptSphere": func(a *matrixArtist) (matrixAsk, error) {
		s := a.sweep()
		b := testkit.Ball{Center: s.Lo, Dir: s.Dir, Radius: a.size() / 4}
		if a.rng.IntN(3) == 0 {
			b.Radius = a.touching(b.Center)
		}
		for k := range 3 { // within float32
			b.Radius = min(b.Radius, most-float32(math.Abs(float64(b.Center[k]))))
		}
		q, err := query.NewSweptSphere(b.Center, b.Radius, b.Dir)
		return matrixAsk{"SweptSphere", q, fmt.Sprintf("ball %x", b), func(_ linear.View, c *matrixCensus, exact bool) matrixTruth {
			return ballTruth(c, b, exact)
		}}, err
	},
}

func showSweep(s testkit.Sweep) string {
	return fmt.Sprintf("from %x to %x along %x until %x", s.Lo, s.Hi, s.Dir, s.MaxT)
}

// sweep draws a motion: towards an object, along an axis on a face, without
// length, or of any numbers.
func (a *matrixArtist) sweep() testkit.Sweep {
	if a.rng.IntN(5) == 0 {
		return testkit.RandomSweep(a.rng, testkit.BoxKinds()[a.rng.IntN(4)])
	}
	s := testkit.Sweep{Lo: a.spot(), MaxT: []float32{1, 1, 0, 0.5, 1e10, infinity}[a.rng.IntN(6)]}
	to := a.spot()
	for k := range 3 {
		d := float64(to[k]) - float64(s.Lo[k])
		s.Dir[k] = float32(min(max(d, -most), most))
		s.Hi[k] = min(s.Lo[k]+a.size()/8, most)
	}
	switch k := a.rng.IntN(3); a.rng.IntN(6) {
	case 0: // along an axis
		s.Dir[(k+1)%3], s.Dir[(k+2)%3] = 0, float32(math.Copysign(0, -1))
	case 1: // in a plane
		s.Dir[k] = 0
	case 2:
		s.Dir = [3]float32{}
	case 3: // a long way
		for k := range 3 {
			s.Dir[k] = min(max(s.Dir[k]*8, -most), most)
		}
	}
	return s
}

// timesOf makes the truth of the entries of a reference.
func timesOf(c *matrixCensus, entries []testkit.Entry) matrixTruth {
	t := matrixTruth{state: make([]uint8, len(c.ids)), first: make([]float32, len(c.ids)), last: make([]float32, len(c.ids))}
	for _, e := range entries {
		t.state[e.Index], t.first[e.Index], t.last[e.Index] = isIn, e.Time, e.Time
	}
	return t
}

// sweepTruth is the truth of a ray or a swept box: the formula to the bit.
func sweepTruth(a *matrixArtist, s testkit.Sweep, ray bool) func(linear.View, *matrixCensus, bool) matrixTruth {
	deep := a.rng.IntN(8) == 0
	return func(_ linear.View, c *matrixCensus, exact bool) matrixTruth {
		t := timesOf(c, testkit.ReferenceSweep(c.objects, s))
		if deep && !exact {
			for _, i := range testkit.DefinitionSweep(c.objects, s) {
				if t.state[i] == isOut {
					t.state[i], t.last[i] = isIn, infinity
				}
			}
		}
		round := exact && ray
		t.wrong = func(i int, h *query.Hit) string {
			if h.Dist == 0 && !ray {
				if n := normalOfTouch(&soa.AABB{Min: s.Lo, Max: s.Hi}, s.Dir, &c.objects[i].Box); h.Normal == n {
					return wrongHit(&s, &c.objects[i].Box, &query.Hit{Pos: h.Pos}, false)
				}
			}
			return wrongHit(&s, &c.objects[i].Box, h, round && (c.ball(i) || c.turned[i] != nil))
		}
		if round {
			t.meetBalls(c, s.Lo, s.Dir, 0, endOf(s))
			t.open(c, round)
		}
		return t
	}
}

// enteringTruth is the truth of a box that leaves out the objects that it only touches: on an axis they do not overlap
// at the start, and the motion does not bring them closer.
func enteringTruth(truth func(linear.View, *matrixCensus, bool) matrixTruth, s testkit.Sweep) func(linear.View, *matrixCensus, bool) matrixTruth {
	return func(v linear.View, c *matrixCensus, exact bool) matrixTruth {
		t := truth(v, c, exact)
		for i := range t.state {
			b := &c.objects[i].Box
			for a, d := range s.Dir {
				if d <= 0 && b.Min[a] >= s.Hi[a] || d >= 0 && b.Max[a] <= s.Lo[a] {
					t.state[i] = isOut
				}
			}
		}
		return t
	}
}

// endOf returns the last time of a sweep: where its longest axis has covered
// 2^127 in the unit of the kernels, if not before.
func endOf(s testkit.Sweep) float64 {
	e := math.Ilogb(sizeOf(s.Dir[:]...))
	return min(float64(s.MaxT), math.Ldexp(1, 127-e))
}

// wrongHit describes the contradiction between the documentation and the position or normal of a hit.
func wrongHit(s *testkit.Sweep, b *soa.AABB, h *query.Hit, round bool) string {
	length, faces := 0.0, 0
	for a := range 3 {
		p, n := h.Pos[a], h.Normal[a]
		length += float64(n) * float64(n)
		if round {
			continue
		}
		switch {
		case !(p >= b.Min[a] && p <= b.Max[a]):
			return "Pos is outside the box"
		case n == 0:
			way := float64(h.Dist) * float64(s.Dir[a])
			mid := 0.0
			for _, from := range []float32{s.Lo[a], s.Hi[a]} {
				mid += min(max(float64(from)+way, float64(b.Min[a])), float64(b.Max[a])) / 2
			}
			size := sizeOf(s.Lo[a], s.Hi[a]) + math.Abs(way)
			if math.Abs(way) < math.MaxFloat32 && math.Abs(float64(p)-mid) > size*0x1p-20+0x1p-147 {
				return fmt.Sprintf("Pos is %v on axis %d, want %v", p, a, mid)
			}
			continue
		case n == -1 && p == b.Min[a] && s.Dir[a] > 0, n == 1 && p == b.Max[a] && s.Dir[a] < 0:
			faces++
		default:
			return "Normal is not that of the face"
		}
	}
	switch {
	case h.Dist > 0 && !round && faces != 1, faces > 1:
		return "Normal is not that of one face"
	case round && length != 0 && math.Abs(length-1) > 1e-4:
		return "Normal has not the length 1"
	}
	return ""
}

// meetBalls lets the spheres of objects decide: whether a moving ball of that radius hits them. Between touching and
// the error of float64 the result is open.
func (t *matrixTruth) meetBalls(c *matrixCensus, from, dir [3]float32, radius, end float64) {
	length := math.Sqrt(dotProduct(testkit.Wide(dir), testkit.Wide(dir)))
	for i, state := range t.state {
		if state == isOut || !c.ball(i) {
			continue
		}
		s := c.balls[i]
		at, closest := 0.0, gapToBall(s, from, float32(radius))
		if length > 0 {
			at, closest = entry(from, dir, radius, s)
		}
		// The motion counts as long as it may be in the box.
		reach, box := radius+float64(s[3]), &c.objects[i].Box
		slack := 0x1p-40 * (sizeOf(from[:]...) + sizeOf(box.Min[:]...) + sizeOf(box.Max[:]...) + reach + 0x1p-90)
		late := 0x1p-18*math.Abs(at) + (slack+math.Sqrt(2*slack*(reach+slack)))/max(length, 0x1p-200) + 0x1p-140
		if length == 0 {
			late = 0
		}
		// No Dist exceeds the length of the query or float32.
		t.first[i] = max(t.first[i], float32(min(at-late, end, math.MaxFloat32)))
		t.last[i] = max(t.last[i], float32(min(at+late, math.MaxFloat64)))
		switch {
		case closest > slack || at-late > end*(1+0x1p-18):
			t.state[i] = isOut
		case closest > -slack || at+late > end:
			t.state[i], t.last[i] = isOpen, infinity
		}
	}
}

func dotProduct(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// ballTruth is the truth of a moving ball: every object that the box around it may hit is open, and the definition
// decides.
func ballTruth(c *matrixCensus, b testkit.Ball, exact bool) matrixTruth {
	t := timesOf(c, nil)
	way := math.Sqrt(dotProduct(testkit.Wide(b.Dir), testkit.Wide(b.Dir)))
	for i := range t.state {
		if enter, ok := around(b, &c.objects[i].Box, true); ok {
			t.state[i], t.first[i], t.last[i] = isOpen, float32(enter), 1
		}
	}
	size := func(i int) float64 {
		box := &c.objects[i].Box
		return max(sizeOf(b.Center[:]...), 2*sizeOf(b.Dir[:]...), sizeOf(box.Min[:]...), sizeOf(box.Max[:]...))
	}
	round := func(i int) bool { return exact && (c.ball(i) || c.turned[i] != nil) }
	t.lost = askedOnce(len(c.ids), func(i int) bool {
		_, may := around(b, &c.objects[i].Box, false)
		return may && !round(i) && b.Meets(&c.objects[i].Box, 0)
	})
	t.wrong = func(i int, h *query.Hit) string {
		if round(i) {
			return ""
		}
		box := &c.objects[i].Box
		for a := range 3 {
			if !(h.Pos[a] >= box.Min[a] && h.Pos[a] <= box.Max[a]) {
				return "Pos is outside the box"
			}
		}
		// A time at which the ball touches in float64 saves the exact test.
		grow := float64(b.Radius)*0x1p-39 + size(i)*0x1p-42
		if nearestAround(b, box, float64(h.Dist)) > float64(b.Radius)+grow/2 && !b.Meets(box, grow) {
			return "the ball does not meet the box"
		}
		off := distanceAt(b, box, float64(h.Dist)) - float64(b.Radius)
		// A ball may hit the box by rounding alone, and the box around it later than the ball has passed: that time
		// stands.
		slack := 0x1p-20*(size(i)+way+float64(b.Radius)) + 0x1p-147
		if enter := entered(b, box); math.Abs(float64(h.Dist)-enter) <= enter*0x1p-18 {
			off = min(off, slack)
		}
		if off > slack || h.Dist > 0 && off < -slack {
			return fmt.Sprintf("at that time the ball is off the box by %v", off)
		}
		return ""
	}
	if exact {
		t.roundBalls(c, b)
		t.open(c, exact)
	}
	return t
}

// around reports whether the box around a ball may hit a box, and the earliest time in float64: with room for its own
// rounding, or for that of the result of a tree.
func around(b testkit.Ball, box *soa.AABB, loose bool) (enter float64, ok bool) {
	leave, each, all := 1.0, 0x1p-47, 0.0
	if loose {
		each, all = 0x1p-21, 0x1p-40*(sizeOf(box.Min[:]...)+sizeOf(box.Max[:]...)+sizeOf(b.Center[:]...)+sizeOf(b.Dir[:]...))
	}
	for a := range 3 {
		c, r, d := float64(b.Center[a]), float64(b.Radius), float64(b.Dir[a])
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		room := all + each*(max(math.Abs(lo), math.Abs(hi))+math.Abs(c)+r+math.Abs(d)+0x1p-120)
		in, out := lo-c-r-room, hi-c+r+room // the motion must be between them
		switch {
		case d > 0:
			enter, leave = max(enter, in/d), min(leave, out/d)
		case d < 0:
			enter, leave = max(enter, out/d), min(leave, in/d)
		case in > 0 || out < 0:
			return 0, false
		}
	}
	return enter, enter <= leave
}

// entered returns the time at which the box around a ball reaches a box, in float64.
func entered(b testkit.Ball, box *soa.AABB) (enter float64) {
	for a := range 3 {
		c, r, d := float64(b.Center[a]), float64(b.Radius), float64(b.Dir[a])
		switch {
		case d > 0:
			enter = max(enter, (float64(box.Min[a])-(c+r))/d)
		case d < 0:
			enter = max(enter, (float64(box.Max[a])-(c-r))/d)
		}
	}
	return enter
}

// distanceAt returns the distance of the centre from a box at a time.
func distanceAt(b testkit.Ball, box *soa.AABB, t float64) float64 {
	sum := 0.0
	for a := range 3 {
		at := float64(b.Center[a]) + t*float64(b.Dir[a])
		g := max(0, float64(box.Min[a])-at, at-float64(box.Max[a]))
		sum += g * g
	}
	return math.Sqrt(sum)
}

// nearestAround returns the least distance at the times that round to t or nearly so.
func nearestAround(b testkit.Ball, box *soa.AABB, t float64) float64 {
	lo, hi := t*(1-0x1p-22), min(t*(1+0x1p-22), 1)
	for range 40 { // the distance is convex in time
		if x, y := lo+(hi-lo)*0.375, lo+(hi-lo)*0.625; distanceAt(b, box, x) <= distanceAt(b, box, y) {
			hi = y
		} else {
			lo = x
		}
	}
	return min(distanceAt(b, box, lo), distanceAt(b, box, hi), distanceAt(b, box, min(t, 1)))
}

// askedOnce returns a function that calls f once for each index.
func askedOnce(n int, f func(i int) bool) func(i int) bool {
	known, said := make([]bool, n), make([]bool, n)
	return func(i int) bool {
		if !known[i] {
			known[i], said[i] = true, f(i)
		}
		return said[i]
	}
}

// roundBalls lets the spheres of objects decide about a moving ball.
func (t *matrixTruth) roundBalls(c *matrixCensus, b testkit.Ball) {
	s := matrixTruth{state: make([]uint8, len(c.ids)), first: make([]float32, len(c.ids)), last: make([]float32, len(c.ids))}
	copy(s.state, t.state)
	copy(s.first, t.first)
	for i, state := range s.state {
		if state != isOut {
			s.state[i] = isIn
		}
	}
	s.meetBalls(c, b.Center, b.Dir, float64(b.Radius), 1)
	for i := range t.state {
		if c.ball(i) {
			t.state[i], t.first[i], t.last[i] = s.state[i], s.first[i], max(s.last[i], t.first[i])
		}
	}
}

// entry returns the time at which a moving ball enters a sphere, in float64, and their closest approach. Both decide
// whether a hit must, may or must not be reported.
func entry(from, dir [3]float32, r float64, s [4]float32) (at, closest float64) {
	var o, d [3]float64
	for a := range 3 {
		o[a], d[a] = float64(from[a])-float64(s[a]), float64(dir[a])
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	r += float64(s[3])
	oo, od, dd := dot(o, o), dot(o, d), dot(d, d)
	t := max(0, -od/dd)
	near := 0.0
	for a := range 3 {
		x := o[a] + t*d[a]
		near += x * x
	}
	closest = math.Sqrt(near) - r
	if oo <= r*r {
		return 0, closest
	}
	return (-od - math.Sqrt(max(0, r*r-near)*dd)) / dd, closest
}
