package nested

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
)

var bench = commandtest.Bench{Rivals, Small, Interest, Scale, Directory, Pebble, Parquet, Raft, Native}

// The flags are checked before a module is built.
func TestCommandLine(t *testing.T) {
	for _, line := range []string{
		"rivals -bogus", "rivals extra", "rivals -n 0", "rivals -scenes nowhere", "rivals -format xml",
		"rivals small extra", "rivals small -n 9", "rivals small -n 1M", "rivals small -scenes nowhere", "rivals small -count 0",
		"rivals interest extra", "rivals interest -n 999", "rivals interest -frames 0", "rivals interest -format xml",
		"scale -bogus", "scale extra", "scale -n 0", "scale -n 1k,2k", "scale -steps 3", "scale pebble -count 2",
		"scale parquet -format xml", "scale -scene nowhere", "scale pebble -steps 0", "scale parquet -in x -o y",
		"native -n 999", "native -scenes nowhere", "native -in x -k 0", "native -in x -k 5,1001", "native -in x -count 0", "native -in x extra", "scale raft -nodes 10", "scale raft extra",
	} {
		if o := bench.Do(strings.Fields(line)...); !o.Misused() {
			t.Errorf("bench %s: exit code %d, output %q, errors %q", line, o.Code, o.Out, o.Errs)
		}
	}
	if help := bench.Good(t, "help", "scale", "scale", "raft"); strings.Count(help, "usage: bench scale ") != 2 || !strings.Contains(help, "-nodes") {
		t.Errorf("help %q", help)
	}
}

// Without the sources a command names the missing files.
func TestNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range bench {
		name := strings.Fields(c.Name)
		if o := bench.Do(name...); o.Code != 1 || !strings.Contains(o.Errs, "no bench/"+name[0]+"/go.mod") {
			t.Errorf("bench %s: exit code %d, errors %q", c.Name, o.Code, o.Errs)
		}
	}
}

// A module that does not build, because its dependencies are not available, is an error that names them.
func TestNeedsModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bench", "rivals")
	must.Do(os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{
		"go.mod":  "module rivals\n\ngo 1.26\n\nrequire example.org/nowhere v1.0.0\n",
		"main.go": "package main\n\nimport _ \"example.org/nowhere\"\n\nfunc main() {}\n",
	} {
		must.Do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Setenv("GOPROXY", "off")
	t.Chdir(dir)
	t.Chdir("../..")
	if o := bench.Do("rivals"); o.Code != 1 || !strings.Contains(o.Errs, "a module proxy") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}
