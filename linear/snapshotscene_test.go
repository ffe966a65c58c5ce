package linear_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// writtenScene returns the bytes of a snapshot of a scene.
func writtenScene(t testing.TB, s *linear.Scene, sections ...linear.Section) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := s.WriteSnapshot(t.Context(), &b, linear.SnapshotOptions{Sections: sections})
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteSnapshot: %d bytes of %d, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func loadedScene(t testing.TB, file []byte, level linear.CheckLevel) *linear.Scene {
	t.Helper()
	f, err := linear.SceneFromBytes(file, level)
	must(t, err)
	s, err := f.Load()
	must(t, err)
	must(t, f.Close())
	return s
}

// restricted returns a model of a scene and the parts below it alone. Other scenes are cleared.
func (m *sceneModel) restricted(t testing.TB, top *modelPart, seed uint64) *sceneModel {
	in := &sceneModel{r: testkit.Rand(seed)}
	var scenes []*modelPart
	for _, p := range m.parts {
		switch {
		case p.below(top) && p.scene == nil:
			in.parts = append(in.parts, p)
		case p.below(top):
			scenes = append(scenes, p)
		case p.scene != nil:
			m.clear(t, p)
		}
	}
	in.trees = len(in.parts)
	in.parts = append(in.parts, scenes...)
	return in
}

// of returns the model with other parts in place of its own: the parts of a scene that should equal one of its
// scenes.
func (m *sceneModel) of(t testing.TB, top *modelPart, s *linear.Scene, seed uint64) *sceneModel {
	t.Helper()
	reference := map[*modelPart]*modelPart{}
	var visit func(p *modelPart, as linear.Part) *modelPart
	visit = func(p *modelPart, as linear.Part) *modelPart {
		if q := reference[p]; q != nil {
			if q.as() != as {
				t.Fatalf("part %d is twice in the scene that was loaded", m.name(p))
			}
			return q
		}
		q := &modelPart{live: maps.Clone(p.live), ids: slices.Clone(p.ids), at: slices.Clone(p.at)}
		reference[p] = q
		switch as := as.(type) {
		case *linear.Tree:
			q.tree = as
		case *linear.Snapshot:
			q.snap = as
		case *linear.Scene:
			q.scene, q.tree, q.instances = as, as.Tree(), map[uint32]*modelPlace{}
			for id, l := range p.instances {
				inner, transform, ok := as.Instance(id)
				if !ok || transform != l.transform {
					t.Fatalf("place %d of part %d is %v, %v", id, m.name(p), transform, ok)
				}
				q.instances[id] = &modelPlace{visit(l.part, inner), transform, l.o}
			}
		}
		return q
	}
	visit(top, s)
	c := &sceneModel{r: testkit.Rand(seed), trees: m.trees}
	for _, p := range m.parts {
		c.parts = append(c.parts, reference[p])
	}
	return c
}

// A saved and loaded scene equals its original, with all parts, and continues like it: the same random calls
// give the same digests after each.
func TestSceneSaved(t *testing.T) {
	seed := testkit.Seed(t)
	steps, rounds := testkit.Budget(t, 30, 300), testkit.Budget(t, 3, 12)
	snaps, deep, freed := 0, 0, 0
	little := func() bool { return snaps == 0 || deep < 4 || freed == 0 }
	for i, cfg := range sceneConfigs {
		last := i == len(sceneConfigs)-1 // it has more rounds if these seeds made too little
		for round := 0; round < rounds || last && little() && !t.Failed() && round < 20*rounds; round++ {
			t.Run(fmt.Sprintf("config=%d/round=%d", i, round), func(t *testing.T) {
				seed := seed + uint64(1000*i+round)
				m := newSceneModel(t, seed, 3, 2+3*round%8, cfg)
				m.chain(t)
				for range steps {
					m.step(t)
					if p := m.scene(); m.size(p) > 1000 {
						m.clear(t, p)
					}
				}
				p := slices.MaxFunc(m.parts[m.trees:], func(a, b *modelPart) int { return a.depth() - b.depth() })
				level := linear.CheckLevel(round % 4)
				a := m.restricted(t, p, seed)
				if a.trees == 0 {
					return
				}
				file := writtenScene(t, p.scene)
				s := loadedScene(t, file, level)
				if !bytes.Equal(writtenScene(t, s), file) {
					t.Fatalf("the scene that was loaded makes another file")
				}
				b := a.of(t, p, s, seed)
				deep = max(deep, s.Stats().Depth)
				for step := range steps {
					for k, p := range a.parts[a.trees:] {
						q := b.parts[b.trees+k]
						if p.scene.LayoutDigest() != q.scene.LayoutDigest() {
							t.Fatalf("step %d: scene %d is another one, after %v", step, k, a.log)
						}
					}
					if q := b.scene(); step%5 == 0 {
						b.check(t, q)
					} else {
						q.scene.View()
					}
					a.scene().scene.View()
					a.r, b.r = testkit.Rand(seed+uint64(step)), testkit.Rand(seed+uint64(step))
					a.step(t)
					b.step(t)
					if k := a.r.IntN(len(a.parts)); k >= a.trees && a.size(a.parts[k]) > 1000 {
						a.clear(t, a.parts[k])
						b.clear(t, b.parts[k])
					}
				}
				for _, p := range a.parts[a.trees:] {
					for _, l := range p.instances {
						if l.part.snap != nil {
							snaps++
						}
					}
					freed += len(linear.UnusedEntries(p.scene))
				}
			})
		}
	}
	if little() {
		t.Errorf("%d snapshots, %d places deep, %d entries freed: too little", snaps, deep, freed)
	}
}

