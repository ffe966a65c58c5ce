package linear_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// A scene renumbers its entries when most parts have left, and in Trim. Its views, the scenes that hold it, held
// versions and later changes agree with the model. Copies from a file change in the same way.
func TestSceneCompact(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range testkit.Turn(t, 0, sceneConfigs) {
		t.Run(fmt.Sprintf("config=%d", i), func(t *testing.T) {
			const trees = 150
			m := newSceneModel(t, seed+uint64(i), trees, 2, cfg)
			inner, outer := m.parts[trees], m.parts[trees+1]
			add := func(p, part *modelPart) {
				o := linear.InstanceOptions{Turns: m.r.IntN(3) == 0}
				transform := m.transform(t)
				id := place(t, p.scene, part.as(), transform, o)
				p.instances[id] = &modelPlace{part, transform, o}
				p.at = append(p.at, id)
			}
			for k, p := range m.parts[:trees] {
				box := m.object()
				p.ids = insert(t, p.tree, []linear.Object{box})
				p.live[p.ids[0]] = box
				if k%3 == 0 {
					p = p.saved(t)
				}
				for range 1 + k%2 {
					add(inner, p)
				}
				if k%10 == 0 {
					add(outer, p)
				}
			}
			add(outer, inner)
			publisher := linear.NewScenePublisher(outer.scene)
			old := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
			renumbered := 0
			for round := 0; len(inner.at) > 5; round++ {
				before := len(linear.UnusedEntries(inner.scene))
				var again *linear.Scene
				if renumbered == 0 && 4*(before+8) > 3*trees { // this removal may be the one
					again = loadedScene(t, writtenScene(t, inner.scene), linear.CheckSafe)
				}
				gone := m.remove(t, inner)
				if len(linear.UnusedEntries(inner.scene)) < before {
					renumbered++
				}
				if again != nil {
					if len(gone) == 1 {
						must(t, again.Remove(gone[0]))
					} else {
						must(t, again.RemoveBatch(gone))
					}
					if again.LayoutDigest() != inner.scene.LayoutDigest() {
						t.Fatalf("a copy has another layout after %v", m.log)
					}
				}
				if round%16 == 0 || len(linear.UnusedEntries(inner.scene)) < before {
					m.check(t, inner)
					m.check(t, outer)
					publisher.Publish()
					now := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
					for _, h := range []*heldScene{old, now} {
						if err := h.want.differs(h.View()); err != nil {
							t.Fatalf("held: %v, after %v", err, m.log)
						}
					}
					old.Release()
					old = now
				}
			}
			if renumbered == 0 || len(linear.UnusedEntries(inner.scene)) > 64 {
				t.Fatalf("renumbered %d times, %d entries are unused", renumbered, len(linear.UnusedEntries(inner.scene)))
			}
			m.views = nil
			m.check(t, outer)
			inner.scene.Trim()
			if n := len(linear.UnusedEntries(inner.scene)); n > 0 {
				t.Errorf("%d entries are unused after Trim", n)
			}
			m.check(t, inner)
			m.check(t, outer)
			for _, p := range m.parts[:20] {
				add(inner, p)
			}
			m.views = nil
			m.check(t, inner)
			m.check(t, outer)
			publisher.Publish()
			now := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
			for _, h := range []*heldScene{old, now} {
				if err := h.want.differs(h.View()); err != nil {
					t.Fatalf("held: %v, after %v", err, m.log)
				}
			}
		})
	}
}

