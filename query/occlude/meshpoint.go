package occlude

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/soa"
)

// A mesh is rasterized in integers: its corners are rounded to a grid of 256 steps a pixel. All later tests
// are exact.
const (
	stepBits = 8
	steps    = 1 << stepBits

	// offSteps bounds the distance of a corner on the grid from its exact position, on each axis: half a step
	// by rounding, and at most slip by the projection in float64. A corner with a larger error is away.
	offSteps = 1
	slip     = 0.25 / steps

	// Corners farther than this from the upper left corner of the image, in pixels, are away.
	reachable = 1 << 20
)

// meshPoint is a projected corner of a mesh. Its exact depth is at z or nearer.
type meshPoint struct {
	x, y int32 // in steps
	z    int32 // as returned by ordered
}

// away is the x of a corner that is before the near plane, too far outside the image, or not precise enough.
const away = math.MinInt32

// projector maps points to rays: a point p, relative to the reference point, is x*w*dx + y*w*dy + w*d0 with
// the depth w, or x*dx + y*dy + t*d0 in a parallel projection. The coefficients are the products of p with
// the rows, for skewed rays, too.
type projector struct {
	rows  [3][3]float64
	err   [3]float64 // of the product with a row, relative to the sum of absolute coordinates of p
	sums  [3]float64 // of the absolute elements of a row
	slack float64    // of depth, relative
}

// projector returns the rows for the rays; ok is false if they are not precise enough in float64.
func (f *frame) projector() (p projector, ok bool) {
	rays := [3][3]float64{f.dx, f.dy, f.d0}
	det := dot(f.dx, cross(f.dy, f.d0))
	detErr := 0.0
	for k := range 3 {
		// Row k is u × v, divided by the determinant. The error of an element is 2 roundings of its absolute
		// products and 2 of the quotient; the product with a point adds 3 roundings of its terms.
		u, v := rays[(k+1)%3], rays[(k+2)%3]
		largest := 0.0
		for a := range 3 {
			b, c := (a+1)%3, (a+2)%3
			s := math.Abs(float64(u[b]*v[c])) + math.Abs(float64(u[c]*v[b]))
			largest = max(largest, s)
			if k == 0 {
				detErr += float64(0x1p-50 * s * math.Abs(f.dx[a]))
			}
		}
		p.rows[k] = scaled(cross(u, v), 1/det)
		p.err[k] = float64(0x1p-49*largest) / math.Abs(det)
		p.sums[k] = 2 * sum(p.rows[k])
	}
	p.slack = detErr/math.Abs(det) + 0x1p-50
	return p, p.slack < 0x1p-20
}

// point projects a point with coordinates that are off by at most off.
func (p *projector) point(f *frame, at [3]float64, off float64) meshPoint {
	size := sum(at)
	var c, e [3]float64
	for k := range 3 {
		c[k] = dot(p.rows[k], at)
		e[k] = float64(size*p.err[k]) + float64(off*p.sums[k])
	}
	var x, y, far, near, xErr, yErr float64 // far and near bound the depth
	if f.parallel {
		x, y = c[0], c[1]
		xErr, yErr = e[0]+float64(p.slack*math.Abs(x)), e[1]+float64(p.slack*math.Abs(y))
		depthErr := e[2] + float64(p.slack*math.Abs(c[2]))
		far, near = -c[2]-depthErr, depthErr-c[2]
	} else {
		w := c[2]
		least := w - e[2]
		if !(least > 0) {
			return meshPoint{x: away}
		}
		x, y = c[0]/w, c[1]/w
		xErr = (e[0]+float64(math.Abs(x)*e[2]))/least + float64(0x1p-50*math.Abs(x))
		yErr = (e[1]+float64(math.Abs(y)*e[2]))/least + float64(0x1p-50*math.Abs(y))
		far, near = float64((1-2*p.slack)/(w+e[2])), float64((1+2*p.slack)/least)
	}
	if !(near <= f.limit && math.Abs(far) < 0x1p100 && max(math.Abs(x), math.Abs(y)) < reachable && max(xErr, yErr) <= slip) {
		return meshPoint{x: away}
	}
	return meshPoint{rounded(x), rounded(y), ordered(depthOf(f, far))}
}

// rounded returns the nearest step of a coordinate.
func rounded(x float64) int32 { return int32(math.Floor(float64(x*steps) + 0.5)) }

// ordered maps a depth to an integer, preserving the order.
func ordered(z float32) int32 {
	b := int32(math.Float32bits(z))
	return b ^ int32(uint32(b>>31)>>1)
}

// unordered is the inverse of ordered.
func unordered(n int32) float32 {
	return math.Float32frombits(uint32(n ^ int32(uint32(n>>31)>>1)))
}

// surely returns a depth beyond which the projection of a point is precise enough and beyond the near plane,
// for points with a sum of absolute coordinates up to size; +Inf if no such depth is known.
func (p *projector) surely(f *frame, size, off float64) float64 {
	if f.parallel || !(f.limit > 0) {
		return math.Inf(1)
	}
	var e [3]float64
	for k := range 3 {
		e[k] = float64(size*p.err[k]) + float64(off*p.sums[k])
	}
	// Twice the requirement: half of slip for each coordinate, and as much for the last terms, which are less
	// than 2^-28.
	precise := 4 / slip * (max(e[0], e[1]) + float64(reachable*e[2]))
	return 2*e[2] + max(precise, (1+0x1p-16)/f.limit)
}

