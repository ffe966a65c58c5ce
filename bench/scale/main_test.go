package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
)

var bench = commandtest.Bench(commands)

// lines returns the number of lines that hold a word.
func lines(out, word string) (n int) {
	for line := range strings.Lines(out) {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}

func TestTable(t *testing.T) {
	out := bench.Good(t, "table", "-n", "2k", "-count", "1", "-scene", "city")
	for word, want := range map[string]int{"one tree in memory": 1, "one mapped tree": 2, "shards of up to": 3, "Pebble, ": 4, "Parquet, ": 2} {
		if n := lines(out, word); n != want {
			t.Errorf("%d rows of %s, want %d:\n%s", n, word, want, out)
		}
	}
	if out := bench.Good(t, "table", "-n", "100", "-count", "2", "-format", "gobench"); lines(out, "BenchmarkScale/store=") != 2*2*12 {
		t.Errorf("%s", out)
	}
}

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "directory")
	if out := bench.Good(t, "directory", "-n", "20k", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+8 {
		t.Errorf("%s", out)
	}
	if out := bench.Good(t, "directory", "-n", "20k", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+7 {
		t.Errorf("of one that is there: %s", out)
	}
	if o := bench.Do("directory", "-n", "1k", "-dir", dir); o.Code != 1 || !strings.Contains(o.Errs, "20000 objects") {
		t.Errorf("another directory is there: exit code %d, %s", o.Code, o.Errs)
	}
}

func TestPebble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if out := bench.Good(t, "pebble", "-n", "1k", "-steps", "20", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+6 {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	if o := bench.Do("pebble", "-n", "1k", "-dir", dir); o.Code != 1 || o.Errs == "" {
		t.Errorf("a store that is there: exit code %d, %s", o.Code, o.Errs)
	}
}

func TestParquet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "boxes.parquet")
	bench.Good(t, "parquet", "-n", "1k", "-scene", "degenerate", "-o", name)
	if out := bench.Good(t, "parquet", "-in", name, "-format", "tsv"); lines(out, "box of ") != 2 {
		t.Errorf("%s", out)
	}
	must.Do(os.Truncate(name, 1000))
	if o := bench.Do("parquet", "-in", name); o.Code != 1 || !strings.Contains(o.Errs, "columns: ") {
		t.Errorf("a file that is cut: exit code %d, %s", o.Code, o.Errs)
	}
}

func TestRaft(t *testing.T) {
	out := bench.Good(t, "raft", "-n", "500", "-steps", "20", "-format", "tsv")
	if n := lines(out, "it restarts"); n != 3 {
		t.Errorf("%d nodes restart:\n%s", n, out)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"table", "extra"}, {"raft", "-nodes", "0"}, {"-n", "1"}, {"parquet", "-in", "a", "-o", "b"}} {
		if o := bench.Do(args...); !o.Misused() {
			t.Errorf("scale %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if o := bench.Do("raft"); o.Code != 1 || o.Errs == "" {
		t.Errorf("no folder: exit code %d, errors %q", o.Code, o.Errs)
	}
}
