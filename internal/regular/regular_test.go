//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package regular_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/regular"
	"github.com/zoctree/zoctree/internal/testkit"
)

// kinds makes a file of each kind in a folder, and returns their paths.
func kinds(t *testing.T, folder string) map[string]string {
	t.Helper()
	at := func(name string) string { return filepath.Join(folder, name) }
	testkit.Must(t, os.Mkdir(at("folder"), 0o777))
	if err := syscall.Mkfifo(at("pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	return map[string]string{"a directory": at("folder"), "a named pipe": at("pipe"), "a socket": at("socket"), "a device": os.DevNull}
}

// Files of all kinds but one are rejected at once, by themselves and through links.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	if len(folder) > 80 {
		folder = "" // the name of a socket is short
		t.Chdir(t.TempDir())
	}
	file := filepath.Join(folder, "file")
	testkit.Must(t, os.WriteFile(file, []byte("content"), 0o666))
	link := filepath.Join(folder, "link")
	testkit.Must(t, os.Symlink("file", link))
	for _, path := range []string{file, link} {
		f, info, err := regular.Open(path)
		testkit.Must(t, err)
		b, err := io.ReadAll(f)
		if string(b) != "content" || err != nil || info.Size() != 7 {
			t.Errorf("%s: %q, %v, %d bytes", path, b, err, info.Size())
		}
		f.Close()
	}
	for name, path := range kinds(t, folder) {
		link := filepath.Join(folder, "to "+name)
		to, err := filepath.Abs(path)
		testkit.Must(t, err)
		testkit.Must(t, os.Symlink(to, link))
		want := fs.ErrInvalid
		if name == "a directory" {
			want = syscall.EISDIR
		}
		for _, path := range []string{path, link} {
			_, _, err := regular.Open(path)
			if !errors.Is(err, want) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, _, err := regular.Open(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A named pipe that replaces a file between its stat and its opening is rejected without a wait.
func TestOpenReplaced(t *testing.T) {
	folder := t.TempDir()
	path, pipe, file := filepath.Join(folder, "path"), filepath.Join(folder, "pipe"), filepath.Join(folder, "file")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	testkit.Must(t, os.WriteFile(file, nil, 0o666))
	replace := func(from string) {
		if err := os.Link(from, path+".new"); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	replace(file)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				replace(pipe)
				replace(file)
			}
		}
	}()
	start, opened, refused := time.Now(), 0, 0
	for { // on a busy machine the other goroutine may rest for long
		if passed := time.Since(start); passed > 100*time.Millisecond && min(opened, refused) > 0 || passed > 20*time.Second {
			break
		}
		f, info, err := regular.Open(path)
		switch {
		case err == nil:
			opened++
			if !info.Mode().IsRegular() {
				t.Errorf("opened a file of mode %v", info.Mode())
			}
			f.Close()
		case errors.Is(err, fs.ErrInvalid):
			refused++
		default:
			t.Error(err)
		}
	}
	close(stop)
	<-stopped
	if opened == 0 || refused == 0 {
		t.Errorf("%d were opened, %d refused", opened, refused)
	}
}