// smallScene has data in every section: a tree in two scenes, a snapshot, turning instances, a removed
// instance, a free entry, and parts that have grown since the tick.
func smallScene(t testing.TB) (*modelPart, *linear.Scene) {
	t.Helper()
	s, inner := newScene(t, linear.Config{Workers: 1}), newScene(t, linear.Config{Workers: 1})
	tree, gone := treeOf(t, cube(0, 0, 0, 1), cube(3, 0, 0, 1)), treeOf(t)
	p := &modelPart{scene: s, tree: s.Tree(), live: map[uint32]linear.Object{}, instances: map[uint32]*modelPlace{}}
	q := &modelPart{scene: inner, tree: inner.Tree(), live: map[uint32]linear.Object{}, instances: map[uint32]*modelPlace{}}
	r := &modelPart{tree: tree, live: map[uint32]linear.Object{}}
	for id := range uint32(2) {
		r.live[id], _ = tree.Object(id)
		r.ids = append(r.ids, id)
	}
	u := r.saved(t)
	put := func(in *modelPart, what *modelPart, transform linear.Transform, o linear.InstanceOptions) {
		id := place(t, in.scene, what.as(), transform, o)
		in.instances[id] = &modelPlace{what, transform, o}
		in.at = append(in.at, id)
	}
	put(p, r, at(10, 2, 3), linear.InstanceOptions{Turns: true})
	id := place(t, s, gone, at(5, 5, 5), linear.InstanceOptions{})
	put(p, q, at(0, 20, 0), linear.InstanceOptions{Mask: 6})
	put(q, r, at(7, 0, 0), linear.InstanceOptions{})
	put(q, u, at(0, 0, 9), linear.InstanceOptions{Mask: 2})
	must(t, s.Remove(id))
	o := linear.Object{Box: cube(1, 1, 1, 2), Mask: 5}
	_, err := s.Tree().Insert(o)
	must(t, err)
	p.live[0], p.ids = o, []uint32{0}
	must(t, s.Tick())
	r.live[1] = linear.Object{Box: cube(30, 0, 0, 1), Mask: 1}
	must(t, tree.Move(1, r.live[1].Box))
	return p, s
}

