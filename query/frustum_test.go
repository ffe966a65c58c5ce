package query_test

import (
	"math"
	"slices"
	"strings"
	"testing"

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

// constructors of frusta and viewports of a matrix with these rows.
func ofRows(rows [4][4]float64, clip query.Clip) (errs []error) {
	var row, col [16]float32
	var row64, col64 [16]float64
	for r := range rows {
		for c, x := range rows[r] {
			row[4*r+c], col[4*c+r] = float32(x), float32(x)
			row64[4*r+c], col64[4*c+r] = x, x
		}
	}
	add := func(_ any, err error) { errs = append(errs, err) }
	at := [3]float64{1e6, 2, 3}
	add(query.FrustumRowMajor(row, clip))
	add(query.FrustumColumnMajor(col, clip))
	add(query.FrustumRowMajor64(row64, clip, at))
	add(query.FrustumColumnMajor64(col64, clip, at))
	add(query.ViewportRowMajor(row, clip, 4, 3))
	add(query.ViewportColumnMajor(col, clip, 4, 3))
	add(query.ViewportRowMajor64(row64, clip, at, 4, 3))
	add(query.ViewportColumnMajor64(col64, clip, at, 4, 3))
	return errs
}

// All constructors reject a matrix without planes, and name the row.
func TestMatrixRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	w := [4]float64{0, 0, -1, 0}
	for _, c := range []struct {
		rows [4][4]float64
		clip query.Clip
		said string // "" if it is taken
	}{
		{[4][4]float64{}, query.ClipZeroToOne, "row 0 (x)"},
		{[4][4]float64{{1}, {0, nan}, {}, {}}, query.ClipZeroToOne, "row 1 (y) of the matrix, [0 NaN 0 0], is not finite"},
		{[4][4]float64{{1}, {0, 1}, {0, 0, 1, -inf}, w}, query.ClipZeroToOne, "row 2 (z)"},
		{[4][4]float64{{1}, {0, 1}, {0, 0, 1}, {inf}}, query.ClipZeroToOne, "row 3 (w)"},
		{[4][4]float64{{0, 0, 0, 7}, {0, 1}, {0, 0, 1}, w}, query.ClipZeroToOne, "row 0 (x) of the matrix, [0 0 0 7], has no normal"},
		{[4][4]float64{{1}, {}, {0, 0, 1}, w}, query.ClipZeroToOne, "row 1 (y)"},
		{[4][4]float64{{1, 2, 3}, {2, 4, 6, 5}, {0, 0, 1}, w}, query.ClipZeroToOne, "rows 0 (x) and 1 (y)"},
		{[4][4]float64{{1e-30}, {0, 1e-30}, {1, 1}, {0, 0, 0, 1}}, query.ClipZeroToOne, "rows 2 (z) and 3 (w)"},
		{[4][4]float64{{1e-30}, {0, 1e-30}, {0, 0, 1e-30}, {0, 0, 0, 1}}, query.ClipZeroToOne, ""},
		{[4][4]float64{{1}, {0, 1}, {0, 0, 0, 0.125}, w}, query.ClipZeroToOne, "near plane of the matrix has no normal, by rows 2 (z), [0 0 0 0.125]"},
		{[4][4]float64{{1}, {0, 1}, {0, 0, 0, 0.1}, w}, query.ClipReversedZ, ""}, // far at infinity
		{[4][4]float64{{1}, {0, 1}, {0, 0, 0, -0.1}, w}, query.ClipReversedZ, "far plane"},
		{[4][4]float64{{1}, {0, 1}, {0, 0, 0, -0.1}, w}, query.ClipReversedZ | query.ClipInfiniteFar, ""},
		{[4][4]float64{{1}, {0, 1}, {0, 0, -1, -0.2}, w}, query.ClipMinusOneToOne, ""}, // far was rounded away
		{[4][4]float64{{0, 0, 1}, {0, 1}, {1}, w}, query.ClipZeroToOne, "left plane of the matrix has no normal, by rows 0 (x)"},
	} {
		for i, err := range ofRows(c.rows, c.clip) {
			if (err == nil) != (c.said == "") || err != nil && (!strings.HasPrefix(err.Error(), "query: ") || !strings.Contains(err.Error(), c.said)) {
				t.Errorf("%v, constructor %d: %v, want %q", c.rows, i, err, c.said)
			}
		}
	}
}

// Of matrices of small whole numbers, where float64 is exact, constructors accept the ones with valid normals, and
// all that have an inverse and planes.
func TestMatrixRank(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	taken, refused := 0, 0
	for range testkit.Budget(t, 5_000, 200_000) {
		var m [4][4]float64
		for i := range m {
			for k := range m[i] {
				m[i][k] = float64([...]int{0, 0, 0, 1, -1, 2}[r.IntN(6)])
			}
		}
		det3 := func(a, b, c [4]float64) float64 {
			return a[0]*(b[1]*c[2]-b[2]*c[1]) - a[1]*(b[0]*c[2]-b[2]*c[0]) + a[2]*(b[0]*c[1]-b[1]*c[0])
		}
		good := det3(m[0], m[1], m[2]) != 0 || det3(m[0], m[1], m[3]) != 0
		plane := func(row int, sign float64, holds bool) {
			none := true
			for k := range 3 {
				none = none && m[3][k]+sign*m[row][k] == 0
			}
			if none && !(holds && m[3][3]+sign*m[row][3] >= 0) {
				good = false
			}
		}
		plane(0, 1, false)
		plane(0, -1, false)
		plane(1, 1, false)
		plane(1, -1, false)
		plane(2, 1, false)
		plane(2, -1, true)
		for i, err := range ofRows(m, query.ClipMinusOneToOne) {
			if (err == nil) != good {
				t.Fatalf("%v, constructor %d: %v, want taken: %v", m, i, err, good)
			}
		}
		if good {
			taken++
		} else {
			refused++
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}
