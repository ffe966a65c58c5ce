package linear_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// checkViewAll compares the iteration over a view with its expected objects. The order is that of the slots.
func checkViewAll(t testing.TB, v linear.View, want map[uint32]soa.Object) {
	t.Helper()
	last, n := -1, 0
	for id, o := range v.All() {
		slot, lane, ok := v.Locate(id)
		at := int(slot)*soa.Lanes + lane
		if expected, has := want[id]; !has || o != expected || !ok || at <= last {
			t.Fatalf("object %d of the iteration is %d %v at %d, after one at %d; want %v, %v", n, id, o, at, last, expected, has)
		}
		last = at
		n++
	}
	if n != len(want) || v.Len() != n {
		t.Fatalf("the iteration gave %d of %d objects", n, len(want))
	}
}

// checkSceneAll compares the iterations over the instances of a scene and of its view with the model.
func (m *sceneModel) checkSceneAll(t testing.TB, v linear.SceneView, p *modelPart) {
	t.Helper()
	var ids []uint32
	for id, part := range p.scene.All() {
		if l := p.instances[id]; l == nil || part != l.part.as() {
			t.Fatalf("instance %d of %d has the part %v, after %v", id, m.name(p), part, m.log)
		}
		ids = append(ids, id)
	}
	if want := slices.Sorted(maps.Keys(p.instances)); !slices.Equal(ids, want) {
		t.Fatalf("the iteration over %d gave the instances %d, want %d, after %v", m.name(p), ids, want, m.log)
	}
	boxes := maps.Collect(v.Instances().All())
	if keys := slices.Sorted(maps.Keys(boxes)); !slices.Equal(ids, keys) {
		t.Fatalf("the view of %d has the instances %d, want %d, after %v", m.name(p), keys, ids, m.log)
	}
}

// Views of all kinds of trees iterate over the same objects in the same order: of the tree itself, of published
// versions, of snapshots opened in every way, and of parts of scenes.
func TestViewAll(t *testing.T) {
	for i, cfg := range snapshotConfigs() {
		for _, n := range []int{0, 1, 17, 300} {
			t.Run(fmt.Sprintf("config=%d/n=%d", i, n), func(t *testing.T) {
				m := newModel(t, cfg, testkit.Seed(t)+uint64(n), 100)
				m.turns = i%2 == 0
				for n > 0 && len(m.live) < n {
					m.step(t, n)
				}
				tree := m.tree
				checkViewAll(t, tree.View(), m.live)
				order, _ := tree.Order(nil)
				same := func(kind string, v linear.View) {
					t.Helper()
					checkViewAll(t, v, m.live)
					if ids := slices.Collect(testkit.Keys(v.All())); !slices.Equal(ids, order) {
						t.Errorf("%s: order %d, want %d", kind, ids, order)
					}
				}
				same("tree", tree.View())
				m.shared.Publish()
				h := m.shared.Acquire()
				same("version", h.View())
				h.Release()

				file := written(t, tree)
				for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
					s := opened(t, file, level)
					same(fmt.Sprint("snapshot ", level), s.View())
					must(t, s.Close())
				}
				path := filepath.Join(t.TempDir(), "tree")
				must(t, tree.Save(t.Context(), path, linear.SnapshotOptions{}))
				s, err := linear.OpenMapped(path, linear.CheckSafe)
				must(t, err)
				same("mapped snapshot", s.View())

				scene := newScene(t, linear.Config{})
				of := map[uint32]linear.Part{
					place(t, scene, tree, at(0, 0, 0), linear.InstanceOptions{}): tree,
					place(t, scene, s, at(1, 1, 1), linear.InstanceOptions{}):    s,
				}
				shared := linear.NewScenePublisher(scene)
				shared.Publish()
				held := shared.Acquire()
				for kind, v := range map[string]linear.SceneView{"scene": scene.View(), "scene version": held.View()} {
					checkViewAll(t, v.Objects(), nil)
					for id := range v.Instances().All() {
						inner, _, _ := v.Instance(id)
						same(fmt.Sprintf("instance %d of a %s", id, kind), inner.Objects())
					}
				}
				if got := maps.Collect(scene.All()); !maps.Equal(got, of) {
					t.Errorf("instances %v, want %v", got, of)
				}
				held.Release()
				scene.Clear()
				for id, part := range scene.All() {
					t.Errorf("a scene without instances has %v as instance %d", part, id)
				}
				must(t, s.Close())
			})
		}
	}
}

// An iteration panics when its view becomes stale, also in its last step, and does nothing more once it is broken
// off.
func TestViewAllStale(t *testing.T) {
	for _, n := range []int{1, 2, 100} {
		for _, last := range []bool{false, true} {
			tree := newTree(t, linear.Config{})
			ids := insert(t, tree, sceneOf(t, "uniform", n))
			scene := newScene(t, linear.Config{})
			for range n {
				place(t, scene, tree, at(0, 0, 0), linear.InstanceOptions{})
			}
			shared, inScene := linear.NewPublisher(tree), linear.NewScenePublisher(scene)
			shared.Publish()
			inScene.Publish()
			s := opened(t, written(t, tree), linear.CheckSafe)
			change := func() { must(t, tree.Move(ids[0], cube(1, 2, 3, 4))) }
			version, sceneVersion := shared.Acquire(), inScene.Acquire()
			for name, x := range map[string]struct {
				iterate func(do func() bool)
				end     func()
			}{
				"tree":     {func(do func() bool) { eachObject(tree.View())(do) }, change},
				"version":  {eachObject(version.View()), version.Release},
				"snapshot": {eachObject(s.View()), func() { must(t, s.Close()) }},
				"Scene.All": {func(do func() bool) {
					for range scene.All() {
						if !do() {
							return
						}
					}
				}, change},
				"scene version": {eachObject(sceneVersion.View().Instances()), sceneVersion.Release},
			} {
				steps, at := 0, 1
				if last {
					at = n
				}
				said := testkit.Panic(func() {
					x.iterate(func() bool {
						if steps++; steps == at {
							x.end()
						}
						return true
					})
				})
				if text := fmt.Sprint(said); steps != at || !strings.Contains(text, "was used after") {
					t.Errorf("%s of %d: %d steps, then %v", name, n, steps, text)
				}
			}
			steps := 0
			eachObject(tree.View())(func() bool {
				steps++
				change()
				return false
			})
			if steps != 1 {
				t.Errorf("%d steps of an iteration that was broken off", steps)
			}
		}
	}
}

// eachObject returns a loop over the objects of a view, which ends when do returns false.
func eachObject(v linear.View) func(do func() bool) {
	return func(do func() bool) {
		for range v.All() {
			if !do() {
				return
			}
		}
	}
}

// Iterations do not allocate.
func TestViewAllAllocates(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, sceneOf(t, "uniform", 100))
	scene := newScene(t, linear.Config{})
	for range 20 {
		place(t, scene, tree, at(0, 0, 0), linear.InstanceOptions{})
	}
	sum := uint32(0)
	if n := testing.AllocsPerRun(10, func() {
		for id := range tree.View().All() {
			sum += id
		}
		v := scene.View()
		for id := range v.Instances().All() {
			inner, _, _ := v.Instance(id)
			for _, o := range inner.Objects().All() {
				sum += o.Mask
			}
		}
		for id := range scene.All() {
			sum += id
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
