package query_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// eachAwkward runs body on the forms of a tree, among them one with pending
// objects, of every awkward scene.
func eachAwkward(t *testing.T, sizes []int, body func(t *testing.T, objects []soa.Object, tree *linear.Tree)) {
	for name := range testkit.AwkwardScenes {
		for _, n := range sizes {
			objects := testkit.AwkwardObjects(name, n)
			for form, tree := range plantAll(t, objects).Trees {
				t.Run(fmt.Sprintf("scene=%s/n=%d/%s", name, n, form), func(t *testing.T) { body(t, objects, tree) })
			}
		}
	}
}

// Neighbours are those of the oracle, for every cause of a fallback.
func TestNearestAwkward(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		eachAwkward(t, testkit.Budget(t, []int{1500}, []int{1000, 1500, 6000}), func(t *testing.T, objects []soa.Object, tree *linear.Tree) {
			v, n := tree.View(), len(objects)
			for _, p := range testkit.AwkwardPoints(objects) {
				sorted := testkit.ReferenceNearest(objects, p, n, infinity)
				for _, k := range []int{1, 2, 8, 16, 17, 100, n / 2, n} {
					sameNear(t, nearestOf(t, v, p, k, infinity, query.Filter{}), sorted[:k])
				}
				for _, f := range []query.Filter{{Mask: 4}, {Motion: query.StaticOnly}, {Only: everyFifth(n)}} {
					for _, k := range []int{1, 8, 50} {
						sameNear(t, nearestOf(t, v, p, k, infinity, f), cut(sorted, k, allowed(objects, f)))
					}
				}
				for _, most := range []int{1, 40, n / 2, n} {
					sameNear(t, nearbyOf(t, v, p, most), sorted[:most])
				}
				if t.Failed() {
					t.Fatalf("point %v", p)
				}
			}
		})
	})
}

func everyFifth(n int) []uint64 {
	live := make([]uint64, n/64+1)
	for i := 0; i < n; i += 5 {
		live[i/64] |= 1 << (i % 64)
	}
	return live
}

// nearbyOf returns the first objects of an iteration.
func nearbyOf(t *testing.T, v linear.View, p [3]float32, most int) (near []query.Neighbor) {
	q, err := query.NewNearby(p)
	testkit.Must(t, err)
	for n := range q.All(v, query.Filter{}) {
		if near = append(near, n); len(near) == most {
			break
		}
	}
	return near
}

