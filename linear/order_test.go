package linear_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// inOrder returns boxes in an order of IDs.
func inOrder(ids []uint32, boxes []soa.AABB) []soa.AABB {
	sorted := make([]soa.AABB, len(ids))
	for i, id := range ids {
		sorted[i] = boxes[id]
	}
	return sorted
}

// MoveInOrder and MoveBatch give the same tree, bit by bit, with its log and its work. This holds under every
// policy, inside and outside the world, near and far, with spheres and pending objects.
func TestMoveInOrder(t *testing.T) {
	world := cube(-10, -10, -10, 120)
	configs := slices.Clone(modelConfigs)
	for i := range configs {
		configs[i].Log = i%2 == 0
	}
	configs = append(configs, linear.Config{World: world, Fixed: true}, linear.Config{World: world, Fixed: true, Outside: linear.OutsideRemove})
	testkit.EachTier(t, func(t *testing.T) {
		for i, cfg := range configs {
			if !testkit.OfTier(t, i) {
				continue
			}
			for _, n := range []int{1, 40, testkit.Budget(t, 120, 600)} {
				r := testkit.Rand(uint64(n))
				tree := newTree(t, cfg)
				boxes := make([]soa.AABB, n)
				objects := make([]soa.Object, n)
				for k := range boxes {
					x := [3]float32{100 * r.Float32(), 100 * r.Float32(), 100 * r.Float32()}
					boxes[k] = soa.AABB{Min: x, Max: [3]float32{x[0] + r.Float32(), x[1] + r.Float32(), x[2] + r.Float32()}}
					objects[k] = soa.Object{Box: boxes[k], Mask: 1 << r.IntN(4), Static: k%3 == 0}
				}
				insert(t, tree, objects[:n-n/8])
				for frame := range testkit.Budget(t, 2, 6) {
					reference := tree.Clone()
					ids, arrangement := tree.Order(nil)
					for k := range boxes {
						boxes[k] = drift(r, boxes[k], []float32{0.1, 3, 0.1, 15, 0.1, 0.1}[frame], world, 0)
						if frame == 2 && k%97 == 5 { // far
							boxes[k].Max[0] += 1e6
						}
					}
					sorted := inOrder(ids, boxes)
					must(t, reference.MoveBatch(ids, sorted))
					must(t, tree.MoveInOrder(arrangement, sorted))
					same := func(what string) {
						t.Helper()
						if got, want := dump(tree, tree.View().Store()), dump(reference, reference.View().Store()); got != want {
							t.Fatalf("config %d, %d objects, frame %d, %s: the trees differ", i, n, frame, what)
						}
						st, st1 := tree.Stats(), reference.Stats()
						st.Slack, st.Scratch, st1.Slack, st1.Scratch = 0, 0, 0, 0
						if st != st1 || !slices.Equal(tree.RemovedOutside(), reference.RemovedOutside()) {
							t.Fatalf("config %d, %d objects, frame %d, %s: %+v, want %+v", i, n, frame, what, st, st1)
						}
						a, next, ok := tree.View().Changes(0)
						b, next1, ok1 := reference.View().Changes(0)
						if next != next1 || ok != ok1 || !slices.Equal(a, b) {
							t.Fatalf("config %d, %d objects, frame %d, %s: the logs differ", i, n, frame, what)
						}
						valid(t, tree)
					}
					same("moved")
					tick(t, tree)
					tick(t, reference)
					if tree.Work() != reference.Work() {
						t.Fatalf("config %d, %d objects, frame %d: work %+v, want %+v", i, n, frame, tree.Work(), reference.Work())
					}
					same("ticked")
					switch frame {
					case 0: // pending objects
						for _, o := range objects[n-n/8:] {
							_, err := tree.Insert(o)
							must(t, err)
						}
					case 3: // spheres
						for id, o := range tree.All() {
							if id%5 == 0 {
								must(t, setInside(tree, id, o.Box))
								break
							}
						}
					}
				}
			}
		}
	})
}

// setInside gives an object a sphere that is a corner of its box.
func setInside(tree *linear.Tree, id uint32, b soa.AABB) error {
	return tree.SetSphere(id, [4]float32{b.Min[0], b.Min[1], b.Min[2], 0})
}

