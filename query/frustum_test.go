package query_test

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Short names for the inputs of nearly every test.
type forest = trees.Forest

var plant, plantAll, treeForms = trees.Plant, trees.PlantAll, trees.Forms

// treeSizes are numbers of objects around a lane, a packet and a leaf, then a larger one. In the normal form scenes
// take turns with the small ones.
func treeSizes(t testing.TB, number, normal, long int) []int {
	small := testkit.Turn(t, number, []int{0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000})
	return append(small, testkit.Budget(t, normal, long))
}

// volume is the interface of all volume queries.
type volume interface {
	Append([]uint32, linear.View, query.Filter) []uint32
	Count(linear.View, query.Filter) int
	Any(linear.View, query.Filter) bool
	Ranges(linear.View, query.Filter, func(query.Range) bool)
}

// forms runs every form and fails unless they agree. It returns the results in the order given.
func forms(t testing.TB, q volume, all func(func(uint32) bool), v linear.View, flt query.Filter) []uint32 {
	ids := q.Append([]uint32{7, 8}, v, flt)
	if ids[0] != 7 || ids[1] != 8 {
		t.Helper()
		t.Fatal("Append changed what was there before")
	}
	ids = ids[2:]
	if n := q.Count(v, flt); n != len(ids) {
		t.Helper()
		t.Errorf("Count %d, Append gave %d", n, len(ids))
	}
	if any := q.Any(v, flt); any != (len(ids) > 0) {
		t.Helper()
		t.Errorf("Any %v, Append gave %d", any, len(ids))
	}
	yielded, ranged := make([]uint32, 0, len(ids)), make([]uint32, 0, len(ids))
	all(func(id uint32) bool { yielded = append(yielded, id); return true })
	if !slices.Equal(yielded, ids) {
		t.Helper()
		testkit.SameIDs(t, yielded, ids)
	}
	q.Ranges(v, flt, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			for l, id := range v.IDs(slot) {
				if r.Mask == 0 || r.Mask>>l&1 != 0 {
					ranged = append(ranged, id)
				}
			}
		}
		return true
	})
	if !slices.Equal(ranged, ids) {
		t.Helper()
		testkit.SameIDs(t, ranged, ids)
	}
	return ids
}

// keep returns the hits that a filter keeps.
func keep(objects []soa.Object, hits []int, f query.Filter) (kept []int) {
	for _, i := range hits {
		if passes(f, uint32(i), &objects[i]) {
			kept = append(kept, i)
		}
	}
	return kept
}

var filters = []query.Filter{
	{}, {Mask: 1}, {Mask: 0x14}, {Mask: 1 << 31}, {Motion: query.MovingOnly}, {Motion: query.StaticOnly},
	{Mask: 6, Motion: query.MovingOnly}, {Only: someLive(100)}, {Mask: 3, Only: someLive(2000)},
}

// Every scene, size and tier: the results are those of the reference, no object inside by definition is lost, all
// forms agree, and tiers agree on the order.
func TestFrustum(t *testing.T) {
	cameras := testkit.Budget(t, 8, 60)
	seed := testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		for _, n := range treeSizes(t, i, 3000, 30_000) {
			t.Run(fmt.Sprintf("%s/n=%d", sc.Name, n), func(t *testing.T) {
				objects := sc.Make(n, seed)
				f := plantAll(t, objects)
				tests := scene.EdgeFrusta(objects)
				each := cameras / 4
				for _, share := range []float64{0.001, 0.01, 0.1, 0.5} {
					for i, c := range scene.Cameras(objects, share, each, seed) {
						tests = append(tests, scene.Frustum{Name: fmt.Sprintf("%v of all, %d", share, i), Planes: c.Planes()})
					}
				}
				testFrusta(t, f, tests)
			})
		}
	}
}

