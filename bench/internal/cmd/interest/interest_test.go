package interest

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench{Command}

func TestInterestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"interest", "-bogus"}, {"interest", "extra"}, {"interest", "-n", "0"}, {"interest", "-n", "999"}, {"interest", "-frames", "0"},
		{"interest", "-format", "xml"},
	} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("bench %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
}

// Without the sources the command names the missing files.
func TestInterestNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := bench.Do("interest", "-n", "1000"); o.Code != 1 || !strings.Contains(o.Errs, "no bench/rivals/go.mod") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}