// awkwardHits are rays and moving shapes from a point to another.
func awkwardHits(t *testing.T, from, to [3]float32) []sweepForms {
	dir := [3]float32{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	if dir == ([3]float32{}) {
		dir = [3]float32{1, 0.25, 0.125}
	}
	ray := rayOf(t, from, dir, 2)
	box := sweptBoxOf(t, testkit.CubeAt(from, 0.5), dir)
	ball := sweptSphereOf(t, from, 0.5, dir)
	return []sweepForms{&ray, &box, &ball}
}

// Among ties a walk tests few packets; where all objects are about as near it skips the nodes and tests each packet
// once.
func TestAwkwardCounters(t *testing.T) {
	const n = 20_000
	testkit.EachTier(t, func(t *testing.T) {
		for _, name := range []string{"equal", "nested", "falling", "shell"} {
			objects := testkit.AwkwardObjects(name, n)
			v := plant(t, objects, true).View()
			slots, nodes := v.Slots(), len(v.Store().Nodes.Hot)
			p := testkit.AwkwardPoints(objects)[0]
			for _, k := range []int{1, 8, 100} {
				c, err := query.ExplainNearest(v, p, k, infinity, query.Filter{}, nil)
				if err != nil || c.Ranges != k {
					t.Fatalf("%s, k %d: %+v, %v", name, k, c, err)
				}
				if name == "shell" {
					if c.Packets > slots+slots/8 || c.Nodes > slots/8 {
						t.Errorf("%s, k %d: %+v of %d slots, %d nodes", name, k, c, slots, nodes)
					}
				} else if c.Packets > slots/4 || c.Nodes > nodes+slots/8 {
					t.Errorf("%s, k %d: %+v of %d slots, %d nodes", name, k, c, slots, nodes)
				}
			}
		}
	})
}

// Fallbacks allocate nothing either.
func TestAwkwardAllocs(t *testing.T) {
	for name := range testkit.AwkwardScenes {
		objects := testkit.AwkwardObjects(name, 5000)
		v := plant(t, objects, true).View()
		for _, p := range testkit.AwkwardPoints(objects) {
			near := make([]query.Neighbor, 0, 200)
			hits := make([]query.Hit, 0, len(objects))
			q := awkwardHits(t, p, objects[0].Box.Center())
			by, err := query.NewNearby(p)
			testkit.Must(t, err)
			testkit.Allocs(t, 5, func() {
				for _, k := range []int{1, 8, 100} {
					near, _ = query.AppendNearest(near[:0], v, p, k, infinity, query.Filter{})
				}
				ray, box, ball := q[0].(*query.Ray), q[1].(*query.SweptBox), q[2].(*query.SweptSphere)
				ray.First(v, query.Filter{})
				box.First(v, query.Filter{})
				ball.First(v, query.Filter{})
				hits = ray.Append(hits[:0], v, query.Filter{})
				for range by.All(v, query.Filter{}) {
					break
				}
			})
		}
	}
}

// A tiny scene has the results of the scene in metres: the same neighbours in the same order, the same objects in a
// ball, except those within 2^-73. With one object at 2^-40 it is not tiny: distances whose squares are 0 are ties.
func TestTiny(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	base := testkit.SceneByName(t, "uniform").Make(3000, 1)
	testkit.EachTier(t, func(t *testing.T) {
		for _, e := range []int{0, -35, -50, -63, -70, -75, -90, -110, -120} {
			factor := float32(math.Ldexp(1, e))
			objects := make([]soa.Object, len(base))
			for i, o := range base {
				o.Box = timesBox(o.Box, factor)
				objects[i] = o
			}
			v := plant(t, objects, e%2 == 0).View()
			for range testkit.Budget(t, testkit.Again(4, 1), 10) {
				at := base[rng.IntN(len(base))].Box.Center()
				at[rng.IntN(3)] += rng.Float32() * 10
				tiny := timesBox(soa.AABB{Min: at, Max: at}, factor).Min
				checkTinyNearest(t, base, objects, v, at, tiny)
				radius := (1 + 4*rng.Float32()) * factor
				s := sphere(t, scene.Sphere{Center: tiny, Radius: radius})
				got := s.Append(nil, v, query.Filter{})
				slices.Sort(got)
				if !testkit.SameIDs(t, got, testkit.ReferenceSphere(objects, tiny, radius)) || !testkit.NothingLost(t, got, testkit.DefinitionSphere(objects, tiny, radius)) {
					t.Fatalf("2^%d: ball about %x of radius %x", e, tiny, radius)
				}
			}
			if e == -90 {
				checkTinyBalls(t, objects)
				objects[5].Box = soa.AABB{Min: [3]float32{0, 0, 0x1p-40}, Max: [3]float32{0, 0, 0x1p-40}}
				v, at := plant(t, objects, true).View(), objects[9].Box.Min
				for _, k := range []int{1, 8, 40} {
					sameNear(t, nearestOf(t, v, at, k, infinity, query.Filter{}), testkit.ReferenceNearest(objects, at, k, infinity))
				}
			}
		}
	})
}

func timesBox(b soa.AABB, f float32) soa.AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = b.Min[a]*f, b.Max[a]*f
	}
	return b
}

func checkTinyNearest(t *testing.T, base, objects []soa.Object, v linear.View, at, tiny [3]float32) {
	t.Helper()
	metres := testkit.ReferenceNearest(base, at, len(base), infinity)
	want := testkit.ReferenceNearest(objects, tiny, len(objects), infinity)
	for i := range want {
		if want[i].Index != metres[i].Index {
			t.Fatalf("neighbour %d of %x is %d, in metres %d", i, tiny, want[i].Index, metres[i].Index)
		}
	}
	for _, k := range []int{1, 8, 16, 40, len(objects)} {
		if !sameNear(t, nearestOf(t, v, tiny, k, infinity, query.Filter{}), want[:k]) {
			t.Fatalf("k %d from %x", k, tiny)
		}
	}
	for _, most := range []int{1, 100, len(objects)} {
		if !sameNear(t, nearbyOf(t, v, tiny, most), want[:most]) {
			t.Fatalf("the first %d from %x", most, tiny)
		}
	}
	limit := query.Neighbor{Dist2: want[9].Dist2}.Dist()
	var within []testkit.Near
	for _, n := range want {
		if n.Dist2 <= testkit.ReferenceBound2(limit) {
			within = append(within, n)
		}
	}
	if !sameNear(t, nearestOf(t, v, tiny, len(objects), limit, query.Filter{}), within) {
		t.Fatalf("within %x of %x", limit, tiny)
	}
}

