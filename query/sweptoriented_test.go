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
	"github.com/zoctree/zoctree/soa"
)

// passage is the time at which a moving ball hits a body. It uses the distance of the centre to the body less the
// radius, which is convex in time: its minimum, and when it is first 0 or less.
func passage(from, dir [3]float64, end float64, gap func([3]float64) float64) (least, enter float64) {
	at := func(t float64) float64 {
		return gap([3]float64{from[0] + t*dir[0], from[1] + t*dir[1], from[2] + t*dir[2]})
	}
	lo, hi := 0., end
	for range 200 {
		if x, y := lo+(hi-lo)*0.4, lo+(hi-lo)*0.6; at(x) <= at(y) {
			hi = y
		} else {
			lo = x
		}
	}
	least, late := at(lo), lo
	if g := at(0); g <= 0 {
		return min(least, g), 0
	}
	if least > 0 {
		return least, lo
	}
	for early := 0.; late-early > 1e-12*late; {
		if t := early + (late-early)/2; at(t) <= 0 {
			late = t
		} else if t == early {
			break
		} else {
			early = t
		}
	}
	return least, late
}

type swept interface {
	Append([]query.Hit, linear.View, query.Filter) []query.Hit
	AppendIDs([]uint32, linear.View, query.Filter) []uint32
	First(linear.View, query.Filter) (query.Hit, bool)
	FirstID(linear.View, query.Filter) (uint32, float32, bool)
	Count(linear.View, query.Filter) int
	Any(linear.View, query.Filter) bool
}

// Rays and moving balls hit the bounds of objects at the exact times, in every form of a query and of a tree and on
// every tier; no hit is lost, and none is too early.
func TestExactOrientedSwept(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		s := newBoundedScene(t, name, testkit.Budget(t, 200, 1500))
		r := testkit.Rand(testkit.Seed(t))
		flt := query.Filter{Exact: true}
		missed, met := 0, 0
		var first [][]query.Hit
		testkit.EachTier(t, func(t *testing.T) {
			turn := 0
			for i, ray := range scene.RayQueries(s.Objects, testkit.Budget(t, 15, 100), 2) {
				toward := s.Objects[(i*37)%len(s.Objects)].Box.Center()
				for k := range 3 {
					ray.Dir[k] = toward[k] - ray.Origin[k]
				}
				radius := 0.
				var q swept
				var err error
				if i%2 == 0 {
					q, err = query.NewRay(ray.Origin, ray.Dir, 1.5)
				} else {
					radius = float64(float32(i % 7))
					q, err = query.NewSweptSphere(ray.Origin, float32(radius), ray.Dir)
				}
				fail(t, err)
				end := 1 + 0.5*float64((i+1)%2)
				form := treeForms[r.IntN(len(treeForms))]
				v := s.Trees[form].View()
				hits := q.Append(nil, v, flt)
				checkSwept(t, q, v, flt, hits)
				if turn++; turn <= len(first) {
					if !slices.Equal(first[turn-1], hits) {
						t.Errorf("query %d: other hits than on the first tier, or in another tree", i)
					}
					continue // they have been judged
				}
				first = append(first, hits)
				at := map[uint32]query.Hit{}
				for _, h := range hits {
					at[h.ID] = h
				}
				from, dir := testkit.Wide(ray.Origin), testkit.Wide(ray.Dir)
				length := math.Sqrt(dotProduct(dir, dir))
				for id, o := range s.Objects {
					id := uint32(id)
					least, enter := math.Inf(-1), 0.
					for _, bound := range s.bounds(id, o.Box) {
						l, e := passage(from, dir, end, func(p [3]float64) float64 { return bound(p) - radius })
						least, enter = max(least, l), max(enter, e)
					}
					h, hit := at[id]
					tolerance := 4e-6 * (1 + s.reach(id) + radius)
					if hit != (least <= 0) && math.Abs(least) > tolerance {
						t.Fatalf("query %d of %s: object %d is %v away and was hit: %v", i, name, id, least, hit)
					}
					if !hit {
						missed++
						continue
					}
					met++
					// At a grazing hit, small changes of the path make a difference.
					late := (tolerance + math.Sqrt(2*tolerance*(s.reach(id)+radius+1))) / length
					if d := float64(h.Dist) - enter; math.Abs(d) > late+1e-5 && !(least > -tolerance) {
						t.Fatalf("query %d of %s: object %d is met at %v, want %v", i, name, id, h.Dist, enter)
					}
					n := testkit.Wide(h.Normal)
					if size := math.Sqrt(dotProduct(n, n)); size != 0 && math.Abs(size-1) > 1e-5 || size == 0 && h.Dist > 0 && s.tilted(id) && !s.round(id) && radius == 0 {
						t.Fatalf("query %d of %s: object %d has the normal %v at %v", i, name, id, h.Normal, h.Dist)
					}
					for _, bound := range s.bounds(id, o.Box) {
						if off := bound(testkit.Wide(h.Pos)); off > 1e-5*(s.size*0x1p-10+s.reach(id))+0x1p-22*s.size && !(s.round(id) && s.tilted(id)) {
							t.Fatalf("query %d of %s: object %d is hit at %v, %v away from it", i, name, id, h.Pos, off)
						}
					}
					if dotProduct(n, dir) > 1e-5*length {
						t.Fatalf("query %d of %s: object %d is left where it is hit, normal %v", i, name, id, h.Normal)
					}
				}
			}
		})
		if missed == 0 || met == 0 {
			t.Errorf("%s: %d missed, %d met", name, missed, met)
		}
	}
}

