package linear_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
)

// exactTRS returns the rows of a matrix that scales, rotates and translates, in exact arithmetic.
func exactTRS(t [3]float64, q [4]float64, scale [3]float64) (rows [12]*rational.Rat) {
	var r [4]*rational.Rat
	square := new(rational.Rat)
	for i, x := range q {
		r[i] = rat(x)
		square.Add(square, new(rational.Rat).Mul(r[i], r[i]))
	}
	vector, w := r[:3], r[3]
	for j := range 3 {
		// The image of axis j is j + 2 (w (v x j) + v x (v x j)) / |q|^2, where v is the vector part of q.
		unit := []*rational.Rat{rat(0), rat(0), rat(0)}
		unit[j] = rat(1)
		once := cross(vector, unit)
		twice := cross(vector, once)
		for i := range 3 {
			x := new(rational.Rat).Mul(w, once[i])
			x.Add(x, twice[i])
			x.Mul(x, rat(2))
			x.Quo(x, square)
			x.Add(x, unit[i])
			rows[4*i+j] = x.Mul(x, rat(scale[j]))
		}
	}
	for i := range 3 {
		rows[4*i+3] = rat(t[i])
	}
	return rows
}

func cross(a, b []*rational.Rat) (out []*rational.Rat) {
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		x := new(rational.Rat).Mul(a[j], b[k])
		out = append(out, x.Sub(x, new(rational.Rat).Mul(a[k], b[j])))
	}
	return out
}

// The numbers of a matrix made by TRS are within their bound of the exact ones, for quaternions of every length that
// is allowed. With equal factors the transform is that of Similarity.
func TestTRS(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	made := 0
	for range testkit.Budget(t, 300, 20_000) {
		var at, scale [3]float64
		var q [4]float64
		length, size := rng.IntN(998)-490, rng.IntN(160)-80
		for i := range q {
			q[i] = math.Ldexp(rng.NormFloat64(), length)
			switch rng.IntN(8) {
			case 0:
				q[i] = 0
			case 1:
				q[i] = math.Ldexp(q[i], -rng.IntN(60))
			}
		}
		for i := range scale {
			scale[i] = math.Ldexp(rng.NormFloat64(), size+rng.IntN(8))
			at[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30)
		}
		equal := rng.IntN(3) == 0
		if equal {
			s := math.Abs(scale[0])
			scale = [3]float64{s, s, s}
		}
		p, err := linear.TRS(at, q, scale)
		if err != nil {
			square := new(rational.Rat)
			for _, x := range q {
				square.Add(square, new(rational.Rat).Mul(rat(x), rat(x)))
			}
			short := square.Cmp(rat(0x1p-999)) < 0
			if !short && !strings.Contains(err.Error(), "no usable inverse") || short && !strings.Contains(err.Error(), "quaternion") {
				t.Fatalf("%v %v %v: %v", at, q, scale, err)
			}
			continue
		}
		made++
		rows := p.Rows()
		for i, want := range exactTRS(at, q, scale) {
			wrong := new(rational.Rat).Sub(rat(rows[i]), want)
			bound := new(rational.Rat)
			if i%4 < 3 {
				bound = rat(math.Abs(scale[i%4]) * 0x1p-48)
			}
			if wrong.Abs(wrong).Cmp(bound) > 0 {
				t.Fatalf("%v %v %v: number %d is %v, want %s", at, q, scale, i, rows[i], want.FloatString(30))
			}
		}
		if !equal {
			continue
		}
		if same, err := linear.Similarity(at, q, scale[0]); err != nil || same != p || p.Kind() > linear.TransformSimilarity {
			t.Fatalf("%v %v %v: %s %v, %v, as a similarity %v", at, q, scale, p.Kind(), rows, err, same.Rows())
		}
	}
	if made < 250 {
		t.Errorf("%d transforms were made", made)
	}
}

// TRS scales first, rotates second and translates last, and keeps what needs no rounding exact.
func TestTRSOrder(t *testing.T) {
	quarter := [4]float64{0, 0, 1, 1} // by 90 degrees about z: x to y
	for _, c := range []struct {
		q     [4]float64
		scale [3]float64
		rows  [12]float64
		kind  linear.TransformKind
	}{
		{[4]float64{3: 1}, [3]float64{1, 1, 1}, [12]float64{0: 1, 5: 1, 10: 1, 3: 5, 7: 6, 11: 7}, linear.TransformTranslation},
		{[4]float64{3: -3}, [3]float64{2, 3, -4}, [12]float64{0: 2, 5: 3, 10: -4, 3: 5, 7: 6, 11: 7}, linear.TransformAligned},
		{quarter, [3]float64{2, 3, 4}, [12]float64{1: -3, 4: 2, 10: 4, 3: 5, 7: 6, 11: 7}, linear.TransformAligned},
	} {
		p, err := linear.TRS([3]float64{5, 6, 7}, c.q, c.scale)
		if err != nil || p.Rows() != c.rows || p.Kind() != c.kind {
			t.Errorf("%v %v: %s %v, %v; want %s %v", c.q, c.scale, p.Kind(), p.Rows(), err, c.kind, c.rows)
		}
	}
	skewed, err := linear.TRS([3]float64{}, [4]float64{1, 2, 3, 4}, [3]float64{1, 2, 3})
	if err != nil || skewed.Kind() != linear.TransformAffine {
		t.Errorf("%s, %v", skewed.Kind(), err)
	}
}

