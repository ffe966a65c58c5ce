package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// check runs the command with its options.
func check(ctx context.Context, o *options, out io.Writer) error {
	if o.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		o.cache = filepath.Join(dir, "zoctree-mutate")
	}
	j := &judge{o: o, out: out, free: make(chan *module, o.workers), maps: map[string]*coverMap{}}
	from, err := moduleRoot(ctx, o)
	if err != nil {
		return err
	}
	var copies []string
	defer func() {
		for _, dir := range copies {
			os.RemoveAll(dir)
		}
	}()
	copied := func() (*module, error) {
		dir, err := copyModule(from)
		if err != nil {
			return nil, err
		}
		copies = append(copies, dir)
		return load(ctx, dir, o.tags)
	}
	if j.mod, err = copied(); err != nil {
		return err
	}
	for range o.workers {
		m, err := copied()
		if err != nil {
			return err
		}
		j.free <- m
	}
	if j.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return err
	}
	copies = append(copies, j.dir)

	changed := map[string]map[int]bool{}
	if o.since != "" {
		if changed, err = changes(ctx, j.mod, from, o.since); err != nil {
			return err
		}
	}
	targets, err := j.targets(from, changed)
	if err != nil {
		return err
	}
	drawn, err := j.draw(ctx, targets, changed)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d: %d mutants in %s\n", o.seed, len(drawn), strings.Join(targets, " "))
	if o.list {
		for _, m := range drawn {
			fmt.Fprintln(out, m)
		}
		return nil
	}
	results, err := j.all(ctx, from, targets, drawn)
	if err != nil {
		return err
	}
	c := summary(out, results)
	if o.all {
		if err := j.killerTable(out, targets, results); err != nil {
			return err
		}
	}
	switch n := c.total(); {
	case 10*c[equivalent] > n:
		return fmt.Errorf("%d of %d mutants are called equivalent: more than a tenth", c[equivalent], n)
	case c.share() < o.want:
		return fmt.Errorf("%.3f of the mutants are caught, want %.3f", c.share(), o.want)
	}
	return nil
}

// moduleRoot returns the folder of the module to mutate.
func moduleRoot(ctx context.Context, o *options) (string, error) {
	m := &module{}
	if o.since != "" {
		out, err := m.run(ctx, ".", "git", "rev-parse", "--show-toplevel")
		return strings.TrimSpace(string(out)), err
	}
	out, err := m.run(ctx, o.pkgs[0], "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if mod := strings.TrimSpace(string(out)); filepath.Base(mod) == "go.mod" {
		return filepath.Dir(mod), nil
	}
	return "", fmt.Errorf("%s is in no module", o.pkgs[0])
}

// byFolder returns the package whose folder in the checkout is dir.
func (j *judge) byFolder(from, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", err
	}
	if from, err = filepath.EvalSymlinks(from); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, abs)
	if err != nil {
		return "", err
	}
	name := path.Join(j.mod.path, filepath.ToSlash(rel))
	if j.mod.pkgs[name] == nil {
		return "", fmt.Errorf("%s is no package of %s", dir, j.mod.path)
	}
	return name, nil
}