// bounds are the distances from the bounds of an object, or from its box if it has none.
func (s *boundedScene) bounds(id uint32, box soa.AABB) (list []func([3]float64) float64) {
	if s.round(id) {
		o := s.spheres[id]
		list = append(list, func(p [3]float64) float64 {
			d := [3]float64{p[0] - float64(o[0]), p[1] - float64(o[1]), p[2] - float64(o[2])}
			return math.Sqrt(dotProduct(d, d)) - float64(o[3])
		})
	}
	if s.tilted(id) {
		list = append(list, s.turned[id].Distance)
	}
	if list == nil {
		x := testkit.TurnedBox(box)
		list = append(list, x.Distance)
	}
	return list
}

// checkSwept compares the forms of a query with its hits.
func checkSwept(t *testing.T, q swept, v linear.View, flt query.Filter, hits []query.Hit) {
	t.Helper()
	if n := q.Count(v, flt); n != len(hits) {
		t.Errorf("Count %d, %d hits", n, len(hits))
	}
	if q.Any(v, flt) != (len(hits) > 0) {
		t.Errorf("Any, with %d hits", len(hits))
	}
	if ids := q.AppendIDs(nil, v, flt); len(ids) != len(hits) {
		t.Errorf("%d IDs, %d hits", len(ids), len(hits))
	}
	h, ok := q.First(v, flt)
	id, dist, is := q.FirstID(v, flt)
	if ok != (len(hits) > 0) || is != ok || ok && (h != hits[0] || id != h.ID || dist != h.Dist) {
		t.Errorf("the nearest is %+v, %v, or %d at %v, %v; of %+v", h, ok, id, dist, is, hits[:min(1, len(hits))])
	}
	if !slices.IsSortedFunc(hits, func(a, b query.Hit) int {
		if a.Dist < b.Dist || a.Dist == b.Dist && a.ID < b.ID {
			return -1
		}
		return 1
	}) {
		t.Error("hits are not in order")
	}
}

// A ray enters through the last face that it crosses; from inside at once.
func TestRayEntersOriented(t *testing.T) {
	b := soa.OrientedBox{Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}}}
	tree := trees.New(t, linear.Config{})
	ids := trees.Insert(t, tree, make([]soa.Object, 2))
	fail(t, tree.MoveOrientedBatch(ids, []soa.OrientedBox{b, b}))
	fail(t, tree.SetSphere(ids[1], [4]float32{0, 0, 0, 1}))
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
		q, err := query.NewRay(c.from, c.dir, 100)
		fail(t, err)
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
