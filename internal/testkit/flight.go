package testkit

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Flight is an object that moves during a step, for continuous collision detection with bounds, which
// move as the middle of the box of the step does. The box stands for an object without bounds.
type Flight struct {
	step   [2]soa.AABB
	move   [3]float64
	center [3]float64 // of the ball at the start
	radius float64
	turned Turned // the oriented box at the start
	ball   bool
	solid  bool // there is an oriented box or no bound
	tilted bool
}

// NewFlight returns an object with its bounds at the start of the step; nil: it has none.
func NewFlight(step [2]soa.AABB, ball *[4]float32, oriented *soa.OrientedBox) (f Flight) {
	f.step, f.ball, f.tilted, f.solid = step, ball != nil, oriented != nil, oriented != nil || ball == nil
	if f.ball {
		f.center, f.radius = Wide([3]float32(ball[:3])), float64(ball[3])
	}
	if f.tilted {
		f.turned = TurnedOf(*oriented)
	}
	from, to := &step[0], &step[1]
	for a := range f.move {
		f.move[a] = (float64(to.Min[a]) - float64(from.Min[a]) + float64(to.Max[a]) - float64(from.Max[a])) / 2
	}
	return f
}

// Move returns the motion of the bounds.
func (f *Flight) Move() [3]float64 { return f.move }

// at returns the centre of the ball and the oriented box, or the box, at a time.
func (f *Flight) at(t float64) (center [3]float64, solid Turned) {
	center, solid = f.center, f.turned
	for a, m := range f.move {
		center[a] += t * m
		if f.tilted {
			solid.Center[a] += t * m
		} else {
			lo, hi := f.along(a, t)
			solid.Center[a], solid.Axes[a][a], solid.Dirs[a][a] = lo/2+hi/2, hi/2-lo/2, 1
		}
	}
	return center, solid
}

// along returns the interval of the box at a time.
func (f *Flight) along(a int, t float64) (lo, hi float64) {
	from, to := &f.step[0], &f.step[1]
	lo, hi = float64(from.Min[a]), float64(from.Max[a])
	return lo + (float64(to.Min[a])-lo)*t, hi + (float64(to.Max[a])-hi)*t
}

// gap returns the largest distance between two bounds of two objects at a time: below 0 all overlap. It
// is a convex function of the time.
func (f *Flight) gap(o *Flight, t float64) float64 {
	p, x := f.at(t)
	q, y := o.at(t)
	gap := math.Inf(-1)
	if f.ball && o.ball {
		gap = lengthOf([3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]}) - f.radius - o.radius
	}
	if f.ball && o.solid {
		gap = max(gap, y.Distance(p)-f.radius)
	}
	if o.ball && f.solid {
		gap = max(gap, x.Distance(q)-o.radius)
	}
	if f.solid && o.solid {
		g, _ := x.Gap(&y)
		gap = max(gap, g)
	}
	return gap
}

// lengthOf returns the length of a vector of any size.
func lengthOf(v [3]float64) float64 {
	m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]), 0x1p-500)
	return m * math.Sqrt(v[0]/m*(v[0]/m)+v[1]/m*(v[1]/m)+v[2]/m*(v[2]/m))
}

// slack returns more than the error of a gap: the documented one, and the one of the oracle, which takes
// the axes of oriented boxes for right-angled.
func (f *Flight) slack(o *Flight) float64 {
	most, size := 0.0, 0.0
	for _, x := range [2]*Flight{f, o} {
		for _, t := range []float64{0, 1} {
			c, s := x.at(t)
			for a := range 3 {
				if x.ball {
					most = max(most, math.Abs(c[a]), x.radius)
				}
				if x.solid {
					most = max(most, math.Abs(s.Center[a])+math.Abs(s.Axes[0][a])+math.Abs(s.Axes[1][a])+math.Abs(s.Axes[2][a]))
				}
				if f.tilted || o.tilted {
					size += lengthOf(s.Axes[a])
				}
			}
		}
	}
	return most*0x1p-43 + size*0x1p-21
}

// JudgeImpact checks a reported time of impact of two objects, or that there is none, by fine steps and a
// search between them. It describes an error. sure is false where rounding decides.
func JudgeImpact(f, o *Flight, time float32, hit bool, steps int) (wrong string, sure bool) {
	slack := f.slack(o)
	if !hit {
		least := f.leastGap(o, steps)
		if least < -slack {
			return "an impact is missing", true
		}
		return "", least > slack
	}
	t := float64(time)
	if !(t >= 0 && t <= 1) {
		return "no time of a step", true
	}
	rounding := math.Nextafter(float64(math.Nextafter32(time, 2))-t, 1)
	if f.gap(o, t) > slack+rounding*f.speed(o) {
		return "they are apart at that time", true
	}
	before := t - rounding
	for i := range steps {
		if x := before * float64(i+1) / float64(steps); x > 0 && f.gap(o, x) < -slack {
			return "they touch earlier", true
		}
	}
	return "", t == 0 || f.gap(o, before) > 0
}

// leastGap returns the least gap in the step.
func (f *Flight) leastGap(o *Flight, steps int) float64 {
	least, at, step := math.Inf(1), 0.0, 1/float64(steps)
	for i := range steps + 1 {
		if g := f.gap(o, float64(i)*step); g < least {
			least, at = g, float64(i)*step
		}
	}
	if least > f.speed(o)*step+f.slack(o) {
		return least // no point between can be below 0
	}
	// Golden section search.
	const part = 0.6180339887498949
	lo, hi := max(at-step, 0), min(at+step, 1)
	x, y := hi-part*(hi-lo), lo+part*(hi-lo)
	p, q := f.gap(o, x), f.gap(o, y)
	for range 45 {
		if p < q {
			hi, y, q = y, x, p
			x = hi - part*(hi-lo)
			p = f.gap(o, x)
		} else {
			lo, x, p = x, y, q
			y = lo + part*(hi-lo)
			q = f.gap(o, y)
		}
	}
	return min(least, p, q)
}

// speed returns the largest change of a gap in the step.
func (f *Flight) speed(o *Flight) (speed float64) {
	for a := range 3 {
		for _, s := range [][2]soa.AABB{f.step, o.step} {
			speed += math.Abs(float64(s[1].Min[a])-float64(s[0].Min[a])) + math.Abs(float64(s[1].Max[a])-float64(s[0].Max[a]))
		}
	}
	return speed
}
