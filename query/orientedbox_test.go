package query_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// orientedQueries returns oriented boxes that are hard for the objects: turned ones in boxes of queries, in objects
// and around them, flat ones, and one around all objects.
func orientedQueries(r *rand.Rand, objects []soa.Object, n int) (list []soa.OrientedBox) {
	var boxes []soa.AABB
	for _, answers := range []int{2, 30, 1000} {
		boxes = append(boxes, scene.BoxQueries(objects, answers, n, r.Uint64())...)
	}
	if len(objects) > 0 {
		boxes = append(boxes, scene.Bounds(objects), objects[r.IntN(len(objects))].Box)
	}
	for _, b := range boxes {
		b = finiteBox(b)
		o := testkit.OrientedIn(r, b)
		for range r.IntN(2) { // so that it has twice the size, and touches things elsewhere
			for i := range 3 {
				for k := range 3 {
					o.Axes[i][k] *= 2
				}
			}
		}
		if o.Check() == nil && o.Box().Check() == nil {
			list = append(list, o)
		}
	}
	return append(list, soa.OrientedBox{})
}

// meetsTurned reports whether a box shares a point with an oriented one in exact arithmetic; sure is false where
// float64 cannot decide.
func meetsTurned(x *testkit.Turned, b soa.AABB, outer soa.AABB) (meets, sure bool) {
	if !b.Overlaps(outer) {
		return false, true
	}
	for k := range 3 { // points beyond it do not count
		b.Min[k], b.Max[k] = max(b.Min[k], outer.Min[k]), min(b.Max[k], outer.Max[k])
	}
	y := testkit.TurnedBox(b)
	gap, _ := x.Gap(&y)
	size := sizeOf(outer.Min[:]...) + sizeOf(outer.Max[:]...)
	if math.Abs(gap) > size*0x1p-42 {
		return gap < 0, true
	}
	return testkit.SlabsMeet(append(x.Slabs(), testkit.BoxSlabs(b)...)), false
}

// The rounded planes of the walk hold slivers outside the box. They are in no result, whether or not a part of the
// tree lies wholly in there: the result is that of the boxes alone. Far from the origin slivers are wide.
func TestOrientedBoxSliver(t *testing.T) {
	const far = 1 << 20
	testkit.EachTier(t, func(t *testing.T) {
		r := testkit.Rand(5)
		b := soa.OrientedBox{Center: [3]float32{far, far, far}, Axes: [3][3]float32{{40, 30, 0}, {-30, 40, 0}, {0, 0, 50}}}
		x := testkit.TurnedOf(b)
		for _, n := range []int{40, 4000} {
			objects := make([]soa.Object, n)
			for i := range objects { // points about the face of the first axis
				var p [3]float32
				s, u := r.Float64()*1.6-0.8, r.Float64()*1.6-0.8
				off := 1 + 0.01*(r.Float64()-0.3)
				for k := range 3 {
					p[k] = float32(x.Center[k] + off*x.Axes[0][k] + s*x.Axes[1][k] + u*x.Axes[2][k])
				}
				objects[i].Box = soa.AABB{Min: p, Max: p}
			}
			want := 0
			for _, o := range objects {
				if meets, _ := meetsTurned(&x, o.Box, b.Box()); meets {
					want++
				}
			}
			q := orientedBox(t, b)
			planes := query.Filter{}
			for form, tree := range plantAll(t, objects).Trees {
				if got := forms(t, q, q.All(tree.View(), planes), tree.View(), planes); len(got) != want || want == 0 || want == n {
					t.Errorf("%s: %d of %d points, want %d", form, len(got), n, want)
				}
			}
			// A frustum of the faces, the volume of the walk, holds more.
			f, err := query.FrustumPlanes([6][4]float32{
				{4, 3, 0, -4*(far-40) - 3*(far-30)}, {-4, -3, 0, 4*(far+40) + 3*(far+30)},
				{-3, 4, 0, 3*(far+30) - 4*(far-40)}, {3, -4, 0, -3*(far-30) + 4*(far+40)},
				{0, 0, 1, -far + 50}, {0, 0, -1, far + 50},
			})
			testkit.Must(t, err)
			if got := f.Count(trees.Plant(t, objects, true).View(), query.Filter{}); got < want {
				t.Errorf("%d points in the planes, %d in the box", got, want)
			}
		}
	})
}

