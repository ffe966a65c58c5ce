package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

const results = "bench/RESULTS.md"

var commit = regexp.MustCompile(`(?m)^Commit ([0-9a-f]{7,}) of \d{4}-\d\d-\d\d\.$`)

// The results name their commit, and every block its machine.
func TestResults(t *testing.T) {
	text, fences := markdown(t, results)
	if !commit.MatchString(text) {
		t.Errorf("%s does not name its commit", results)
	}
	for _, block := range of(t, fences, "console") {
		if !regexp.MustCompile(`(?m)^machine .*\n(.*\n)*tier `).MatchString(block) {
			line, _, _ := strings.Cut(block, "\n")
			t.Errorf("%s: no output, or an output without the machine: run .ci/results", line)
		}
	}
}

var update = flag.Bool("update", false, "make the table of README.md anew from "+results)

// A readmeRow has the rows of the results that share a line of the README.
type readmeRow struct {
	name string
	of   []string
}

var readmeRows = []readmeRow{
	{"build: alone, and 100 queries", []string{"build", "build, use"}},
	{"memory", []string{"memory"}},
	{"a collection: stops, marks", []string{"collection, stops", "collection, marks"}},
	{"frustum of 1, 10, 50 %", []string{"frustum 1 %", "frustum 10 %", "frustum 50 %"}},
	{"box of 8, 450, sphere of 550", []string{"box of 8", "box of 450", "sphere of 550"}},
	{"ray: all, first", []string{"ray, all hits", "ray, first hit"}},
	{"nearest 1, 8", []string{"nearest", "nearest 8"}},
	{"all pairs", []string{"all pairs"}},
	{"move: one, 1,000", []string{"move", "move, batch"}},
	{"replace: one, 1,000", []string{"replace", "replace, batch"}},
	{"frame: moves, then queries", []string{"frame"}},
}

// versus makes the table of README.md from the first table of rivals.
func versus(t *testing.T) string {
	t.Helper()
	text, fences := markdown(t, results)
	measured := commit.FindStringSubmatch(text)
	if measured == nil {
		t.Fatalf("%s does not name its commit", results)
	}
	blocks := of(t, fences, "console")
	i := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "$ go run ./bench rivals -n 100k ") })
	if i < 0 {
		t.Fatal("no block of bench rivals -n 100k")
	}
	_, scene, _ := strings.Cut(blocks[i], "\nscene    uniform, 100000 objects\n")
	scene, _, _ = strings.Cut(scene, "\nscene ")
	wide := regexp.MustCompile(`  +`)
	var who []string
	rows := map[string][]string{}
	for line := range strings.Lines(scene) {
		f := wide.Split(strings.TrimSpace(line), -1)
		switch {
		case f[0] == "row":
			who = f[2 : len(f)-1]
		case len(who) > 0 && len(f) >= len(who)+2:
			rows[f[0]] = f[2 : 2+len(who)]
		}
	}
	if len(who) < 5 || who[0] != "zoctree" || who[1] != "frozen" {
		t.Fatalf("the columns are %q", who)
	}
	listed := 0
	var b strings.Builder
	fmt.Fprintf(&b, "| times ours, commit %s | %s |\n|---|%s\n", measured[1], strings.Join(who[2:], " | "), strings.Repeat("---|", len(who)-2))
	for _, r := range readmeRows {
		cells := make([]string, len(who)-2)
		for _, name := range r.of {
			row, ok := rows[name]
			if !ok {
				t.Fatalf("no row %q", name)
			}
			listed++
			ours := number(row[0])
			if frozen := number(row[1]); frozen > 0 && (frozen < ours || ours == 0) {
				ours = frozen
			}
			for k := range cells {
				if cells[k] != "" {
					cells[k] += ", "
				}
				cells[k] += times(number(row[2+k]), ours)
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", r.name, strings.Join(cells, " | "))
	}
	if listed != len(rows) {
		t.Errorf("README.md lists %d of %d rows", listed, len(rows))
	}
	return b.String()
}

// number reads a cell; 0 if it has no number.
func number(cell string) float64 {
	x, _ := strconv.ParseFloat(strings.Trim(cell, "*'"), 64) // a dash is none
	return x
}

// times formats the ratio of another value to ours, in bold where it is less.
func times(other, ours float64) string {
	switch r := other / ours; {
	case other == 0:
		return "-"
	case r < 0.995:
		return fmt.Sprintf("**%.2f**", r)
	case r < 9.95:
		return fmt.Sprintf("%.1f", r)
	default:
		return fmt.Sprintf("%.0f", r)
	}
}

var versusTable = regexp.MustCompile(`(?m)(^\| times ours, .*\n)(\|.*\n)*`)

// The table of the front page matches the results.
func TestReadmeTable(t *testing.T) {
	want := versus(t)
	text, _ := readme(t)
	got := versusTable.FindString(text)
	if *update {
		text = strings.Replace(text, got, want, 1)
		must.Do(os.WriteFile("../README.md", []byte(text), 0o666))
		return
	}
	if got != want {
		t.Errorf("the table differs from %s: run with -update. Want\n%s", results, want)
	}
}

func TestTimes(t *testing.T) {
	for _, x := range []struct {
		other, ours float64
		want        string
	}{{0, 2, "-"}, {1, 2, "**0.50**"}, {2, 2, "1.0"}, {5, 2, "2.5"}, {2001, 2, "1000"}} {
		if got := times(x.other, x.ours); got != x.want {
			t.Errorf("%v of %v: %q, want %q", x.other, x.ours, got, x.want)
		}
	}
	if x := number("*1.5"); x != 1.5 || number("20'") != 20 || number("-") != 0 {
		t.Errorf("%v", x)
	}
}
