package linear_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// An invalid change is rejected at every position in a batch, with its index, and changes nothing.
func TestRefusedAnywhere(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	objects := sceneOf(t, "uniform", 40)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	says := func(what string, err error, words ...string) {
		t.Helper()
		for _, word := range words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %v does not say %q", what, err, word)
			}
		}
		check(t, tree, ids, objects)
		valid(t, tree)
	}
	for _, at := range []int{0, 1, 2} {
		index := "object " + string(rune('0'+at))
		for _, bad := range []soa.AABB{
			{Min: [3]float32{nan, 0, 0}}, {Max: [3]float32{0, 0, inf}}, {Min: [3]float32{0, 1, 0}},
		} {
			boxes := []soa.AABB{objects[5].Box, objects[6].Box, objects[7].Box}
			boxes[at] = bad
			says("MoveBatch", tree.MoveBatch([]uint32{1, 2, 3}, boxes), index)
			some := append([]soa.Object(nil), objects[:3]...)
			some[at].Box = bad
			_, err := tree.InsertBatch(nil, some)
			says("InsertBatch", err, index)
		}
		gone := []uint32{4, 5, 6}
		gone[at] = 77
		says("MoveBatch", tree.MoveBatch(gone, make([]soa.AABB, 3)), index, "77")
		says("RemoveBatch", tree.RemoveBatch(gone), index, "77")
		twice := []uint32{4, 5, 6, 7}
		twice[at+1] = twice[0]
		says("RemoveBatch", tree.RemoveBatch(twice), "object "+string(rune('1'+at)), "twice")
	}
	must(t, tree.RemoveBatch(ids[4:8])) // no ID has kept a mark
}

// A batch of spheres is set as a whole or rejected with the index; so are single spheres. Spheres are checked
// against the present boxes of their objects, and may exceed them by a rounding error.
func TestSetBounds(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, grid(3)) // boxes of side 0.5
	for i, id := range ids {
		must(t, tree.Move(id, cube(float32(i)/16, 2, 0, 1))) // deferred moves
	}
	good := make([][4]float32, len(ids))
	for i := range good {
		good[i] = [4]float32{float32(i) / 16, 2, 0, 1}
	}
	refused := func(i int, what string, dead uint32, sphere [4]float32) {
		t.Helper()
		v, to, spheres := tree.View(), slices.Clone(ids), slices.Clone(good)
		to[i], spheres[i] = dead, sphere
		if err := tree.SetBounds(to, linear.Bodies{Spheres: spheres}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("object %d of the batch", i)) ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("object %d with the sphere %v: error %v, want one with %q", i, sphere, err, what)
		}
		if err := tree.SetSphere(dead, sphere); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("object %d with the sphere %v: error %v, want one with %q", i, sphere, err, what)
		}
		for _, id := range ids {
			if s, ok := tree.Sphere(id); ok {
				t.Fatalf("object %d has the sphere %v after a refusal", id, s)
			}
		}
		v.Len() // nothing has changed
	}
	for _, i := range []int{0, 13, len(ids) - 1} {
		refused(i, "no live object", 1000, good[i])
		refused(i, "radius", ids[i], [4]float32{float32(i) / 16, 2, 0, -1})
		refused(i, "not in the box", ids[i], [4]float32{float32(i) / 16, 2.5, 0, 1})
		refused(i, "not in the box", ids[i], [4]float32{float32(i) / 16, 2, 0, 1 + 0x1p-18}) // of 3 on an axis
	}
	must(t, tree.SetBounds(ids, linear.Bodies{Spheres: good}))
	good[1][3] = 1 + 0x1p-19
	must(t, tree.SetSphere(ids[1], good[1]))
	for i, id := range ids {
		if s, ok := tree.Sphere(id); !ok || s != good[i] {
			t.Errorf("object %d has the sphere %v, %v, want %v", id, s, ok, good[i])
		}
	}
	for _, id := range ids {
		must(t, tree.Move(id, cube(3, 0, 0, 1))) // drops spheres, and is deferred
	}
	must(t, tree.SetBounds(ids[:1], linear.Bodies{Spheres: [][4]float32{{3, 0, 0, 1}}}))
	for _, id := range ids {
		if s, ok := tree.Sphere(id); ok != (id == ids[0]) {
			t.Errorf("object %d has the sphere %v, %v", id, s, ok)
		}
	}
}

// A branch of near objects that shrinks loses its levels, though the root has several children.
func TestForkShrinks(t *testing.T) {
	objects := sceneOf(t, "uniform", 5000)
	objects = append(objects, soa.Object{Box: cube(-1e9, -1e9, -1e9, 2e9)})
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, SplitAbove: 3, MergeBelow: 2, Lifespan: linear.Off})
	ids := insert(t, tree, objects)
	tick(t, tree)
	deep := tree.Stats().Depth
	for len(ids) > 20 {
		must(t, tree.RemoveBatch(ids[:len(ids)/3]))
		ids, objects = ids[len(ids)/3:], objects[len(objects)/3:]
		for range 4 {
			tick(t, tree)
		}
		valid(t, tree)
	}
	check(t, tree, ids, objects)
	if st := tree.Stats(); st.Depth != 2 || deep < 4 || tree.World().Side() > 1e6 {
		t.Errorf("%d nodes in %d levels, %d before, in the world %v", st.Nodes, st.Depth, deep, tree.World())
	}
}

// An empty batch does nothing: views stay valid.
func TestNothingToDo(t *testing.T) {
	for _, n := range []int{0, 27} {
		tree := newTree(t, linear.Config{Log: true})
		insert(t, tree, grid(3)[:n])
		must(t, tree.Tick())
		must(t, tree.Tick())
		v := tree.View()
		_, arrangement := tree.Order(nil)
		for name, call := range map[string]func() error{
			"InsertBatch":     func() error { _, err := tree.InsertBatch(nil, nil); return err },
			"InsertBallBatch": func() error { _, err := tree.InsertBallBatch(nil, nil); return err },
			"InsertPoints":    func() error { _, err := tree.InsertPoints(nil, nil, linear.Labels{Mask: 1}); return err },
			"MoveBatch":       func() error { return tree.MoveBatch(nil, nil) },
			"MoveDirty":       func() error { return tree.MoveDirty(make([]soa.AABB, 70), make([]uint64, 2)) },
			"RemoveDirty":     func() error { return tree.RemoveDirty(make([]uint64, 2)) },
			"MoveBodies":      func() error { return tree.MoveBodies(nil, linear.Bodies{}) },
			"SetBounds":       func() error { return tree.SetBounds(nil, linear.Bodies{}) },
			"Apply": func() error {
				ids, err := tree.Apply(new(linear.Batch))
				if len(ids) > 0 {
					t.Errorf("Apply: IDs %v", ids)
				}
				return err
			},
			"MoveInOrder": func() error {
				if n > 0 {
					return nil
				}
				return tree.MoveInOrder(arrangement, nil)
			},
			"Flush": tree.Flush,
			"Tick":  tree.Tick,
			"Refit": func() error { tree.Refit(); return nil },
		} {
			must(t, call())
			func() {
				defer func() {
					if recover() != nil {
						t.Errorf("%s of nothing in a tree of %d has ended a view", name, n)
						v = tree.View()
					}
				}()
				v.Len()
			}()
		}
		valid(t, tree)
	}
}
