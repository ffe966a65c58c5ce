package linear

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/soa"
)

// Transform is an affine transform from the space of a part into the space that holds it: p becomes M*p + t, in
// float64.
//
//	rows   m00 m01 m02 tx
//	       m10 m11 m12 ty
//	       m20 m21 m22 tz
//
// The zero Transform is the identity. A Transform is a comparable, immutable value, so any number of goroutines may
// use it.
//
// The map is the exact one of these numbers. Each method states its rounding error, and returns the same bits on
// every CPU: only sums, products, quotients and square roots are used, each rounded.
type Transform struct {
	kind               TransformKind
	m                  [3][3]float64 // zero for the identity
	t                  [3]float64
	inv                [3][3]float64 // approximate inverse of m
	slip               float64       // upper bound of the row sums of |I - inv*m|
	minScale, maxScale float64       // bounds of the lengths of the images of unit vectors
}

// TransformKind classifies transforms by generality. A kind includes those before it.
type TransformKind uint8

const (
	TransformIdentity    TransformKind = iota // M is the identity, t is zero
	TransformTranslation                      // M is the identity
	TransformAligned                          // M permutes, mirrors and scales axes: the image of a box is a box
	TransformSimilarity                       // M scales all lengths alike, within a relative 2^-18
	TransformAffine                           // any other invertible M
)

var transformKinds = [...]string{"identity", "translation", "aligned", "similarity", "affine"}

// String returns the name of the kind.
func (k TransformKind) String() string {
	if int(k) < len(transformKinds) {
		return transformKinds[k]
	}
	return fmt.Sprintf("unknown(%d)", uint8(k))
}

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (k TransformKind) MarshalText() ([]byte, error) { return enum.Marshal("linear", k) }

// UnmarshalText parses the text of MarshalText. Any other text is an error, and leaves the value unchanged.
func (k *TransformKind) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", k, text) }

// Limits of transforms.
const (
	transformMax       = 0x1p100 // the largest number of M is at most this and at least its inverse
	transformCondition = 0x1p20  // limit of the longest over the shortest image of a unit vector
	transformTolerance = 0x1p-18 // limit of the relative difference of their squares in a similarity
)

// NewTransform returns the affine transform of three rows of four numbers, row major: see [TransformRowMajor64] for
// 4×4 matrices, and [TRS] for a translation, a rotation and a scale. A number that is NaN or
// infinite is an error. So is a matrix without a usable inverse: one whose largest number is above 2^100 or below
// 2^-100, or that stretches one direction more than 2^20 times as much as another.
func NewTransform(rows [12]float64) (p Transform, err error) {
	largest := 0.0
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
		return Transform{}, fmt.Errorf("linear: transform %v is not finite", rows)
	}
	if largest < 1/transformMax || largest > transformMax {
		return Transform{}, fmt.Errorf("linear: transform %v: the largest number of its matrix is %g, want at most 2^100 and at least 2^-100", rows, largest)
	}
	if p.straight() {
		if !(p.maxScale <= transformCondition*p.minScale) {
			return Transform{}, singular(rows)
		}
		return p, nil
	}
	if !p.invert(largest) {
		return Transform{}, singular(rows)
	}
	return p, nil
}

func singular(rows [12]float64) error {
	return fmt.Errorf("linear: transform %v has no usable inverse: it stretches one direction more than 2^20 times as much as another", rows)
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
			p.minScale = 0 // singular
			return true
		}
	}
	switch {
	case unit && p.t == [3]float64{}:
		*p = Transform{}
	case unit:
		p.kind = TransformTranslation
	default:
		p.kind, p.slip = TransformAligned, 0x1p-53
	}
	return true
}

// Kind returns the kind of p.
func (p Transform) Kind() TransformKind { return p.kind }

// AtMost reports whether the kind of p is k or simpler. Unlike [Transform.Kind] it does not copy p, which is large.
func (p *Transform) AtMost(k TransformKind) bool { return p.kind <= k }

// Rows returns the numbers that were passed to [NewTransform], with 0 for -0.
func (p Transform) Rows() (rows [12]float64) {
	p.ReadRows(&rows)
	return rows
}