// testFrusta queries every tree on every tier: one tree in all forms, and with a filter one.
func testFrusta(t *testing.T, f forest, tests []scene.Frustum) {
	t.Helper()
	orders := make([][][]uint32, len(treeForms)) // of the first tier
	references := make([][][]int, len(treeForms))
	for _, test := range tests {
		one := testkit.ReferenceFrustum(f.Objects, test.Planes)
		testkit.NothingLost(t, one, testkit.DefinitionFrustum(f.Objects, test.Planes))
		for i, form := range treeForms {
			reference := one
			if s := f.Trees[form].View().Store(); s.Near != s.Extent {
				reference = testkit.ReferenceFrustumBounds(f.Objects, test.Planes, s.Near, s.Extent)
			}
			references[i] = append(references[i], reference)
		}
	}
	testkit.EachTier(t, func(t *testing.T) {
		for i, form := range treeForms {
			v := f.Trees[form].View()
			for k, test := range tests {
				flt, reference, q := filters[k%len(filters)], references[i][k], frustum(t, test.Planes)
				got := q.Append(nil, v, query.Filter{})
				if i == k%len(treeForms) {
					got = forms(t, q, q.All(v, query.Filter{}), v, query.Filter{})
				}
				if k < len(orders[i]) {
					testkit.SameIDs(t, got, orders[i][k])
				} else {
					orders[i] = append(orders[i], got)
					testkit.SameIDs(t, slices.Sorted(slices.Values(got)), reference)
				}
				if filtering(flt) && i == k/2%len(treeForms) {
					got := forms(t, q, q.All(v, flt), v, flt)
					testkit.SameIDs(t, slices.Sorted(slices.Values(got)), keep(f.Objects, reference, flt))
				}
				if t.Failed() {
					saveFrustum(t, f.Trees[form], test.Planes, reference)
					t.Fatalf("%s, tree %s, filter %+v", test.Name, form, flt)
				}
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
}

// saveFrustum saves a picture of a result, and marks the differences from the reference.
func saveFrustum(t *testing.T, tree *linear.Tree, planes [6][4]float32, reference []int) {
	testkit.Save(t, "frustum.svg", func(w io.Writer) error {
		f, err := query.FrustumPlanes(planes)
		if err != nil {
			return err
		}
		trace, err := show.TraceQuery(f, tree.View(), query.Filter{})
		if err != nil {
			return err
		}
		trace.Against(reference)
		return show.Scene{Kind: show.Overview, View: tree.View(), About: t.Name(), Width: 1200, Trace: trace}.SVG(w)
	})
}

// Matrices of every convention give the planes of their camera.
func TestFrustumFromMatrices(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	v := plant(t, objects, true).View()
	clips := map[scene.Clip]query.Clip{
		scene.ClipMinusOneToOne:    query.ClipMinusOneToOne,
		scene.ClipZeroToOne:        query.ClipZeroToOne,
		scene.ClipReversed:         query.ClipReversedZ,
		scene.ClipInfinite:         query.ClipZeroToOne | query.ClipInfiniteFar,
		scene.ClipReversedInfinite: query.ClipReversedZ | query.ClipInfiniteFar,
	}
	for i, c := range scene.Cameras(objects, 0.1, 20, 3) {
		for from, to := range clips {
			cam := c
			if to&query.ClipInfiniteFar != 0 {
				cam.Far = math.Inf(1)
			}
			want, err := query.FrustumPlanes(cam.Planes())
			if err != nil {
				t.Fatal(err)
			}
			m := cam.ViewProjection32(from)
			column, err := query.FrustumColumnMajor(m, to)
			if err != nil {
				t.Fatal(err)
			}
			var transposed [16]float32
			for k := range m {
				transposed[k%4*4+k/4] = m[k]
			}
			row, err := query.FrustumRowMajor(transposed, to)
			if err != nil {
				t.Fatal(err)
			}
			if row != column {
				t.Fatalf("camera %d, clip %v: rows and columns give other planes", i, from)
			}
			own, err := query.Camera{
				Eye: cam.Eye, Forward: cam.Forward, Up: cam.Up, FovY: math.Pi / 3, Aspect: 16.0 / 9,
				Near: cam.Near, Far: cam.Far,
			}.Frustum()
			if err != nil {
				t.Fatal(err)
			}
			// A matrix in float32 moves the planes a little: compare sets by
			// their size.
			w := want.Count(v, query.Filter{})
			for name, f := range map[string]query.Frustum{"matrix": column, "camera": own} {
				n := f.Count(v, query.Filter{})
				if d := math.Abs(float64(n - w)); d > 3+0.01*float64(w) {
					t.Errorf("camera %d, clip %v: the %s sees %d, its planes %d", i, from, name, n, w)
				}
			}
		}
	}
}

// Planes that are no frustum are rejected, with the numbers in the error.
func TestFrustumErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range []float32{nan, inf, -inf} {
		for i := range 24 {
			var p [6][4]float32
			p[i/4][i%4] = x
			if _, err := query.FrustumPlanes(p); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("plane %d", i/4)) {
				t.Fatalf("plane %d with %v: error %v", i/4, x, err)
			}
		}
		for i := range 16 {
			var m [16]float32
			m[i] = x
			if _, err := query.FrustumColumnMajor(m, query.ClipZeroToOne); err == nil {
				t.Fatalf("matrix element %d is %v: no error", i, x)
			}
		}
	}
	if _, err := query.FrustumColumnMajor([16]float32{}, 77); err == nil {
		t.Error("clip range 77: no error")
	}
	good := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 2}
	if _, err := good.Frustum(); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]func(*query.Camera){
		"no direction":    func(c *query.Camera) { c.Forward = [3]float64{} },
		"up along":        func(c *query.Camera) { c.Up = [3]float64{3, 0, 0} },
		"NaN eye":         func(c *query.Camera) { c.Eye[1] = math.NaN() },
		"infinite eye":    func(c *query.Camera) { c.Eye[1] = math.Inf(1) },
		"no field":        func(c *query.Camera) { c.FovY = 0 },
		"half turn":       func(c *query.Camera) { c.FovY = math.Pi },
		"no aspect":       func(c *query.Camera) { c.Aspect = 0 },
		"negative near":   func(c *query.Camera) { c.Near = -1 },
		"far before near": func(c *query.Camera) { c.Far = 0.5 },
		"NaN far":         func(c *query.Camera) { c.Far = math.NaN() },
	} {
		c := good
		bad(&c)
		if _, err := c.Frustum(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// No form of a query allocates, except to grow the caller's slice.
func TestFrustumAllocatesNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 4000, 50_000), 1)
	f := plantAll(t, objects)
	cams := scene.Cameras(objects, 0.1, 20, 3)
	for form, tree := range f.Trees {
		v := tree.View()
		dst := make([]uint32, 0, len(objects)+soa.Lanes)
		for _, flt := range filters {
			sum := 0
			testkit.Allocs(t, 5, func() {
				for _, c := range cams {
					q, err := query.FrustumPlanes(c.Planes())
					if err != nil {
						t.Error(err)
					}
					dst = q.Append(dst[:0], v, flt)
					sum += len(dst) - q.Count(v, flt)
					if !q.Any(v, flt) && len(dst) > 0 {
						sum++
					}
					for id := range q.All(v, flt) {
						sum += int(id) * 0
					}
					q.Ranges(v, flt, func(r query.Range) bool { sum += int(r.First) * 0; return true })
				}
			})
			if sum != 0 {
				t.Errorf("tree %s, filter %+v: Append, Count and Any differ", form, flt)
			}
		}
	}
}

