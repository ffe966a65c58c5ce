package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// A convex occluder is drawn as a cone: on the image it is the intersection of the inner sides of all lines
// of its silhouette, and a ray enters it at the last plane of a front face. Lines and planes are affine
// functions of the point x, y of the image. No corner has to be projected or clipped, so parts behind the eye
// are harmless.
//
// # Proof
//
// This holds for faces whose edges close, however their corners were rounded and whichever faces count as
// front faces. Each edge between a front face p,q,... and another face is a line, with the front face on its
// inner side. A ray on the inner side of all lines sees all of them turn around it in one sense, by at least
// one full turn in sum. That sum equals the turns of the borders of the front faces, so one border turns
// around the ray: the ray passes through the convex hull of the corners of a front face. These corners are
// all in front of that face's plane, or on it. So the ray has entered the occluder when it passes this plane,
// and therefore when it passes the last one.

// u is the unit roundoff of float32.
const u = 0x1p-24

// edgeOn is approximately the smallest sine of the angle at which a face counts as a front face. Planes of
// other faces would be arbitrarily steep.
const edgeOn = 0x1p-20

// steep is the number of columns per row above which a line counts as level.
const steep = 1e6

// beginCone clears the lines and planes of a cone.
func beginCone(c *depth.Cone, f *frame) {
	c.Y0, c.Y1, c.Lefts, c.Rights, c.Planes = 0, f.height, 0, 0, 0
	c.Limit = 0 // until finishCone: the largest variation of a plane in a pixel
}

// line keeps the pixels in which all points have a*x + b*y + k >= off, where off bounds the errors of the
// left side. It must exceed the errors of a, b and k by at least 2^-50 of |a|*width + |b|*height + |k|, for
// the float64 computation here. line reports false if no pixel remains.
//
//	left  (a > 0)   x >= m*y + c    m = -b/a,  c = (off - k)/a + max(m, 0) + r    r = 8u*(|m|*height + |c|)
//	right (a < 0)   x <  m*y + c               c = (off - k)/a + min(m, 0) - r
//	level           bounds of rows alone, for the whole width
//
// The third term makes the line hold at the upper and the lower end of the row. r covers the kernel, which
// rounds m, c, the product and the sum.
func line(to *depth.Cone, f *frame, a, b, k, off float64) bool {
	width, height := float64(f.width), float64(f.height)
	if !(off < math.MaxFloat64) {
		return false
	}
	if !(math.Abs(b) < float64(steep*math.Abs(a))) {
		k = k + min(float64(a*width), 0) - off
		switch {
		case b > 0:
			to.Y0 = max(to.Y0, f.rowsBefore(math.Ceil(-k/b)))
		case b < 0:
			to.Y1 = min(to.Y1, f.rowsBefore(k/-b))
		default:
			return k >= 0
		}
		return to.Y0 < to.Y1
	}
	m, c := -b/a, (off-k)/a
	far := float64(math.Abs(m) * height)
	if a > 0 {
		c += max(m, 0)
		c += float64(8 * u * (far + math.Abs(c)))
		switch {
		case c+max(float64(m*height), 0) <= 0:
			return true
		case c+min(float64(m*height), 0) >= width:
			return false
		case to.Lefts == depth.MaxLines:
			return false
		}
		to.LM[to.Lefts], to.LC[to.Lefts] = float32(m), float32(c)
		to.Lefts++
		return true
	}
	c += min(m, 0)
	c -= float64(8 * u * (far + math.Abs(c)))
	switch {
	case c+min(float64(m*height), 0) >= width:
		return true
	case c+max(float64(m*height), 0) <= 0:
		return false
	case to.Rights == depth.MaxLines:
		return false
	}
	to.RM[to.Rights], to.RC[to.Rights] = float32(m), float32(c)
	to.Rights++
	return true
}

// rowsBefore returns the number of whole rows before y.
func (f *frame) rowsBefore(y float64) int {
	switch {
	case !(y > 0):
		return 0
	case y >= float64(f.height):
		return f.height
	}
	return int(y)
}

// plane bounds the depth by p0 + px*x + py*y, in the unit of the buffer, where off bounds the errors. It
// reports false if the plane is unusable.
//
// The minimum in a pixel is at one of its corners: p0 is lowered by max(-px, 0) + max(-py, 0), by off, and
// for the kernel by 8u*(|p0| + |px|*width + |py|*height). Depths below 2^-120 are too far away.
func plane(to *depth.Cone, f *frame, p0, px, py, off float64) bool {
	size := math.Abs(p0) + float64(math.Abs(px)*float64(f.width)) + float64(math.Abs(py)*float64(f.height))
	if !(size < 1e30) || to.Planes == depth.MaxLines {
		return false
	}
	off += float64(8*u*size) + 0x1p-120
	p0 += min(px, 0) + min(py, 0)
	to.P0[to.Planes], to.PX[to.Planes], to.PY[to.Planes] = float32(p0-off), float32(px), float32(py)
	to.Planes++
	to.Limit = max(to.Limit, soa.Above(math.Abs(px)+math.Abs(py)+float64(2*off), 0))
	return true
}