// A flat oriented box tests few objects, whichever of its axes is the short one, and none beyond its bounds.
func TestOrientedBoxWork(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	all := scene.Bounds(objects)
	v := trees.Plant(t, objects, true).View()
	for short := range 3 {
		b := soa.OrientedBox{Center: all.Center(), Axes: [3][3]float32{{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}}}
		for i := range b.Axes {
			for k := range 3 {
				if b.Axes[i][k] *= all.Max[0] - all.Min[0]; i == short {
					b.Axes[i][k] /= 1 << 10
				}
			}
		}
		if c := orientedBox(t, b).Explain(v, query.Filter{}, nil); c.Tested > len(objects)/2 {
			t.Errorf("axis %d is short: %d of %d objects tested", short, c.Tested, len(objects))
		}
	}
	r := testkit.Rand(1)
	b := soa.OrientedBox{Axes: [3][3]float32{{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}}}
	for side := range 6 {
		for i := range objects { // points beyond one side of the bounds
			var p [3]float32
			for k := range 3 {
				p[k] = float32(r.Float64()*20 - 10)
			}
			if p[side/2] = 5.1 + float32(r.Float64()); side%2 != 0 {
				p[side/2] *= -1
			}
			objects[i].Box = soa.AABB{Min: p, Max: p}
		}
		if c := orientedBox(t, b).Explain(trees.Plant(t, objects, true).View(), query.Filter{}, nil); c.Tested != 0 {
			t.Errorf("beyond side %d of the bounds: %d objects tested", side, c.Tested)
		}
	}
}

// Faces and edges that touch are hit; the next number away is not.
func TestOrientedBoxTouch(t *testing.T) {
	b := soa.OrientedBox{Center: [3]float32{10, 0, 0}, Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 2}}}
	next := func(x, to float32) float32 { return math.Nextafter32(x, to) }
	for _, c := range []struct {
		name string
		box  soa.AABB
		want int
	}{
		{"a corner at a corner", soa.AABB{Min: [3]float32{9, 7, 2}, Max: [3]float32{9, 9, 9}}, 1},
		{"beyond that", soa.AABB{Min: [3]float32{9, 7, next(2, 9)}, Max: [3]float32{9, 9, 9}}, 0},
		{"a point of a face", soa.AABB{Min: [3]float32{13, 4, 1}, Max: [3]float32{13, 4, 1}}, 1},
		{"off the face", soa.AABB{Min: [3]float32{13, next(4, 9), 1}, Max: [3]float32{13, 9, 1}}, 0},
		{"an edge on an edge", soa.AABB{Min: [3]float32{17, -1, -9}, Max: [3]float32{20, 8, 9}}, 1},
		{"off the edge", soa.AABB{Min: [3]float32{next(17, 20), -1, -9}, Max: [3]float32{20, 8, 9}}, 0},
		{"in a corner of the box around it", soa.AABB{Min: [3]float32{15.5, 5, -1}, Max: [3]float32{17, 7, 1}}, 0},
		{"around it", soa.AABB{Min: [3]float32{-1e30, -1e30, -1e30}, Max: [3]float32{1e30, 1e30, 1e30}}, 1},
		{"all that there is", soa.AABB{Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}, Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}, 1},
	} {
		v := trees.Plant(t, []soa.Object{{Box: c.box}}, false).View()
		if got := orientedBox(t, b).Count(v, query.Filter{}); got != c.want {
			t.Errorf("%s: %d found, want %d", c.name, got, c.want)
		}
	}
	if got := (query.OrientedBox{}).Count(trees.Plant(t, []soa.Object{{}, {Box: soa.AABB{Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}}}, false).View(), query.Filter{}); got != 1 {
		t.Errorf("the zero value finds %d, want what holds the origin", got)
	}
}