// Iterations stop when the loop does, and panic when the tree changes.
func TestFrustumIteration(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	for _, form := range treeForms {
		tree := plantAll(t, objects).Trees[form]
		v := tree.View()
		var q query.Frustum // everything
		if n := q.Count(v, query.Filter{}); n != len(objects) {
			t.Fatalf("the zero frustum holds %d of %d", n, len(objects))
		}
		n := 0
		for range q.All(v, query.Filter{}) {
			if n++; n == 10 {
				break
			}
		}
		ranges := 0
		q.Ranges(v, query.Filter{Mask: 1}, func(query.Range) bool { ranges++; return ranges < 3 })
		if n != 10 || ranges != 3 {
			t.Errorf("stopped after %d IDs and %d ranges", n, ranges)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a change during an iteration did not panic")
				}
			}()
			for range q.All(v, query.Filter{}) {
				if _, err := tree.InsertBatch(nil, objects[:1]); err != nil {
					t.Fatal(err)
				}
			}
		}()
	}
}

// Readers do not disturb each other.
func TestFrustumConcurrently(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(20_000, 1)
	v := plant(t, objects, false).View()
	var planes [][6][4]float32
	var want [][]int
	for _, c := range scene.Cameras(objects, 0.05, 20, 3) {
		planes = append(planes, c.Planes())
		want = append(want, testkit.ReferenceFrustum(objects, c.Planes()))
	}
	done := make(chan bool)
	for g := range 8 {
		go func() {
			defer func() { done <- true }()
			var dst []uint32
			for i := range planes {
				k := (i + g) % len(planes)
				q, err := query.FrustumPlanes(planes[k])
				if err != nil {
					t.Error(err)
					return
				}
				dst = q.Append(dst[:0], v, query.Filter{})
				slices.Sort(dst)
				if !testkit.SameIDs(t, dst, want[k]) {
					return
				}
			}
		}()
	}
	for range 8 {
		<-done
	}
}
