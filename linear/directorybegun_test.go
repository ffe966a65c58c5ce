package linear_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// begun is a directory during its creation, on a disk that may crash.
type begun struct {
	*crashable        // the folder, under any name; nil before its creation
	parent     string // of the folder
	renamed    bool   // the folder has its final name
	synced     bool   // the final name is on the disk
}

// createOnce creates a directory and checks, before each disk operation and at the end, the states that crashes
// can leave under its name. One operation, leave, has no effect on the disk.
func createOnce(t *testing.T, seed uint64, leave, looks int) (ops []string, err error) {
	t.Helper()
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	want := maps.Collect(numberedAll(objects))
	b := begun{parent: t.TempDir()}
	path := filepath.Join(b.parent, "directory")
	done := false
	rng := testkit.Rand(seed)
	shares := [...]int{0, 100, 50, 80, 20}
	look := func() {
		if len(ops) <= leave || !b.renamed {
			return // nothing has been left out yet, or the directory has no name
		}
		for turn := 0; turn < looks && err == nil; turn++ {
			if share := shares[turn%len(shares)]; b.synced || rng.IntN(100) < share {
				folder := b.crashed(share)
				all, e := readDirectory(t, folder)
				if e != nil || !maps.Equal(all, want) {
					err = fmt.Errorf("%w after %v: %d objects of %d, %v", errLost, ops, len(all), len(want), e)
				}
				must(t, os.RemoveAll(folder))
			} else if done {
				err = fmt.Errorf("%w after %v: there is no directory", errLost, ops)
			}
		}
	}
	last := func() {} // completes the operation in progress
	step := func(op, at string) error {
		last()
		last = func() {}
		look()
		ops = append(ops, op)
		left := len(ops)-1 == leave
		switch {
		case op == "mkdir":
			last = func() { b.crashable = newCrashable(t, testkit.Rand(seed+1), at, -1) }
		case op == "rename":
			b.done()
			last = func() { b.renamed, b.folder = true, at }
		case op == "syncfolder" && at == b.parent:
			last = func() { b.synced = !left }
		case left:
			b.done()
		default:
			b.before(op, at)
		}
		return nil
	}
	must(t, linear.CreateDirectoryBefore(step, path, numberedAll(objects), linear.DirectoryOptions{Shard: 120, Workers: 1}))
	last()
	b.done()
	done = true
	look()
	return ops, err
}

// A crash at any operation of CreateDirectory leaves no directory or a complete one; after the return, a
// complete one. Without any one of its syncs, this does not hold.
func TestDirectoryBegunCrash(t *testing.T) {
	seed := testkit.Seed(t)
	ops, err := createOnce(t, seed, -1, testkit.Budget(t, 10, 500))
	must(t, err)
	counts := map[string]int{}
	for k, op := range ops {
		if counts[op]++; op != "sync" && op != "syncfolder" {
			continue
		}
		if _, err := createOnce(t, seed, k, 60); !errors.Is(err, errLost) {
			t.Errorf("without operation %d, %s, of %v nothing is lost: %v", k, op, ops, err)
		}
	}
	// Among the files, only the stream's is absent at the end.
	if counts["mkdir"] != 1 || counts["rename"] != 1 || counts["syncfolder"] != 2 || counts["sync"] != counts["create"]-1 || counts["sync"] < 4 {
		t.Errorf("operations %v", counts)
	}
}

// begunObjects are the objects of the directory of a step.
func begunObjects(objects []soa.Object, step uint64) []soa.Object {
	return objects[step%100:][:1000]
}

// A process that creates directories and is killed leaves complete ones, including all that it has reported.
// Its leftovers do not stop another process.
func TestDirectoryBegunKilled(t *testing.T) {
	objects := directoryObjects(t)
	opt := linear.DirectoryOptions{Shard: 300, Workers: 1}
	if path := os.Getenv(killedEnv); path != "" {
		for step := uint64(1); ; step++ {
			err := linear.CreateDirectory(t.Context(), filepath.Join(path, fmt.Sprint(step)), numberedAll(begunObjects(objects, step)), opt)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			must(t, err)
			tell(step)
		}
	}
	canKill(t)
	rng := testkit.Rand(testkit.Seed(t))
	path := t.TempDir()
	step, amid, next := uint64(0), 0, 0
	kills := testkit.Budget(t, 10, 200)
	for kill := range kills {
		told := killed(t, "TestDirectoryBegunKilled", path, time.Duration(rng.IntN(20_000))*time.Microsecond)
		for step++; ; step++ {
			name := filepath.Join(path, fmt.Sprint(step))
			if _, err := os.Lstat(name); step > told && errors.Is(err, fs.ErrNotExist) {
				step--
				break
			}
			if step > told+1 {
				t.Fatalf("kill %d: there is directory %d, after %d", kill, step, told)
			}
			if step > told {
				next++
			}
			all, err := readDirectory(t, name)
			if want := maps.Collect(numberedAll(begunObjects(objects, step))); err != nil || !maps.Equal(all, want) {
				t.Fatalf("kill %d, after %d: directory %d has %d objects, %v", kill, told, step, len(all), err)
			}
		}
		names := filesOf(t, path)
		if len(names) > int(step) {
			amid++
		}
		for _, name := range names { // the next process may have another number
			if name[0] == '.' && rng.IntN(2) == 0 {
				must(t, os.RemoveAll(filepath.Join(path, name)))
			}
		}
	}
	t.Logf("%d kills: %d left folders, %d came between the rename and the end, %d directories", kills, amid, next, step)
	if amid+next == 0 {
		t.Error("no kill came amid a creation")
	}
}
