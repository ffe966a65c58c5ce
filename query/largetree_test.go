package query_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The worlds of TestMatrix have at most 2,800 objects: here queries of each kind are compared with loops over all
// objects of trees that have several levels of nodes.
func TestLargeTrees(t *testing.T) {
	n, seed := testkit.Budget(t, 5_000, 30_000), testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		if i%4 != 0 && !testkit.Long(t) {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			objects := sc.Make(n, seed)
			f := plantAll(t, objects)
			type search struct {
				name string
				ids  func(v linear.View) []uint32
				want []int
			}
			var common []search // for all forms
			for _, results := range []int{8, 450, n / 4} {
				for _, b := range scene.BoxQueries(objects, results, 2, seed) {
					q := box(t, b)
					common = append(common, search{"box", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceBox(objects, b)})
				}
				for _, b := range scene.SphereQueries(objects, results, 2, seed) {
					q := sphere(t, b)
					common = append(common, search{"sphere", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceSphere(objects, b.Center, b.Radius)})
				}
			}
			for _, r := range scene.RayQueries(objects, 6, seed) {
				q := rayOf(t, r.Origin, r.Dir, r.MaxT)
				var hits []int
				for _, h := range testkit.ReferenceSweep(objects, testkit.RaySweep(r.Origin, r.Dir, r.MaxT)) {
					hits = append(hits, h.Index)
				}
				slices.Sort(hits)
				common = append(common, search{"ray", func(v linear.View) []uint32 { return q.AppendIDs(nil, v, query.Filter{}) }, hits})
			}
			points := scene.PointQueries(objects, 3, seed)
			var neighbors [3][]testkit.Near
			for i, p := range points {
				neighbors[i] = testkit.ReferenceNearest(objects, p, 20, float32(math.Inf(1)))
			}
			var cameras []scene.Camera
			for _, results := range []int{8, 450, n / 4} {
				cameras = append(cameras, scene.Cameras(objects, float64(results)/float64(n), 2, seed)...)
			}
			for k, form := range treeForms {
				v := f.Trees[form].View()
				searches := slices.Clone(common)
				for _, c := range cameras {
					q, s := frustum(t, c.Planes()), v.Store()
					searches = append(searches, search{"frustum", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceFrustumBounds(objects, c.Planes(), s.Near, s.Extent)})
				}
				testkit.EachTier(t, func(t *testing.T) {
					if !testkit.OfTier(t, i+k) {
						return
					}
					for i, s := range searches {
						got := s.ids(v)
						if slices.Sort(got); !testkit.SameIDs(t, got, s.want) {
							t.Fatalf("%s %d of tree %v", s.name, i, form)
						}
					}
					for k, p := range points {
						found, err := query.AppendNearest(nil, v, p, 20, query.Unlimited, query.Filter{})
						testkit.Must(t, err)
						for i, want := range neighbors[k] {
							if found[i].ID != uint32(want.Index) || found[i].Dist2 != want.Dist2 {
								t.Fatalf("neighbor %d of %v is %+v, want %+v", i, p, found[i], want)
							}
						}
					}
				})
			}
		})
	}
}

// farKinds are boxes with no relation to a scene: far away, or so large that they hold all of it. i selects one.
var farKinds = []struct {
	name string
	box  func(i int) soa.AABB
	met  bool // by every query inside the scene
}{
	{"1e7", func(i int) soa.AABB { return testkit.CubeAt([3]float32{1e7, float32(i), 0}, 1) }, false},
	{"-1e8", func(i int) soa.AABB { return testkit.CubeAt([3]float32{0, -1e8, float32(i)}, 50) }, false},
	{"1e9", func(i int) soa.AABB { return testkit.CubeAt([3]float32{float32(i), 0, 1e9}, 1) }, false},
	{"1e30", func(i int) soa.AABB { return testkit.CubeAt([3]float32{1e30, 1e30, float32(i)}, 1) }, false},
	{"sky", func(i int) soa.AABB { return testkit.CubeAt([3]float32{float32(i) / 100, 0, 0}, 1e9) }, true},
	{"sky 1e30", func(i int) soa.AABB { return testkit.CubeAt([3]float32{0, float32(i) / 100, 0}, 1e30) }, true},
	{"everything", func(int) soa.AABB { return testkit.CubeAt([3]float32{0, 0, 0}, math.MaxFloat32) }, true},
}

