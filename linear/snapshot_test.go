package linear_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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
	steps := testkit.Budget(t, 12, 100)
	spheres, turned := 0, 0
	for i, cfg := range snapshotConfigs() {
		for _, n := range []int{3, 30, 400} {
			saved, cloned := newModel(t, cfg, seed+uint64(n), 100), newModel(t, cfg, seed+uint64(n), 100)
			saved.turns, cloned.turns = i%3 == 0, i%3 == 0
			saved.alternate(seed)
			cloned.alternate(seed)
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

// Invalid data that queries do not read is rejected when a tree is made of it, by a rule of its own or by
// Validate, and never causes an endless loop.
func TestLoadRules(t *testing.T) {
	type rule struct {
		says  string
		spoil func(tree *linear.Tree, s *soa.Store)
	}
	var rules []rule
	add := func(says string, spoil func(tree *linear.Tree, s *soa.Store)) {
		rules = append(rules, rule{says, spoil})
	}
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { s.Nodes.SetFreeList(soa.FreeList{First: 1 << 30}) })
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { s.Nodes.SetFreeList(soa.FreeList{First: 1}) })
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { // a cycle
		n := s.Nodes.Alloc()
		s.Nodes.Free(n)
		s.Nodes.Parents[n] = soa.Up(n + 1)
	})
	add("is to be freed", func(_ *linear.Tree, s *soa.Store) { s.Nodes.FreeAtTick[leaf(s)] = 5 })
	add("has 0 rows", func(_ *linear.Tree, s *soa.Store) { s.Nodes.Area = nil })
	add("has 0 rows", func(_ *linear.Tree, s *soa.Store) { s.Packets.PlacementBoxes = nil })
	add("does not belong in", func(_ *linear.Tree, s *soa.Store) { s.Packets.PlacementBoxes[firstSlot(s)] = soa.Empty() })
	add("is inverted", func(_ *linear.Tree, s *soa.Store) {
		b := &s.Packets.Bounds[firstSlot(s)]
		b[soa.MinX][0], b[soa.MaxX][0] = b[soa.MaxX][0], b[soa.MinX][0]
	})
	for says, spoil := range linear.SpoiledLists(math.NaN()) {
		add(strings.TrimRight(says, " "), func(tree *linear.Tree, _ *soa.Store) { spoil(tree) })
	}
	for i, r := range rules {
		tree := manyKinds(t)
		r.spoil(tree, tree.View().Store())
		file := written(t, tree)
		s := opened(t, file, linear.CheckSafe) // harmless for queries
		for range 2 {                          // and it is rejected a second time
			if _, err := s.Load(); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), r.says) {
				t.Errorf("rule %d, %q: error %v", i, r.says, err)
			}
		}
		if _, err := linear.FromBytes(file, linear.CheckFull); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("rule %d, %q, in full: error %v", i, r.says, err)
		}
	}
}

// The numbers of a tree are stored by name, without zeros. A file may therefore lack numbers of this version,
// and may have unknown numbers that are zero; an unknown number that is not zero is rejected by its name.
func TestSnapshotNumbers(t *testing.T) {
	tree := manyKinds(t)
	names, words := linear.SavedNumbers(tree)
	if slices.Contains(words, 0) || !slices.Contains(names, "Config.World.Min.0") || !slices.Contains(names, "Work.Moved") {
		t.Fatalf("a file has the numbers %q, %d", names, words)
	}
	open := func(names []string, words []uint64) (*linear.Tree, error) {
		s, err := linear.FromBytes(linear.WriteNumbers(tree, names, words), linear.CheckFull)
		if err != nil {
			return nil, err
		}
		return s.Load()
	}
	insert := func(at int, name string, word uint64) ([]string, []uint64) {
		return slices.Insert(slices.Clone(names), at, name), slices.Insert(slices.Clone(words), at, word)
	}
	for _, at := range []int{0, 7, len(names)} {
		again, err := open(insert(at, "Config.Later", 0))
		if err != nil || again.LayoutDigest() != tree.LayoutDigest() {
			t.Errorf("a number of a later version that is zero: %v", err)
		}
		for _, former := range []string{"Area", "Moves"} {
			again, err = open(insert(at, former, math.Float64bits(7)))
			if err != nil || again.LayoutDigest() != tree.LayoutDigest() {
				t.Errorf("%s, a number of an earlier version: %v", former, err)
			}
		}
		_, err = open(insert(at, "Config.Later", 5))
		if !errors.Is(err, linear.ErrSnapshotVersion) || errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), "Config.Later is 0x5") {
			t.Errorf("a number of a later version: %v", err)
		}
		_, err = open(insert(at, names[3], words[3]))
		if !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s is there twice: %v", names[3], err)
		}
	}
	for what, file := range map[string][2]any{
		"no name":      {names[:len(names)-1], words},
		"no number":    {names, words[:len(words)-1]},
		"in no order":  {append(slices.Clone(names[1:]), names[0]), append(slices.Clone(words[1:]), words[0])},
		"no numbers":   {[]string(nil), []uint64(nil)},
		"not a number": {slices.Concat([]string{"Config.Fixed"}, names), slices.Concat([]uint64{2}, words)},
	} {
		if _, err := open(file[0].([]string), file[1].([]uint64)); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	// Defaults replace missing numbers of the configuration.
	plain := newTree(t, linear.Config{})
	names, words = linear.SavedNumbers(plain)
	for i := 0; i < len(names); i++ {
		if strings.HasPrefix(names[i], "Config.") {
			names, words = slices.Delete(names, i, i+1), slices.Delete(words, i, i+1)
			i--
		}
	}
	s, err := linear.FromBytes(linear.WriteNumbers(plain, names, words), linear.CheckFull)
	must(t, err)
	if got := s.Config(); fmt.Sprint(got) != fmt.Sprint(plain.Config()) {
		t.Errorf("without a configuration it is %+v, want %+v", got, plain.Config())
	}
}