// For any bits of the due entries in a file, CheckFull rejects the file if and only if Load does: of a scene in
// a scene, with a tree that has changed in both, and a snapshot of a tree that had not ticked.
func TestSceneSnapshotDue(t *testing.T) {
	_, s := smallScene(t)
	file := writtenScene(t, s)
	f, err := linear.SceneFromBytes(file, linear.CheckFull)
	must(t, err)
	var words [][]byte
	for _, c := range f.Info().Sections {
		if c.Name == "Due" {
			words = append(words, file[c.Offset:c.Offset+8])
		}
	}
	if len(words) != 2 {
		t.Fatalf("%d scenes, want 2", len(words))
	}
	e := binary.LittleEndian
	const entries = 6 // and one bit beyond the entries
	right := [2]uint64{e.Uint64(words[0]), e.Uint64(words[1])}
	most := testkit.Budget(t, 1, 3) // number of bits that differ in a word
	refused, taken := 0, 0
	for inner := range uint64(1 << entries) {
		for outer := range uint64(1 << entries) {
			if bits.OnesCount64(inner^right[0]) > most || bits.OnesCount64(outer^right[1]) > most {
				continue
			}
			e.PutUint64(words[0], inner)
			e.PutUint64(words[1], outer)
			rightSums(file)
			_, full := linear.SceneFromBytes(file, linear.CheckFull)
			f, safe := linear.SceneFromBytes(file, linear.CheckSafe)
			if safe == nil {
				_, safe = f.Load()
			}
			if (full == nil) != (safe == nil) || full != nil && !errors.Is(full, linear.ErrSnapshot) {
				t.Fatalf("due %#b and %#b: CheckFull: %v; Load: %v", inner, outer, full, safe)
			}
			if full == nil {
				taken++
			} else {
				refused++
			}
		}
	}
	if taken < 2 || refused < 2 {
		t.Errorf("%d are taken, %d refused", taken, refused)
	}
}

// A view of a scene during a rebuild of a part, which is not allowed, panics with the reason. Later reads find
// the scene unchanged, whether or not the panic ends the rebuild.
func TestSceneViewAmidRebuild(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	for _, ends := range []bool{false, true} {
		for _, which := range []string{"part", "own tree", "part of a part"} {
			for _, before := range []string{"insert", "move", "nothing"} {
				t.Run(fmt.Sprintf("%s after %s ends %v", which, before, ends), func(t *testing.T) {
					outer, err := linear.NewScene(linear.Config{PendingMin: 64})
					must(t, err)
					inner, err := linear.NewScene(linear.Config{PendingMin: 64})
					must(t, err)
					part := newTree(t, linear.Config{PendingMin: 64})
					tree, instances := part, uint64(1)
					switch which {
					case "own tree":
						tree = outer.Tree()
					case "part of a part":
						_, err = inner.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
						must(t, err)
						_, err = outer.AddInstance(inner, linear.Transform{}, linear.InstanceOptions{})
					default:
						instances = 2
						_, err = outer.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
						must(t, err)
						_, err = outer.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
					}
					must(t, err)
					insert(t, tree, objects[:2000])
					must(t, outer.Tick())
					outer.View()
					want := uint64(2000)
					switch before {
					case "insert":
						for _, o := range objects[2000:] {
							_, err := tree.Insert(o)
							must(t, err)
						}
						want = 3000
					case "move":
						for id := range uint32(500) {
							must(t, tree.Move(id, objects[2000+id].Box))
						}
					}
					refused, viewed := 0, 0
					look := func(linear.Phase, float64) {
						defer func() {
							switch r := recover().(type) {
							case nil:
								viewed++
							case string:
								if !strings.HasPrefix(r, "linear: ") || !strings.Contains(r, "during a build") {
									t.Errorf("panic %q", r)
								}
								if refused++; ends {
									panic(r)
								}
							default:
								t.Errorf("panic %v", r)
							}
						}()
						outer.View().Objects().Len()
					}
					if r := testkit.Panic(func() { must(t, tree.Rebuild(nil, linear.RebuildOptions{Progress: look})) }); (r != nil) != (ends && refused > 0) {
						t.Errorf("Rebuild panics: %v", r)
					}
					if before == "insert" && refused == 0 || refused+viewed == 0 {
						t.Errorf("%d views were refused, %d were not", refused, viewed)
					}
					check := func() {
						t.Helper()
						v := outer.View()
						total := uint64(0)
						for _, part := range v.Parts() {
							total += uint64(part.Objects().Len()) // panics if the view is stale
						}
						if v.Total() != want*instances || total != want {
							t.Errorf("%d objects, %d through parts, want %d", v.Total(), total, want)
						}
						must(t, outer.Validate())
					}
					check()
					must(t, outer.Tick())
					check()
				})
			}
		}
	}
}

