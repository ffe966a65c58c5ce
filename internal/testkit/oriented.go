package testkit

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// Rotation returns three orthonormal vectors: a random rotation, or a simple one.
func Rotation(r *rand.Rand) [3][3]float64 {
	var q [4]float64
	for i := range q {
		q[i] = r.NormFloat64()
	}
	if r.IntN(6) == 0 { // a turn of 180, 90, 53 or 0 degrees about an axis
		q = [4]float64{3: float64(r.IntN(2))}
		q[r.IntN(3)] = 1 - q[3]/2*float64(r.IntN(3))
	}
	x, y, z, w := q[0], q[1], q[2], q[3]
	n := 2 / (x*x + y*y + z*z + w*w)
	return [3][3]float64{
		{1 - n*(y*y+z*z), n * (x*y + z*w), n * (x*z - y*w)},
		{n * (x*y - z*w), 1 - n*(x*x+z*z), n * (y*z + x*w)},
		{n * (x*z + y*w), n * (y*z - x*w), 1 - n*(x*x+y*y)},
	}
}

// OrientedIn returns a random oriented box inside a box, with the same centre and touching its
// faces, or nearly so. Some are flat, segments or points.
func OrientedIn(r *rand.Rand, box soa.AABB) (b soa.OrientedBox) {
	b.Center = box.Center()
	var half [3]float64
	for k := range 3 {
		half[k] = min(float64(box.Max[k])-float64(b.Center[k]), float64(b.Center[k])-float64(box.Min[k]))
		if half[k] < 0 { // the centre of denormals is rounded
			return soa.OrientedBox{Center: box.Min}
		}
	}
	turn := Rotation(r)
	var reach [3]float64
	for i := range 3 {
		length := (0.2 + r.Float64()) * float64(min(r.IntN(6), 1))
		for k := range 3 {
			turn[i][k] *= length
			reach[k] += math.Abs(turn[i][k])
		}
	}
	scale := math.Inf(1)
	for k := range 3 {
		scale = min(scale, half[k]/max(reach[k], 0x1p-60))
	}
	if scale > 0 && !math.IsInf(scale, 1) {
		for i := range 3 {
			for k := range 3 {
				b.Axes[i][k] = float32(turn[i][k] * scale * (1 - 0x1p-22))
			}
		}
	}
	if scale <= 0 || b.Check() != nil || !box.Contains(b.Box()) { // no room for the rotation or for rounding
		b.Axes = [3][3]float32{}
		i := r.IntN(3)
		b.Axes[i][i] = float32(half[i] / 2)
	}
	if !box.Contains(b.Box()) {
		b.Axes = [3][3]float32{}
	}
	return b
}

// Turned is an oriented box in float64. Dirs are the unit directions of its edges, including edges
// of length 0.
type Turned struct {
	Center     [3]float64
	Axes, Dirs [3][3]float64
}

// TurnedOf converts an oriented box to float64.
func TurnedOf(b soa.OrientedBox) (t Turned) {
	t.Center = Wide(b.Center)
	for i, a := range b.Axes {
		t.Axes[i] = Wide(a)
		t.Dirs[i] = unitOf(t.Axes[i])
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if t.Dirs[i] != [3]float64{} {
			continue
		}
		switch none := [3]float64{}; {
		case t.Dirs[j] == none && t.Dirs[k] == none:
			t.Dirs[i][i] = 1
		case t.Dirs[j] == none:
			t.Dirs[i] = unitOf(crossOf(t.Dirs[k], leastAxis(t.Dirs[k])))
		case t.Dirs[k] == none:
			t.Dirs[i] = unitOf(crossOf(t.Dirs[j], leastAxis(t.Dirs[j])))
		default:
			t.Dirs[i] = unitOf(crossOf(t.Dirs[j], t.Dirs[k]))
		}
	}
	return t
}

// TurnedBox converts an axis-aligned box to a Turned.
func TurnedBox(b soa.AABB) (t Turned) {
	for k := range 3 {
		lo, hi := float64(b.Min[k]), float64(b.Max[k])
		t.Center[k], t.Axes[k][k], t.Dirs[k][k] = lo/2+hi/2, hi/2-lo/2, 1
	}
	return t
}

