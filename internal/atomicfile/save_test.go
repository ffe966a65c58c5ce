//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/testkit"
)

func check(t *testing.T, err error) {
	t.Helper()
	testkit.Must(t, err)
}

// text returns a function that writes a text.
func text(s string) func(w io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// names returns the names of all files in a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	check(t, err)
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}

// A file is replaced through links to it, which stay.
func TestSaveLinks(t *testing.T) {
	folder := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{folder}, name...)...) }
	check(t, os.Mkdir(at("data"), 0o777))
	check(t, os.WriteFile(at("data", "file"), []byte("old"), 0o640))
	check(t, os.Symlink(filepath.Join("data", "file"), at("link")))
	check(t, os.Symlink(at("link"), at("chain")))
	check(t, os.Symlink("data", at("folder")))
	for i, path := range []string{at("link"), at("chain"), at("folder", "file"), at("data", "file")} {
		want := fmt.Sprint("new ", i)
		check(t, atomicfile.Save(path, text(want)))
		if have, err := os.ReadFile(at("data", "file")); string(have) != want || err != nil {
			t.Errorf("saved to %s: %q, %v", path, have, err)
		}
	}
	for link, want := range map[string]string{"link": filepath.Join("data", "file"), "chain": at("link"), "folder": "data"} {
		if have, err := os.Readlink(at(link)); have != want || err != nil {
			t.Errorf("link %s leads to %s, %v", link, have, err)
		}
	}
	info, err := os.Stat(at("data", "file"))
	check(t, err)
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if list := names(t, at("data")); !slices.Equal(list, []string{"file"}) {
		t.Errorf("files %v", list)
	}
}

// A path that leads to no file, or to no regular one, is an error before anything is written.
func TestSaveRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.Symlink("none", "dangling"))
	check(t, os.Symlink("circle2", "circle"))
	check(t, os.Symlink("circle", "circle2"))
	check(t, os.Mkdir("folder", 0o777))
	check(t, os.Symlink("folder", "to folder"))
	check(t, syscall.Mkfifo("pipe", 0o666))
	check(t, os.Symlink("pipe", "to pipe"))
	before := names(t, ".")
	for _, c := range []struct {
		path, says string
		is         error
	}{
		{"dangling", "symbolic link: lstat none: no such file", fs.ErrNotExist},
		{"circle", "symbolic link: ", nil},
		{"folder", "folder: is a directory", syscall.EISDIR},
		{"to folder", "folder: is a directory", syscall.EISDIR},
		{"pipe", "a named pipe, not a regular file", fs.ErrInvalid},
		{"to pipe", "a named pipe, not a regular file", fs.ErrInvalid},
		{"/dev/null", "a device, not a regular file", fs.ErrInvalid},
		{filepath.Join("none", "file"), "no such file", fs.ErrNotExist},
	} {
		err := atomicfile.Save(c.path, func(io.Writer) error { t.Errorf("%s is written", c.path); return nil })
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if after := names(t, "."); !slices.Equal(before, after) {
		t.Errorf("files %v, there were %v", after, before)
	}
}

// A temporary file without a lock is removed. One that is being written stays, and so does a file of another name.
func TestSaveAbandoned(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	leave := func(name string) string {
		name = filepath.Join(folder, name)
		check(t, os.WriteFile(name, []byte("left"), 0o444))
		return name
	}
	for _, i := range []int{0, 1, 3, 15} {
		leave(fmt.Sprintf(".file.zoctree-%d.tmp", i))
	}
	stay := []string{".file.tmp", ".file.zoctree-x.tmp", ".other.zoctree-0.tmp", "file"}
	for _, name := range stay[:3] {
		leave(name)
	}
	check(t, atomicfile.Save(path, func(w io.Writer) error {
		// A save to the same path takes another name, and leaves this one.
		check(t, atomicfile.Save(path, text("inner")))
		if list := names(t, folder); !slices.Contains(list, ".file.zoctree-0.tmp") || len(list) != len(stay)+1 {
			t.Errorf("amid a save there are %v", list)
		}
		return text("outer")(w)
	}))
	if have, err := os.ReadFile(path); string(have) != "outer" || err != nil {
		t.Errorf("%q, %v", have, err)
	}
	if list := names(t, folder); !slices.Equal(list, stay) {
		t.Errorf("files %v, want %v", list, stay)
	}
}

// Saves to one path at a time do not take the files of each other, and leave nothing.
func TestSaveTogether(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	contents := make([]string, 8)
	var all sync.WaitGroup
	for i := range contents {
		contents[i] = strings.Repeat(fmt.Sprint(i), 100_000)
		all.Go(func() {
			for range 10 {
				if err := atomicfile.Save(path, text(contents[i])); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	have, err := os.ReadFile(path)
	if err != nil || !slices.Contains(contents, string(have)) {
		t.Errorf("%d bytes, %v", len(have), err)
	}
	if list := names(t, folder); !slices.Equal(list, []string{"file"}) {
		t.Errorf("files %v", list)
	}
}

// A new file never has more permissions than the one that it replaces.
func TestCreateMode(t *testing.T) {
	folder := t.TempDir()
	old, path := filepath.Join(folder, "old"), filepath.Join(folder, "new")
	check(t, os.WriteFile(old, nil, 0o600))
	var stop atomic.Bool
	var wider atomic.Int32
	var all sync.WaitGroup
	all.Go(func() {
		for !stop.Load() {
			if info, err := os.Lstat(path); err == nil && info.Mode().Perm()&^0o600 != 0 {
				wider.Add(1)
			}
		}
	})
	for range 3000 {
		f, err := atomicfile.OS{}.Create(path, old)
		check(t, err)
		check(t, errors.Join(f.Close(), os.Remove(path)))
		f.Release()
	}
	stop.Store(true)
	all.Wait()
	if n := wider.Load(); n > 0 {
		t.Errorf("seen %d times with more permissions", n)
	}
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o444, 0o777} {
		check(t, os.Chmod(old, mode))
		f, err := atomicfile.OS{}.Create(path, old)
		check(t, err)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v of one of %v, %v", info.Mode(), mode, err)
		}
		check(t, errors.Join(f.Close(), os.Remove(path)))
		f.Release()
	}
}
