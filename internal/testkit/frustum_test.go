package testkit

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// slab returns the planes lo <= x <= hi, and the whole of y and z.
func slab(lo, hi float32) [6][4]float32 {
	return [6][4]float32{
		{1, 0, 0, -lo}, {-1, 0, 0, hi},
		{0, 1, 0, 1000}, {0, -1, 0, 1000}, {0, 0, 1, 1000}, {0, 0, -1, 1000},
	}
}

func row(x ...float32) (boxes []soa.AABB) {
	for i := 0; i < len(x); i += 2 {
		boxes = append(boxes, soa.AABB{Min: [3]float32{x[i], 0, 0}, Max: [3]float32{x[i+1], 1, 1}})
	}
	return boxes
}

func TestFrustumKnown(t *testing.T) {
	diagonal := [6][4]float32{{3, 4, 0, -50}}
	for i := 1; i < 6; i++ {
		diagonal[i] = [4]float32{0, 0, 0, 1}
	}
	none := slab(0, 1)
	none[3] = [4]float32{0, 0, 0, -1}
	for _, c := range []struct {
		name   string
		boxes  []soa.AABB
		planes [6][4]float32
		want   []int
	}{
		{"no boxes", nil, slab(0, 1), nil},
		{"left, touching, inside, around, touching, right",
			row(0, 9, 0, 10, 12, 13, 5, 25, 20, 21, 21, 22), slab(10, 20), []int{1, 2, 3, 4}},
		{"a slab without thickness", row(0, 9, 10, 10, 9, 11, 11, 12), slab(10, 10), []int{1, 2}},
		{"an empty slab", row(0, 9, 10, 10, 9, 11, 0, 30), slab(20, 10), []int{3}},
		{"the p-vertex: (10, 5) on the plane, (9.9, 5) behind it", []soa.AABB{
			{Min: [3]float32{0, 0, 0}, Max: [3]float32{10, 5, 1}},
			{Min: [3]float32{0, 0, 0}, Max: [3]float32{9.9, 5, 1}},
		}, diagonal, []int{0}},
		{"no normal, negative distance", row(0, 1, 5, 6), none, nil},
	} {
		if got := ReferenceFrustum(c.boxes, c.planes); !slices.Equal(got, c.want) {
			t.Errorf("%s: the reference returns %v, want %v", c.name, got, c.want)
		}
		if got := DefinitionFrustum(c.boxes, c.planes); !slices.Equal(got, c.want) {
			t.Errorf("%s: the definition says %v, want %v", c.name, got, c.want)
		}
		objects := make([]soa.Object, len(c.boxes))
		for i, b := range c.boxes {
			objects[i].Box = b
		}
		if got := ReferenceFrustum(objects, c.planes); !slices.Equal(got, c.want) {
			t.Errorf("%s: the reference returns %v of objects, want %v", c.name, got, c.want)
		}
	}
}

