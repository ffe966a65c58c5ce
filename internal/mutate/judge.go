package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// The verdicts.
const (
	caught     = "caught"
	timedOut   = "timed out" // counts as caught
	survived   = "survived"
	broken     = "does not compile"
	equivalent = "equivalent"
)

// A Result is a mutant with its verdict.
type Result struct {
	Mutant
	Tree    string // hash of the sources and the judging procedure
	Verdict string
	Test    string   // test that caught it, or why it survived
	Killers []string `json:",omitempty"` // with -all, the tests that detect it
	Seconds float64  // from the start of the compiler to the verdict
	CPU     float64  // seconds of processor time of compilers and tests
}

// A judge runs tests against mutants, one at a time in each of its copies of the module. The first copy is
// never changed.
type judge struct {
	o       *options
	out     io.Writer
	mod     *module // the copy without a mutant
	dir     string  // folder of test binaries
	free    chan *module
	maps    map[string]*coverMap
	reasons map[string]string // why mutants are equivalent, by key
}

// each calls do for 0..n-1, with at most as many concurrent calls as there are workers.
func (j *judge) each(n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(j.o.workers, n) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// A sitting is a set of tests of one package that one process runs in one form.
type sitting struct {
	pkg     string
	short   bool
	tests   []string
	seconds float64
}

const (
	linkSeconds  = 4   // cost of another test binary
	shareBelow   = 0.3 // shorter tests share a process
	shareSeconds = 1.5
)

// plan returns the sittings that judge m, cheapest first. They contain every test in its default form,
// preceded by the short form of tests for which it is much shorter.
func (j *judge) plan(own string, covering func(*coverMap) []int) []sitting {
	type single struct {
		sitting
		cost float64
	}
	var singles []single
	for path, c := range j.maps {
		extra := 0.0
		if path != own {
			extra = linkSeconds
		}
		for _, i := range covering(c) {
			t := c.Tests[i]
			if j.o.skip != nil && j.o.skip.MatchString(t.Name) {
				continue
			}
			add := func(short bool, seconds float64) {
				singles = append(singles, single{sitting{path, short, []string{t.Name}, seconds}, seconds + extra})
			}
			if !j.o.short {
				add(false, t.Default)
			}
			if j.o.short || !j.o.all && t.Short < t.Default/2 && t.Default > shareBelow {
				add(true, t.Short)
			}
		}
	}
	slices.SortFunc(singles, func(a, b single) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.tests[0], b.tests[0]))
	})
	var plan []sitting
	open := map[string]int{} // sitting that still accepts tests
	for _, s := range singles {
		key := fmt.Sprint(s.pkg, s.short)
		if at, ok := open[key]; ok && s.seconds < shareBelow && plan[at].seconds+s.seconds < shareSeconds {
			plan[at].tests = append(plan[at].tests, s.tests[0])
			plan[at].seconds += s.seconds
			continue
		}
		if s.seconds < shareBelow {
			open[key] = len(plan)
		}
		plan = append(plan, s.sitting)
	}
	return plan
}

