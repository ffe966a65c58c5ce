// Command scale measures storage engines for boxes that outgrow the memory of one machine, or that must
// survive its loss. The command of the parent module runs it:
//
//	go run ./bench scale -h
//
// Each engine is a package: ranges, on Pebble, for writes; columns, on Parquet, for exchange and analysis;
// replica, on Raft, for redundancy. Package row holds their common code, and package oracle the tree that
// they are compared with.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// commands are the variants; the table is the default.
var commands = command.Set{
	variant(versus.ScaleTable, (*show).table), variant(versus.ScaleDirectory, (*show).directory),
	variant(versus.ScalePebble, (*show).pebble), variant(versus.ScaleParquet, (*show).parquet), variant(versus.ScaleRaft, (*show).raft),
}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// show is a run of a command.
type show struct {
	versus.Scale
	out  *report.Report
	errs io.Writer // destination of progress messages
	temp string    // temporary folder, removed at the end
}

// variant returns the command of a variant.
func variant(name string, body func(s *show)) command.Command {
	return command.Command{Name: name, Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		s := &show{Scale: versus.Scale{What: name}}
		s.Declare(flags)
		return func(e *command.Env) error {
			if err := s.Check(); err != nil {
				return command.Usage(err)
			}
			s.errs = e.Errs
			return s.run(e.Out, body)
		}
	}}
}

// run runs a variant in a temporary folder and writes its report.
func (s *show) run(stdout io.Writer, body func(s *show)) (err error) {
	if s.temp, err = os.MkdirTemp("", "scale"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.temp)) }()
	name := "scale"
	if s.What != versus.ScaleTable {
		name += " " + s.What
	}
	s.out = report.New(stdout, s.Format, name)
	measure.ListenAnew()
	s.out.Machine(machine.Here())
	s.out.Note("tier", asm.Info().Tier.String())
	if s.In == "" {
		s.out.Note("scene", fmt.Sprintf("%s, %d objects, seed %d", s.Scene, s.N, s.Seed))
	}
	body(s)
	return s.out.Close()
}

// rows makes the objects of the scene.
func (s *show) rows() (objects []soa.Object, rows []row.Row) {
	of, _ := scene.ByName(s.Scene)
	objects = of.Make(s.N, s.Seed)
	return objects, row.Number(objects)
}

// progress prints a progress message.
func (s *show) progress(format string, args ...any) { fmt.Fprintf(s.errs, format+"\n", args...) }
