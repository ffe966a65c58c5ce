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

// The facts about spheres, cubes, rays and neighbours that are published with the data sets, checked with
// trees on every tier. Counts are of the exact results: the library's, which may hold a little more, are
// tested again in float64.

// gapOf returns the distance from a point to a box.
func gapOf(p [3]float64, b soa.AABB) float64 {
	sum := 0.0
	for a := range 3 {
		d := max(float64(b.Min[a])-p[a], p[a]-float64(b.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// inSphere counts the objects within r of c.
func inSphere(t *testing.T, tree *linear.Tree, c [3]float64, r float64, want int) {
	t.Helper()
	q := must.Get(query.NewSphere64(c, r, [3]float64{}))
	v := tree.View()
	testkit.EachTier(t, func(t *testing.T) {
		answer := q.Append(nil, v, query.Filter{})
		exact := 0
		for _, id := range answer {
			o, _ := tree.Object(id)
			d := gapOf(c, o.Box)
			if d <= r {
				exact++
			}
			if d > r*(1+1e-5) {
				t.Errorf("object %d is %v away, the radius is %v", id, d, r)
			}
		}
		if exact != want {
			t.Errorf("%d of %d found are within %v of %v, want %d", exact, len(answer), r, c, want)
		}
	})
}

// inBox64 counts the objects that intersect a cube, by a box query.
func inBox64(t *testing.T, tree *linear.Tree, c [3]float64, half float64, want int) {
	t.Helper()
	var lo, hi [3]float64
	for a := range 3 {
		lo[a], hi[a] = c[a]-half, c[a]+half
	}
	q := must.Get(query.NewBox64(lo, hi, [3]float64{}))
	v := tree.View()
	testkit.EachTier(t, func(t *testing.T) {
		exact := 0
		for id := range q.All(v, query.Filter{}) {
			o, _ := tree.Object(id)
			inside := true
			for a := range 3 {
				inside = inside && float64(o.Box.Min[a]) <= hi[a] && float64(o.Box.Max[a]) >= lo[a]
			}
			if inside {
				exact++
			}
		}
		if exact != want {
			t.Errorf("%d objects are in the cube of half-edge %v about %v, want %d", exact, half, c, want)
		}
	})
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

func TestDataFactsOfPoints(t *testing.T) {
	_, trees := grove(t, "stanford_dragon.ply.gz", input.Options{Points: true}, 437_645)
	for _, tree := range trees {
		inSphere(t, tree, [3]float64{0, 0.12, 0}, 0.0301234, 18_859)
		inBox64(t, tree, [3]float64{0, 0.12, 0}, 0.0301234, 40_681)
		nearestAre(t, tree, [3]float32{0, 0.12, 0}, 0.000245142, 0.000343115, 0.000498635, 0.00053296, 0.000536421)
	}
	_, trees = grove(t, "isprs_csite1_red1.pcd", input.Options{}, 522_674)
	for _, tree := range trees {
		c := [3]float64{512600, 5403580, 300}
		inSphere(t, tree, c, 25.0123, 0)
		inBox64(t, tree, c, 25.0123, 149)
		inSphere(t, tree, c, 100.0123, 14_134)
		inBox64(t, tree, c, 100.0123, 22_655)
		nearestAre(t, tree, [3]float32{512600, 5403580, 300},
			25.3341, 25.5432, 25.6555, 25.674, 25.9741, 26.4814, 26.5352, 27.2223)
	}
	_, trees = grove(t, "adsb_switzerland_20180801.csv.gz", input.Options{}, 139_098)
	for _, tree := range trees {
		inSphere(t, tree, [3]float64{0, 0, 10000}, 20000.123, 2_059)
		inBox64(t, tree, [3]float64{0, 0, 10000}, 20000.123, 2_626)
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
// the nearest box, so all hits are needed.
func TestDataFactsOfRays(t *testing.T) {
	data, trees := grove(t, "stanford_dragon.ply.gz", input.Options{}, 871_414)
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