// ReadRows writes the result of [Transform.Rows] to rows. It does not copy p, which is large.
func (p *Transform) ReadRows(rows *[12]float64) {
	if p.kind == TransformIdentity {
		*rows = [12]float64{0: 1, 5: 1, 10: 1}
		return
	}
	m, t := &p.m, &p.t
	rows[0], rows[1], rows[2], rows[3] = m[0][0], m[0][1], m[0][2], t[0]
	rows[4], rows[5], rows[6], rows[7] = m[1][0], m[1][1], m[1][2], t[1]
	rows[8], rows[9], rows[10], rows[11] = m[2][0], m[2][1], m[2][2], t[2]
}

// Stretch returns bounds of the factors by which M scales lengths: no vector gets shorter than least times its
// length, none longer than most times. Both are exact up to aligned transforms, within a relative 2^-17 for
// similarities, and within a fourteenth for others.
func (p Transform) Stretch() (least, most float64) {
	if p.kind == TransformIdentity {
		return 1, 1
	}
	return p.minScale, p.maxScale
}

// Point returns the image of a point. The error of each coordinate is at most 2^-50 times the sum of the absolute
// values of its terms. The image is exact for the identity.
func (p Transform) Point(v [3]float64) (image [3]float64) {
	if p.kind == TransformIdentity {
		return v
	}
	for i, row := range p.m {
		image[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2]) + p.t[i]
	}
	return image
}

// Then returns the composition that applies p first and outer second. Its numbers are rounded, each by at most
// 2^-50 times the sum of the absolute values of its terms. A result that [NewTransform] rejects is an error.
func (p Transform) Then(outer Transform) (Transform, error) {
	switch {
	case p.kind == TransformIdentity:
		return outer, nil
	case outer.kind == TransformIdentity:
		return p, nil
	}
	var rows [12]float64
	at := outer.Point(p.t)
	for i, o := range outer.m {
		for j := range 3 {
			rows[4*i+j] = float64(o[0]*p.m[0][j]) + float64(o[1]*p.m[1][j]) + float64(o[2]*p.m[2][j])
		}
		rows[4*i+3] = at[i]
	}
	return NewTransform(rows)
}

// Local returns the preimage of v under p, for numbers up to 2^800. The exact preimage is within off of local on
// each axis. off is 0 where nothing had to be rounded, as for an identity.
func (p Transform) Local(v [3]float64) (local, off [3]float64) { return p.local(v) }

func (p *Transform) local(v [3]float64) (local, off [3]float64) {
	if p.kind == TransformIdentity {
		return v, off
	}
	var d, lost [3]float64 // v - t = d + lost
	for i := range 3 {
		d[i], lost[i] = twoSum(v[i], -p.t[i])
	}
	if p.kind <= TransformAligned {
		for j := range 3 {
			for i := range 3 {
				if m := p.m[i][j]; m != 0 {
					local[j] = d[i] / m
					off[j] = math.Abs(lost[i] / m)
					if f, _ := math.Frexp(m); math.Abs(f) != 0.5 {
						off[j] = float64((off[j] + float64(math.Abs(local[j])*0x1p-53)) * (1 + 0x1p-50))
					}
				}
			}
		}
		return local, off
	}
	largest := 0.0
	for j, n := range p.inv {
		local[j] = float64(n[0]*d[0]) + float64(n[1]*d[1]) + float64(n[2]*d[2])
		off[j] = float64((float64(math.Abs(n[0]*d[0])) + float64(math.Abs(n[1]*d[1])) + float64(math.Abs(n[2]*d[2]))) * 0x1p-50)
		largest = max(largest, math.Abs(local[j])+off[j])
	}
	// The exact preimage x differs from inv*(v - t) by (I - inv*m)*x.
	for j := range 3 {
		off[j] = float64((off[j] + float64(largest*p.slip)) * (1 + 0x1p-20))
	}
	return local, off
}

// twoSum returns the rounded sum and its rounding error (D. Knuth).
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// Box returns a bounding box of float32 that contains the exact image of b. It is the smallest one where sums and
// products need no rounding, as in translations by multiples of a power of two that leave room. Otherwise it is at
// most a step of float32 larger on each side. Numbers beyond float32 become infinite, which every tree rejects. An
// empty box stays empty.
func (p Transform) Box(b AABB) AABB { return p.box(&b) }

func (p *Transform) box(b *soa.AABB) (image soa.AABB) {
	if p.kind == TransformIdentity {
		return *b
	}
	if !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2]) {
		return soa.Empty()
	}
	for i := range 3 {
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
		image.Min[i], image.Max[i] = lo.below(), hi.above()
	}
	return image
}

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