// TRS rejects what has no rotation, no volume or no finite number, and names it.
func TestTRSRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one, turn := [3]float64{1, 1, 1}, [4]float64{3: 1}
	for _, x := range []float64{nan, inf, -inf} {
		for i := range 4 {
			q := [4]float64{1, 1, 1, 1}
			q[i] = x
			refusedTRS(t, [3]float64{}, q, one, "quaternion")
		}
		for i := range 3 {
			at, scale := [3]float64{}, one
			at[i], scale[i] = x, x
			refusedTRS(t, at, turn, one, "not finite")
			refusedTRS(t, [3]float64{}, turn, scale, "scale")
		}
	}
	for i := range 3 {
		scale := one
		for _, scale[i] = range []float64{0, math.Copysign(0, -1)} {
			refusedTRS(t, [3]float64{}, turn, scale, "scale")
		}
		scale[i] = 0x1p21
		refusedTRS(t, [3]float64{}, turn, scale, "no usable inverse")
		scale[i] = 0x1p101
		refusedTRS(t, [3]float64{}, turn, scale, "largest number")
		scale[i] = 0x1p20
		if _, err := linear.TRS([3]float64{}, turn, scale); err != nil {
			t.Error(err)
		}
	}
	for _, q := range [][4]float64{{}, {0x1p-501}, {0x1p512}, {0x1p511, 0x1p511, 0x1p511, 0x1p511}} {
		refusedTRS(t, [3]float64{}, q, one, "quaternion")
	}
	for _, q := range [][4]float64{{0x1p-500}, {0x1p511}, {3: -0x1p511}} {
		if _, err := linear.TRS([3]float64{}, q, one); err != nil {
			t.Error(err)
		}
	}
}

func refusedTRS(t *testing.T, at [3]float64, q [4]float64, scale [3]float64, says string) {
	t.Helper()
	if p, err := linear.TRS(at, q, scale); err == nil || !strings.Contains(err.Error(), says) || p != (linear.Transform{}) {
		t.Errorf("%v %v %v: %v, want an error that says %q", at, q, scale, err, says)
	}
}

// The four layouts of one matrix give one transform, and each rejects another last row.
func TestTransformLayouts(t *testing.T) {
	rows := [16]float64{1, 0, 5, 7, 2, 1, 6, 8, 3, 4, 0, 9, 0, 0, 0, 1}
	want, err := linear.NewTransform([12]float64(rows[:]))
	must(t, err)
	for at := -1; at < 4; at++ { // the element of the last row that is wrong
		bad := rows
		if at >= 0 {
			bad[12+at] += 0.5
		}
		var columns [16]float64
		var rows32, columns32 [16]float32
		for i, x := range bad {
			columns[i%4*4+i/4] = x
			rows32[i], columns32[i%4*4+i/4] = float32(x), float32(x)
		}
		for name, make := range map[string]func() (linear.Transform, error){
			"RowMajor":      func() (linear.Transform, error) { return linear.TransformRowMajor(rows32) },
			"RowMajor64":    func() (linear.Transform, error) { return linear.TransformRowMajor64(bad) },
			"ColumnMajor":   func() (linear.Transform, error) { return linear.TransformColumnMajor(columns32) },
			"ColumnMajor64": func() (linear.Transform, error) { return linear.TransformColumnMajor64(columns) },
		} {
			p, err := make()
			if at < 0 && (err != nil || p != want) {
				t.Errorf("%s: %v, %v", name, p.Rows(), err)
			}
			if at >= 0 && (err == nil || p != (linear.Transform{}) || !strings.Contains(err.Error(), fmt.Sprint(bad[12], bad[13], bad[14], bad[15]))) {
				t.Errorf("%s: the last row %v is taken: %v", name, bad[12:], err)
			}
		}
	}
	precise := rows
	precise[3] = 1 << 40 * 1.0000001
	if p, err := linear.TransformRowMajor64(precise); err != nil || p.Rows()[3] != precise[3] {
		t.Errorf("%v, %v: the translation is rounded", p.Rows(), err)
	}
}

