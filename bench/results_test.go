package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

const results = "bench/RESULTS.md"

// measured matches a block: its command, its commit, and the machine and the tier of the output.
var measured = regexp.MustCompile(`^\$ .*\ncommit   [0-9a-f]{7,} of \d{4}-\d\d-\d\d\nmachine .*\n(.*\n)*tier `)

// Every block of the results names its commit, its machine and its tier. The first has the noise, the next the tiers.
func TestResults(t *testing.T) {
	_, fences := markdown(t, results)
	blocks := of(t, fences, "console")
	for _, block := range blocks {
		if !measured.MatchString(block) {
			line, _, _ := strings.Cut(block, "\n")
			t.Errorf("%s: no output, or an output without the commit or the machine: run .ci/results", line)
		}
	}
	for i, command := range []string{"noise", "tiers"} {
		if !strings.HasPrefix(blocks[i], "$ go run ./bench "+command+" ") {
			t.Errorf("block %d is not that of bench %s", i, command)
		}
	}
	if !regexp.MustCompile(`\nnoise    ratios of minima above [0-9.]+ in one process, above [0-9.]+ between processes,`).MatchString(blocks[0]) {
		t.Error("no line with the noise in the first block")
	}
}

// renewed has the file of the results in a repository of a test: its blocks are commands of a shell.
const renewed = "# Measured\n\n```console\n$ echo machine %[1]s; echo \"x  &\\\\n\"\n%[2]s```\n\nText.\n\n" +
	"```console\n$ echo machine A; false\nold 2\n```\n\n```console\n$ echo no output of a command\nold 3\n```\n\n```sh\n$ kept\n```\n\n" +
	"```console\n$ echo machine B\n%[3]s```\n"

// .ci/results renews the blocks whose commands succeed, keeps the others and fails, and refuses changes that no commit
// has.
func TestRenewed(t *testing.T) {
	for _, program := range []string{"bash", "git", "awk"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s", program)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) {
		must.Do(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		must.Do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	run := func(name string, args ...string) (out string, err error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		b, err := c.CombinedOutput()
		return string(b), err
	}
	write(".ci/results", string(must.Get(os.ReadFile("../.ci/results"))))
	write(results, fmt.Sprintf(renewed, "A", "old 1\n\nold 1\n", ""))
	write("code", "")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"}} {
		if out, err := run("git", args...); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	hash := strings.TrimSpace(must.Get(run("git", "log", "-1", "--format=%h of %as")))
	want := fmt.Sprintf(renewed, "A", "commit   "+hash+"\nmachine A\nx  &\\n\n", "")
	same := func(doing string) {
		t.Helper()
		if got := string(must.Get(os.ReadFile(filepath.Join(dir, results)))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", doing, got, want)
		}
	}
	if out, err := run("bash", ".ci/results", "x  &"); err != nil || !strings.Contains(out, " s: echo machine A; echo ") {
		t.Errorf("one block: %v\n%s", err, out)
	}
	same("one block")
	out, err := run("bash", ".ci/results")
	if err == nil || strings.Count(out, "FAILED") != 2 || strings.Count(out, " s: ") != 2+2 {
		t.Errorf("all blocks: %v\n%s", err, out)
	}
	want = fmt.Sprintf(renewed, "A", "commit   "+hash+"\nmachine A\nx  &\\n\n", "commit   "+hash+"\nmachine B\n")
	same("all blocks")
	write("code", "changed")
	if out, err := run("bash", ".ci/results", "x  &"); err == nil || !strings.Contains(out, "no commit has") {
		t.Errorf("changes: %v\n%s", err, out)
	}
	same("changes")
}

var update = flag.Bool("update", false, "make the table of README.md anew from "+results)

// A readmeRow has the rows of the results that share a line of the README.
type readmeRow struct {
	name string
	of   []string
}

// The tables of README.md: the scenes of the block of bench native that they are from, and their rows.
var readmeTables = []struct {
	scene string
	rows  []readmeRow
}{
	{"uniform, 100000 objects", []readmeRow{
		{"build, an object", []string{"build, an object"}},
		{"box of 8, 450 results", []string{"box of 8", "box of 450"}},
		{"frustum of 1, 10, 50 %", []string{"frustum of 1 %", "frustum of 10 %", "frustum of 50 %"}},
		{"ray: all hits, first", []string{"ray, all hits", "ray, first hit"}},
		{"nearest 1, 8", []string{"nearest 1", "nearest 8"}},
		{"all pairs, an object", []string{"all pairs, an object"}},
		{"insert, remove one by one", []string{"insert one by one, an object", "remove one by one, a removal"}},
		{"a move, of 1 %, of all", []string{"move 1 %, a move", "move all, a move"}},
		{"frame: pairs; and a camera", []string{"frame of 1 % moves, pairs", "frame of 1 % moves, pairs, camera, 100 boxes"}},
		{"points: build, nearest 1, 8, radius", []string{"points: build, a point", "points: nearest 1", "points: nearest 8", "points: within a radius"}},
		{"window of points: rebuilt, changed", []string{"points: window, rebuilt, a point", "points: window, dynamic, a point"}},
		{"its nearest 5", []string{"points: window, rebuilt, nearest 5", "points: window, dynamic, nearest 5"}},
	}},
	{"100000 objects in 1000 instances", []readmeRow{
		{"instances: ray, first hit", []string{"instances: ray, first hit"}},
		{"instances: nearest 1, 8", []string{"instances: nearest 1", "instances: nearest 8"}},
	}},
}

// sheet is the table of a scene: the libraries, and the cells of each row without the name.
type sheet struct {
	libraries []string
	rows      map[string][]string
}

// sheetOf reads the table of a scene from the output of bench native.
func sheetOf(t *testing.T, block, scene string) (s sheet) {
	t.Helper()
	_, text, ok := strings.Cut(block, "\nscene    "+scene+"\n")
	if !ok {
		t.Fatalf("no scene %s in the output of bench native", scene)
	}
	wide := regexp.MustCompile(`  +`)
	s.rows = map[string][]string{}
	for line := range strings.Lines(text) {
		f := wide.Split(strings.TrimSpace(line), -1)
		switch {
		case f[0] == "operation" && s.libraries != nil: // the next table
			return s
		case f[0] == "operation":
			s.libraries = f[1:]
		case len(s.libraries) > 0 && len(f) == len(s.libraries)+1:
			s.rows[f[0]] = f[1:]
		}
	}
	return s
}

// native returns the block of bench native.
func native(t *testing.T, blocks []string) string {
	t.Helper()
	i := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "$ go run ./bench native ") })
	if i < 0 {
		t.Fatal("no block of bench native")
	}
	return blocks[i]
}

