package linear_test

import (
	"bytes"
	"context"
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
			if n == 300 && !testkit.Long(t) && i%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("config=%d/n=%d", i, n), func(t *testing.T) {
				m := newModel(t, cfg, testkit.Seed(t)+uint64(n), 100)
				m.turns = i%2 == 0
				m.alternate(uint64(i))
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

// stamped reports whether two stamps have one source and different states.
func stamped(was, is linear.Stamp) bool { return was != is && was.Source == is.Source }

// The stamp of a tree changes exactly when the tree changes, for every kind of change.
func TestStampOfTree(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	tree := treeOf(t)
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	away := testkit.Cube(500, 0, 0, 1)
	seen := map[linear.Stamp]string{tree.View().Stamp(): "the beginning"}
	was := tree.View().Stamp()
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"Move", func() error { return tree.Move(3, away) }},
		{"MoveBatch", func() error { return tree.MoveBatch([]uint32{4}, []soa.AABB{away}) }},
		{"Remove", func() error { return tree.Remove(5) }},
		{"Insert", func() error { _, err := tree.Insert(objects[5]); return err }},
		{"SetMask", func() error { return tree.SetMask(6, 77) }},
		{"SetSphere", func() error { c := objects[7].Box.Center(); return tree.SetSphere(7, [4]float32{c[0], c[1], c[2], 0}) }},
		{"Rebuild", func() error { return tree.Rebuild(context.Background(), linear.RebuildOptions{Frozen: true}) }},
		{"Rebuild again", func() error { return tree.Rebuild(context.Background(), linear.RebuildOptions{}) }},
		{"Trim", func() error { tree.Trim(); return tree.Move(3, objects[3].Box) }},
	} {
		if again := tree.View().Stamp(); again != was {
			t.Errorf("before %s: %+v, then %+v", c.name, was, again)
		}
		must(t, c.change())
		is := tree.View().Stamp()
		if former, ok := seen[is]; ok || !stamped(was, is) {
			t.Errorf("%s: %+v after %+v, of %q", c.name, is, was, former)
		}
		seen[is], was = c.name, is
	}
	clone := tree.Clone()
	if s := clone.View().Stamp(); s.Source == was.Source {
		t.Errorf("the clone has the stamp %+v, the tree %+v", s, was)
	}
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	sources := map[uint64]bool{was.Source: true, clone.View().Stamp().Source: true}
	for range 2 {
		s, err := linear.Open(bytes.NewReader(file.Bytes()), int64(file.Len()), linear.CheckFull)
		must(t, err)
		loaded, err := s.Load()
		must(t, err)
		if s.View().Stamp() != s.View().Stamp() {
			t.Error("the stamp of a snapshot changes")
		}
		sources[s.View().Stamp().Source], sources[loaded.View().Stamp().Source] = true, true
	}
	if len(sources) != 6 {
		t.Errorf("6 trees have %d numbers", len(sources))
	}
}

// The stamps of published versions have the source of the tree, and each version has its own.
func TestStampOfVersions(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	tree := treeOf(t)
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	s, err := linear.NewScene(linear.Config{})
	must(t, err)
	part := treeOf(t)
	place, err := s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
	must(t, err)
	p, q := linear.NewPublisher(tree), linear.NewScenePublisher(s)
	seen := map[linear.Stamp]bool{}
	for round := range 7 {
		h, hs, hAgain, hsAgain := p.Acquire(), q.Acquire(), p.Acquire(), q.Acquire()
		v, vs := h.View().Stamp(), hs.View().Stamp()
		if hAgain.View().Stamp() != v || hsAgain.View().Stamp() != vs {
			t.Errorf("round %d: one version has two stamps", round)
		}
		if seen[v] || seen[vs] || v.Source != tree.View().Stamp().Source || vs.Source != s.View().Stamp().Source {
			t.Errorf("round %d: the versions have the stamps %+v and %+v", round, v, vs)
		}
		if now := s.View().Stamp(); seen[now] || now == vs {
			t.Errorf("round %d: the scene has the stamp %+v, its version %+v", round, now, vs)
		}
		if inner, _, _ := hs.View().Instance(place); inner.Stamp() == vs || inner.Stamp().Part == 0 {
			t.Errorf("round %d: a part has the stamp %+v", round, inner.Stamp())
		}
		seen[v], seen[vs] = true, true
		if round%2 == 0 { // some versions are held for long
			hAgain.Release()
			hsAgain.Release()
		}
		h.Release()
		hs.Release()
		must(t, tree.Move(uint32(round), testkit.Cube(float32(round), 0, 0, 1)))
		if _, err := part.Insert(objects[round]); err != nil {
			t.Fatal(err)
		}
		p.Publish()
		q.Publish()
	}
}

