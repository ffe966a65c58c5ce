//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package linear_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// irregular are kinds of files that are not regular, with functions that make them at a path.
var irregular = map[string]func(t *testing.T, path string){
	"a directory": func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o777)) },
	"a named pipe": func(t *testing.T, path string) {
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Skip(err)
		}
	},
	"a socket": func(t *testing.T, path string) {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { l.Close() })
	},
	"a device": func(t *testing.T, path string) { must(t, os.Symlink(os.DevNull, path)) },
}

// refusesAtOnce checks that a call rejects a file that is not regular without blocking.
func refusesAtOnce(t *testing.T, name, path string, call func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		want := fs.ErrInvalid
		if name == "a directory" {
			want = syscall.EISDIR
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s: the call waits", name)
	}
}

// A file that is not regular is rejected without blocking, by every function that opens a path.
func TestFileKinds(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	for name, make := range irregular {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // keeps the name of a socket short
			make(t, "file")
			refusesAtOnce(t, name, "file", func() error { _, err := linear.OpenMapped("file", linear.CheckNone); return err })
			refusesAtOnce(t, name, "file", func() error { _, err := linear.OpenSceneMapped("file", linear.CheckNone); return err })

			must(t, os.Mkdir("folder", 0o777))
			make(t, "folder/manifest")
			refusesAtOnce(t, name, "manifest", func() error { _, err := linear.OpenDirectory("folder", linear.CheckSafe); return err })

			must(t, linear.CreateDirectory(t.Context(), "directory", numberedAll(objects), linear.DirectoryOptions{Shard: 16}))
			d, err := linear.OpenDirectory("directory", linear.CheckSafe)
			must(t, err)
			base := filepath.Base(d.Shards()[0].Path)
			must(t, os.Remove(filepath.Join("directory", base)))
			make(t, filepath.Join("directory", base))
			refusesAtOnce(t, name, base, func() error { return d.Prepare(t.Context(), everywhere) })
			refusesAtOnce(t, name, base, func() error { return d.Replace(t.Context(), numberedAll(objects), nil) })
			must(t, d.Close())
		})
	}
}

// A folder that is opened as a file is an error that names the function for directories.
func TestOpenMappedFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	must(t, linear.CreateDirectory(t.Context(), path, numberedAll(nil), linear.DirectoryOptions{}))
	_, err := linear.OpenMapped(path, linear.CheckSafe)
	if err == nil || !strings.HasSuffix(err.Error(), "is a directory; OpenDirectory opens a folder of shards") || strings.Count(err.Error(), path) != 1 {
		t.Error(err)
	}
	if _, err := linear.OpenMapped(filepath.Join(path, "manifest"), linear.CheckSafe); err == nil || !strings.HasSuffix(err.Error(), "manifest of a directory: use OpenDirectory for its folder") {
		t.Error(err)
	}
}
