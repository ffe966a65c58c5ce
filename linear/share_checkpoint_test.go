package linear_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// saving is a checkpoint in the process of saving.
type saving struct {
	frame  int
	digest uint64
	want   []byte // the file as the tree itself writes it
	file   bytes.Buffer
}

// A checkpoint that is saved beside the writer equals the tree at its creation, bit by bit, and the later calls
// turn it into the present tree, after each of them.
func TestCheckpointReplay(t *testing.T) {
	seed := testkit.Seed(t)
	frames := testkit.Budget(t, 36, 400)
	for i, cfg := range replayConfigs() {
		t.Run(fmt.Sprint("config ", i), func(t *testing.T) {
			tree := newTree(t, cfg)
			p := linear.NewPublisher(tree)
			s := newScript(cfg, tree, seed+uint64(i))
			r := testkit.Rand(seed + 99)
			var b linear.Batch
			var log [][]byte // nil: a tick
			var digests []uint64
			var saves []*saving
			var all sync.WaitGroup
			for frame := range frames {
				if frame == 1 || r.IntN(frames/6) == 0 {
					c := p.Checkpoint()
					at := &saving{frame: frame, digest: tree.LayoutDigest(), want: written(t, tree)}
					saves = append(saves, at)
					all.Go(func() {
						defer c.Release()
						if _, err := c.WriteTo(&at.file); err != nil || c.LayoutDigest() != at.digest {
							t.Errorf("frame %d: %v, or another digest", at.frame, err)
						}
					})
				}
				if r.IntN(4) == 0 {
					must(t, tree.Tick())
					log = append(log, nil)
				} else {
					b.Reset()
					s.record(&b, s.batch(true))
					data, err := b.AppendBinary([]byte{})
					must(t, err)
					log = append(log, data)
					if _, err := tree.Apply(&b); err != nil {
						t.Fatalf("frame %d: %v", frame, err)
					}
				}
				if r.IntN(3) > 0 {
					p.Publish()
				}
				digests = append(digests, tree.LayoutDigest())
				s.placed(t)
			}
			all.Wait()
			if len(saves) < 2 {
				t.Fatalf("%d checkpoints", len(saves))
			}
			for _, at := range saves {
				if !bytes.Equal(at.file.Bytes(), at.want) {
					t.Fatalf("frame %d: another file than that of the tree", at.frame)
				}
				again := loaded(t, at.file.Bytes(), linear.CheckFull)
				if again.LayoutDigest() != at.digest {
					t.Fatalf("frame %d: another tree", at.frame)
				}
				for k := at.frame; k < frames; k++ {
					if log[k] == nil {
						must(t, again.Tick())
					} else {
						must(t, b.UnmarshalBinary(log[k]))
						if _, err := again.Apply(&b); err != nil {
							t.Fatalf("from %d, frame %d: %v", at.frame, k, err)
						}
					}
					if again.LayoutDigest() != digests[k] {
						t.Fatalf("from %d, frame %d: another tree", at.frame, k)
					}
				}
				valid(t, again)
			}
		})
	}
}

// gatedWriter is a writer that blocks before the first byte until it is opened.
type gatedWriter struct {
	bytes.Buffer
	begun, open chan struct{}
	once        sync.Once
}

func (g *gatedWriter) Write(b []byte) (int, error) {
	g.once.Do(func() { close(g.begun); <-g.open })
	return g.Buffer.Write(b)
}

