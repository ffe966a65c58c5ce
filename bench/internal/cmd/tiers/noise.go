package tiers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Noise is bench noise.
var Noise = command.Command{
	Name:  "noise",
	Short: "the ratios that chance explains: the same work against itself, in turns",
	Long: `
Measures the same work against itself, for the ratio from which a difference is one. Each of -runs processes, one after
the other, makes two trees of the same objects, and runs a build, queries, all pairs and moves on both, in turns. All
ratios would be 1 without noise. The columns:

  ns            the least time of all processes
  one process   the largest ratio of the minima of both trees, the larger over the smaller: beyond it is a difference
                of two rows that one process measures in turns
  processes     that of a process and the next: beyond it is a difference of two outputs, or of two programs

With -runs 1 nothing is compared with a next process.

  go run ./bench noise
  go run ./bench noise -n 100k,1M -runs 6` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var n noise
		n.declare(flags, 9)
		count.Range(flags, &n.runs, "runs", 8, 1, 1000, "`number` of processes")
		return n.run
	},
}

// noise is one run of the command.
type noise struct {
	options
	runs int
}

func (o *noise) run(e *command.Env) error {
	counts := o.counts()
	out := o.output.Begin(e, "noise")
	command.TierNote(out)
	p := command.Progress{Out: e.Errs, Steps: o.runs}
	samples := make(map[string][]measure.Series) // by measure, one for each process
	for i := range o.runs {
		p.Begin("measuring the same work in process %d", i+1)
		if o.runs == 1 {
			o.measure(counts, samples)
		} else {
			o.child(e, samples)
		}
		p.End()
	}
	within, across := 1.0, 1.0
	var cells [][]string
	for _, n := range counts {
		for _, row := range rows {
			one, next, least := spread([2][]measure.Series{samples[o.name(n, row, 0)], samples[o.name(n, row, 1)]})
			within, across = max(within, one), max(across, next)
			line := []string{row, table.Number(least), fmt.Sprintf("%.3f", one), "-"}
			if o.runs > 1 {
				line[3] = fmt.Sprintf("%.3f", next)
			}
			cells = append(cells, line)
		}
	}
	text := fmt.Sprintf("ratios of minima above %.2f in one process", within)
	if o.runs > 1 {
		text += fmt.Sprintf(", above %.2f between processes,", across)
	}
	out.Note("noise", fmt.Sprintf("%s are differences: the largest of %s of the same work", text, count.Of(o.runs, "run")))
	for i, n := range counts {
		out.Note("scene", about(o.scene, n))
		t := out.Table(about(o.scene, n), table.Column{Title: "row", Width: -22}, table.Column{Title: "ns", Width: 9},
			table.Column{Title: "one process", Width: 11}, table.Column{Title: "processes", Width: 9})
		for k, row := range rows {
			t.Row(cells[i*len(rows)+k]...)
			for tree := range 2 {
				all := slices.Concat(samples[o.name(n, row, tree)]...)
				out.Measure(report.Measure{Name: o.name(n, row, tree), Unit: "ns/op", Samples: all})
			}
		}
	}
	return out.Close()
}

// name returns the name of the measure of a row on one of two trees.
func (o *noise) name(n int, row string, tree int) string {
	return report.Name("Noise", "scene", o.scene, "n", n, "row", row, "tree", tree)
}

// spread returns the largest ratio of the minima of both trees in one process, that of a process and the next, and the
// least time.
func spread(pair [2][]measure.Series) (within, across, least float64) {
	within, across = 1, 1
	apart := func(a, b float64) float64 { return max(a/b, b/a) }
	var last float64
	for i := range pair[0] {
		a, b := pair[0][i].Min(), pair[1][i].Min()
		within = max(within, apart(a, b))
		both := min(a, b)
		if i > 0 {
			across = max(across, apart(both, last))
		}
		if last = both; i == 0 || both < least {
			least = both
		}
	}
	return within, across, least
}

// measure adds the samples of this process.
func (o *noise) measure(counts []int, samples map[string][]measure.Series) {
	for _, n := range counts {
		var tasks [2][]measure.Task
		var sound [2]func() error
		f := newField(o.scene, n, o.seed)
		for k, f := range []*field{f, f.twin()} {
			tasks[k], sound[k] = f.tasks()
		}
		for i, row := range rows {
			for k, s := range measure.Interleave(o.output.Count, tasks[0][i], tasks[1][i]) {
				name := o.name(n, row, k)
				samples[name] = append(samples[name], s)
			}
		}
		for _, check := range sound {
			must.Do(check())
		}
	}
}

// child adds the samples of a new process.
func (o *noise) child(e *command.Env, samples map[string][]measure.Series) {
	c := exec.Command(must.Get(os.Executable()), "noise", "-runs", "1", "-format", "json",
		"-scene", o.scene, "-n", o.sizes, "-seed", fmt.Sprint(o.seed), "-count", fmt.Sprint(o.output.Count))
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, e.Errs
	must.Within(func() { must.Do(c.Run()) }, "%s", c)
	var doc struct {
		Measures []struct {
			Name    string
			Samples measure.Series
		}
	}
	must.Do(json.Unmarshal(text.Bytes(), &doc))
	for _, m := range doc.Measures {
		samples[m.Name] = append(samples[m.Name], m.Samples)
	}
}
