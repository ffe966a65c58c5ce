package main

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
)

var bench = commandtest.Bench(commands)

func TestPrograms(t *testing.T) {
	small := []string{"programs", "-parts", "50", "-scans", "2", "-vehicles", "300"}
	out := bench.Good(t, append(small, "-count", "1", "-format", "tsv")...)
	for program, rows := range map[string]int{"cad": 5, "robot": 5, "telemetry": 4} {
		if n := strings.Count("\n"+out, "\n"+program+"\t"); n != rows {
			t.Errorf("%d rows of %s, want %d:\n%s", n, program, rows, out)
		}
	}
	out = bench.Good(t, append(small, "-count", "2", "-format", "gobench")...)
	// Eight times of two rounds and three memories of one, each before and after.
	if n := strings.Count(out, "BenchmarkProgram/program="); n != 2*(2*8+3) {
		t.Errorf("%d samples:\n%s", n, out)
	}
}

func TestMisuse(t *testing.T) {
	for _, args := range [][]string{{"programs", "-parts", "0"}, {"programs", "-count", "0"}, {"programs", "extra"}} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("%v: exit code %d, %s", args, o.Code, o.Errs)
		}
	}
}

func TestShared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 3}, {"abcde", "xbxdx", 2}, {"aaa", "aa", 2}, {"abcbdab", "bdcaba", 4}} {
		if got := shared(strings.Split(c.a, ""), strings.Split(c.b, "")); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
