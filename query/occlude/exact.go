package occlude

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/soa"
)

// With Filter.Exact the bounds of an object, its sphere and its oriented box, are tested against the depth
// buffer after its box has been found visible. The outline of the bounds replaces the rectangle of the box, and
// planes of their front replace its nearest depth.
//
// # Proof
//
// Let p be a point of the bounds, relative to the reference point, and low(m) a lower bound of m·p over the
// bounds. In a perspective p is t*d(x, y), with t > 0 and the direction d of its ray, which is affine in the
// point x, y of the image. So for any m and n
//
//	m·d(x, y) >= low(m)/t >= min(low(m), 0)/least    least: a lower bound of t
//	1/t <= n·d(x, y)/low(n)                          if low(n) > 0
//
// In a parallel projection p is o(x, y) + t*d0, and likewise m·o >= low(m) - t*(m·d0) and, if n·d0 > 0,
// -t <= (n·o - low(n))/(n·d0). These are affine functions of x and y. Functions of the first kind, sides, are
// negative at points of the image at which no ray hits the bounds. Functions of the second kind, fronts, bound
// the depth at which a ray enters the bounds. Any m and n are valid; good ones are normals of planes through
// the eye that touch the bounds, and of planes that touch the side of the bounds that faces the eye.
//
// The bounds are hidden if each texel of the depth buffer, in the rectangle of the box, is outside of a side,
// or nearer than the largest value of a front in it. All numbers are float64, and each rounding is bounded.

// solid is a convex body: the image of the cube from -1 to 1, or of the unit ball, relative to the reference
// point.
type solid struct {
	middle [3]float64
	axes   [3][3]float64
	ball   bool
	off    float64 // error bound of a coordinate, and after settle that of low, relative to sum(m)
}

// setBox makes s an oriented box of an instance.
func (s *solid) setBox(f *frame, instances []instance, at int32, b *soa.OrientedBox) {
	s.ball = false
	for a := range 3 {
		s.middle[a] = float64(b.Center[a])
		for i := range 3 {
			s.axes[i][a] = float64(b.Axes[i][a])
		}
	}
	s.image(f, instances, at)
}

// setBall makes s a sphere of an instance.
func (s *solid) setBall(f *frame, instances []instance, at int32, b *[4]float32) {
	s.ball = true
	for a := range 3 {
		s.middle[a] = float64(b[a])
		s.axes[a] = [3]float64{}
		s.axes[a][a] = float64(b[3])
	}
	s.image(f, instances, at)
}

// image transforms the body by the transforms of an instance and of all around it, makes it relative to the
// reference point, and bounds the errors of the transforms, as [hullPoints.image] does.
func (s *solid) image(f *frame, instances []instance, at int32) {
	off := 0.0
	for in := &instances[at]; in.transform != nil; in = &instances[in.in] {
		if in.transform.AtMost(xform.Identity) {
			continue
		}
		var m [12]float64
		in.transform.ReadRows(&m)
		most, spread := 0.0, 0.0
		vectors := [4]*[3]float64{&s.middle, &s.axes[0], &s.axes[1], &s.axes[2]}
		for i := range 3 {
			spread = max(spread, math.Abs(m[4*i])+math.Abs(m[4*i+1])+math.Abs(m[4*i+2]))
		}
		for k, v := range vectors {
			q := *v
			for i := range 3 {
				x, y, z := float64(m[4*i]*q[0]), float64(m[4*i+1]*q[1]), float64(m[4*i+2]*q[2])
				t := 0.0
				if k == 0 {
					t = m[4*i+3]
				}
				v[i] = x + y + z + t
				most = max(most, math.Abs(x)+math.Abs(y)+math.Abs(z)+math.Abs(t))
			}
		}
		off = float64((float64(off*spread) + float64(most*0x1p-50)) * (1 + 0x1p-50))
	}
	s.off = off
	s.middle = minus(s.middle, f.ref)
}

// settle sets the error bound of low: 4 times that of a coordinate, because low reads four vectors, and the rounding
// of low and of the difference from the reference point.
func (s *solid) settle(f *frame) {
	middle, ref := biggest(s.middle), biggest(f.ref)
	s.off = float64(4*(s.off+float64(0x1p-49*(middle+ref)))) +
		float64(0x1p-48*(middle+biggest(s.axes[0])+biggest(s.axes[1])+biggest(s.axes[2])))
}

