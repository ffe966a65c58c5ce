package linear_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// allOf returns all IDs of a view, in the order of a query.
func allOf(v linear.View) []uint32 { return query.Frustum{}.Append(nil, v, query.Filter{}) }

// Every way of opening a file gives the saved tree, at every level, and loads it.
func TestSnapshotWays(t *testing.T) {
	tree := manyKinds(t)
	want, digest := allOf(tree.View()), tree.LayoutDigest()
	path := filepath.Join(t.TempDir(), "tree")
	values := []uint64{3, 1, 4, 1, 5}
	must(t, tree.Save(t.Context(), path, linear.SnapshotOptions{Sections: []linear.Section{linear.SaveColumn("pi", values)}}))
	file, err := os.ReadFile(path)
	must(t, err)
	for name, open := range map[string]func(level linear.CheckLevel) (*linear.Snapshot, error){
		"map": func(level linear.CheckLevel) (*linear.Snapshot, error) { return linear.OpenMapped(path, level) },
		"at": func(level linear.CheckLevel) (*linear.Snapshot, error) {
			return linear.Open(bytes.NewReader(file), int64(len(file)), level)
		},
		"stream": func(level linear.CheckLevel) (*linear.Snapshot, error) {
			return linear.Read(bytes.NewReader(file), level)
		},
		"bytes": func(level linear.CheckLevel) (*linear.Snapshot, error) { return linear.FromBytes(file, level) },
		"odd": func(level linear.CheckLevel) (*linear.Snapshot, error) {
			return linear.FromBytes(append(make([]byte, 1, len(file)+1), file...)[1:], level)
		},
	} {
		for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
			s, err := open(level)
			if err != nil {
				t.Errorf("%s, %v: %v", name, level, err)
				continue
			}
			info := s.Info()
			if !slices.Equal(allOf(s.View()), want) || s.Len() != tree.Len() || s.World() != tree.World() ||
				info.Bytes != int64(len(file)) || info.Level != level || info.Mapped != (name == "map") {
				t.Errorf("%s, %v: another tree, or another file: %+v", name, level, info)
			}
			if got := info.Sections[len(info.Sections)-1]; got.Name != "pi" || !got.User || got.Row != 8 || got.Bytes != 40 || got.Offset%64 != 0 {
				t.Errorf("%s, %v: the last section is %+v", name, level, got)
			}
			if got, err := linear.LoadColumn[uint64](s, "pi"); err != nil || !slices.Equal(got, values) {
				t.Errorf("%s, %v: section %v, %v", name, level, got, err)
			}
			for range 2 {
				if got, err := s.Load(); err != nil || got.LayoutDigest() != digest {
					t.Errorf("%s, %v: loaded another tree, %v", name, level, err)
				} else {
					must(t, got.Tick()) // it does not share the memory of the file
				}
			}
			if !slices.Equal(allOf(s.View()), want) {
				t.Errorf("%s, %v: the file has changed", name, level)
			}
			must(t, s.Close())
			must(t, s.Close())
		}
	}
	if _, err := linear.FromBytes(file, linear.CheckNone+1); err == nil {
		t.Error("a level that there is not is taken")
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, file) {
		t.Error("the file has changed")
	}
}

// Equal trees make equal files, and a loaded tree makes the same file again.
func TestSnapshotIsCanonical(t *testing.T) {
	tree := manyKinds(t)
	file := written(t, tree)
	for name, other := range map[string]*linear.Tree{"again": tree, "clone": tree.Clone(), "loaded": loaded(t, file, linear.CheckFull)} {
		if !bytes.Equal(written(t, other), file) {
			t.Errorf("%s: another file", name)
		}
	}
}

// Closing a snapshot invalidates its views, which panic, and prevents loading.
func TestSnapshotClosed(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(5))
	path := filepath.Join(t.TempDir(), "tree")
	must(t, tree.Save(nil, path, linear.SnapshotOptions{}))
	s, err := linear.OpenMapped(path, linear.CheckSafe)
	must(t, err)
	v := s.View()
	must(t, s.Close())
	for name, f := range map[string]func(){
		"a query": func() { allOf(v) }, "Len": func() { v.Len() }, "Locate": func() { v.Locate(1) }, "View": func() { s.View() },
	} {
		if said, _ := testkit.Panic(f).(string); !strings.Contains(said, "closed") {
			t.Errorf("%s of a snapshot that has been closed: %q", name, said)
		}
	}
	if _, err := s.Load(); !errors.Is(err, linear.ErrClosed) {
		t.Errorf("Load: %v", err)
	}
	if _, err := linear.LoadColumn[uint32](s, "x"); !errors.Is(err, linear.ErrClosed) {
		t.Errorf("LoadColumn: %v", err)
	}
}

