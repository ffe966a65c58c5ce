package query_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// ofBox is the test of a box, as a program writes it.
func ofBox(b soa.AABB) func(box linear.AABB) query.Relation {
	return func(box linear.AABB) query.Relation {
		switch {
		case box.Min[0] > b.Max[0] || box.Max[0] < b.Min[0] || box.Min[1] > b.Max[1] || box.Max[1] < b.Min[1] ||
			box.Min[2] > b.Max[2] || box.Max[2] < b.Min[2]:
			return query.Outside
		case box.Min[0] < b.Min[0] || box.Max[0] > b.Max[0] || box.Min[1] < b.Min[1] || box.Max[1] > b.Max[1] ||
			box.Min[2] < b.Min[2] || box.Max[2] > b.Max[2]:
			return query.Partly
		}
		return query.Inside
	}
}

func function(t testing.TB, bounds soa.AABB, test func(box linear.AABB) query.Relation) query.Func {
	t.Helper()
	f, err := query.NewFunc(bounds, test)
	testkit.Must(t, err)
	return f
}

// counted counts the calls of a test.
func counted(calls *int, test func(box linear.AABB) query.Relation) func(box linear.AABB) query.Relation {
	return func(box linear.AABB) query.Relation {
		*calls++
		return test(box)
	}
}

// A box as a function finds the objects of the box, on trees, versions and mapped snapshots, on every tier, with the
// same calls of the test, for all of which the promise holds.
func TestFuncOfBox(t *testing.T) {
	for _, name := range []string{"uniform", "city", "identical", "degenerate"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 1500, 20_000), 1)
		tree := plant(t, objects, false)
		path := filepath.Join(t.TempDir(), "tree")
		testkit.Must(t, tree.Save(context.Background(), path, linear.SnapshotOptions{}))
		snapshot, err := linear.OpenMapped(path, linear.CheckSafe)
		testkit.Must(t, err)
		defer snapshot.Close()
		version := linear.NewPublisher(tree).Acquire()
		defer version.Release()
		views := map[string]linear.View{
			"tree": tree.View(), "frozen": plant(t, objects, true).View(), "version": version.View(), "snapshot": snapshot.View(),
		}
		boxes := append(scene.BoxQueries(objects, 40, 20, 1), scene.EdgeBoxes(objects)...)
		var want []string
		testkit.EachTier(t, func(t *testing.T) {
			var got []string
			for kind, v := range views {
				for i, b := range boxes {
					calls := 0
					f := function(t, b, counted(&calls, ofBox(b)))
					for _, flt := range testkit.Turn(t, i, filters) {
						ids := f.Append(nil, v, flt)
						flt.Exact = false
						whole := box(t, b).Append(nil, v, flt)
						slices.Sort(whole)
						if sorted := slices.Sorted(slices.Values(ids)); !slices.Equal(sorted, whole) {
							t.Fatalf("%s, %s, box %v, %+v: %d objects, want %d", name, kind, b, flt, len(ids), len(whole))
						}
						if kind == "tree" {
							got = append(got, fmt.Sprint(ids, calls))
						}
					}
					testkit.Must(t, f.Check(v))
				}
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: other objects, or calls, than on another tier", name)
			}
		})
	}
}

// The test of a box is called for fewer boxes than 1.3 a result at 450 results, and for none below a box that is
// inside.
func TestFuncTests(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 20_000, 100_000), 1)
		v := plant(t, objects, true).View()
		calls, found := 0, 0
		for _, b := range scene.BoxQueries(objects, 450, 200, 7) {
			f := function(t, b, counted(&calls, ofBox(b)))
			found += f.Count(v, query.Filter{})
		}
		per := float64(calls) / float64(found)
		t.Logf("%s: %d calls for %d results, %.3f each", name, calls, found, per)
		if per > 1.3 || found < 200*300 {
			t.Errorf("%s: %d calls for %d results, %.3f each", name, calls, found, per)
		}
		all := 0
		f := function(t, world, counted(&all, func(linear.AABB) query.Relation { return query.Inside }))
		if n := f.Count(v, query.Filter{}); n != len(objects) || all > 16 {
			t.Errorf("%s: %d calls for all %d objects of %d", name, all, n, len(objects))
		}
	}
}

