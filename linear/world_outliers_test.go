package linear_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// giant is a box about a point.
func giant(x, y, z, half float32) soa.Object { return soa.Object{Box: cube(x, y, z, half), Mask: 1} }

// strangers returns objects far away or gigantic, n of a kind.
func strangers(kind string, n int) (objects []soa.Object) {
	for i := range n {
		x := float32(i)
		switch kind {
		case "1e7":
			objects = append(objects, giant(1e7+x, x, -x, 1))
		case "-1e30":
			objects = append(objects, giant(-1e30, x, x, 1))
		case "sky":
			objects = append(objects, giant(x/20, 1, x/20, 1e9))
		case "largest":
			objects = append(objects, soa.Object{Box: soa.AABB{
				Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
				Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
			}})
		}
	}
	return objects
}

var strangerKinds = []string{"1e7", "-1e30", "sky", "largest"}

// alone reports a wrong placement of far boxes: no packet, and no node except the root, may hold both near and
// far ones.
func alone(tree *linear.Tree, reach soa.AABB) error {
	s := tree.View().Store()
	for slot, n := range s.Packets.Counts {
		near := 0
		for l := range int(n) {
			if reach.Contains(s.Packets.Box(uint32(slot), l)) {
				near++
			}
		}
		if near != 0 && near != int(n) {
			return fmt.Errorf("slot %d holds %d near objects of %d", slot, near, n)
		}
	}
	for i := 1; i < len(s.Nodes.Hot); i++ {
		near, lanes := 0, 0
		for l := range int(s.Nodes.Used[i]) {
			var b soa.AABB
			for a := range 3 {
				b.Min[a], b.Max[a] = s.Nodes.Hot[i].Bounds[2*a][l], s.Nodes.Hot[i].Bounds[2*a+1][l]
			}
			if b == soa.Empty() {
				continue
			}
			lanes++
			if reach.Contains(b) {
				near++
			}
		}
		if near != 0 && near != lanes {
			return fmt.Errorf("node %d has %d near boxes of %d", i, near, lanes)
		}
	}
	return nil
}

// A far or giant object, or one in twenty of them, does not affect the bounds of the others or the world. It is
// stored apart, and after its removal and a tick no trace is left.
func TestFar(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		t.Run(name, func(t *testing.T) { testFar(t, sceneOf(t, name, testkit.Budget(t, 2000, 20_000))) })
	}
}

func testFar(t *testing.T, objects []soa.Object) {
	near := testkit.Extent(objects)
	reach := cube(0, 0, 0, 4*max(near[0], near[1], near[2]))
	plain := newTree(t, linear.Config{})
	insert(t, plain, objects)
	world := plain.World()
	check := func(t *testing.T, tree *linear.Tree, far bool) {
		t.Helper()
		valid(t, tree)
		s := tree.View().Store()
		if s.Near != near {
			t.Fatalf("near objects keep to %v, want %v", s.Near, near)
		}
		if (s.Extent != s.Near) != far {
			t.Fatalf("extents %v and %v, with far objects: %v", s.Near, s.Extent, far)
		}
		if tree.World() != world {
			t.Fatalf("world %v, want %v", tree.World(), world)
		}
		must(t, alone(tree, reach))
	}
	for _, kind := range strangerKinds {
		for _, n := range []int{1, 100, len(objects) / 20} {
			strange := strangers(kind, n)
			t.Run(fmt.Sprintf("%s/%d", kind, n), func(t *testing.T) {
				t.Run("built", func(t *testing.T) {
					for _, frozen := range []bool{false, true} {
						tree := newTree(t, linear.Config{Frozen: frozen})
						insert(t, tree, append(objects[:len(objects):len(objects)], strange...))
						check(t, tree, true)
						rebuild(t, tree, frozen)
						check(t, tree, true)
						if tree.Stats().Depth > plain.Stats().Depth+1 {
							t.Errorf("depth %d, want at most one more than %d", tree.Stats().Depth, plain.Stats().Depth)
						}
					}
				})
				t.Run("come and go", func(t *testing.T) {
					tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
					insert(t, tree, objects)
					ids, err := tree.InsertBatch(nil, strange)
					must(t, err)
					check(t, tree, true)
					for range 3 {
						tick(t, tree)
						check(t, tree, true)
					}
					must(t, tree.RemoveBatch(ids))
					valid(t, tree)
					tick(t, tree)
					check(t, tree, false)
				})
				t.Run("move", func(t *testing.T) {
					for _, single := range []bool{true, false} {
						tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, Log: true})
						insert(t, tree, objects)
						var ids []uint32
						var out, back []soa.AABB
						for i := range strange {
							id := uint32(i * 7 % len(objects))
							ids, out, back = append(ids, id), append(out, strange[i].Box), append(back, objects[id].Box)
						}
						move := func(boxes []soa.AABB) {
							t.Helper()
							if !single {
								must(t, tree.MoveBatch(ids, boxes))
								return
							}
							for i, id := range ids {
								must(t, tree.Move(id, boxes[i]))
							}
						}
						for range 2 {
							move(out)
							valid(t, tree)
							must(t, alone(tree, reach))
							tick(t, tree)
							valid(t, tree)
							must(t, alone(tree, reach))
							move(back)
							valid(t, tree)
							tick(t, tree)
							check(t, tree, false)
							for _, id := range ids {
								if o, _ := tree.Object(id); o != objects[id] {
									t.Fatalf("object %d is %v, was %v", id, o, objects[id])
								}
							}
						}
					}
				})
			})
		}
	}
}

