package query_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// probe is a query and its oracles.
type probe struct {
	numbers    any // of the query
	query      manyForms
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

// A store with only the columns that an area of package interest documents has the results of the tree.
func TestAppendStore(t *testing.T) {
	for _, n := range []int{0, 40, 2000} {
		testAppendStore(t, n)
	}
}

func testAppendStore(t *testing.T, n int) {
	objects := testkit.SceneByName(t, "city").Make(n, 1)
	tree := plant(t, objects, true)
	of := tree.View().Store()
	var s soa.Store
	s.Near, s.Extent, s.Count = of.Near, of.Extent, of.Count
	s.Packets.Bounds, s.Packets.IDs, s.Packets.Masks = of.Packets.Bounds, of.Packets.IDs, of.Packets.Masks
	s.Packets.Moving, s.Packets.Counts = of.Packets.Moving, of.Packets.Counts
	if len(of.Packets.Counts) > 8 {
		s.Nodes.Hot, s.Nodes.Slots = of.Nodes.Hot, of.Nodes.Slots
	}
	whole := sphere(t, scene.Sphere{Center: [3]float32{}, Radius: 1e6})
	small := testkit.Cube(5, 5, 5, 10)
	box := box(t, small)
	for _, f := range []query.Filter{{}, {Mask: 3}, {Motion: query.StaticOnly}} {
		keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
		testkit.SameIDSet(t, (*walk.Sphere)(&whole).Begin(&s).Append(nil, &keep), whole.Append(nil, tree.View(), f))
		testkit.SameIDSet(t, (*walk.Box)(&box).Begin(&s).Append([]uint32{1 << 20}, &keep), append([]uint32{1 << 20}, box.Append(nil, tree.View(), f)...))
	}
}

// Append takes one allocation, with any room in the slice, and with any part of the result wholly inside or on the
// border; none where there is room for the result and 16 more.
func TestAppendGrowsOnce(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	v := plant(t, objects, true).View()
	for _, half := range []float32{2, 6, 12, 25} {
		c := objects[7].Box.Center()
		q := box(t, testkit.CubeAt(c, half))
		n := q.Count(v, query.Filter{})
		inside := 0
		q.Ranges(v, query.Filter{}, func(r query.Range) bool {
			if r.Mask == 0 {
				inside += int(r.Count) * soa.Lanes
			}
			return true
		})
		for _, room := range []int{0, 1, 15, 16, inside - 32, inside - 17, inside - 16, inside - 15, inside - 1, inside, inside + 15, inside + 16, inside + 17, n - 1, n, n + 15, n + 16} {
			if room < 0 {
				continue
			}
			dst := make([]uint32, 0, room)
			allocs := 99.0
			for range 5 { // the runtime sometimes allocates in between
				allocs = min(allocs, testing.AllocsPerRun(1, func() { q.Append(dst, v, query.Filter{}) }))
			}
			if allocs > 1 || allocs > 0 && room >= n+16 {
				t.Errorf("%d objects, %d places inside, room for %d: %v allocations", n, inside, room, allocs)
			}
		}
	}
}

// A walk for a volume tests the packets on its border one by one, up to three of four;
// of more it scans all.
func TestVolumeScansShare(t *testing.T) {
	const side = 20
	half := box(t, soa.AABB{Min: [3]float32{-1e3, -1e3, -1e3}, Max: [3]float32{1e3, 1e3, 0}})
	var few, many int // cases near the limit
	for share := 26; share < 42; share += 2 {
		// Heaps of objects, a share of them across the border.
		var objects []soa.Object
		for heap := range side * side {
			across := heap*37%100 < share
			for i := range 16 {
				b := testkit.Cube(float32(10*(heap%side)+i%4), float32(10*(heap/side)+i/4), -2, 0.25)
				if across {
					b.Max[2] = 2
				}
				objects = append(objects, soa.Object{Box: b, Mask: 1})
			}
		}
		v := plant(t, objects, true).View()
		border := 0
		for slot := range v.Slots() {
			if slices.ContainsFunc(v.IDs(uint32(slot)), func(id uint32) bool { return objects[id].Box.Max[2] > 0 }) {
				border++
			}
		}
		want := border
		if 4*border > 3*v.Slots() {
			want = v.Slots()
		}
		if c := half.Explain(v, query.Filter{}, nil); c.Packets != want {
			t.Errorf("%d of %d packets on the border: %d are tested, want %d", border, v.Slots(), c.Packets, want)
		}
		switch s := 8 * border / v.Slots(); s {
		case 5:
			few++
		case 6:
			many++
		}
	}
	if few == 0 || many == 0 {
		t.Errorf("%d trees with less than 3/4 on the border, %d with more", few, many)
	}
}

// A search for any hit ends in a scan where all nodes are on the border. The scan finds the hit at every position.
func TestAnyScans(t *testing.T) {
	const n = 4000
	q := box(t, testkit.Cube(5, 5, 0, 1))
	for _, at := range []int{-1, 0, n / 2, n - 1} {
		objects := make([]soa.Object, n)
		for i := range objects {
			x, y := float32(10), float32(1) // beams in two directions, about one point
			if i%2 != 0 {
				x, y = y, x
			}
			if i == at {
				x, y = 10, 10
			}
			objects[i] = soa.Object{Box: soa.AABB{Min: [3]float32{-x, -y, -1}, Max: [3]float32{x, y, 1}}, Mask: 1}
		}
		v := plant(t, objects, true).View()
		testkit.EachTier(t, func(t *testing.T) {
			for _, f := range []query.Filter{{}, {Mask: 1}, {Mask: 2}} {
				if got, want := q.Any(v, f), at >= 0 && f.Mask != 2; got != want {
					t.Errorf("object %d is met, filter %+v: any %v", at, f, got)
				}
			}
			if c := q.Explain(v, query.Filter{}, nil); c.Packets != v.Slots() {
				t.Errorf("%d of %d packets are tested: no scan", c.Packets, v.Slots())
			}
		})
	}
}

// Motions and clips are encoded as names in JSON.
func TestText(t *testing.T) {
	type both struct {
		Motion query.Motion
		Clip   query.Clip
	}
	names := map[string]bool{}
	for i := range 256 {
		for _, b := range []both{{Motion: query.Motion(i)}, {Clip: query.Clip(i)}} {
			data, err := json.Marshal(b)
			if strings.HasPrefix(b.Motion.String(), "unknown(") || strings.HasPrefix(b.Clip.String(), "unknown(") {
				if err == nil {
					t.Errorf("%+v is written as %s", b, data)
				}
				continue
			}
			names[string(data)] = true
			var read both
			if err != nil || json.Unmarshal(data, &read) != nil || read != b {
				t.Errorf("%+v is written as %s (%v) and read as %+v", b, data, err, read)
			}
		}
	}
	if len(names) != 3+6-1 { // both zero values are one
		t.Errorf("%d names: %v", len(names), names)
	}
	b := both{Motion: query.StaticOnly}
	if err := json.Unmarshal([]byte(`{"Motion":"asleep"}`), &b); err == nil || b.Motion != query.StaticOnly || !strings.Contains(err.Error(), "want any, moving, static") {
		t.Errorf("another text is read as %v, %v", b.Motion, err)
	}
}
