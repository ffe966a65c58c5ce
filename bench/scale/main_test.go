package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ran runs the command.
func ran(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}

// good runs a command that must succeed.
func good(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := ran(args...)
	if code != 0 {
		t.Fatalf("scale %v: exit code %d\n%s%s", args, code, out, errs)
	}
	return out
}

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
	out := good(t, "table", "-n", "2k", "-count", "1", "-scene", "city")
	for word, want := range map[string]int{"one tree in memory": 1, "one mapped tree": 2, "shards of up to": 3, "Pebble, ": 4, "Parquet, ": 2} {
		if n := lines(out, word); n != want {
			t.Errorf("%d rows of %s, want %d:\n%s", n, word, want, out)
		}
	}
	if out := good(t, "-n", "100", "-count", "2", "-format", "gobench"); lines(out, "BenchmarkScale/store=") != 2*2*12 {
		t.Errorf("%s", out)
	}
}

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "directory")
	if out := good(t, "directory", "-n", "20k", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+8 {
		t.Errorf("%s", out)
	}
	if out := good(t, "directory", "-n", "20k", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+7 {
		t.Errorf("of one that is there: %s", out)
	}
	if code, _, errs := ran("directory", "-n", "1k", "-dir", dir); code != 1 || !strings.Contains(errs, "20000 objects") {
		t.Errorf("another directory is there: exit code %d, %s", code, errs)
	}
}

func TestPebble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if out := good(t, "pebble", "-n", "1k", "-steps", "20", "-dir", dir, "-format", "tsv"); lines(out, "\t") != 1+6 {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	if code, _, errs := ran("pebble", "-n", "1k", "-dir", dir); code != 1 || errs == "" {
		t.Errorf("a store that is there: exit code %d, %s", code, errs)
	}
}

func TestParquet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "boxes.parquet")
	good(t, "parquet", "-n", "1k", "-scene", "degenerate", "-o", name)
	if out := good(t, "parquet", "-in", name, "-format", "tsv"); lines(out, "box of ") != 2 {
		t.Errorf("%s", out)
	}
	if err := os.Truncate(name, 1000); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ran("parquet", "-in", name); code != 1 || !strings.Contains(errs, "columns: ") {
		t.Errorf("a file that is cut: exit code %d, %s", code, errs)
	}
}

func TestRaft(t *testing.T) {
	out := good(t, "raft", "-n", "500", "-steps", "20", "-format", "tsv")
	if n := lines(out, "it restarts"); n != 3 {
		t.Errorf("%d nodes restart:\n%s", n, out)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"table", "extra"}, {"raft", "-nodes", "0"}, {"-n", "1"}, {"parquet", "-in", "a", "-o", "b"}} {
		if code, out, errs := ran(args...); code != 2 || out != "" || errs == "" {
			t.Errorf("scale %v: exit code %d, %q, %q", args, code, out, errs)
		}
	}
	if code, _, errs := ran("raft", "-h"); code != 0 || !strings.Contains(errs, "-nodes") {
		t.Errorf("-h: exit code %d, %q", code, errs)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if code, _, errs := ran("raft"); code != 1 || errs == "" {
		t.Errorf("no folder: exit code %d, %q", code, errs)
	}
}
