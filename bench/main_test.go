package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench(commands)

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"-bogus"}, {"run", "-bogus"}, {"ratios", "-bogus"}, {"replay", "-bogus"}, {"replay", "export", "-bogus"},
		{"nonsense"}, {"help", "nonsense"}, {"run", "extra"}, {"-n", "0"}, {"-n", "-5"}, {"-n", "many"}, {"-cameras", "0"}, {"-workers", "-1"},
		{"-scene", "nowhere"}, {"-tier", "sse9"}, {"ratios", "-count", "0"}, {"ratios", "-only", "nothing like it"},
		{"replay"}, {"replay", "-scene", "x", "-repeat", "0"}, {"replay", "export"}, {"replay", "export", "-o", "x", "-cameras", "0"},
		{"replay", "-instances", "x"}, {"replay", "-part", "x", "-scene", "y"}, {"replay", "-instances", "x", "-part", "y", "-scene", "z"},
		{"replay", "-instances", "x", "-part", "y", "-moves", "z"}, {"replay", "export", "-o", "x", "-n", "10", "-instances", "11"}, {"replay", "export", "-o", "x", "-instances", "-1"},
		{"profile", "-workload", "lunch"}, {"profile", "-seconds", "0"}, {"profile", "-seconds", "NaN"}, {"profile", "-workers", "0"},
		{"profile", "-n", "0"}, {"profile", "-n", "4294967296"}, {"profile", "-instances", "2147483648"}, {"-n", "2147483648"}, {"map", "-points", "3G"},
		{"profile", "tree"}, {"profile", "tree", "-o", "x", "-cameras", "-1"}, {"profile", "tree", "-o", "x", "-percent", "0"}, {"profile", "tree", "-o", "x", "-frames", "-1"},
		{"profile", "tree", "-o", "x", "-frozen", "-frames", "1"},
		{"save"}, {"save", "-o", "x", "-workers", "-1"}, {"save", "-o", "x", "extra"}, {"save", "-o", "x", "-n", "0"},
		{"save", "inspect"}, {"save", "inspect", "x", "y"}, {"save", "inspect", "x", "-check", "some"}, {"save", "inspect", "x", "-format", "xml"}, {"save", "inspect", "-bogus", "x"},
		{"picture", "-kind", "art"}, {"picture", "-query", "why"}, {"picture", "-width", "639"}, {"picture", "-n", "0"},
		{"picture", "-slice", "high"}, {"picture", "-slice", "NaN"}, {"picture", "-scene", "nowhere"},
		{"map", "-k", "0"}, {"map", "-k", "1001"},
		{"view", "-port", "-1"}, {"view", "-port", "many"}, {"view", "extra"},
	} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("bench %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	for _, c := range commands {
		name := strings.Fields(c.Name)
		o := bench.Do(append(name, "-h")...)
		if o.Code != 0 || o.Errs != "" || !strings.Contains(o.Out, "usage: bench "+c.Name) || !strings.Contains(o.Out, "Flags:") {
			t.Errorf("bench %s -h: exit code %d, output %q, errors %q", c.Name, o.Code, o.Out, o.Errs)
		}
		if help := bench.Good(t, append([]string{"help"}, name...)...); help != o.Out {
			t.Errorf("bench help %s and bench %s -h differ:\n%s\n%s", c.Name, c.Name, help, o.Out)
		}
		if help := bench.Good(t, "help"); !strings.Contains(help, c.Name) || !strings.Contains(help, c.Short) {
			t.Errorf("bench help does not list %s", c.Name)
		}
	}
	for _, arg := range []string{"-h", "-help", "--help"} {
		if bench.Good(t, arg) != bench.Good(t, "help") {
			t.Errorf("bench %s does not list the commands", arg)
		}
	}
}

// An error names the mistyped word, and suggests the right one.
func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"-camera 3":            "run has no flag -camera, did you mean -cameras?",
		"replay -sceen x":      "replay has no flag -sceen, did you mean -scene?",
		"-quick":               "run has no flag -quick, which ratios, occlusion would take",
		"ratios -bogus":        "ratios has no flag -bogus (bench ratios -h",
		"picture -out x":       "picture has no flag -out, did you mean -o?",
		"replay export -out x": "replay export has no flag -out, did you mean -o?",
		"scaling -max 1M":      "scaling has no flag -max, did you mean -n?",
		"ratio":                `unknown command "ratio", did you mean ratios? (bench help`,
		"tracks":               `unknown command "tracks", did you mean replay tracks?`,
		"help pictrue":         `unknown command "pictrue", did you mean picture?`,
		"frobnicate":           `unknown command "frobnicate" (bench help`,
		"scale pebbel":         `unexpected argument "pebbel", did you mean scale pebble?`,
		"run extra":            `unexpected argument "extra" (bench run -h`,
		"-cpu x":               "did you mean -cpuprofile?",
		"-n":                   "flag needs an argument: -n",
		"picture -slice two":   `invalid value "two" for flag -slice`,
	} {
		if o := bench.Do(strings.Fields(line)...); !o.Misused() || !strings.Contains(o.Errs, want) {
			t.Errorf("bench %s: exit code %d, errors %q, want %q", line, o.Code, o.Errs, want)
		}
	}
}

// Counts have one type of number: the only flags with the number types in package flag are seeds, ports and
// flags with a unit.
func TestNumberFlags(t *testing.T) {
	for _, c := range commands {
		flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
		c.Setup(flags)
		flags.VisitAll(func(f *flag.Flag) {
			kind := fmt.Sprintf("%T", f.Value)
			if kind == "*flag.intValue" && f.Name != "port" || kind == "*flag.int64Value" || kind == "*flag.uintValue" || kind == "*flag.uint64Value" && f.Name != "seed" {
				t.Errorf("%s -%s is a %s: declare it with package count", c.Name, f.Name, kind)
			}
			if strings.HasPrefix(kind, "*count.") {
				if err := f.Value.Set(f.DefValue); err != nil {
					t.Errorf("%s -%s: its default: %v", c.Name, f.Name, err)
				}
				if f.Value.Set("100k") == nil && f.Value.Set("1e5") == nil && f.Value.String() != "100k" {
					t.Errorf("%s -%s: 100k is %s", c.Name, f.Name, f.Value)
				}
			}
		})
	}
	if help := bench.Good(t, "help", "run"); !strings.Contains(help, "-n number") || !strings.Contains(help, "(default 1M)") {
		t.Errorf("bench help run does not show its default number:\n%s", help)
	}
}
