package query_test

import (
	"fmt"
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
	n, kinds := testkit.Budget(t, 300, 2000), farKinds
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
