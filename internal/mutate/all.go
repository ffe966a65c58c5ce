package main

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
)

// mostForAll is the largest number of mutants a package with -all.
const mostForAll = 150

// enoughLate is the number of time-outs after which a mutant is not run on: it has several killers.
const enoughLate = 2

// testName returns the name of a test in verdicts.
func (j *judge) testName(s sitting, test string) string {
	name := j.mod.rel(s.pkg) + "." + test
	if s.short {
		name += " -short"
	}
	return name
}

var done = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): ([^/\s]+)`)

// sitAll runs every test of s and returns those that detect the mutant, and how many did by a time-out.
func (j *judge) sitAll(ctx context.Context, s sitting, bin, dir string) (killers []string, late int, cpu float64) {
	for left := s.tests; len(left) > 0; {
		s.tests = left
		verdict, out, seconds := j.process(ctx, s, bin, dir)
		cpu += seconds
		if ctx.Err() != nil || verdict == survived {
			return killers, late, cpu
		}
		ended, before := map[string]bool{}, len(killers)
		for _, m := range done.FindAllSubmatch(out, -1) {
			ended[string(m[2])] = true
			if string(m[1]) == "FAIL" {
				killers = append(killers, string(m[2]))
			}
		}
		started := running.FindAllSubmatch(out, -1)
		if len(started) == 0 { // the process does not reach any test
			return append(killers, left...), late, cpu
		}
		// The last test started may have ended the process, also after its own end.
		if last := string(started[len(started)-1][1]); !ended[last] || len(killers) == before {
			ended[last] = true
			killers = append(killers, last)
		}
		if verdict == timedOut {
			if late++; late == enoughLate {
				return killers, late, cpu
			}
		}
		left = slices.DeleteFunc(slices.Clone(left), func(test string) bool { return ended[test] })
	}
	return killers, late, cpu
}

// A testRow is what one test contributes.
type testRow struct {
	name          string
	alone, others int // mutants that it alone detects, and that it detects with other tests
	blocks        int // blocks of the mutated packages that it alone executes
	lines         int // of the test function
}

// killerTable prints what each test of the judging packages contributes, least first.
func (j *judge) killerTable(out io.Writer, targets []string, results []Result) error {
	rows := map[string]*testRow{}
	for path, c := range j.maps {
		lines, err := testLines(j.mod.pkgs[path])
		if err != nil {
			return err
		}
		names := make([]string, len(c.Tests))
		for i, t := range c.Tests {
			names[i] = j.testName(sitting{pkg: path, short: j.o.short}, t.Name)
			rows[names[i]] = &testRow{name: names[i], lines: lines[t.Name]}
		}
		for file, blocks := range c.Blocks {
			if !slices.Contains(targets, filepath.ToSlash(filepath.Join(j.mod.path, filepath.Dir(file)))) {
				continue
			}
			for _, b := range blocks {
				if len(b.Tests) == 1 {
					rows[names[b.Tests[0]]].blocks++
				}
			}
		}
	}
	for _, r := range results {
		for _, name := range r.Killers {
			if row := rows[name]; row == nil {
				continue // a verdict of an earlier run
			} else if len(r.Killers) == 1 {
				row.alone++
			} else {
				row.others++
			}
		}
	}
	fmt.Fprintf(out, "\n%-60s %6s %6s %6s %6s\n", "test", "alone", "others", "blocks", "lines")
	for _, r := range slices.SortedFunc(maps.Values(rows), func(a, b *testRow) int {
		return cmp.Or(a.alone-b.alone, a.blocks-b.blocks, a.others-b.others, b.lines-a.lines, cmp.Compare(a.name, b.name))
	}) {
		fmt.Fprintf(out, "%-60s %6d %6d %6d %6d\n", r.name, r.alone, r.others, r.blocks, r.lines)
	}
	return nil
}

// testLines returns the number of lines of each function of the test files of p.
func testLines(p *pkg) (map[string]int, error) {
	lines := map[string]int{}
	set := token.NewFileSet()
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fun, ok := d.(*ast.FuncDecl); ok && fun.Recv == nil {
				lines[fun.Name.Name] = set.Position(fun.End()).Line - set.Position(fun.Pos()).Line + 1
			}
		}
	}
	return lines, nil
}
