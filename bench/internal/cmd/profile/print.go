package profile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/phase"
)

// partsShown bounds the lines of a table of kernels, packages or calls.
const partsShown = 12

// print reports on the profiles.
func (r *profiler) print(cpu, heap, base *prof.Profile, run origin) {
	rep := must.Get(prof.Read(cpu, r.sizes()))
	var bytes []prof.Row
	var allBytes prof.Amount
	if heap != nil {
		var err error
		bytes, allBytes, err = prof.Bytes(heap)
		must.Do(err)
	}
	if r.file != "" && rep.Library.Samples == 0 {
		must.Fail("none of the %d samples has the library on its stack", rep.Total.Samples)
	}
	r.report.Note("workload", run.workload)
	r.note("passes", fmt.Sprintf("%d, %s ms of the library's CPU time each", run.passes, table.Number(perPass(rep.Library, run.passes)/1e3)))
	r.note("samples", fmt.Sprintf("%d of the program: library %s, collector %s (%s in the library); the rest is the program's own",
		rep.Total.Samples, percent(rep.Library, rep.Total), percent(rep.Collector, rep.Total), percent(rep.Assist, rep.Total)))
	r.note("work", operations(rep))
	r.phases(rep, bytes, allBytes, run)
	r.parts("kernel", rep.Kernels, rep, run.passes)
	r.parts("package", rep.Packages, rep, run.passes)
	r.calls(rep)
	if base != nil {
		old, err := prof.Read(base, nil)
		if err != nil {
			must.Fail("%s: %w", r.base, err)
		}
		r.compare(rep, old, run, originOf(base.Comments))
	}
	best := run.tier // of a file, possibly from another machine
	if r.file == "" {
		available := asm.Info().Available
		best = available[len(available)-1].String()
	}
	hints := prof.Hints(rep, prof.Facts{
		Passes: run.passes, Bytes: bytes, Tier: run.tier, Best: best,
	})
	for _, h := range hints {
		r.note("hint", h.String())
	}
	if len(hints) == 0 {
		r.note("hints", "none: no rule is broken")
	}
}

// operations returns the share of each operation, the sum over its phases, largest first.
func operations(rep *prof.Report) string {
	of := map[string]prof.Amount{}
	for _, row := range rep.Phases {
		if p, ok := phase.Named(row.Name); ok {
			a := of[p.Op()]
			a.Samples += row.Samples
			of[p.Op()] = a
		}
	}
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b].Samples, of[a].Samples), strings.Compare(a, b))
	})
	var words []string
	for _, name := range names {
		if of[name].Samples > 0 {
			words = append(words, name+" "+percent(of[name], rep.Library))
		}
	}
	return strings.Join(words, ", ")
}

// note adds a note that varies between runs, except in the Go format, in which it would keep benchstat from
// comparing them.
func (r *profiler) note(key, text string) {
	if r.output.Format != report.Go {
		r.report.Note(key, text)
	}
}

// phases prints the table of phases.
func (r *profiler) phases(rep *prof.Report, bytes []prof.Row, all prof.Amount, run origin) {
	of := map[string]int64{}
	for _, b := range bytes {
		of[b.Name] = b.Value / int64(run.passes)
	}
	t := r.report.Table("phases", table.Column{Title: "phase", Width: -14}, table.Column{Title: "share", Width: 8},
		table.Column{Title: "us/pass", Width: 9}, table.Column{Title: "samples", Width: 8}, table.Column{Title: "bytes/pass", Width: 11})
	line := func(name string, a prof.Amount, bytes int64) {
		t.Row(name, percent(a, rep.Library), table.Number(perPass(a, run.passes)), fmt.Sprint(a.Samples), fmt.Sprint(bytes))
		name = report.Name("Profile", "workload", run.workload, "phase", name)
		r.report.Measure(report.Measure{Name: name, Unit: "ns/op", Samples: measure.Series{1e3 * perPass(a, run.passes)}})
		r.report.Measure(report.Measure{Name: name, Unit: "B/op", Samples: measure.Series{float64(bytes)}})
	}
	for _, p := range rep.Phases {
		if p.Samples != 0 || of[p.Name] != 0 {
			line(p.Name, p.Amount, of[p.Name])
		}
	}
	line("sum", rep.Library, all.Value/int64(run.passes))
}