// finishCone reports whether the cone has pixels to draw, and bounds its rows.
func finishCone(to *depth.Cone, f *frame) bool {
	if to.Planes == 0 {
		return false
	}
	f.bound(to, to.Limit)
	for i := range to.Lefts {
		for j := range min(to.Rights, 64/to.Lefts) {
			// A row has a pixel where the right line is at least 1 beyond the left one.
			m := float64(to.RM[j]) - float64(to.LM[i])
			k := float64(to.RC[j]) - float64(to.LC[i]) - 1
			switch {
			case m > 0:
				to.Y0 = max(to.Y0, f.rowsBefore(-k/m))
			case m < 0:
				to.Y1 = min(to.Y1, f.rowsBefore(-k/m+1))
			case k < -1:
				return false
			}
		}
	}
	return to.Y0 < to.Y1
}

// bound sets the limit of a cone whose planes vary by at most spread in a pixel.
//
// An occluder that a ray enters before the near plane does not count, and this must hold for every ray of the
// pixel: its depth is at most the depth in the buffer plus spread. There is no limit if a plane is nowhere on
// the image above the limit, with at most 4u*(|p0| + |px|*width + |py|*height) for the rounding of the
// kernel.
func (f *frame) bound(to *depth.Cone, spread float32) {
	to.Limit = soa.Below(f.limit, float64(spread))
	if f.parallel {
		return
	}
	for i := range to.Planes {
		p0 := float64(to.P0[i])
		x, y := float64(float64(to.PX[i])*float64(f.width)), float64(float64(to.PY[i])*float64(f.height))
		size := math.Abs(p0) + math.Abs(x) + math.Abs(y)
		if p0+max(x, 0)+max(y, 0)+float64(8*u*size) <= float64(to.Limit) {
			to.Limit = float32(math.Inf(1))
			return
		}
	}
}

// boxCone makes the cone of a box. It reports false if there is nothing to draw, for example because the eye
// is in the box.
func (f *frame) boxCone(to *depth.Cone, b *soa.AABB) bool {
	if !f.parallel {
		switch spread, state := depth.BoxCone(to, b, &f.boxes); state {
		case depth.ConeMade:
			f.bound(to, soa.Above(spread, 0))
			return true
		case depth.ConeNone:
			return false
		}
	}
	return f.boxConeGo(to, b)
}

// boxConeGo is the fallback of boxCone for boxes that the kernel does not decide, and for parallel projections.
func (f *frame) boxConeGo(to *depth.Cone, b *soa.AABB) bool {
	beginCone(to, f)
	var v [3][2]float64
	largest := 0.0
	for a := range 3 {
		v[a] = [2]float64{float64(b.Min[a]) - f.ref[a], float64(b.Max[a]) - f.ref[a]}
		if far := -v[a][0]; far > largest {
			largest = far
		}
		if far := v[a][1]; far > largest {
			largest = far
		}
	}
	var front [3][2]bool
	for a := range 3 {
		if f.parallel {
			toward := float64(edgeOn * biggest(f.d0))
			front[a] = [2]bool{f.d0[a] > toward, f.d0[a] < -toward}
		} else {
			front[a] = [2]bool{v[a][0] > edgeOn*largest, v[a][1] < -edgeOn*largest}
		}
		for s := range 2 {
			if !front[a][s] {
				continue
			}
			k, p0 := v[a][s], f.d0[a]
			if f.parallel { // -t = (x*dx + y*dy - v)/d0
				k, p0 = f.d0[a], -v[a][s]
			}
			if !plane(to, f, p0/k, f.dx[a]/k, f.dy[a]/k, 0) {
				return false
			}
		}
	}
	for a := range 3 {
		for s := range 2 {
			if !front[a][s] {
				continue
			}
			for c := range 3 {
				for t := range 2 {
					if c == a || front[c][t] {
						continue
					}
					// The common edge of both faces. Inwards from it along the front face is to the smaller
					// side if the other face is the larger one.
					inside := 1.0
					if s != t {
						inside = -1
					}
					if !f.edge(to, a, c, v[a][s], v[c][t], inside) {
						return false
					}
				}
			}
		}
	}
	return finishCone(to, f)
}

// edge adds the line of an edge of a box with coordinate va on axis a and vc on axis c. The ray passes it on
// the inner side if (va - Oa)*dc - (vc - Oc)*da has the sign of inside, where O is the origin of the ray and
// d its direction.
func (f *frame) edge(to *depth.Cone, a, c int, va, vc, inside float64) bool {
	if f.parallel {
		da, dc := float64(inside*f.d0[a]), float64(inside*f.d0[c])
		across, along := f.reach[a]+math.Abs(va), f.reach[c]+math.Abs(vc)
		return line(to, f,
			float64(f.dx[c]*da)-float64(f.dx[a]*dc),
			float64(f.dy[c]*da)-float64(f.dy[a]*dc),
			float64(va*dc)-float64(vc*da),
			float64(0x1p-49*(float64(across*math.Abs(dc))+float64(along*math.Abs(da)))))
	}
	va, vc = float64(inside*va), float64(inside*vc)
	across, along := f.reach[a], f.reach[c]
	return line(to, f,
		float64(va*f.dx[c])-float64(vc*f.dx[a]),
		float64(va*f.dy[c])-float64(vc*f.dy[a]),
		float64(va*f.d0[c])-float64(vc*f.d0[a]),
		float64(0x1p-49*(float64(along*math.Abs(va))+float64(across*math.Abs(vc)))))
}
