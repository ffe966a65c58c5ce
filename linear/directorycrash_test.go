package linear_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

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
}

// inode is a file, independent of its name.
type inode struct {
	info    fs.FileInfo
	synced  []byte
	content []byte // content at the last check
}

func newCrashable(t *testing.T, rng *rand.Rand, folder string, leave int) *crashable {
	c := &crashable{t: t, rng: rng, folder: folder, leave: leave}
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

// crashed makes a folder in a state that a crash at this moment may leave, with that percentage of the unsynced
// data.
func (c *crashable) crashed(share int) string {
	c.t.Helper()
	folder, err := os.MkdirTemp(c.t.TempDir(), "crashed")
	must(c.t, err)
	now, after := c.names(), map[string]*inode{}
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
	for _, name := range slices.Sorted(maps.Keys(after)) {
		f := after[name]
		content := slices.Clone(f.synced)
		for from := 0; from < len(f.content); from += 4096 {
			if to := min(from+4096, len(f.content)); some() {
				content = append(content, make([]byte, max(0, to-len(content)))...)
				copy(content[from:], f.content[from:to])
			}
		}
		must(c.t, os.WriteFile(filepath.Join(folder, name), content, 0o666))
	}
	return folder
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
			for turn := 0; turn < looks && err == nil; turn++ {
				folder := c.crashed(shares[turn%len(shares)])
				all, e := readDirectory(t, folder)
				if e != nil || !maps.Equal(all, next) && (done || !maps.Equal(all, old)) {
					err = fmt.Errorf("%w after %v, done %v: %d objects, %d before, %d afterwards, %v", errLost, c.ops, done, len(all), len(old), len(next), e)
				}
				must(t, os.RemoveAll(folder))
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
	ops, err := replaceAll(t, seed, -1, testkit.Budget(t, 5, 15))
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