// A file that is cut anywhere is rejected, at every level.
func TestSnapshotCut(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(2))
	file := written(t, tree)
	for n := range file {
		for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
			if _, err := linear.FromBytes(file[:n], level); !errors.Is(err, linear.ErrSnapshot) {
				t.Fatalf("%d bytes of %d, level %v: %v", n, len(file), level, err)
			}
		}
		if n%50 == 0 {
			if _, err := linear.Read(bytes.NewReader(file[:n]), linear.CheckSafe); !errors.Is(err, linear.ErrSnapshot) {
				t.Fatalf("a stream of %d bytes of %d: %v", n, len(file), err)
			}
		}
	}
}

// Every byte of a file matters, in the long form: a flipped bit is detected, at CheckSums and CheckFull by
// opening the file, at CheckSafe at the latest when a tree is made of it.
func TestSnapshotDecay(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(2))
	file := written(t, tree)
	for at := 0; at < len(file); at += testkit.Budget(t, 11, 1) {
		file[at] ^= 4
		for _, level := range []linear.CheckLevel{linear.CheckSums, linear.CheckFull} {
			if _, err := linear.FromBytes(file, level); err == nil {
				t.Fatalf("byte %d, level %v: not noticed", at, level)
			}
		}
		if s, err := linear.FromBytes(file, linear.CheckSafe); err == nil {
			if _, err := s.Load(); err == nil {
				t.Fatalf("byte %d: not noticed", at)
			}
		}
		file[at] ^= 4
	}
}

// failingWriter fails after that many bytes.
type failingWriter struct{ left int }

var errDisk = errors.New("the disk is full")

func (w *failingWriter) Write(b []byte) (int, error) {
	if n := w.left; len(b) > n {
		w.left = 0
		return n, errDisk
	}
	w.left -= len(b)
	return len(b), nil
}

// An error of a writer at any byte is returned, with the number of written bytes; the tree is unchanged.
func TestSnapshotWriterFails(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(2))
	digest := tree.LayoutDigest()
	size := len(written(t, tree))
	for n := 0; n < size; n += testkit.Budget(t, 7, 1) {
		if k, err := tree.WriteTo(&failingWriter{n}); k != int64(n) || !errors.Is(err, errDisk) {
			t.Fatalf("a writer of %d bytes: %d, %v", n, k, err)
		}
	}
	if tree.LayoutDigest() != digest {
		t.Error("the tree has changed")
	}
}

// A failed or cancelled save leaves the former file, and nothing else.
func TestSaveWholeOrNot(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "tree")
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(6))
	must(t, tree.Save(nil, path, linear.SnapshotOptions{}))
	must(t, os.Chmod(path, 0o640))
	former, err := os.ReadFile(path)
	must(t, err)
	mapped, err := linear.OpenMapped(path, linear.CheckSafe)
	must(t, err)
	defer mapped.Close()
	insert(t, tree, grid(3))

	only := func(what string, names ...string) {
		t.Helper()
		list, err := os.ReadDir(folder)
		must(t, err)
		var have []string
		for _, e := range list {
			have = append(have, e.Name())
		}
		if !slices.Equal(have, names) {
			t.Errorf("%s: the folder holds %q", what, have)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = tree.Save(ctx, path, linear.SnapshotOptions{Progress: func(share float64) {
		if share > 0.6 {
			cancel()
		}
	}})
	if now, _ := os.ReadFile(path); !errors.Is(err, context.Canceled) || !bytes.Equal(now, former) {
		t.Errorf("a save that was ended: %v, or another file", err)
	}
	only("ended", "tree")
	twice := []linear.Section{linear.SaveColumn("a", []int8{1}), linear.SaveColumn("a", []int8{2})}
	if err := tree.Save(nil, path, linear.SnapshotOptions{Sections: twice}); err == nil {
		t.Error("two sections of one name are saved")
	}
	only("refused", "tree")
	must(t, os.Mkdir(filepath.Join(folder, "dir"), 0o777))
	must(t, os.WriteFile(filepath.Join(folder, "dir", "x"), nil, 0o666))
	if err := tree.Save(nil, filepath.Join(folder, "dir"), linear.SnapshotOptions{}); err == nil {
		t.Error("a folder is replaced")
	}
	only("a folder", "dir", "tree")
	if err := tree.Save(nil, filepath.Join(folder, "no", "tree"), linear.SnapshotOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}

	must(t, tree.Save(nil, path, linear.SnapshotOptions{}))
	only("saved", "dir", "tree")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the new file has the mode %v, %v", info.Mode(), err)
	}
	s, err := linear.OpenMapped(path, linear.CheckFull)
	must(t, err)
	defer s.Close()
	if s.Len() != tree.Len() || mapped.Len() != 216 || len(allOf(mapped.View())) != 216 {
		t.Errorf("%d objects in the new file, %d in the map of the old one", s.Len(), mapped.Len())
	}
}