// An object across the border of bounds is excluded by its own box alone: a test that excludes all boxes in bounds
// keeps it.
func TestFuncAcrossBounds(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	v := plant(t, objects, true).View()
	for _, b := range scene.BoxQueries(objects, 450, 20, 7) {
		want := 0
		for _, o := range objects {
			if b.Overlaps(o.Box) && !b.Contains(o.Box) {
				want++
			}
		}
		f := function(t, b, func(box linear.AABB) query.Relation {
			if b.Contains(box) || !b.Overlaps(box) {
				return query.Outside
			}
			return query.Partly
		})
		if n := f.Count(v, query.Filter{}); n != want || want < 20 {
			t.Errorf("%v: %d objects, want %d", b, n, want)
		}
	}
}

// The zero value finds nothing.
func TestFuncZero(t *testing.T) {
	v := plant(t, testkit.SceneByName(t, "huge").Make(500, 1), false).View()
	var zero query.Func
	if n := zero.Count(v, query.Filter{}); n != 0 || zero.Any(v, query.Filter{}) || zero.Check(v) != nil {
		t.Errorf("the zero Func finds %d objects", n)
	}
	if f := function(t, world, ofBox(world)); f.Bounds() != world || !strings.Contains(f.String(), world.String()) {
		t.Errorf("bounds %v, text %v", f.Bounds(), f)
	}
}

// A test may run other queries, and may panic. One that changes the tree, or returns no relation, ends the query with
// a panic. Later queries are right in any case.
func TestFuncMisbehaves(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := plant(t, objects, false)
	b := scene.BoxQueries(objects, 100, 1, 1)[0]
	calls := 0
	want := function(t, b, counted(&calls, ofBox(b))).Append(nil, tree.View(), query.Filter{})
	if len(want) < 20 || calls < 20 {
		t.Fatalf("%d objects, %d calls", len(want), calls)
	}
	right := func() {
		t.Helper()
		nested := function(t, b, func(box linear.AABB) query.Relation {
			f := function(t, b, ofBox(b))
			if n := f.Count(tree.View(), query.Filter{}); n != len(want) {
				t.Errorf("within a test: %d objects", n)
			}
			return ofBox(b)(box)
		})
		if ids := nested.Append(nil, tree.View(), query.Filter{}); !slices.Equal(ids, want) {
			t.Fatalf("%d objects, want %d", len(ids), len(want))
		}
		testkit.Must(t, tree.Validate())
	}
	panics := func(at int, what func(box linear.AABB) query.Relation) any {
		n := 0
		f := function(t, b, func(box linear.AABB) query.Relation {
			if n++; n == at {
				return what(box)
			}
			return ofBox(b)(box)
		})
		return testkit.Panic(func() { f.Append(nil, tree.View(), query.Filter{}) })
	}
	for at := 1; at <= calls; at++ {
		if said := panics(at, func(linear.AABB) query.Relation { panic("mine") }); said != "mine" {
			t.Fatalf("call %d: the panic of a test became %v", at, said)
		}
		right()
		if said := panics(at, func(linear.AABB) query.Relation { return 7 }); !strings.Contains(fmt.Sprint(said), "Relation 7") {
			t.Fatalf("call %d: the relation 7 gave %v", at, said)
		}
		right()
		said := panics(at, func(linear.AABB) query.Relation {
			testkit.Must(t, tree.Move(0, objects[0].Box))
			return query.Partly
		})
		if said == nil {
			t.Fatalf("call %d: a test moved an object, without a panic", at)
		}
		right()
	}
}