func unitOf(v [3]float64) [3]float64 {
	m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if m == 0 {
		return v
	}
	v = [3]float64{v[0] / m, v[1] / m, v[2] / m}
	n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

func crossOf(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dotOf(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func leastAxis(v [3]float64) (e [3]float64) {
	k := 0
	for a := range 3 {
		if math.Abs(v[a]) < math.Abs(v[k]) {
			k = a
		}
	}
	e[k] = 1
	return e
}

// Reach returns the support of t along a vector: the extent from its centre.
func (t *Turned) Reach(u [3]float64) float64 {
	return math.Abs(dotOf(u, t.Axes[0])) + math.Abs(dotOf(u, t.Axes[1])) + math.Abs(dotOf(u, t.Axes[2]))
}

// Gap returns the largest separation of two oriented boxes (separating axis theorem) and its axis.
// If it is negative, the boxes overlap, and it is minus the least overlap over all axes.
func (t *Turned) Gap(o *Turned) (gap float64, axis [3]float64) {
	gap = math.Inf(-1)
	way := [3]float64{o.Center[0] - t.Center[0], o.Center[1] - t.Center[1], o.Center[2] - t.Center[2]}
	try := func(l [3]float64) {
		if dotOf(l, l) < 1e-14 {
			return
		}
		l = unitOf(l)
		if g := math.Abs(dotOf(l, way)) - t.Reach(l) - o.Reach(l); g > gap {
			gap, axis = g, l
		}
	}
	for i := range 3 {
		try(crossOf(t.Dirs[(i+1)%3], t.Dirs[(i+2)%3]))
		try(crossOf(o.Dirs[(i+1)%3], o.Dirs[(i+2)%3]))
		for j := range 3 {
			try(crossOf(t.Dirs[i], o.Dirs[j]))
		}
	}
	return gap, axis
}

// Nearest returns the point of t nearest to p, up to the deviation of the axes from right angles.
func (t *Turned) Nearest(p [3]float64) (q [3]float64) {
	q = t.Center
	way := [3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]}
	for i, d := range t.Dirs {
		half := math.Sqrt(dotOf(t.Axes[i], t.Axes[i]))
		x := min(max(dotOf(way, d), -half), half)
		for k := range 3 {
			q[k] += x * d[k]
		}
	}
	return q
}

// Distance returns the distance of a point from t, with the precision of [Turned.Nearest].
func (t *Turned) Distance(p [3]float64) float64 {
	q := t.Nearest(p)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// Slab is the points x with lo <= n·x <= hi.
type Slab struct {
	n      [3]*rational.Rat
	lo, hi *rational.Rat
}

// Slabs returns three slabs whose intersection is t in exact arithmetic, where the axes of t are
// taken as exact and zero axes have any independent directions.
func (t *Turned) Slabs() (slabs []Slab) {
	half := [3]*rational.Rat{}
	var d [3][3]*rational.Rat
	for i := range 3 {
		// The axes are multiples of directions: the directions are the axes themselves, unless they
		// are zero.
		from := t.Axes[i]
		half[i] = new(rational.Rat).SetInt64(1)
		if from == [3]float64{} {
			from, half[i] = t.Dirs[i], new(rational.Rat)
		}
		for k := range 3 {
			d[i][k] = new(rational.Rat).SetFloat64(from[k])
		}
	}
	for i := range 3 {
		n := ratCross(d[(i+1)%3], d[(i+2)%3])
		r := ratDot(n, d[i])
		r.Mul(r.Abs(r), half[i])
		c := [3]*rational.Rat{}
		for k := range 3 {
			c[k] = new(rational.Rat).SetFloat64(t.Center[k])
		}
		at := ratDot(n, c)
		slabs = append(slabs, Slab{n, new(rational.Rat).Sub(at, r), new(rational.Rat).Add(at, r)})
	}
	return slabs
}

// BoxSlabs returns the three slabs whose intersection is a box.
func BoxSlabs(b soa.AABB) (slabs []Slab) {
	for k := range 3 {
		s := Slab{lo: new(rational.Rat).SetFloat64(float64(b.Min[k])), hi: new(rational.Rat).SetFloat64(float64(b.Max[k]))}
		for a := range 3 {
			s.n[a] = new(rational.Rat)
		}
		s.n[k].SetInt64(1)
		slabs = append(slabs, s)
	}
	return slabs
}

func ratCross(a, b [3]*rational.Rat) (c [3]*rational.Rat) {
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		x, y := new(rational.Rat).Mul(a[i], b[j]), new(rational.Rat).Mul(a[j], b[i])
		c[k] = x.Sub(x, y)
	}
	return c
}

func ratDot(a, b [3]*rational.Rat) *rational.Rat {
	sum := new(rational.Rat)
	for k := range 3 {
		sum.Add(sum, new(rational.Rat).Mul(a[k], b[k]))
	}
	return sum
}

// SlabsMeet reports whether slabs that bound a body have a common point, in exact arithmetic. If
// so, a corner of the body, the intersection of three of their planes, is such a point.
func SlabsMeet(slabs []Slab) bool {
	type plane struct {
		n    [3]*rational.Rat
		d    *rational.Rat
		slab int
	}
	var planes []plane
	for i, s := range slabs {
		planes = append(planes, plane{s.n, s.lo, i})
		if s.lo.Cmp(s.hi) != 0 {
			planes = append(planes, plane{s.n, s.hi, i})
		}
	}
	for i, p := range planes {
		for j, q := range planes[:i] {
			if p.slab == q.slab {
				continue
			}
			cross := ratCross(p.n, q.n)
			for _, r := range planes[:j] {
				det := ratDot(cross, r.n)
				if r.slab == q.slab || det.Sign() == 0 {
					continue
				}
				a, b := ratCross(q.n, r.n), ratCross(r.n, p.n)
				var x [3]*rational.Rat
				for k := range 3 {
					x[k] = new(rational.Rat).Mul(p.d, a[k])
					x[k].Add(x[k], new(rational.Rat).Mul(q.d, b[k]))
					x[k].Add(x[k], new(rational.Rat).Mul(r.d, cross[k]))
					x[k].Quo(x[k], det)
				}
				inside := true
				for _, s := range slabs {
					if at := ratDot(s.n, x); at.Cmp(s.lo) < 0 || at.Cmp(s.hi) > 0 {
						inside = false
						break
					}
				}
				if inside {
					return true
				}
			}
		}
	}
	return false
}