// Oriented boxes of any numbers are rejected, or have the results of the exact test of each object, and no form
// fails.
func FuzzOrientedBox(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(4), float32(5), float32(6), float32(0.5), uint8(0))
	f.Add(float32(0), float32(-1e30), float32(1e-40), float32(1e10), float32(0), float32(3), float32(2), uint8(3))
	f.Fuzz(func(t *testing.T, x, y, z, a, b, c, turn float32, kind uint8) {
		sin, cos := math.Sincos(float64(turn))
		box := soa.OrientedBox{Center: [3]float32{x, y, z}}
		k := int(kind) % 3
		box.Axes[k][k] = c
		i, j := (k+1)%3, (k+2)%3
		box.Axes[i][i], box.Axes[i][j] = float32(float64(a)*cos), float32(float64(a)*sin)
		box.Axes[j][i], box.Axes[j][j] = float32(float64(-b)*sin), float32(float64(b)*cos)
		if kind&64 != 0 {
			box.Axes[i][k] = turn
		}
		q, err := query.NewOrientedBox(box)
		if err != nil {
			if box.Check() == nil && box.Box().Check() == nil {
				t.Fatalf("%v is refused: %v", box, err)
			}
			return
		}
		outer, turned := box.Box(), testkit.TurnedOf(box)
		objects := []soa.Object{{Box: outer}, {}, {Box: soa.AABB{Min: outer.Max, Max: outer.Max}}, {Box: soa.AABB{Min: box.Center, Max: outer.Max}}}
		for range 20 { // so that there is a tree to walk
			objects = append(objects, objects...)[:min(2*len(objects), 300)]
		}
		v := trees.Plant(t, objects, true).View()
		ids := forms(t, q, q.All(v, query.Filter{}), v, query.Filter{})
		got := slices.Sorted(slices.Values(ids))
		for id, o := range objects {
			_, found := slices.BinarySearch(got, uint32(id))
			if meets, sure := meetsTurned(&turned, o.Box, outer); found != meets && (sure || meets) && id < 4 {
				t.Fatalf("%v: object %d %v was found: %v", box, id, o.Box, found)
			}
		}
	})
}

// Exact queries of spheres and oriented boxes, and exact oriented box queries, allocate nothing.
func TestExactOrientedAllocate(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(900, 3)
	tree, r := plant(t, objects, false), testkit.Rand(1)
	for i, o := range objects { // a quarter each without a bound, with one of them, and with both
		if i%2 == 1 {
			testkit.Must(t, tree.SetSphere(uint32(i), testkit.BallIn(o.Box)))
		}
		if i%4 >= 2 {
			testkit.Must(t, tree.SetOriented(uint32(i), testkit.OrientedIn(r, o.Box)))
		}
	}
	v, flt, at := tree.View(), query.Filter{Exact: true}, objects[0].Box.Min
	q := orientedBox(t, orientedQueries(r, objects, 1)[1])
	b := sphere(t, scene.Sphere{Center: at, Radius: 20})
	ray := rayOf(t, at, [3]float32{1, 1, 1}, infinity)
	var ids []uint32
	var hits []query.Hit
	var near []query.Neighbor
	heat := query.NewHeat(v)
	planes := [6][4]float32{{1, 0, 0, 9}, {-1, 0, 0, 9}, {0, 1, 0, 9}, {0, -1, 0, 9}, {0, 0, 1, 9}, {0, 0, -1, 9}}
	f, x, c := frustum(t, planes), box(t, objects[0].Box), convex(t, planes[:])
	testkit.Allocs(t, 10, func() {
		ids = q.Append(ids[:0], v, flt)
		ids = b.Append(ids[:0], v, flt)
		q.Count(v, query.Filter{})
		q.Any(v, flt)
		hits = ray.Append(hits[:0], v, flt)
		ray.First(v, flt)
		near, _ = query.AppendNearest(near[:0], v, at, 5, infinity, flt)
		b.Explain(v, flt, heat)
		f.Explain(v, flt, heat)
		x.Explain(v, flt, heat)
		c.Explain(v, flt, heat)
		ray.Explain(v, flt, heat)
		query.ExplainNearest(v, at, 5, infinity, flt, heat)
	})
	if len(hits) == 0 || len(near) != 5 || sum(heat.Nodes) == 0 {
		t.Errorf("%d hits, %d neighbors, heat of %d nodes", len(hits), len(near), sum(heat.Nodes))
	}
}

