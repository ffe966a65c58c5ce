//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package points

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A file that is not regular is rejected without a wait: opening a named pipe would block until it has a
// writer, even after the context ends.
func TestOpenFileKinds(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		path, name string
		is         error
	}{
		{folder, folder, syscall.EISDIR}, {pipe, "a named pipe", fs.ErrInvalid}, {os.DevNull, "a device", fs.ErrInvalid},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := Open(ctx, c.path, Options{}); done <- err }()
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%s: %v", c.path, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: Open blocks", c.path)
		}
	}
}
