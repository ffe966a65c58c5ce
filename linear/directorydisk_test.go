package linear_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// An error of any operation on the disk leaves nothing, or the earlier state.
func TestDirectoryDisk(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(80, 1)
	folder := t.TempDir()
	failing := errors.New("no disk")
	opt := linear.DirectoryOptions{Shard: 16, Workers: 1}
	var ops []string
	failAt := func(k int) func(op, path string) error {
		ops = nil
		return func(op, path string) error {
			ops = append(ops, op)
			if len(ops)-1 == k {
				return failing
			}
			return nil
		}
	}
	for k := 0; ; k++ {
		path := filepath.Join(folder, fmt.Sprint(k))
		err := linear.CreateDirectoryBefore(failAt(k), path, numberedAll(objects), opt)
		if len(ops) <= k {
			must(t, err)
			break
		}
		last := ops[k] == "syncfolder" && slices.Index(ops, "rename") < k && slices.Contains(ops[:k], "rename") && len(filesOf(t, folder)) > 0
		if !errors.Is(err, failing) || len(filesOf(t, folder)) > 0 != last {
			t.Fatalf("operation %d, %s: %v, files %v", k, ops[k], err, filesOf(t, folder))
		}
		if last {
			must(t, os.RemoveAll(path))
		}
	}
	if n := len(ops); n < 30 {
		t.Errorf("%d operations: %v", n, ops)
	}
	durable(t, ops)

	h := map[uint64]soa.Object{}
	for i, o := range objects {
		h[numberOf(i)] = o
	}
	for k := 0; ; k++ {
		path := filepath.Join(t.TempDir(), "d")
		must(t, linear.CreateDirectory(t.Context(), path, maps.All(h), opt))
		d := openedDirectory(t, path)
		must(t, d.Prepare(t.Context(), everywhere))
		after := maps.Clone(h)
		gone := []uint64{numberOf(3)}
		delete(after, gone[0])
		change := map[uint64]soa.Object{9: objects[7]}
		after[9] = objects[7]
		d.Before(failAt(k))
		err := d.Replace(t.Context(), maps.All(change), slices.Values(gone))
		d.Before(nil)
		if len(ops) <= k {
			must(t, err)
			holds(t, d, after)
			durable(t, ops)
			break
		}
		if !errors.Is(err, failing) {
			t.Fatalf("operation %d, %s: %v", k, ops[k], err)
		}
		renamed := slices.Index(ops[:k], "rename") >= 0
		if renamed { // the sync of the folder
			holds(t, d, after)
		} else {
			holds(t, d, h)
			tidy(t, path, d)
		}
		// The next call works, and removes leftover files.
		state := after
		if !renamed {
			must(t, d.Replace(t.Context(), maps.All(change), slices.Values(gone)))
		} else {
			must(t, d.Replace(t.Context(), maps.All(change), nil))
		}
		holds(t, d, state)
		tidy(t, path, d)
	}
}

// durable checks that a crash at any of the operations leaves the old state or the new one: all remaining
// files, and then their names, are on the disk before a rename, and the new name is on the disk before the end.
func durable(t testing.TB, ops []string) {
	t.Helper()
	dirty, spills, names := 0, 0, false
	for i, op := range ops {
		switch op {
		case "create":
			dirty, names = dirty+1, true
		case "read": // of a temporary file
			spills++
		case "sync":
			dirty--
		case "syncfolder":
			names = false
		case "rename":
			if dirty != spills || names {
				t.Errorf("operation %d of %v: a rename after %d files without sync, or their names", i, ops, dirty-spills)
			}
			names = true
		}
	}
	if names || !slices.Contains(ops, "rename") {
		t.Errorf("a name is not on the disk after %v", ops)
	}
}

// The next process removes the files that a killed process has left during Replace.
func TestDirectoryLeftovers(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 30})
	shards := d.Shards()
	folder := filepath.Dir(shards[0].Path)
	for _, name := range []string{"00000000000000ff.shard", "manifest.tmp", "notes.txt"} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("left"), 0o666))
	}
	must(t, d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(5)})))
	must(t, os.Remove(filepath.Join(folder, "notes.txt"))) // not a file of the directory
	tidy(t, folder, d)
}

// After its folder has been replaced by another directory, Replace changes the new contents, and removes none
// of them.
func TestDirectoryMadeAnew(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(200, 1)
	opt := linear.DirectoryOptions{Shard: 30}
	d := created(t, numberedAll(objects[:100]), opt)
	folder := filepath.Dir(d.Shards()[0].Path)
	must(t, os.RemoveAll(folder))
	want := map[uint64]soa.Object{}
	for i, o := range objects[100:] {
		want[uint64(i)] = o
	}
	must(t, linear.CreateDirectory(t.Context(), folder, maps.All(want), opt))
	change := map[uint64]soa.Object{1000: objects[3]}
	want[1000] = objects[3]
	must(t, d.Replace(t.Context(), maps.All(change), slices.Values([]uint64{7})))
	delete(want, 7)
	must(t, d.Prepare(t.Context(), everywhere))
	holds(t, d, want)
	again := openedDirectory(t, folder)
	must(t, again.Prepare(t.Context(), everywhere))
	holds(t, again, want)
	tidy(t, folder, again)
}

// Views may be taken concurrently with calls that invalidate other views.
func TestDirectoryViewBeside(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(200, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 100})
	var done atomic.Bool
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for !done.Load() {
				d.View()
			}
		})
	}
	for i := range 30 {
		must(t, d.Replace(nil, nil, slices.Values([]uint64{numberOf(i)})))
	}
	done.Store(true)
	all.Wait()
}