func TestPreparePlanes(t *testing.T) {
	zero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name   string
		plane  [4]float32
		extent [3]float32
		want   [4]float32
	}{
		// 1 becomes 1/8; S = 1/8*16 + 1 = 3, e = 18 * 2^-24, d + e = 1 + 9 * 2^-23.
		{"one axis", [4]float32{1, 0, 0, 8}, [3]float32{16, 5, 7}, [4]float32{0.125, 0, 0, 0x1.000012p0}},
		// S = 3.5, d + e = 1 + 10.5 * 2^-23, rounded up.
		{"rounded up", [4]float32{1, 0, 0, 8}, [3]float32{20, 5, 7}, [4]float32{0.125, 0, 0, 0x1.000016p0}},
		// S = 20/8 + 1 again, d + e = -1 + 21 * 2^-24.
		{"negative", [4]float32{-1, 0, 0, -8}, [3]float32{20, 5, 7}, [4]float32{-0.125, 0, 0, -0x1.ffffd6p-1}},
		// Just below 16 comes just below 1/4, not below 1/8.
		// 6u times 1/4 * 2^-64.
		{"below a power of two", [4]float32{0, 0x1.fffffep3, 0, 0}, [3]float32{1: 0x1p-64}, [4]float32{0, 0x1.fffffep-3, 0, 0x1.8p-88}},
		{"smallest denormal", [4]float32{0, 0, -0x1p-149, 0}, [3]float32{0x1p-64}, [4]float32{0, 0, -0.125, 0x1.000002p-148}},
		{"distance beyond float32", [4]float32{1e-30, 0, 0, -1e30}, [3]float32{1: 1}, [4]float32{0.15845632, 0, 0, -0x1.fffff2p127}},
		// 2^64 times 3/16 and 2^-74, and 6u * (3 * 2^60 * 0x1.fp-65 + 2^-10).
		{"nothing reaches 2^-64", [4]float32{0, 3, 0, 0x1p-70}, [3]float32{1: 0x1.fp-65}, [4]float32{0, 0x1.8p61, 0, 0x1.000462p-10}},
		// 2^-152 is rounded to 0 in the first scale. The second, 2^64, times 2^-149, and 6u * 2^61 * 2^-149.
		{"a distance that scaling rounds", [4]float32{1, 0, 0, -0x1p-149}, [3]float32{0x1p-149}, [4]float32{0x1p61, 0, 0, 0x1.000002p-85}},
		{"largest distance", [4]float32{1e-30, 0, 0, 1e30}, [3]float32{1, 1, 1}, [4]float32{0.15845632, 0, 0, math.MaxFloat32}},
		{"no normal", [4]float32{0, zero, 0, zero}, [3]float32{}, [4]float32{0, zero, 0, 0x1p-148}},
		{"no normal, distance", [4]float32{0, 0, 0, -1}, [3]float32{9, 9, 9}, [4]float32{0, 0, 0, -1 + 6.0/(1<<24)}},
	} {
		got := PreparePlanes([6][4]float32{c.plane}, c.extent, c.extent).Near[0]
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(c.want[i]) {
				t.Errorf("%s: got %x, want %x", c.name, got, c.want)
				break
			}
		}
	}
}

// The raised distance is at least the exact one, and the float32 before it is
// not, up to the rounding of the bound itself.
func TestRaised(t *testing.T) {
	rng := Rand(Seed(t))
	for range 20000 {
		kind := BoxKinds()[rng.IntN(4)]
		plane := scaledTo(RandomPlane(rng, kind), -2)
		extent := Extent(RandomBoxes(rng, 1, kind))
		// bound returns d + 6 * 2^-24 * S * slack + 2^-148 * (X + Y + Z + 1) * slack.
		bound := func(slack float64) *big.Float {
			sum := product(float64(plane[3]), 1)
			sum.Add(sum, product(6*0x1p-24*slack, math.Abs(float64(plane[3]))))
			sum.Add(sum, product(0x1p-148*slack, 1))
			for a := range 3 {
				sum.Add(sum, product(6*0x1p-24*slack, float64(abs(plane[a])), float64(extent[a])))
				sum.Add(sum, product(0x1p-148*slack, float64(extent[a])))
			}
			return sum
		}
		up := raised(plane, extent, tiny)[3]
		before := math.Nextafter32(up, float32(math.Inf(-1)))
		if up < math.MaxFloat32 && bound(1-1e-6).Cmp(product(float64(up))) > 0 {
			t.Fatalf("plane %x, extent %x: %x is too low", plane, extent, up)
		}
		if bound(1+1e-6).Cmp(product(float64(before))) < 0 {
			t.Fatalf("plane %x, extent %x: %x is too high", plane, extent, up)
		}
	}
}

