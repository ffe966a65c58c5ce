package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func TestSweptSphereHit(t *testing.T) {
	v := plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{2, 2, 2}}}}, true).View()
	h := float32(math.Sqrt(0.5))
	for _, c := range []struct {
		center, motion [3]float32
		radius         float32
		dist           float32
		pos, normal    [3]float32
	}{
		{[3]float32{-3, 1, 1}, [3]float32{4, 0, 0}, 1, 0.5, [3]float32{0, 1, 1}, [3]float32{-1, 0, 0}},             // a face
		{[3]float32{-5 - h, -5 - h, 1}, [3]float32{10, 10, 0}, 1, 0.5, [3]float32{0, 0, 1}, [3]float32{-h, -h, 0}}, // an edge
		{[3]float32{3, 4, 5}, [3]float32{0, 0, 0}, 3.75, 0, [3]float32{2, 2, 2}, [3]float32{}},                     // overlap at rest
	} {
		s := sweptSphereOf(t, c.center, c.radius, c.motion)
		got, ok := s.First(v, query.Filter{})
		if !ok || math.Abs(float64(got.Dist-c.dist)) > 1e-6 || got.Pos != c.pos {
			t.Errorf("%v: %v %v", c, got, ok)
		}
		for a := range 3 {
			if math.Abs(float64(got.Normal[a]-c.normal[a])) > 1e-6 {
				t.Errorf("%v: normal %v", c, got.Normal)
			}
		}
	}
	// It passes a corner that the box around it would hit.
	s, _ := query.NewSweptSphere([3]float32{-4, -0.9, -0.9}, 1, [3]float32{8, 0, 0})
	if s.Any(v, query.Filter{}) {
		t.Error("the corner of the box around the ball hits")
	}
	nan := float32(math.NaN())
	for _, bad := range [][7]float32{{nan}, {0, 0, 0, nan}, {0, 0, 0, -1}, {0, 0, 0, 1, nan}, {3e38, 0, 0, 3e38}} {
		if _, err := query.NewSweptSphere([3]float32(bad[:3]), bad[3], [3]float32(bad[4:])); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

func pointsAlongX(xs ...float32) (objects []soa.Object) {
	for _, x := range xs {
		objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{Min: [3]float32{x}, Max: [3]float32{x}}})
	}
	return objects
}

// A hit at the end of a query and a hit a rounding later have one Dist. The smallest ID is first, also when it is the
// later one, in one packet or in many, of all forms.
func TestTiesAtTheEnd(t *testing.T) {
	for _, end := range []float32{0x1p-20, 1, 3, 1000} {
		beyond := math.Nextafter32(end, infinity)
		for name, xs := range map[string][]float32{"two": {beyond, end}, "many": nil} {
			for i := range 100 {
				if name == "many" {
					xs = append(xs, []float32{beyond, end}[i/50])
				}
			}
			v := plant(t, pointsAlongX(xs...), true).View()
			ray := rayOf(t, [3]float32{}, [3]float32{1}, end)
			box := sweptBoxOf(t, soa.AABB{}, [3]float32{end})
			testkit.EachTier(t, func(t *testing.T) {
				for q, dist := range map[sweepForms]float32{&ray: end, &box: 1} {
					for _, f := range []query.Filter{{}, {Mask: 1}} {
						all := q.Append(nil, v, f)
						if len(all) != len(xs) || all[0].ID != 0 || all[0].Dist != dist || all[len(all)-1].Dist != dist {
							t.Fatalf("%s up to %v: %d hits, those begin with %+v", name, end, len(all), all[:min(len(all), 1)])
						}
						h, ok := q.First(v, f)
						id, d, found := q.FirstID(v, f)
						tested, by, says := q.FirstFunc(v, f, func(_ uint32, tEnter float32) (float32, bool) { return tEnter, true })
						if !ok || h != all[0] || !found || id != 0 || d != dist || !says || tested != 0 || by != dist {
							t.Errorf("%s up to %v: nearest %+v, first %d at %v, tested %d at %v, want %+v", name, end, h, id, d, tested, by, all[0])
						}
					}
				}
			})
		}
	}
}

