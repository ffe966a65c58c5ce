package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A block is a sequence of statements and the tests that execute it.
type block struct {
	At    [4]int // line, column of the start; line, column of the end
	Tests []int
}

// A coverMap is the coverage of the tests of one package, with their times.
type coverMap struct {
	Package string
	Tests   []timedTest
	Blocks  map[string][]block // by file, from the root of the module
	Loose   []int              // tests without a profile, which count as executing everything
}

// timedTest is a test with the processor time of both forms, in seconds.
type timedTest struct {
	Name           string
	Default, Short float64
}

// covering returns the tests that execute the position, or, if no block contains it, the tests that execute
// any of the lines from..to.
func (c *coverMap) covering(file string, line, col, from, to int) []int {
	var tests, around []int
	for _, b := range c.Blocks[file] {
		if before(b.At[0], b.At[1], line, col+1) && before(line, col, b.At[2], b.At[3]) {
			tests = append(tests, b.Tests...)
		}
		if b.At[0] <= to && b.At[2] >= from {
			around = append(around, b.Tests...)
		}
	}
	if tests == nil && !c.hasBlock(file, line, col) {
		tests = around
	}
	return union(tests, c.Loose)
}

func (c *coverMap) hasBlock(file string, line, col int) bool {
	return slices.ContainsFunc(c.Blocks[file], func(b block) bool {
		return before(b.At[0], b.At[1], line, col+1) && before(line, col, b.At[2], b.At[3])
	})
}

func before(l0, c0, l1, c1 int) bool { return l0 < l1 || l0 == l1 && c0 < c1 }

func union(sets ...[]int) []int {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *coverMap) all() []int {
	all := make([]int, len(c.Tests))
	for i := range all {
		all[i] = i
	}
	return all
}

// coverMap returns the map of a package, from the cache or newly built. targets are packages to cover even if
// they are oracles.
func (j *judge) coverMap(ctx context.Context, path string, targets map[string]bool) (*coverMap, error) {
	p := j.mod.pkgs[path]
	var covered []string
	for dep := range j.mod.deps(p) {
		// The oracles are slow already, and, like the scenes, rarely mutated.
		if !strings.HasSuffix(dep, "/internal/testkit") && !strings.HasSuffix(dep, "/internal/scene") || targets[dep] {
			covered = append(covered, dep)
		}
	}
	slices.Sort(covered)
	bin := filepath.Join(j.dir, strings.ReplaceAll(j.mod.rel(path), "/", "_"))
	build := func(out string, flags ...string) error {
		_, err := j.mod.run(ctx, j.mod.root, "go", j.mod.goFlags("test", append(flags, "-c", "-vet=off", "-o", out, path)...)...)
		return err
	}
	if err := build(bin+".cover", "-cover", "-covermode=set", "-coverpkg="+strings.Join(covered, ",")); err != nil {
		return nil, err
	}
	key, err := hashTest(bin+".cover", p.Dir, j.o.short)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(j.o.cache, key+".json")
	c := &coverMap{Package: path, Blocks: map[string][]block{}}
	if data, err := os.ReadFile(kept); err == nil && json.Unmarshal(data, c) == nil {
		return c, nil
	}
	if err := build(bin + ".plain"); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := j.measure(ctx, c, bin); err != nil {
		return nil, err
	}
	fmt.Fprintf(j.out, "mapped the %d tests of %s in %.0f s\n", len(c.Tests), path, time.Since(start).Seconds())
	data, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(j.o.cache, 0o755)
	}
	if err == nil {
		err = os.WriteFile(kept, data, 0o644)
	}
	return c, err
}

// hashTest returns the hash of a test binary and the data of its tests.
func hashTest(bin, dir string, short bool) (string, error) {
	h := sha256.New()
	data, err := os.ReadFile(bin)
	if err != nil {
		return "", err
	}
	h.Write(data)
	sum, err := fingerprint(filepath.Join(dir, "testdata"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fmt.Fprintln(h, sum, short)
	return fmt.Sprintf("%x", h.Sum(nil)[:12]), nil
}

var passed = regexp.MustCompile(`(?m)^--- (?:PASS|SKIP): (\S+) \(([0-9.]+)s\)`)

// measure runs each test alone with its profile, and all once in the short form.
func (j *judge) measure(ctx context.Context, c *coverMap, bin string) error {
	dir := j.mod.pkgs[c.Package].Dir
	out, err := j.mod.run(ctx, dir, bin+".plain", "-test.list", ".")
	if err != nil {
		return err
	}
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "Benchmark") {
			c.Tests = append(c.Tests, timedTest{Name: name})
		}
	}
	// With the memory limit of mutants, and ample time.
	run := func(args ...string) ([]byte, float64, error) {
		args = limited(24*3600, args)
		return j.mod.timed(ctx, dir, args[0], args[1:]...)
	}
	out, _, err = run(bin+".plain", "-test.v", "-test.short", "-test.timeout=0")
	if err != nil {
		return fmt.Errorf("without a mutant: %w\n%s", err, out)
	}
	short := map[string]float64{}
	for _, m := range passed.FindAllSubmatch(out, -1) {
		short[string(m[1])], _ = strconv.ParseFloat(string(m[2]), 64)
	}
	blocks := map[string]map[[4]int]*block{}
	errs := make([]error, len(c.Tests))
	profiles := make([][]byte, len(c.Tests))
	j.each(len(c.Tests), func(i int) {
		t := &c.Tests[i]
		profile := fmt.Sprintf("%s.%d", bin, i)
		args := []string{bin + ".cover", "-test.run=^" + t.Name + "$", "-test.timeout=0"}
		if j.o.short {
			args = append(args, "-test.short")
		}
		_, seconds, err := run(append(args, "-test.coverprofile="+profile)...)
		if err != nil { // possibly a test of allocations, to which the counters may add some
			args[0] = bin + ".plain"
			_, seconds, errs[i] = run(args...)
		}
		t.Default = seconds
		t.Short = min(t.Default, short[t.Name]+0.02)
		profiles[i], _ = os.ReadFile(profile)
		os.Remove(profile)
	})
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("without a mutant: %w", err)
	}
	for i, data := range profiles {
		if len(data) == 0 {
			c.Loose = append(c.Loose, i)
			continue
		}
		if err := j.addProfile(blocks, data, i); err != nil {
			return err
		}
	}
	for file, byPlace := range blocks {
		for _, b := range byPlace {
			b.Tests = union(b.Tests)
			c.Blocks[file] = append(c.Blocks[file], *b)
		}
		slices.SortFunc(c.Blocks[file], func(a, b block) int { return slices.Compare(a.At[:], b.At[:]) })
	}
	return nil
}

// addProfile records that test executed the blocks of the profile.
func (j *judge) addProfile(blocks map[string]map[[4]int]*block, profile []byte, test int) error {
	for s := bufio.NewScanner(bytes.NewReader(profile)); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		colon := strings.LastIndexByte(line, ':')
		var at [4]int
		var statements, count int
		if _, err := fmt.Sscanf(line[colon+1:], "%d.%d,%d.%d %d %d", &at[0], &at[1], &at[2], &at[3], &statements, &count); err != nil {
			return fmt.Errorf("profile: %q: %w", line, err)
		}
		file := j.mod.rel(line[:colon])
		if blocks[file] == nil {
			blocks[file] = map[[4]int]*block{}
		}
		b := blocks[file][at]
		if b == nil {
			b = &block{At: at}
			blocks[file][at] = b
		}
		if count > 0 {
			b.Tests = append(b.Tests, test)
		}
	}
	return nil
}