// A box is near when none of its coordinates exceeds the bound, and only others
// have the wide d.
func TestReferenceBounds(t *testing.T) {
	near, extent := [3]float32{10, 10, 10}, [3]float32{1e9, 1e9, 1e9}
	planes := slab(2, 9) // widened by next to nothing for 10, by some hundreds for 1e9
	for _, c := range []struct {
		name string
		box  soa.AABB
		want bool
	}{
		{"near and outside", soa.AABB{Max: [3]float32{1, 1, 1}}, false},
		{"on the bound", soa.AABB{Min: [3]float32{0, -10, 0}, Max: [3]float32{1, 10, 10}}, false},
		{"beyond it on an axis that does not matter", soa.AABB{Max: [3]float32{1, 1, 10.00001}}, true},
		{"beyond it below", soa.AABB{Min: [3]float32{0, -10.00001, 0}, Max: [3]float32{1, 1, 1}}, true},
		{"holding everything", soa.AABB{Min: [3]float32{-1e9, -1e9, -1e9}, Max: [3]float32{1e9, 1e9, 1e9}}, true},
	} {
		boxes := []soa.AABB{c.box}
		if got := len(ReferenceFrustumBounds(boxes, planes, near, extent)) == 1; got != c.want {
			t.Errorf("%s: hit %v, want %v", c.name, got, c.want)
		}
		if got := len(ReferenceConvexBounds(boxes, planes[:], near, extent)) == 1; got != c.want {
			t.Errorf("%s: hit %v by the convex volume, want %v", c.name, got, c.want)
		}
	}
}

// product returns the exact product of the factors.
func product(factors ...float64) *big.Float {
	p := new(big.Float).SetPrec(1000).SetInt64(1)
	for _, f := range factors {
		p.Mul(p, new(big.Float).SetPrec(1000).SetFloat64(f))
	}
	return p
}

// Sums that float64 rounds to the wrong sign, or to zero.
func TestDefinitionIsExact(t *testing.T) {
	pass := [4]float32{0, 0, 0, 1}
	for _, c := range []struct {
		name  string
		plane [4]float32
		p     [3]float32
		want  bool
	}{
		{"exactly on it", [4]float32{0.1, 0.2, 0.3, 0}, [3]float32{0, 0, 0}, true},
		{"1e30 - 1e30 - denormal", [4]float32{1, -1, 1, 0}, [3]float32{1e30, 1e30, -0x1p-149}, false},
		{"1e30 - 1e30 + denormal", [4]float32{1, -1, 1, 0}, [3]float32{1e30, 1e30, 0x1p-149}, true},
		{"denormal squared below zero", [4]float32{0x1p-149, 1, -1, 0}, [3]float32{-0x1p-149, 3e38, 3e38}, false},
		{"denormal squared above zero", [4]float32{0x1p-149, 1, -1, 0}, [3]float32{0x1p-149, 3e38, 3e38}, true},
		{"largest squared cancels", [4]float32{math.MaxFloat32, -math.MaxFloat32, 0, -0x1p-149}, [3]float32{math.MaxFloat32, math.MaxFloat32, 0}, false},
		{"largest squared cancels to zero", [4]float32{math.MaxFloat32, -math.MaxFloat32, 0, 0}, [3]float32{math.MaxFloat32, math.MaxFloat32, 0}, true},
		// (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46.
		{"a unit in the last place of a product", [4]float32{0x1.000002p0, -1, 0, -0x1p-46}, [3]float32{0x1.000002p0, 0x1.000004p0, 0}, true},
		{"just more than that", [4]float32{0x1.000002p0, -1, 0, -0x1.000002p-46}, [3]float32{0x1.000002p0, 0x1.000004p0, 0}, false},
	} {
		boxes := []soa.AABB{{Min: c.p, Max: c.p}}
		got := len(DefinitionFrustum(boxes, [6][4]float32{c.plane, pass, pass, pass, pass, pass})) == 1
		if got != c.want {
			t.Errorf("%s: hit %v, want %v", c.name, got, c.want)
		}
	}
}