// targets returns the packages to mutate.
func (j *judge) targets(from string, changed map[string]map[int]bool) ([]string, error) {
	found := map[string]bool{}
	for _, dir := range j.o.pkgs {
		name, err := j.byFolder(from, dir)
		if err != nil {
			return nil, err
		}
		found[name] = true
	}
	for _, p := range j.mod.pkgs {
		for _, file := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles) {
			if changed[path.Join(j.mod.rel(p.ImportPath), file)] != nil {
				found[p.ImportPath] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// draw selects the mutants of the targets.
func (j *judge) draw(ctx context.Context, targets []string, changed map[string]map[int]bool) ([]*Mutant, error) {
	match := func(name string) bool {
		ok, err := path.Match(j.o.file, name)
		return j.o.file == "" || err == nil && ok
	}
	var all []*Mutant
	sources := map[string]*goSource{}
	for _, name := range targets {
		if j.o.assembly {
			files, err := j.asmFiles(name)
			if err != nil {
				return nil, err
			}
			all = append(all, asmMutants(files, match)...)
			continue
		}
		s, err := j.mod.goSource(ctx, name)
		if err != nil {
			return nil, err
		}
		sources[s.rel] = s
		all = append(all, s.mutants(match)...)
	}
	if err := j.readEquivalents(all); err != nil {
		return nil, err
	}
	if j.o.again != "" {
		verdicts, err := readVerdicts(j.o.again)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(m *Mutant) bool { return verdicts[m.Key()].Verdict != survived })
	}
	first := func(m *Mutant) bool { return changed[m.File][m.Line] }
	compiles := func(m *Mutant) bool { return j.o.assembly || sources[path.Dir(m.File)].compiles(m) }
	return draw(all, j.o.n, j.o.seed, first, compiles), ctx.Err()
}

// readEquivalents reads the file of equivalents. It reports lines about the files of the candidates that
// match no candidate.
func (j *judge) readEquivalents(candidates []*Mutant) (err error) {
	if j.reasons, err = readEquivalents(j.o.equivalent); err != nil {
		return err
	}
	files, keys := map[string]bool{}, map[string]bool{}
	for _, m := range candidates {
		files[m.File], keys[m.Key()] = true, true
	}
	for _, key := range slices.Sorted(maps.Keys(j.reasons)) {
		if file, _, _ := strings.Cut(key, "\t"); files[file] && !keys[key] {
			fmt.Fprintf(j.out, "%s: no such mutant: %s\n", j.o.equivalent, key)
		}
	}
	return nil
}

func (j *judge) asmFiles(name string) ([]*asmFile, error) {
	var files []*asmFile
	p := j.mod.pkgs[name]
	for _, file := range slices.Concat(p.SFiles, p.HFiles) {
		src, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return nil, err
		}
		files = append(files, parseAsm(path.Join(j.mod.rel(name), file), string(src)))
	}
	return files, nil
}

// all determines the verdicts.
func (j *judge) all(ctx context.Context, from string, targets []string, drawn []*Mutant) ([]Result, error) {
	tree, err := fingerprint(j.mod.root)
	if err != nil {
		return nil, err
	}
	tree += fmt.Sprint(j.o.tests, j.o.short, j.o.tags)
	if j.o.all || j.o.skip != nil {
		tree += fmt.Sprint(j.o.all, j.o.skip)
	}
	known := map[string]Result{}
	var verdicts io.Writer = io.Discard
	if j.o.json != "" {
		if known, err = readVerdicts(j.o.json); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(j.o.json, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		verdicts = f
	}
	judges, err := j.judges(from, targets)
	if err != nil {
		return nil, err
	}
	isTarget := map[string]bool{}
	for _, t := range targets {
		isTarget[t] = true
	}
	for _, name := range judges {
		if j.maps[name], err = j.coverMap(ctx, name, isTarget); err != nil {
			return nil, err
		}
	}

	results := make([]Result, len(drawn))
	errs := make([]error, len(drawn))
	var mu sync.Mutex // guards the output
	j.each(len(drawn), func(i int) {
		m := drawn[i]
		r, old := known[m.Key()]
		switch {
		case ctx.Err() != nil:
			return
		case j.reasons[m.Key()] != "":
			r, old = Result{Mutant: *m, Verdict: equivalent, Test: j.reasons[m.Key()]}, false
		case old && r.Tree == tree:
			r.Mutant = *m
		default:
			old = false
			if r, errs[i] = j.judge(ctx, m, j.planOf(m)); errs[i] != nil {
				return
			}
		}
		r.Tree = tree
		results[i] = r
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(j.out, "%s\n\t%s: %s, %.1f s\n", m, r.Verdict, r.Test, r.Seconds)
		if !old {
			errs[i] = json.NewEncoder(verdicts).Encode(r)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, ctx.Err()
}

// judges returns the packages whose tests run against mutants of the targets.
func (j *judge) judges(from string, targets []string) ([]string, error) {
	found := map[string]bool{}
	for _, t := range targets {
		for _, name := range j.mod.judges(t) {
			found[name] = true
		}
	}
	if len(j.o.tests) == 0 {
		return slices.Sorted(maps.Keys(found)), nil
	}
	var judges []string
	for _, dir := range j.o.tests {
		name, err := j.byFolder(from, dir)
		if err != nil {
			return nil, err
		}
		if found[name] {
			judges = append(judges, name)
		}
	}
	return judges, nil
}

// planOf returns the test plan of m, derived from the coverage maps.
func (j *judge) planOf(m *Mutant) []sitting {
	own := path.Join(j.mod.path, path.Dir(m.File))
	if j.o.assembly {
		calls := j.callers(own, m.symbols)
		return j.plan(own, func(c *coverMap) []int {
			if len(m.symbols) == 0 || calls == nil || calls[""] != nil && c.Package == own {
				return c.all()
			}
			var tests []int
			for file, places := range calls {
				for _, at := range places {
					tests = union(tests, c.covering(file, at[0], at[1], at[0], at[0]))
				}
			}
			return tests
		})
	}
	return j.plan(own, func(c *coverMap) []int {
		if !j.mod.deps(j.mod.pkgs[c.Package])[own] {
			return nil
		}
		if m.Func == "" {
			return c.all()
		}
		return c.covering(m.File, m.Line, m.Col, m.from, m.to)
	})
}

// callers returns the positions in functions of the package at path that name one of the symbols, by file;
// under "" the positions in its tests. It is nil if nothing names them.
func (j *judge) callers(path_ string, symbols []string) map[string][][2]int {
	p := j.mod.pkgs[path_]
	var places map[string][][2]int
	for i, name := range slices.Concat(p.GoFiles, p.TestGoFiles) {
		file := path.Join(j.mod.rel(path_), name)
		if i >= len(p.GoFiles) {
			file = ""
		}
		for _, at := range identifiers(filepath.Join(p.Dir, name), symbols) {
			if places == nil {
				places = map[string][][2]int{}
			}
			places[file] = append(places[file], at)
		}
	}
	return places
}