// A checkpoint of a scene that is saved beside the writer equals the scene at its creation, byte by byte, after
// any changes of the parts.
func TestSceneCheckpoint(t *testing.T) {
	seed := testkit.Seed(t)
	saves, apart := 0, 0
	for i, cfg := range sceneConfigs {
		for round := range testkit.Budget(t, 2, 30) {
			t.Run(fmt.Sprintf("config=%d/round=%d", i, round), func(t *testing.T) {
				m := newSceneModel(t, seed+uint64(1000*i+round), 3, 2+3*round%8, cfg)
				m.chain(t)
				top := slices.MaxFunc(m.parts[m.trees:], func(a, b *modelPart) int { return a.depth() - b.depth() })
				p := linear.NewScenePublisher(top.scene)
				var all sync.WaitGroup
				for step := range testkit.Budget(t, 40, 400) {
					m.step(t)
					if part := m.scene(); m.size(part) > 1000 {
						m.clear(t, part)
					}
					if step%9 != 8 {
						continue
					}
					m.mayEnd(top)
					c := p.Checkpoint()
					want, digest := writtenScene(t, top.scene), top.scene.LayoutDigest()
					if step%27 == 8 {
						held := p.Acquire()
						if got := held.View().Total(); got != top.scene.View().Total() {
							t.Errorf("step %d: %d objects are published, want %d", step, got, top.scene.View().Total())
						}
						held.Release()
					}
					saves++
					all.Go(func() {
						defer c.Release()
						var file bytes.Buffer
						if n, err := c.WriteTo(&file); err != nil || n != int64(file.Len()) || !bytes.Equal(file.Bytes(), want) {
							t.Errorf("step %d: %d bytes, want %d, %v, or other ones", step, file.Len(), len(want), err)
						}
						if got := c.LayoutDigest(); got != digest {
							t.Errorf("step %d: digest %x, want %x", step, got, digest)
						}
					})
					if step%2 == 0 {
						all.Wait() // else it is saved while the scene changes and the next checkpoint is taken
					} else {
						apart++
					}
				}
				all.Wait()
			})
		}
	}
	if saves == 0 || apart == 0 {
		t.Errorf("%d checkpoints, %d of them saved beside the writer", saves, apart)
	}
}

// A checkpoint keeps its contents after everything is removed, and its file is complete or absent.
func TestSceneCheckpointSave(t *testing.T) {
	_, s := smallScene(t)
	p := linear.NewScenePublisher(s)
	want := s.LayoutDigest()
	c := p.Checkpoint()
	s.Clear()
	p.Publish()
	path := filepath.Join(t.TempDir(), "scene")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Save(ctx, path, linear.SnapshotOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if _, err := linear.OpenSceneMapped(path, linear.CheckFull); err == nil {
		t.Fatal("a file is there after a save that was cancelled")
	}
	must(t, c.Save(t.Context(), path, linear.SnapshotOptions{}))
	f, err := linear.OpenSceneMapped(path, linear.CheckFull)
	must(t, err)
	loaded, err := f.Load()
	must(t, err)
	must(t, f.Close())
	if got := loaded.LayoutDigest(); got != want || c.LayoutDigest() != want || s.LayoutDigest() == want {
		t.Errorf("digest %x, of the checkpoint %x, want %x", got, c.LayoutDigest(), want)
	}
	c.Release()
	for name, f := range map[string]func(){
		"LayoutDigest": func() { c.LayoutDigest() },
		"Release":      c.Release,
		"Save":         func() { _ = c.Save(t.Context(), path, linear.SnapshotOptions{}) },
	} {
		if what := said(f); what == "" {
			t.Errorf("%s after the release: no panic", name)
		}
	}
}
