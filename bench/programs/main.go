// Command programs compares programs before and after their move to the library: package cad picks parts of a model,
// robot keeps a map of obstacles, telemetry serves the positions of vehicles. The command bench programs builds and
// runs it. The module has packages for a program's own move, too: kdtree and rtree have the call shapes of other
// packages, and convert has conversions of their types.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
)

var commands = command.Set{{Name: "programs", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var o versus.Programs
	o.Declare(flags)
	return func(e *command.Env) error {
		if err := o.Check(); err != nil {
			return command.Usage(err)
		}
		return run(o, e)
	}
}}}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// comparison is a run of the command.
type comparison struct {
	versus.Programs
	out   *report.Report
	table *report.Table
}

func run(o versus.Programs, e *command.Env) error {
	c := comparison{Programs: o, out: report.New(e.Out, o.Format, "programs")}
	measure.ListenAnew()
	c.out.Machine(machine.Here())
	command.TierNote(c.out)
	c.table = c.out.Table("before and after the move; ratio of before to after",
		table.Column{Title: "program", Width: -9}, table.Column{Title: "quantity", Width: -37}, table.Column{Title: "before", Width: 11},
		table.Column{Title: "after", Width: 11}, table.Column{Title: "ratio", Width: 7}, table.Column{Title: "spread", Width: 7})
	c.cad()
	c.robot()
	c.telemetry()
	if c.Rounds >= 5 {
		c.out.Note("noise", measure.Heard().String())
	}
	return c.out.Close()
}

// row writes the row of a quantity, whose values are in a unit: those of each round before and after. It has the
// minima, their ratio, and the spread of the ratios of the rounds.
func (c *comparison) row(program, quantity, unit string, before, after measure.Series) {
	ratio := before.Over(after)
	c.table.Row(program, quantity, table.Number(before.Min()), table.Number(after.Min()), table.Number(before.Min()/after.Min()), fmt.Sprintf("%.2f", ratio.Spread()))
	for i, state := range []string{"before", "after"} {
		c.out.Measure(report.Measure{Name: report.Name("Program", "program", program, "quantity", quantity, "state", state), Unit: unit, Samples: []measure.Series{before, after}[i]})
	}
}

// times writes the row of a pair of tasks, in nanoseconds divided by scale.
func (c *comparison) times(program, quantity string, scale float64, before, after measure.Task) {
	s := measure.Interleave(c.Rounds, before, after)
	each := func(ns float64) float64 { return ns / scale }
	c.row(program, quantity, "ns/op", s[0].Each(each), s[1].Each(each))
}

// memory writes the row of the memory that two programs take.
func (c *comparison) memory(program string, before, after float64) {
	c.row(program, "memory, MB", "MB", measure.Series{before}, measure.Series{after})
}

// lines writes the row of the lines of two sources.
func (c *comparison) lines(program, before, after string) {
	b, a := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	common := shared(b, a)
	c.table.Row(program, fmt.Sprintf("lines (%d removed, %d added)", len(b)-common, len(a)-common), fmt.Sprint(len(b)-1), fmt.Sprint(len(a)-1), "", "")
}

// shared returns the length of the longest common subsequence of lines.
func shared(a, b []string) int {
	last := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := last[j+1]
			if x == y {
				last[j+1] = diagonal + 1
			} else {
				last[j+1] = max(above, last[j])
			}
			diagonal = above
		}
	}
	return last[len(b)]
}

// heap returns what a function makes, and the megabytes of the heap that it takes.
func heap[T any](make func() T) (made T, megabytes float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made = make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return made, (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / 1e6
}
