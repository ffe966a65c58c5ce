package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/terminal"
	"github.com/zoctree/zoctree/internal/machine"
)

// Output holds the flags for the rounds and the format of a measuring command.
type Output struct {
	Format  report.Format
	Count   int    // number of rounds
	profile string // name of the CPU profile
}

// AboutOutput is the end of the long help of measuring commands.
const AboutOutput = `

Ratios are of work done in turns (A B A B …). Times are minima over the rounds,
and ratios those of minima, unless a column or a note has another name: other
programs only lengthen a time. "bench noise" has the ratios that chance explains.
` + measure.NoiseRule + `

  -format text       aligned columns (the default)
  -format markdown   the same in pipes
  -format tsv        the tables alone, with tabs
  -format json       all samples, too; the package comment of
                     bench/internal/report draws the document
  -format gobench    a line for each sample, for benchstat:
                     go run ./bench -count 10 -format gobench >old.txt`

// Declare declares the flags; rounds is the default number of rounds.
func (o *Output) Declare(flags *flag.FlagSet, rounds int) {
	o.DeclareFormat(flags)
	o.DeclareProfile(flags)
	count.Var(flags, &o.Count, "count", rounds, 1, "`number` of rounds of samples")
}

func (o *Output) DeclareFormat(flags *flag.FlagSet) {
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

func (o *Output) DeclareProfile(flags *flag.FlagSet) {
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the measurements to `FILE`, for go tool pprof and go build -pgo")
}

// Begin starts the report of a command, and its profile. An error ends the command.
func (o *Output) Begin(e *Env, command string) *report.Report {
	if o.profile != "" {
		f := must.Get(os.Create(o.profile))
		w := &errorWriter{w: f}
		e.after = append(e.after, func() error { pprof.StopCPUProfile(); return errors.Join(w.err, f.Close()) })
		must.Do(pprof.StartCPUProfile(w))
	}
	measure.ListenAnew()
	r := report.New(e.Out, o.Format, command)
	r.Machine(machine.Here())
	return r
}

// errorWriter keeps the first error of its writes, which packages fmt, flag and pprof ignore.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) Write(b []byte) (n int, err error) {
	if n, err = e.w.Write(b); e.err == nil {
		e.err = err
	}
	return n, err
}

// Terminal reports whether w is a terminal: see [terminal.Is].
func (e *errorWriter) Terminal() bool { return terminal.Is(e.w) }

// End closes the report. The text format mentions noise only if it is excessive; TSV has no place for it, so
// End prints it to Errs.
func (o *Output) End(e *Env, r *report.Report) error {
	noise := measure.Heard()
	switch {
	case o.Format == report.TSV && noise.Loud():
		fmt.Fprintln(e.Errs, "bench:", noise)
	case o.Format != report.Text || noise.Loud():
		r.Note("noise", noise.String())
	}
	return r.Close()
}

// TierNote adds a note with the active tier.
func TierNote(r *report.Report) { r.Note("tier", asm.Info().Tier.String()) }
