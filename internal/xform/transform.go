// Package xform computes affine transforms of scenes with bounds of their rounding errors: package linear declares its
// Transform over the one here, and packages that search scenes convert pointers to reach methods that programs do not
// need.
package xform

import (
	"math"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/soa"
)

// Transform is an affine transform: p becomes M*p + t, in float64. The zero value is the identity. The methods take a
// pointer, because a Transform is large: three cache lines. A point or a ray is moved into the space of a part by the
// first two lines, and a box out of it by the last two. slip and minScale encode the kind.
type Transform struct {
	inv      [3][3]float64 // approximate inverse of m; zero for the identity
	slip     float64       // upper bound of the row sums of |I - inv*m|: 0 for a translation, alignedSlip for aligned ones
	t        [3]float64
	m        [3][3]float64 // zero for the identity
	maxScale float64       // upper bound of the lengths of the images of unit vectors; 0 for the identity
	minScale float64       // lower bound of these lengths; negative unless p is a similarity or simpler
}

// alignedSlip is the error of the inverse of an aligned transform: less than of any other inverse that was rounded.
const alignedSlip = 0x1p-53

// Kind classifies transforms by generality. A kind includes those before it.
type Kind uint8

// The kinds of transforms.
const (
	Identity    Kind = iota // M is the identity, t is zero
	Translation             // M is the identity
	Aligned                 // M permutes, mirrors and scales axes: the image of a box is a box
	Similarity              // M scales all lengths alike, within a relative 2^-18
	Affine                  // any other invertible M
)

// Limits of transforms.
const (
	transformMax       = 0x1p100 // the largest number of M is at most this and at least its inverse
	transformCondition = 0x1p20  // limit of the longest over the shortest image of a unit vector
	transformTolerance = 0x1p-18 // limit of the relative difference of their squares in a similarity
)

// Fault is the reason why rows of numbers are no transform.
type Fault uint8

// The results of [Transform.Set].
const (
	None     Fault = iota
	Infinite       // a number is NaN or infinite
	Range          // the largest number of M is above 2^100 or below 2^-100
	Singular       // M stretches one direction more than 2^20 times as much as another
)

// TRS returns the rows of the transform that scales, rotates by the quaternion x y z w, and translates by t. ok is
// false if the quaternion has no direction.
func TRS(t [3]float64, q [4]float64, scale [3]float64) (rows [12]float64, ok bool) {
	x, y, z, w := q[0], q[1], q[2], q[3]
	square := float64(x*x) + float64(y*y) + (float64(z*z) + float64(w*w))
	if !(square >= 0x1p-1000 && square <= math.MaxFloat64) {
		return rows, false
	}
	s := 2 / square
	xx, yy, zz := float64(float64(x*x)*s), float64(float64(y*y)*s), float64(float64(z*z)*s)
	xy, xz, yz := float64(float64(x*y)*s), float64(float64(x*z)*s), float64(float64(y*z)*s)
	xw, yw, zw := float64(float64(x*w)*s), float64(float64(y*w)*s), float64(float64(z*w)*s)
	a, b, c := scale[0], scale[1], scale[2]
	return [12]float64{
		float64((1 - (yy + zz)) * a), float64((xy - zw) * b), float64((xz + yw) * c), t[0],
		float64((xy + zw) * a), float64((1 - (xx + zz)) * b), float64((yz - xw) * c), t[1],
		float64((xz - yw) * a), float64((yz + xw) * b), float64((1 - (xx + yy)) * c), t[2],
	}, true
}

// Set sets p to the transform of three rows of four numbers, row major. With a fault it sets p to the identity, and
// returns the largest number of M.
func (p *Transform) Set(rows *[12]float64) (fault Fault, largest float64) {
	*p = Transform{}
	if fault, largest = p.set(rows); fault != None {
		*p = Transform{}
	}
	return fault, largest
}

func (p *Transform) set(rows *[12]float64) (fault Fault, largest float64) {
	for i := range 3 {
		for j := range 3 {
			p.m[i][j] = rows[4*i+j] + 0 // turns -0 into 0
			if x := math.Abs(p.m[i][j]); x > largest {
				largest = x
			}
		}
		p.t[i] = rows[4*i+3] + 0
	}
	none := 0.0 // NaN if a number is not finite
	for i := range rows {
		none += rows[i] - rows[i]
	}
	if none != 0 {
		return Infinite, largest
	}
	if largest < 1/transformMax || largest > transformMax {
		return Range, largest
	}
	if p.straight() {
		if !(p.maxScale <= transformCondition*p.minScale) {
			return Singular, largest
		}
		return None, largest
	}
	if !p.invert(largest) {
		return Singular, largest
	}
	return None, largest
}