// project projects the corners of a mesh under a transform, whose images are off by at most wrong. It reports
// false if there is nothing to draw.
func (d *meshDraw) project(f *frame, m *Mesh, transform *xform.Transform, wrong float64) bool {
	p, ok := f.projector()
	if !ok {
		return false
	}
	d.cut = false
	size, off := m.size, float64(0x1p-52*(m.size+biggest(f.ref)))
	transformed := !transform.AtMost(xform.Identity)
	if transformed {
		var rows [12]float64
		transform.ReadRows(&rows)
		_, most := transform.Stretch()
		shift := max(math.Abs(rows[3]), math.Abs(rows[7]), math.Abs(rows[11]))
		off = float64(0x1p-48 * (float64(most*m.size) + shift + biggest(f.ref)))
		size = 4 * (float64(most*m.size) + shift)
	}
	off += wrong
	surely := p.surely(f, 2*(size+sum(f.ref)), off)
	before := math.Inf(-1)
	if !f.parallel && f.limit > 0 {
		before = (1 - 0x1p-16) / f.limit
	}
	if cap(d.points) < len(m.points) {
		d.points = make([]meshPoint, len(m.points))
	}
	d.points = d.points[:len(m.points)]
	x, y, z := &p.rows[0], &p.rows[1], &p.rows[2]
	offErr := float64(off * p.sums[2])
	d.keep(&p, f, m, transform, before)
	for i := 0; i < len(m.points); i++ {
		if !d.blocks[i>>blockBits] {
			i |= blockSize - 1
			continue
		}
		at := &m.points[i]
		a, b, c := at[0], at[1], at[2]
		if transformed {
			p := transform.Point(*at)
			a, b, c = p[0], p[1], p[2]
		}
		a, b, c = a-f.ref[0], b-f.ref[1], c-f.ref[2]
		w := float64(z[0]*a) + float64(z[1]*b) + float64(z[2]*c)
		point := meshPoint{x: away}
		if w > surely { // as in point
			px := (float64(x[0]*a) + float64(x[1]*b) + float64(x[2]*c)) / w
			py := (float64(y[0]*a) + float64(y[1]*b) + float64(y[2]*c)) / w
			if math.Abs(px) < reachable && math.Abs(py) < reachable {
				e := float64((math.Abs(a)+math.Abs(b)+math.Abs(c))*p.err[2]) + offErr
				point = meshPoint{rounded(px), rounded(py), ordered(depthOf(f, (1-2*p.slack)/(w+e)))}
			}
		} else if w >= before {
			point = p.point(f, [3]float64{a, b, c}, off)
		}
		d.points[i] = point
		d.cut = d.cut || point.x == away
	}
	return true
}

// depthOf rounds a depth down to float32.
func depthOf(f *frame, far float64) float32 {
	z := soa.Below(far, 0)
	if !f.parallel && z < 0x1p-100 {
		z = 0 // too far away: underflows the scale of the buffer
	}
	return z
}

// narrow is the maximum ratio of the squared length to the area of a triangle with a plane. A narrower
// triangle has the depth of its farthest corner everywhere, since rounding may have turned its plane.
const narrow = 1 << 22

// planeOf returns a lower bound of the depth of a triangle in a pixel: px*x + (py*y + p0), in float32, for x
// and y from the first column and row of its rectangle on. It is the minimum within offSteps of the pixel;
// -Inf for a narrow triangle.
//
// # Error bound
//
// Let d be the differences of depth and reach the size of the triangle. The float64 error of the gradient is
// less than 2^-50*d*reach/area, and that of the plane at most 2^-48*d*reach^2/area over the rectangle: 2^-26
// of d. d is less than size, because the plane attains the depths of all corners over the rectangle. float32
// rounds the three numbers, both products and both sums, each by u of size. The sum is less than 8u.
func planeOf(a, b, c *meshPoint, r *pixelRect) (px, py, p0 float32) {
	s := float64(area(a, b, c))
	z := float64(unordered(a.z))
	z1, z2 := float64(unordered(b.z))-z, float64(unordered(c.z))-z
	x1, y1 := float64(b.x-a.x), float64(b.y-a.y)
	x2, y2 := float64(c.x-a.x), float64(c.y-a.y)
	reach := max(math.Abs(x1), math.Abs(x2), math.Abs(y1), math.Abs(y2)) + 3*steps
	if float64(reach*reach) > narrow*math.Abs(s) {
		return 0, 0, -inf
	}
	gx := (float64(z1*y2) - float64(z2*y1)) / s
	gy := (float64(z2*x1) - float64(z1*x2)) / s
	left, top := float64(r.x0*steps-offSteps), float64(r.y0*steps-offSteps)
	if gx < 0 {
		left += steps + 2*offSteps
	}
	if gy < 0 {
		top += steps + 2*offSteps
	}
	left, top = left-float64(a.x), top-float64(a.y)
	at := z + (float64(gx*left) + float64(gy*top))
	gx, gy = gx*steps, gy*steps
	size := math.Abs(at) + float64(math.Abs(gx)*float64(r.x1-r.x0+1)) + float64(math.Abs(gy)*float64(r.y1-r.y0+1)) + math.Abs(z)
	err := float64(8 * u * size)
	if !(size+err < 0x1p100) {
		return 0, 0, -inf
	}
	return float32(gx), float32(gy), float32(at - err)
}

var inf = float32(math.Inf(1))