// Each change of the location of an object makes the arrangement stale, and nothing else does.
func TestArrangement(t *testing.T) {
	objects := sceneOf(t, "uniform", 500)
	tree := newTree(t, linear.Config{Cut: linear.CutSpace})
	ids := insert(t, tree, objects)
	o := objects[7]
	var batch linear.Batch
	batch.Move(3, objects[3].Box)
	for _, x := range []struct {
		name  string
		stale bool
		do    func() error
	}{
		{"Move", false, func() error { return tree.Move(ids[3], objects[3].Box) }},
		{"Move away", false, func() error { return tree.Move(ids[3], objects[9].Box) }},
		{"Flush", true, tree.Flush},
		{"Apply", false, func() error { _, err := tree.Apply(&batch); return err }},
		{"Tick", true, tree.Tick},
		{"Tick again", false, tree.Tick},
		{"SetMask", false, func() error { return tree.SetMask(ids[3], 8) }},
		{"SetStatic", false, func() error { return tree.SetStatic(ids[3], !objects[3].Static) }},
		{"SetSphere", false, func() error { return setInside(tree, ids[3], objects[3].Box) }},
		{"Refit", false, func() error { tree.Refit(); return nil }},
		{"Insert", true, func() error { _, err := tree.Insert(o); return err }},
		{"Flush the pending", true, tree.Flush},
		{"Remove", true, func() error { return tree.Remove(ids[4]) }},
		{"Rebuild", true, func() error { return tree.Rebuild(nil, linear.RebuildOptions{}) }},
		{"Trim", false, func() error { tree.Trim(); return nil }},
		{"MoveInOrder", false, func() error {
			order, arrangement := tree.Order(nil)
			boxes := make([]soa.AABB, len(order))
			for i, id := range order {
				o, _ := tree.Object(id)
				boxes[i] = o.Box
			}
			return tree.MoveInOrder(arrangement, boxes)
		}},
		{"Clear", true, func() error { tree.Clear(); return nil }},
	} {
		boxes := make([]soa.AABB, tree.Len())
		order, before := tree.Order(nil)
		for i, id := range order {
			o, _ := tree.Object(id)
			boxes[i] = o.Box
		}
		must(t, x.do())
		after, now := tree.Order(nil)
		if now != before != x.stale {
			t.Errorf("%s: the arrangement is another: %v, want %v", x.name, now != before, x.stale)
		}
		if x.stale {
			if err := tree.MoveInOrder(before, boxes); !errors.Is(err, linear.ErrRearranged) {
				t.Errorf("%s: error %v", x.name, err)
			}
		}
		if now == before && !slices.Equal(after, order) {
			t.Errorf("%s: another order under the same number", x.name)
		}
	}
}

// A rejected call names the box by its index and its object by the ID, and moves nothing.
func TestMoveInOrderRefuses(t *testing.T) {
	objects := sceneOf(t, "uniform", 400)
	bounds := soa.Empty()
	for i := range objects {
		bounds = bounds.Union(objects[i].Box)
	}
	tree := newTree(t, linear.Config{World: bounds, Fixed: true, Outside: linear.OutsideReject})
	ids := insert(t, tree, objects)
	order, arrangement := tree.Order(nil)
	good := make([]soa.AABB, len(order))
	for i, id := range order {
		good[i] = objects[id].Box
	}
	lo, hi := tree.World().Bounds()
	out := soa.AABB{Min: hi, Max: hi}
	out.Max[0] += hi[0] - lo[0]
	for what, bad := range map[string]soa.AABB{
		"not finite": {Min: [3]float32{float32(math.NaN())}},
		"inverted":   {Min: [3]float32{0, 1, 0}},
		"outside":    out,
	} {
		for _, at := range []int{0, 17, len(order) - 1} {
			boxes := slices.Clone(good)
			for i := range boxes {
				boxes[i].Max[2] += 1
			}
			boxes[at] = bad
			v := tree.View()
			err := tree.MoveInOrder(arrangement, boxes)
			for _, word := range []string{what, fmt.Sprintf("object %d ", at), fmt.Sprintf("ID %d:", order[at])} {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%s, box %d: error %v does not say %q", what, at, err, word)
				}
			}
			v.Store() // panics if the tree has changed
			check(t, tree, ids, objects)
		}
	}
	if err := tree.MoveInOrder(arrangement+1, nil); !errors.Is(err, linear.ErrRearranged) || !strings.Contains(err.Error(), fmt.Sprint(arrangement)) {
		t.Errorf("another arrangement: error %v", err)
	}
	if testkit.Panic(func() { _ = tree.MoveInOrder(arrangement, good[1:]) }) == nil {
		t.Error("a box too few: no panic")
	}
}

// A tree without objects has an order, and so has a tree of pending objects only.
func TestOrderOfFew(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids, arrangement := tree.Order(nil)
	if len(ids) != 0 || arrangement == 0 {
		t.Errorf("the order of nothing is %v, arrangement %d", ids, arrangement)
	}
	must(t, tree.MoveInOrder(arrangement, nil))
	objects := sceneOf(t, "uniform", 40)
	for i := range objects {
		_, err := tree.Insert(objects[i])
		must(t, err)
	}
	if ids, arrangement = tree.Order(ids); len(ids) != len(objects) {
		t.Fatalf("the order of %d pending objects is %v", len(objects), ids)
	}
	boxes := make([]soa.AABB, len(ids))
	for i, id := range ids {
		objects[id].Box.Max[1] += 2
		boxes[i] = objects[id].Box
	}
	must(t, tree.MoveInOrder(arrangement, boxes))
	slices.Sort(ids)
	check(t, tree, ids, objects)
	valid(t, tree)
}

// Steady state allocates nothing, neither for the order nor for a frame.
func TestMoveInOrderAllocates(t *testing.T) {
	objects := sceneOf(t, "city", 5000)
	tree := newTree(t, linear.Config{Workers: 1})
	insert(t, tree, objects)
	ids, arrangement := tree.Order(nil)
	boxes := make([]soa.AABB, len(ids))
	for i, id := range ids {
		boxes[i] = objects[id].Box
	}
	frame := func() {
		for i := range boxes {
			boxes[i].Min[0] -= 0.001
		}
		must(t, tree.MoveInOrder(arrangement, boxes))
		must(t, tree.Tick())
		ids, arrangement = tree.Order(ids[:0])
	}
	frame()
	if n := testing.AllocsPerRun(20, frame); n != 0 {
		t.Errorf("%v allocations in a frame", n)
	}
}
