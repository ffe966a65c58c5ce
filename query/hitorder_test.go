package query_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// cubes returns n small cubes along x, the last one first, as far as from*n, so that of two with one Dist the later
// hit has the smaller ID. Cubes too small for float32 are points.
func cubes(n int, from float32) (objects []soa.Object) {
	for i := range n {
		x, half := float32(n-i)*from, min(from/8, 1)
		objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{
			Min: [3]float32{x, -half, -half}, Max: [3]float32{x + half, half, half},
		}})
	}
	return objects
}

// inOrder fails unless hits are in the order of Dist and ID, none is beyond most, and the first is that of First and
// of a batch. It returns the number of hits with the Dist of their predecessor.
func inOrder(t *testing.T, c sweepForms, v linear.View, flt query.Filter, most float32) (ties int) {
	hits := c.Append(nil, v, flt)
	for i, h := range hits {
		if !(h.Dist >= 0 && h.Dist <= most) {
			t.Errorf("hit %d has the Dist %v, the query ends at %v", i, h.Dist, most)
		}
		if i > 0 {
			last := hits[i-1]
			if cmp.Or(cmp.Compare(last.Dist, h.Dist), cmp.Compare(last.ID, h.ID)) >= 0 {
				t.Errorf("hit %d: ID %d at %v comes after ID %d at %v", i, h.ID, h.Dist, last.ID, last.Dist)
			}
			if last.Dist == h.Dist {
				ties++
			}
		}
	}
	first, ok := c.First(v, flt)
	if ok != (len(hits) > 0) || ok && first != hits[0] {
		t.Errorf("Nearest %v %v, the first of %d hits is another: %v", first, ok, len(hits), hits[:min(1, len(hits))])
	}
	if ray, isRay := c.(*query.Ray); isRay {
		var b query.RayBatch
		testkit.Must(t, b.FindAll(nil, v, []query.Ray{*ray, *ray}, flt))
		if !slices.Equal(b.Of(1), hits) {
			t.Errorf("a batch gives %v, want %v", b.Of(1), hits)
		}
		testkit.Must(t, b.Find(nil, v, []query.Ray{*ray, *ray}, flt))
		if got := b.Of(1); !slices.Equal(got, hits[:min(1, len(hits))]) {
			t.Errorf("a batch gives the nearest %v, want %v", got, hits[:min(1, len(hits))])
		}
	}
	return ties
}

// Hits are in the order of their reported Dist and ID. Times too small or too large for float32, or beyond the end of
// the query, have one Dist, and the first hit is that of First. The test has rays of all lengths, swept boxes and
// swept spheres, with and without spheres, in small and large trees, on every tier.
func TestHitOrder(t *testing.T) {
	infinity := float32(math.Inf(1))
	ties := map[string]int{}
	lengths := []float32{1e-45, 1e-40, 1e-30, 1e-10, 1, 3, 1e10, 1e30, 3e38}
	lengths = testkit.Budget(t, []float32{1e-45, 1e-30, 1, 1e10, 3e38}, lengths)
	for _, n := range testkit.Budget(t, []int{2, 150}, []int{2, 40, 700}) {
		for _, from := range []float32{1e-44, 1e-30, 1e-23, 1, 1e20, 1e34} {
			objects := cubes(n, from)
			f := plantAll(t, objects)
			f.SetBalls(t, testkit.BallsIn(objects))
			testkit.EachTier(t, func(t *testing.T) {
				for form, tree := range f.Trees {
					v := tree.View()
					for _, exact := range []bool{false, true} {
						flt := query.Filter{Exact: exact}
						for _, d := range lengths {
							dir := [3]float32{d}
							for _, most := range []float32{1, 1e-44, 1e30, infinity} {
								r := rayOf(t, [3]float32{}, dir, most)
								ties["ray"] += inOrder(t, &r, v, flt, min(most, math.MaxFloat32))
							}
							start := soa.AABB{Min: [3]float32{-from, -1e-30, 0}, Max: [3]float32{0, 1e-30, 0}}
							b := sweptBoxOf(t, start, dir)
							ties["box"] += inOrder(t, &b, v, flt, 1)
							s := sweptSphereOf(t, [3]float32{-from}, from/3, dir)
							ties["sphere"] += inOrder(t, &s, v, flt, 1)
						}
					}
					if t.Failed() {
						t.Fatalf("%d objects from %v on, tree %s", n, from, form)
					}
				}
			})
		}
	}
	for what, n := range ties {
		if n < 100 {
			t.Errorf("%s: only %d hits share a Dist", what, n)
		}
	}
	t.Logf("hits that share a Dist with the one before: %v", ties)
}

// The ends of float32, spelled out: of two points with one Dist the one of the smaller ID is first, though it is hit
// later.
func TestHitOrderAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		far, near, dir, most float32
		dist                 float32
	}{
		{2e-23, 1e-23, 1e30, 1, 0},
		{2e20, 1e20, 1e-30, float32(math.Inf(1)), math.MaxFloat32},
	} {
		point := func(x float32) soa.Object {
			return soa.Object{Mask: 1, Box: soa.AABB{Min: [3]float32{x}, Max: [3]float32{x}}}
		}
		v := plant(t, []soa.Object{point(c.far), point(c.near)}, true).View()
		r := rayOf(t, [3]float32{}, [3]float32{c.dir}, c.most)
		testkit.EachTier(t, func(t *testing.T) {
			inOrder(t, &r, v, query.Filter{}, min(c.most, math.MaxFloat32))
			hits := r.Append(nil, v, query.Filter{})
			if len(hits) != 2 || hits[0].ID != 0 || hits[0].Dist != c.dist || hits[1].Dist != c.dist {
				t.Errorf("%+v: %v", c, hits)
			}
		})
	}
}

