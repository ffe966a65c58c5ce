package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/query"
)

// projection is a camera of any kind by its geometry: its position, and the part that it shows of the plane at
// distance 1 before it, or of any plane if its lines are parallel. The tests of viewports compare with it, and not
// with planes or matrices.
type projection struct {
	eye, right, up, forward  [3]float64 // orthonormal, except the eye
	left, rightTo, low, high float64    // of the window, as tangents or lengths
	near, far                float64
	parallel                 bool
	width, height            int
}

func inner(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// randomProjection draws a projection of each kind in turn: central, off centre, parallel;
// some without far plane.
func randomProjection(rng *rand.Rand, kind int) (p projection) {
	direction := func() (d [3]float64) {
		for inner(d, d) < 0.1 || inner(d, d) > 1 {
			d = [3]float64{2*rng.Float64() - 1, 2*rng.Float64() - 1, 2*rng.Float64() - 1}
		}
		l := math.Sqrt(inner(d, d))
		return [3]float64{d[0] / l, d[1] / l, d[2] / l}
	}
	p.forward = direction()
	for inner(p.up, p.up) < 0.1 {
		p.up = direction()
		c := inner(p.up, p.forward)
		for a := range 3 {
			p.up[a] -= c * p.forward[a]
		}
	}
	l := math.Sqrt(inner(p.up, p.up))
	for a := range 3 {
		p.up[a] /= l
		p.eye[a] = 60*rng.Float64() - 30
	}
	f, u := p.forward, p.up
	p.right = [3]float64{f[1]*u[2] - f[2]*u[1], f[2]*u[0] - f[0]*u[2], f[0]*u[1] - f[1]*u[0]}
	p.rightTo, p.high = 0.3+rng.Float64(), 0.3+rng.Float64()
	p.left, p.low = -p.rightTo, -p.high
	p.near, p.far = 1+rng.Float64(), 20+100*rng.Float64()
	switch kind % 3 {
	case 1:
		p.left, p.low = -0.7*rng.Float64(), p.high-0.2-rng.Float64()
	case 2:
		p.parallel = true
		p.left, p.rightTo, p.low, p.high = 20*p.left, 15*p.rightTo, 20*p.low, 25*p.high
		p.near -= 3
	}
	if kind%4 == 3 && !p.parallel {
		p.far = math.Inf(1)
	}
	p.width, p.height = 1+rng.IntN(1500), 1+rng.IntN(1500)
	return p
}

// pixel returns the pixel of a point, and its distance in front of the eye.
func (p *projection) pixel(at [3]float64) (x, y, depth float64) {
	q := [3]float64{at[0] - p.eye[0], at[1] - p.eye[1], at[2] - p.eye[2]}
	x, y, depth = inner(q, p.right), inner(q, p.up), inner(q, p.forward)
	if !p.parallel {
		x, y = x/depth, y/depth
	}
	return (x - p.left) / (p.rightTo - p.left) * float64(p.width), (p.high - y) / (p.high - p.low) * float64(p.height), depth
}

// point is the inverse.
func (p *projection) point(x, y, depth float64) (at [3]float64) {
	u := p.left + x/float64(p.width)*(p.rightTo-p.left)
	v := p.high - y/float64(p.height)*(p.high-p.low)
	if !p.parallel {
		u, v = u*depth, v*depth
	}
	for a := range 3 {
		at[a] = p.eye[a] + p.right[a]*u + p.up[a]*v + p.forward[a]*depth
	}
	return at
}

// matrix is the projection in its textbook form, column-major; w is the depth, or 1.
func (p *projection) matrix(clip query.Clip) (m [16]float64) {
	sx, sy := 2/(p.rightTo-p.left), 2/(p.high-p.low)
	ox, oy := -(p.rightTo+p.left)/(p.rightTo-p.left), -(p.high+p.low)/(p.high-p.low)
	// Depth z becomes a*z + b*w, in which w is z or 1.
	n, f := p.near, p.far
	var a, b float64
	switch clip &^ query.ClipInfiniteFar {
	case query.ClipMinusOneToOne:
		a, b = -1, 1
	case query.ClipZeroToOne:
		a, b = 0, 1
	case query.ClipReversedZ:
		a, b = 1, 0
	} // at near and at far
	var factor, add float64
	switch {
	case math.IsInf(f, 1):
		factor, add = b, (a-b)*n
	case p.parallel:
		factor = (b - a) / (f - n)
		add = a - factor*n
	default: // factor + add/n = a, factor + add/f = b
		add = (a - b) * n * f / (f - n)
		factor = b - add/f
	}
	rows := [4]struct {
		axis               [3]float64
		scale, depth, rest float64
	}{
		{axis: p.right, scale: sx}, {axis: p.up, scale: sy}, {depth: factor, rest: add}, {},
	}
	if p.parallel {
		rows[0].rest, rows[1].rest, rows[3].rest = ox, oy, 1
	} else {
		rows[0].depth, rows[1].depth, rows[3].depth = ox, oy, 1
	}
	for r, row := range rows {
		var n [3]float64
		for a := range 3 {
			n[a] = row.axis[a]*row.scale + p.forward[a]*row.depth
			m[4*a+r] = n[a]
		}
		m[12+r] = row.rest - inner(n, p.eye)
	}
	return m
}

// shown is a projection in one of the forms that the package takes.
type shown struct {
	name  string
	view  query.Viewport
	whole query.Frustum // of the projection, by its own constructor
	exact bool          // given in float64
}

// shown returns the projection in all forms.
func (p *projection) shown(t testing.TB) (all []shown) {
	t.Helper()
	add := func(name string, v query.Viewport, err error, f query.Frustum, err2 error, exact bool) {
		t.Helper()
		if err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v of %+v", name, err, err2, p)
		}
		all = append(all, shown{name, v, f, exact})
	}
	if !p.parallel && p.left == -p.rightTo && p.low == -p.high {
		c := query.Camera{
			Eye: p.eye, Forward: p.forward, Up: p.up, FovY: 2 * math.Atan(p.high), Aspect: p.rightTo / p.high, Near: p.near, Far: p.far,
		}
		v, err := c.Viewport(p.width, p.height)
		f, err2 := c.Frustum()
		add("camera", v, err, f, err2, true)
	}
	away := [3]float64{3e6, -1e7 / 3, 123.25}
	for _, clip := range []query.Clip{query.ClipMinusOneToOne, query.ClipZeroToOne, query.ClipReversedZ} {
		if math.IsInf(p.far, 1) {
			clip |= query.ClipInfiniteFar
		}
		wide := p.matrix(clip)
		var m, rows [16]float32
		for i, x := range wide {
			m[i] = float32(x)
			rows[i%4*4+i/4] = m[i]
		}
		v, err := query.ViewportColumnMajor(m, clip, p.width, p.height)
		f, err2 := query.FrustumColumnMajor(m, clip)
		add(fmt.Sprintf("columns, clip %#x", clip), v, err, f, err2, false)
		v, err = query.ViewportRowMajor(rows, clip, p.width, p.height)
		f, err2 = query.FrustumRowMajor(rows, clip)
		add(fmt.Sprintf("rows, clip %#x", clip), v, err, f, err2, false)

		far := *p // the same in a world far away
		for a := range 3 {
			far.eye[a] += away[a]
		}
		wide = far.matrix(clip)
		var wideRows [16]float64
		for i, x := range wide {
			wideRows[i%4*4+i/4] = x
		}
		v, err = query.ViewportColumnMajor64(wide, clip, away, p.width, p.height)
		f, err2 = query.FrustumColumnMajor64(wide, clip, away)
		add(fmt.Sprintf("columns in float64, clip %#x", clip), v, err, f, err2, true)
		v, err = query.ViewportRowMajor64(wideRows, clip, away, p.width, p.height)
		f, err2 = query.FrustumRowMajor64(wideRows, clip, away)
		add(fmt.Sprintf("rows in float64, clip %#x", clip), v, err, f, err2, true)
	}
	return all
}