// The writer continues during a blocked save, with all kinds of changes: it rebuilds, clears, trims, and
// publishes more often than versions are kept.
func TestCheckpointWriterGoesOn(t *testing.T) {
	tree := manyKinds(t)
	p := linear.NewPublisher(tree)
	c := p.Checkpoint()
	want := written(t, tree)
	const savers = 3
	var gates [savers]gatedWriter
	var all sync.WaitGroup
	for i := range gates {
		g := &gates[i]
		g.begun, g.open = make(chan struct{}), make(chan struct{})
		all.Go(func() {
			if n, err := c.WriteTo(g); err != nil || n != int64(g.Len()) {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	for i := range gates {
		<-gates[i].begun
	}
	r := testkit.Rand(3)
	for frame := range 100 {
		switch frame {
		case 40:
			must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
		case 60:
			tree.Trim()
		case 90:
			tree.Clear()
		}
		insert(t, tree, []linear.Object{{Box: cube(r.Float32()*9, 1, 1, 1)}})
		must(t, tree.Move(uint32(tree.Len()-1), cube(r.Float32()*9, 2, 2, 1)))
		must(t, tree.Tick())
		p.Publish()
		if frame%30 == 0 { // with memory of its own
			other := p.Checkpoint()
			if other.LayoutDigest() != tree.LayoutDigest() {
				t.Fatalf("frame %d: the checkpoint is another tree", frame)
			}
			other.Release()
		}
	}
	if st := tree.Stats(); st.Held != 1 {
		t.Errorf("%d versions are held", st.Held)
	}
	for i := range gates {
		close(gates[i].open)
	}
	all.Wait()
	for i := range gates {
		if !bytes.Equal(gates[i].Bytes(), want) {
			t.Errorf("save %d: another file", i)
		}
	}
	c.Release()
	if st := tree.Stats(); st.Held != 0 || st.Scratch == 0 {
		t.Errorf("%d versions are held, %d bytes of buffers", st.Held, st.Scratch)
	}
}

// A cancelled save keeps the former file and the checkpoint; sections and progress are those in Tree.Save.
func TestCheckpointSave(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, grid(6))
	p := linear.NewPublisher(tree)
	path := filepath.Join(t.TempDir(), "tree")
	must(t, tree.Save(nil, path, linear.SnapshotOptions{}))
	former, err := os.ReadFile(path)
	must(t, err)
	must(t, tree.Remove(ids[5]))
	must(t, tree.SetMask(ids[7], 99)) // not published yet
	c := p.Checkpoint()
	must(t, tree.Remove(ids[6]))

	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	err = c.Save(ctx, path, linear.SnapshotOptions{Progress: func(share float64) {
		if steps++; share > 0.6 {
			cancel()
		}
	}})
	if now, _ := os.ReadFile(path); !errors.Is(err, context.Canceled) || steps == 0 || !bytes.Equal(now, former) {
		t.Errorf("a save that was ended: %v after %d steps, or another file", err, steps)
	}
	if n, err := c.WriteTo(&failingWriter{100}); n != 100 || !errors.Is(err, errDisk) {
		t.Errorf("a writer of 100 bytes: %d, %v", n, err)
	}
	must(t, c.Save(nil, path, linear.SnapshotOptions{Sections: []linear.Section{linear.SaveColumn("sequence", []uint64{42})}}))
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the folder holds %v", list)
	}
	s, err := linear.OpenMapped(path, linear.CheckFull)
	must(t, err)
	defer s.Close()
	if o, ok := s.View().Object(ids[7]); s.Len() != 215 || tree.Len() != 214 || !ok || o.Mask != 99 {
		t.Errorf("%d objects in the file, %d in the tree; %v, %v", s.Len(), tree.Len(), o, ok)
	}
	if seq, err := linear.LoadColumn[uint64](s, "sequence"); err != nil || seq[0] != 42 {
		t.Errorf("section %v, %v", seq, err)
	}
	c.Release()
	for name, f := range map[string]func(){
		"Release": c.Release, "WriteTo": func() { c.WriteTo(io.Discard) }, "Save": func() { c.Save(nil, path, linear.SnapshotOptions{}) },
		"LayoutDigest": func() { c.LayoutDigest() },
	} {
		if said := said(f); !strings.Contains(said, "of a checkpoint") {
			t.Errorf("%s after the release says %q", name, said)
		}
	}
}

// A tree that is loaded from a checkpoint reuses free IDs in the same order: none, few or many.
func TestCheckpointFreeIDs(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, grid(13))
	p := linear.NewPublisher(tree)
	r := testkit.Rand(4)
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	free := 0
	for _, n := range []int{0, 1, 5, len(ids) / 256, 200, 3, len(ids)} {
		for ; free < n; free++ {
			must(t, tree.Remove(ids[len(ids)-1]))
			ids = ids[:len(ids)-1]
		}
		for ; free > n; free-- {
			id, err := tree.Insert(linear.Object{Box: cube(1, 2, 3, 1)})
			must(t, err)
			ids = append(ids, id)
		}
		c := p.Checkpoint()
		var file bytes.Buffer
		_, err := c.WriteTo(&file)
		must(t, err)
		c.Release()
		if !bytes.Equal(file.Bytes(), written(t, tree)) {
			t.Fatalf("%d free: another file", n)
		}
	}
}

// Checkpoints have no effect except on the choice of the version that readers get.
func TestCheckpointPublishes(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true})
	ids := insert(t, tree, grid(4))
	p := linear.NewPublisher(tree)
	must(t, tree.Move(ids[3], cube(9, 9, 9, 1)))
	digest := tree.LayoutDigest()
	p.Checkpoint().Release()
	h := p.Acquire()
	if o, _ := h.View().Object(ids[3]); o.Box != cube(9, 9, 9, 1) {
		t.Errorf("the version that is published has the box %v", o.Box)
	}
	version := h.View().Store().Version
	h.Release()
	p.Checkpoint().Release()
	h = p.Acquire()
	defer h.Release()
	if tree.LayoutDigest() != digest || h.View().Store().Version != version {
		t.Error("a checkpoint has changed the tree")
	}
	tree.Trim()
	if st := tree.Stats(); st.Held != 1 {
		t.Errorf("%d versions are held", st.Held)
	}
}