// The neighbours in a tiny scene by bounding spheres, of every other object, are those of the definition.
func checkTinyBalls(t *testing.T, objects []soa.Object) {
	t.Helper()
	tree, at := plant(t, objects, false), objects[9].Box.Max
	scale := testkit.NearScale(tree.View().Store().Extent, at)
	want := make([]testkit.Near, len(objects))
	for i := range objects {
		b := &objects[i].Box
		want[i] = testkit.Near{Index: i, Dist2: testkit.ScaledDist2(b, at, float32(scale))}
		if i%2 == 0 {
			ball := testkit.BallIn(*b)
			testkit.Must(t, tree.SetSphere(uint32(i), ball))
			want[i].Dist2 = ballDist2(ball, at, scale, want[i].Dist2)
		}
	}
	slices.SortFunc(want, func(a, b testkit.Near) int {
		return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), a.Index-b.Index)
	})
	for i := range want {
		want[i].Dist2 = float32(float64(want[i].Dist2) / (scale * scale))
	}
	for _, k := range []int{1, 8, 200} {
		sameNear(t, nearestOf(t, tree.View(), at, k, infinity, query.Filter{Exact: true}), want[:k])
	}
}

// A lazy sort has the result of a sort, also for numbers that are sorted or equal already.
func TestNearbySorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	for _, n := range []int{1, 63, 64, 65, 66, 127, 1000, 5000} {
		objects := make([]soa.Object, n)
		for i := range objects {
			x := float32(rng.IntN(n))
			objects[i].Box = soa.AABB{Min: [3]float32{x}, Max: [3]float32{x}}
		}
		v := plant(t, objects, true).View()
		sameNear(t, nearbyOf(t, v, [3]float32{float32(n) / 2}, n), testkit.ReferenceNearest(objects, [3]float32{float32(n) / 2}, n, infinity))
	}
}

// Of two heaps as far away on both sides the smallest IDs are nearest, whichever heap is read first, by boxes and by
// spheres that are in them.
func TestTiesOnBothSides(t *testing.T) {
	const n = 2000
	for side := range 2 {
		objects := make([]soa.Object, n)
		for i := range objects {
			x := float32(10)
			if i*2/n == side {
				x = -x
			}
			objects[i] = soa.Object{Box: testkit.Cube(x, 0, 0, 2), Mask: 1}
		}
		tree := plant(t, objects, true)
		for i := range objects {
			c := objects[i].Box.Center()
			testkit.Must(t, tree.SetSphere(uint32(i), [4]float32{c[0], c[1], c[2], 1}))
		}
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			for f, d2 := range map[bool]float32{false: 64, true: 81} {
				for _, k := range []int{1, 8, 20, 300} {
					near := nearestOf(t, v, [3]float32{}, k, infinity, query.Filter{Mask: 1, Exact: f})
					for i, got := range near {
						if got != (query.Neighbor{ID: uint32(i), Dist2: d2}) {
							t.Fatalf("side %d, spheres %v: neighbour %d of %d is %+v", side, f, i, k, got)
						}
					}
				}
			}
		})
	}
}

// All objects of a shell are exactly as far from its centre, which the boxes of nodes are nearer to. A walk defers
// the ties, and then falls back because each node has a hit. It finds the ties again, with the smallest IDs.
func TestNearestOfShell(t *testing.T) {
	const n = 14_500_001 // sums of squares up to it are exact
	var objects []soa.Object
	for x := 0; x*x <= n; x++ {
		for y := 0; x*x+y*y <= n; y++ {
			z := int(math.Sqrt(float64(n - x*x - y*y)))
			if x*x+y*y+z*z != n {
				continue
			}
			for k := range 8 {
				p := [3]float32{float32(x), float32(y), float32(z)}
				for a := range p {
					if k>>a&1 != 0 {
						p[a] = -p[a]
					}
				}
				objects = append(objects, soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1 << (len(objects) % 2)})
			}
		}
	}
	r := testkit.Rand(testkit.Seed(t))
	r.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	if len(objects) < 10_000 {
		t.Fatalf("%d objects", len(objects))
	}
	for _, frozen := range []bool{true, false} {
		v := plant(t, objects, frozen).View()
		testkit.EachTier(t, func(t *testing.T) {
			for _, flt := range []query.Filter{{}, {Mask: 2}} {
				for _, k := range []int{1, 2, 8, 20, 100} {
					got, err := query.AppendNearest(nil, v, [3]float32{}, k, infinity, flt)
					testkit.Must(t, err)
					var want []query.Neighbor
					for id, o := range objects {
						if len(want) < k && (flt.Mask == 0 || o.Mask&flt.Mask != 0) {
							want = append(want, query.Neighbor{ID: uint32(id), Dist2: n})
						}
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("frozen %v, k %d, filter %v: %v, want %v", frozen, k, flt, got, want)
					}
				}
			}
		})
	}
}