// The stamp of a scene changes with the scene and with its parts.
func TestStampOfScene(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(50, 1)
	part, inner := treeOf(t), treeOf(t)
	s, _ := linear.NewScene(linear.Config{})
	middle, _ := linear.NewScene(linear.Config{})
	var place uint32
	was := s.View().Stamp()
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"own object", func() error { _, err := s.Tree().Insert(objects[0]); return err }},
		{"place", func() (err error) {
			place, err = s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
			return err
		}},
		{"object of a part", func() error { _, err := part.Insert(objects[1]); return err }},
		{"scene", func() error {
			_, err := s.AddInstance(middle, linear.Transform{}, linear.InstanceOptions{})
			return err
		}},
		{"place in it", func() error {
			_, err := middle.AddInstance(inner, linear.Transform{}, linear.InstanceOptions{})
			return err
		}},
		{"object deep in it", func() error { _, err := inner.Insert(objects[2]); return err }},
		{"remove", func() error { return s.Remove(place) }},
	} {
		if again := s.View().Stamp(); again != was {
			t.Errorf("before %s: %+v, then %+v", c.name, was, again)
		}
		must(t, c.change())
		is := s.View().Stamp()
		if !stamped(was, is) {
			t.Errorf("%s: %+v after %+v", c.name, is, was)
		}
		was = is
	}
	if other := middle.View().Stamp(); other.Source == was.Source {
		t.Errorf("two scenes have the stamps %+v and %+v", other, was)
	}
}

// The stamp of a directory changes when shards are prepared or replaced.
func TestStampOfDirectory(t *testing.T) {
	objects := map[uint64]soa.Object{}
	for i, o := range testkit.SceneByName(t, "uniform").Make(300, 1) {
		objects[uint64(i)] = o
	}
	path := filepath.Join(t.TempDir(), "directory")
	must(t, linear.CreateDirectory(t.Context(), path, maps.All(objects), linear.DirectoryOptions{Shard: 50}))
	d := openedDirectory(t, path)
	was := d.View().Stamp()
	if again := d.View().Stamp(); again != was {
		t.Errorf("%+v, then %+v", was, again)
	}
	h := d.Acquire()
	must(t, d.Prepare(context.Background(), testkit.Cube(50, 50, 50, 100)))
	prepared := d.View().Stamp()
	must(t, d.Replace(context.Background(), nil, slices.Values([]uint64{7})))
	if is := d.View().Stamp(); !stamped(was, prepared) || !stamped(prepared, is) || h.View().Stamp() != was {
		t.Errorf("%+v, held %+v, then %+v, then %+v", was, h.View().Stamp(), prepared, is)
	}
	must(t, h.Release())
}

// The index finds exactly the live objects, each in its lane, both in the tree's own index and in an index made
// from the packets of a view.
func TestLocator(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	tree, err := linear.New(linear.Config{})
	must(t, err)
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	var buf []soa.Location
	for step := range 20 {
		for range 50 {
			if id := rng.Uint32N(3000); tree.Has(id) {
				must(t, tree.Remove(id))
			}
			if id := rng.Uint32N(3000); tree.Has(id) {
				must(t, tree.Move(id, objects[rng.IntN(3000)].Box))
			}
		}
		if _, err := tree.InsertBatch(nil, objects[:20]); err != nil {
			t.Fatal(err)
		}
		if step%6 == 5 {
			must(t, tree.Tick())
		}
		v := tree.View()
		for _, v := range []linear.View{v, linear.WithoutIDs(v)} {
			instances := v.Locator(&buf)
			for id := range uint32(3100) {
				slot, lane, ok := instances.Locate(id)
				if ok != tree.Has(id) || ok && v.IDs(slot)[lane] != id {
					t.Fatalf("step %d: object %d is in lane %d of %d, %v", step, id, lane, slot, ok)
				}
			}
		}
	}
}

// A Locator writes to the program's buffer, whose length is the largest ID plus one, and reuses it: only the
// first calls allocate.
func TestLocatorKeepsBuffer(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, sceneOf(t, "uniform", 1000))
	v := linear.WithoutIDs(tree.View())
	var buf []soa.Location
	v.Locator(&buf)
	if len(buf) != len(ids) {
		t.Errorf("%d places of %d IDs are in the buffer", len(buf), len(ids))
	}
	testkit.Allocs(t, 10, func() {
		instances := v.Locator(&buf)
		if slot, lane, ok := instances.Locate(ids[999]); !ok || v.IDs(slot)[lane] != ids[999] {
			t.Errorf("object %d is in lane %d of %d, %v", ids[999], lane, slot, ok)
		}
	})
}