// The quick decision in float64 agrees with exact arithmetic.
func TestTouchesAgainstBig(t *testing.T) {
	rng := Rand(Seed(t))
	for i := range 40000 {
		kind := BoxKinds()[i%4]
		plane := RandomPlane(rng, kind)
		b := RandomBoxes(rng, 1, kind)[0]
		if kind == BoxesSmall {
			plane = onto(plane, &b)
		}
		sum := product(float64(plane[3]))
		for a := range 3 {
			p := b.Max[a]
			if plane[a] < 0 {
				p = b.Min[a]
			}
			sum.Add(sum, product(float64(plane[a]), float64(p)))
		}
		if got, want := touches(&plane, &b), sum.Sign() >= 0; got != want {
			t.Fatalf("plane %x, box %x: touches %v, want %v", plane, b, got, want)
		}
	}
}

// The contract: the reference loses nothing that the definition holds.
func TestReferenceComplete(t *testing.T) {
	seed, n := Seed(t), 2000
	if !Long(t) {
		n = 300
	}
	for _, s := range Scenes() {
		objects := s.Make(n, seed)
		extent := Extent(objects)
		frusta := scene.EdgeFrusta(objects)
		for _, share := range []float64{0.01, 0.1, 0.5} {
			for _, c := range scene.Cameras(objects, share, 10, seed) {
				frusta = append(frusta, scene.Frustum{Name: "camera", Planes: c.Planes()})
			}
		}
		for _, f := range frusta {
			if !NothingLost(t, ReferencePrepared(objects, PreparePlanes(f.Planes, extent, extent)), DefinitionFrustum(objects, f.Planes)) {
				t.Fatalf("scene %s, frustum %s", s.Name, f.Name)
			}
		}
	}
	rng := Rand(seed)
	for i := range 400 {
		kind := BoxKinds()[i%4]
		boxes := RandomBoxes(rng, 100, kind)
		var planes [6][4]float32
		for p := range planes {
			planes[p] = RandomPlane(rng, kind)
			if rng.IntN(3) == 0 {
				planes[p] = onto(planes[p], &boxes[rng.IntN(len(boxes))])
			}
			if rng.IntN(3) == 0 {
				planes[p] = [4]float32{0, 0, 0, 1}
			}
		}
		if !NothingLost(t, ReferenceFrustum(boxes, planes), DefinitionFrustum(boxes, planes)) {
			t.Fatalf("%s boxes, planes %x", kind, planes)
		}
	}
}

// onto returns the plane moved to the p-vertex of b as nearly as float32 can.
func onto(plane [4]float32, b *soa.AABB) [4]float32 {
	sum := 0.0
	for a := range 3 {
		p := b.Max[a]
		if plane[a] < 0 {
			p = b.Min[a]
		}
		sum += float64(plane[a]) * float64(p)
	}
	plane[3] = float32(min(max(-sum, -math.MaxFloat32), math.MaxFloat32))
	return plane
}

// Extra boxes lie within the bound: the exact value at their p-vertex, in the
// scale of the prepared plane, is at least minus twice the raise.
func TestReferenceExtras(t *testing.T) {
	seed, n := Seed(t), 20000
	if !Long(t) {
		n = 2000
	}
	for _, name := range []string{"uniform", "city", "surface", "far"} {
		objects := SceneByName(t, name).Make(n, seed)
		extent := Extent(objects)
		for _, c := range scene.Cameras(objects, 0.1, 10, seed) {
			planes := c.Planes()
			prepared := PreparePlanes(planes, extent, extent)
			for _, i := range ReferencePrepared(objects, prepared) {
				b := &objects[i].Box
				for p, plane := range prepared.Near {
					exact := float64(scaledTo(planes[p], -2)[3])
					raise := float64(plane[3]) - exact
					for a := range 3 {
						v := b.Max[a]
						if plane[a] < 0 {
							v = b.Min[a]
						}
						exact += float64(plane[a]) * float64(v)
					}
					if exact < -2*raise {
						t.Fatalf("%s: object %d is %v behind a plane raised by %v", name, i, -exact, raise)
					}
				}
			}
		}
	}
}