// versus makes the table of README.md from the block of bench native.
func versus(t *testing.T) string {
	t.Helper()
	_, fences := markdown(t, results)
	block := native(t, of(t, fences, "console"))
	var b strings.Builder
	var libraries []string
	for _, table := range readmeTables {
		s := sheetOf(t, block, table.scene)
		if libraries == nil {
			libraries = s.libraries
			if len(libraries) < 3 || libraries[0] != "zoctree" {
				t.Fatalf("the columns are %q", libraries)
			}
			fmt.Fprintf(&b, "| ns, and times ours | %s |\n|---|%s\n", strings.Join(libraries, " | "), strings.Repeat("---|", len(libraries)))
		}
		for _, r := range table.rows {
			cells := make([]string, len(libraries))
			for k, library := range libraries {
				column := slices.Index(s.libraries, library)
				var parts []string
				for _, name := range r.of {
					if _, ok := s.rows[name]; !ok {
						t.Fatalf("no row %q", name)
					}
					part := "-"
					if column >= 0 {
						part = short(s.rows[name][column])
					}
					parts = append(parts, part)
				}
				if slices.ContainsFunc(parts, func(part string) bool { return part != "-" }) {
					cells[k] = strings.Join(parts, ", ")
				}
			}
			fmt.Fprintf(&b, "| %s | %s |\n", r.name, strings.Join(cells, " | "))
		}
	}
	return b.String()
}

