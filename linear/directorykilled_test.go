package linear_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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
	kills := testkit.Budget(t, 20, 200)
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
