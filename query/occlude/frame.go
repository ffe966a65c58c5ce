package occlude

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// frame is a projection in float64, used for drawing occluders. The ray of the point x, y of the image, in
// pixels from its upper left corner, is
//
//	perspective   ref + t*(d0 + x*dx + y*dy)        ref the eye
//	parallel      ref + x*dx + y*dy + t*d0
//
// with the depth t. The contract of the package holds for exactly these rays.
type frame struct {
	width, height int
	parallel      bool
	ref           [3]float64
	d0, dx, dy    [3]float64
	reach         [3]float64 // largest directions of rays on each axis, or their largest origins

	// limit is the depth of the near plane where it is farthest on the image: 1/t, or -t. An occluder that a
	// ray enters before it does not count.
	limit float64

	lens    cull.Lens
	boxes   depth.BoxEye // unset if parallel
	frustum query.Frustum
	depth   [3]float64 // the depth of a point p is depth·(p - ref)

	// rows are the rows of the lens before rounding; slip is the largest error of an element of each,
	// relative to the rays.
	rows [3][3]float64
	slip [3]float64
}

// projection holds the rows of a matrix for points relative to the tree, and its near plane.
type projection struct {
	x, y, w, near [4]float64
	eye           *[3]float64 // unless nil, the point at which w, x and y vanish
}

// errNothing is returned for a projection without an image.
var errNothing = errors.New("occlude: the matrix has no usable inverse: it is singular, or nearly so, or its volume is empty")

// set makes f the frame of a projection.
func (f *frame) set(p *projection, frustum query.Frustum, cfg *Config) error {
	f.frustum = frustum
	f.parallel = p.w[0] == 0 && p.w[1] == 0 && p.w[2] == 0
	if f.parallel {
		if !(p.w[3] > 0) {
			return errNothing
		}
		unit := p.toUnit()
		p = &unit
	}
	depth := *p
	if f.parallel {
		for i := range 4 {
			depth.x[i], depth.y[i] = p.x[i]/p.w[3], p.y[i]/p.w[3]
		}
		// Depth is measured along the rays.
		n := cross(lin(&p.x), lin(&p.y))
		s := dot(n, n)
		if toward := dot(n, lin(&p.near)); toward < 0 {
			n = scaled(n, -1)
		} else if !(toward > 0) {
			return errNothing
		}
		s = math.Sqrt(s)
		depth.w = [4]float64{n[0] / s, n[1] / s, n[2] / s, 0}
	} else if s := power(p.w); s != 0 {
		for i := range 4 {
			depth.x[i], depth.y[i], depth.w[i] = p.x[i]*s, p.y[i]*s, p.w[i]*s
		}
	}
	n0, n1, n2, ok := inverse(lin(&depth.x), lin(&depth.y), lin(&depth.w))
	if !ok {
		return errNothing
	}
	f.width, f.height = cfg.size(length(n0) / length(n1))
	// The point of the image in units of -1 to 1, with y upwards, is 2x/width - 1 and 1 - 2y/height.
	w, h := float64(f.width), float64(f.height)
	f.dx, f.dy = scaled(n0, 2/w), scaled(n1, -2/h)
	for a := range 3 {
		if f.parallel {
			f.d0[a] = n2[a]
			// the point at which x, y and depth are -1, 1 and 0
			f.ref[a] = float64(n0[a]*(-1-depth.x[3])) + float64(n1[a]*(1-depth.y[3]))
		} else {
			f.d0[a] = n2[a] - n0[a] + n1[a]
			f.ref[a] = -(float64(n0[a]*depth.x[3]) + float64(n1[a]*depth.y[3]) + float64(n2[a]*depth.w[3]))
		}
	}
	for a := range 3 {
		f.reach[a] = float64(math.Abs(f.dx[a])*w) + float64(math.Abs(f.dy[a])*h)
		if !f.parallel {
			f.reach[a] += math.Abs(f.d0[a])
		}
	}
	if f.parallel { // the reference point is on the near plane
		near := lin(&p.near)
		t := -(dot(near, f.ref) + p.near[3]) / dot(near, f.d0)
		for a := range 3 {
			f.ref[a] += float64(t * f.d0[a])
		}
	} else if p.eye != nil {
		f.ref = *p.eye
	}
	f.limit = f.nearest(&p.near)
	var x, y [3]float64
	for a := range 3 {
		x[a], y[a] = float64(w/2*depth.x[a]), float64(-h/2*depth.y[a])
		if !f.parallel {
			x[a] += float64(w / 2 * depth.w[a])
			y[a] += float64(h / 2 * depth.w[a])
		}
	}
	return f.finish(x, y, lin(&depth.w))
}

// toUnit returns a parallel projection divided by the power of two that brings w into [1/2, 1): products of its
// numbers neither overflow nor underflow.
func (p *projection) toUnit() (q projection) {
	q = *p
	_, e := math.Frexp(p.w[3])
	for _, row := range [4]*[4]float64{&q.x, &q.y, &q.w, &q.near} {
		for i, x := range row {
			row[i] = math.Ldexp(x, -e)
		}
	}
	return q
}

