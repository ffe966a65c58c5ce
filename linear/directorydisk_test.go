package linear_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	for i := range testkit.Budget(t, 4, 30) {
		must(t, d.Replace(nil, nil, slices.Values([]uint64{numberOf(i)})))
	}
	done.Store(true)
	all.Wait()
}

// numbersOf returns objects with consecutive numbers, from one given number.
func numbersOf(objects []soa.Object, first int) map[uint64]soa.Object {
	m := map[uint64]soa.Object{}
	for i, o := range objects {
		m[numberOf(first+i)] = o
	}
	return m
}

// shapeOf returns the data that decides in which shards a directory has its objects.
func shapeOf(d *linear.Directory) (all []string) {
	all = append(all, fmt.Sprint(d.World()))
	for _, s := range d.Shards() {
		all = append(all, fmt.Sprint(s.Objects, s.Box, s.Keys))
	}
	return all
}

// A directory of few objects adapts its world to new objects, as if it had been created with them. From the
// second shard on its world stays fixed, and so does a given world.
func TestDirectoryFitted(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	for i := range objects { // about zero, and apart
		for a := range 3 {
			objects[i].Box.Min[a] = 50*objects[i].Box.Min[a] - 2000
			objects[i].Box.Max[a] = 50*objects[i].Box.Max[a] - 2000
		}
	}
	opt := linear.DirectoryOptions{Shard: 100}
	want := created(t, maps.All(numbersOf(objects, 0)), opt)
	for _, n := range []int{0, 1, 5, 100} {
		for _, steps := range []int{1, 3} {
			t.Run(fmt.Sprintf("%d objects in %d steps", n, steps), func(t *testing.T) {
				d := created(t, maps.All(numbersOf(objects[:n], 0)), opt)
				for step := range steps { // all but the last make one shard at most
					from, to := n+step*(100-n)/steps, n+(step+1)*(100-n)/steps
					if step == steps-1 {
						to = len(objects)
					}
					d = openedDirectory(t, d.Folder())
					must(t, d.Replace(t.Context(), maps.All(numbersOf(objects[from:to], from)), nil))
				}
				if have, want := shapeOf(d), shapeOf(want); !slices.Equal(have, want) {
					t.Errorf("%d shards in %v, want %d in %v", len(have)-1, have[0], len(want)-1, want[0])
				}
				must(t, d.Prepare(t.Context(), everywhere))
				if !maps.Equal(contents(t, d), numbersOf(objects, 0)) {
					t.Error("other objects")
				}
				keysHold(t, d)
				// Some shards are unchanged: their keys belong to this world.
				world := d.World()
				far := soa.Object{Box: cube(1e6, 1e6, 1e6, 1)}
				must(t, d.Replace(t.Context(), maps.All(map[uint64]soa.Object{1 << 50: far}), nil))
				if d = openedDirectory(t, d.Folder()); d.World() != world {
					t.Errorf("the world of several shards is %v, it was %v", d.World(), world)
				}
			})
		}
	}
	for _, n := range []int{0, 1, 5} {
		given := linear.DirectoryOptions{Shard: 100, World: soa.AABB{Max: [3]float32{64, 64, 64}}}
		d := created(t, maps.All(numbersOf(objects[:n], 0)), given)
		world := d.World()
		must(t, d.Replace(t.Context(), maps.All(numbersOf(objects, 0)), nil))
		if d.World() != world || world.Side() > 128 {
			t.Errorf("%d objects: the world is %v, %v was given", n, d.World(), world)
		}
	}
}

// The number of files that a call writes is limited; a call beyond the limit changes nothing.
func TestDirectoryReplaceMost(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	d := created(t, maps.All(numbersOf(objects[:10], 0)), linear.DirectoryOptions{Shard: 16})
	defer linear.SetReplaceMost(linear.SetReplaceMost(20))
	before := shapeOf(d)
	err := d.Replace(t.Context(), maps.All(numbersOf(objects, 0)), nil)
	if err == nil || !strings.Contains(err.Error(), "of at most 16 objects: a call writes at most 20") {
		t.Error(err)
	}
	files, err := os.ReadDir(d.Folder())
	if err != nil || len(files) != 2 || !slices.Equal(shapeOf(d), before) {
		t.Errorf("%v, %v, %d shards", files, err, len(d.Shards()))
	}
	must(t, d.Replace(t.Context(), maps.All(numbersOf(objects[:100], 0)), nil))
	if n := d.Len(); n != 100 {
		t.Errorf("%d objects", n)
	}
}