// straight reports whether p is aligned or simpler. If so it sets the kind, the inverse and the bounds.
func (p *Transform) straight() bool {
	var used [3]bool
	p.minScale, p.maxScale = math.Inf(1), 0
	unit := true
	for i, row := range p.m {
		found := -1
		for j, x := range row {
			if x == 0 {
				continue
			}
			if found >= 0 || used[j] {
				return false
			}
			found, used[j] = j, true
			unit = unit && i == j && x == 1
			p.minScale, p.maxScale = min(p.minScale, math.Abs(x)), max(p.maxScale, math.Abs(x))
			p.inv[j][i] = 1 / x
		}
		if found < 0 {
			p.minScale, p.maxScale = 0, 1 // singular, also where the rows before are zero
			return true
		}
	}
	switch {
	case unit && p.t == [3]float64{}:
		*p = Transform{}
	case unit:
		p.slip = 0
	default:
		p.slip = alignedSlip
	}
	return true
}

// Kind returns the kind of p.
func (p *Transform) Kind() Kind {
	for k := range Affine {
		if p.AtMost(k) {
			return k
		}
	}
	return Affine
}

// AtMost reports whether the kind of p is k or simpler. Up to Aligned it reads the first two cache lines.
func (p *Transform) AtMost(k Kind) bool {
	if k >= Similarity {
		return k > Similarity || p.minScale >= 0
	}
	if k == Aligned {
		return p.slip <= alignedSlip
	}
	return p.slip == 0 && (k == Translation || p.inv[0][0] == 0)
}

// Rows returns the numbers that were passed to [Transform.Set], with 0 for -0.
func (p *Transform) Rows() (rows [12]float64) {
	p.ReadRows(&rows)
	return rows
}

// ReadRows writes the result of [Transform.Rows] to rows.
func (p *Transform) ReadRows(rows *[12]float64) {
	if p.AtMost(Identity) {
		*rows = [12]float64{0: 1, 5: 1, 10: 1}
		return
	}
	m, t := &p.m, &p.t
	rows[0], rows[1], rows[2], rows[3] = m[0][0], m[0][1], m[0][2], t[0]
	rows[4], rows[5], rows[6], rows[7] = m[1][0], m[1][1], m[1][2], t[1]
	rows[8], rows[9], rows[10], rows[11] = m[2][0], m[2][1], m[2][2], t[2]
}

// Numbers returns M, the approximate inverse of M, and t, which must not be modified, and the upper bound of the row
// sums of |I - inverse*M|. For an identity all are zero.
func (p *Transform) Numbers() (m, inv *[3][3]float64, t *[3]float64, slip float64) {
	return &p.m, &p.inv, &p.t, p.slip
}

// Offset returns the translation t.
func (p *Transform) Offset() [3]float64 { return p.t }

// Stretch returns bounds of the factors by which M scales lengths: no vector gets shorter than least times its
// length, none longer than most times. Both are exact up to aligned transforms, within a relative 2^-17 for
// similarities, and within a fourteenth for others.
func (p *Transform) Stretch() (least, most float64) {
	if p.AtMost(Identity) {
		return 1, 1
	}
	return math.Abs(p.minScale), p.maxScale
}

// Point returns the image of a point. The error of each coordinate is at most 2^-50 times the sum of the absolute
// values of its terms. The image is exact for the identity.
func (p *Transform) Point(v [3]float64) (image [3]float64) {
	if p.AtMost(Identity) {
		return v
	}
	for i, row := range p.m {
		image[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2]) + p.t[i]
	}
	return image
}

// Compose writes the numbers of the composition that applies p first and outer second. Each is rounded by at most
// 2^-50 times the sum of the absolute values of its terms. Neither may be the identity.
func (p *Transform) Compose(outer *Transform, rows *[12]float64) {
	at := outer.Point(p.t)
	for i, o := range outer.m {
		for j := range 3 {
			rows[4*i+j] = float64(o[0]*p.m[0][j]) + float64(o[1]*p.m[1][j]) + float64(o[2]*p.m[2][j])
		}
		rows[4*i+3] = at[i]
	}
}

// Local returns the preimage of v under p, for numbers up to 2^800. The exact preimage is within off of local on
// each axis. off is 0 where nothing had to be rounded, as for an identity.
func (p *Transform) Local(v [3]float64) (local, off [3]float64) {
	if p.AtMost(Identity) {
		return v, off
	}
	if !p.AtMost(Aligned) {
		p.localPoint(&local, &off, &v)
		return local, off
	}
	for j := range 3 {
		for i := range 3 {
			if m := p.m[i][j]; m != 0 {
				d, lost := twoSum(v[i], -p.t[i]) // v - t = d + lost
				local[j] = d / m
				off[j] = math.Abs(lost / m)
				if f, _ := math.Frexp(m); math.Abs(f) != 0.5 {
					off[j] = float64((off[j] + float64(math.Abs(local[j])*0x1p-53)) * (1 + 0x1p-50))
				}
			}
		}
	}
	return local, off
}

