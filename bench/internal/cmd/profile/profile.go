// Package profile implements the command bench profile, which profiles the time and the memory of a workload,
// and profile tree, which writes a tree as a profile.
package profile

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/linear"
)

// Command is bench profile.
var Command = command.Command{
	Name:    "profile",
	Operand: "[FILE]",
	Short:   "profile a workload, or read the CPU profile of any program: time and bytes by phase, kernels, hints; compare with an older profile",
	Long: `
Runs a workload repeatedly under the CPU and heap profilers and reads their
records. A pass of

  frame     moves 1 % of the objects and ticks, culls with one camera at 10 %, and
            queries 100 boxes, first hits of rays and 8 nearest neighbours
  build     builds a new tree, and rebuilds it
  query     culls with cameras at 1, 10 and 50 %, and queries 100 boxes of 8 and of 450
            results, spheres, rays, first hits, 1 and 8 nearest, on a frozen tree
  pairs     finds all overlapping pairs, on a frozen tree
  motion    moves 1 % of the objects and ticks
  scene     moves 1 % of the instances of a scene and ticks, culls with one camera at
            10 %, and queries 100 boxes and first hits of rays. The scene has
            -n objects in -instances instances of 20 parts; -scene and -in do not count

The tables: time by phase, from the labels that linear.ProfileLabels switches
on, of samples without one from their stack, with the bytes that a pass
allocates there (a heap profile has no labels: by the innermost function that is
of one phase); kernels, which are functions in assembly files; packages of the
innermost function; and small functions that have a frame of their own, are
leaves and take 1 % or more: calls that might be inlined, unless they hold a
loop, which a small part of samples at the entry suggests.

Shares are of the samples that have the library on their stack; the collector's
are of all. The last lines are hints: a figure, the rule that it breaks, and a remedy. The workload
scene adds the work of its queries with instances, and the visits to each part.

  go run ./bench profile -workload motion -o old.pb.gz
  go run ./bench profile -workload motion -base old.pb.gz
  go tool pprof -http=: -tagroot=zoctree.op,phase old.pb.gz

With a FILE no workload is run: it is a CPU profile of any program that uses the library, as
runtime/pprof and net/http/pprof write it, with the labels or without, and times are totals
in place of times of a pass. It has no bytes. Of the flags, -base and -format count.

  curl -o cpu.pb.gz http://localhost:6060/debug/pprof/profile?seconds=10
  go run ./bench profile cpu.pb.gz

With -base the parts are compared: z of the shares by the two-proportion test
and, when both ran the same workload, z of the samples a pass, of two Poisson
rates. A difference with |z| above 3 is real: chance alone makes one comparison
in 370 exceed it.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var r profiler
		flags.StringVar(&r.workload, "workload", "frame", "run `NAME`: "+workloadNames())
		r.source.Declare(flags)
		flags.Float64Var(&r.seconds, "seconds", 10, "profile for so many seconds")
		count.Objects(flags, &r.instances, "instances", 1000, 1, "`number` of instances of workload scene")
		count.Var(flags, &r.workers, "workers", 1, 1, "`number` of goroutines that build")
		flags.StringVar(&r.out, "o", "", "save the CPU profile to `FILE`, for go tool pprof and -base")
		flags.StringVar(&r.heap, "heap", "", "save the heap profile of the passes to `FILE`")
		flags.StringVar(&r.base, "base", "", "compare with the CPU profile in `FILE`, saved before")
		r.tier.Declare(flags)
		r.output.DeclareFormat(flags)
		return r.run
	},
}

// profiler is one run of the command.
type profiler struct {
	source          command.Source
	workload        string
	seconds         float64
	instances       int
	workers         int
	out, heap, base string
	tier            command.TierFlag
	output          command.Output

	file   string // profile to read, instead of a run
	p      *command.Progress
	report *report.Report
}

// heapRate is the number of bytes between two samples of the heap profile, far below the default, to resolve
// the allocations of a pass.
const heapRate = 4096

// warmShare is the inverse of the share of the time for unprofiled passes first, in which buffers grow and
// the tree settles.
const warmShare = 4

func (r *profiler) run(e *command.Env) error {
	if e.Operand != "" {
		r.read(e, e.Operand)
		return nil
	}
	if !(r.seconds > 0) {
		return command.Usagef("-seconds %v: want more than 0", r.seconds)
	}
	kind, ok := workloadByName(r.workload)
	if !ok {
		return command.Usagef("unknown workload %q: want one of %s", r.workload, workloadNames())
	}
	var base *prof.Profile
	if r.base != "" {
		base = must.Get(prof.Load(r.base))
	}
	defer r.tier.Use()()
	r.p = &command.Progress{Out: e.Errs}
	work := &inputs{seed: r.source.Seed, workers: r.workers, n: r.source.N, instances: r.instances}
	about := ""
	if kind.name == sceneName {
		about = work.about()
	} else {
		about, work.objects = r.source.Load(r.p)
	}
	r.p.Begin("preparing %s", kind.name)
	pass := kind.make(work)
	warm := time.Duration(r.seconds * float64(time.Second) / warmShare)
	for start := time.Now(); ; {
		if pass(); time.Since(start) > warm {
			break
		}
	}
	r.p.End()
	r.p.Begin("profiling for %v s", r.seconds)
	cpu, heap, passes := r.record(pass)
	r.p.End()
	run := origin{kind.name, about, asm.Info().Tier.String(), r.workers, passes}
	cpu.Comments = append(cpu.Comments, run.comments()...)
	for _, f := range []struct {
		path string
		p    *prof.Profile
	}{{r.out, cpu}, {r.heap, heap}} {
		if f.path == "" {
			continue
		}
		must.Do(prof.Save(f.path, f.p))
	}
	r.report = r.output.Begin(e, "profile")
	r.report.Note("tier", fmt.Sprintf("%v of %v", asm.Info().Tier, asm.Info().Available))
	r.report.Note("objects", about)
	r.print(cpu, heap, base, run)
	if work.traced != nil {
		work.traced(r.report)
	}
	return r.report.Close()
}

// record runs passes with both profilers and phase labels.
func (r *profiler) record(pass func()) (cpu, heap *prof.Profile, passes int) {
	defer linear.ProfileLabels(linear.ProfileLabels(true))
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = heapRate
	before := allocs()
	var data bytes.Buffer
	must.Do(pprof.StartCPUProfile(&data))
	defer pprof.StopCPUProfile() // after a failure
	limit := time.Duration(r.seconds * float64(time.Second))
	for start := time.Now(); passes == 0 || time.Since(start) < limit; passes++ {
		pass()
		r.p.Done(float64(time.Since(start)) / float64(limit))
	}
	pprof.StopCPUProfile()
	cpu = must.Get(prof.Parse(&data))
	return cpu, must.Get(prof.Since(before, allocs())), passes
}

// allocs returns the heap profile of all allocations so far.
func allocs() *prof.Profile {
	runtime.GC() // the profile is as of the last collection
	var data bytes.Buffer
	must.Do(pprof.Lookup("allocs").WriteTo(&data, 0))
	return must.Get(prof.Parse(&data))
}