// The smallest and the largest boxes of float32 have bounds that queries hit.
func TestExactOrientedScales(t *testing.T) {
	for _, e := range []int{-140, -120, -60, 0, 60, 110, 120} {
		unit := math.Ldexp(1, e)
		f := func(x float64) float32 { return float32(x * unit) }
		b := soa.OrientedBox{Center: [3]float32{f(40), f(8), 0}, Axes: [3][3]float32{{f(3), f(4), 0}, {f(-4), f(3), 0}, {0, 0, f(2)}}}
		tree := trees.New(t, linear.Config{})
		ids := trees.Insert(t, tree, make([]soa.Object, 3))
		testkit.Must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: []soa.OrientedBox{b, b, b}}))
		testkit.Must(t, tree.SetBounds(ids[2:], linear.Bodies{Spheres: [][4]float32{{f(40), f(8), 0, f(1)}}}))
		v, flt := tree.View(), query.Filter{Exact: true}
		count := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("2^%d: %s finds %d, want %d", e, what, got, want)
			}
		}
		corner := soa.AABB{Min: [3]float32{f(45.5), f(13), 0}, Max: [3]float32{f(47), f(15), 0}} // of the box around
		count("a box in the corner", box(t, corner).Count(v, flt), 0)
		count("a box in the corner, without Exact,", box(t, corner).Count(v, query.Filter{}), 3)
		face := [3]float32{f(43), f(12), f(1)} // on a face
		count("a point of a face", point(t, face).Count(v, flt), 2)
		if e > -70 { // below, spheres touch at distances of 2^-73
			count("a ball at a face", sphere(t, scene.Sphere{Center: [3]float32{f(46), f(16), 0}, Radius: f(5)}).Count(v, flt), 2)
			count("a smaller one", sphere(t, scene.Sphere{Center: [3]float32{f(46), f(16), 0}, Radius: f(4.875)}).Count(v, flt), 0)
		}
		count("an oriented box beside", orientedBox(t, soa.OrientedBox{Center: [3]float32{f(46), f(16), 0}, Axes: b.Axes}).Count(v, flt), 2)
		away := soa.OrientedBox{Center: [3]float32{f(46.125), f(16.125), 0}, Axes: b.Axes}
		count("one further away", orientedBox(t, away).Count(v, flt), 0)
		ray := rayOf(t, [3]float32{f(46), f(16), 0}, [3]float32{f(-3), f(-4), 0}, 1)
		hits := ray.Append(nil, v, flt)
		count("a ray that ends at the face", len(hits), 2)
		for _, h := range hits {
			if math.Abs(float64(h.Dist)-1) > 1e-6 || math.Abs(float64(h.Normal[0])-0.6) > 1e-6 || math.Abs(float64(h.Normal[1])-0.8) > 1e-6 {
				t.Errorf("2^%d: %+v", e, h)
			}
		}
	}
}

// The edges of a frustum, by its corners.
var frustumEdges = [12][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}