// twoSum returns the rounded sum and its rounding error (D. Knuth).
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// Box returns a bounding box of float32 that contains the exact image of b: see the Transform of package linear.
func (p *Transform) Box(b *soa.AABB) (image soa.AABB) {
	p.WriteBox(&image, b)
	return image
}

// WriteBox writes the result of [Transform.Box].
func (p *Transform) WriteBox(image, b *soa.AABB) {
	if p.AtMost(Identity) {
		*image = *b
		return
	}
	if !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2]) {
		*image = soa.Empty()
		return
	}
	if !p.AtMost(Aligned) && (build.ImageBox(image, p.forward(), b) || p.quickBox(b, image)) {
		return
	}
	for i := range 3 {
		image.Min[i], image.Max[i] = p.span(b, i)
	}
}

// span returns the bounds of the image of a box on an axis.
func (p *Transform) span(b *soa.AABB, i int) (least, most float32) {
	lo, hi := interval{sum: p.t[i]}, interval{sum: p.t[i]}
	for j, m := range &p.m[i] {
		if m == 0 {
			continue
		}
		x, y := float64(m*float64(b.Min[j])), float64(m*float64(b.Max[j]))
		least, most := min(x, y), max(x, y) // signs are unpredictable: no branch
		lo.add(least)
		hi.add(most)
		if math.Float64bits(m)&(1<<24-1) != 0 { // more than 29 digits: products may be rounded
			lo.off += float64(math.Abs(least) * 0x1p-53)
			hi.off += float64(math.Abs(most) * 0x1p-53)
		}
	}
	return lo.below(), hi.above()
}

// quickBox writes the results of [Transform.span] by centre and half edges, if they are certain: those are rounded to
// float32, so errors in float64 rarely matter. [build.ImageBox] is its kernel.
//
// With s for the sum of the magnitudes of all terms of a row, at most largest + |t|, the sums here are off by less
// than s * 2^-50. In span the sums and the bounds of their errors are off by at most as much.
func (p *Transform) quickBox(b *soa.AABB, image *soa.AABB) bool {
	lo0, lo1, lo2 := float64(b.Min[0])/2, float64(b.Min[1])/2, float64(b.Min[2])/2
	hi0, hi1, hi2 := float64(b.Max[0])/2, float64(b.Max[1])/2, float64(b.Max[2])/2
	c0, c1, c2 := lo0+hi0, lo1+hi1, lo2+hi2
	h0, h1, h2 := hi0-lo0, hi1-lo1, hi2-lo2
	largest := float64((math.Abs(c0) + math.Abs(c1) + math.Abs(c2) + h0 + h1 + h2) * p.maxScale)
	for i := range p.m {
		r, t := &p.m[i], p.t[i]
		middle := t + (float64(r[0]*c0) + float64(r[1]*c1) + float64(r[2]*c2))
		reach := float64(math.Abs(r[0])*h0) + float64(math.Abs(r[1])*h1) + float64(math.Abs(r[2])*h2)
		off := float64((math.Abs(t) + largest) * 0x1p-48)
		least, most := middle-reach, middle+reach
		below, above := float32(least), float32(most)
		// The sign of a difference larger than off is certain, and off is then less than half a step.
		under, over := float64(below)-least, most-float64(above)
		if !(math.Abs(under) > off && math.Abs(over) > off) {
			return false
		}
		// Signs are unpredictable: no branch.
		n := math.Float32bits(below)
		n -= (1 - n>>31<<1) & positive(under)
		image.Min[i] = math.Float32frombits(n) + 0
		n = math.Float32bits(above)
		n += (1 - n>>31<<1) & positive(over)
		image.Max[i] = math.Float32frombits(n) + 0
	}
	return true
}

// positive returns all bits for a positive number, and 0 for a negative one.
func positive(x float64) uint32 { return uint32(math.Float64bits(x)>>63) - 1 }

// interval is a sum with a bound of its rounding error.
type interval struct{ sum, off float64 }

func (s *interval) add(x float64) {
	var lost float64
	s.sum, lost = twoSum(s.sum, x)
	s.off += math.Abs(lost)
}

// above returns a float32 that is at least the exact sum: the smallest one if nothing was rounded.
func (s *interval) above() float32 { return soa.Above(s.sum, -float64(s.off*(1+0x1p-50))) }

// below returns a float32 that is at most the exact sum, and 0 for -0.
func (s *interval) below() float32 { return soa.Below(s.sum, float64(s.off*(1+0x1p-50))) + 0 }
