package linear_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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
