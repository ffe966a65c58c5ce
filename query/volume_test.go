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
	"github.com/zoctree/zoctree/internal/testkit/queries"
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

func point(t testing.TB, p [3]float32) query.Point {
	t.Helper()
	q, err := query.NewPoint(p)
	testkit.Must(t, err)
	return q
}

// Constructors of queries, and inputs of tests.
var box, sphere, convex, faces, someFrusta, benchRays = queries.Box, queries.Sphere, queries.Convex, queries.Faces, queries.Frusta, queries.Rays

const most = math.MaxFloat32

// world is the largest box.
var world = soa.AABB{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}}

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