// parts prints a table of the largest parts.
func (r *profiler) parts(title string, rows []prof.Row, rep *prof.Report, passes int) {
	if len(rows) == 0 {
		return
	}
	t := r.report.Table(title+"s", table.Column{Title: title, Width: -26}, table.Column{Title: "share", Width: 8},
		table.Column{Title: "us/pass", Width: 9}, table.Column{Title: "samples", Width: 8})
	for _, p := range rows[:min(len(rows), partsShown)] {
		t.Row(p.Name, percent(p.Amount, rep.Library), table.Number(perPass(p.Amount, passes)), fmt.Sprint(p.Samples))
	}
}

// calls prints the calls that might be inlined.
func (r *profiler) calls(rep *prof.Report) {
	if len(rep.Calls) == 0 {
		return
	}
	t := r.report.Table("calls", table.Column{Title: "not inlined", Width: -38}, table.Column{Title: "share", Width: 8},
		table.Column{Title: "bytes", Width: 6}, table.Column{Title: "at entry", Width: 8}, table.Column{Title: "called by", Width: -38})
	for _, c := range rep.Calls[:min(len(rep.Calls), partsShown)] {
		t.Row(brief(c.Name), percent(c.Amount, rep.Library), fmt.Sprint(c.Size), fmt.Sprintf("%.0f %%", 100*c.Entry), brief(c.Caller))
	}
}

// brief returns a function's name without the folders of its package.
func brief(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// compare prints the differences from an older profile.
func (r *profiler) compare(rep, old *prof.Report, run, was origin) {
	before, after := was.passes, run.passes
	r.note("against", fmt.Sprintf("%s: %s, %s, tier %s, %s, %s of the library",
		r.base, was.workload, was.objects, was.tier, count.Of(was.passes, "pass"), count.Of(int(old.Library.Samples), "sample")))
	if !run.same(was) {
		r.note("against", "not the same work: only shares can be compared")
		before, after = 0, 0
	}
	t := r.report.Table("changes", table.Column{Title: "part", Width: -26}, table.Column{Title: "old", Width: 8},
		table.Column{Title: "new", Width: 8}, table.Column{Title: "z", Width: 6}, table.Column{Title: "old us/pass", Width: 11},
		table.Column{Title: "new us/pass", Width: 11}, table.Column{Title: "z", Width: 6}, table.Column{Title: "verdict", Width: -7})
	show := func(list []prof.Change) {
		for _, c := range list {
			if c.Old.Samples+c.New.Samples == 0 {
				continue
			}
			verdict := "chance"
			if c.Moved() {
				verdict = "real"
			}
			was, is, z := "", "", ""
			if !math.IsNaN(c.Time) {
				was, is, z = table.Number(perPass(c.Old, before)), table.Number(perPass(c.New, after)), fmt.Sprintf("%+.1f", c.Time)
			}
			t.Row(c.Name, percent(c.Old, old.Library), percent(c.New, rep.Library), fmt.Sprintf("%+.1f", c.Share), was, is, z, verdict)
		}
	}
	diff := func(was, is []prof.Row) []prof.Change {
		return prof.Diff(was, is, old.Library, rep.Library, float64(before), float64(after))
	}
	show(diff([]prof.Row{{Name: "library", Amount: old.Library}}, []prof.Row{{Name: "library", Amount: rep.Library}}))
	show(diff(old.Phases, rep.Phases))
	show(prof.Most(diff(old.Kernels, rep.Kernels), partsShown))
	show(prof.Most(diff(old.Packages, rep.Packages), partsShown))
}

// perPass returns the microseconds per pass.
func perPass(a prof.Amount, passes int) float64 {
	return float64(a.Value) / 1e3 / float64(max(passes, 1))
}

func percent(a, of prof.Amount) string {
	return fmt.Sprintf("%.1f %%", 100*float64(a.Samples)/float64(max(of.Samples, 1)))
}
