package index_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// loop runs a query by testing every object.
type loop []soa.Object

func (l loop) append(v index.Volume) (ids []uint32) {
	for i := range l {
		if v.Meets(&l[i].Box) {
			ids = append(ids, uint32(i))
		}
	}
	return ids
}

func (l loop) hits(r index.Ray) []index.Hit {
	var found index.Found
	for i := range l {
		if t, ok := r.Enter(&l[i].Box); ok {
			found.Take(uint32(i), t)
		}
	}
	return found.Append(nil)
}

func (l loop) first(r index.Ray) (index.Hit, bool) {
	var f index.First
	for i := range l {
		if t, ok := r.Enter(&l[i].Box); ok && !f.Later(t) {
			f.Take(uint32(i), t)
		}
	}
	return f.Hit()
}

// The tests of an index match the library: a loop over all objects gives the results of the tree.
func TestSameAsTree(t *testing.T) {
	seed := testkit.Seed(t)
	r := testkit.Rand(seed)
	for _, kind := range testkit.BoxKinds() {
		t.Run(kind.String(), func(t *testing.T) {
			objects := make(loop, 250)
			for i, b := range testkit.RandomBoxes(r, len(objects), kind) {
				objects[i].Box = b
			}
			tree := must.Get(linear.New(linear.Config{}))
			must.Get(tree.InsertBatch(nil, objects))
			v := tree.View()
			if e := index.Extent(objects); e != v.Store().Extent {
				t.Errorf("extent %v, of the tree %v", e, v.Store().Extent)
			}
			for range 60 {
				compareVolumes(t, objects, v, r, kind)
				compareRay(t, objects, v, r, kind)
			}
		})
	}
}

func compareVolumes(t *testing.T, objects loop, v linear.View, r *rand.Rand, kind testkit.BoxKind) {
	t.Helper()
	var planes [6][4]float32
	for i := range planes {
		planes[i] = testkit.RandomPlane(r, kind)
	}
	// A tree widens planes by less for near objects.
	testkit.SameIDSet(t, objects.append(index.Frustum(planes, index.Extent(objects))), testkit.ReferenceFrustum([]soa.Object(objects), planes))

	b := testkit.RandomBoxes(r, 1, kind)[0]
	box := must.Get(query.NewBox(b.Min, b.Max))
	testkit.SameIDSet(t, objects.append(index.Box(b)), box.Append(nil, v, query.Filter{}))

	radius := float32(math.Abs(float64(b.Max[1]))) / 2
	sphere := must.Get(query.NewSphere(b.Min, radius))
	testkit.SameIDSet(t, objects.append(index.Sphere(b.Min, radius)), sphere.Append(nil, v, query.Filter{}))

	near := must.Get(query.AppendNearest(nil, v, b.Min, 20, float32(math.Inf(1)), query.Filter{}))
	for _, n := range near {
		if d := index.Dist2(&objects[n.ID].Box, b.Min); d != n.Dist2 {
			t.Errorf("squared distance %v, of the tree %v", d, n.Dist2)
		}
	}
}

func compareRay(t *testing.T, objects loop, v linear.View, r *rand.Rand, kind testkit.BoxKind) {
	t.Helper()
	s := testkit.RandomSweep(r, kind)
	ray, err := query.NewRay(s.Lo, s.Dir, s.MaxT)
	if err != nil {
		return // no direction
	}
	var want []index.Hit
	for _, h := range ray.Append(nil, v, query.Filter{}) {
		want = append(want, index.Hit{ID: h.ID, Dist: h.Dist})
	}
	prepared := index.NewRay(s.Lo, s.Dir, s.MaxT)
	if got := objects.hits(prepared); !slices.Equal(got, want) {
		t.Errorf("ray %v: hits %v, of the tree %v", s, got, want)
	}
	h, ok := objects.first(prepared)
	if ok != (len(want) > 0) || ok && h != want[0] {
		t.Errorf("ray %v: first %v, %v, of the tree %v", s, h, ok, want)
	}
}

// The assumptions of an index: a box around one that intersects a volume intersects it, a box in a
// contained box is contained, and a ray enters a box around another no later.
func TestMonotone(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	contained, overlaps := 0, 0
	for i := range 40000 {
		kind := testkit.BoxKinds()[i%4]
		boxes := testkit.RandomBoxes(r, 3, kind)
		in, out := boxes[0], boxes[0].Union(boxes[1])
		var planes [6][4]float32
		for i := range planes {
			planes[i] = testkit.RandomPlane(r, kind)
		}
		planes[1], planes[2], planes[4], planes[5] = planes[0], planes[0], planes[3], planes[3]
		for _, v := range []index.Volume{
			index.Frustum(planes, [3]float32{}), // also for coordinates beyond the extent
			index.Box(boxes[2].Union(boxes[i%2])),
			index.Sphere(boxes[2].Min, float32(math.Abs(float64(boxes[2].Max[0])))),
		} {
			if v.Meets(&in) && !v.Meets(&out) || v.Holds(&out) && !(v.Holds(&in) && v.Meets(&in)) {
				t.Fatalf("%v: %v intersects %v, is contained %v; %v around it intersects %v, is contained %v",
					v, in, v.Meets(&in), v.Holds(&in), out, v.Meets(&out), v.Holds(&out))
			}
			if v.Meets(&in) {
				overlaps++
			}
			if v.Holds(&out) {
				contained++
			}
		}
		s := testkit.RandomSweep(r, kind)
		if s.Dir == ([3]float32{}) {
			continue
		}
		ray := index.NewRay(s.Lo, s.Dir, s.MaxT)
		if t0, ok := ray.Enter(&in); ok {
			if t1, ok := ray.Enter(&out); !ok || t1 > t0 {
				t.Fatalf("ray %v enters %v at %v, %v around it at %v, %v", s, in, t0, out, t1, ok)
			}
		}
	}
	if overlaps < 10000 || contained < 1000 {
		t.Errorf("only %d boxes intersect and %d are contained: the test is empty", overlaps, contained)
	}
}

func TestOrder(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for n := range 28 {
		var o index.Order
		at := make([]float32, n)
		for i := range at {
			at[i] = float32(r.IntN(5))
			o.Put(at[i], i)
		}
		for i := range o.Len {
			if at[o.Lane[i]] != o.At[i] || i > 0 && o.At[i] < o.At[i-1] {
				t.Fatalf("order of %v: %v", at, o)
			}
		}
		if o.Len != n {
			t.Errorf("%d of %d children", o.Len, n)
		}
	}
}
