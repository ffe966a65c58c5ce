package cull

import (
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// Lens is a camera projection for occlusion tests: it maps boxes to conservative rectangles of a
// [depth.Picture]. A point p, relative to the reference point, has the column X·p/w and the row Y·p/w,
// with w = W·p + W1. In a perspective the reference point is the eye, W1 is 0, and the depth is
// 1/w. In a parallel projection W is 0, W1 is 1, and the depth is -T·p.
//
// A box without w0 > Least has no rectangle and counts as visible. So does a box whose numbers
// exceed the range of float32.
//
// # Rectangle
//
// The rectangle of a box and its nearest depth are, in float32, each operation rounded separately,
// sums from left to right, with |v| the vector of absolute values,
//
//	l, u = (min - Hi) - Lo, (max - Hi) - Lo       c, h = (l + u)/2, (u - l)/2
//	s    = |c|x + hx + |c|y + hy + |c|z + hz
//	w    = W·c + W1                               w0 = w - |W|·h - EW*s
//	x    = X·c/w                                  R  = (|X - x*W|·h + EX*s + |x|*(EW*s)) / w0
//	columns x - R to x + R, rows alike with Y     z  = 1/w0, or |T|·h + ET*s - T·c
//
// N = X - x*W vanishes at the centre of the box, up to rounding, so R is its largest value over the
// box divided by the smallest w.
//
// # Rounding bound
//
// Let u be 2^-24, a the largest of |X|, and b the largest of |W|. The true rows differ from these
// by at most 1.5u a component. Hi is the float32 nearest to the reference point, so no bound of a
// box is nearer to the reference point than Lo is. The rounding of Lo is less than u of the
// difference. The error of l and u is 3.1u of their size, the error of c and h 5u*(|c| + |h|). So
// the error of w - |W|·h is 11u*b*s, of N·c 4.6u*a*s and 5.6u*|x|*b*s, of |N|·h 10.5u*a*s and
// 11.6u*|x|*b*s. The last sums, the quotient and the ends add another 7u of a*s + |x|*b*s.
// [MakeLens] sets EX = 32u*a and EW = 32u*b, rounded up: no point of the box beyond the eye's plane
// is outside the rectangle, and none is nearer than z, whose own rounding is within EW too.
// Denormal numbers are negligible: in a perspective w0 is far from them, in a parallel projection
// they are less than 2^-60 of a pixel.
type Lens struct {
	Hi, Lo         [3]float32 // the reference point is their sum
	X, Y, W, T     [3]float32
	W1             float32
	EX, EY, EW, ET float32
	Least          float32

	sizeW, sizeT [3]float32 // |W| and |T|
}

// MakeLens returns the lens of a perspective at ref with the rows X, Y and W, or, if parallel, of a
// parallel projection with the rows X, Y and T.
func MakeLens(ref [3]float64, x, y, depth [3]float64, parallel bool) (l Lens) {
	for a := range 3 {
		l.Hi[a] = float32(ref[a])
		l.Lo[a] = float32(ref[a] - float64(l.Hi[a]))
		l.X[a], l.Y[a] = float32(x[a]), float32(y[a])
	}
	l.EX, l.EY = slackOf(&l.X), slackOf(&l.Y)
	to, slack := &l.W, &l.EW
	l.Least = 0x1p-90
	if parallel {
		to, slack, l.W1 = &l.T, &l.ET, 1
	}
	for a := range 3 {
		to[a] = float32(depth[a])
		l.sizeW[a], l.sizeT[a] = lane.Abs(l.W[a]), lane.Abs(l.T[a])
	}
	*slack = slackOf(to)
	return l
}

// slackOf returns 32u of the largest absolute value of a row.
func slackOf(row *[3]float32) float32 {
	return lane.RoundUp(float64(0x1p-19 * float64(lane.Largest(row[0], row[1], row[2])) * (1 + 0x1p-40)))
}

// rect is a rectangle of the picture and the nearest depth of a box.
type rect struct {
	x0, x1, y0, y1, z float32
}

// rect sets r to the rectangle of a box. ok is false if there is none. A NaN in the result means
// the same.
func (l *Lens) rect(r *rect, b *soa.Packet, i int) (ok bool) {
	i &= soa.Lanes - 1
	var c, h [3]float32
	s := float32(0)
	for a := range 3 {
		lo := (b[2*a][i] - l.Hi[a]) - l.Lo[a]
		up := (b[2*a+1][i] - l.Hi[a]) - l.Lo[a]
		c[a], h[a] = float32((lo+up)*0.5), float32((up-lo)*0.5)
		s += lane.Abs(c[a]) + h[a]
	}
	w := dot32(&l.W, &c) + l.W1
	ew := float32(l.EW * s)
	w0 := (w - sizes(&l.W, &h)) - ew
	if !(w0 > l.Least) {
		return false
	}
	x, y := dot32(&l.X, &c)/w, dot32(&l.Y, &c)/w
	rx := ((spread(&l.X, &l.W, x, &h) + float32(l.EX*s)) + float32(lane.Abs(x)*ew)) / w0
	ry := ((spread(&l.Y, &l.W, y, &h) + float32(l.EY*s)) + float32(lane.Abs(y)*ew)) / w0
	r.x0, r.x1, r.y0, r.y1 = x-rx, x+rx, y-ry, y+ry
	if l.W1 == 0 {
		r.z = 1 / w0
	} else {
		r.z = (sizes(&l.T, &h) + float32(l.ET*s)) - dot32(&l.T, &c)
	}
	return true
}

func dot32(a, b *[3]float32) float32 {
	return (float32(a[0]*b[0]) + float32(a[1]*b[1])) + float32(a[2]*b[2])
}

// Sizes returns |a|·h.
func sizes(a, h *[3]float32) float32 {
	return (float32(lane.Abs(a[0])*h[0]) + float32(lane.Abs(a[1])*h[1])) + float32(lane.Abs(a[2])*h[2])
}

// spread returns |a - x*w|·h.
func spread(a, w *[3]float32, x float32, h *[3]float32) float32 {
	n := [3]float32{a[0] - float32(x*w[0]), a[1] - float32(x*w[1]), a[2] - float32(x*w[2])}
	return sizes(&n, h)
}

// clip returns the part of a rectangle inside the picture: columns c0 to c1 and rows r0 to r1. in
// is false if the rectangle is outside the picture; ok is false if it has a NaN.
func (r *rect) clip(p *depth.Picture) (c0, c1, r0, r1 int, in, ok bool) {
	width, height := float32(p.Width()), float32(p.Height())
	// Touching the border is inside: ends are compared before they are clamped.
	if r.x1 < 0 || r.x0 > width || r.y1 < 0 || r.y0 > height {
		return 0, 0, 0, 0, false, true
	}
	if !(r.x0 <= r.x1 && r.y0 <= r.y1) {
		return 0, 0, 0, 0, true, false
	}
	c0, c1 = int(min(max(r.x0, 0), width-1)), int(min(r.x1, width-1))
	r0, r1 = int(min(max(r.y0, 0), height-1)), int(min(r.y1, height-1))
	return c0, c1, r0, r1, true, true
}

// finerLevels is the number of finer levels that a test compares, too. Kernels of amd64 are written
// for this number.
const finerLevels = 2

var _ [0]struct{} = [finerLevels - 2]struct{}{}

// hides reports whether all texels that a rectangle touches are nearer than its depth, or it is
// outside the picture. It tests the finest level at which the rectangle has at most 16 columns and
// 4 rows. If the box is visible there, it tests up to finerLevels finer levels, whose texels extend
// less beyond the rectangle.
func (r *rect) hides(p *depth.Picture) bool {
	c0, c1, r0, r1, in, ok := r.clip(p)
	if !in || !ok {
		return ok
	}
	coarse := levelOf(c0, c1, r0, r1)
	if before(p, coarse, c0, c1, r0, r1, r.z) {
		return true
	}
	if coarse == 0 || !corners(p, c0, c1, r0, r1, r.z) {
		return false
	}
	for level := coarse - 1; level >= max(coarse-finerLevels, 0); level-- {
		if before(p, level, c0, c1, r0, r1, r.z) {
			return true
		}
	}
	return false
}

// corners reports whether the pixels at the corners of a rectangle are nearer than z. It is a cheap
// test that finds most visible boxes.
func corners(p *depth.Picture, c0, c1, r0, r1 int, z float32) bool {
	top, bottom := p.Row(r0), p.Row(r1)
	return min(top[c0], top[c1], bottom[c0], bottom[c1]) > z
}

// levelOf returns the finest level at which pixels from c0, r0 to c1, r1 have at most 16 columns
// and 4 rows.
func levelOf(c0, c1, r0, r1 int) (level int) {
	for shift := 0; c1>>shift-c0>>shift >= depth.RectColumns || r1>>shift-r0>>shift >= depth.RectRows; shift += depth.LevelShift {
		level++
	}
	return level
}

// before reports whether all texels of a level that hold pixels from c0, r0 to c1, r1 are nearer
// than z.
func before(p *depth.Picture, level, c0, c1, r0, r1 int, z float32) bool {
	l, shift := &p.Levels[level], level*depth.LevelShift
	c0, c1 = c0>>shift, c1>>shift
	for y := r0 >> shift; y <= r1>>shift; y++ {
		for _, v := range p.Pix[l.Base+y*l.Stride+c0:][:c1-c0+1] {
			if !(v > z) {
				return false
			}
		}
	}
	return true
}

// hides reports whether a box is hidden.
func (l *Lens) hides(p *depth.Picture, b *soa.Packet, lane int) bool {
	var r rect
	return l.rect(&r, b, lane) && r.hides(p)
}

// area returns the number of pixels of a box's rectangle inside the picture: all pixels if it has
// no rectangle, 0 if it is outside the picture.
func (l *Lens) area(p *depth.Picture, b *soa.Packet, lane int) float32 {
	var r rect
	if !l.rect(&r, b, lane) {
		return float32(p.Width() * p.Height())
	}
	c0, c1, r0, r1, in, ok := r.clip(p)
	switch {
	case !ok:
		return float32(p.Width() * p.Height())
	case !in:
		return 0
	}
	return float32((c1 - c0 + 1) * (r1 - r0 + 1))
}
