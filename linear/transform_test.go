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
	"github.com/zoctree/zoctree/soa"
)

// poseRows draws the rows of a transform of a family.
func poseRows(rng *rand.Rand, family string) (rows [12]float64) {
	number := func() float64 { return rng.NormFloat64() }
	turn := func(scale float64) {
		p, err := linear.Similarity([3]float64{}, [4]float64{number(), number(), number(), number()}, scale)
		if err == nil {
			rows = p.Rows()
		}
	}
	switch family {
	case "translation":
		rows = [12]float64{0: 1, 5: 1, 10: 1}
	case "aligned":
		at := rng.Perm(3)
		for i := range 3 {
			rows[4*i+at[i]] = math.Ldexp(number(), rng.IntN(12)-6)
		}
	case "powers":
		at := rng.Perm(3)
		for i := range 3 {
			rows[4*i+at[i]] = math.Ldexp([]float64{1, -1}[rng.IntN(2)], rng.IntN(12)-6)
		}
	case "turned":
		turn(math.Ldexp(1+rng.Float64(), rng.IntN(40)-20))
	case "float32":
		turn(1)
		for i := range rows {
			rows[i] = float64(float32(rows[i]))
		}
	case "mirrored":
		turn(1)
		for i := range 3 {
			rows[4*i] = -rows[4*i]
		}
	case "affine":
		for i := range 3 {
			for j := range 3 {
				rows[4*i+j] = number()
			}
		}
	case "flat": // rotated, flattened, rotated
		turn(1)
		a := rows
		turn(1)
		var out [12]float64
		s := [3]float64{1, math.Ldexp(1, -rng.IntN(21)), math.Ldexp(1, -rng.IntN(20))}
		for i := range 3 {
			for j := range 3 {
				for k := range 3 {
					out[4*i+j] += a[4*i+k] * s[k] * rows[4*k+j]
				}
			}
		}
		rows = out
	}
	for i := range 3 {
		switch rng.IntN(4) {
		case 0:
			rows[4*i+3] = float64(rng.IntN(2048) - 1024)
		case 1:
			rows[4*i+3] = math.Ldexp(number(), rng.IntN(60)-30)
		case 2:
			rows[4*i+3] = number()
		}
	}
	return rows
}

var poseFamilies = []string{"translation", "aligned", "powers", "turned", "float32", "mirrored", "affine", "flat"}

// eachPose draws transforms of all families; a transform without a usable inverse must be reported as such, and
// is left out.
func eachTransform(t *testing.T, rounds int, body func(t *testing.T, rng *rand.Rand, p linear.Transform)) {
	seed := testkit.Seed(t)
	for _, family := range poseFamilies {
		t.Run(family, func(t *testing.T) {
			rng := testkit.Rand(seed)
			taken := 0
			for range rounds {
				p, err := linear.NewTransform(poseRows(rng, family))
				if err != nil {
					if !strings.Contains(err.Error(), "no usable inverse") {
						t.Fatal(err)
					}
					continue
				}
				taken++
				body(t, rng, p)
			}
			if taken < rounds/2 {
				t.Errorf("%d of %d poses", taken, rounds)
			}
		})
	}
}

// poseBox draws a box, of float32 numbers of few digits or of many.
func poseBox(rng *rand.Rand) (b soa.AABB) {
	for a := range 3 {
		x, y := float32(rng.NormFloat64()), float32(rng.NormFloat64())
		switch rng.IntN(3) {
		case 0:
			x, y = float32(rng.IntN(64)-32), float32(rng.IntN(64)-32)
		case 1:
			x *= 1e6
			y = x
		}
		b.Min[a], b.Max[a] = min(x, y), max(x, y)
	}
	return b
}

