package linear_test

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// crashable tracks the state of a folder on its disk from the operations in the folder, and makes folders in
// the states that a crash may leave: with any names and any 4 KiB blocks of unsynced data.
type crashable struct {
	t      *testing.T
	rng    *rand.Rand
	folder string
	inodes []*inode          // the file of a reused number is the last one
	synced map[string]*inode // files by synced name

	pending func()   // completes the effect of the operation in progress
	ops     []string // operations so far
	leave   int      // index of the operation without effect on this disk; -1: none

	read map[uint64]reading // by hash of the files
	seed maphash.Seed
}

// reading is the result of reading a directory.
type reading struct {
	all map[uint64]soa.Object
	err error
}

// inode is a file, independent of its name.
type inode struct {
	info    fs.FileInfo
	synced  []byte
	content []byte // content at the last check
}

func newCrashable(t *testing.T, rng *rand.Rand, folder string, leave int) *crashable {
	c := &crashable{t: t, rng: rng, folder: folder, leave: leave, read: map[uint64]reading{}, seed: maphash.MakeSeed()}
	c.synced = c.names() // the initial contents are on the disk
	for _, f := range c.inodes {
		f.synced = f.content
	}
	return c
}

// names returns the files in the folder, by name.
func (c *crashable) names() map[string]*inode {
	c.t.Helper()
	now := map[string]*inode{}
	for _, name := range filesOf(c.t, c.folder) {
		now[name] = c.inode(name)
	}
	return now
}

// inode returns the present state of a file.
func (c *crashable) inode(name string) *inode {
	c.t.Helper()
	path := filepath.Join(c.folder, name)
	info, err := os.Stat(path)
	must(c.t, err)
	content, err := os.ReadFile(path)
	must(c.t, err)
	for _, f := range slices.Backward(c.inodes) {
		if os.SameFile(f.info, info) {
			f.content = content
			return f
		}
	}
	f := &inode{info: info, content: content}
	c.inodes = append(c.inodes, f)
	return f
}

// done completes the previous operation.
func (c *crashable) done() {
	if c.pending != nil {
		c.pending()
	}
	c.pending = nil
}

// before precedes an operation.
func (c *crashable) before(op, path string) {
	c.done()
	c.ops = append(c.ops, op)
	name, left := filepath.Base(path), len(c.ops)-1 == c.leave
	switch {
	case op == "create":
		c.pending = func() { // discards the blocks of an earlier file with that number
			info, err := os.Stat(path)
			must(c.t, err)
			c.inodes = append(c.inodes, &inode{info: info})
		}
	case op == "sync" && !left:
		c.pending = func() { f := c.inode(name); f.synced = f.content }
	case op == "syncfolder" && !left:
		c.pending = func() { c.synced = c.names() }
	}
}

// crashed reads a directory in a state that a crash may leave when the folder has these files, with that percentage of
// the unsynced data. Equal states are read once.
func (c *crashable) crashed(now map[string]*inode, share int) (all map[uint64]soa.Object, err error) {
	c.t.Helper()
	state := c.state(now, share)
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, name := range slices.Sorted(maps.Keys(state)) {
		fmt.Fprintf(&h, "%s %d ", name, len(state[name]))
		h.Write(state[name])
	}
	key := h.Sum64()
	if r, is := c.read[key]; is {
		return r.all, r.err
	}
	folder, err := os.MkdirTemp(c.t.TempDir(), "crashed")
	must(c.t, err)
	for name, content := range state {
		must(c.t, os.WriteFile(filepath.Join(folder, name), content, 0o666))
	}
	all, err = readDirectory(c.t, folder)
	must(c.t, os.RemoveAll(folder))
	c.read[key] = reading{all, err}
	return all, err
}