// The exact preimages of all points or vectors within a radius are within the reported bound.
func TestTransformLocalWithin(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 5, 300), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		e := exactly(p)
		var v, within [3]float64
		for a := range 3 {
			v[a] = rng.NormFloat64() * float64(int(1)<<rng.IntN(20))
			if rng.IntN(4) > 0 {
				within[a] = math.Ldexp(rng.ExpFloat64(), -rng.IntN(60))
			}
		}
		local, off := (*xform.Transform)(&p).LocalWithin(v, within)
		if plain, at := p.Local(v); plain != local || within == [3]float64{} && at != off {
			t.Fatalf("%v off %v, want those of Local, %v off %v", local, off, plain, at)
		}
		vector, vectorOff := (*xform.Transform)(&p).LocalVector(v, within)
		here := e.local([3]float64{})
		for corner := range 8 {
			var at [3]*rational.Rat
			for a := range 3 {
				at[a] = rat(v[a])
				if corner>>a&1 == 0 {
					at[a].Sub(at[a], rat(within[a]))
				} else {
					at[a].Add(at[a], rat(within[a]))
				}
			}
			for j, exact := range e.localOf(at) {
				wrong := new(rational.Rat).Sub(exact, rat(local[j]))
				if wrong.Abs(wrong).Cmp(rat(off[j])) > 0 {
					t.Fatalf("local %v of %v within %v, off %v: %s wrong", local, v, within, off, wrong.FloatString(40))
				}
				wrong.Sub(exact, here[j])
				wrong.Sub(wrong, rat(vector[j]))
				if wrong.Abs(wrong).Cmp(rat(vectorOff[j])) > 0 {
					t.Fatalf("vector %v of %v within %v, off %v: %s wrong", vector, v, within, vectorOff, wrong.FloatString(40))
				}
			}
		}
		if p.Kind() <= linear.TransformTranslation && (vector != v || vectorOff != within) {
			t.Fatalf("a translation makes %v off %v of %v off %v", vector, vectorOff, v, within)
		}
	})
}

// Transforms in exact arithmetic.

func rat(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

// dot returns the exact sum of the products.
func dot(a, b []*rational.Rat) *rational.Rat {
	sum := new(rational.Rat)
	for i := range a {
		sum.Add(sum, new(rational.Rat).Mul(a[i], b[i]))
	}
	return sum
}

// exactPose is a transform in exact arithmetic.
type exactTransform struct {
	m [3][]*rational.Rat
	t [3]*rational.Rat
}

func exactly(p linear.Transform) (e exactTransform) {
	rows := p.Rows()
	for i := range 3 {
		for j := range 3 {
			e.m[i] = append(e.m[i], rat(rows[4*i+j]))
		}
		e.t[i] = rat(rows[4*i+3])
	}
	return e
}

func (e *exactTransform) image(v [3]float64) (out [3]*rational.Rat) {
	x := []*rational.Rat{rat(v[0]), rat(v[1]), rat(v[2])}
	for i := range 3 {
		out[i] = dot(e.m[i], x)
		out[i].Add(out[i], e.t[i])
	}
	return out
}

// local solves M*x + t = v by Cramer's rule.
func (e *exactTransform) local(v [3]float64) (out [3]*rational.Rat) {
	return e.localOf([3]*rational.Rat{rat(v[0]), rat(v[1]), rat(v[2])})
}

func (e *exactTransform) localOf(v [3]*rational.Rat) (out [3]*rational.Rat) {
	d := det(e.m)
	for j := range 3 {
		var m [3][]*rational.Rat
		for i := range 3 {
			m[i] = append(m[i], e.m[i]...)
			m[i][j] = new(rational.Rat).Sub(v[i], e.t[i])
		}
		out[j] = new(rational.Rat).Quo(det(m), d)
	}
	return out
}

func det(m [3][]*rational.Rat) *rational.Rat {
	sum := new(rational.Rat)
	for j := range 3 {
		a, b := (j+1)%3, (j+2)%3
		minor := new(rational.Rat).Sub(new(rational.Rat).Mul(m[1][a], m[2][b]), new(rational.Rat).Mul(m[1][b], m[2][a]))
		sum.Add(sum, minor.Mul(minor, m[0][j]))
	}
	return sum
}

// definite reports whether s * (gram matrix of m - x^2 I) has no negative eigenvalue, which
// holds if no principal minor is negative.
func (e *exactTransform) definite(x float64, s int64) bool {
	var g [3][]*rational.Rat
	square := new(rational.Rat).Mul(rat(x), rat(x))
	sign := new(rational.Rat).SetInt64(s)
	for i := range 3 {
		for j := range 3 {
			sum := new(rational.Rat)
			for k := range 3 {
				sum.Add(sum, new(rational.Rat).Mul(e.m[k][i], e.m[k][j]))
			}
			if i == j {
				sum.Sub(sum, square)
			}
			g[i] = append(g[i], sum.Mul(sum, sign))
		}
	}
	for i := range 3 {
		j := (i + 1) % 3
		if g[i][i].Sign() < 0 {
			return false
		}
		two := new(rational.Rat).Sub(new(rational.Rat).Mul(g[i][i], g[j][j]), new(rational.Rat).Mul(g[i][j], g[j][i]))
		if two.Sign() < 0 {
			return false
		}
	}
	return det(g).Sign() >= 0
}