// Check finds a test that breaks the promise.
func TestFuncCheck(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	v := plant(t, objects, false).View()
	b := scene.BoxQueries(objects, 300, 1, 1)[0]
	small := b
	small.Max[0] = b.Center()[0]
	for name, f := range map[string]query.Func{
		"by size, outside": function(t, b, func(box linear.AABB) query.Relation {
			if r := ofBox(b)(box); box.Size()[0] < 20 {
				return r
			}
			return query.Outside
		}),
		"by size, inside": function(t, world, func(box linear.AABB) query.Relation {
			if box.Size()[0] < 20 {
				return query.Partly
			}
			return query.Inside
		}),
		"beyond bounds": function(t, small, ofBox(b)),
	} {
		err := f.Check(v)
		if err == nil || !strings.HasPrefix(err.Error(), "query: the test of a Func") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A shape finds in a tree what its test finds one by one, and its test keeps the promise but for rounding.
func TestShapesInTrees(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 400, 3000), 1)
	v := plant(t, objects, false).View()
	all := v.Bounds()
	r := testkit.Rand(testkit.Seed(t))
	spot := func() (p [3]float32) {
		for a := range p {
			p[a] = all.Min[a] + (all.Max[a]-all.Min[a])*r.Float32()
		}
		return p
	}
	found := 0
	for range testkit.Budget(t, 10, 200) {
		a, b, radius := spot(), spot(), 100*r.Float32()
		capsule, err := query.NewCapsule(a, b, radius)
		testkit.Must(t, err)
		cylinder, err := query.NewCylinder(a, b, radius)
		testkit.Must(t, err)
		cone, err := query.NewCone(a, [3]float32{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, 3*radius, r.Float32())
		testkit.Must(t, err)
		for _, f := range []query.Func{capsule, cylinder, cone} {
			if err := f.Check(v); err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			var want []uint32
			for id, o := range objects {
				if f.Any(plant(t, []soa.Object{o}, false).View(), query.Filter{}) {
					want = append(want, uint32(id))
				}
			}
			got := slices.Sorted(f.All(v, query.Filter{}))
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %d objects, want %d", f, len(got), len(want))
			}
			found += len(got)
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

// BenchmarkFunc is BenchmarkBox with the boxes as functions, and the shapes that fill as much of them.
func BenchmarkFunc(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, results := range []int{8, 450, 25_000} {
				of := map[string][]query.Func{}
				calls := 0
				for _, q := range scene.BoxQueries(objects, results, 1000, 7) {
					of["box"] = append(of["box"], function(b, q, ofBox(q)))
					of["calls"] = append(of["calls"], function(b, q, counted(&calls, ofBox(q))))
					c, top := q.Center(), q.Center()
					c[2], top[2] = q.Min[2], q.Max[2]
					radius := q.Size()[0] / 2
					capsule, err := query.NewCapsule(c, top, radius)
					testkit.Must(b, err)
					cylinder, err := query.NewCylinder(c, top, radius)
					testkit.Must(b, err)
					cone, err := query.NewCone(c, [3]float32{0, 0, 1}, q.Size()[2], 0.5)
					testkit.Must(b, err)
					of["capsule"], of["cylinder"], of["cone"] = append(of["capsule"], capsule), append(of["cylinder"], cylinder), append(of["cone"], cone)
				}
				found := 0
				for i := range of["calls"] {
					found += of["calls"][i].Count(v, query.Filter{})
				}
				for _, kind := range []string{"box", "capsule", "cylinder", "cone"} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/results=%d/of=%s", name, n, results, kind), func(b *testing.B) {
						var dst []uint32
						total, i, k := 0, 0, 0
						b.ReportAllocs()
						for b.Loop() {
							dst = of[kind][k].Append(dst[:0], v, query.Filter{})
							total += len(dst)
							if i, k = i+1, k+1; k == len(of[kind]) {
								k = 0
							}
						}
						b.ReportMetric(float64(total)/float64(i), "results")
						if kind == "box" {
							b.ReportMetric(float64(calls)/float64(found), "tests/result")
						}
					})
				}
			}
		}
	}
}