// Every way of opening a file of a scene gives the scene that was saved, at every level.
func TestSceneSnapshotWays(t *testing.T) {
	p, s := smallScene(t)
	want := copyOf(p, map[*modelPart]*sceneCopy{})
	digest := s.LayoutDigest()
	path := filepath.Join(t.TempDir(), "scene")
	must(t, s.Save(t.Context(), path, linear.SnapshotOptions{Sections: []linear.Section{linear.SaveColumn("pi", []uint64{3, 1, 4})}}))
	file, err := os.ReadFile(path)
	must(t, err)
	for name, open := range map[string]func(level linear.CheckLevel) (*linear.SceneSnapshot, error){
		"map": func(level linear.CheckLevel) (*linear.SceneSnapshot, error) {
			return linear.OpenSceneMapped(path, level)
		},
		"at": func(level linear.CheckLevel) (*linear.SceneSnapshot, error) {
			return linear.OpenScene(bytes.NewReader(file), int64(len(file)), level)
		},
		"stream": func(level linear.CheckLevel) (*linear.SceneSnapshot, error) {
			return linear.ReadScene(bytes.NewReader(file), level)
		},
		"odd": func(level linear.CheckLevel) (*linear.SceneSnapshot, error) {
			return linear.SceneFromBytes(append(make([]byte, 1, len(file)+1), file...)[1:], level)
		},
	} {
		for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
			f, err := open(level)
			if err != nil {
				t.Errorf("%s, %v: %v", name, level, err)
				continue
			}
			v := f.View()
			if err := want.differs(v); err != nil {
				t.Errorf("%s, %v: %v", name, level, err)
			}
			if info := f.Info(); info.Bytes != int64(len(file)) || info.Level != level || info.Mapped != (name == "map") || info.Sections[1].Group != 1 {
				t.Errorf("%s, %v: %+v", name, level, info)
			}
			if got, err := linear.LoadColumn[uint64](f.Objects(), "pi"); err != nil || got[2] != 4 || f.Objects().Len() != 1 {
				t.Errorf("%s, %v: section %v, %v", name, level, got, err)
			}
			for range 2 {
				again, err := f.Load()
				must(t, err)
				validScene(t, again)
				if again.LayoutDigest() != digest {
					t.Errorf("%s, %v: loaded another scene", name, level)
				}
				must(t, again.Tick()) // the loaded scene does not share the memory of the file
			}
			if err := want.differs(v); err != nil {
				t.Errorf("%s, %v, after loading: %v", name, level, err)
			}
			have, st := f.Stats(), s.Stats()
			if have.Instances != st.Instances || have.Parts != st.Parts || have.Depth != st.Depth || have.Total != st.Total || have.Turning != st.Turning ||
				have.Objects.Objects != st.Objects.Objects || have.Boxes.Packets != st.Boxes.Packets || have.Bytes() == 0 {
				t.Errorf("%s, %v: %+v, the scene has %+v", name, level, have, st)
			}
			in, _, _ := v.Instance(0)
			must(t, f.Close())
			must(t, f.Close())
			for what, f := range map[string]func(){"View": func() { f.View() }, "a view": func() { v.Total() }, "a part": func() { in.Objects() }, "Objects": func() { f.Objects().View() }, "Stats": func() { f.Stats() }} {
				if said := said(f); !strings.Contains(said, "closed") {
					t.Errorf("%s: %s of a scene that is closed says %q", name, what, said)
				}
			}
			if _, err := f.Load(); !errors.Is(err, linear.ErrClosed) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := linear.SceneFromBytes(file, linear.CheckNone+1); err == nil {
		t.Error("a level that there is not is taken")
	}
	if _, err := linear.FromBytes(file, linear.CheckNone); !errors.Is(err, linear.ErrSnapshotVersion) || !strings.Contains(err.Error(), "holds a scene, not a tree: use OpenSceneMapped, OpenScene, ReadScene or SceneFromBytes") {
		t.Errorf("a scene as a tree: %v", err)
	}
	if _, err := linear.SceneFromBytes(written(t, treeOf(t)), linear.CheckNone); !errors.Is(err, linear.ErrSnapshotVersion) || !strings.Contains(err.Error(), "holds a tree, not a scene: use OpenMapped, Open, Read or FromBytes") {
		t.Errorf("a tree as a scene: %v", err)
	}
	if _, err := linear.OpenSceneMapped(path+"x", linear.CheckNone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A file of a scene that is cut anywhere is rejected; so is, or at the latest by loading, a file with a flipped
// bit; an error of a writer at any byte is returned.
func TestSceneSnapshotDecay(t *testing.T) {
	_, s := smallScene(t)
	file := writtenScene(t, s)
	digest := s.LayoutDigest()
	step := testkit.Budget(t, 211, 11)
	for n := 0; n < len(file); n += min(step, 5) {
		for _, level := range []linear.CheckLevel{linear.CheckSafe, linear.CheckNone} {
			if _, err := linear.SceneFromBytes(file[:n], level); !errors.Is(err, linear.ErrSnapshot) {
				t.Fatalf("%d bytes of %d, level %v: %v", n, len(file), level, err)
			}
		}
		if n%step == 0 {
			if k, err := s.WriteTo(&failingWriter{n}); k != int64(n) || !errors.Is(err, errDisk) {
				t.Fatalf("a writer of %d bytes: %d, %v", n, k, err)
			}
		}
	}
	for at := 0; at < len(file); at += step {
		file[at] ^= 4
		if _, err := linear.SceneFromBytes(file, linear.CheckSums); err == nil {
			t.Fatalf("byte %d: not noticed by sums", at)
		}
		if f, err := linear.SceneFromBytes(file, linear.CheckSafe); err == nil {
			if _, err := f.Load(); err == nil {
				t.Fatalf("byte %d: not noticed", at)
			}
		}
		file[at] ^= 4
	}
	if s.LayoutDigest() != digest {
		t.Error("the scene has changed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "scene")
	if err := s.Save(ctx, path, linear.SnapshotOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a save that was ended: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it has left %v", err)
	}
}

// Wrong data of parts and instances in a file is an error that names the part.
func TestSceneSnapshotSays(t *testing.T) {
	_, s := smallScene(t)
	file := writtenScene(t, s)
	f, err := linear.SceneFromBytes(file, linear.CheckNone)
	must(t, err)
	sections := f.Info().Sections
	top := sections[len(sections)-1].Group
	word := func(group int, name string, at int) []byte {
		for _, c := range sections {
			if c.Group == group && c.Name == name {
				return file[c.Offset+int64(at):]
			}
		}
		t.Fatalf("no section %q of %d", name, group)
		return nil
	}
	nan, e := uint32(0x7fc00000), binary.LittleEndian
	for _, c := range []struct {
		group int
		name  string
		at    int // index of a word of 4 bytes
		value uint32
		want  string
		is    error
	}{
		{0, "Parts", 0, 9, "part 0 of 8: .* of kind 9", nil},
		{0, "Parts", top - 1, 1, "the last must be a scene", nil},
		{0, "Parts", 0, 2, "part 0 of 8: .*no section", nil},
		{top, "Entries", 20, uint32(top - 1), "part 7 of 8: .*holds part 7, which does not precede it", linear.ErrCycle},
		{top, "Entries", 20, 999, "part 7 of 8: .*holds part 999, which is missing", nil},
		{top, "Entries", 20, 0, "part 0, of kind 1, which is wrong there|is not in depth-first order|no instances|tree of its own|has the box", nil},
		{top, "Entries", 10, 0, "holds part 0, of kind 1, which is wrong there", nil},
		{top, "Entries", 0, 3, "which is wrong there", nil},
		{top, "Entries", 22, nan, "has the bounds", nil},
		{top, "Entries", 29, 0xfff00000, "has the bounds", nil},
		{top, "Entries", 29, 0x7ff00000, "has the bounds", nil},
		{top, "Entries", 31, 7, "entry 3 has no part, but data of one", nil},
		{top, "FreeEntries", 0, 0, "is listed as unused", nil},
		{top, "FreeEntries", 0, 77, "is listed as unused", nil},
		{top, "InstanceEntries", 0, 77, "instance 0 is in entry 77", nil},
		{top, "InstanceEntries", 0, 1, "instance 0 is in entry 1", nil},
		{top, "InstanceEntries", 0, 1<<32 - 1, "instance 0 is free, with", nil},
		{top, "InstanceEntries", 1, 2, "instance 1: .* no usable inverse|3 instances|2 boxes|has the box", nil},
		{top, "Transforms", 1, 0x7ff80000, "instance 0: .* not finite", nil},
		{top, "Transforms", 0, 0, "", nil},
		{top, "Transforms", 25, 0x40000000, "instance 1 is free, with", nil},
		{top, "Transforms", 7, 0x40000000, "instance 0 has the box", nil},
		{top, "Reaches", 1, 0x7ff80000, "has the reach", nil},
		{top, "Reaches", 1, 0x40000000, "instance 0 has the box .* the reach", nil},
		{top, "Reaches", 3, 0x3ff00000, "instance 1 is free, with", nil},
		{top, "Ticks", 1, 1, " ticks", nil},
		{top, "Due", 0, 1 << 9, "entry 9 of 5 is due", nil},
	} {
		b := word(c.group, c.name, 4*c.at)
		was := e.Uint32(b)
		e.PutUint32(b, c.value)
		rightSums(file)
		_, err := linear.SceneFromBytes(file, linear.CheckSafe)
		if c.want == "" {
			must(t, err)
		} else if err == nil || !matches(c.want, err.Error()) || !errors.Is(err, linear.ErrSnapshot) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s of %d, word %d is %#x: %v", c.name, c.group, c.at, c.value, err)
		}
		e.PutUint32(b, was)
	}
	rightSums(file)
	_, err = linear.SceneFromBytes(file, linear.CheckFull)
	must(t, err)

	// Nine nested instances.
	var part linear.Part = treeOf(t, cube(0, 0, 0, 1))
	for range linear.MaxDepth {
		outer := newScene(t, linear.Config{})
		place(t, outer, part, at(1, 0, 0), linear.InstanceOptions{})
		part = outer
	}
	_, err = linear.SceneFromBytes(writtenScene(t, part.(*linear.Scene)), linear.CheckSafe)
	must(t, err)
	linear.Deepen(part.(*linear.Scene), 0)
	outer := newScene(t, linear.Config{})
	place(t, outer, part, at(1, 0, 0), linear.InstanceOptions{})
	_, err = linear.SceneFromBytes(writtenScene(t, outer), linear.CheckNone)
	if !errors.Is(err, linear.ErrDepth) || !strings.Contains(err.Error(), "part 27 of 28") {
		t.Errorf("nine places one inside the other: %v", err)
	}
}

// A part that cannot be saved is an error that names it.
func TestSceneSaveClosed(t *testing.T) {
	s := newScene(t, linear.Config{})
	snap := openedOf(t, cube(0, 0, 0, 1))
	place(t, s, snap, at(1, 0, 0), linear.InstanceOptions{})
	must(t, snap.Close())
	if n, err := s.WriteTo(new(bytes.Buffer)); n != 0 || !errors.Is(err, linear.ErrClosed) || !strings.Contains(err.Error(), "part 2 of a scene") {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The own tree of one scene that is also an instance in another is one tree after loading.
func TestSceneSavedOwnTree(t *testing.T) {
	inner, s := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	_, err := inner.Tree().Insert(linear.Object{Box: cube(1, 2, 3, 1)})
	must(t, err)
	place(t, s, inner.Tree(), at(1, 0, 0), linear.InstanceOptions{})
	place(t, s, inner, at(9, 0, 0), linear.InstanceOptions{})
	again := loadedScene(t, writtenScene(t, s), linear.CheckSafe)
	tree, _, _ := again.Instance(0)
	part, _, _ := again.Instance(1)
	if tree.(*linear.Tree) != part.(*linear.Scene).Tree() {
		t.Error("they are two")
	}
	validScene(t, again)
}

// The format of scenes is stable, on every machine: see TestSnapshotGolden.
func TestSceneGolden(t *testing.T) {
	const path = "testdata/scene.zoc"
	p, s := smallScene(t)
	now := writtenScene(t, s)
	if *update {
		must(t, os.WriteFile(path, now, 0o644))
	}
	file, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(now, file) {
		t.Errorf("%d bytes, other ones than the %d of the file", len(now), len(file))
	}
	f, err := linear.SceneFromBytes(file, linear.CheckFull)
	must(t, err)
	defer f.Close()
	if err := copyOf(p, map[*modelPart]*sceneCopy{}).differs(f.View()); err != nil {
		t.Error(err)
	}
	const digest = uint64(0x87fd231095df8544)
	if got := loadedScene(t, file, linear.CheckSafe).LayoutDigest(); got != digest || s.LayoutDigest() != digest {
		t.Errorf("the digest is %#x on this machine", got)
	}
}

// matches reports whether a text has a match of a pattern.
func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// Trim is the same change for a scene whether or not its trees have memory to free: the amount is not part of a
// file.
func TestSceneTrimSaved(t *testing.T) {
	s := newScene(t, linear.Config{})
	ids := insert(t, s.Tree(), grid(16))
	must(t, s.Tree().RemoveBatch(ids[100:]))
	rebuild(t, s.Tree(), false)
	rebuild(t, s.Tree(), false) // in the memory of the first rebuild
	for range 80 {
		must(t, s.Tick())
	}
	again := loadedScene(t, writtenScene(t, s), linear.CheckSafe)
	if s.Due() != 0 || s.Tree().Stats().Slack <= again.Tree().Stats().Slack {
		t.Fatalf("%d entries are due, %d bytes of slack, %d of the copy", s.Due(), s.Tree().Stats().Slack, again.Tree().Stats().Slack)
	}
	for _, s := range []*linear.Scene{s, again} {
		s.Trim()
		must(t, s.Tick())
	}
	if s.LayoutDigest() != again.LayoutDigest() {
		t.Error("they differ")
	}
}
