package scaling

import (
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench{Command, Classic, Changes}

// The table has a line for each size and the two of the fit, and measures name
// the size.
func TestScaling(t *testing.T) {
	out := bench.Good(t, "scaling", "-n", "1000", "-scene", "city", "-count", "1", "-format", "gobench")
	for _, q := range scalingQuantities {
		if want := "BenchmarkScaling/n=1000/quantity=" + q.Name + " 1 "; strings.Count(out, want) != 1 {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if testing.Short() {
		return
	}
	out = bench.Good(t, "scaling", "-n", "3000", "-count", "1")
	lines := 0
	for _, line := range strings.Split(out, "\n") {
		if f := strings.Fields(line); len(f) == 1+len(scalingQuantities) && slices.Contains([]string{"1000", "3000", "a", "b"}, f[0]) {
			lines++
		}
	}
	if lines != 4 {
		t.Errorf("%d lines, want 4:\n%s", lines, out)
	}
	for _, args := range [][]string{{"-n", "10"}, {"-scene", "nowhere"}, {"-count", "0"}} {
		if o := bench.Do(append([]string{"scaling"}, args...)...); o.Code != 2 {
			t.Errorf("%v: exit code %d", args, o.Code)
		}
	}
}

// The table has a line for each situation chosen, and measures name it.
func TestChanges(t *testing.T) {
	out := bench.Good(t, "scaling", "changes", "-n", "1000", "-only", "jump, 100", "-format", "gobench")
	for _, q := range []string{"before", "after", "time", "change"} {
		if want := "BenchmarkChanges/situation=jump_100_%/quantity=" + q + " 1 "; strings.Count(out, want) != 1 {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if o := bench.Do("scaling", "changes", "-only", "nothing"); o.Code == 0 || !strings.Contains(o.Errs, "nothing") {
		t.Errorf("exit code %d: %s", o.Code, o.Errs)
	}
}
