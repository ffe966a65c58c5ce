// Package livemap measures the map of a LiDAR that moves: a sliding window of points.
package livemap

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Command is bench map.
var Command = command.Command{
	Name:  "map",
	Short: "a sliding window of LiDAR scans, with k-nearest-neighbour queries",
	Long: `
Drives a LiDAR of 64 rings through a synthetic town, or reads scans from files, and
keeps a map of the points around it. Each scan inserts its points, removes those that
are outside the window, a closed cube about the LiDAR, and then finds the k nearest
neighbours of points of the next scan. The first scans, -warm, fill the window and are
not timed.

Each scan is processed by all indexes in turn. All run on one goroutine; garbage is
collected before each scan. The numbers of points, and the sums of the distances of all
neighbours, must be equal; otherwise the command fails.

  incremental   a tree: InsertPoints, RemoveOutside, Tick, View
  rebuilt       a new tree of all points in each scan
  voxel hash    a Go map of cells of 0.5 m, each a slice of points

The update has the median, the 95th percentile and the mean over the scans, the query
the median of the mean time of a scan. Ratios are medians over the scans, to the first
row. With -count, the time of a scan is the least of all replays.

  go run ./bench map
  go run ./bench map -points 4.85M
  go run ./bench map -in FOLDER
  go run ./bench map -in survey.las -scan 100k

A folder has one file for each scan, all in the same coordinates, in the order of the
names: scan9 before scan10. Folders, files with names that begin with a dot, and files
with other names than .las .pcd .ply .xyz .pts .csv, or these and .gz, are left out. One file is cut into scans of -scan points: in the order of gps_time if it
has that column, as most LAS files do, else of the file. The window of a scan from a
file is about the mean of its points. The note scans has the numbers of scans and points,
the box of the points, the number of those that the run uses, and the points left out.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c livemap
		count.Objects(flags, &c.points, "points", 200_000, 1000, "`number` of points in the window of the town")
		count.Var(flags, &c.scans, "scans", 40, 1, "`number` of scans that are timed")
		count.Var(flags, &c.warm, "warm", 80, 1, "`number` of scans before them")
		count.Var(flags, &c.queries, "queries", 3000, 1, "`number` of queries a scan, at most one for each point of the next scan")
		count.Range(flags, &c.k, "k", 5, 1, 1000, "`number` of neighbours")
		flags.Float64Var(&c.window, "window", 60, "half the side of the window in `METRES`")
		flags.StringVar(&c.in, "in", "", "read the scans from a folder of files, or from one `FILE`: LAS, PCD, PLY, XYZ or CSV")
		count.Var(flags, &c.scan, "scan", 20_000, 1, "`number` of points of a scan of one file")
		flags.Uint64Var(&c.seed, "seed", 1, "seed of the town")
		c.tier.Declare(flags)
		c.output.Declare(flags, 1)
		return c.run
	},
}

// livemap is one run of the command.
type livemap struct {
	points, scans, warm, queries, k, scan int
	window                                float64
	in                                    string
	seed                                  uint64
	tier                                  command.TierFlag
	output                                command.Output
}

// scan is the points of a turn of the LiDAR, and its position.
type scan struct {
	points [][3]float32
	at     [3]float64
}

// source returns scan i. The points are valid until the next call but one.
type source interface {
	scan(i int) scan
}

// window is a closed box.
type window struct{ min, max [3]float32 }

// windowOf returns the cube about a position.
func windowOf(at [3]float64, half float64) (w window) {
	for a, x := range at {
		w.min[a], w.max[a] = float32(x-half), float32(x+half)
	}
	return w
}

// has reports whether the window contains a point.
func (w *window) has(p *[3]float32) bool {
	for a, x := range p {
		if x < w.min[a] || x > w.max[a] {
			return false
		}
	}
	return true
}

// result has the times and sums of an index.
type result struct {
	name            string
	live            int
	updates, search measure.Series // ns a scan, ns a query, for each scan
	sums            []float64      // of the distances, for each scan
}

func (c *livemap) run(e *command.Env) error {
	if !(c.window > 0 && c.window <= 1e6) {
		return command.Usagef("-window %v, want above 0, up to 1e6", c.window)
	}
	defer c.tier.Use()()
	p := &command.Progress{Out: e.Errs, Steps: c.output.Count}
	scans, about := c.open(p)
	out := c.output.Begin(e, "map")
	command.TierNote(out)
	out.Note("scans", about)
	out.Note("timed", fmt.Sprintf("%s after %d, %s", count.Of(c.scans, "scan"), c.warm, count.Of(c.output.Count, "replay")))
	var results []result
	for range c.output.Count {
		p.Begin("driving through %s", count.Of(c.scans, "scan"))
		fresh := c.drive(scans, indexes(), p)
		p.End()
		if results == nil {
			results = fresh
		}
		for i := range results {
			results[i].least(&fresh[i])
		}
	}
	c.print(out, results)
	return c.output.End(e, out)
}

// open returns the scans and their description.
func (c *livemap) open(p *command.Progress) (source, string) {
	if c.in == "" {
		t := newTown(c.points, c.window, c.seed)
		return t, fmt.Sprintf("town of seed %d, 64 rings of %d", c.seed, t.azimuths)
	}
	p.Begin("reading %s", c.in)
	f := readScans(c.in, c.scan)
	p.End()
	n := len(f.scans)
	c.warm = min(c.warm, n/2)
	if c.scans = min(c.scans, n-1-c.warm); c.scans < 1 {
		advice := "a file for each"
		if !must.Get(os.Stat(c.in)).IsDir() {
			advice = "lower -scan"
		}
		must.Fail("%s: %s, want 3 or more (%s): to fill the window, to insert, and to query", c.in, count.Of(n, "scan"), advice)
	}
	return f, c.in + ", " + f.about(c.warm+c.scans+1)
}

// drive runs all scans through empty indexes.
func (c *livemap) drive(scans source, all []index, p *command.Progress) []result {
	results := make([]result, len(all))
	var filled [][3]float32
	w := windowOf(scans.scan(c.warm-1).at, c.window)
	for i := range c.warm {
		s := scans.scan(i)
		for k := range s.points {
			if w.has(&s.points[k]) {
				filled = append(filled, s.points[k])
			}
		}
	}
	for i, x := range all {
		x.fill(filled)
		results[i].name = x.name()
	}
	now := scans.scan(c.warm)
	for i := range c.scans {
		next := scans.scan(c.warm + i + 1)
		w := windowOf(now.at, c.window)
		asked := c.questions(next.points)
		runtime.GC()
		for j, x := range all {
			results[j].add(x, now.points, &w, asked, c.k)
		}
		for j := range results[1:] {
			a, b := &results[0], &results[j+1]
			if a.live != b.live || a.sums[i] != b.sums[i] {
				must.Fail("scan %d: %s has %d points and a sum of distances of %v, %s %d and %v", i, a.name, a.live, a.sums[i], b.name, b.live, b.sums[i])
			}
		}
		now = next
		p.Done(float64(i+1) / float64(c.scans))
	}
	return results
}

// questions returns the points of a scan that are queried, evenly spaced.
func (c *livemap) questions(points [][3]float32) (asked [][3]float32) {
	n := min(c.queries, len(points))
	for i := range n {
		asked = append(asked, points[i*len(points)/n])
	}
	return asked
}

// add runs a scan.
func (r *result) add(x index, points [][3]float32, w *window, asked [][3]float32, k int) {
	start := time.Now()
	x.update(points, w)
	r.updates = append(r.updates, float64(time.Since(start).Nanoseconds()))
	found := make([]float32, 0, len(asked)*k)
	start = time.Now()
	for _, p := range asked {
		found = x.nearest(found, p, k)
	}
	r.search = append(r.search, float64(time.Since(start).Nanoseconds())/float64(max(len(asked), 1)))
	sum := 0.0
	for _, d2 := range found {
		sum += math.Sqrt(float64(d2))
	}
	r.live, r.sums = x.len(), append(r.sums, sum)
}

// least keeps the shorter time of each scan.
func (r *result) least(s *result) {
	for i := range r.updates {
		r.updates[i], r.search[i] = min(r.updates[i], s.updates[i]), min(r.search[i], s.search[i])
	}
}

func (r *result) mean() float64 {
	sum := 0.0
	for _, x := range r.updates {
		sum += x
	}
	return sum / float64(len(r.updates))
}

func (c *livemap) print(out *report.Report, results []result) {
	column := func(title string) table.Column { return table.Column{Title: title, Width: 9} }
	t := out.Table("Map: update of a scan, query", table.Column{Title: "index", Width: -12}, column("points"), column("median ms"), column("p95 ms"), column("mean ms"), column("ratio"),
		column("query us"), column("ratio"))
	for i := range results {
		r := &results[i]
		update, query := r.updates.Over(results[0].updates).Median(), r.search.Over(results[0].search).Median()
		median, p95 := r.updates.Median(), r.updates.Quantile(0.95)
		t.Row(r.name, fmt.Sprint(r.live), table.Number(median/1e6), table.Number(p95/1e6), table.Number(r.mean()/1e6), fmt.Sprintf("%.2f", update),
			table.Number(r.search.Median()/1e3), fmt.Sprintf("%.2f", query))
		for _, m := range []struct {
			quantity, unit string
			value          float64
		}{
			{"median", "ns/op", median}, {"p95", "ns/op", p95}, {"mean", "ns/op", r.mean()}, {"query", "ns/op", r.search.Median()},
			{"update", "ratio", update}, {"search", "ratio", query},
		} {
			name := report.Name("Map", "index", r.name, "points", r.live, "k", c.k, "quantity", m.quantity)
			out.Measure(report.Measure{Name: name, Unit: m.unit, Samples: measure.Series{m.value}})
		}
	}
}
