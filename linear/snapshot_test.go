package linear_test

import (
	"bytes"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// written returns the bytes of a snapshot.
func written(t testing.TB, tree *linear.Tree, sections ...linear.Section) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := tree.WriteSnapshot(t.Context(), &b, linear.SnapshotOptions{Sections: sections})
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d bytes of %d, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// opened opens a snapshot.
func opened(t testing.TB, file []byte, level linear.CheckLevel) *linear.Snapshot {
	t.Helper()
	s, err := linear.FromBytes(file, level)
	must(t, err)
	return s
}

// loaded returns the tree of a snapshot.
func loaded(t testing.TB, file []byte, level linear.CheckLevel) *linear.Tree {
	t.Helper()
	s := opened(t, file, level)
	tree, err := s.Load()
	must(t, err)
	must(t, s.Close())
	return tree
}

// snapshotConfigs are all kinds of configurations of a tree.
func snapshotConfigs() []linear.Config {
	room := cube(0, 0, 0, 30)
	return append([]linear.Config{
		{Log: true},
		{Frozen: true, Cut: linear.CutCurve},
		{MinCell: 0.5, Log: true, Lifespan: 2, PendingMin: 8},
		{World: cube(-50, -50, -50, 100), Fixed: true, Outside: linear.OutsideRemove, PendingMin: 4},
		{World: room, GrowShare: 4, ShrinkShare: 2, Workers: 2, Lifespan: linear.Off, Slack: linear.Off},
	}, modelConfigs...)
}

// A saved and loaded tree equals its original, like a clone, and continues like it: the same random operations
// on both give the same digest after each. This holds in every configuration, at every level.
func TestSnapshotLoad(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, 2, 16)
	steps := testkit.Budget(t, 40, 100)
	spheres, turned := 0, 0
	for i, cfg := range snapshotConfigs() {
		for _, n := range []int{3, 30, 400} {
			saved, cloned := newModel(t, cfg, seed+uint64(n), 100), newModel(t, cfg, seed+uint64(n), 100)
			saved.turns, cloned.turns = i%3 == 0, i%3 == 0
			for round := range rounds {
				for step := range steps {
					saved.step(t, n)
					cloned.step(t, n)
					if a, b := saved.tree.LayoutDigest(), cloned.tree.LayoutDigest(); a != b {
						t.Fatalf("config %d, %d objects, round %d, step %d: %016x and %016x, after %v", i, n, round, step, a, b, saved.log)
					}
				}
				s := opened(t, written(t, saved.tree), linear.CheckLevel(round%4))
				st := s.Stats()
				tree, err := s.Load()
				must(t, err)
				valid(t, tree)
				p := &tree.View().Store().Packets
				spheres, turned = spheres+len(p.Spheres), turned+len(p.OrientedBoxes)
				if a, b := saved.tree.Stats(), tree.Stats(); b.Objects != a.Objects || b.LiveBytes() != a.LiveBytes() || b.Log != a.Log || st.Objects != a.Objects || st.Packets != a.Packets {
					t.Fatalf("loaded %v, saved %v, in the file %v", b, a, st)
				}
				saved.tree, cloned.tree = tree, cloned.tree.Clone()
				saved.share()
				cloned.share()
				if a, b := saved.tree.LayoutDigest(), cloned.tree.LayoutDigest(); a != b {
					t.Fatalf("config %d, %d objects, round %d: loaded %016x, cloned %016x, after %v", i, n, round, a, b, saved.log)
				}
			}
			valid(t, saved.tree)
		}
	}
	if spheres == 0 || turned == 0 {
		t.Errorf("%d packets of spheres, %d of oriented boxes", spheres, turned)
	}
}

// A digest differs between trees that differ in one number of a column, of a list or of the state.
func TestLayoutDigestDiffers(t *testing.T) {
	tree := manyKinds(t)
	seen := map[uint64]string{tree.LayoutDigest(): "nothing"}
	for _, change := range linear.TreeChanges(tree) {
		c := tree.Clone()
		if !change.Do(c) {
			t.Errorf("%s: there is nothing to change", change.Name)
			continue
		}
		d := c.LayoutDigest()
		if other, ok := seen[d]; ok {
			t.Errorf("%s: the digest is that of a change of %s", change.Name, other)
		}
		seen[d] = change.Name
	}
}

// Each field of a tree, its store, columns, IDs and log is saved, or is listed with the reason why not.
func TestSnapshotHasAllFields(t *testing.T) {
	for _, lost := range linear.SavedFields() {
		t.Error(lost)
	}
}

// manyKinds returns a tree with data in every section.
func manyKinds(t testing.TB) *linear.Tree {
	t.Helper()
	tree := newTree(t, linear.Config{
		World: cube(-50, -50, -50, 110), Fixed: true, Outside: linear.OutsideRemove, Log: true,
		Policy: linear.PolicyIncremental, SplitAbove: 6, MergeBelow: 4, PendingMin: 100, Lifespan: 5, Slack: 2,
	})
	r := testkit.Rand(1)
	at := func() linear.AABB {
		return cube(float32(r.IntN(90))-45, float32(r.IntN(90))-45, float32(r.IntN(90))-45, 1+r.Float32())
	}
	some := func(n int) (objects []linear.Object) {
		for i := range n {
			objects = append(objects, linear.Object{Box: at(), Mask: 1 << (i % 4), Static: i%3 == 0})
		}
		return objects
	}
	insert(t, tree, some(500))
	for id := uint32(0); id < 100; id++ {
		o, _ := tree.Object(id)
		c := o.Box.Center()
		if id%2 == 0 {
			must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 0.25}))
		} else {
			must(t, tree.SetOriented(id, linear.OrientedBox{Center: c, Axes: [3][3]float32{{0.25, 0.25, 0}, {-0.125, 0.125, 0}, {0, 0, 0.25}}}))
		}
	}
	must(t, tree.Tick())
	s := tree.View().Store()
	where, owner := append([]soa.Location(nil), linear.PlacesOf(tree).Where...), append([]soa.Up(nil), s.Packets.Parents...)
	for id := uint32(0); id < 500; id++ { // a node that becomes empty
		if w := where[id]; owner[w.Slot()].Node() == owner[where[100].Slot()].Node() {
			must(t, tree.Remove(id))
		}
	}
	must(t, tree.Tick())
	for id := uint32(0); id < 300; id++ { // degraded nodes
		if o, ok := tree.Object(id); ok && id%3 == 0 {
			o.Box.Max[0], o.Box.Max[1] = o.Box.Max[0]+20, o.Box.Max[1]+20
			must(t, tree.Move(id, o.Box))
		}
	}
	tree.Refit()
	insert(t, tree, some(150))
	must(t, tree.Move(1, cube(600, 0, 0, 1)))
	must(t, tree.Flush()) // removes an object outside
	for id := uint32(2); id < 9; id++ {
		must(t, tree.Move(id, at()))
	}
	must(t, tree.Move(12, cube(700, 0, 0, 1)))
	for id := uint32(20); id < 30; id++ {
		must(t, tree.Remove(id))
	}
	insert(t, tree, some(20))
	valid(t, tree)
	if empty := linear.EmptySections(tree); len(empty) > 0 {
		t.Fatalf("nothing in %q", empty)
	}
	return tree
}