func crossed(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func unitOf(a [3]float64) (u [3]float64, length float64) {
	length = math.Sqrt(inner(a, a))
	return [3]float64{a[0] / length, a[1] / length, a[2] / length}, length
}

// The second test has a plane for each axis and for each pair of an axis and an edge of the frustum, on both sides.
// Each plane touches the frustum, also for distant objects, where the frustum is a little wider.
func TestSeparatorsAreAll(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	near := plant(t, objects, true).View().Store()
	far := plant(t, append(objects, soa.Object{Box: testkit.Cube(1e5, 1e5, 1e5, 1)}), true).View().Store()
	for kind := range testkit.Budget(t, 30, 600) {
		p := randomProjection(rng, kind)
		f := p.shown(t)[0].whole
		corners, err := f.Corners()
		if err != nil {
			continue // no far plane
		}
		var directions [][3]float64
		for a := range 3 {
			var axis [3]float64
			axis[a] = 1
			directions = append(directions, axis)
			for _, e := range frustumEdges {
				var edge [3]float64
				for b := range 3 {
					edge[b] = corners[e[1]][b] - corners[e[0]][b]
				}
				if edge, length := unitOf(edge); length > 0 {
					if d, sine := unitOf(crossed(axis, edge)); sine > 1e-3 {
						directions = append(directions, d)
					}
				}
			}
		}
		size := 1.0 // of coordinates
		for _, c := range corners {
			size = max(size, distance64(c, [3]float64{}))
		}
		for _, s := range []*soa.Store{near, far} {
			planes, wide := query.Separators(f.Precise(), s)
			if (wide != nil) != (s == far) || wide != nil && len(wide) != len(planes) {
				t.Fatalf("%d planes, %d for what is far", len(planes), len(wide))
			}
			touch := func(n [3]float64, d, slack float64) bool {
				n, length := unitOf(n)
				least := math.Inf(1)
				for _, c := range corners {
					least = min(least, inner(n, c)+d/length)
				}
				return least >= -1e-9*size && least <= slack
			}
			for _, d := range directions {
				for _, sign := range []float64{1, -1} {
					found := false
					for i, plane := range planes {
						n := testkit.Wide([3]float32(plane[:3]))
						along, _ := unitOf(n)
						if sign*inner(along, d) < 1-1e-8 {
							continue
						}
						found = true
						if !touch(n, float64(plane[3]), 1e-5*size) || wide != nil && !touch(n, float64(wide[i]), 1e-5*(size+1e6)) {
							t.Fatalf("plane %d, %v, does not touch the frustum %+v", i, plane, p)
						}
					}
					if !found {
						t.Fatalf("no plane along %v times %v, frustum %+v", d, sign, p)
					}
				}
			}
		}
	}
}

// The point on three planes and the bounds of its errors are the same, to the bit, however
// the planes are scaled.
func TestMeetAnyScale(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 200 {
		var planes [3][4]float64
		for i := range planes {
			for k := range 4 {
				planes[i][k] = float64(float32(rng.NormFloat64()))
			}
		}
		want, bounds, ok := query.MeetPlanes(&planes[0], &planes[1], &planes[2])
		for _, e := range []int{-60, -3, 1, 60} {
			scaled := planes
			for i := range scaled {
				for k := range 4 {
					scaled[i][k] = math.Ldexp(scaled[i][k], e)
				}
			}
			c, b, again := query.MeetPlanes(&scaled[0], &scaled[1], &scaled[2])
			if c != want || b != bounds || again != ok {
				t.Fatalf("times 2^%d: %v, %v, %v, want %v, %v, %v", e, c, b, again, want, bounds, ok)
			}
		}
	}
}

// Distant objects are tested with the wider planes. There, too, the sphere decides, up to the rounding of its
// coordinates.
func TestExactFarPlanes(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	m := [3]float32{1e6, -1e6, 1e6}
	objects = append(objects, soa.Object{Mask: 1, Box: testkit.CubeAt(m, 1000)})
	tree := plant(t, objects, true)
	testkit.Must(t, tree.SetSphere(500, [4]float32{m[0], m[1], m[2], 1000}))
	v := tree.View()
	for sign := range 8 {
		for _, away := range []float64{0.5, 0.99, 1.01, 1.5} {
			var planes [6][4]float32
			d := 0.0
			for a := range 3 {
				x := float32(1 - 2*(sign>>a&1))
				planes[sign%6][a] = x
				d -= float64(x) * float64(m[a])
			}
			planes[sign%6][3] = float32(d - away*1000*math.Sqrt(3))
			for _, q := range []volume{frustum(t, planes), convex(t, planes[:])} {
				box := slices.Contains(q.Append(nil, v, query.Filter{}), 500)
				ball := slices.Contains(q.Append(nil, v, query.Filter{Exact: true}), 500)
				if !box || ball != (away < 1) {
					t.Errorf("%T, side %d, %v radii away: by its box %v, by its sphere %v", q, sign, away, box, ball)
				}
			}
		}
	}
}

// A distant object makes planes no less precise for the others: a sphere that misses one by a hundredth of its radius
// is left out, though its box is on the border.
func TestExactNearPlanes(t *testing.T) {
	const n = 100
	var objects []soa.Object
	for i := range n {
		objects = append(objects, soa.Object{Mask: 1, Box: testkit.Cube(float32(i%10)*3, float32(i/10)*3, 0, 1)})
	}
	objects = append(objects, soa.Object{Mask: 1, Box: testkit.Cube(1e6, 1e6, 1e6, 1)})
	tree := plant(t, objects, true)
	for i := range n {
		c := objects[i].Box.Center()
		testkit.Must(t, tree.SetSphere(uint32(i), [4]float32{c[0], c[1], c[2], 1}))
	}
	v := tree.View()
	// A plane across a corner of the box of object 44, in its middle m: the sphere is left out
	// when it is more than 1 away.
	m := objects[44].Box.Center()
	for away, want := range map[float32]bool{0.99: true, 1.01: false} {
		for sign := range 8 {
			var planes [6][4]float32
			var d float32
			for a := range 3 {
				x := float32(1 - 2*(sign>>a&1))
				planes[sign%6][a] = x
				d -= x * m[a]
			}
			planes[sign%6][3] = d - away*float32(math.Sqrt(3))
			for _, q := range []volume{frustum(t, planes), convex(t, planes[:])} {
				has := func(f query.Filter) bool { return slices.Contains(q.Append(nil, v, f), 44) }
				if !has(query.Filter{}) || has(query.Filter{Exact: true}) != want {
					t.Errorf("%T, side %d, %v away: by its box %v, by its sphere %v", q, sign, away, has(query.Filter{}), has(query.Filter{Exact: true}))
				}
			}
		}
	}
}