// The image of a box contains the exact image of its corners, and is at most one step of float32 larger; for
// numbers of few digits it is the smallest such box.
func TestTransformBox(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 20, 1000), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		b := poseBox(rng)
		got, e := p.Box(b), exactly(p)
		var lo, hi [3]*rational.Rat
		for corner := range 8 {
			var v [3]float64
			for a := range 3 {
				if v[a] = float64(b.Min[a]); corner>>a&1 != 0 {
					v[a] = float64(b.Max[a])
				}
			}
			for a, x := range e.image(v) {
				if lo[a] == nil || x.Cmp(lo[a]) < 0 {
					lo[a] = x
				}
				if hi[a] == nil || x.Cmp(hi[a]) > 0 {
					hi[a] = x
				}
			}
		}
		for a := range 3 {
			smallest := true
			for _, x := range p.Rows() {
				smallest = smallest && x == math.Trunc(x) && math.Abs(x) < 1<<20
			}
			small := func(x float32) bool { return x == float32(int32(x)) && x < 1<<20 && x > -1<<20 }
			smallest = smallest && small(b.Min[0]) && small(b.Min[1]) && small(b.Min[2]) && small(b.Max[0]) && small(b.Max[1]) && small(b.Max[2])
			tightUp, tightDown := math.Nextafter32(got.Max[a], float32(math.Inf(-1))), math.Nextafter32(got.Min[a], float32(math.Inf(1)))
			if !smallest {
				tightUp, tightDown = math.Nextafter32(tightUp, float32(math.Inf(-1))), math.Nextafter32(tightDown, float32(math.Inf(1)))
			}
			if rat(float64(got.Max[a])).Cmp(hi[a]) < 0 || rat(float64(got.Min[a])).Cmp(lo[a]) > 0 {
				t.Fatalf("pose %v: the image of %v is %v, which does not hold [%v, %v] on axis %d", p.Rows(), b, got, lo[a].FloatString(20), hi[a].FloatString(20), a)
			}
			if rat(float64(tightUp)).Cmp(hi[a]) >= 0 || rat(float64(tightDown)).Cmp(lo[a]) <= 0 {
				t.Fatalf("pose %v: the image of %v is %v, too much for [%v, %v] on axis %d", p.Rows(), b, got, lo[a].FloatString(20), hi[a].FloatString(20), a)
			}
		}
	})
}

// The error of a preimage of a point is within the reported bound, which is small; the preimage of an image is
// the point again.
func TestTransformLocal(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 20, 1000), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		e := exactly(p)
		v := [3]float64{rng.NormFloat64(), math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30), float64(rng.IntN(100))}
		if rng.IntN(2) == 0 {
			v = p.Point(v)
		}
		local, off := p.Local(v)
		least, most := (*xform.Transform)(&p).Stretch()
		rows := p.Rows()
		size := 0.0
		for a := range 3 {
			size = max(size, math.Abs(v[a])+math.Abs(rows[4*a+3]))
		}
		for a, x := range e.local(v) {
			wrong := new(rational.Rat).Sub(x, rat(local[a]))
			if wrong.Abs(wrong).Cmp(rat(off[a])) > 0 {
				t.Fatalf("pose %v: local %v of %v, off %v, but %s is wrong on axis %d", rows, local, v, off, wrong.FloatString(30), a)
			}
			if most := size / least * (most / least) * 0x1p-43; off[a] > most {
				t.Fatalf("pose %v: local %v of %v may be off by %v, want at most %g", rows, local, v, off, most)
			}
		}
	})
}

// Stretch bounds the stretch of every vector from below and above, closely.
func TestTransformStretch(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 15, 600), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		e := exactly(p)
		least, most := (*xform.Transform)(&p).Stretch()
		if !e.definite(least, 1) || !e.definite(most, -1) {
			t.Fatalf("pose %v stretches beyond %g to %g", p.Rows(), least, most)
		}
		loose := map[linear.TransformKind]float64{linear.TransformSimilarity: 0x1p-17, linear.TransformAffine: 1. / 14}[p.Kind()] + 0x1p-45
		if e.definite(least*(1+loose), 1) || e.definite(most*(1-loose), -1) {
			t.Fatalf("pose %v, %s, stretches less than %g to %g", p.Rows(), p.Kind(), least, most)
		}
	})
}

