package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// partsShown bounds the lines of a table of kernels, packages or calls.
const partsShown = 12

// report prints what the profiles tell.
func (r *profiler) report(cpu, heap, base *profile.Profile, run origin) error {
	rep, err := prof.Read(cpu, prof.RuntimeSize)
	if err != nil {
		return err
	}
	phaseBytes, allBytes, err := prof.Bytes(heap)
	if err != nil {
		return err
	}
	info := asm.Info()
	hints := prof.Hints(rep, prof.Facts{
		Passes: run.passes, Bytes: phaseBytes, Tier: run.tier, Best: info.Available[len(info.Available)-1].String(),
	})
	out := r.e.out
	fmt.Fprintf(out, "workload %s, %d passes, %s ms of the library's CPU time each\n",
		run.workload, run.passes, table.Number(perPass(rep.Library, run.passes)/1e3))
	fmt.Fprintf(out, "samples  %d of the program: library %s, collector %s (%s in the library), the rest is the bench's own\n\n",
		rep.Total.Samples, percent(rep.Library, rep.Total), percent(rep.Collector, rep.Total), percent(rep.Assist, rep.Total))

	t := table.New(out, table.Column{Title: "phase", Width: -14}, table.Column{Title: "share", Width: 8},
		table.Column{Title: "us/pass", Width: 9}, table.Column{Title: "samples", Width: 8}, table.Column{Title: "bytes/pass", Width: 11})
	bytes := map[string]int64{}
	for _, b := range phaseBytes {
		bytes[b.Name] = b.Value / int64(run.passes)
	}
	for _, p := range rep.Phases {
		if p.Samples == 0 && bytes[p.Name] == 0 {
			continue
		}
		t.Row(p.Name, percent(p.Amount, rep.Library), table.Number(perPass(p.Amount, run.passes)),
			fmt.Sprint(p.Samples), fmt.Sprint(bytes[p.Name]))
	}
	t.Row("sum", percent(rep.Library, rep.Library), table.Number(perPass(rep.Library, run.passes)),
		fmt.Sprint(rep.Library.Samples), fmt.Sprint(allBytes.Value/int64(run.passes)))

	r.parts("kernel", rep.Kernels, rep, run.passes)
	r.parts("package", rep.Packages, rep, run.passes)
	r.calls(rep)
	if base != nil {
		if err := r.compare(rep, base, run); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	for _, h := range hints {
		fmt.Fprintln(out, "hint    ", h)
	}
	if len(hints) == 0 {
		fmt.Fprintln(out, "no hints: no rule is broken")
	}
	return nil
}

// parts prints a table of the largest parts.
func (r *profiler) parts(title string, rows []prof.Row, rep *prof.Report, passes int) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(r.e.out)
	t := table.New(r.e.out, table.Column{Title: title, Width: -26}, table.Column{Title: "share", Width: 8},
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
	fmt.Fprintln(r.e.out)
	t := table.New(r.e.out, table.Column{Title: "not inlined", Width: -38}, table.Column{Title: "share", Width: 8},
		table.Column{Title: "bytes", Width: 6}, table.Column{Title: "at entry", Width: 8}, table.Column{Title: "called by", Width: -38})
	for _, c := range rep.Calls[:min(len(rep.Calls), partsShown)] {
		t.Row(brief(c.Name), percent(c.Amount, rep.Library), fmt.Sprint(c.Size), fmt.Sprintf("%.0f %%", 100*c.Entry), brief(c.Caller))
	}
}

// brief returns a function's name without the folders of its package.
func brief(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// compare prints what differs from an older profile.
func (r *profiler) compare(rep *prof.Report, base *profile.Profile, run origin) error {
	old, err := prof.Read(base, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", r.base, err)
	}
	was := originOf(base.Comments)
	oldPasses, newPasses := was.passes, run.passes
	out := r.e.out
	fmt.Fprintf(out, "\nagainst  %s: %s, %s, tier %s, %d passes, %d samples of the library\n",
		r.base, was.workload, was.objects, was.tier, was.passes, old.Library.Samples)
	if !run.same(was) {
		fmt.Fprintln(out, "         not the same work: only shares can be compared")
		oldPasses, newPasses = 0, 0
	}
	t := table.New(out, table.Column{Title: "part", Width: -26}, table.Column{Title: "old", Width: 8}, table.Column{Title: "new", Width: 8},
		table.Column{Title: "z", Width: 6}, table.Column{Title: "old us/pass", Width: 11}, table.Column{Title: "new us/pass", Width: 11},
		table.Column{Title: "z", Width: 6}, table.Column{Title: "verdict", Width: -7})
	show := func(list []prof.Change) {
		for _, c := range list {
			if c.Old.Samples+c.New.Samples == 0 {
				continue
			}
			verdict := "chance"
			if c.Moved() {
				verdict = "real"
			}
			before, after, z := "", "", ""
			if !math.IsNaN(c.Time) {
				before, after = table.Number(perPass(c.Old, oldPasses)), table.Number(perPass(c.New, newPasses))
				z = fmt.Sprintf("%+.1f", c.Time)
			}
			t.Row(c.Name, percent(c.Old, old.Library), percent(c.New, rep.Library), fmt.Sprintf("%+.1f", c.Share), before, after, z, verdict)
		}
	}
	diff := func(before, after []prof.Row) []prof.Change {
		return prof.Diff(before, after, old.Library, rep.Library, float64(oldPasses), float64(newPasses))
	}
	show(diff([]prof.Row{{Name: "library", Amount: old.Library}}, []prof.Row{{Name: "library", Amount: rep.Library}}))
	show(diff(old.Phases, rep.Phases))
	show(prof.Most(diff(old.Kernels, rep.Kernels), partsShown))
	show(prof.Most(diff(old.Packages, rep.Packages), partsShown))
	return nil
}

// perPass returns the microseconds of a pass.
func perPass(a prof.Amount, passes int) float64 {
	return float64(a.Value) / 1e3 / float64(max(passes, 1))
}

func percent(a, of prof.Amount) string {
	return fmt.Sprintf("%.1f %%", 100*float64(a.Samples)/float64(max(of.Samples, 1)))
}
