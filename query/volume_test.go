package query_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
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

// referenceOf returns the result of the reference for a tree of the objects. That of a convex volume is for trees with
// one bound of coordinates.
func (p *probe) referenceOf(objects []soa.Object, v linear.View) []int {
	if s := v.Store(); p.planes != nil && s.Near != s.Extent {
		return testkit.ReferenceConvexBounds(objects, p.planes, s.Near, s.Extent)
	}
	return p.reference
}

func box(t testing.TB, b soa.AABB) query.Box {
	t.Helper()
	q, err := query.NewBox(b.Min, b.Max)
	testkit.Must(t, err)
	return q
}

func point(t testing.TB, p [3]float32) query.Point {
	t.Helper()
	q, err := query.NewPoint(p)
	testkit.Must(t, err)
	return q
}

func sphere(t testing.TB, s scene.Sphere) query.Sphere {
	t.Helper()
	q, err := query.NewSphere(s.Center, s.Radius)
	testkit.Must(t, err)
	return q
}

func convex(t testing.TB, planes [][4]float32) query.Convex {
	t.Helper()
	q, err := query.ConvexPlanes(planes)
	testkit.Must(t, err)
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

// ids returns the result, ascending.
func ids(q volume, v linear.View) []uint32 {
	return slices.Sorted(slices.Values(q.Append(nil, v, query.Filter{})))
}

// Invalid volumes are rejected, with the numbers in the error.
func TestVolumeErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range []float32{nan, inf, -inf} {
		named := fmt.Sprint(x)
		for a := range 3 {
			var p [3]float32
			p[a] = x
			_, err := query.NewBox(p, [3]float32{})
			refuse(t, err, named)
			_, err = query.NewBox([3]float32{}, p)
			refuse(t, err, named)
			_, err = query.NewPoint(p)
			refuse(t, err, named)
			_, err = query.NewSphere(p, 1)
			refuse(t, err, named)
		}
		_, err := query.NewSphere([3]float32{}, x)
		refuse(t, err, named)
		for i := range 12 {
			planes := make([][4]float32, 3)
			planes[i/4][i%4] = x
			_, err := query.ConvexPlanes(planes)
			refuse(t, err, named, fmt.Sprintf("plane %d", i/4))
		}
	}
	_, err := query.NewBox([3]float32{0, 2, 0}, [3]float32{1, 1, 1})
	refuse(t, err, "2", "inverted")
	_, err = query.NewSphere([3]float32{}, -0.5)
	refuse(t, err, "-0.5")
	_, err = query.ConvexPlanes(make([][4]float32, query.MaxPlanes+1))
	refuse(t, err, "33", "32")
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
