package linear_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

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