// state returns the contents of the files, by name, in a state that a crash may leave when the folder has these files.
func (c *crashable) state(now map[string]*inode, share int) map[string][]byte {
	after := map[string]*inode{}
	some := func() bool { return c.rng.IntN(100) < share }
	for _, name := range slices.Sorted(maps.Keys(c.synced)) {
		if _, stays := now[name]; stays || !some() {
			after[name] = c.synced[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if some() {
			after[name] = now[name]
		}
	}
	state := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		f := after[name]
		content := slices.Clone(f.synced)
		for from := 0; from < len(f.content); from += 4096 {
			if to := min(from+4096, len(f.content)); some() {
				content = append(content, make([]byte, max(0, to-len(content)))...)
				copy(content[from:], f.content[from:to])
			}
		}
		state[name] = content
	}
	return state
}

// errLost is the error of a crash that left neither the old state nor the new one.
var errLost = errors.New("lost by a crash")

// readDirectory returns all objects in a directory.
func readDirectory(t *testing.T, path string) (all map[uint64]soa.Object, err error) {
	t.Helper()
	d, err := linear.OpenDirectory(path, linear.CheckFull)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.Prepare(t.Context(), everywhere); err != nil {
		return nil, err
	}
	return contents(t, d), nil
}

// replaceAll calls Replace several times and checks, before each disk operation and after each Replace, the
// states that crashes can leave.
func replaceAll(t *testing.T, seed uint64, leave, looks int) (ops []string, err error) {
	t.Helper()
	rng := testkit.Rand(seed)
	objects := testkit.SceneByName(t, "uniform").Make(400, 1)
	path := filepath.Join(t.TempDir(), "directory")
	must(t, linear.CreateDirectory(t.Context(), path, numberedAll(objects[:300]), linear.DirectoryOptions{Shard: 120, Workers: 1}))
	old := maps.Collect(numberedAll(objects[:300]))
	d := openedDirectory(t, path)
	c := newCrashable(t, testkit.Rand(seed+1), path, leave) // the number of checks does not affect the changes
	shares := [...]int{0, 100, 50, 80, 20}
	for round := range 3 {
		next := maps.Clone(old)
		change := map[uint64]soa.Object{}
		var gone []uint64
		for range 15 {
			change[numberOf(rng.IntN(len(objects)))] = objects[rng.IntN(len(objects))]
		}
		maps.Copy(next, change)
		for _, n := range slices.Sorted(maps.Keys(old))[round*5:][:8] {
			if _, changes := change[n]; !changes {
				gone = append(gone, n)
				delete(next, n)
			}
		}
		done := false
		look := func() {
			if len(c.ops) <= leave {
				return // nothing has been left out yet
			}
			now := c.names()
			for turn := 0; turn < looks && err == nil; turn++ {
				all, e := c.crashed(now, shares[turn%len(shares)])
				if e != nil || !maps.Equal(all, next) && (done || !maps.Equal(all, old)) {
					err = fmt.Errorf("%w after %v, done %v: %d objects, %d before, %d afterwards, %v", errLost, c.ops, done, len(all), len(old), len(next), e)
				}
			}
		}
		d.Before(func(op, path string) error {
			c.done()
			look()
			c.before(op, path)
			return nil
		})
		must(t, d.Replace(t.Context(), maps.All(change), slices.Values(gone)))
		c.done()
		done = true
		if look(); err != nil {
			break
		}
		old = next
	}
	return c.ops, err
}

// A crash at any operation of Replace leaves the old state or the new one; after the return, the new one.
// Without any one of its syncs, this does not hold.
func TestDirectoryCrash(t *testing.T) {
	seed := testkit.Seed(t)
	ops, err := replaceAll(t, seed, -1, testkit.Budget(t, 3, 15))
	must(t, err)
	counts := map[string]int{}
	first := slices.Index(ops, "rename") + 2 // operations of the first call
	// The last syncs of the first call are the quickest to check.
	from, to := testkit.Budget(t, first-8, 0), testkit.Budget(t, first, len(ops))
	for k, op := range ops {
		if counts[op]++; op != "sync" && op != "syncfolder" || k < from || k >= to {
			continue
		}
		if _, err := replaceAll(t, seed, k, 40); !errors.Is(err, errLost) {
			t.Errorf("without operation %d, %s, of %v nothing is lost: %v", k, op, ops, err)
		}
	}
	if counts["rename"] != 3 || counts["syncfolder"] != 6 || counts["sync"] != counts["create"] || counts["sync"] < 9 {
		t.Errorf("operations %v", counts)
	}
}

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
		now := b.names()
		for turn := 0; turn < looks && err == nil; turn++ {
			if share := shares[turn%len(shares)]; b.synced || rng.IntN(100) < share {
				all, e := b.crashed(now, share)
				if e != nil || !maps.Equal(all, want) {
					err = fmt.Errorf("%w after %v: %d objects of %d, %v", errLost, ops, len(all), len(want), e)
				}
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
	kills := testkit.Budget(t, 6, 200)
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
