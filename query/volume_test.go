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

// Constructors of queries, and inputs of tests.
var (
	box, sphere, convex, point, frustum = queries.Box, queries.Sphere, queries.Convex, queries.Point, queries.Frustum
	orientedBox                         = queries.OrientedBox
	rayOf, sweptBoxOf, sweptSphereOf    = queries.Ray, queries.SweptBox, queries.SweptSphere
	faces, someFrusta, benchRays        = queries.Faces, queries.Frusta, queries.Rays
)

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
	if new(query.Ray).Any(v, query.Filter{}) {
		t.Error("the zero Ray hits something")
	}
	planes := [][4]float32{{0, 0, 0, 1}}
	q := convex(t, planes)
	planes[0][3] = -1
	if q.Count(v, query.Filter{}) != len(objects) {
		t.Error("a change of the planes changed the volume")
	}
}
