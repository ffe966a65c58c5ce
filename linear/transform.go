package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/instance"
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
	err = instance.SetTransform(p.form(), &rows)
	return p, err
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
// values of its terms, unless a term or the sum is beyond float64. The image is exact for the identity.
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

// Box returns a bounding box of float32 that contains the exact image of a finite box. It is the smallest one where
// sums and products need no rounding, as in translations by multiples of a power of two that leave room. Otherwise it
// is at most a step of float32 larger on each side. Numbers beyond float32 become infinite, which every tree rejects.
// An empty box stays empty. An infinite face may become NaN.
func (p Transform) Box(b AABB) AABB { return p.form().Box(&b) }

// TransformColumnMajor is [TransformRowMajor64] of a matrix of float32 that is stored column by column, as in OpenGL,
// Vulkan and glTF: the translation is in elements 12 to 14. It is an error unless elements 3, 7, 11 and 15, the last
// row, are 0 0 0 1.
func TransformColumnMajor(m [16]float32) (Transform, error) {
	return TransformColumnMajor64(toFloat64(&m))
}

// TransformRowMajor is [TransformRowMajor64] of a matrix of float32.
func TransformRowMajor(m [16]float32) (Transform, error) {
	return TransformRowMajor64(toFloat64(&m))
}

// TransformColumnMajor64 is [TransformRowMajor64] of a matrix that is stored column by column: see
// [TransformColumnMajor].
func TransformColumnMajor64(m [16]float64) (Transform, error) {
	var rows [16]float64
	for i := range 4 {
		for j := range 4 {
			rows[4*i+j] = m[4*j+i]
		}
	}
	return TransformRowMajor64(rows)
}

// TransformRowMajor64 returns the transform of a 4×4 affine matrix that multiplies column vectors, stored row by row:
// the translation is in elements 3, 7 and 11. It is an error unless the last row is 0 0 0 1, or if [NewTransform]
// rejects the other rows. A matrix that multiplies row vectors, as in Direct3D, has to be transposed: stored row by
// row, it is a matrix for [TransformColumnMajor64].
func TransformRowMajor64(m [16]float64) (Transform, error) {
	if m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1 {
		return Transform{}, fmt.Errorf("linear: the last row of a matrix is %v %v %v %v, want 0 0 0 1", m[12], m[13], m[14], m[15])
	}
	return NewTransform([12]float64(m[:]))
}

func toFloat64(m *[16]float32) (wide [16]float64) {
	for i, x := range m {
		wide[i] = float64(x)
	}
	return wide
}

// Similarity returns the transform that scales by one positive factor, rotates by a quaternion x y z w of any length,
// and translates by at, in this order: [TRS] with equal factors.
func Similarity(at [3]float64, q [4]float64, scale float64) (Transform, error) {
	if !(scale > 0) {
		return Transform{}, fmt.Errorf("linear: a transform of scale %g, want one above 0", scale)
	}
	return TRS(at, q, [3]float64{scale, scale, scale})
}

// TRS returns the transform of a translation, a rotation and a scale, as nodes of glTF have them. It scales by a
// factor on each axis of the part first, rotates by a quaternion second, and translates last. A negative factor
// mirrors its axis.
//
// The quaternion has the order x y z w: 0 0 0 1 rotates nothing. It need not be normalized; only its direction counts.
// Its length must be at least 2^-500 and less than 2^512. Each number of the matrix is within 2^-48 times its scale
// factor of the exact one.
//
// The errors are a quaternion of another length, such as zero, a number that is not finite, a factor of zero, and a
// matrix that [NewTransform] rejects: the largest factor may be up to 2^20 times the smallest one.
func TRS(t [3]float64, q [4]float64, scale [3]float64) (Transform, error) {
	rows, ok := xform.TRS(t, q, scale)
	if !ok {
		return Transform{}, fmt.Errorf("linear: quaternion %v has no direction", q)
	}
	for _, f := range scale {
		if f == 0 || f-f != 0 {
			return Transform{}, fmt.Errorf("linear: a transform of scale %v, want finite factors other than 0", scale)
		}
	}
	return NewTransform(rows)
}
