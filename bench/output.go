package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/machine"
)

// output is how a command that measures repeats and reports, as its flags say.
type output struct {
	format  report.Format
	count   int    // rounds
	profile string // file
}

// aboutOutput ends the long help of such commands.
const aboutOutput = `

Ratios are of work done in turns (A B A B …), round by round. All times are
medians over the rounds. ` + measure.NoiseRule + `

  -format text       aligned columns (the default)
  -format markdown   the same in pipes
  -format tsv        the tables alone, with tabs
  -format json       all samples, too; the package comment of
                     bench/internal/report draws the document
  -format gobench    a line for each sample, for benchstat:
                     go run ./bench -count 10 -format gobench >old.txt`

// declare declares the flags; count is the default number of rounds.
func (o *output) declare(flags *flag.FlagSet, count int) {
	o.declareFormat(flags)
	o.declareProfile(flags)
	flags.IntVar(&o.count, "count", count, "number of rounds of samples")
}

func (o *output) declareFormat(flags *flag.FlagSet) {
	flags.Var(&o.format, "format", "write the results as `NAME`: "+report.FormatNames())
}

func (o *output) declareProfile(flags *flag.FlagSet) {
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the measurements to `FILE`, for go tool pprof and go build -pgo")
}

// check tells what is wrong with the flags.
func (o *output) check() error {
	if o.count < 1 {
		return usagef("-count %d: want 1 or more rounds", o.count)
	}
	return nil
}

// begin begins the report of a command, and its profile.
func (o *output) begin(e *env, command string) (*report.Report, error) {
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return nil, err
		}
		e.after = append(e.after, func() error { pprof.StopCPUProfile(); return f.Close() })
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
	}
	measure.ListenAnew()
	r := report.New(e.out, o.format, command)
	r.Machine(machine.Here())
	return r, nil
}

// end ends it. Text tells of noise only when there is too much, and TSV has no
// place for it.
func (o *output) end(e *env, r *report.Report) error {
	noise := measure.Heard()
	switch {
	case o.format == report.TSV && noise.Loud():
		fmt.Fprintln(e.errs, "bench:", noise)
	case o.format != report.Text || noise.Loud():
		r.Note("noise", noise.String())
	}
	return r.Close()
}

// tierNote tells the tier in use.
func tierNote(r *report.Report) { r.Note("tier", asm.Info().Tier.String()) }
