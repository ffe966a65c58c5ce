package prof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/phase"
)

// Report is the analysis of a CPU profile.
type Report struct {
	Total     Amount // whole program
	Library   Amount
	Collector Amount // of the program, including assists by the library
	Assist    Amount // garbage collection assists by the library

	Phases   []Row // of the library: all phases in order, then other, if any
	Kernels  []Row // of the library: functions in assembly files, largest first
	Packages []Row // of the library: by innermost function, largest first
	Calls    []Call
}

// Read analyses a CPU profile. size is used to find [Call]s; nil disables them.
func Read(p *profile.Profile, size Sizer) (*Report, error) {
	if len(p.SampleType) < 2 || p.SampleType[1].Type != "cpu" {
		return nil, fmt.Errorf("prof: not a CPU profile of Go: sample types %s", types(p))
	}
	r := &Report{}
	phases, kernels, packages := tally{}, tally{}, tally{}
	for _, s := range p.Sample {
		stack, a := frames(s), amountOf(s)
		collects := ofCollector(stack)
		r.Total.add(a)
		if collects {
			r.Collector.add(a)
		}
		if len(stack) == 0 || !ofLibrary(stack) {
			continue
		}
		r.Library.add(a)
		if collects {
			r.Assist.add(a)
		}
		phases.add(phaseOf(s, stack), a)
		leaf := stack[0]
		pkg, ok := libraryPackage(packageOf(leaf.name))
		if !ok {
			pkg = packageOf(leaf.name)
		}
		packages.add(pkg, a)
		if ok && strings.HasSuffix(leaf.file, ".s") {
			kernels.add(shortName(leaf.name), a)
		}
	}
	r.Phases = phases.ordered()
	r.Kernels = kernels.largest()
	r.Packages = packages.largest()
	if size != nil {
		r.Calls = calls(p, r.Library, size)
	}
	return r, nil
}

func types(p *profile.Profile) string {
	var names []string
	for _, t := range p.SampleType {
		names = append(names, t.Type+"/"+t.Unit)
	}
	return strings.Join(names, ", ")
}

// collectors are functions of the runtime that run only for the garbage collector: its workers, assists, the
// sweeper and the scavenger.
var collectors = []string{
	"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.gcStart", "runtime.gcMarkDone", "runtime.gcMarkTermination",
	"runtime.bgsweep", "runtime.bgscavenge", "runtime.(*sweepLocked).sweep", "runtime.GC", "runtime.gcWriteBarrier",
	"runtime.wbBufFlush",
}

// ofCollector reports whether the collector is on the stack.
func ofCollector(stack []frame) bool {
	for _, f := range stack {
		if slices.Contains(collectors, f.name) {
			return true
		}
	}
	return false
}

// tally sums amounts by name.
type tally map[string]Amount

func (t tally) add(name string, a Amount) {
	sum := t[name]
	sum.add(a)
	t[name] = sum
}

// largest returns the rows sorted by descending amount, then by name.
func (t tally) largest() (rows []Row) {
	for name, a := range t {
		rows = append(rows, Row{name, a})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

// ordered returns a row for each phase, in the order of the phases, and one for the rest if there is any.
func (t tally) ordered() (rows []Row) {
	for p := range phase.Count {
		rows = append(rows, Row{p.String(), t[p.String()]})
	}
	if a, ok := t[other]; ok {
		rows = append(rows, Row{other, a})
	}
	return rows
}

// Bytes returns the bytes that each phase allocates, from a heap profile: the phases in order, then other, if
// any, and the sum. A heap profile has no labels, so the innermost function that belongs to a phase decides.
func Bytes(p *profile.Profile) (rows []Row, sum Amount, err error) {
	if len(p.SampleType) < 2 || p.SampleType[1].Type != "alloc_space" {
		return nil, sum, fmt.Errorf("prof: not a heap profile of Go: sample types %s", types(p))
	}
	phases := tally{}
	for _, s := range p.Sample {
		if stack := frames(s); ofLibrary(stack) {
			phases.add(phaseOf(s, stack), amountOf(s))
			sum.add(amountOf(s))
		}
	}
	return phases.ordered(), sum, nil
}

// Since returns the difference of a heap profile and an earlier one of the same process.
func Since(before, now *profile.Profile) (*profile.Profile, error) {
	before = before.Copy()
	before.Scale(-1)
	return profile.Merge([]*profile.Profile{now, before})
}
