package query_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// firstFuncQuery is the interface of rays and swept shapes that call a test function.
type firstFuncQuery interface {
	FirstFunc(linear.View, query.Filter, func(id uint32, tEnter float32) (t float32, hit bool)) (uint32, float32, bool)
	AppendIDs([]uint32, linear.View, query.Filter) []uint32
}

func firstFuncQueryOf(t testing.TB, s testkit.Sweep) firstFuncQuery {
	t.Helper()
	c, ok := casterOf(t, s)
	if !ok {
		ball := sweptSphereOf(t, s.Lo, 1, s.Dir)
		return &ball
	}
	return c.(firstFuncQuery)
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
					q := firstFuncQueryOf(t, s)
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
		q := firstFuncQueryOf(t, s)
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
	panics := func(test func(uint32, float32) (float32, bool)) (said any) {
		defer func() { said = recover() }()
		ray.FirstFunc(tree.View(), query.Filter{}, test)
		return nil
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
