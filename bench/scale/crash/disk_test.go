package crash

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/zoctree/zoctree/internal/atomicfile"
)

const category = vfs.WriteCategoryUnspecified

// disk is a disk in memory. It is an [atomicfile.FS].
type disk struct {
	mem    *vfs.MemFS
	ops    []string // so far
	before func()   // each operation
	leave  int      // number of the operation that is reported as done, but is not; -1: none
}

func newDisk() *disk { return &disk{mem: vfs.NewCrashableMem(), leave: -1} }

// do performs an operation.
func (d *disk) do(op string, how func() error) error {
	if d.before != nil {
		d.before()
	}
	d.ops = append(d.ops, op)
	if len(d.ops)-1 == d.leave {
		return nil
	}
	return how()
}

// Create implements [atomicfile.FS].
func (d *disk) Create(path, _ string) (atomicfile.File, error) {
	f := &file{d: d}
	if _, err := d.mem.Stat(path); err == nil {
		return nil, fs.ErrExist
	}
	if d.before != nil {
		d.before()
	}
	d.ops = append(d.ops, "create")
	var err error
	f.File, err = d.mem.Create(path, category)
	return f, err
}

// Rename implements [atomicfile.FS].
func (d *disk) Rename(from, to string) error {
	return d.do("rename", func() error { return d.mem.Rename(from, to) })
}

// Remove implements [atomicfile.FS].
func (d *disk) Remove(path string) error {
	return d.do("remove", func() error { return d.mem.Remove(path) })
}

// SyncFolder implements [atomicfile.FS].
func (d *disk) SyncFolder(path string) error {
	return d.do("syncfolder", func() error {
		f, err := d.mem.OpenDir(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// file is a file on a disk.
type file struct {
	vfs.File
	d *disk
}

func (f *file) Write(b []byte) (n int, err error) {
	err = f.d.do("write", func() error { _, err := f.File.Write(b); return err })
	return len(b), err
}

// Release implements [atomicfile.File].
func (f *file) Release() {}

func (f *file) Sync() error { return f.d.do("sync", f.File.Sync) }

// read returns the content of a file, or nothing if there is none.
func (d *disk) read(path string) ([]byte, error) {
	f, err := d.mem.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// errLost is the error of a crash that has lost more than it may.
var errLost = errors.New("lost by a crash")

// shares, in percent, of unsynced data that a crash leaves.
var shares = [...]int{0, 100, 50, 50, 90, 10}

// crashed returns the content of the disk after a crash at this moment: in turn, without all unsynced data,
// with all of it, and with parts.
func (d *disk) crashed(turn int, rng *rand.Rand) *disk {
	share := shares[turn%len(shares)]
	mem := d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: share, RNG: rng})
	// The clone has all names that were synced, including names removed since.
	synced, err := mem.List("/")
	now, e := d.mem.List("/")
	if err = errors.Join(err, e); err != nil {
		panic(err)
	}
	for _, name := range synced {
		if !slices.Contains(now, name) && rng.IntN(100) < share {
			if err := mem.Remove("/" + name); err != nil {
				panic(err)
			}
		}
	}
	return &disk{mem: mem, leave: -1}
}
