package main

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench(commands)

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"-bogus"}, {"run", "-bogus"}, {"ratios", "-bogus"}, {"replay", "-bogus"}, {"export", "-bogus"},
		{"nonsense"}, {"help", "nonsense"}, {"run", "extra"}, {"-n", "0"}, {"-n", "-5"}, {"-n", "many"}, {"-cameras", "0"}, {"-workers", "-1"},
		{"-scene", "nowhere"}, {"-tier", "sse9"}, {"ratios", "-count", "0"}, {"ratios", "-only", "nothing like it"},
		{"replay"}, {"replay", "-scene", "x", "-repeat", "0"}, {"export"}, {"export", "-out", "x", "-cameras", "0"},
		{"replay", "-places", "x"}, {"replay", "-part", "x", "-scene", "y"}, {"replay", "-places", "x", "-part", "y", "-scene", "z"},
		{"replay", "-places", "x", "-part", "y", "-moves", "z"}, {"export", "-out", "x", "-n", "10", "-places", "11"}, {"export", "-out", "x", "-places", "-1"},
		{"profile", "-workload", "lunch"}, {"profile", "-seconds", "0"}, {"profile", "-seconds", "NaN"}, {"profile", "-workers", "0"},
		{"profile", "-n", "0"},
		{"tree"}, {"tree", "-o", "x", "-cameras", "-1"}, {"tree", "-o", "x", "-percent", "0"}, {"tree", "-o", "x", "-frames", "-1"},
		{"tree", "-o", "x", "-frozen", "-frames", "1"},
		{"save"}, {"save", "-o", "x", "-workers", "-1"}, {"save", "-o", "x", "extra"}, {"save", "-o", "x", "-n", "0"},
		{"inspect"}, {"inspect", "x", "y"}, {"inspect", "x", "-check", "some"}, {"inspect", "x", "-format", "xml"}, {"inspect", "-bogus", "x"},
		{"picture", "-what", "art"}, {"picture", "-query", "why"}, {"picture", "-width", "639"}, {"picture", "-n", "0"},
		{"scale", "-n", "1"}, {"scale", "-count", "0"}, {"scale", "-scene", "nowhere"}, {"scale", "nothing"}, {"scale", "pebble", "extra"},
		{"scale", "pebble", "-steps", "0"}, {"scale", "parquet", "-in", "x", "-out", "y"}, {"scale", "raft", "-nodes", "0"},
		{"picture", "-slice", "high"}, {"picture", "-slice", "NaN"}, {"picture", "-scene", "nowhere"},
	} {
		o := bench.Do(args...)
		if o.Code != 2 || o.Out != "" || !strings.Contains(o.Errs, "usage: bench") {
			t.Errorf("bench %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	for _, c := range commands {
		name := strings.Fields(c.Name)
		o := bench.Do(append(name, "-h")...)
		if o.Code != 0 || !strings.Contains(o.Errs, "usage: bench "+c.Name) || !strings.Contains(o.Errs, "Flags:") {
			t.Errorf("bench %s -h: exit code %d, errors %q", c.Name, o.Code, o.Errs)
		}
		if help := bench.Good(t, append([]string{"help"}, name...)...); help != o.Errs {
			t.Errorf("bench help %s and bench %s -h differ:\n%s\n%s", c.Name, c.Name, help, o.Errs)
		}
		if help := bench.Good(t, "help"); !strings.Contains(help, c.Name) || !strings.Contains(help, c.Short) {
			t.Errorf("bench help does not tell of %s", c.Name)
		}
	}
}