// The keys of far objects ascend with the octant and the distance, and are shared only with the last corner of
// the world.
func TestFarKey(t *testing.T) {
	tree := newTree(t, linear.Config{World: cube(0, 0, 0, 100), Fixed: true})
	corner, _ := tree.World().Bounds()
	low := tree.Key(cube(corner[0], corner[1], corner[2]-1e9, 1))
	last := low
	for i, z := range []float32{1e3, 1e4, 1e5, 1e30, math.MaxFloat32 / 2} {
		k := tree.Key(giant(0, 0, z, 1).Box)
		if want := tree.World().KeyOfBox([3]float32{0, 0, z}, [3]float32{0, 0, z}); k == want {
			t.Errorf("z = %v has the key %v of the border", z, k)
		}
		if i > 0 && k <= last {
			t.Errorf("z = %v has the key %v, the one before %v", z, k, last)
		}
		last = k
	}
	for _, b := range []soa.AABB{cube(0, 0, 0, 1), cube(0, 0, 0, 200), cube(101, 0, 0, 1), cube(-200, 200, 99, 1)} {
		if k, want := tree.Key(b), tree.World().KeyOfBox(b.Min, b.Max); k != want {
			t.Errorf("box %v has the key %v, want %v", b, k, want)
		}
	}
}

// A scene of a few objects is not too small for it.
func TestFarFew(t *testing.T) {
	for _, n := range []int{10, 30, 100, 1000} {
		objects := sceneOf(t, "uniform", n)
		near := testkit.Extent(objects)
		for _, kind := range strangerKinds {
			tree := newTree(t, linear.Config{})
			for _, o := range append(strangers(kind, 1), objects...) {
				if _, err := tree.Insert(o); err != nil {
					t.Fatal(err)
				}
			}
			tick(t, tree)
			valid(t, tree)
			if s := tree.View().Store(); s.Near != near {
				t.Errorf("%d objects and one of %s: near objects keep to %v, want %v", n, kind, s.Near, near)
			}
		}
	}
}

// Underfull nodes and packets are not joined across the border of far objects.
func TestFarUnderfull(t *testing.T) {
	objects := sceneOf(t, "uniform", 100)
	reach := cube(0, 0, 0, 1000)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, Lifespan: linear.Off})
	insert(t, tree, append(objects, strangers("1e7", 10)...))
	for id := range uint32(95) {
		must(t, tree.Remove(id))
		if id%10 == 0 {
			tick(t, tree)
			valid(t, tree)
			if err := alone(tree, reach); err != nil {
				t.Fatalf("%d objects left: %v", tree.Len(), err)
			}
		}
	}
}

// After the removal of a far object, a tick shrinks the bounds of coordinates. It invalidates views if the
// bounds change, even if nothing else does.
func TestFarGoneEndsViews(t *testing.T) {
	for _, kind := range append(strangerKinds, "near") {
		tree := newTree(t, linear.Config{})
		insert(t, tree, grid(5))
		come := strangers(kind, 1)
		if kind == "near" {
			come = grid(1)
		}
		id, err := tree.Insert(come[0])
		must(t, err)
		must(t, tree.Remove(id)) // it was pending
		v := tree.View()
		near, extent := v.Store().Near, v.Store().Extent
		tick(t, tree)
		s := tree.View().Store()
		changed := near != s.Near || extent != s.Extent
		if changed != (kind != "near") {
			t.Fatalf("%s: bounds are %v and %v, before the tick %v and %v", kind, s.Near, s.Extent, near, extent)
		}
		if ended := testkit.Panic(func() { v.Len() }) != nil; ended != changed {
			t.Errorf("%s: bounds have changed: %v, and the view has ended: %v", kind, changed, ended)
		}
	}
}
