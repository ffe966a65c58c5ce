package query_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// iterable is a volume with all five methods.
type iterable interface {
	volume
	All(linear.View, query.Filter) iter.Seq[uint32]
}

// probe is a query and its oracles.
type probe struct {
	numbers    any // of the query
	query      iterable
	reference  []int
	definition []int // nil: equal to the reference

	planes [][4]float32 // of a convex volume
}

func (p *probe) name() string { return fmt.Sprintf("%T %x", p.query, p.numbers) }

// twinOf returns the result of the reference for a tree of the objects. That of a convex volume is for trees with one
// bound of coordinates.
func (p *probe) referenceOf(objects []soa.Object, v linear.View) []int {
	if s := v.Store(); p.planes != nil && s.Near != s.Extent {
		return testkit.ReferenceConvexBounds(objects, p.planes, s.Near, s.Extent)
	}
	return p.reference
}

func box(t testing.TB, b soa.AABB) query.Box {
	t.Helper()
	q, err := query.NewBox(b.Min, b.Max)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func point(t testing.TB, p [3]float32) query.Point {
	t.Helper()
	q, err := query.NewPoint(p)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func sphere(t testing.TB, s scene.Sphere) query.Sphere {
	t.Helper()
	q, err := query.NewSphere(s.Center, s.Radius)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func convex(t testing.TB, planes [][4]float32) query.Convex {
	t.Helper()
	q, err := query.ConvexPlanes(planes)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const most = math.MaxFloat32

// world is the largest box.
var world = soa.AABB{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}}

// edgeBoxes are the boxes at which implementations fail.
func edgeBoxes(objects []soa.Object) []soa.AABB {
	minus0 := float32(math.Copysign(0, -1))
	all, one := soa.AABB{}, soa.AABB{}
	if len(objects) > 0 {
		all, one = scene.Bounds(objects), objects[len(objects)/2].Box
	}
	beyond := func(x float32) float32 { return math.Nextafter32(x, most) }
	return []soa.AABB{
		world, all, one, {}, // the last is the origin
		{Min: one.Min, Max: one.Min}, {Min: one.Max, Max: one.Max}, {Min: all.Max, Max: all.Max},
		{Min: [3]float32{minus0, minus0, minus0}, Max: [3]float32{0, minus0, 0}},
		{Min: [3]float32{one.Max[0], one.Min[1], one.Min[2]}, Max: [3]float32{most, one.Max[1], one.Max[2]}},
		{Min: [3]float32{beyond(one.Max[0]), one.Min[1], one.Min[2]}, Max: [3]float32{most, one.Max[1], one.Max[2]}},
		{Min: [3]float32{-most, -most, one.Max[2]}, Max: [3]float32{most, most, one.Max[2]}}, // a plane
		{Min: [3]float32{-0x1p-149, -0x1p-149, -0x1p-149}, Max: [3]float32{0x1p-149, 0x1p-149, 0x1p-149}},
		{Min: [3]float32{most, most, most}, Max: [3]float32{most, most, most}},
	}
}

func edgeSpheres(objects []soa.Object) []scene.Sphere {
	all, one := soa.AABB{}, soa.AABB{}
	if len(objects) > 0 {
		all, one = scene.Bounds(objects), objects[len(objects)/2].Box
	}
	beside := one.Max
	beside[0] += 3 // touches exactly, up to the rounding of the sum
	return []scene.Sphere{
		{}, {Radius: 0x1p-149}, {Radius: 0x1p-75}, {Radius: most}, {Radius: 0x1p62}, {Radius: 0x1.fffffep61},
		{Center: one.Min}, {Center: one.Max, Radius: 0x1p-149}, {Center: one.Center(), Radius: 1},
		{Center: beside, Radius: beside[0] - one.Max[0]},
		{Center: all.Center(), Radius: 100}, {Center: all.Center(), Radius: 1e5}, {Center: all.Center(), Radius: 1e30},
		{Center: [3]float32{most, most, most}, Radius: most}, {Center: [3]float32{most, -most, 0}, Radius: 1},
		{Center: [3]float32{-most, 0, 0}, Radius: most},
	}
}

// faces are the six planes of a box, inward.
func faces(b soa.AABB) [][4]float32 {
	return [][4]float32{
		{1, 0, 0, -b.Min[0]}, {-1, 0, 0, b.Max[0]},
		{0, 1, 0, -b.Min[1]}, {0, -1, 0, b.Max[1]},
		{0, 0, 1, -b.Min[2]}, {0, 0, -1, b.Max[2]},
	}
}

// gem is a ball cut out by planes.
func gem(rng *rand.Rand, s scene.Sphere, planes int) (p [][4]float32) {
	for range planes {
		n := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
		d := float64(s.Radius)
		var f [4]float32
		for a := range 3 {
			f[a] = float32(-n[a] / l)
			d += n[a] / l * float64(s.Center[a])
		}
		f[3] = float32(min(max(d, -most), most))
		p = append(p, f)
	}
	return p
}

// scaled returns a box with the same middle, smaller by a factor of up to 1.
func scaled(b soa.AABB, factor float64) soa.AABB {
	for a := range 3 {
		c := float64(b.Min[a])/2 + float64(b.Max[a])/2
		half := (float64(b.Max[a]) - c) * factor
		b.Min[a], b.Max[a] = float32(c-half), float32(c+half)
	}
	return b
}

// probes returns queries of all shapes with the results of their oracles.
func probes(t testing.TB, objects []soa.Object, each int, seed uint64) (all []probe) {
	addBox := func(b soa.AABB) {
		all = append(all, probe{numbers: b, query: box(t, b), reference: testkit.ReferenceBox(objects, b)})
	}
	addPoint := func(p [3]float32) {
		all = append(all, probe{numbers: p, query: point(t, p), reference: testkit.ReferenceBox(objects, soa.AABB{Min: p, Max: p})})
	}
	addSphere := func(s scene.Sphere) {
		all = append(all, probe{s, sphere(t, s),
			testkit.ReferenceSphere(objects, s.Center, s.Radius), testkit.DefinitionSphere(objects, s.Center, s.Radius), nil})
	}
	addConvex := func(planes [][4]float32) {
		all = append(all, probe{planes, convex(t, planes),
			testkit.ReferenceConvex(objects, planes), testkit.DefinitionConvex(objects, planes), planes})
	}
	rng := testkit.Rand(seed)
	for _, b := range edgeBoxes(objects) {
		addBox(b)
		addPoint(b.Max)
	}
	for _, s := range edgeSpheres(objects) {
		addSphere(s)
	}
	addConvex(nil)
	for i, f := range scene.EdgeFrusta(objects) {
		if i%3 == 0 {
			addConvex(f.Planes[:1+i%6])
		}
	}
	// Of about half of all objects, and smaller ones.
	const sizes = 4
	smaller := func(i int) float64 { return math.Pow(4, -float64(i%sizes)) }
	for i, b := range scene.BoxQueries(objects, len(objects)/2+1, sizes*each, seed) {
		addBox(scaled(b, smaller(i)))
	}
	for i, s := range scene.SphereQueries(objects, len(objects)/2+1, sizes*each, seed) {
		s.Radius = float32(float64(s.Radius) * smaller(i))
		addSphere(s)
		addConvex(gem(rng, s, []int{1, 5, 7, 12, 31, 32, 2}[i%7]))
	}
	for _, p := range scene.PointQueries(objects, each, seed) {
		addPoint(p)
	}
	return all
}

// Every shape, scene, size and tier: the results are those of the reference, no object inside by definition is lost,
// all forms agree, and tiers agree on the order.
func TestVolumes(t *testing.T) {
	each := testkit.Budget(t, 3, 6)
	seed := testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		for _, n := range treeSizes(t, i, 1500, 20_000) {
			t.Run(fmt.Sprintf("%s/n=%d", sc.Name, n), func(t *testing.T) {
				objects := sc.Make(n, seed)
				f := plantAll(t, objects)
				testVolumes(t, f, probes(t, objects, each, seed))
			})
		}
	}
}

// testVolumes queries every tree on every tier: one tree in all forms, and with a filter one.
func testVolumes(t *testing.T, f forest, probes []probe) {
	t.Helper()
	orders := make([][][]uint32, len(treeForms)) // of the first tier
	testkit.EachTier(t, func(t *testing.T) {
		for i, form := range treeForms {
			v := f.Trees[form].View()
			for k, p := range probes {
				flt := filters[k%len(filters)]
				got := p.query.Append(nil, v, query.Filter{})
				if i == k%len(treeForms) {
					got = forms(t, p.query, p.query.All(v, query.Filter{}), v, query.Filter{})
				}
				if k < len(orders[i]) {
					testkit.SameIDs(t, got, orders[i][k])
				} else {
					orders[i] = append(orders[i], got)
					sorted := slices.Sorted(slices.Values(got))
					testkit.SameIDs(t, sorted, p.referenceOf(f.Objects, v))
					if p.definition != nil {
						testkit.NothingLost(t, sorted, p.definition)
					}
				}
				if filtering(flt) && i == k/2%len(treeForms) {
					got := forms(t, p.query, p.query.All(v, flt), v, flt)
					testkit.SameIDs(t, slices.Sorted(slices.Values(got)), keep(f.Objects, p.referenceOf(f.Objects, v), flt))
				}
				if t.Failed() {
					t.Fatalf("%s, tree %s, filter %+v", p.name(), form, flt)
				}
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
}

// ids returns the result, ascending.
func ids(q volume, v linear.View) []uint32 {
	return slices.Sorted(slices.Values(q.Append(nil, v, query.Filter{})))
}

// Queries agree with each other where they say the same:
//
//	point = box of no extent; six planes = frustum
//	box ⊆ frustum and convex volume of its faces, and equal where every
//	number is a small integer but the bound
//	sphere ⊆ box around it; box ⊆ sphere around it
func TestVolumesAgree(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	none := query.Filter{}
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(3000, seed)
		v := plant(t, objects, rng.IntN(2) == 0).View()
		queries := append(edgeBoxes(objects), scene.BoxQueries(objects, 60, 20, seed)...)
		for _, b := range queries {
			in := ids(box(t, b), v)
			planes := faces(b)
			f, err := query.FrustumPlanes([6][4]float32(planes))
			if err != nil {
				t.Fatal(err)
			}
			around := ids(f, v)
			testkit.SameIDs(t, ids(convex(t, planes), v), around)
			testkit.NothingLost(t, around, in)
			p := b.Min
			testkit.SameIDs(t, point(t, p).Append(nil, v, none), box(t, soa.AABB{Min: p, Max: p}).Append(nil, v, none))
			if t.Failed() {
				t.Fatalf("%s: box %x", sc.Name, b)
			}
		}
		for _, s := range scene.SphereQueries(objects, 60, 20, seed) {
			in := ids(sphere(t, s), v)
			reach := s.Radius*1.000002 + 0x1p-70
			var cube, inner soa.AABB
			for a := range 3 {
				r := reach + float32(math.Abs(float64(s.Center[a])))*0x1p-22
				cube.Min[a], cube.Max[a] = s.Center[a]-r, s.Center[a]+r
				h := s.Radius * 0.577
				inner.Min[a], inner.Max[a] = min(s.Center[a]-h+r-reach, s.Center[a]), max(s.Center[a]+h-(r-reach), s.Center[a])
			}
			testkit.NothingLost(t, ids(box(t, cube), v), in)
			testkit.NothingLost(t, in, ids(box(t, inner), v))
			if t.Failed() {
				t.Fatalf("%s: sphere %x", sc.Name, s)
			}
		}
	}
	// On integers a face that touches is exact, and the bound does not reach the
	// next integer.
	var objects []soa.Object
	for _, b := range testkit.RandomBoxes(rng, 3000, testkit.BoxesGrid) {
		objects = append(objects, soa.Object{Box: b, Mask: 1})
	}
	v := plant(t, objects, true).View()
	for _, b := range testkit.RandomBoxes(rng, 200, testkit.BoxesGrid) {
		testkit.SameIDs(t, ids(convex(t, faces(b)), v), ids(box(t, b), v))
	}
}

// Invalid volumes are rejected, with the numbers in the error.
func TestVolumeErrors(t *testing.T) {
	refuse := func(err error, mentions ...string) {
		t.Helper()
		if err == nil {
			t.Error("no error")
			return
		}
		for _, m := range mentions {
			if !strings.Contains(err.Error(), m) {
				t.Errorf("error %q does not mention %s", err, m)
			}
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range []float32{nan, inf, -inf} {
		named := fmt.Sprint(x)
		for a := range 3 {
			var p [3]float32
			p[a] = x
			_, err := query.NewBox(p, [3]float32{})
			refuse(err, named)
			_, err = query.NewBox([3]float32{}, p)
			refuse(err, named)
			_, err = query.NewPoint(p)
			refuse(err, named)
			_, err = query.NewSphere(p, 1)
			refuse(err, named)
		}
		_, err := query.NewSphere([3]float32{}, x)
		refuse(err, named)
		for i := range 12 {
			planes := make([][4]float32, 3)
			planes[i/4][i%4] = x
			_, err := query.ConvexPlanes(planes)
			refuse(err, named, fmt.Sprintf("plane %d", i/4))
		}
	}
	_, err := query.NewBox([3]float32{0, 2, 0}, [3]float32{1, 1, 1})
	refuse(err, "2", "inverted")
	_, err = query.NewSphere([3]float32{}, -0.5)
	refuse(err, "-0.5")
	_, err = query.ConvexPlanes(make([][4]float32, query.MaxPlanes+1))
	refuse(err, "33", "32")
	if _, err := query.ConvexPlanes(make([][4]float32, query.MaxPlanes)); err != nil {
		t.Error(err)
	}
}

// Zero values are as documented, and planes are copied.
func TestVolumeZeroValues(t *testing.T) {
	objects := testkit.SceneByName(t, "huge").Make(500, 1)
	v := plant(t, objects, false).View()
	origin := testkit.ReferenceBox(objects, soa.AABB{})
	testkit.SameIDs(t, ids(query.Box{}, v), origin)
	testkit.SameIDs(t, ids(query.Point{}, v), origin)
	testkit.SameIDs(t, ids(query.Sphere{}, v), origin)
	if n := (query.Convex{}).Count(v, query.Filter{}); n != len(objects) {
		t.Errorf("the zero Convex holds %d of %d", n, len(objects))
	}
	planes := [][4]float32{{0, 0, 0, 1}}
	q := convex(t, planes)
	planes[0][3] = -1
	if q.Count(v, query.Filter{}) != len(objects) {
		t.Error("a change of the planes changed the volume")
	}
}

// No form of a query allocates, except to grow the caller's slice. Each shape is called by its own type: an interface
// or a type parameter would make the query escape.
func TestVolumesAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 4000, 50_000), 1)
	f := plantAll(t, objects)
	dst := make([]uint32, 0, len(objects)+soa.Lanes)
	b, s := scene.BoxQueries(objects, 3000, 1, 1)[0], scene.SphereQueries(objects, 3000, 1, 1)[0]
	planes := faces(b)
	cut := convex(t, planes)
	for form, tree := range f.Trees {
		v := tree.View()
		for _, flt := range filters {
			sum := 0
			each := func(uint32) bool { sum++; return true }
			part := func(query.Range) bool { return true }
			for name, ask := range map[string]func(){
				"box": func() {
					q := box(t, b)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"point": func() {
					q := point(t, b.Min)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"sphere": func() {
					q := sphere(t, s)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"convex": func() {
					dst = cut.Append(dst[:0], v, flt)
					sum -= cut.Count(v, flt)
					cut.Any(v, flt)
					cut.All(v, flt)(each)
					cut.Ranges(v, flt, part)
				},
			} {
				testkit.Allocs(t, 20, ask)
				if sum != 0 || t.Failed() {
					t.Fatalf("%s, tree %s, filter %+v: yielded and counted differ by %d", name, form, flt, sum)
				}
			}
		}
	}
}
