// Command native compares the library with nanoflann, a C++ library of k-d trees, on points and queries that bench
// replay export has written. The command bench native builds and runs it.
//
// The driver of nanoflann, a C++ program, is compiled at run time. The two processes work in turns: one waits for the
// other. Squared distances of all neighbours are compared before they are timed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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

// comparison is one run.
type comparison struct {
	versus.Native
	points  [][3]float32
	queries [][3]float32
	native  *program
	table   *report.Table
	out     *report.Report
}

func run(o versus.Native, e *command.Env) error {
	c := comparison{Native: o}
	scene, asked := filepath.Join(o.Folder, "scene.bin"), filepath.Join(o.Folder, "points.bin")
	for _, b := range must.Get(flat.Load(scene, flat.ReadScene)) { // of a box its lower corner
		c.points = append(c.points, b.Min)
	}
	c.queries = must.Get(flat.Load(asked, flat.ReadPoints))
	if len(c.points) < 1000 || len(c.queries) == 0 {
		return fmt.Errorf("%s: %d objects and %d points, want 1000 and 1", o.Folder, len(c.points), len(c.queries))
	}
	folder := must.Get(os.MkdirTemp("", "native"))
	defer os.RemoveAll(folder)
	binary, err := compile(folder)
	if errors.Is(err, errAbsent) {
		fmt.Fprintln(e.Out, "nanoflann: skipped:", err)
		return nil
	}
	must.Do(err)
	c.native = start(binary)
	defer must.Close(c.native.close)
	c.native.load(folder, c.points, c.queries)

	c.out = report.New(e.Out, o.Format, "native")
	c.out.Machine(machine.Here())
	command.TierNote(c.out)
	c.out.Note("points", fmt.Sprintf("%s, %s", count.Of(len(c.points), "point"), count.Of(len(c.queries), "query")))
	c.table = c.out.Table("Native: ns; ratio of nanoflann to zoctree", table.Column{Title: "operation", Width: -26}, table.Column{Title: "zoctree", Width: 11},
		table.Column{Title: "nanoflann", Width: 11}, table.Column{Title: "ratio", Width: 7}, table.Column{Title: "spread", Width: 7})
	c.static()
	c.window("rebuilt")
	c.window("dynamic")
	return c.out.Close()
}

// newTree returns a tree of points, with the IDs 0, 1, and so on.
func newTree(points [][3]float32, frozen bool) *linear.Tree {
	tree := must.Get(linear.New(linear.Config{Workers: 1, Frozen: frozen}))
	must.Get(tree.InsertPoints(nil, points, linear.Labels{Mask: 1}))
	must.Do(tree.Tick())
	return tree
}

// timed returns the nanoseconds of a function.
func timed(work func()) float64 {
	start := time.Now()
	work()
	return float64(time.Since(start).Nanoseconds())
}

// search returns the squared distances of the k nearest of all queries.
func (c *comparison) search(dst []float32, tree *linear.Tree, k int) []float32 {
	view := tree.View()
	var near []query.Neighbor
	for _, p := range c.queries {
		near = must.Get(query.AppendNearest(near[:0], view, p, k, query.Unlimited, query.Filter{}))
		for _, n := range near {
			dst = append(dst, n.Dist2)
		}
	}
	return dst
}

// compare ends the command unless the distances of a search are equal, but for rounding.
func (c *comparison) compare(tree *linear.Tree, command string, k int) {
	ours := c.search(nil, tree, k)
	theirs := c.native.answers(len(c.queries)*k, command, k)
	if len(ours) != len(theirs) {
		must.Fail("%d and %d neighbours", len(ours), len(theirs))
	}
	for i, x := range ours {
		if y := theirs[i]; x-y > x*0x1p-20 || y-x > x*0x1p-20 {
			must.Fail("query %d, neighbour %d of %d: squared distances %v and %v", i/k, i%k, k, x, y)
		}
	}
}

// row prints the times of both, one for each round, of units of work.
func (c *comparison) row(name string, units int, ours, theirs measure.Series) {
	each := func(x float64) float64 { return x / float64(units) }
	ours, theirs = ours.Each(each), theirs.Each(each)
	ratio := theirs.Over(ours)
	c.table.Row(name, table.Number(ours.Median()), table.Number(theirs.Median()), fmt.Sprintf("%.2f", ratio.Median()), fmt.Sprintf("%.2f", ratio.Spread()))
	for i, library := range []string{"zoctree", "nanoflann"} {
		c.out.Measure(report.Measure{Name: report.Name("Native", "operation", name, "library", library), Unit: "ns/op", Samples: []measure.Series{ours, theirs}[i]})
	}
}

// static compares the build of an index of all points, of a frozen tree, and searches in it.
func (c *comparison) static() {
	var ours, theirs measure.Series
	var tree *linear.Tree
	for range c.Rounds {
		ours = append(ours, timed(func() { tree = newTree(c.points, true) }))
		theirs = append(theirs, c.native.do("build 0 %d", len(c.points)))
	}
	c.row("build, a point", len(c.points), ours, theirs)
	for _, k := range must.Get(c.Neighbors()) {
		c.compare(tree, "answers", k)
		c.searches(fmt.Sprintf("nearest, k = %d", k), tree, "search", k)
	}
}

// searches compares searches in existing indexes.
func (c *comparison) searches(name string, tree *linear.Tree, command string, k int) {
	var ours, theirs measure.Series
	var found []float32
	for range c.Rounds {
		ours = append(ours, timed(func() { found = c.search(found[:0], tree, k) }))
		theirs = append(theirs, c.native.do("%s %d", command, k))
	}
	c.row(name, len(c.queries), ours, theirs)
}

// window compares a sliding window of half of the points, in the order of the file. In each round 1/40 of the window
// enters it and as many points leave it. The static index of nanoflann is built again for that, the dynamic one
// changes.
func (c *comparison) window(kind string) {
	const k = 5
	size := len(c.points) / 2
	step := min(size/40, size/c.Rounds)
	tree := newTree(c.points[:size], false)
	search := map[string]string{"rebuilt": "search", "dynamic": "dsearch"}[kind]
	if kind == "dynamic" {
		c.native.do("dynamic %d", size)
	}
	ids := make([]uint32, size) // of the points in the window, the oldest first
	for i := range ids {
		ids[i] = uint32(i)
	}
	var ours, theirs measure.Series
	for r := range c.Rounds {
		lo, hi := r*step, size+r*step
		ours = append(ours, timed(func() {
			ids = must.Get(tree.InsertPoints(ids, c.points[hi:hi+step], linear.Labels{Mask: 1}))
			must.Do(tree.RemoveBatch(ids[:step]))
			ids = ids[step:]
			must.Do(tree.Tick())
		}))
		if kind == "dynamic" {
			theirs = append(theirs, c.native.do("slide %d %d", step, step))
		} else {
			theirs = append(theirs, c.native.do("build %d %d", lo+step, size))
		}
	}
	c.compare(tree, map[string]string{"search": "answers", "dsearch": "danswers"}[search], k)
	c.row("window, "+kind+", a point in", step, ours, theirs)
	c.searches("window, "+kind+", k = 5", tree, search, k)
}
