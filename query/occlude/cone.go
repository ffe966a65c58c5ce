package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// A convex solid is seen as a cone: on the picture it is what lies on the inner side of all
// lines of its silhouette, and it is entered where the last plane of a front face is
// passed. Both are affine in the point x, y of the picture, and need no corner to be projected nor
// clipped: what is behind the eye does no harm.
//
// Why this holds, for faces whose edges close up, whatever rounding has made of them, and
// whichever faces are called front: let an edge between a front face p,q,... and another one be a
// line, with the front face on its inner side. The ray is on the inner side of all lines, so
// all turn around it in one sense, and together by at least one full turn. That is the sum of
// what the borders of the front faces turn around it, so one of these does: the ray passes
// through the hull of the corners of a front face. These are all in front of that face's plane, or on it,
// so the ray has entered the solid when it passes the plane, and so when it passes the last one.

// u is the rounding of float32.
const u = 0x1p-24

// edgeOn is the least sine, or nearly that, under which a front face is seen as one: planes of
// others would be steep without end.
const edgeOn = 0x1p-20

// steep is how many columns a line may go along in a row until it is taken as level.
const steep = 1e6

// begin makes a cone without lines and planes.
func begin(c *asm.Cone, f *frame) {
	c.Y0, c.Y1, c.Lefts, c.Rights, c.Planes = 0, f.height, 0, 0, 0
	c.Limit = 0 // until finish, the largest that a plane may differ in a pixel
}

// line keeps the pixels of which all points have a*x + b*y + k >= off, where off bounds the
// errors of the left side: at least 2^-50 of |a|*width + |b|*height + |k| more than those of
// a, b and k, for what is computed here in float64. It reports false if there is no pixel.
//
//	left  (a > 0)   x >= m*y + c    m = -b/a,  c = (off - k)/a + max(m, 0) + r    r = 8u*(|m|*height + |c|)
//	right (a < 0)   x <  m*y + c               c = (off - k)/a + min(m, 0) - r
//	level           bounds of rows alone, for the whole width
//
// The third term makes the line hold at the upper and the lower end of the row, r is for the
// kernel, which rounds m, c, the product and the sum.
func line(to *asm.Cone, f *frame, a, b, k, off float64) bool {
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
		case to.Lefts == asm.MaxLines:
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
	case to.Rights == asm.MaxLines:
		return false
	}
	to.RM[to.Rights], to.RC[to.Rights] = float32(m), float32(c)
	to.Rights++
	return true
}

// rowsBefore returns how many whole rows of the picture are before y.
func (f *frame) rowsBefore(y float64) int {
	switch {
	case !(y > 0):
		return 0
	case y >= float64(f.height):
		return f.height
	}
	return int(y)
}

// plane bounds the depth by p0 + px*x + py*y, in the sense of the picture, where off bounds the
// errors of that. It reports false if the numbers are of no use.
//
// The least in a pixel is at one of its corners: p0 is lowered by max(-px, 0) + max(-py, 0), by
// off, and for the kernel by 8u*(|p0| + |px|*width + |py|*height). What is below 2^-120 is too
// far away.
func plane(to *asm.Cone, f *frame, p0, px, py, off float64) bool {
	size := math.Abs(p0) + float64(math.Abs(px)*float64(f.width)) + float64(math.Abs(py)*float64(f.height))
	if !(size < 1e30) || to.Planes == asm.MaxLines {
		return false
	}
	off += float64(8*u*size) + 0x1p-120
	p0 += min(px, 0) + min(py, 0)
	to.P0[to.Planes], to.PX[to.Planes], to.PY[to.Planes] = float32(p0-off), float32(px), float32(py)
	to.Planes++
	to.Limit = max(to.Limit, soa.Above(math.Abs(px)+math.Abs(py)+float64(2*off), 0))
	return true
}

// finish reports whether the cone has something to draw, and bounds its rows.
func finish(to *asm.Cone, f *frame) bool {
	if to.Planes == 0 {
		return false
	}
	f.bound(to, to.Limit)
	for i := range to.Lefts {
		for j := range min(to.Rights, 64/to.Lefts) {
			// a row has a pixel where the right line is one further than the left one
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

// bound sets the limit of a cone whose planes differ by at most spread in a pixel.
//
// What a ray enters before the near plane does not count, and that must not happen to any ray of the
// pixel: its depth is at most that of the picture and spread. If a plane is nowhere on the picture above the limit, where
// the kernel rounds 4u*(|p0| + |px|*width + |py|*height) at most, there is no limit.
func (f *frame) bound(to *asm.Cone, spread float32) {
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

// drawBox makes the cone of a box. It reports false if there is nothing to draw: also where the
// reference point, the eye, is in the box.
func (f *frame) drawBox(to *asm.Cone, b *soa.AABB) bool {
	if !f.parallel {
		switch spread, state := asm.BoxCone(to, b, &f.boxes); state {
		case asm.ConeMade:
			f.bound(to, soa.Above(spread, 0))
			return true
		case asm.ConeNone:
			return false
		}
	}
	return f.drawBoxGo(to, b)
}

// drawBoxGo is drawBox where no kernel is, and of parallel projections.
func (f *frame) drawBoxGo(to *asm.Cone, b *soa.AABB) bool {
	begin(to, f)
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
					// The edge where both faces meet. Inwards from it along the front face is
					// to the smaller side if the other face is the larger one.
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
	return finish(to, f)
}

// edge adds the line of an edge of a box: with coordinate va on axis a and vc on axis c, the
// ray passes it on the inner side if (va - Oa)*dc - (vc - Oc)*da has the sign of inside, where O
// is where the ray begins and d its direction.
func (f *frame) edge(to *asm.Cone, a, c int, va, vc, inside float64) bool {
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
