package tiers

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/measure"
)

var bench = commandtest.Bench{Noise, Command}

// TestMain runs the processes that bench noise starts: they have the name of the test program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Noise.Name {
		os.Exit(command.Set(bench).Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestTiers(t *testing.T) {
	before := asm.Info().Tier
	out := bench.Good(t, "tiers", "-n", "200,300", "-count", "1")
	for _, tier := range asm.Info().Available {
		if !strings.Contains(out, " "+tier.String()) {
			t.Errorf("no tier %v in\n%s", tier, out)
		}
	}
	for _, row := range rows {
		if strings.Count(out, "\n"+row+" ") != 2 {
			t.Errorf("no two rows %q in\n%s", row, out)
		}
	}
	if asm.Info().Tier != before {
		t.Errorf("tier %v is still set", asm.Info().Tier)
	}
	bench.Formats(t, []string{"tiers", "-n", "200", "-count", "2"}, len(rows)*len(asm.Info().Available), len(rows))
}

// Each task runs on the tier of its column.
func TestOn(t *testing.T) {
	defer asm.SetTier(asm.Info().Tier)
	for _, tier := range asm.Info().Available {
		if got := on(tier, func() uint64 { return uint64(asm.Info().Tier) })(); got != uint64(tier) {
			t.Errorf("tier %d, want %v", got, tier)
		}
	}
}

func TestNoise(t *testing.T) {
	out := bench.Good(t, "noise", "-n", "200", "-count", "1", "-runs", "2")
	for _, row := range rows {
		if !regexp.MustCompile(`(?m)^` + row + ` +[0-9.]+ +[1-9][0-9]*\.\d{3} +[1-9][0-9]*\.\d{3}$`).MatchString(out) {
			t.Errorf("no row %q in\n%s", row, out)
		}
	}
	if !regexp.MustCompile(`\nnoise    ratios of minima above [0-9.]+ in one process, above [0-9.]+ between processes, are differences: the largest of 2 runs of the same work\nscene `).MatchString(out) {
		t.Errorf("no line of noise in\n%s", out)
	}
	bench.Formats(t, []string{"noise", "-n", "200", "-count", "2", "-runs", "1"}, 2*len(rows), len(rows))
	for _, line := range []string{"noise -n 1", "noise -scene nowhere", "noise -runs 0", "tiers -n x", "tiers -scene nowhere", "tiers extra"} {
		if o := bench.Do(strings.Fields(line)...); !o.Misused() {
			t.Errorf("bench %s: exit code %d, output %q, errors %q", line, o.Code, o.Out, o.Errs)
		}
	}
}

// The limits are the largest ratios of minima, the larger over the smaller.
func TestSpread(t *testing.T) {
	pair := [2][]measure.Series{{{9, 4}, {6, 5}, {2, 3}}, {{8, 5}, {4, 9}, {2, 2}}}
	if within, across, least := spread(pair); within != 1.25 || across != 2 || least != 2 {
		t.Errorf("within %v, across %v, least %v, want 1.25, 2 and 2", within, across, least)
	}
}
