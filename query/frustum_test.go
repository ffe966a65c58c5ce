package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Short names for the inputs of nearly every test.
type forest = trees.Forest

var plant, plantAll, treeForms = trees.Plant, trees.PlantAll, trees.Forms

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

var filters = []query.Filter{
	{}, {Mask: 1}, {Mask: 0x14}, {Mask: 1 << 31}, {Motion: query.MovingOnly}, {Motion: query.StaticOnly},
	{Mask: 6, Motion: query.MovingOnly}, {Only: testkit.SomeLive(100)}, {Mask: 3, Only: testkit.SomeLive(2000)},
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
			want := frustum(t, cam.Planes())
			m := cam.ViewProjection32(from)
			column, err := query.FrustumColumnMajor(m, to)
			testkit.Must(t, err)
			var transposed [16]float32
			for k := range m {
				transposed[k%4*4+k/4] = m[k]
			}
			row, err := query.FrustumRowMajor(transposed, to)
			testkit.Must(t, err)
			if row != column {
				t.Fatalf("camera %d, clip %v: rows and columns give other planes", i, from)
			}
			own, err := query.Camera{
				Eye: cam.Eye, Forward: cam.Forward, Up: cam.Up, FovY: math.Pi / 3, Aspect: 16.0 / 9,
				Near: cam.Near, Far: cam.Far,
			}.Frustum()
			testkit.Must(t, err)
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

// Matrices and cameras that are no frustum are rejected.
func TestFrustumErrors(t *testing.T) {
	for _, x := range []float32{float32(math.NaN()), infinity, -infinity} {
		for i := range 16 {
			var m [16]float32
			m[i] = x
			_, err := query.FrustumColumnMajor(m, query.ClipZeroToOne)
			refuse(t, err)
		}
	}
	good := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 2}
	if _, err := good.Frustum(); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]func(*query.Camera){
		"no direction": func(c *query.Camera) { c.Forward = [3]float64{} },
		"up along":     func(c *query.Camera) { c.Up = [3]float64{3, 0, 0} },
	} {
		c := good
		bad(&c)
		if _, err := c.Frustum(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
