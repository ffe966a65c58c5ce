package scale

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench{Command, Directory, Pebble, Parquet, Raft}

// Two words name a form, with its own flags.
func TestScaleCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"scale", "-bogus"}, {"scale", "extra"}, {"scale", "-n", "0"}, {"scale", "-n", "1k,2k"}, {"scale", "-steps", "3"},
		{"scale", "pebble", "-count", "2"}, {"scale", "parquet", "-format", "xml"}, {"scale", "raft", "-nodes", "10"},
		{"scale", "raft", "extra"},
	} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("bench %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	if help := bench.Good(t, "help", "scale", "scale", "raft"); strings.Count(help, "usage: bench scale ") != 2 || !strings.Contains(help, "-nodes") {
		t.Errorf("help %q", help)
	}
}

// Without the sources the command names the missing files.
func TestScaleNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"scale"}, {"scale", "pebble"}, {"scale", "parquet"}, {"scale", "raft"}} {
		if o := bench.Do(args...); o.Code != 1 || !strings.Contains(o.Errs, "no bench/scale/go.mod") {
			t.Errorf("bench %v: exit code %d, errors %q", args, o.Code, o.Errs)
		}
	}
}
