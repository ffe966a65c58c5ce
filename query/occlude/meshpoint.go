package occlude

import (
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A mesh is drawn in whole numbers: its corners are moved to the nearest point of a grid of 256
// steps a pixel, and from then on it is a plane figure that is known exactly.
const (
	stepBits = 8
	steps    = 1 << stepBits

	// A corner is at most off steps from where it is, on each axis: half of one by rounding, and what projecting
	// it in float64 may cost, which is less than slip, or else the corner is away.
	offSteps = 1
	slip     = 0.25 / steps

	// Corners further than this from the picture's corner, in pixels, are away.
	reachable = 1 << 20
)

// meshPoint is a corner of a mesh on the picture. Its depth is z or nearer.
type meshPoint struct {
	x, y int32 // steps
	z    float32
}

// away is x of a corner that is before the near plane, beside all that is drawn, or not known well enough.
const away = math.MinInt32

// projector is the way back from points to rays: a point p, from the reference point on, is x*w*dx +
// y*w*dy + w*d0 with w the depth, or x*dx + y*dy + t*d0 in a parallel projection. These are the products
// of p with the rows, whichever way the rays are skewed.
type projector struct {
	rows  [3][3]float64
	err   [3]float64 // of the product of a row, by the sum of the sizes of p
	sums  [3]float64 // of the sizes of a row
	slack float64    // of depth, relative
}

// projector returns the rows for the rays; ok is false if float64 does not have them.
func (f *frame) projector() (p projector, ok bool) {
	rays := [3][3]float64{f.dx, f.dy, f.d0}
	det := dot(f.dx, cross(f.dy, f.d0))
	detErr := 0.0
	for k := range 3 {
		// Row k is u × v, divided by the determinant. A component is off by 2 roundings of the sizes of its
		// products, 2 of its own in the quotient, and the product with a point by 3 of its terms.
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

// point projects a point of which each coordinate is off by at most off.
func (p *projector) point(f *frame, at [3]float64, off float64) meshPoint {
	size := sum(at)
	var c, e [3]float64
	for k := range 3 {
		c[k] = dot(p.rows[k], at)
		e[k] = float64(size*p.err[k]) + float64(off*p.sums[k])
	}
	var x, y, far, near, xErr, yErr float64 // far and near bound the number of the depth
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
	z := soa.Below(far, 0)
	if !f.parallel && z < 0x1p-100 {
		z = 0 // too far away to be told from nothing
	}
	return meshPoint{int32(math.Floor(float64(x*steps) + 0.5)), int32(math.Floor(float64(y*steps) + 0.5)), z}
}

// project places the corners of a mesh under a pose. It reports false if there is nothing to draw.
func (d *meshDraw) project(f *frame, m *Mesh, pose *linear.Pose) bool {
	p, ok := f.projector()
	if !ok {
		return false
	}
	d.points, d.cut = d.points[:0], false
	if pose.AtMost(linear.PoseIdentity) {
		off := float64(0x1p-52 * (m.size + biggest(f.ref)))
		for i := range m.points {
			d.add(p.point(f, minus(m.points[i], f.ref), off))
		}
		return true
	}
	var rows [12]float64
	pose.ReadRows(&rows)
	_, most := pose.Stretch()
	shift := max(math.Abs(rows[3]), math.Abs(rows[7]), math.Abs(rows[11]))
	off := float64(0x1p-48 * (float64(most*m.size) + shift + biggest(f.ref)))
	for i := range m.points {
		d.add(p.point(f, minus(pose.Point(m.points[i]), f.ref), off))
	}
	return true
}

func (d *meshDraw) add(p meshPoint) {
	d.points = append(d.points, p)
	d.cut = d.cut || p.x == away
}
