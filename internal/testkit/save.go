package testkit

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Save writes an artifact of a failed test, such as an image; if the test has not failed, it writes
// nothing. The file is written to the folder in ZOCTREE_ARTIFACTS, under the name of the test and
// its own, or to the artifact folder of the test under go test -artifacts. Without either, Save
// only logs how to get the file.
func Save(t testing.TB, name string, write func(w io.Writer) error) {
	t.Helper()
	if !t.Failed() {
		return
	}
	folder := os.Getenv(EnvArtifacts)
	switch f := flag.Lookup("test.artifacts"); {
	case folder != "":
		name = strings.NewReplacer("/", "_", "=", "-", " ", "_").Replace(t.Name()) + "_" + name
	case f != nil && f.Value.String() == "true":
		folder = t.ArtifactDir()
	default:
		t.Logf("set %s=FOLDER, or run with -artifacts, for %s", EnvArtifacts, name)
		return
	}
	path := filepath.Join(folder, name)
	if err := save(path, write); err != nil {
		t.Logf("cannot leave %s: %v", name, err)
		return
	}
	t.Logf("look at %s", path)
}

func save(path string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