// short returns a cell without its spread, with fewer digits, and in bold where another library leads.
func short(cell string) string {
	ratio, _, _ := strings.Cut(cell, " ")
	x, err := strconv.ParseFloat(strings.TrimPrefix(ratio, "*"), 64)
	switch {
	case err != nil:
		return "-"
	case strings.HasPrefix(ratio, "*"):
		return fmt.Sprintf("**%.2f**", x)
	case strings.Contains(cell, " ") && x < 9.95:
		return fmt.Sprintf("%.1f", x)
	case strings.Contains(cell, " "):
		return fmt.Sprintf("%.0f", x)
	case x >= 1e6:
		return fmt.Sprintf("%.2fM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return ratio
}

var versusTable = regexp.MustCompile(`(?m)(^\| ns, and times ours .*\n)(\|.*\n)*`)

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

// claims are the rows whose ratios the first paragraph of README.md states, by library.
var claims = map[string]string{"Bullet": "frame of 1 % moves, pairs, camera, 100 boxes", "nanoflann": "points: within a radius", "Boost": "box of 450"}

var claim = regexp.MustCompile(`(\d+)( times as fast as in )(\w+)(?: and in (\w+))?`)

// The ratios that the front page states in words are at most the measured ones, rounded: -update lowers them.
func TestReadmeClaims(t *testing.T) {
	_, fences := markdown(t, results)
	s := sheetOf(t, native(t, of(t, fences, "console")), readmeTables[0].scene)
	text, _ := readme(t)
	found := 0
	got := claim.ReplaceAllStringFunc(text, func(words string) string {
		m := claim.FindStringSubmatch(words)
		stated := must.Get(strconv.Atoi(m[1]))
		for _, library := range m[3:] {
			if library == "" {
				continue
			}
			found++
			column := slices.Index(s.libraries, strings.ToLower(library))
			row := s.rows[claims[library]]
			if column < 0 || row == nil {
				t.Fatalf("%q: no row %q of %s", words, claims[library], library)
			}
			ratio, _, _ := strings.Cut(strings.TrimPrefix(row[column], "*"), " ")
			if least := int(math.Round(must.Get(strconv.ParseFloat(ratio, 64)))); stated > least {
				if !*update {
					t.Errorf("%q: it is %s for %q", words, ratio, claims[library])
				}
				stated = least
			}
		}
		return strings.Replace(words, m[1], strconv.Itoa(stated), 1)
	})
	if found != len(claims) {
		t.Errorf("README.md states %d ratios, want %d", found, len(claims))
	}
	if *update {
		must.Do(os.WriteFile("../README.md", []byte(got), 0o666))
	}
}

// block returns the block of a command.
func block(t *testing.T, command string) string {
	t.Helper()
	_, fences := markdown(t, results)
	for _, text := range of(t, fences, "console") {
		if strings.HasPrefix(text, "$ "+command+"\n") {
			return text
		}
	}
	t.Fatalf("no block of %s", command)
	return ""
}

var fewest = regexp.MustCompile(`(loops win below )(\d+)`)

// The number of objects below which a loop is faster, as the front page states it, is at least that from which the
// tree leads in each query and in a frame: -update raises it.
func TestReadmeFew(t *testing.T) {
	_, pays, _ := strings.Cut(block(t, "go run ./bench rivals small"), "\npays ")
	text, _ := readme(t)
	m := fewest.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("README.md does not match %v", fewest)
	}
	least := must.Get(strconv.Atoi(m[2]))
	for _, name := range []string{"frustum 10 %", "box of 8", "ray, first hit", "nearest 8", "all pairs", "frame"} {
		row := regexp.MustCompile(`(?m)^` + name + ` .* (\S+)$`).FindStringSubmatch(pays)
		if row == nil {
			t.Fatalf("no row %q", name)
		}
		from := must.Get(strconv.Atoi(row[1])) // fails if the tree never leads
		if from > least && !*update {
			t.Errorf("%q: the tree leads from %d in %q", m[0], from, name)
		}
		least = max(least, from)
	}
	if *update {
		must.Do(os.WriteFile("../README.md", []byte(fewest.ReplaceAllString(text, "${1}"+strconv.Itoa(least))), 0o666))
	}
}

// A million boxes are built in the time that the front page states.
func TestReadmeBuild(t *testing.T) {
	text, _ := readme(t)
	if !strings.Contains(text, "builds a million boxes in a tenth of a second (`go run ./bench`)") {
		t.Fatal("README.md does not state the time of a build")
	}
	m := regexp.MustCompile(`\nobjects  uniform, 1000000 objects, .*\nbuild    (\S+) ns/object the first time`).FindStringSubmatch(block(t, "go run ./bench"))
	if m == nil {
		t.Fatal("no time of a build")
	}
	if ns := must.Get(strconv.ParseFloat(m[1], 64)); ns > 100 {
		t.Errorf("it takes %v ns an object", ns)
	}
}

func TestShort(t *testing.T) {
	for cell, want := range map[string]string{
		"-": "-", "219": "219", "15.7": "15.7", "1641615": "1.64M", "13868": "13.9k", "6914": "6914", "*0.24 ± 0.29": "**0.24**", "1.85 ± 0.69": "1.9", "101 ± 61.9": "101", "*0.99 ± 0.01": "**0.99**",
	} {
		if got := short(cell); got != want {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
}
