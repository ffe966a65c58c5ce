package input_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The data sets named by ZOCTREE_DATA, built and queried. The numbers were published with them, or counted
// by brute force in float64 without this library.

// grove reads a file and returns its objects and trees of them: one with room, one frozen, and one with a
// third of the objects inserted later.
func grove(t *testing.T, file string, opt input.Options, count int) (*input.Data, []*linear.Tree) {
	t.Helper()
	path := testkit.Data(t, file)
	if testing.Short() {
		t.Skip("-short")
	}
	data := must.Get(input.Read(path, opt))
	if len(data.Objects) != count {
		t.Fatalf("%d objects, want %d", len(data.Objects), count)
	}
	var trees []*linear.Tree
	for form := range 3 {
		tree := must.Get(linear.New(linear.Config{PendingMin: 1000}))
		cut := count
		if form == 2 {
			cut -= count / 3
		}
		ids := make([]uint32, 0, count)
		for _, batch := range [][]soa.Object{data.Objects[:cut], data.Objects[cut : count-min(900, count-cut)], data.Objects[count-min(900, count-cut):]} {
			ids = must.Get(tree.InsertBatch(ids, batch))
			tree.View() // inserts the objects that are pending: all but the last 900
		}
		if form == 1 {
			must.Do(tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
		}
		if form == 2 && tree.Stats().Pending != 900 {
			t.Fatalf("%d objects are pending, want 900", tree.Stats().Pending)
		}
		must.Do(tree.Validate())
		for i, id := range ids {
			if o, ok := tree.Object(id); id != uint32(i) || !ok || o != data.Objects[i] {
				t.Fatalf("object %d has ID %d and is %+v, %v", i, id, o, ok)
			}
		}
		trees = append(trees, tree)
	}
	bounds, total := soa.Empty(), 0
	for c := range trees[0].Cells() {
		bounds = bounds.Union(c.Tight)
		total += c.Count
	}
	if bounds != data.Bounds || total != count {
		t.Errorf("cells hold %d objects in %v, want %d in %v", total, bounds, count, data.Bounds)
	}
	return data, trees
}

// slabs returns the frustum of the box from lo to hi, rounded outward.
func slabs(t *testing.T, lo, hi [3]float64) query.Frustum {
	t.Helper()
	up := func(x float64) float32 { // at least x
		f := float32(x)
		if float64(f) < x {
			f = math.Nextafter32(f, math.MaxFloat32)
		}
		return f
	}
	var planes [6][4]float32
	for a := range 3 {
		planes[2*a][a], planes[2*a][3] = 1, up(-lo[a])
		planes[2*a+1][a], planes[2*a+1][3] = -1, up(hi[a])
	}
	f := must.Get(query.FrustumPlanes(planes))
	return f
}

// inBox counts the objects that intersect the box from lo to hi exactly, which need not be a box of
// float32: a frustum finds them and some more, by no more than the rounding bound in its documentation.
func inBox(t *testing.T, tree *linear.Tree, lo, hi [3]float64, want int) {
	t.Helper()
	f := slabs(t, lo, hi)
	v := tree.View()
	extent := v.Store().Extent
	testkit.EachTier(t, func(t *testing.T) {
		exact := 0
		answer := f.Append(nil, v, query.Filter{})
		for _, id := range answer {
			o, _ := tree.Object(id)
			inside, gap := true, 0.0
			for a := range 3 {
				out := max(lo[a]-float64(o.Box.Max[a]), float64(o.Box.Min[a])-hi[a])
				inside = inside && out <= 0
				gap = max(gap, out/(math.Abs(lo[a])+math.Abs(hi[a])+float64(extent[a])))
			}
			if inside {
				exact++
			}
			if gap > 0x10p-24 {
				t.Errorf("object %d, %v, is %v of the extent outside", id, o.Box, gap)
			}
		}
		if exact != want {
			t.Errorf("%d of the %d found are in %v .. %v, want %d", exact, len(answer), lo, hi, want)
		}
		if n := f.Count(v, query.Filter{}); n != len(answer) {
			t.Errorf("Count %d, Append %d", n, len(answer))
		}
	})
}

// inCube is inBox for the cube of a half-edge about a centre.
func inCube(t *testing.T, tree *linear.Tree, c [3]float64, half float64, want int) {
	t.Helper()
	var lo, hi [3]float64
	for a := range 3 {
		lo[a], hi[a] = c[a]-half, c[a]+half
	}
	inBox(t, tree, lo, hi, want)
}

func TestDataDragonVertices(t *testing.T) {
	_, trees := grove(t, "stanford_dragon.ply.gz", input.Options{Points: true}, 437_645)
	for _, tree := range trees {
		inCube(t, tree, [3]float64{0, 0.12, 0}, 0.0301234, 40_681)
	}
}

// The boxes that two rays along an axis hit.
func TestDataDragonTriangles(t *testing.T) {
	_, trees := grove(t, "stanford_dragon.ply.gz", input.Options{}, 871_414)
	for _, tree := range trees {
		inBox(t, tree, [3]float64{-1, 0.1234567, -0.0012345}, [3]float64{1, 0.1234567, -0.0012345}, 16)
		inBox(t, tree, [3]float64{0.0123457, -1, 0.0023457}, [3]float64{0.0123457, 1, 0.0023457}, 7)
	}
}

func TestDataTerrain(t *testing.T) {
	_, trees := grove(t, "isprs_csite1_red1.pcd", input.Options{}, 522_674)
	for _, tree := range trees {
		inCube(t, tree, [3]float64{512600, 5403580, 300}, 25.0123, 149)
		inCube(t, tree, [3]float64{512600, 5403580, 300}, 100.0123, 22_655)
	}
}

func TestDataAircraft(t *testing.T) {
	_, trees := grove(t, "adsb_switzerland_20180801.csv.gz", input.Options{}, 139_098)
	for _, tree := range trees {
		inCube(t, tree, [3]float64{0, 0, 10000}, 20000.123, 2_626)
	}
}

// A frustum for each polygon's box finds the pairs that overlap.
func TestDataTown(t *testing.T) {
	names := [4]string{"minx", "miny", "maxx", "maxy"}
	data, trees := grove(t, "osm_bad_hersfeld_polygons.csv.gz", input.Options{Columns: names[:]}, 12_746)
	var column [4][]float64
	for i, name := range names {
		column[i] = data.Cloud.Columns[name]
	}
	overlap := func(i, j uint32) bool {
		return column[0][i] <= column[2][j] && column[0][j] <= column[2][i] &&
			column[1][i] <= column[3][j] && column[1][j] <= column[3][i]
	}
	var found []uint32
	for _, tree := range trees {
		v := tree.View()
		pairs := 0
		for i := range uint32(len(data.Objects)) {
			f := slabs(t, [3]float64{column[0][i], column[1][i]}, [3]float64{column[2][i], column[3][i]})
			found = f.Append(found[:0], v, query.Filter{})
			for _, j := range found {
				if i < j && overlap(i, j) {
					pairs++
				}
			}
		}
		if pairs != 60_211 {
			t.Errorf("%d pairs overlap, want 60211", pairs)
		}
	}
}
