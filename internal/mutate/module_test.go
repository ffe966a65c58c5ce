package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A copy has the modules below the module, which its tests may run, but not this program, the generator and the files
// of version control.
func TestCopyModule(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	root := t.TempDir()
	want := []string{"bench/bench_test.go", "bench/rivals/go.mod", "bench/rivals/main.go", "go.mod", "internal/cpu/cpu.go"}
	for _, name := range append([]string{".git/HEAD", "internal/mutate/go.mod", "internal/asmgen/main.go"}, want...) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	to, err := copyModule(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = fs.WalkDir(os.DirFS(to), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, name)
		}
		return err
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, the copy has %q, want %q", err, got, want)
	}
}
