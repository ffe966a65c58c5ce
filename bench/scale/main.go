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
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// forms maps the first argument to its run.
var forms = map[string]func(s *show) error{
	versus.ScaleTable:     (*show).table,
	versus.ScaleDirectory: (*show).directory,
	versus.ScalePebble:    (*show).pebble,
	versus.ScaleParquet:   (*show).parquet,
	versus.ScaleRaft:      (*show).raft,
}

// show is a run of the command.
type show struct {
	versus.Scale
	out  *report.Report
	errs io.Writer // destination of progress messages
	temp string    // temporary folder, removed at the end
}

// run returns the exit code: 1 after a failure or a wrong result, 2 for an invalid command line.
func run(args []string, stdout, stderr io.Writer) int {
	what := versus.ScaleTable
	if len(args) > 0 && forms[args[0]] != nil {
		what, args = args[0], args[1:]
	}
	s := &show{errs: stderr}
	flags := flag.NewFlagSet("scale "+what, flag.ContinueOnError)
	flags.SetOutput(stderr)
	s.Declare(flags, what)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	err := s.Check()
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(stderr, "scale:", err)
		return 2
	}
	if err := s.run(stdout); err != nil {
		fmt.Fprintln(stderr, "scale:", err)
		return 1
	}
	return 0
}

func (s *show) run(stdout io.Writer) (err error) {
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
	if err := forms[s.What](s); err != nil {
		return err
	}
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
