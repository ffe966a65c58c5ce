package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// balls builds a forest in which three of four objects have a sphere.
func balls(t *testing.T, name string, n int) (forest, [][4]float32) {
	t.Helper()
	objects := testkit.SceneByName(t, name).Make(n, 3)
	f := plantAll(t, objects)
	spheres := make([][4]float32, n)
	for i := range objects {
		spheres[i] = testkit.BallIn(objects[i].Box)
		if i%4 == 0 {
			continue
		}
		for _, tree := range f.Trees {
			if err := tree.SetSphere(uint32(i), spheres[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f, spheres
}

// entry returns the time at which a moving ball enters a sphere, in float64, and their closest approach. Both decide
// whether a hit must, may or must not be reported.
func entry(from, dir [3]float32, r float64, s [4]float32) (at, closest float64) {
	var o, d [3]float64
	for a := range 3 {
		o[a], d[a] = float64(from[a])-float64(s[a]), float64(dir[a])
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	r += float64(s[3])
	oo, od, dd := dot(o, o), dot(o, d), dot(d, d)
	t := max(0, -od/dd)
	near := 0.0
	for a := range 3 {
		x := o[a] + t*d[a]
		near += x * x
	}
	closest = math.Sqrt(near) - r
	if oo <= r*r {
		return 0, closest
	}
	return (-od - math.Sqrt(max(0, r*r-near)*dd)) / dd, closest
}

// A ray hits the spheres of objects at the time and point of entry; all forms agree.
func TestExactRays(t *testing.T) {
	n := 20_000
	if !testkit.Long(t) {
		n = 2000
	}
	for _, name := range []string{"uniform", "city"} {
		f, spheres := balls(t, name, n)
		flt := query.Filter{Exact: true}
		for i, r := range scene.RayQueries(f.Objects, 200, 5) {
			q, err := query.NewRay(r.Origin, r.Dir, r.MaxT)
			if err != nil {
				t.Fatal(err)
			}
			var first []query.Hit
			for _, form := range treeForms {
				v := f.Trees[form].View()
				hits := q.Append(nil, v, flt)
				if first == nil {
					first = hits
				} else if !slices.Equal(hits, first) {
					t.Fatalf("%s ray %d: trees differ", name, i)
				}
				h, ok := q.First(v, flt)
				if ok != (len(hits) > 0) || ok && h != hits[0] {
					t.Fatalf("%s ray %d: Nearest %v, %v; Append %v", name, i, h, ok, hits)
				}
				if q.Any(v, flt) != ok {
					t.Fatalf("%s ray %d: Any", name, i)
				}
				got := map[uint32]query.Hit{}
				for _, h := range hits {
					got[h.ID] = h
				}
				for _, h := range q.Append(nil, v, query.Filter{}) {
					exact, kept := got[h.ID]
					delete(got, h.ID)
					if h.ID%4 == 0 {
						if !kept || exact != h {
							t.Fatalf("%s ray %d: object %d has no sphere: %v, %v", name, i, h.ID, exact, h)
						}
						continue
					}
					s := spheres[h.ID]
					at, closest := entry(r.Origin, r.Dir, 0, s)
					tolerance := 1e-5 * float64(s[3]+1)
					switch {
					case closest < -tolerance && at < float64(r.MaxT)*(1-1e-5) && !kept:
						t.Fatalf("%s ray %d: sphere %d %v, met at %v, is lost", name, i, h.ID, s, at)
					case closest > tolerance && kept:
						t.Fatalf("%s ray %d: sphere %d %v, missed by %v, is met", name, i, h.ID, s, closest)
					case closest < -tolerance && kept && math.Abs(float64(exact.Dist)-at) > 1e-4*(1+at):
						t.Fatalf("%s ray %d: sphere %d is met at %v, want %v", name, i, h.ID, exact.Dist, at)
					}
					if kept && exact.Dist > 0 {
						length, off := 0.0, 0.0
						for a := range 3 {
							length += float64(exact.Normal[a]) * float64(exact.Normal[a])
							d := float64(exact.Pos[a]) - float64(s[a]) - float64(exact.Normal[a])*float64(s[3])
							off += d * d
						}
						if s[3] > 0 && math.Abs(length-1) > 1e-4 || math.Sqrt(off) > 1e-3*(1+at*1e-3) {
							t.Fatalf("%s ray %d: sphere %v is met at %v with normal %v", name, i, s, exact.Pos, exact.Normal)
						}
					}
				}
				if len(got) > 0 {
					t.Fatalf("%s ray %d: met by the sphere only: %v", name, i, got)
				}
			}
		}
	}
}

// A moving ball hits spheres as a ray hits larger ones.
func TestExactSweptSpheres(t *testing.T) {
	f, spheres := balls(t, "uniform", 2000)
	flt := query.Filter{Exact: true}
	for i, r := range scene.RayQueries(f.Objects, 100, 6) {
		motion := [3]float32{r.Dir[0] * 20, r.Dir[1] * 20, r.Dir[2] * 20}
		q, err := query.NewSweptSphere(r.Origin, 1.5, motion)
		if err != nil {
			t.Fatal(err)
		}
		v := f.Trees[treeForms[i%3]].View()
		got := map[uint32]query.Hit{}
		for _, h := range q.Append(nil, v, flt) {
			got[h.ID] = h
		}
		for id, s := range spheres {
			if id%4 == 0 {
				continue
			}
			h, kept := got[uint32(id)]
			at, closest := entry(r.Origin, motion, 1.5, s)
			met := closest < 0 && at <= 1
			if unsure := math.Abs(closest) < 1e-4 || math.Abs(at-1) < 1e-4; !unsure && met != kept {
				t.Fatalf("sweep %d: sphere %d %v: met at %v, closest %v, reported %v", i, id, s, at, closest, h)
			}
			if kept && closest < -1e-3 && math.Abs(float64(h.Dist)-at) > 1e-3 {
				t.Fatalf("sweep %d: sphere %d is met at %v, want %v", i, id, h.Dist, at)
			}
		}
	}
}

// The nearest objects by the distance to their spheres.
func TestExactNearest(t *testing.T) {
	n := 5000
	if !testkit.Long(t) {
		n = 1000
	}
	for _, name := range []string{"uniform", "city"} {
		f, spheres := balls(t, name, n)
		flt := query.Filter{Exact: true}
		for i, p := range scene.PointQueries(f.Objects, 60, 5) {
			point := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
			dist := make([]float64, n)
			for id := range dist {
				if id%4 == 0 {
					dist[id] = max(gapToBox([4]float32{p[0], p[1], p[2], 0}, f.Objects[id].Box), 0)
				} else {
					dist[id] = max(gapToBall(spheres[id], p, 0), 0)
				}
			}
			want := slices.Sorted(slices.Values(dist))
			var first []query.Neighbor
			for _, form := range treeForms {
				v := f.Trees[form].View()
				for _, k := range []int{1, 8, 40} {
					near, err := query.AppendNearest(nil, v, p, k, float32(math.Inf(1)), flt)
					if err != nil || len(near) != k {
						t.Fatalf("%s point %d: %d neighbours, %v", name, i, len(near), err)
					}
					for j, nb := range near {
						if d := float64(nb.Dist()); math.Abs(d-want[j]) > 1e-5*(1+want[j]) || math.Abs(d-dist[nb.ID]) > 1e-5*(1+d) {
							t.Fatalf("%s point %v: neighbour %d is %d at %v, want %v (it is at %v)", name, point, j, nb.ID, d, want[j], dist[nb.ID])
						}
					}
					if k == 40 {
						if first == nil {
							first = near
						} else if !slices.Equal(first, near) {
							t.Fatalf("%s point %d: trees differ", name, i)
						}
					}
				}
				search, err := query.NewNearby(p)
				if err != nil {
					t.Fatal(err)
				}
				j := 0
				for nb := range search.All(v, flt) {
					if nb != first[j] {
						t.Fatalf("%s point %d: Nearby gives %v as number %d, AppendNearest %v", name, i, nb, j, first[j])
					}
					if j++; j == len(first) {
						break
					}
				}
			}
		}
	}
}