// farQuestion queries a view, in every form or in one.
type farQuestion func(v linear.View, every bool) []uint32

// farQuestions are plane volumes in all forms that tell the kinds apart.
func farQuestions(t testing.TB, objects []soa.Object) map[string]farQuestion {
	var frusta []query.Frustum
	for _, share := range []float64{0.01, 0.2} {
		for _, c := range scene.Cameras(objects, share, 2, 4) {
			f := frustum(t, c.Planes())
			frusta = append(frusta, f, f.Precise())
		}
	}
	all := map[string]farQuestion{}
	for k, f := range frusta {
		for _, flt := range []query.Filter{{}, {Exact: true}} {
			all[fmt.Sprintf("frustum %d %v", k, flt)] = func(v linear.View, every bool) []uint32 {
				if !every {
					return f.Append(nil, v, flt)
				}
				return forms(t, f, f.All(v, flt), v, flt)
			}
		}
	}
	for k, c := range scene.Cameras(objects, 0.05, 2, 5) {
		six := c.Planes()
		convex := convex(t, append(six[:], six[:]...))
		for _, flt := range []query.Filter{{}, {Exact: true}} {
			all[fmt.Sprintf("convex %d %v", k, flt)] = func(v linear.View, every bool) []uint32 {
				if !every {
					return convex.Append(nil, v, flt)
				}
				return forms(t, convex, convex.All(v, flt), v, flt)
			}
		}
	}
	var batch query.FrustumBatch
	for _, flt := range []query.Filter{{}, {Exact: true}} {
		for bit := range 2 { // one plain, one precise
			all[fmt.Sprintf("batch %d %v", bit, flt)] = func(v linear.View, _ bool) []uint32 {
				testkit.Must(t, batch.Find(nil, v, frusta, flt))
				return slices.Clone(batch.Of(bit))
			}
		}
	}
	return all
}