// Boxes that a ball hits at times that round to one denormal: the smallest ID is the first hit, also when it is hit a
// little later, in another packet.
func TestSweptSphereDenormalTies(t *testing.T) {
	const unit, n = 0x1p-149, 100
	for _, sign := range []float32{1, -1} {
		for _, late := range []int{0, 1} { // the half of IDs that is hit later
			for _, above := range []int{0, 1} { // that on the other side of the way
				var objects []soa.Object
				for i := range n {
					x, y := sign*4*unit, float32(0)
					if i*2/n == late {
						x = sign * 5 * unit
					}
					if i*2/n == above {
						y = 0x1p-130
					}
					objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{Min: [3]float32{x, y - 0x1p-130}, Max: [3]float32{x, y}}})
				}
				v := plant(t, objects, true).View()
				q := sweptSphereOf(t, [3]float32{}, 0, [3]float32{sign * 0x3p-141})
				all := q.Append(nil, v, query.Filter{})
				if len(all) != n || all[0].Dist != all[n-1].Dist || all[0].ID != 0 {
					t.Fatalf("sign %v, late %d: %d hits, those begin with %+v", sign, late, len(all), all[:min(len(all), 1)])
				}
				if h, ok := q.First(v, query.Filter{}); !ok || h != all[0] {
					t.Errorf("sign %v, late %d: the nearest is %+v, want %+v", sign, late, h, all[0])
				}
			}
		}
	}
}

// A point that moves reaches the surface itself: there is no direction from there to it. A ball without radius hits
// spheres without radius, also along an axis.
func TestSweptPoints(t *testing.T) {
	b := soa.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{4, 1, 1}}
	v := plant(t, []soa.Object{{Box: b, Mask: 1}}, true).View()
	s := sweptSphereOf(t, [3]float32{0, 0.5, 0.25}, 0, [3]float32{4, 0, 0})
	if h, ok := s.First(v, query.Filter{}); !ok || h.Dist != 0.5 || h.Pos != [3]float32{2, 0.5, 0.25} || h.Normal != [3]float32{} {
		t.Errorf("a point hits %+v, %v", h, ok)
	}
	for a := range 3 {
		var at, motion [3]float32
		at[a], motion[a] = 2, 4
		v := plantBalls(t, [][4]float32{{at[0], at[1], at[2], 0}}, []soa.AABB{{Min: at, Max: at}})
		s := sweptSphereOf(t, [3]float32{}, 0, motion)
		r := rayOf(t, [3]float32{}, motion, 1)
		for _, q := range []sweepForms{&s, &r} {
			want := query.Hit{Dist: 0.5, Pos: at}
			if h, ok := q.First(v, query.Filter{Exact: true}); !ok || h != want {
				t.Errorf("along axis %d: %+v, %v, want %+v", a, h, ok, want)
			}
		}
	}
}

// A ball before a corner full of boxes that lie in the box around it and not in its path. The walk removes them from
// its stack, and finds the hits elsewhere, or nothing, as the list of all hits does, which culls nothing.
func TestSweptSphereCullsCorners(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found, rounds := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		for round := range testkit.Budget(t, 20, 400) {
			tree := trees.New(t, linear.Config{})
			var objects []soa.Object
			for range 4000 {
				var b soa.AABB
				near := rng.IntN(4000) == 0 // or else in the corners of the cube around the ball
				for a := range 3 {
					x := float32(0.6 + 0.4*rng.Float64())
					if near {
						x = 0.57
					}
					if rng.IntN(2) == 0 {
						x = -x
					}
					b.Min[a], b.Max[a] = x, x+0x1p-12*float32(rng.Float64())
				}
				objects = append(objects, soa.Object{Box: b})
			}
			trees.Insert(t, tree, objects)
			if round%2 == 0 {
				testkit.Must(t, tree.Tick())
			}
			way := [3]float32{0, 0, float32(rng.IntN(3)) * 0.01}
			q := sweptSphereOf(t, [3]float32{}, 1, way)
			v := tree.View()
			all := q.Append(nil, v, query.Filter{})
			h, ok := q.First(v, query.Filter{})
			if ok != (len(all) > 0) || ok && h != all[0] {
				t.Fatalf("nearest %v %v of %v", h, ok, all)
			}
			if q.Any(v, query.Filter{}) != ok {
				t.Fatalf("any is not %v", ok)
			}
			found += len(all)
			rounds++
		}
	})
	if found < rounds/2 || found > 100*rounds {
		t.Errorf("%d hits in %d rounds", found, rounds)
	}
}

