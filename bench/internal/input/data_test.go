package input_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// The data sets named by ZOCTREE_DATA, built and queried on every tier. The numbers were published with them, or
// counted by brute force in float64 without this library. Counts are of the exact results: the library's, which
// may hold a little more, are tested again in float64.

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

// gapOf returns the distance from a point to a box.
func gapOf(p [3]float64, b soa.AABB) float64 {
	sum := 0.0
	for a := range 3 {
		d := max(float64(b.Min[a])-p[a], p[a]-float64(b.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// counted runs a query on each tier and counts the objects that excess finds to be exact results, 0 or less. Other
// results exceed by most at the most.
func counted(t *testing.T, tree *linear.Tree, ask func(v linear.View) []uint32, excess func(b soa.AABB) float64, most float64, want int) {
	t.Helper()
	v := tree.View()
	testkit.EachTier(t, func(t *testing.T) {
		exact, answer := 0, ask(v)
		for _, id := range answer {
			o, _ := tree.Object(id)
			by := excess(o.Box)
			if by <= 0 {
				exact++
			}
			if by > most {
				t.Errorf("object %d, %v, is %v outside", id, o.Box, by)
			}
		}
		if exact != want {
			t.Errorf("%d of the %d found are results, want %d", exact, len(answer), want)
		}
	})
}

// inSphere counts the objects within r of c.
func inSphere(t *testing.T, tree *linear.Tree, c [3]float64, r float64, want int) {
	t.Helper()
	q := must.Get(query.NewSphere64(c, r, [3]float64{}))
	counted(t, tree, func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) },
		func(b soa.AABB) float64 { return gapOf(c, b)/r - 1 }, 1e-5, want)
}

// inBox counts the objects that intersect the box from lo to hi exactly, which need not be a box of
// float32: by a frustum, which finds them and some more, by no more than the rounding bound in its documentation.
func inBox(t *testing.T, tree *linear.Tree, lo, hi [3]float64, want int) {
	t.Helper()
	f := slabs(t, lo, hi)
	extent := tree.View().Store().Extent
	counted(t, tree, func(v linear.View) []uint32 {
		ids := f.Append(nil, v, query.Filter{})
		if n := f.Count(v, query.Filter{}); n != len(ids) {
			t.Errorf("Count %d, Append %d", n, len(ids))
		}
		return ids
	}, func(b soa.AABB) float64 {
		most := math.Inf(-1)
		for a := range 3 {
			out := max(lo[a]-float64(b.Max[a]), float64(b.Min[a])-hi[a])
			most = max(most, out/(math.Abs(lo[a])+math.Abs(hi[a])+float64(extent[a])))
		}
		return most
	}, 0x10p-24, want)
}

// inCube counts the objects that intersect a cube exactly, by a frustum and by a box.
func inCube(t *testing.T, tree *linear.Tree, c [3]float64, half float64, want int) {
	t.Helper()
	var lo, hi [3]float64
	for a := range 3 {
		lo[a], hi[a] = c[a]-half, c[a]+half
	}
	inBox(t, tree, lo, hi, want)
	q := must.Get(query.NewBox64(lo, hi, [3]float64{}))
	counted(t, tree, func(v linear.View) []uint32 { return slices.Collect(q.All(v, query.Filter{})) }, func(b soa.AABB) (most float64) {
		for a := range 3 {
			most = max(most, lo[a]-float64(b.Max[a]), float64(b.Min[a])-hi[a])
		}
		return most
	}, math.Inf(1), want)
}

// nearestAre compares the distances of the nearest objects.
func nearestAre(t *testing.T, tree *linear.Tree, p [3]float32, want ...float64) {
	t.Helper()
	v := tree.View()
	testkit.EachTier(t, func(t *testing.T) {
		near, err := query.AppendNearest(nil, v, p, len(want), float32(math.Inf(1)), query.Filter{})
		if err != nil || len(near) != len(want) {
			t.Fatalf("%d neighbours, %v", len(near), err)
		}
		for i, n := range near {
			if d := float64(n.Dist()); math.Abs(d-want[i]) > 2e-5*want[i] {
				t.Errorf("neighbour %d of %v is %v away, want %v", i, p, d, want[i])
			}
		}
	})
}

func TestDataPoints(t *testing.T) {
	type ball struct {
		center       [3]float64
		radius       float64
		sphere, cube int // results of both
	}
	for _, set := range []struct {
		file  string
		opt   input.Options
		count int
		balls []ball
		near  []float64 // distances of the objects nearest to the centre
	}{
		{"stanford_dragon.ply.gz", input.Options{Points: true}, 437_645,
			[]ball{{[3]float64{0, 0.12, 0}, 0.0301234, 18_859, 40_681}},
			[]float64{0.000245142, 0.000343115, 0.000498635, 0.00053296, 0.000536421}},
		{"isprs_csite1_red1.pcd", input.Options{}, 522_674,
			[]ball{{[3]float64{512600, 5403580, 300}, 25.0123, 0, 149}, {[3]float64{512600, 5403580, 300}, 100.0123, 14_134, 22_655}},
			[]float64{25.3341, 25.5432, 25.6555, 25.674, 25.9741, 26.4814, 26.5352, 27.2223}},
		{"adsb_switzerland_20180801.csv.gz", input.Options{}, 139_098,
			[]ball{{[3]float64{0, 0, 10000}, 20000.123, 2_059, 2_626}}, nil},
	} {
		t.Run(set.file, func(t *testing.T) {
			_, trees := grove(t, set.file, set.opt, set.count)
			for _, tree := range trees {
				for _, b := range set.balls {
					inSphere(t, tree, b.center, b.radius, b.sphere)
					inCube(t, tree, b.center, b.radius, b.cube)
				}
				c := set.balls[0].center
				nearestAre(t, tree, [3]float32{float32(c[0]), float32(c[1]), float32(c[2])}, set.near...)
			}
		})
	}
}

// triangleHit returns the position at which a ray hits a triangle (T. Möller, B. Trumbore, Fast, Minimum
// Storage Ray/Triangle Intersection, 1997), in float64.
func triangleHit(from, dir, a, b, c [3]float64) (at float64, ok bool) {
	sub := func(p, q [3]float64) [3]float64 { return [3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }
	cross := func(p, q [3]float64) [3]float64 {
		return [3]float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
	}
	dot := func(p, q [3]float64) float64 { return p[0]*q[0] + p[1]*q[1] + p[2]*q[2] }
	e1, e2 := sub(b, a), sub(c, a)
	h := cross(dir, e2)
	det := dot(e1, h)
	if det == 0 {
		return 0, false
	}
	s := sub(from, a)
	u := dot(s, h) / det
	q := cross(s, e1)
	w := dot(dir, q) / det
	at = dot(e2, q) / det
	return at, u >= 0 && w >= 0 && u+w <= 1 && at >= 0
}

// The triangles that two rays along an axis hit, by way of their boxes: the nearest triangle need not have
// the nearest box, so all hits are needed. Frusta find the boxes that the rays hit.
func TestDataTriangles(t *testing.T) {
	data, trees := grove(t, "stanford_dragon.ply.gz", input.Options{}, 871_414)
	for _, tree := range trees {
		inBox(t, tree, [3]float64{-1, 0.1234567, -0.0012345}, [3]float64{1, 0.1234567, -0.0012345}, 16)
		inBox(t, tree, [3]float64{0.0123457, -1, 0.0023457}, [3]float64{0.0123457, 1, 0.0023457}, 7)
	}
	type fact struct {
		triangle uint32
		at       float64
	}
	corner := func(k uint32) (p [3]float64) {
		for a, x := range data.Cloud.Points[k] {
			p[a] = float64(x)
		}
		return p
	}
	for _, ray := range []struct {
		from, dir [3]float64
		boxes     int
		want      []fact
	}{
		{[3]float64{-1, 0.1234567, -0.0012345}, [3]float64{1, 0, 0}, 16,
			[]fact{{562448, 0.931584864}, {556259, 0.960801588}, {562454, 0.992580539}, {562461, 1.00604294}}},
		{[3]float64{0.0123457, 1, 0.0023457}, [3]float64{0, -1, 0}, 7,
			[]fact{{609690, 0.934668688}, {614389, 0.936306521}}},
	} {
		var from, dir [3]float32
		for a := range 3 {
			from[a], dir[a] = float32(ray.from[a]), float32(ray.dir[a])
		}
		q := must.Get(query.NewRay(from, dir, float32(math.Inf(1))))
		for _, tree := range trees {
			v := tree.View()
			testkit.EachTier(t, func(t *testing.T) {
				hits := q.Append(nil, v, query.Filter{})
				if len(hits) != ray.boxes {
					t.Errorf("the ray intersects %d boxes, want %d", len(hits), ray.boxes)
				}
				var got []fact
				last := float32(0)
				for _, h := range hits {
					if h.Dist < last {
						t.Errorf("hits are not in the order of distance")
					}
					last = h.Dist
					f := data.Cloud.Face(int(h.ID))
					if at, ok := triangleHit(ray.from, ray.dir, corner(f[0]), corner(f[1]), corner(f[2])); ok {
						got = append(got, fact{h.ID, at})
						if float64(h.Dist) > at*(1+2e-5) {
							t.Errorf("the ray enters triangle %d at %v, its box at %v", h.ID, at, h.Dist)
						}
					}
				}
				for _, w := range ray.want {
					found := false
					for _, g := range got {
						found = found || g.triangle == w.triangle && math.Abs(g.at-w.at) <= 2e-5*w.at
					}
					if !found {
						t.Errorf("triangle %d at %v is not among %v", w.triangle, w.at, got)
					}
				}
				if len(got) != len(ray.want) {
					t.Errorf("the ray intersects the triangles %v, want %v", got, ray.want)
				}
			})
		}
	}
}

// The overlapping polygons of the town, z ignored: the library returns the pairs of its boxes, which are
// rounded outward; 60,211 of these pairs overlap in float64, and no others do.
func TestDataTown(t *testing.T) {
	names := [4]string{"minx", "miny", "maxx", "maxy"}
	data, trees := grove(t, "osm_bad_hersfeld_polygons.csv.gz", input.Options{Columns: names[:]}, 12_746)
	var column [4][]float64
	for i, name := range names {
		column[i] = data.Cloud.Columns[name]
	}
	overlap := func(i, j int) bool {
		return column[0][i] <= column[2][j] && column[0][j] <= column[2][i] &&
			column[1][i] <= column[3][j] && column[1][j] <= column[3][i]
	}
	const published = 60_211
	all := 0
	for i := range data.Objects {
		for j := range i {
			if overlap(i, j) {
				all++
			}
		}
	}
	if all != published {
		t.Errorf("%d pairs overlap in float64, want %d", all, published)
	}
	var want []collide.Pair
	for _, p := range testkit.ReferencePairs(data.Objects) {
		want = append(want, collide.Pair{A: uint32(p.A), B: uint32(p.B)})
	}
	var found []uint32
	for _, tree := range trees {
		v := tree.View()
		pairs := 0
		for i := range data.Objects {
			f := slabs(t, [3]float64{column[0][i], column[1][i]}, [3]float64{column[2][i], column[3][i]})
			found = f.Append(found[:0], v, query.Filter{})
			for _, j := range found {
				if i < int(j) && overlap(i, int(j)) {
					pairs++
				}
			}
		}
		if pairs != published {
			t.Errorf("%d pairs overlap by a frustum for each polygon, want %d", pairs, published)
		}
		testkit.EachTier(t, func(t *testing.T) {
			got := collide.Append(nil, collide.Within(v), collide.Filter{})
			exact := 0
			for _, p := range got {
				if overlap(int(p.A), int(p.B)) {
					exact++
				}
			}
			if exact != published {
				t.Errorf("%d of %d pairs overlap in float64, want %d", exact, len(got), published)
			}
			slices.SortFunc(got, func(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
			if !slices.Equal(got, want) {
				t.Errorf("%d pairs, the double loop over the rounded boxes finds %d, or others", len(got), len(want))
			}
		})
	}
}
