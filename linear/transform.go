package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/xform"
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
type Transform xform.Transform

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

// NewTransform returns the affine transform of three rows of four numbers, row major: see [TransformRowMajor64] for
// 4×4 matrices, and [TRS] for a translation, a rotation and a scale. A number that is NaN or
// infinite is an error. So is a matrix without a usable inverse: one whose largest number is above 2^100 or below
// 2^-100, or that stretches one direction more than 2^20 times as much as another.
func NewTransform(rows [12]float64) (p Transform, err error) {
	switch fault, largest := p.form().Set(&rows); fault {
	case xform.Infinite:
		return p, fmt.Errorf("linear: transform %v is not finite", rows)
	case xform.Range:
		return p, fmt.Errorf("linear: transform %v: the largest number of its matrix is %g, want at most 2^100 and at least 2^-100", rows, largest)
	case xform.Singular:
		return p, fmt.Errorf("linear: transform %v has no usable inverse: it stretches one direction more than 2^20 times as much as another", rows)
	}
	return p, nil
}

// form returns the transform in the type of package xform.
func (p *Transform) form() *xform.Transform { return (*xform.Transform)(p) }

// Kind returns the kind of p.
func (p Transform) Kind() TransformKind { return TransformKind(p.form().Kind()) }

// Rows returns the numbers that were passed to [NewTransform], with 0 for -0.
func (p Transform) Rows() (rows [12]float64) {
	p.form().ReadRows(&rows)
	return rows
}

// Point returns the image of a point. The error of each coordinate is at most 2^-50 times the sum of the absolute
// values of its terms. The image is exact for the identity.
func (p Transform) Point(v [3]float64) (image [3]float64) { return p.form().Point(v) }

// Then returns the composition that applies p first and outer second. Its numbers are rounded, each by at most
// 2^-50 times the sum of the absolute values of its terms. A result that [NewTransform] rejects is an error.
func (p Transform) Then(outer Transform) (Transform, error) {
	switch {
	case p.form().AtMost(xform.Identity):
		return outer, nil
	case outer.form().AtMost(xform.Identity):
		return p, nil
	}
	var rows [12]float64
	p.form().Compose(outer.form(), &rows)
	return NewTransform(rows)
}

// Local returns the preimage of v under p, for numbers up to 2^800. The exact preimage is within off of local on
// each axis. off is 0 where nothing had to be rounded, as for an identity.
func (p Transform) Local(v [3]float64) (local, off [3]float64) { return p.form().Local(v) }

// Box returns a bounding box of float32 that contains the exact image of b. It is the smallest one where sums and
// products need no rounding, as in translations by multiples of a power of two that leave room. Otherwise it is at
// most a step of float32 larger on each side. Numbers beyond float32 become infinite, which every tree rejects. An
// empty box stays empty.
func (p Transform) Box(b AABB) AABB { return p.form().Box(&b) }
