// Package ratios implements the command bench ratios, which measures the performance figures of the design,
// each as a ratio within one run.
package ratios

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Command is bench ratios.
var Command = command.Command{
	Name:  "ratios",
	Short: "measure the figures that the design promises, with spread and verdict",
	Long: `
Measures the quantities for which the design states a target, each interleaved with
its rival (A B A B …) in one run, and prints the minimum over all rounds, or
the ratio of two minima, the median, the interquartile range, the target and
whether the minimum reaches it. Results are compared before they are timed. One worker builds.

The reference (ref) is the time of the same layout as a C program with AVX-512.
The lead is the time of the fastest of 20 native libraries, which is named. Both are
on one thread of a Zen 4 server: compare across machines with care. Queries are
to be ahead of the lead and within 1.2 of the reference, frusta within 1.15.

The curves are the time of a frustum, box or sphere query over that
of a linear SIMD sweep, for results from none to all objects, on every scene,
each the mean of eight queries. Their
target is that no query takes more than 1.1 sweeps and 50 ns.

The rows of scenes compare instances of 20 parts, a quarter of them mirrored or sheared,
with the flat tree of the boxes around all images; -quick has a tenth of the instances, or
of the objects in each. Before it is timed the scene is compared with a loop over all
objects of all instances, in float64, which tests the images themselves: so the scene
returns fewer objects than the flat tree. Its pairs are counted twice: once with the pairs inside
a part only once, as a scene returns them, and once at each instance, as the flat tree
returns them. So these rows also have a rival: a program without scenes.

  go run ./bench ratios
  go run ./bench ratios -only "frustum city 1M"
  go run ./bench ratios -only "query ray"
  go run ./bench ratios -only change
  go run ./bench ratios -only scene
  go run ./bench ratios -quick -only curve` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var r ratios
		r.output.Declare(flags, 7)
		flags.BoolVar(&r.quick, "quick", false, "only experiments of 100,000 objects or fewer, 3 rounds")
		flags.StringVar(&r.only, "only", "", "only the experiments whose name begins with `TEXT`")
		flags.Uint64Var(&r.seed, "seed", 1, "seed of scenes and cameras")
		flags.BoolVar(&r.list, "list", false, "print the names of the experiments and stop")
		r.tier.Declare(flags)
		return r.run
	},
}

// ratios is one run of the command.
type ratios struct {
	quick, list bool
	only        string
	seed        uint64
	tier        command.TierFlag
	output      command.Output
}

// experiment is a measurement. Experiments on the same objects are adjacent, so that the lab reuses the
// objects.
type experiment struct {
	name    string
	objects int // number of objects needed
	run     func(s *session) []row
}

const (
	quickObjects = 100_000
	quickRounds  = 3
)

func (r *ratios) run(e *command.Env) error {
	if r.quick {
		r.output.Count = quickRounds
	}
	chosen := r.choose(experiments())
	curves := r.choose(curveExperiments())
	if len(chosen)+len(curves) == 0 {
		return r.nothing()
	}
	if r.list {
		for _, x := range slices.Concat(chosen, curves) {
			fmt.Fprintln(e.Out, x.name)
		}
		return nil
	}
	defer r.tier.Use()()
	s := &session{rounds: r.output.Count, seed: r.seed}
	p := &command.Progress{Out: e.Errs, Steps: len(chosen) + len(curves)}
	out := r.output.Begin(e, "ratios")
	command.TierNote(out)
	out.Note("rounds", fmt.Sprint(r.output.Count))
	for _, part := range []struct {
		name        string
		experiments []experiment
		head        []table.Column
	}{{"ratios", chosen, rowColumns()}, {"curves", curves, curveColumns()}} {
		if len(part.experiments) == 0 {
			continue
		}
		t := out.Table(part.name, part.head...)
		for _, x := range part.experiments {
			p.Begin("measuring %s", x.name)
			var rows []row
			err := must.Catch(func() { rows = x.run(s) })
			p.End()
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			for _, row := range rows {
				t.Row(row.cells()...)
				for _, m := range row.measures() {
					out.Measure(m)
				}
			}
		}
	}
	return r.output.End(e, out)
}

// choose returns the experiments that the flags select.
func (r *ratios) choose(all []experiment) (chosen []experiment) {
	for _, x := range all {
		if strings.HasPrefix(x.name, r.only) && (!r.quick || x.objects <= quickObjects) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// nothing returns the reason why no experiment is selected.
func (r *ratios) nothing() error {
	all := *r
	all.quick = false
	all.output.Count = 0
	large := len(all.choose(slices.Concat(experiments(), curveExperiments())))
	if large > 0 {
		return command.Usagef("the %d experiments whose names begin with %q need more than %d objects: leave out -quick", large, r.only, quickObjects)
	}
	return command.Usagef("no experiment has a name that begins with %q: see bench ratios -list", r.only)
}

// experiments returns all experiments except curves.
func experiments() []experiment {
	return slices.Concat(buildExperiments(), frustumExperiments(), queryExperiments(), changeExperiments(), instanceExperiments())
}
