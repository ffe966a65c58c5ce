package soa_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// someOriented returns an oriented box of about that size, whose axes are a rotation,
// rounded. Some are flat, segments or points, or have axes of very unequal lengths.
func someOriented(r *rand.Rand, size float64) (b soa.OrientedBox) {
	var q [4]float64
	for i := range q {
		q[i] = r.NormFloat64()
	}
	if r.IntN(5) == 0 { // a quarter turn, or none
		q = [4]float64{0, 0, float64(r.IntN(2)), 1}
	}
	x, y, z, w := q[0], q[1], q[2], q[3]
	n := 2 / (x*x + y*y + z*z + w*w)
	turn := [3][3]float64{
		{1 - n*(y*y+z*z), n * (x*y + z*w), n * (x*z - y*w)},
		{n * (x*y - z*w), 1 - n*(x*x+z*z), n * (y*z + x*w)},
		{n * (x*z + y*w), n * (y*z - x*w), 1 - n*(x*x+y*y)},
	}
	for i := range 3 {
		b.Center[i] = float32(8 * size * r.NormFloat64())
		length := size * r.Float64()
		switch r.IntN(6) {
		case 0:
			length = 0
		case 1:
			length = math.Ldexp(length, -r.IntN(40))
		}
		for k := range 3 {
			b.Axes[i][k] = float32(length * turn[i][k])
		}
	}
	return b
}

func rat(x float32) *rational.Rat { return new(rational.Rat).SetFloat64(float64(x)) }

// The box holds the oriented one in exact arithmetic, and none that is a step of float32
// smaller on a side does.
func TestOrientedBoxBox(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for i := range 3000 {
		b := someOriented(r, math.Ldexp(1, r.IntN(200)-140))
		if err := b.Check(); err != nil && i%2 == 0 {
			continue // of denormals
		}
		if i%3 == 0 {
			b.Axes[r.IntN(3)][r.IntN(3)] = math.Float32frombits(r.Uint32() & 0x1fffffff)
		}
		box := b.Box()
		for k := range 3 {
			reach := new(rational.Rat)
			for _, a := range b.Axes {
				reach.Add(reach, new(rational.Rat).Abs(rat(a[k])))
			}
			least, most := new(rational.Rat).Sub(rat(b.Center[k]), reach), new(rational.Rat).Add(rat(b.Center[k]), reach)
			lo, hi := box.Min[k], box.Max[k]
			if rat(lo).Cmp(least) > 0 || rat(hi).Cmp(most) < 0 {
				t.Fatalf("%v has the box %v: not all is in there", b, box)
			}
			inner, outer := math.Nextafter32(lo, math.MaxFloat32), math.Nextafter32(hi, -math.MaxFloat32)
			if i%3 != 0 && (rat(inner).Cmp(least) <= 0 || rat(outer).Cmp(most) >= 0) {
				t.Fatalf("%v has the box %v, which is larger than it need be", b, box)
			}
			if math.Signbit(float64(lo)) && lo == 0 || math.Signbit(float64(hi)) && hi == 0 {
				t.Fatalf("%v has the box %v with -0", b, box)
			}
		}
	}
	huge := soa.OrientedBox{Center: [3]float32{math.MaxFloat32}, Axes: [3][3]float32{{math.MaxFloat32}}}
	if err := huge.Box().Check(); err == nil {
		t.Errorf("%v has the box %v", huge, huge.Box())
	}
	// A sum that float64 rounds down.
	fine := soa.OrientedBox{Axes: [3][3]float32{{0x1p0}, {0x1p-149}, {0x1p-60}}}
	if got := fine.Box().Max[0]; got != 1+0x1p-23 {
		t.Errorf("a reach of a little more than 1 ends at %v", got)
	}
}

// Errors name the invalid part of a box.
func TestOrientedBoxCheck(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := soa.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{1, 1, 0}, {-2, 2, 0}, {0, 0, 5}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for i := range 12 {
		for _, x := range []float32{nan, inf, -inf} {
			bad := good
			if i < 3 {
				bad.Center[i] = x
			} else {
				bad.Axes[(i-3)/3][i%3] = x
			}
			if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "is not finite") {
				t.Errorf("%v: error %v", bad, err)
			}
		}
	}
	for i := range 3 {
		for _, length := range []float32{1, 1e-30, 1e30} {
			bad := soa.OrientedBox{}
			bad.Axes[i], bad.Axes[(i+1)%3] = [3]float32{0, length, 0}, [3]float32{0, 1, 0x1p18 + 8}
			if err := bad.Check(); err != nil {
				t.Errorf("%v is off by a little less than is allowed: %v", bad, err)
			}
			bad.Axes[(i+1)%3][2] = 0x1p18 - 8
			if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "not at right angles") {
				t.Errorf("%v: error %v", bad, err)
			}
		}
	}
	r := testkit.Rand(testkit.Seed(t))
	for range 3000 {
		if b := someOriented(r, math.Ldexp(1, r.IntN(170)-60)); b.Check() != nil {
			t.Fatalf("a rotation, rounded: %v", b.Check())
		}
	}
	if err := (soa.OrientedBox{}).Check(); err != nil {
		t.Errorf("a point: %v", err)
	}
}