// A ray enters through the last face that it crosses; from inside at once.
func TestRayEntersOriented(t *testing.T) {
	b := soa.OrientedBox{Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}}}
	tree := trees.New(t, linear.Config{})
	ids := trees.Insert(t, tree, make([]soa.Object, 2))
	testkit.Must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: []soa.OrientedBox{b, b}}))
	testkit.Must(t, tree.SetSphere(ids[1], [4]float32{0, 0, 0, 1}))
	v := tree.View()
	for _, c := range []struct {
		name             string
		from, dir        [3]float32
		dist             float32
		pos, normal      [3]float32
		pastBox, ofRound bool
	}{
		{"a face", [3]float32{6, 8, 1}, [3]float32{-3, -4, 0}, 1, [3]float32{3, 4, 1}, [3]float32{0.6, 0.8, 0}, false, false},
		{"the face across", [3]float32{-6, -8, 1}, [3]float32{3, 4, 0}, 1, [3]float32{-3, -4, 1}, [3]float32{-0.6, -0.8, 0}, false, false},
		{"above", [3]float32{1, 1, 9}, [3]float32{0, 0, -2}, 2, [3]float32{1, 1, 5}, [3]float32{0, 0, 1}, false, false},
		{"an edge", [3]float32{-2, 14, 0}, [3]float32{1, -7, 0}, 1, [3]float32{-1, 7, 0}, [3]float32{0.6, 0.8, 0}, false, false},
		{"the edge of a face", [3]float32{-9, 7, 0}, [3]float32{1, 0, 0}, 8, [3]float32{-1, 7, 0}, [3]float32{-0.8, 0.6, 0}, false, false},
		{"inside", [3]float32{1, 1, 1}, [3]float32{0, 1, 0}, 0, [3]float32{1, 1, 1}, [3]float32{}, false, false},
		{"past a corner of the box around", [3]float32{8, 5.5, 0}, [3]float32{-1, 1, 0}, 0, [3]float32{}, [3]float32{}, true, false},
		{"the sphere after the face", [3]float32{6, 8, 0}, [3]float32{-3, -4, 0}, 1.8, [3]float32{0.6, 0.8, 0}, [3]float32{0.6, 0.8, 0}, false, true},
	} {
		q := rayOf(t, c.from, c.dir, 100)
		flt := query.Filter{Exact: true, Only: []uint64{1}}
		if c.ofRound {
			flt.Only = []uint64{2}
		}
		h, ok := q.First(v, flt)
		if c.pastBox {
			if ok || q.Count(v, query.Filter{}) != 2 {
				t.Errorf("%s: hit %+v", c.name, h)
			}
			continue
		}
		off := math.Abs(float64(h.Dist)-float64(c.dist)) * 1e3
		for k := range 3 {
			off = max(off, math.Abs(float64(h.Pos[k])-float64(c.pos[k])), math.Abs(float64(h.Normal[k])-float64(c.normal[k])))
		}
		if !ok || off > 1e-6 {
			t.Errorf("%s: %+v, %v", c.name, h, ok)
		}
	}
}