// reach returns the largest difference of m·p from that of the middle.
func (s *solid) reach(m [3]float64) float64 {
	x, y, z := dot(m, s.axes[0]), dot(m, s.axes[1]), dot(m, s.axes[2])
	if s.ball {
		return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	}
	return math.Abs(x) + math.Abs(y) + math.Abs(z)
}

// low returns a lower bound of m·p over the body.
func (s *solid) low(m [3]float64) float64 {
	return dot(m, s.middle) - s.reach(m) - float64(s.off*sum(m))
}

// affine is the function a*x + b*y + k of the image.
type affine struct{ a, b, k float64 }

// most returns the largest value in a rectangle.
func (f *affine) most(x0, x1, y0, y1 float64) float64 {
	x, y := x0, y0
	if f.a > 0 {
		x = x1
	}
	if f.b > 0 {
		y = y1
	}
	return f.k + float64(f.a*x) + float64(f.b*y)
}

// Bounds of an outline: more sides and fronts are left out, and a test that takes more texels reports that the
// bounds are visible.
const (
	outlineSides  = 16
	outlineFronts = 12
	outlineTexels = 2048
)

// outline bounds solids on the image.
type outline struct {
	frame   *frame
	sides   [outlineSides]affine
	fronts  [outlineFronts]affine
	nSides  int
	nFronts int
	far     float64 // upper bound of 1/t, or of |t| in a parallel projection
	left    int     // number of texels that may be tested
}

// side adds a side of a solid.
func (o *outline) side(s *solid, m [3]float64) {
	f := o.frame
	size, low := sizes(m, f.reach), s.low(m)
	if o.nSides == outlineSides || !(size > 0) {
		return
	}
	to := affine{dot(m, f.dx), dot(m, f.dy), float64(0x1p-48 * size)}
	if f.parallel {
		along := math.Abs(dot(m, f.d0)) + float64(0x1p-50*sizes(m, f.d0))
		to.k += float64(o.far*along) + float64(0x1p-48*math.Abs(low)) - low
	} else {
		to.k += dot(m, f.d0) + float64(max(-low, 0)*o.far*(1+0x1p-40))
	}
	o.sides[o.nSides] = to
	o.nSides++
}

// front adds a front of a solid, if the normal n is of one.
func (o *outline) front(s *solid, n [3]float64) bool {
	f := o.frame
	size, low := sizes(n, f.reach), s.low(n)
	if o.nFronts == outlineFronts {
		return false
	}
	to := &o.fronts[o.nFronts]
	if f.parallel {
		q := dot(n, f.d0)
		off := float64(0x1p-50 * sizes(n, f.d0))
		if !(q > float64(0x1p20*off)) {
			return false
		}
		*to = affine{dot(n, f.dx) / q, dot(n, f.dy) / q, float64((0x1p-47+2*off/q)*(size+math.Abs(low))/q) - low/q}
	} else {
		if !(low > 0) {
			return false
		}
		*to = affine{dot(n, f.dx) / low, dot(n, f.dy) / low, dot(n, f.d0)/low + float64(0x1p-48*size)/low}
	}
	if !(math.Abs(to.k) < 0x1p200 && math.Abs(to.a) < 0x1p200 && math.Abs(to.b) < 0x1p200) {
		return false
	}
	o.nFronts++
	return true
}

// add adds the sides and fronts of a solid. It reports false if the solid extends behind the eye, or is too
// large: the outline is then unusable.
func (o *outline) add(s *solid) bool {
	f := o.frame
	s.settle(f)
	if !o.front(s, f.depth) {
		return false
	}
	first := &o.fronts[o.nFronts-1]
	if o.far = first.most(0, float64(f.width), 0, float64(f.height)); f.parallel {
		q := dot(f.depth, f.d0)
		o.far = float64(2 * (math.Abs(dot(f.depth, s.middle)) + s.reach(f.depth) + float64(s.off*sum(f.depth)) + sizes(f.depth, f.reach)) / q)
	}
	if s.ball {
		o.addBall(s)
	} else {
		o.addBox(s)
	}
	return true
}