// The error of a composition is within the reported bound.
func TestTransformThen(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 15, 600), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		outer, err := linear.NewTransform(poseRows(rng, poseFamilies[rng.IntN(len(poseFamilies))]))
		if err != nil {
			return
		}
		got, err := p.Then(outer)
		if err != nil {
			return
		}
		o, rows, g := exactly(outer), exactly(p), exactly(got)
		for i := range 3 {
			for j := range 4 {
				var column []*rational.Rat
				for k := range 3 {
					if j < 3 {
						column = append(column, rows.m[k][j])
					} else {
						column = append(column, rows.t[k])
					}
				}
				want, size := dot(o.m[i], column), new(rational.Rat)
				for k := range 3 {
					x := new(rational.Rat).Mul(o.m[i][k], column[k])
					size.Add(size, x.Abs(x))
				}
				is := g.t[i]
				if j < 3 {
					is = g.m[i][j]
				} else {
					want.Add(want, o.t[i])
					x := new(rational.Rat).Abs(o.t[i])
					size.Add(size, x)
				}
				off := new(rational.Rat).Sub(is, want)
				if off.Abs(off).Cmp(size.Mul(size, rat(0x1p-50))) > 0 {
					t.Fatalf("%v then %v: number %d, %d is off by %s", p.Rows(), outer.Rows(), i, j, off.FloatString(30))
				}
			}
		}
	})
}

func TestTransformKinds(t *testing.T) {
	h := math.Sqrt(0.5)
	for _, c := range []struct {
		rows [12]float64
		kind linear.TransformKind
	}{
		{[12]float64{0: 1, 5: 1, 10: 1}, linear.TransformIdentity},
		{[12]float64{0: 1, 5: 1, 10: 1, 3: math.Copysign(0, -1)}, linear.TransformIdentity},
		{[12]float64{0: 1, 5: 1, 10: 1, 7: -3}, linear.TransformTranslation},
		{[12]float64{0: 1, 5: 1, 10: -1}, linear.TransformAligned},
		{[12]float64{1: 2, 6: 3, 8: 4}, linear.TransformAligned},
		{[12]float64{0: h, 1: -h, 4: h, 5: h, 10: 1}, linear.TransformSimilarity},
		{[12]float64{0: h, 1: -h, 4: h, 5: h, 10: -1}, linear.TransformSimilarity},
		{[12]float64{0: h, 1: -h, 4: h, 5: h, 10: 1.001}, linear.TransformAffine},
		{[12]float64{0: 1, 1: 1, 5: 1, 10: 1}, linear.TransformAffine},
	} {
		p, err := linear.NewTransform(c.rows)
		if err != nil || p.Kind() != c.kind {
			t.Errorf("%v: %s, %v; want %s", c.rows, p.Kind(), err, c.kind)
			continue
		}
		again, err := linear.NewTransform(p.Rows())
		if err != nil || again != p {
			t.Errorf("%v: made again of its rows it is another: %v", c.rows, err)
		}
		if same, err := p.Then(linear.Transform{}); err != nil || same != p {
			t.Errorf("%v then the identity: %v %v", c.rows, same, err)
		}
	}
	var zero linear.Transform
	box := soa.AABB{Min: [3]float32{1, 2, 3}, Max: [3]float32{4, 5, 6}}
	local, off := zero.Local([3]float64{7, 8, 9})
	if zero.Box(box) != box || zero.Point([3]float64{7, 8, 9}) != [3]float64{7, 8, 9} || local != [3]float64{7, 8, 9} || off != [3]float64{} {
		t.Error("the zero pose is not the identity")
	}
	if got := fmt.Sprint(linear.TransformAffine, linear.TransformKind(9)); got != "affine unknown(9)" {
		t.Error(got)
	}
}

func TestTransformsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		rows [12]float64
		says string
	}{
		{[12]float64{}, "largest number"},
		{[12]float64{0: nan, 5: 1, 10: 1}, "not finite"},
		{[12]float64{0: 1, 5: 1, 10: 1, 11: inf}, "not finite"},
		{[12]float64{0: inf, 5: 1, 10: 1}, "not finite"},
		{[12]float64{0: 0x1p101, 5: 1, 10: 1}, "largest number"},
		{[12]float64{0: 0x1p-101, 5: 0x1p-101, 10: 0x1p-101}, "largest number"},
		{[12]float64{0: 1, 5: 1}, "no usable inverse"},
		{[12]float64{0: 1, 10: 1}, "no usable inverse"},
		{[12]float64{5: 1, 10: 1}, "no usable inverse"},
		{[12]float64{3: 7, 8: 1, 9: 2}, "no usable inverse"},
		{[12]float64{0: 1, 5: 1, 10: 0x0.fffffffffffffp-20}, "no usable inverse"},
		{[12]float64{0: 1, 1: 2, 2: 3, 4: 4, 5: 5, 6: 6, 8: 7, 9: 8, 10: 9}, "no usable inverse"},
		{[12]float64{0: 1, 1: 1, 4: 1, 5: 1, 10: 1}, "no usable inverse"},
		{[12]float64{0: 1, 1: 1, 4: 1, 5: 1 + 0x1p-22, 10: 1}, "no usable inverse"},
	} {
		if p, err := linear.NewTransform(c.rows); err == nil || !strings.Contains(err.Error(), c.says) || p != (linear.Transform{}) {
			t.Errorf("%v: %v, want an error that says %q", c.rows, err, c.says)
		}
	}
	for _, rows := range [][12]float64{{0: 1, 5: 1, 10: 0x1p-20}, {0: 0x1p100, 5: 0x1p100, 10: 0x1p100}, {0: 0x1p-100, 5: 0x1p-100, 10: 0x1p-100}, {0: 1, 1: 1, 4: 1, 5: 1 + 0x1p-17, 10: 1}} {
		if _, err := linear.NewTransform(rows); err != nil {
			t.Error(err)
		}
	}
	if _, err := linear.TransformColumnMajor([16]float32{0: 1, 5: 1, 10: 1, 15: 2}); err == nil {
		t.Error("a last row of 0 0 0 2 is taken")
	}
	if _, err := linear.TransformColumnMajor([16]float32{0: 1, 3: 1, 5: 1, 10: 1, 15: 1}); err == nil {
		t.Error("a last row of 1 0 0 1 is taken")
	}
	for _, q := range [][4]float64{{}, {nan, 0, 0, 1}, {inf, 0, 0, 1}, {1e200, 0, 0, 1}} {
		if _, err := linear.Similarity([3]float64{}, q, 1); err == nil {
			t.Errorf("quaternion %v is taken", q)
		}
	}
	for _, scale := range []float64{0, -1, nan, inf} {
		if _, err := linear.Similarity([3]float64{}, [4]float64{3: 1}, scale); err == nil {
			t.Errorf("scale %g is taken", scale)
		}
	}
}

// Quaternions rotate in the right direction, and column-major matrices are read by columns.
func TestTransformMade(t *testing.T) {
	p, err := linear.Similarity([3]float64{10, 20, 30}, [4]float64{0, 0, 5, 5}, 2)
	must(t, err)
	// A rotation by 90 degrees about z.
	if got := p.Point([3]float64{1, 2, 3}); got != [3]float64{10 - 4, 20 + 2, 30 + 6} {
		t.Errorf("image %v", got)
	}
	third, err := linear.Similarity([3]float64{}, [4]float64{1, 1, 1, 1}, 1) // x to y to z to x
	if err != nil || third.Point([3]float64{1, 2, 3}) != [3]float64{3, 1, 2} || third.Kind() != linear.TransformAligned {
		t.Errorf("image %v, %s, %v", third.Point([3]float64{1, 2, 3}), third.Kind(), err)
	}
	m, err := linear.TransformColumnMajor([16]float32{1, 2, 3, 0, 0, 1, 4, 0, 5, 6, 0, 0, 7, 8, 9, 1})
	if want := [12]float64{1, 0, 5, 7, 2, 1, 6, 8, 3, 4, 0, 9}; err != nil || m.Rows() != want {
		t.Errorf("rows %v, %v; want %v", m.Rows(), err, want)
	}
}

// An empty box has no image, and coordinates beyond float32 are infinite.
func TestTransformBoxBeyond(t *testing.T) {
	p, err := linear.Similarity([3]float64{1, 2, 3}, [4]float64{1, 2, 3, 4}, 3)
	must(t, err)
	if got := p.Box(soa.Empty()); got != soa.Empty() {
		t.Errorf("the image of nothing is %v", got)
	}
	const most = math.MaxFloat32
	all := soa.AABB{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}}
	if got := p.Box(all); got.Check() == nil || !math.IsInf(float64(got.Max[0]), 1) || !math.IsInf(float64(got.Min[2]), -1) {
		t.Errorf("the image of all is %v", got)
	}
	far, err := linear.NewTransform([12]float64{0: 1, 3: math.MaxFloat64, 5: 1, 7: -math.MaxFloat64, 10: 1})
	must(t, err)
	if got := far.Box(all); got.Check() == nil || got.Min[0] != most || !math.IsInf(float64(got.Max[0]), 1) || got.Max[1] != -most {
		t.Errorf("the image far away is %v", got)
	}
}