// Any number of goroutines may query, save and load at a time: for the race detector.
func TestSnapshotTogether(t *testing.T) {
	tree := manyKinds(t)
	file := written(t, tree)
	s, err := linear.Open(bytes.NewReader(file), int64(len(file)), linear.CheckSafe)
	must(t, err)
	want := allOf(tree.View())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range testkit.Budget(t, 2, 20) {
				if _, err := tree.WriteTo(io.Discard); err != nil {
					t.Error(err)
				}
				if !slices.Equal(allOf(s.View()), want) || !slices.Equal(allOf(tree.View()), want) {
					t.Error("another answer")
				}
				if _, err := s.Load(); err != nil {
					t.Error(err)
				}
				s.Stats()
				tree.LayoutDigest()
			}
		})
	}
	all.Wait()
}

// A panic of the program's progress function leaves no file.
func TestSavePanics(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 1))
	folder := t.TempDir()
	func() {
		defer func() {
			if recover() != "progress" {
				t.Error("the panic is lost")
			}
		}()
		_ = tree.Save(t.Context(), filepath.Join(folder, "tree"), linear.SnapshotOptions{Progress: func(float64) { panic("progress") }})
	}()
	if names := filesOf(t, folder); len(names) > 0 {
		t.Errorf("files %v are left", names)
	}
}

// An error of a file names the package and the path once; an error of writing the snapshot is not changed.
func TestSaveErrorsNamePackage(t *testing.T) {
	folder := t.TempDir()
	tree := manyKinds(t)
	scene, err := linear.NewScene(linear.Config{})
	must(t, err)
	checkpoint := linear.NewPublisher(tree).Checkpoint()
	defer checkpoint.Release()
	sceneCheckpoint := linear.NewScenePublisher(scene).Checkpoint()
	defer sceneCheckpoint.Release()
	for name, save := range map[string]func(context.Context, string, linear.SnapshotOptions) error{
		"tree": tree.Save, "scene": scene.Save, "checkpoint": checkpoint.Save, "scene checkpoint": sceneCheckpoint.Save,
	} {
		for _, path := range []string{folder, filepath.Join(folder, "none", "file")} {
			err := save(t.Context(), path, linear.SnapshotOptions{})
			if err == nil || !strings.HasPrefix(err.Error(), "linear: saving "+path+": ") || strings.Count(err.Error(), "linear: ") != 1 {
				t.Errorf("%s to %s: %v", name, path, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := save(ctx, filepath.Join(folder, name), linear.SnapshotOptions{})
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "saving") {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// Bytes that do not begin as a snapshot are named so, and a short snapshot is not.
func TestBadMagic(t *testing.T) {
	file := written(t, manyKinds(t))
	for data, want := range map[string]string{
		"": "it ends after 0 bytes", string(file[:5]): "it ends after 5 bytes", string(file[:40]): "it ends after 40 bytes",
		"x": "bad magic", "ply\nformat ascii 1.0": "bad magic", strings.Repeat("x", 100): "bad magic",
	} {
		_, read := linear.Read(strings.NewReader(data), linear.CheckSafe)
		_, opened := linear.Open(strings.NewReader(data), int64(len(data)), linear.CheckSafe)
		_, bytes := linear.FromBytes([]byte(data), linear.CheckSafe)
		for how, err := range map[string]error{"Read": read, "Open": opened, "FromBytes": bytes} {
			if want == "bad magic" {
				want = "linear: invalid snapshot: not a zoctree snapshot (bad magic)"
			}
			if !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %q: %v, want %s", how, data[:min(len(data), 20)], err, want)
			}
		}
	}
}