// Objects far away or gigantic have no effect on the other results of plane volumes, at any position and in any
// number: built, inserted or moved there, before and after a tick, and after their removal. Far objects that
// intersect a volume are in its results, for every kind of view.
func TestFarObjects(t *testing.T) {
	n, kinds := testkit.Budget(t, testkit.Again(300, 100), 2000), farKinds
	if !testkit.Long(t) {
		kinds = slices.Concat(farKinds[:1], farKinds[4:5])
	}
	s, _ := scene.ByName("uniform")
	objects := s.Make(n, 3)
	for i := range objects { // about the origin
		for a := range 3 {
			side := float32(3 * math.Cbrt(float64(n)) / 2)
			objects[i].Box.Min[a] -= side
			objects[i].Box.Max[a] -= side
		}
	}
	spheres := make([][4]float32, n)
	ids := make([]uint32, n)
	for i := range ids {
		ids[i], spheres[i] = uint32(i), testkit.BallIn(objects[i].Box)
	}
	build := func(objects []soa.Object) *linear.Tree {
		t.Helper()
		tree := trees.New(t, linear.Config{Policy: linear.PolicyIncremental})
		trees.Insert(t, tree, objects)
		testkit.Must(t, tree.SetBounds(ids, linear.Bodies{Spheres: spheres}))
		return tree
	}
	must := func(err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	questions := farQuestions(t, objects)
	plain := build(objects)
	want := map[string][]uint32{}
	for name, ask := range questions {
		want[name] = ask(plain.View(), true)
		slices.Sort(want[name])
	}
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range kinds {
			both := []int{1, n / 20}
			for _, count := range both {
				strange := make([]soa.Object, count)
				boxes := make([]soa.AABB, count)
				home := make([]soa.AABB, count)
				for i := range strange {
					strange[i] = soa.Object{Box: kind.box(i), Mask: 1}
					boxes[i], home[i] = strange[i].Box, objects[i].Box
				}
				// check queries a tree in which the objects from first to end-1 are far.
				check := func(when string, tree *linear.Tree, first, end int) {
					t.Helper()
					if err := tree.Validate(); err != nil {
						t.Fatalf("%s, %d of %s: %v", when, count, kind.name, err)
					}
					shared := linear.NewPublisher(tree.Clone())
					held := shared.Acquire()
					for of, v := range map[string]linear.View{"own": tree.View(), "published": held.View()} {
						for name, ask := range questions {
							var near []uint32
							far := 0
							for _, id := range ask(v, of == "own") {
								if int(id) >= first && int(id) < end {
									far++
								} else {
									near = append(near, id)
								}
							}
							slices.Sort(near)
							wanted := slices.DeleteFunc(slices.Clone(want[name]), func(id uint32) bool { return int(id) >= first && int(id) < end })
							if !slices.Equal(near, wanted) {
								t.Fatalf("%s, %d of %s, %s view, %s: %d near objects, want %d", when, count, kind.name, of, name, len(near), len(wanted))
							}
							if wantFar := end - first; kind.met && far != wantFar || !kind.met && far != 0 {
								t.Fatalf("%s, %d of %s, %s view, %s: %d of %d far objects", when, count, kind.name, of, name, far, wantFar)
							}
						}
					}
					held.Release()
				}
				tree := build(append(objects[:n:n], strange...))
				check("built", tree, n, n+count)

				tree = plain.Clone()
				added, err := tree.InsertBatch(nil, strange)
				must(err)
				check("inserted", tree, n, n+count)
				must(tree.Tick())
				check("ticked", tree, n, n+count)
				must(tree.RemoveBatch(added))
				must(tree.Tick())
				check("removed", tree, 0, 0)

				must(tree.MoveBatch(ids[:count], boxes))
				check("moved out", tree, 0, count)
				must(tree.Tick())
				check("moved out, ticked", tree, 0, count)
				must(tree.MoveBatch(ids[:count], home))
				must(tree.SetBounds(ids[:count], linear.Bodies{Spheres: spheres[:count]}))
				must(tree.Tick())
				check("moved back", tree, 0, 0)
			}
		}
	})
}

// With one far object, or some, a frustum makes the tests of the tree without them, and the tests of the far objects
// alone.
func TestFarCost(t *testing.T) {
	n := testkit.Budget(t, 8000, 100_000)
	s, _ := scene.ByName("uniform")
	objects := s.Make(n, 3)
	near := plant(t, objects, false)
	cameras := scene.Cameras(objects, 0.02, 20, 4)
	tests := func(tree *linear.Tree) (sum int) {
		for i := range cameras {
			c := frustum(t, cameras[i].Planes()).Explain(tree.View(), query.Filter{}, nil)
			sum += c.Nodes + c.Packets
		}
		return sum
	}
	base := tests(near)
	for _, kind := range farKinds {
		for _, count := range []int{1, 100, n / 20} {
			strange := make([]soa.Object, count)
			for i := range strange {
				strange[i] = soa.Object{Box: kind.box(i), Mask: 1}
			}
			alone := tests(plant(t, strange, false))
			built := plant(t, append(objects[:n:n], strange...), false)
			later := plant(t, objects, false)
			trees.Insert(t, later, strange)
			for name, tree := range map[string]*linear.Tree{"built": built, "inserted": later} {
				testkit.Must(t, tree.Tick())
				// Packets that insertions fill are not as full as those of a build.
				if got := tests(tree); float64(got) > 1.02*float64(base)+1.1*float64(alone) {
					t.Errorf("%d of %s, %s: %d nodes and packets, want at most 2 %% above %d, and 10 %% above %d", count, kind.name, name, got, base, alone)
				}
			}
		}
	}
}

