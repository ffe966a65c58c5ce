package rivals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench{Command}

func TestRivalsCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"rivals", "-bogus"}, {"rivals", "extra"}, {"rivals", "-n", "0"},
		{"rivals", "-scenes", "nowhere"}, {"rivals", "-format", "xml"},
	} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("bench %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
}

// Without the sources the command names the missing files.
func TestRivalsNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := bench.Do("rivals"); o.Code != 1 || !strings.Contains(o.Errs, "no bench/rivals/go.mod") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}

// A module that does not build, because its dependencies are not available, is an error that names them.
func TestRivalsNeedsModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bench", "rivals")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":  "module rivals\n\ngo 1.26\n\nrequire example.org/nowhere v1.0.0\n",
		"main.go": "package main\n\nimport _ \"example.org/nowhere\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "off")
	t.Chdir(dir)
	t.Chdir("../..")
	if o := bench.Do("rivals"); o.Code != 1 || !strings.Contains(o.Errs, "a module proxy") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}