// Files of trees, scenes and directories of another version are rejected, and the error names an earlier or a
// later version.
func TestSnapshotOfOtherVersions(t *testing.T) {
	scene := newScene(t, linear.Config{})
	for what, file := range map[string][]byte{"tree": written(t, newTree(t, linear.Config{})), "scene": writtenScene(t, scene)} {
		for major, want := range map[uint16]string{
			1: "it was written by an earlier version of the library, in format 1, and this one reads format 2",
			3: "it was written by a later version of the library, in format 3, and this one reads format 2",
		} {
			file := bytes.Clone(file)
			binary.LittleEndian.PutUint16(file[8:], major)
			_, err := linear.FromBytes(file, linear.CheckNone)
			if what == "scene" {
				_, err = linear.SceneFromBytes(file, linear.CheckNone)
			}
			if !errors.Is(err, linear.ErrSnapshotVersion) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of format %d: error %v, want %q", what, major, err, want)
			}
		}
	}
}

// rightSums repairs the checksums of a file, as far as it has sections at its stated offsets.
func rightSums(file []byte) {
	if len(file) < 64 {
		return
	}
	e, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	n, head := int(min(e.Uint32(file[24:]), 1000)), e.Uint64(file[32:])
	sums := 64 + 64*n
	if head > uint64(len(file)) || head < uint64(sums) {
		return
	}
	for i := range n {
		row := file[64+64*i:]
		offset, bytes := e.Uint64(row[48:]), e.Uint64(row[56:])
		if offset > uint64(len(file)) || bytes > uint64(len(file))-offset {
			return
		}
		for section := file[offset:][:bytes]; len(section) > 0 && sums+4 <= int(head); sums += 4 {
			chunk := section[:min(len(section), 1<<18)]
			e.PutUint32(file[sums:], crc32.Checksum(chunk, table))
			section = section[len(chunk):]
		}
	}
	e.PutUint32(file[56:], crc32.Checksum(file[64:head], table))
	e.PutUint32(file[60:], crc32.Checksum(file[:60], table))
}

// A file of any bytes, with valid checksums, is rejected or can be queried safely; a tree that is made of it is
// valid.
func FuzzSnapshot(f *testing.F) {
	small, err := linear.New(linear.Config{SplitAbove: 3})
	must(f, err)
	f.Add(written(f, small))
	insert(f, small, grid(3))
	must(f, small.Tick())
	insert(f, small, grid(1))
	f.Add(written(f, small))
	for range 1 << 15 { // more generations than 16 bits hold
		must(f, small.Remove(3))
		_, err := small.Insert(grid(1)[0])
		must(f, err)
	}
	f.Add(written(f, small))
	f.Fuzz(func(t *testing.T, file []byte) {
		rightSums(file)
		s, err := linear.FromBytes(file, linear.CheckSafe)
		if err != nil {
			return
		}
		v := s.View()
		box, _ := query.NewBox([3]float32{}, [3]float32{1, 1, 1})
		ray, _ := query.NewRay([3]float32{-1, 0.1, 0.1}, [3]float32{1, 0.2, 0.3}, 100)
		near, err := query.AppendNearest(nil, v, [3]float32{1, 2, 3}, 9, 100, query.Filter{})
		if n := max(len(allOf(v)), box.Count(v, query.Filter{}), len(ray.Append(nil, v, query.Filter{})), len(near)); err != nil || n > s.Len() {
			t.Errorf("%d of %d objects, %v", n, s.Len(), err)
		}
		tree, err := s.Load()
		if err != nil {
			return
		}
		if _, err := tree.Insert(linear.Object{}); err == nil {
			must(t, tree.Tick())
			valid(t, tree)
		}
	})
}
