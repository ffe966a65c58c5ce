package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/soa"
)

// hullPoints holds the corners of a transformed hull, relative to the reference point, each within off of the
// exact one on each axis.
type hullPoints struct {
	hull     *Hull
	mirrored bool
	off      float64
	points   [MaxCorners][3]float64
}

// set transforms a hull.
func (p *hullPoints) set(f *frame, h *Hull, transform *xform.Transform) {
	p.hull, p.mirrored = h, false
	largest := 0.0
	for i, q := range h.points {
		largest = max(largest, sum(q))
		p.points[i] = minus(transform.Point(q), f.ref)
	}
	p.off = float64(0x1p-52 * (largest + biggest(f.ref)))
	if transform.Kind() > xform.Identity {
		rows := transform.Rows()
		_, most := transform.Stretch()
		shift := max(math.Abs(rows[3]), math.Abs(rows[7]), math.Abs(rows[11]))
		p.off = float64(0x1p-48 * (float64(most*largest) + shift + biggest(f.ref)))
		p.mirrored = isMirrored(&rows)
	}
}

// setOriented makes p an oriented box, whose axes may be left-handed.
func (p *hullPoints) setOriented(f *frame, b *soa.OrientedBox) {
	p.hull = &cube
	var axes [3][3]float64
	largest := 0.0
	for a := range 3 {
		largest = max(largest, math.Abs(float64(b.Center[a])))
		for i := range 3 {
			axes[i][a] = float64(b.Axes[i][a])
			largest = max(largest, math.Abs(axes[i][a]))
		}
	}
	for i, q := range cube.points {
		for a := range 3 {
			at := float64(q[0]*axes[0][a]) + float64(q[1]*axes[1][a]) + float64(q[2]*axes[2][a])
			p.points[i][a] = float64(b.Center[a]) + at - f.ref[a]
		}
	}
	p.off = float64(0x1p-50 * (largest + biggest(f.ref)))
	p.mirrored = dot(axes[0], cross(axes[1], axes[2])) < 0
}

// hullCone makes the cone of a hull. It reports false if there is nothing to draw.
//
// The plane of a face has the normal n computed from its corners, however inaccurate, and passes through the
// innermost corner. So all corners of the face are on the plane or outside it: the depth bound relies on
// this.
func (f *frame) hullCone(to *depth.Cone, p *hullPoints) bool {
	beginCone(to, f)
	points := p.points[:len(p.hull.points)]
	var front [MaxCorners]bool
	for i, face := range p.hull.faces {
		n := normalOf(points, face)
		if !p.mirrored {
			n = scaled(n, -1) // inwards
		}
		least, most, far := math.Inf(1), math.Inf(-1), 0.0
		for _, k := range face {
			d := dot(n, points[k])
			least, most = min(least, d), max(most, d)
			far = max(far, biggest(points[k]))
		}
		off := float64(sum(n) * (p.off + float64(0x1p-50*far)))
		least, most = least-off, most+off
		if f.parallel {
			along := dot(n, f.d0)
			if front[i] = along > float64(edgeOn*sizes(n, f.d0)); !front[i] {
				continue
			}
			err := float64(0x1p-50*(sizes(n, f.reach)+math.Abs(most))) / along
			if !plane(to, f, -most/along, dot(n, f.dx)/along, dot(n, f.dy)/along, err) {
				return false
			}
			continue
		}
		if front[i] = least > float64(edgeOn*float64(sum(n)*far)); !front[i] {
			continue
		}
		err := float64(0x1p-50*sizes(n, f.reach)) / most
		if !plane(to, f, dot(n, f.d0)/most, dot(n, f.dx)/most, dot(n, f.dy)/most, err) {
			return false
		}
	}
	for _, e := range p.hull.edges {
		if front[e.left] == front[e.right] {
			continue
		}
		from, at := points[e.from], points[e.to]
		if front[e.right] != p.mirrored {
			from, at = at, from
		}
		if !f.silhouette(to, &from, &at, p.off) {
			return false
		}
	}
	return finishCone(to, f)
}

// silhouette adds the line of an edge that runs clockwise around the inner side, as the corners of a front
// face do that are counterclockwise seen from outside. The side of a ray is the sign of the Plücker product:
// -(d·(p × q) + (O × d)·(q - p)).
func (f *frame) silhouette(to *depth.Cone, p, q *[3]float64, off float64) bool {
	m, mp, mq := cross(*q, *p), biggest(*p), biggest(*q)
	mErr := float64(0x1p-50*mp*mq) + float64(2*off*(mp+mq+off))
	if !f.parallel {
		return line(to, f, dot(m, f.dx), dot(m, f.dy), dot(m, f.d0),
			float64(mErr*sum(f.reach))+float64(0x1p-49*sizes(m, f.reach)))
	}
	along := minus(*q, *p)
	g, d := cross(along, f.d0), biggest(f.d0)
	gErr := float64(d * (float64(4*off) + float64(0x1p-50*biggest(along))))
	return line(to, f, dot(g, f.dx), dot(g, f.dy), dot(m, f.d0),
		float64(gErr*sum(f.reach))+float64(mErr*sum(f.d0))+float64(0x1p-49*(sizes(g, f.reach)+sizes(m, f.d0))))
}
