package testkit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saver is a test that has failed, or not.
type saver struct {
	testing.TB
	failed bool
	log    string
}

func (s *saver) Helper()                      {}
func (s *saver) Failed() bool                 { return s.failed }
func (s *saver) Name() string                 { return "TestBoxes/n=7" }
func (s *saver) Logf(format string, a ...any) { s.log += fmt.Sprintf(format, a...) }

// A file is left by a failed test, in the folder of the environment, and by no
// other.
func TestSave(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	t.Setenv(EnvArtifacts, folder)

	Save(&saver{TB: t}, "a.txt", hello)
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a test that passes made the folder: %v", err)
	}

	s := &saver{TB: t, failed: true}
	Save(s, "a.txt", hello)
	path := filepath.Join(folder, "TestBoxes_n-7_a.txt")
	if data, err := os.ReadFile(path); err != nil || string(data) != "hello" || !strings.Contains(s.log, path) {
		t.Errorf("file %q, error %v, log %q", data, err, s.log)
	}

	s = &saver{TB: t, failed: true}
	Save(s, "b.txt", func(io.Writer) error { return io.ErrShortWrite })
	if !strings.Contains(s.log, io.ErrShortWrite.Error()) {
		t.Errorf("the log does not tell of an error: %q", s.log)
	}
}
