package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/testkit"
)

// failing is the file system of the system, where one operation fails.
type failing struct {
	atomicfile.OS
	at  int
	ops []string
}

var errDisk = errors.New("no disk")

func (d *failing) step(op string) error {
	d.ops = append(d.ops, op)
	if len(d.ops)-1 == d.at {
		return errDisk
	}
	return nil
}

func (d *failing) Create(path, like string) (atomicfile.File, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	f, err := d.OS.Create(path, like)
	return &failingFile{f, d}, err
}

func (d *failing) Rename(from, to string) error {
	return first(d.step("rename"), func() error { return d.OS.Rename(from, to) })
}

func (d *failing) SyncFolder(path string) error {
	return first(d.step("syncfolder"), func() error { return d.OS.SyncFolder(path) })
}

type failingFile struct {
	atomicfile.File
	d *failing
}

func (f *failingFile) Write(b []byte) (int, error) {
	if err := f.d.step("write"); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f *failingFile) Sync() error { return first(f.d.step("sync"), f.File.Sync) }

// Close closes the file also if it fails, as files do.
func (f *failingFile) Close() error {
	return errors.Join(f.d.step("close"), f.File.Close())
}

func first(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

// If an operation fails, the old file is there and nothing else, or the new one if only the sync of the folder
// failed.
func TestReplace(t *testing.T) {
	old, content := []byte("old"), make([]byte, 150_000)
	for i := range content {
		content[i] = byte(i % 251)
	}
	write := func(w io.Writer) error {
		for rest := content; len(rest) > 0; rest = rest[min(999, len(rest)):] {
			if _, err := w.Write(rest[:min(999, len(rest))]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, isThere := range []bool{false, true} {
		for at := 0; ; at++ {
			folder := t.TempDir()
			path := filepath.Join(folder, "file")
			left := 0
			if isThere {
				left = 1
				testkit.Must(t, os.WriteFile(path, old, 0o640))
			}
			d := &failing{at: at}
			err := atomicfile.Replace(d, path, write)
			have, _ := os.ReadFile(path)
			if len(d.ops) <= at {
				want := []string{"create", "write", "write", "write", "sync", "close", "rename", "syncfolder"}
				if err != nil || !slices.Equal(have, content) || !slices.Equal(d.ops, want) {
					t.Fatalf("%v, %d bytes, after %v", err, len(have), d.ops)
				}
				break
			}
			op, want := d.ops[at], old
			if !isThere {
				want = nil
			}
			if op == "syncfolder" {
				want, left = content, 1
			}
			files, _ := os.ReadDir(folder)
			if !errors.Is(err, errDisk) || !slices.Equal(have, want) || len(files) != left {
				t.Fatalf("%s: %v, %d bytes, files %v", op, err, len(have), files)
			}
		}
	}
}

// Files with the name of a temporary file are skipped and kept; the error of the writing function is returned.
func TestReplaceBeside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	for i := range 3 {
		f, err := atomicfile.OS{}.Create(filepath.Join(folder, fmt.Sprintf(".file.zoctree-%d.tmp", i)), path)
		testkit.Must(t, err)
		defer f.Release()
		testkit.Must(t, f.Close())
	}
	if err := atomicfile.Replace(atomicfile.OS{}, path, func(io.Writer) error { return errDisk }); err != errDisk {
		t.Error(err)
	}
	if err := atomicfile.Replace(atomicfile.OS{}, path, func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(folder); len(files) != 4 {
		t.Errorf("%v", files)
	}
	if err := atomicfile.Replace(atomicfile.OS{}, filepath.Join(folder, "none", "file"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