// Goroutines that query one view do not disturb each other: each has the results of the references.
func TestReadersTogether(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	v := plant(t, objects, false).View()
	points, rays := scene.PointQueries(objects, 40, 1), benchRays(t, objects, 40)
	n := min(len(points), len(rays))
	cameras := scene.Cameras(objects, 0.05, n, 3)
	frusta, nearby := make([]query.Frustum, n), make([]query.Nearby, n)
	inside, hits, near := make([][]int, n), make([][]query.Hit, n), make([][]testkit.Near, n)
	for i := range n {
		var err error
		frusta[i] = frustum(t, cameras[i].Planes())
		nearby[i], err = query.NewNearby(points[i])
		testkit.Must(t, err)
		inside[i] = testkit.ReferenceFrustum(objects, cameras[i].Planes())
		hits[i] = rays[i].Append(nil, v, query.Filter{})
		near[i] = testkit.ReferenceNearest(objects, points[i], 12, infinity)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			var ids []uint32
			for k := range n {
				i := (k + 7*g) % n
				ids = frusta[i].Append(ids[:0], v, query.Filter{})
				slices.Sort(ids)
				testkit.SameIDs(t, ids, inside[i])
				if got := rays[i].Append(nil, v, query.Filter{}); !slices.Equal(got, hits[i]) {
					t.Errorf("ray %d: %v, want %v", i, got, hits[i])
				}
				if h, ok := rays[i].First(v, query.Filter{}); ok != (len(hits[i]) > 0) || ok && h != hits[i][0] {
					t.Errorf("ray %d: first hit %v %v, want the first of %v", i, h, ok, hits[i])
				}
				got, err := query.AppendNearest(nil, v, points[i], 12, infinity, query.Filter{})
				if err != nil || !sameNear(t, got, near[i]) || !sameNear(t, take(nearby[i].All(v, query.Filter{}), 12), near[i]) {
					t.Errorf("point %d: error %v, or other neighbors", i, err)
				}
			}
		})
	}
	wait.Wait()
}

// EnvObjects is the number of objects of TestOrderOfMany.
const EnvObjects = "ZOCTREE_OBJECTS"

// The digests of results, in their order, where an int has 64 bits.
var orderDigests = map[int]string{
	20_000: "9997 bf192cb4323dd16a\n17574 ca72f1edef363377\n" +
		"20000 c095fedaf6c50c11\n20000 b2d73acc553e3869\n",
	5_000_000: "2500669 3ccc2632bcf75a88\n4376409 964770ed538ed5d1\n" +
		"5000000 769d31952c680125\n5000000 32399cc84ab6eec9\n",
}

// Results have the order that they have where an int has 64 bits, also in trees so large that products of their
// counts do not fit 32 bits. With ZOCTREE_LONG=1 and ZOCTREE_OBJECTS=5000000 it takes some 700 MB.
func TestOrderOfMany(t *testing.T) {
	n := 20_000
	if text := os.Getenv(EnvObjects); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", EnvObjects, err)
		}
		n = testkit.Budget(t, min(n, 20_000), n)
	}
	r := testkit.Rand(1)
	objects := make([]soa.Object, n)
	for i := range objects {
		p := [3]float32{r.Float32() * 1000, r.Float32() * 1000, r.Float32() * 4}
		objects[i] = soa.Object{Box: soa.AABB{Min: p, Max: [3]float32{p[0] + 0.3, p[1] + 0.3, p[2] + 0.01}}, Mask: 1}
	}
	v := plant(t, objects, true).View()
	objects = nil
	digests := ""
	var ids []uint32
	for _, height := range []float32{2, 3.5, 4, 4.5} {
		q := box(t, soa.AABB{Max: [3]float32{1000, 1000, height}})
		ids = q.Append(ids[:0], v, query.Filter{})
		h := fnv.New64a()
		var word [4]byte
		for _, id := range ids {
			binary.LittleEndian.PutUint32(word[:], id)
			h.Write(word[:])
		}
		digests += fmt.Sprintf("%d %016x\n", len(ids), h.Sum64())
	}
	t.Logf("%d objects:\n%s", n, digests)
	if want, ok := orderDigests[n]; ok && digests != want {
		t.Errorf("the digests are\n%swant\n%s", digests, want)
	}
}