// addBox adds the faces of a parallelepiped that face the eye, and its silhouette.
func (o *outline) addBox(s *solid) {
	f := o.frame
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		n := cross(s.axes[j], s.axes[k])
		_ = o.front(s, n) || o.front(s, scaled(n, -1))
		if f.parallel {
			m := cross(s.axes[i], f.d0)
			o.side(s, m)
			o.side(s, scaled(m, -1))
			continue
		}
		for c := range 4 { // edges along axis i
			u, v := float64(c&1*2-1), float64(c&2-1)
			var at [3]float64
			for a := range 3 {
				at[a] = s.middle[a] + float64(u*s.axes[j][a]) + float64(v*s.axes[k][a])
			}
			m := cross(at, s.axes[i])
			x, reach := dot(m, s.middle), s.reach(m)
			switch touch := float64(reach * (1 - 0x1p-30)); {
			case x >= touch:
				o.side(s, m)
			case -x >= touch:
				o.side(s, scaled(m, -1))
			}
		}
	}
}

// addBall adds planes that touch an ellipsoid: the one nearest to the eye and four around it, and eight through
// the eye. With a unit vector c towards the middle at the distance d, h at right angles to c, and A the axes,
//
//	m = h + s*c    m·c*d = |A*m|    s*d = |A*h + s*A*c|
//
// a quadratic equation in s.
func (o *outline) addBall(s *solid) {
	f := o.frame
	c := f.d0
	if !f.parallel {
		c = s.middle
	}
	d := length(c)
	if !(d > 0) {
		return
	}
	c = scaled(c, 1/d)
	u := cross(c, f.dx)
	if !(float64(length(u)) > float64(0x1p-10*length(f.dx))) {
		u = cross(c, f.dy)
	}
	l := length(u)
	if !(l > 0) {
		return
	}
	u = scaled(u, 1/l)
	v := cross(c, u)
	product := func(m [3]float64) [3]float64 {
		return [3]float64{dot(m, s.axes[0]), dot(m, s.axes[1]), dot(m, s.axes[2])}
	}
	ac := product(c)
	room := float64(d*d) - dot(ac, ac)
	o.front(s, c)
	for i := range 8 {
		sin, cos := eighths[i], eighths[(i+2)%8]
		var h, n [3]float64
		for a := range 3 {
			h[a] = float64(cos*u[a]) + float64(sin*v[a])
			n[a] = c[a] + float64(0.5*h[a])
		}
		if i%2 == 0 {
			o.front(s, n)
		}
		if f.parallel {
			o.side(s, h)
			continue
		}
		if !(room > 0) {
			continue
		}
		ah := product(h)
		p := dot(ah, ac)
		along := (p + math.Sqrt(float64(p*p)+float64(room*dot(ah, ah)))) / room
		for a := range 3 {
			h[a] += float64(along * c[a])
		}
		o.side(s, h)
	}
}

// eighths are the sines of the multiples of 45 degrees.
var eighths = [8]float64{0, math.Sqrt2 / 2, 1, math.Sqrt2 / 2, 0, -math.Sqrt2 / 2, -1, -math.Sqrt2 / 2}

// shows reports whether the middle of a solid, or the middle of a face of it, is in front of the depth buffer:
// the solid is then visible. It is a cheap test that finds most visible ones.
func (s *solid) shows(f *frame, p *depth.Picture) bool {
	var m [3]float64 // the products of the middle with the rows
	for i := range 3 {
		m[i] = dot(f.rows[i], s.middle)
	}
	if showsAt(f, p, m[0], m[1], m[2]) {
		return true
	}
	for k := range 3 {
		a := &s.axes[k]
		x, y, z := dot(f.rows[0], *a), dot(f.rows[1], *a), dot(f.rows[2], *a)
		if showsAt(f, p, m[0]+x, m[1]+y, m[2]+z) || showsAt(f, p, m[0]-x, m[1]-y, m[2]-z) {
			return true
		}
	}
	return false
}

// showsAt reports whether the point with these products with the rows is in front of the depth buffer, or
// behind the eye.
func showsAt(f *frame, p *depth.Picture, x, y, z float64) bool {
	if !f.parallel {
		if !(z > 0) {
			return true
		}
		x, y, z = x/z, y/z, 1/z
	} else {
		z = -z
	}
	return x >= 0 && y >= 0 && x < float64(f.width) && y < float64(f.height) && float64(p.Row(int(y))[int(x)]) <= z
}