// stepNumber is the number of an object whose mask is the current step of a directory.
const stepNumber = 1 << 40

// directoryObjects returns the objects of a directory at step 0, and the boxes to which objects move.
func directoryObjects(t testing.TB) []soa.Object {
	t.Helper()
	return testkit.SceneByName(t, "uniform").Make(2000, 1)
}

// directoryStep returns the change from the previous step: objects that move, are removed or return.
func directoryStep(objects []soa.Object, step uint32) (change map[uint64]soa.Object, gone []uint64) {
	change = map[uint64]soa.Object{stepNumber: {Mask: step}}
	n := uint32(len(objects))
	for i := range uint32(10) {
		change[numberOf(int((step*7+i*131)%(n-1)))] = objects[(step*31+i*17)%n]
	}
	last := numberOf(int(n - 1))
	if step%2 == 1 {
		gone = append(gone, last)
	} else {
		change[last] = objects[step%n]
	}
	return change, gone
}

// replaceOn calls Replace repeatedly, starts at the step of the folder, and reports each completed step.
func replaceOn(t *testing.T, path string) {
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	must(t, err)
	must(t, d.Prepare(t.Context(), everywhere))
	objects := directoryObjects(t)
	for step := contents(t, d)[stepNumber].Mask + 1; ; step++ {
		change, gone := directoryStep(objects, step)
		must(t, d.Replace(context.Background(), maps.All(change), slices.Values(gone)))
		tell(uint64(step))
	}
}

// A process that is killed during Replace leaves the last reported step, or the next one, complete. The next
// process continues from it and removes leftover files.
func TestDirectoryKilled(t *testing.T) {
	if path := os.Getenv(killedEnv); path != "" {
		replaceOn(t, path)
	}
	canKill(t)
	rng := testkit.Rand(testkit.Seed(t))
	objects := directoryObjects(t)
	path := filepath.Join(t.TempDir(), "directory")
	must(t, linear.CreateDirectory(t.Context(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 500, Workers: 1}))
	model := maps.Collect(numberedAll(objects))
	step, amid, next := uint64(0), 0, 0
	kills := testkit.Budget(t, 7, 200)
	for kill := range kills {
		told := killed(t, "TestDirectoryKilled", path, time.Duration(rng.IntN(12_000))*time.Microsecond)
		all, err := readDirectory(t, path)
		if err != nil {
			t.Fatalf("kill %d, after step %d: %v", kill, told, err)
		}
		now := uint64(all[stepNumber].Mask)
		if now != told && now != told+1 {
			t.Fatalf("kill %d: the directory is at step %d, after %d", kill, now, told)
		}
		if now > told {
			next++
		}
		for ; step < now; step++ {
			change, gone := directoryStep(objects, uint32(step+1))
			maps.Copy(model, change)
			for _, n := range gone {
				delete(model, n)
			}
		}
		if !maps.Equal(all, model) {
			t.Fatalf("kill %d: step %d has other objects", kill, step)
		}
		if len(filesOf(t, path)) > len(shardsOf(t, path))+1 {
			amid++
		}
	}
	t.Logf("%d kills: %d left files, %d came between the rename and the end, step %d", kills, amid, next, step)
	if amid+next == 0 {
		t.Error("no kill came amid a change")
	}
	d := openedDirectory(t, path)
	must(t, d.Replace(t.Context(), maps.All(map[uint64]soa.Object{stepNumber: {}}), nil))
	tidy(t, path, d)
}

// shardsOf returns the shards of a directory that is not open.
func shardsOf(t *testing.T, path string) []linear.DirectoryShard {
	t.Helper()
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	must(t, err)
	shards := d.Shards()
	must(t, d.Close())
	return shards
}