func FuzzTransform(f *testing.F) {
	f.Add(1., 0., 0., 3., 0., 1., 0., 4., 0., 0., 1., 5., float32(1), float32(2))
	f.Add(0., 0., 0., 3., 0., -162., 0., 2./3, 0., 0., -79., 5., float32(1), float32(60))
	f.Add(1., 1., 0., 3., 1., 1.00001, 0., 4., 0., 0., 1., 5., float32(-1), float32(1e30))
	f.Fuzz(func(t *testing.T, a, b, c, x, d, e, g, y, h, i, j, z float64, lo, hi float32) {
		p, err := linear.NewTransform([12]float64{a, b, c, x, d, e, g, y, h, i, j, z})
		if err != nil {
			return
		}
		box := soa.AABB{Min: [3]float32{lo, lo, lo}, Max: [3]float32{hi, hi, hi}}
		if box.Check() != nil {
			return
		}
		image, m := p.Box(box), exactly(p)
		for _, v := range []float32{lo, hi} {
			for k, exact := range m.image([3]float64{float64(v), float64(v), float64(v)}) {
				if lo := float64(image.Min[k]); !math.IsInf(lo, 0) && rat(lo).Cmp(exact) > 0 {
					t.Fatalf("%v of %v does not hold %v", image, box, v)
				}
				if hi := float64(image.Max[k]); !math.IsInf(hi, 0) && rat(hi).Cmp(exact) < 0 {
					t.Fatalf("%v of %v does not hold %v", image, box, v)
				}
			}
		}
		if least, most := (*xform.Transform)(&p).Stretch(); !m.definite(least, 1) || !m.definite(most, -1) {
			t.Fatalf("stretches beyond %g to %g", least, most)
		}
		if q := (linear.Transform{}); p.Kind() == linear.TransformIdentity && p != q {
			t.Fatal("an identity that is not the zero pose")
		}
		v := [3]float64{float64(lo), float64(hi), 1}
		local, off := p.Local(v)
		if math.Abs(x)+math.Abs(y)+math.Abs(z) > 0x1p800 {
			return
		}
		for k, exact := range m.local(v) {
			wrong := new(rational.Rat).Sub(exact, rat(local[k]))
			if wrong.Abs(wrong).Cmp(rat(off[k])) > 0 {
				t.Fatalf("local %v of %v, off %v: %s wrong", local, v, off, wrong.FloatString(40))
			}
		}
	})
}

// The rounding error of a sum or a product counts even if the rounded result is a float32.
func TestTransformBoxRoundsOutward(t *testing.T) {
	point := func(x float32) soa.AABB {
		return soa.AABB{Min: [3]float32{x, x, x}, Max: [3]float32{x, x, x}}
	}
	above, below := math.Nextafter32(1, 2), math.Nextafter32(1, 0)
	one, err := linear.NewTransform([12]float64{0: 1, 3: 1, 5: 1, 7: 1, 10: 1, 11: 1})
	must(t, err)
	if got := one.Box(point(0x1p-100)); got.Min[0] > 1 || got.Max[0] != above {
		t.Errorf("1 + 2^-100 lies in %v", got)
	}
	if got := one.Box(point(-0x1p-100)); got.Max[1] < 1 || got.Min[1] != below {
		t.Errorf("1 - 2^-100 lies in %v", got)
	}
	for _, third := range []float64{2. / 3, math.Nextafter(2./3, 1)} { // times 1.5 is rounded to 1
		p, err := linear.NewTransform([12]float64{0: third, 5: third, 10: third})
		if err != nil || third*1.5 != 1 && third == 2./3 {
			t.Fatal(third*1.5, err)
		}
		exact := new(rational.Rat).Mul(rat(third), rat(1.5))
		got := p.Box(point(1.5))
		if rat(float64(got.Min[2])).Cmp(exact) > 0 || rat(float64(got.Max[2])).Cmp(exact) < 0 {
			t.Errorf("%v times 1.5 does not lie in %v", third, got)
		}
	}
}