// hides reports whether the depth buffer hides the outline in the pixels of columns c0 to c1 and rows r0 to r1.
func (o *outline) hides(p *depth.Picture, c0, c1, r0, r1 int) bool {
	level := 0
	for shift := 0; c1>>shift-c0>>shift >= depth.RectColumns || r1>>shift-r0>>shift >= depth.RectRows; shift += depth.LevelShift {
		level++
	}
	o.left = outlineTexels
	return o.hidesAt(p, level, c0, c1, r0, r1)
}

// hidesAt is hides for the texels of a level, and of finer levels where a texel does not decide.
func (o *outline) hidesAt(p *depth.Picture, level, c0, c1, r0, r1 int) bool {
	l, shift := &p.Levels[level], level*depth.LevelShift
	for y := r0 >> shift; y <= r1>>shift; y++ {
		top, bottom := max(y<<shift, r0), min((y+1)<<shift-1, r1)
		row := p.Pix[l.Base+y*l.Stride:][:l.Width]
		for x := c0 >> shift; x <= c1>>shift; x++ {
			if o.left--; o.left < 0 {
				return false
			}
			left, right := max(x<<shift, c0), min((x+1)<<shift-1, c1)
			if o.hidesTexel(float64(row[x]), float64(left), float64(right+1), float64(top), float64(bottom+1)) {
				continue
			}
			if level == 0 || !o.hidesAt(p, level-1, left, right, top, bottom) {
				return false
			}
		}
	}
	return true
}

// hidesTexel reports whether a depth hides the outline in a rectangle of the image.
func (o *outline) hidesTexel(depth, x0, x1, y0, y1 float64) bool {
	for i := range o.nFronts {
		if o.fronts[i].most(x0, x1, y0, y1) < depth {
			return true
		}
	}
	for i := range o.nSides {
		if o.sides[i].most(x0, x1, y0, y1) < 0 {
			return true
		}
	}
	return false
}

// boundsTest holds the solids of an object.
type boundsTest struct {
	solids [2]solid
	outline
}

// keep sets c.kept to the visible objects of an instance that pass the filter, and reports whether there are
// any. With Filter.Exact it tests their bounds against the depth buffer.
func (c *Culler) keep(at int32) bool {
	s := &c.instances[at]
	if !c.filtered(s) {
		return false
	}
	p := &s.objects.Store().Packets
	if !c.filter.Exact || !s.sighted || c.buffer.open || !p.Bounded() {
		return true
	}
	kept, hidden := c.kept[:0], 0
	for _, r := range c.kept {
		visible := r.N & 0xffff
		for m := visible; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m) & (soa.Lanes - 1); c.hidesBounds(at, p, r.First, lane) {
				visible &^= 1 << lane
				hidden++
			}
		}
		if visible != 0 {
			kept = append(kept, asm.Range{First: r.First, N: asm.RangeHit | visible})
		}
	}
	c.kept = kept
	c.tally.HiddenBounds += hidden
	if c.sum.hiddenLanes += hidden; c.counts && hidden > 0 {
		c.rest.paidOff = c.rest.paidOff || c.sum.paidOff()
	}
	return len(kept) > 0
}

// hidesBounds reports whether the depth buffer hides the bounds of an object.
func (c *Culler) hidesBounds(at int32, p *soa.PacketColumns, slot uint32, lane int) bool {
	f, picture, b := &c.frame, &c.buffer.picture, &c.bounds
	n := 0
	if sphere, ok := p.Sphere(slot, lane); ok {
		b.solids[n].setBall(f, c.instances, at, &sphere)
		n++
	}
	if box, ok := p.Oriented(slot, lane); ok {
		b.solids[n].setBox(f, c.instances, at, &box)
		n++
	}
	for i := range n {
		if n == 1 && b.solids[i].shows(f, picture) {
			return false
		}
	}
	c0, c1, r0, r1, ok := c.instances[at].lens.Pixels(&p.Bounds[slot], lane, picture)
	if n == 0 || !ok {
		return false
	}
	b.frame, b.nSides, b.nFronts = f, 0, 0
	for i := range n {
		if !b.add(&b.solids[i]) {
			return false
		}
	}
	return b.hides(picture, c0, c1, r0, r1)
}