// A lane keeps the box that was set, and others none, when rows are moved, dropped or copied.
func TestOrientedLanes(t *testing.T) {
	var p, q soa.PacketColumns
	p.Resize(3)
	q.Resize(2)
	if _, ok := p.Oriented(1, 2); ok {
		t.Error("an oriented box without a column")
	}
	p.DropOriented(1, 2) // has nothing to do
	p.UseOriented()
	for slot := range uint32(3) {
		p.Clear(slot)
		for l := range soa.Lanes {
			if b, ok := p.Oriented(slot, l); ok || b != (soa.OrientedBox{}) {
				t.Fatalf("slot %d lane %d has %v", slot, l, b)
			}
		}
	}
	b := soa.OrientedBox{Center: [3]float32{math.MaxFloat32, 2, 3}, Axes: [3][3]float32{{1}, {0, 2}, {0, 0, 3}}}
	has := func(c *soa.PacketColumns, slot uint32, lane int, want bool) {
		t.Helper()
		if got, ok := c.Oriented(slot, lane); ok != want || ok && got != b {
			t.Errorf("slot %d lane %d has %v, %v", slot, lane, got, ok)
		}
	}
	p.SetOriented(1, 2, &b)
	p.UseOriented() // changes nothing
	has(&p, 1, 2, true)
	has(&p, 1, 3, false)
	p.Move(2, 7, 1, 2)
	has(&p, 2, 7, true)
	p.Move(2, 7, 1, 3)
	has(&p, 2, 7, false)
	q.UseBoundsOf(&p)
	if len(q.Spheres) != 0 || len(q.OrientedBoxes) != 2 {
		t.Errorf("%d spheres, %d oriented boxes", len(q.Spheres), len(q.OrientedBoxes))
	}
	q.CopyRowOf(1, &p, 1)
	has(&q, 1, 2, true)
	q.CopyBounds(0, 0, &p, 1, 2)
	has(&q, 0, 0, true)
	q.Put(0, 0, 9, new(soa.Object))
	has(&q, 0, 0, false)
	q.UseSpheres()
	q.CopyBounds(0, 4, &p, 1, 2) // of columns without spheres
	has(&q, 0, 4, true)
	q.DropBounds(0, 4)
	has(&q, 0, 4, false)
	q.UseBoundsOf(new(soa.PacketColumns))
	if q.Bounded() {
		t.Error("bounds of nothing")
	}
	var one soa.PacketColumns
	if one.Resize(1); one.Bounded() {
		t.Error("bounds of nothing")
	}
	if one.UseOriented(); !one.Bounded() {
		t.Error("a row of bounds is none")
	}
	p.Counts[1] = 4
	p.Drop(1, 2)
	has(&p, 1, 2, false)
}

// Above is the smallest float32 that is not below the exact difference, Below
// the largest that is not above, and neither is -0.
func TestAboveBelow(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	exact := func(x, origin float64) *big.Float {
		d := new(big.Float).SetPrec(2200).SetFloat64(x)
		return d.Sub(d, new(big.Float).SetFloat64(origin))
	}
	check := func(x, origin float64) {
		t.Helper()
		d := exact(x, origin)
		up, down := soa.Above(x, origin), soa.Below(x, origin)
		inf := float32(math.Inf(1))
		ok := new(big.Float).SetFloat64(float64(up)).Cmp(d) >= 0 &&
			new(big.Float).SetFloat64(float64(down)).Cmp(d) <= 0
		if next := math.Nextafter32(up, -inf); new(big.Float).SetFloat64(float64(next)).Cmp(d) >= 0 {
			ok = false
		}
		if next := math.Nextafter32(down, inf); new(big.Float).SetFloat64(float64(next)).Cmp(d) <= 0 {
			ok = false
		}
		for _, x := range []float32{up, down} {
			ok = ok && math.Float32bits(x) != 1<<31 // -0
		}
		if !ok {
			t.Fatalf("%x - %x: above %x, below %x", x, origin, up, down)
		}
	}
	specials := []float64{
		0, math.Copysign(0, -1), 1, -1, 0x1p-60, -0x1p-60, 1 + 0x1p-52, 0x1p-149, -0x1p-149, 0x1.8p-150, -0x1.8p-150, 0x1p-150, -0x1p-150, 0x1p-151, -0x1p-151, 0x1p-1074, -0x1p-1074,
		math.MaxFloat32, -math.MaxFloat32, 0x1.fffffefp127, 1e39, -1e39, 1e300, 1 << 53, 1e-300,
	}
	for _, x := range specials {
		for _, origin := range specials {
			check(x, origin)
		}
	}
	for range testkit.Again(100_000, 10_000) {
		x := math.Ldexp(rng.Float64()-0.5, rng.IntN(300)-160)
		origin := math.Ldexp(rng.Float64()-0.5, rng.IntN(300)-160)
		if rng.IntN(2) == 0 {
			origin = x + math.Ldexp(x, -rng.IntN(60))
		}
		check(x, origin)
	}
}

// The sides of a box are those that Below and Above round outward, for centres and axes of any size.
func TestOrientedBoxSides(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	some := []float32{0, float32(math.Copysign(0, -1)), 1, 0x1p-149, -0x1p-126, math.MaxFloat32, -math.MaxFloat32}
	number := func() float32 {
		if r.IntN(3) == 0 {
			return some[r.IntN(len(some))]
		}
		return math.Float32frombits(r.Uint32() &^ (1 << 30)) // less than 2
	}
	for range 100_000 {
		c, a := number(), number()
		box := soa.OrientedBox{Center: [3]float32{c}, Axes: [3][3]float32{{a}}}.Box()
		reach := math.Abs(float64(a))
		if lo, hi := soa.Below(float64(c), reach), soa.Above(float64(c), -reach); math.Float32bits(box.Min[0]) != math.Float32bits(lo) ||
			math.Float32bits(box.Max[0]) != math.Float32bits(hi) {
			t.Fatalf("centre %v and half axis %v give %v to %v, want %v to %v", c, a, box.Min[0], box.Max[0], lo, hi)
		}
	}
}
