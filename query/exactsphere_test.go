package query_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// distances of a sphere from a volume: 0 or less when they intersect.
func gapToBox(s [4]float32, b soa.AABB) float64 {
	var sum float64
	for a := range 3 {
		c := float64(s[a])
		d := max(float64(b.Min[a])-c, c-float64(b.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3])
}

func gapToBall(s [4]float32, center [3]float32, radius float32) float64 {
	var sum float64
	for a := range 3 {
		d := float64(s[a]) - float64(center[a])
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3]) - float64(radius)
}

func gapToPlanes(s [4]float32, planes [][4]float32) float64 {
	gap := math.Inf(-1)
	for _, p := range planes {
		n := math.Sqrt(float64(p[0])*float64(p[0]) + float64(p[1])*float64(p[1]) + float64(p[2])*float64(p[2]))
		d := float64(p[0])*float64(s[0]) + float64(p[1])*float64(s[1]) + float64(p[2])*float64(s[2]) + float64(p[3])
		gap = max(gap, -d/n-float64(s[3]))
	}
	return gap
}

// With Filter.Exact the sphere of an object decides: none that intersects the volume is lost, none is kept that is
// further away than rounding explains. An object without a sphere is tested by its box. This holds in every form of a
// tree.
func TestExactSpheres(t *testing.T) {
	n := 20_000
	if !testkit.Long(t) {
		n = 2000
	}
	for _, name := range []string{"uniform", "city", "far"} {
		objects := testkit.SceneByName(t, name).Make(n, 3)
		f := plantAll(t, objects)
		spheres := make([][4]float32, len(objects))
		for i, o := range objects {
			spheres[i] = testkit.BallIn(o.Box)
		}
		for form, tree := range f.Trees {
			for i := range objects {
				if i%4 != 0 { // every fourth object has none
					if err := tree.SetSphere(uint32(i), spheres[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if form == "frozen" { // spheres follow their objects
				if err := tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range objects {
				if s, ok := tree.Sphere(uint32(i)); ok != (i%4 != 0) || ok && s != spheres[i] {
					t.Fatalf("%s, %s: object %d has the sphere %v, %v; want %v", name, form, i, s, ok, spheres[i])
				}
			}
		}
		extent := testkit.Extent(objects)
		tolerance := 1e-6 * float64(max(extent[0], extent[1], extent[2]))
		ask := func(what string, q volume, gap func([4]float32) float64) {
			t.Helper()
			var first []uint32
			for _, form := range treeForms {
				v := f.Trees[form].View()
				plain := q.Append(nil, v, query.Filter{})
				exact := q.Append(nil, v, query.Filter{Exact: true})
				if n := q.Count(v, query.Filter{Exact: true}); n != len(exact) {
					t.Errorf("%s: Count %d, Append %d", what, n, len(exact))
				}
				if q.Any(v, query.Filter{Exact: true}) != (len(exact) > 0) {
					t.Errorf("%s: Any", what)
				}
				slices.Sort(plain)
				slices.Sort(exact)
				if first == nil {
					first = exact
				}
				testkit.SameIDs(t, exact, first)
				for _, id := range plain {
					_, kept := slices.BinarySearch(exact, id)
					g := gap(spheres[id])
					switch {
					case id%4 == 0 && !kept:
						t.Errorf("%s, %s: object %d has no sphere and was removed", what, form, id)
					case id%4 != 0 && g <= 0 && !kept:
						t.Errorf("%s, %s: object %d meets the volume by %v and was lost", what, form, id, -g)
					case id%4 != 0 && g > tolerance && kept:
						t.Errorf("%s, %s: object %d is %v away and was kept", what, form, id, g)
					}
				}
				if len(exact) > len(plain) {
					t.Errorf("%s: more with spheres than with boxes", what)
				}
			}
		}
		for i, b := range scene.BoxQueries(objects, 100, 10, 1) {
			q, err := query.NewBox(b.Min, b.Max)
			if err != nil {
				t.Fatal(err)
			}
			ask(fmt.Sprintf("%s box %d", name, i), q, func(s [4]float32) float64 { return gapToBox(s, b) })
		}
		for i, b := range scene.SphereQueries(objects, 100, 10, 1) {
			q, err := query.NewSphere(b.Center, b.Radius)
			if err != nil {
				t.Fatal(err)
			}
			ask(fmt.Sprintf("%s sphere %d", name, i), q, func(s [4]float32) float64 { return gapToBall(s, b.Center, b.Radius) })
		}
		for i, c := range scene.Cameras(objects, 0.05, 6, 1) {
			planes := c.Planes()
			q, err := query.FrustumPlanes(planes)
			if err != nil {
				t.Fatal(err)
			}
			ask(fmt.Sprintf("%s frustum %d", name, i), q, func(s [4]float32) float64 { return gapToPlanes(s, planes[:]) })
			cv, err := query.ConvexPlanes(planes[:])
			if err != nil {
				t.Fatal(err)
			}
			ask(fmt.Sprintf("%s convex %d", name, i), cv, func(s [4]float32) float64 { return gapToPlanes(s, planes[:]) })
		}
	}
}

// A sphere is valid until its object moves.
func TestSphereLife(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree, err := linear.New(linear.Config{PendingMin: 50, PendingShare: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tree.InsertBatch(nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	spheres := make([][4]float32, len(objects))
	for i, o := range objects {
		spheres[i] = testkit.BallIn(o.Box)
	}
	if err := tree.SetSphereBatch(ids, spheres); err != nil {
		t.Fatal(err)
	}
	r := testkit.Rand(testkit.Seed(t))
	has := make([]bool, len(ids))
	for i := range has {
		has[i] = true
	}
	for step := range 200 {
		i := r.IntN(len(ids))
		o := objects[r.IntN(len(objects))]
		switch step % 4 {
		case 0:
			if err := tree.Move(ids[i], o.Box); err != nil {
				t.Fatal(err)
			}
			has[i] = false
		case 1:
			if err := tree.Remove(ids[i]); err != nil {
				t.Fatal(err)
			}
			id, err := tree.Insert(o)
			if err != nil {
				t.Fatal(err)
			}
			ids[i], has[i] = id, false
		case 2:
			if err := tree.Tick(); err != nil {
				t.Fatal(err)
			}
		default:
			got, _ := tree.Object(ids[i])
			spheres[i] = testkit.BallIn(got.Box)
			if err := tree.SetSphere(ids[i], spheres[i]); err != nil {
				t.Fatal(err)
			}
			has[i] = true
		}
		// A sphere for a displaced or a pending object, which is then placed.
		if step%4 < 2 && step%8 < 4 {
			spheres[i] = testkit.BallIn(o.Box)
			if err := tree.SetSphere(ids[i], spheres[i]); err != nil {
				t.Fatal(err)
			}
			has[i] = true
		}
		if step%20 == 19 {
			if err := tree.Validate(); err != nil {
				t.Fatal(err)
			}
		}
		for k, id := range ids {
			if s, ok := tree.Sphere(id); ok != has[k] || ok && s != spheres[k] {
				t.Fatalf("step %d: object %d has the sphere %v, %v; want %v, %v", step, id, s, ok, spheres[k], has[k])
			}
		}
	}
	for _, bad := range [][4]float32{{0, 0, 0, -1}, {0, 0, 0, float32(math.NaN())}, {float32(math.Inf(1)), 0, 0, 1}, {1e9, 0, 0, 1}} {
		if err := tree.SetSphere(ids[0], bad); err == nil {
			t.Errorf("the sphere %v was taken", bad)
		}
	}
	if err := tree.SetSphere(1<<30, [4]float32{}); err == nil {
		t.Error("a sphere for an unknown ID")
	}
	if s := tree.Stats(); s.Slack < 0 {
		t.Errorf("%d bytes of slack", s.Slack)
	}
}