// judge determines the verdict on m with the sittings of its plan.
func (j *judge) judge(ctx context.Context, m *Mutant, plan []sitting) (r Result, err error) {
	r = Result{Mutant: *m}
	start := time.Now()
	defer func() { r.Seconds = time.Since(start).Seconds() }()
	if len(plan) == 0 {
		r.Verdict, r.Test = survived, "no test executes it"
		return r, nil
	}
	mod := <-j.free
	defer func() { j.free <- mod }()
	name := filepath.Join(mod.root, filepath.FromSlash(m.File))
	src, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	if err := os.WriteFile(name, m.apply(src), 0o644); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, src, 0o644)) }()

	tests, late := 0, 0
	built := map[string]string{}
	for _, s := range plan {
		bin := built[s.pkg]
		if bin == "" {
			bin = filepath.Join(mod.root, strings.ReplaceAll(j.mod.rel(s.pkg), "/", "_")+".test")
			_, cpu, err := mod.timed(ctx, mod.root, "go", mod.goFlags("test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin, s.pkg)...)
			r.CPU += cpu
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			if err != nil {
				r.Verdict, r.Test = broken, firstLine(err)
				return r, nil
			}
			built[s.pkg] = bin
			defer os.Remove(bin)
		}
		dir := filepath.Join(mod.root, filepath.FromSlash(j.mod.rel(s.pkg)))
		if j.o.all {
			killers, n, cpu := j.sitAll(ctx, s, bin, dir)
			r.CPU += cpu
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			for _, test := range killers {
				r.Killers = append(r.Killers, j.testName(s, test))
			}
			if tests, late = tests+len(s.tests), late+n; late >= enoughLate {
				break
			}
			continue
		}
		verdict, test, cpu := j.sit(ctx, s, bin, dir)
		r.CPU += cpu
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if verdict != survived {
			r.Verdict, r.Test = verdict, j.testName(s, test)
			return r, nil
		}
		tests += len(s.tests)
	}
	switch {
	case len(r.Killers) == 0:
		r.Verdict, r.Test = survived, fmt.Sprintf("%d tests execute it", tests)
	case late > 0:
		r.Verdict, r.Test = timedOut, strings.Join(r.Killers, ", ")
	default:
		r.Verdict, r.Test = caught, strings.Join(r.Killers, ", ")
	}
	return r, nil
}

func firstLine(err error) string {
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go test") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}

var (
	failed  = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	running = regexp.MustCompile(`(?m)^=== RUN   ([^/\s]+)`)
)

// mostMemory is the limit of mapped memory of a process, in KiB: a mutant may allocate without end.
const mostMemory = 8 << 20

// limited returns the command that runs args within the limits, where a shell supports them.
func limited(seconds float64, args []string) []string {
	if runtime.GOOS != "linux" {
		return args
	}
	limits := fmt.Sprintf("ulimit -v %d; ulimit -t %.0f", mostMemory, math.Ceil(seconds))
	return append([]string{"sh", "-c", limits + `; exec "$0" "$@"`}, args...)
}

// sit runs one process of tests, up to the first failure, and returns the test that failed.
func (j *judge) sit(ctx context.Context, s sitting, bin, dir string) (verdict, test string, cpu float64) {
	verdict, out, cpu := j.process(ctx, s, bin, dir)
	if verdict == survived {
		return verdict, "", cpu
	}
	if m := failed.FindSubmatch(out); verdict == caught && m != nil {
		return verdict, string(m[1]), cpu
	}
	test = "start" // start of the process, before any test
	if all := running.FindAllSubmatch(out, -1); all != nil {
		test = string(all[len(all)-1][1])
	}
	return verdict, test, cpu
}

// process runs one process of tests. Its limit is processor time, which does not depend on the load of the
// machine; a deadlock is ended by a later limit of real time.
func (j *judge) process(ctx context.Context, s sitting, bin, dir string) (verdict string, output []byte, cpu float64) {
	limit := j.o.grace.Seconds() + j.o.timeout*s.seconds
	timed, cancel := context.WithTimeout(ctx, time.Duration(30*limit*float64(time.Second)))
	defer cancel()
	args := []string{bin, "-test.v", "-test.timeout=0", "-test.run=^(" + strings.Join(s.tests, "|") + ")$"}
	if !j.o.all {
		args = append(args, "-test.failfast")
	}
	if s.short {
		args = append(args, "-test.short")
	}
	args = limited(limit, args)
	cmd := exec.CommandContext(timed, args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, goEnv(), &out, &out, time.Second
	err := cmd.Run()
	cpu = cpuSeconds(cmd)
	switch {
	case err == nil:
		return survived, nil, cpu
	case timed.Err() != nil || cpu >= limit:
		return timedOut, out.Bytes(), cpu
	}
	return caught, out.Bytes(), cpu
}

// cpuSeconds returns the processor time of a process.
func cpuSeconds(cmd *exec.Cmd) float64 {
	if cmd.ProcessState == nil {
		return 0
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}
