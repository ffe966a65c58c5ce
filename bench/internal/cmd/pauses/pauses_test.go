package pauses

import (
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/lab"
)

var bench = commandtest.Bench{Command}

// The tables have a line for each mix, size and kind of call, and percentiles ascend.
func TestPauses(t *testing.T) {
	out := bench.Good(t, "pauses", "-n", "1k,2k", "-frames", "2", "-count", "1", "-format", "tsv")
	calls, queries := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) == 13 && f[0] != "mix":
			calls[f[0]+f[1]+f[2]] = true
			numbers := make([]float64, 6)
			for i := range numbers {
				x, err := strconv.ParseFloat(f[4+i], 64)
				if numbers[i] = x; err != nil || i > 0 && i < 4 && x < numbers[i-1] {
					t.Errorf("%v in\n%s", err, line)
				}
			}
			if numbers[5] > numbers[4] || numbers[4] > numbers[3] {
				t.Errorf("the excess of the worst call is larger than its time, or the carried one larger still:\n%s", line)
			}
		case len(f) == 10 && f[0] != "mix":
			queries[f[0]+f[1]+f[2]] = true
		}
	}
	for _, x := range lab.Mixes() {
		for _, n := range []string{"1k", "2k"} {
			for _, kind := range x.Kinds {
				if !calls[x.Name+n+kind] {
					t.Errorf("no line of %s, %s, %s in\n%s", x.Name, n, kind, out)
				}
			}
			for _, kind := range lab.PauseQueries {
				if !calls[x.Name+n+kind] || !queries[x.Name+n+kind] {
					t.Errorf("no lines of %s, %s, %s in\n%s", x.Name, n, kind, out)
				}
			}
		}
	}
}

func TestPausesFormats(t *testing.T) {
	const kinds = 3 // move all, view, tick
	queries := len(lab.PauseQueries)
	percentiles, touched := 4*(kinds+queries), 1+queries // of a tick and queries
	bench.Formats(t, []string{"pauses", "-n", "1k", "-frames", "1", "-count", "1", "-only", "drift"}, percentiles+touched+3*queries, kinds+2*queries)
	for _, args := range [][]string{{"-n", "10"}, {"-n", "1k,x"}, {"-count", "0"}, {"-frames", "0"}, {"-budget", "n/0"}, {"-budget", "x"}} {
		if o := bench.Do(append([]string{"pauses"}, args...)...); o.Code != 2 {
			t.Errorf("%v: exit code %d", args, o.Code)
		}
	}
	if o := bench.Do("pauses", "-only", "nothing"); o.Code != 1 || !strings.Contains(o.Errs, "nothing") {
		t.Errorf("exit code %d: %s", o.Code, o.Errs)
	}
}

func TestBudget(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1k": 1000, "n/64": 1562, "n/1M": 1} {
		var b budget
		if err := b.Set(text); err != nil || b.of(100_000) != want || b.String() != text {
			t.Errorf("%s: %d, %s, %v, want %d", text, b.of(100_000), &b, err, want)
		}
	}
	touched := func(budget string) string {
		for line := range strings.Lines(bench.Good(t, "pauses", "-n", "3k", "-frames", "1", "-count", "1", "-only", "10 %", "-budget", budget, "-format", "tsv")) {
			if f := strings.Split(line, "\t"); f[2] == "tick" {
				return f[len(f)-1]
			}
		}
		return ""
	}
	if none, some := touched("0"), touched("n/64"); none == some {
		t.Errorf("the tree has no budget: a tick touches %q objects with and without", none)
	}
}