// nearest returns the depth of a near plane where it is farthest, as 1/t or -t, lowered by the bound of
// rounding errors.
func (f *frame) nearest(near *[4]float64) float64 {
	n := lin(near)
	at, size := dot(n, f.ref)+near[3], sizes(n, f.ref)+math.Abs(near[3])
	least := math.Inf(1)
	for i := range 4 {
		x, y := float64(i&1*f.width), float64(i>>1*f.height)
		var d [3]float64
		for a := range 3 {
			if d[a] = float64(x*f.dx[a]) + float64(y*f.dy[a]); !f.parallel {
				d[a] += f.d0[a]
			}
		}
		b := dot(n, d)
		least = min(least, b-float64(0x1p-48*sizes(n, d)))
	}
	if f.parallel {
		// near·(ref + x*dx + y*dy + t*d0) + near3 >= 0
		q := dot(n, f.d0)
		if !(q > 0) {
			return math.Inf(-1)
		}
		v := (at - float64(0x1p-48*size) + least) / q
		return v - float64(0x1p-48*math.Abs(v))
	}
	// near·(ref + t*dir) + near3 >= 0: where the eye is before the plane, 1/t <= near·dir / -at
	before := float64(0x1p-48*size) - at
	switch {
	case before > 0:
		return least / before
	case least >= 0 || at > 0:
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// finish makes the lens, whose rows map points to pixels, and rejects projections that are not precise enough
// for it.
func (f *frame) finish(x, y, z [3]float64) error {
	columns := [3][3]float64{f.dx, f.dy, f.d0}
	rows := [3][3]float64{x, y, z}
	for i, r := range rows {
		for j, c := range columns {
			// The rows are those of the rays, except residual times other rows. In a parallel projection the
			// rows of x and y do not depend on the rays.
			off, want := math.Abs(dot(r, c)), 0.0
			if i == j {
				off, want = math.Abs(dot(r, c)-1), 1
			}
			off += float64(0x1p-50 * (sizes(r, c) + want))
			share := float64(off * biggest(rows[j]))
			if !(share <= float64(0x1p-26*biggest(r))) {
				return errNothing
			}
			f.slip[i] += float64(share * (1 + 0x1p-20))
		}
		if m := biggest(r); !(m < 0x1p100 && m > 0x1p-60 && math.Abs(f.ref[i]) < math.MaxFloat32) {
			return fmt.Errorf("occlude: a camera at %v, with rows of pixels %v, is beyond float32", f.ref, rows)
		}
	}
	f.depth, f.rows = z, rows
	f.boxes = depth.MakeBoxEye(f.ref, f.d0, f.dx, f.dy, f.reach, f.width, f.height)
	f.lens = cull.MakeLens(f.ref, x, y, z, f.parallel)
	return nil
}

// from sets another reference point for drawing occluders.
func (f *frame) from(ref [3]float64) {
	f.ref = ref
	f.boxes.From(ref)
}

// largeLanes returns the lanes of m whose boxes have rectangles of at least that many pixels and are not behind
// the eye.
func (f *frame) largeLanes(b *soa.Packet, m uint32, least float32, picture *depth.Picture) (large uint32) {
	if m == 0 {
		return 0
	}
	var areas [soa.Lanes]float32
	cull.VisibleAreas(&areas, b, m, &f.lens, picture)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		if areas[lane] < least {
			continue
		}
		deepest := 0.0
		for a, d := range f.depth {
			k := 2 * a
			if d > 0 {
				k++
			}
			deepest += float64(d * (float64(b[k][lane]) - f.ref[a]))
		}
		if deepest > 0 {
			large |= 1 << lane
		}
	}
	return large
}

// inverse returns the columns of the inverse of a matrix with rows x, y and w; ok is false if it has none.
func inverse(x, y, w [3]float64) (cx, cy, cw [3]float64, ok bool) {
	// Rows are first scaled to about 1, by powers of two.
	sx, sy, sw := power3(x), power3(y), power3(w)
	x, y, w = scaled(x, sx), scaled(y, sy), scaled(w, sw)
	cx, cy, cw = cross(y, w), cross(w, x), cross(x, y)
	det := dot(x, cx)
	if !(math.Abs(det) > 0x1p-100) { // also rejects NaN
		return cx, cy, cw, false
	}
	return scaled(cx, sx/det), scaled(cy, sy/det), scaled(cw, sw/det), true
}

// power returns the power of two that brings the largest linear element of a row near 1, in float32 to at
// most 1; 0 if there is none. So a depth is at most as large as the coordinates it is computed from, and no
// term of it overflows float32 unless they do.
func power(r [4]float64) float64 { return power3(lin(&r)) }

func power3(r [3]float64) float64 {
	m := biggest(r)
	if !(m > 0x1p-900 && m < 0x1p900) {
		return 0
	}
	if m >= 0.25 && m <= 1+0x1p-30 {
		return 1
	}
	_, e := math.Frexp(m)
	return math.Ldexp(1, -e)
}
