// Command native compares the library with native libraries, on files that bench replay export has written: nearest
// points with nanoflann, rays and nearest boxes with Embree, in trees and in scenes of instances. The command bench
// native builds and runs it.
//
// The driver of a library, a C++ program, is compiled at run time. The two processes work in turns: one waits for the
// other. Results are compared before they are timed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/soa"
)

var commands = command.Set{{Name: "native", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var o versus.Native
	o.Declare(flags)
	return func(e *command.Env) error {
		if err := o.Check(); err != nil {
			return command.Usage(err)
		}
		return run(o, e)
	}
}}}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// session is one run: the options, the files, and the report.
type session struct {
	versus.Native
	boxes  []soa.AABB // of scene.bin
	points [][3]float32
	rays   [][7]float32
	folder string // temporary
	out    *report.Report
}

func run(o versus.Native, e *command.Env) error {
	s := session{Native: o}
	rivals := []rival{nanoflann, embree}
	instanced := s.holds("instances.bin")
	if instanced {
		rivals = rivals[1:]
	} else {
		s.boxes = must.Get(flat.Load(s.path("scene.bin"), flat.ReadScene))
		if len(s.boxes) < 1000 {
			return fmt.Errorf("%s: %d objects, want 1000", o.Folder, len(s.boxes))
		}
	}
	s.points = must.Get(flat.Load(s.path("points.bin"), flat.ReadPoints))
	s.rays = must.Get(flat.Load(s.path("rays.bin"), flat.ReadRays))
	if len(s.points) == 0 || len(s.rays) == 0 {
		return fmt.Errorf("%s: %d points and %d rays, want one of each", o.Folder, len(s.points), len(s.rays))
	}
	s.folder = must.Get(os.MkdirTemp("", "native"))
	defer os.RemoveAll(s.folder)
	for i := range rivals {
		r := &rivals[i]
		binary, err := r.compile(s.folder)
		if errors.Is(err, errAbsent) {
			fmt.Fprintf(e.Out, "%s: skipped: %v\n", r.name, err)
			continue
		}
		must.Do(err)
		if s.out == nil {
			s.out = report.New(e.Out, o.Format, "native")
			s.out.Machine(machine.Here())
			command.TierNote(s.out)
		}
		c := s.begin(r)
		c.native = start(binary)
		switch {
		case r.name == nanoflann.name:
			points := pointContest{contest: *c}
			for _, b := range s.boxes {
				points.points = append(points.points, b.Min)
			}
			points.run()
		case instanced:
			c.instances()
		default:
			c.flat()
		}
		c.end()
		must.Do(c.native.close())
	}
	if s.out == nil {
		return nil
	}
	return s.out.Close()
}

// path returns the path of a file of the folder of files.
func (s *session) path(name string) string { return filepath.Join(s.Folder, name) }

// holds reports whether that folder has a file.
func (s *session) holds(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

// contest compares the library with a rival.
type contest struct {
	*session
	rival  *rival
	native *program
	table  *report.Table
	differ []string // notes on answers that are not equal
}

// begin begins the table of a rival.
func (s *session) begin(r *rival) *contest {
	return &contest{session: s, rival: r, table: s.out.Table(fmt.Sprintf("%s: ns; ratio of it to zoctree", r.title),
		table.Column{Title: "operation", Width: -26}, table.Column{Title: "zoctree", Width: 11}, table.Column{Title: r.name, Width: 11},
		table.Column{Title: "ratio", Width: 7}, table.Column{Title: "spread", Width: 7})}
}

// end writes the notes after the table.
func (c *contest) end() {
	for _, note := range c.differ {
		c.out.Note("differ", note)
	}
}

// row prints the times of both, one for each round, of units of work.
func (c *contest) row(name string, units int, ours, theirs measure.Series) {
	each := func(x float64) float64 { return x / float64(units) }
	ours, theirs = ours.Each(each), theirs.Each(each)
	ratio := theirs.Over(ours)
	c.table.Row(name, table.Number(ours.Median()), table.Number(theirs.Median()), fmt.Sprintf("%.2f", ratio.Median()), fmt.Sprintf("%.2f", ratio.Spread()))
	for i, library := range []string{"zoctree", c.rival.name} {
		c.out.Measure(report.Measure{Name: report.Name("Native", "rival", c.rival.name, "operation", name, "library", library), Unit: "ns/op", Samples: []measure.Series{ours, theirs}[i]})
	}
}

// timed returns the nanoseconds of a function.
func timed(work func()) float64 {
	start := time.Now()
	work()
	return float64(time.Since(start).Nanoseconds())
}