// A ray of no length has one Dist, regardless of the times of the kernels: the smallest ID is the first hit, also
// where the other box holds the origin.
func TestNearestOfNoLength(t *testing.T) {
	objects := []soa.Object{
		{Box: soa.AABB{Min: [3]float32{-1, 0, -1}, Max: [3]float32{1, 1, 1}}},
		{Box: soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}},
	}
	v := plant(t, objects, true).View()
	ray := rayOf(t, [3]float32{-0x1p-127, -0x1p-149, -0x1.fffffep-1}, [3]float32{-0x1p-149, 0x1.fffffcp-127, 0x1p-126}, 0)
	testkit.EachTier(t, func(t *testing.T) {
		all := ray.Append(nil, v, query.Filter{})
		if first, ok := ray.First(v, query.Filter{}); !ok || len(all) != 2 || first != all[0] || first.ID != 0 {
			t.Errorf("nearest %+v %v of %+v", first, ok, all)
		}
	})
}

func sweepFormsOf(t testing.TB, s testkit.Sweep) sweepForms {
	t.Helper()
	c, ok := casterOf(t, s)
	if !ok {
		ball := sweptSphereOf(t, s.Lo, 1, s.Dir)
		return &ball
	}
	return c
}

// The candidates for the test function, and their order, are the same on every CPU, and so is the order of all IDs.
func TestFirstFuncInOrder(t *testing.T) {
	for _, name := range []string{"uniform", "city", "identical", "degenerate"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 600, 6000), 1)
		sweeps := append(testkit.EdgeRays(objects, 1), testkit.RaysOf(objects, 12, 1)...)
		for _, tree := range rayTrees(t, objects) {
			var want []string
			testkit.EachTier(t, func(t *testing.T) {
				var got []string
				asked := 0
				for _, s := range sweeps {
					q := sweepFormsOf(t, s)
					var calls []uint32
					id, dist, ok := q.FirstFunc(tree.View(), query.Filter{Mask: 7}, func(id uint32, tEnter float32) (float32, bool) {
						calls = append(calls, id)
						return tEnter + 0.25, id%3 == 0
					})
					asked += len(calls)
					got = append(got, fmt.Sprint(calls, id, dist, ok, q.AppendIDs(nil, tree.View(), query.Filter{})))
				}
				if want == nil {
					want = got
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s, %+v: %s, want %s", name, sweeps[i], got[i], want[i])
					}
				}
				if asked < len(sweeps)/2 {
					t.Errorf("%s: %d calls for %d sweeps", name, asked, len(sweeps))
				}
			})
		}
	}
}

// The nearest boxes are tested first, roughly: a test that accepts its first candidate is called for few others.
func TestFirstFuncFew(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(50_000, 1)
	v := plant(t, objects, true).View()
	calls, hits, all := 0, 0, 0
	for _, s := range testkit.RaysOf(objects, 200, 1) {
		q := sweepFormsOf(t, s)
		if _, _, ok := q.FirstFunc(v, query.Filter{}, func(_ uint32, tEnter float32) (float32, bool) { calls++; return tEnter, true }); ok {
			hits++
		}
		all += len(q.AppendIDs(nil, v, query.Filter{}))
	}
	if hits < 50 || calls > 2*hits || all < 4*calls {
		t.Errorf("%d calls for %d hits, of %d in all", calls, hits, all)
	}
}

// A test function may run other queries, and may panic. One that changes the tree ends the query with a panic. Later
// queries are right in any case.
func TestFirstFuncMisbehaves(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := plant(t, objects, false)
	ray := rayOf(t, [3]float32{-1000, 0, 0}, [3]float32{1, 0, 0}, 1e9)
	tree.Move(0, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
	want, ok := ray.First(tree.View(), query.Filter{})
	if !ok {
		t.Fatal("the ray hits nothing")
	}
	right := func() {
		t.Helper()
		id, dist, ok := ray.FirstFunc(tree.View(), query.Filter{}, func(id uint32, tEnter float32) (float32, bool) {
			ids := ray.AppendIDs(nil, tree.View(), query.Filter{})
			if h, ok := ray.First(tree.View(), query.Filter{}); !ok || h != want || !slices.Contains(ids, id) {
				t.Errorf("within a test: %v %v, %d IDs", h, ok, len(ids))
			}
			return tEnter, true
		})
		if !ok || id != want.ID || dist != want.Dist {
			t.Fatalf("%d at %v %v, want %+v", id, dist, ok, want)
		}
		testkit.Must(t, tree.Validate())
	}
	right()
	panics := func(test func(uint32, float32) (float32, bool)) any {
		return testkit.Panic(func() { ray.FirstFunc(tree.View(), query.Filter{}, test) })
	}
	for range 5 {
		if said := panics(func(uint32, float32) (float32, bool) { panic("mine") }); said != "mine" {
			t.Fatalf("the panic of a test became %v", said)
		}
		right()
		said := panics(func(id uint32, _ float32) (float32, bool) {
			tree.Move(id, objects[id].Box)
			return 0, false
		})
		if said == nil {
			t.Fatal("a test moved an object, without a panic")
		}
		tree.Move(0, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
		right()
	}
}
