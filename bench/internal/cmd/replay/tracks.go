package replay

import (
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Tracks is bench replay tracks.
var Tracks = command.Command{
	Name:  "replay tracks",
	Short: "replay recorded tracks: moves, insertions, removals and near pairs",
	Long: `
Replays a CSV file of positions with the columns t_s, flight, x_m, y_m and z_m:
seconds, the number of a track, and metres. Each track is an object while the
file has it: from one instant to the next it moves, appears or disappears. Its
box is the cube of half-edge -half about its position, rounded outward. Each
instant ends with a tick and a search of all pairs of boxes that share a point.
A pair is near if the two positions, in float64, are at most twice -half apart.

The table has the median and the worst of all instants, times
as the median of some passes, and the sums over all instants. The
lines below it count the near pairs, once for each instant and once for each two
tracks, and name the closest.

With -together every track starts at its own first position, so that all are in
the air at once.

  go run ./bench replay tracks -in adsb_switzerland_20180801.csv.gz
  go run ./bench replay tracks -in adsb_switzerland_20180801.csv.gz -together`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c tracksRun
		flags.StringVar(&c.file, "in", "", "read the positions from `FILE`, also gzipped (required)")
		flags.Float64Var(&c.half, "half", 5000, "half the edge of a track's box, in `METRES`")
		flags.BoolVar(&c.together, "together", false, "start all tracks at once")
		count.Var(flags, &c.repeat, "repeat", 5, 1, "`number` of passes over the file")
		c.tier.Declare(flags)
		c.output.DeclareFormat(flags)
		return c.run
	},
}

// tracksRun is one run of the command.
type tracksRun struct {
	file     string
	half     float64
	together bool
	repeat   int
	tier     command.TierFlag
	output   command.Output
}

func (c *tracksRun) run(e *command.Env) error {
	if c.file == "" || c.repeat < 1 || !(c.half >= 0 && c.half <= 1e30) {
		return command.Usagef("-in %q, -half %v, -repeat %d: want a file, 0 to 1e30 metres and 1 or more passes", c.file, c.half, c.repeat)
	}
	defer c.tier.Use()()
	p := &command.Progress{Out: e.Errs}
	p.Begin("reading %s", c.file)
	tracks := readTracks(c.file, c.together)
	p.End()
	p.Begin("replaying %s %s", count.Of(len(tracks.instants), "instant"), count.Of(c.repeat, "time"))
	trackResults := replayTracks(tracks, c.half, c.repeat)
	p.End()
	out := c.output.Begin(e, "replay tracks")
	command.TierNote(out)
	out.Note("tracks", fmt.Sprintf("%s: %d positions of %d tracks at %d instants", c.file, tracks.positions, tracks.count, len(tracks.instants)))
	trackResults.print(out, 2*c.half)
	return c.output.End(e, out)
}

// print writes the table and the near pairs.
func (s *trackResults) print(out *report.Report, within float64) {
	t := out.Table("tracks",
		table.Column{Title: "of an instant", Width: -14}, table.Column{Title: "unit", Width: -7}, table.Column{Title: "median", Width: 9},
		table.Column{Title: "worst", Width: 9}, table.Column{Title: "all", Width: 10})
	for _, q := range []struct {
		name, unit string
		values     measure.Series
	}{
		{"objects", "objects", s.objects}, {"moved", "objects", s.moved}, {"inserted", "objects", s.inserted},
		{"removed", "objects", s.removed}, {"pairs of boxes", "pairs", s.boxPairs}, {"near pairs", "pairs", s.near},
		{"update", "us", s.update}, {"pairs", "us", s.pairing},
	} {
		t.Row(q.name, q.unit, table.Number(q.values.Median()), table.Number(q.values.Max()), table.Number(sum(q.values)))
		out.Measure(report.Measure{Name: report.Name("Tracks", "median", q.name), Unit: q.unit, Samples: measure.Series{q.values.Median()}})
		out.Measure(report.Measure{Name: report.Name("Tracks", "worst", q.name), Unit: q.unit, Samples: measure.Series{q.values.Max()}})
	}
	out.Note("near", fmt.Sprintf("%.0f pairs within %v m at the same instant, of %d pairs of tracks", sum(s.near), within, len(s.pairs)))
	if len(s.pairs) > 0 {
		out.Note("closest", fmt.Sprintf("tracks %d and %d, %.1f m apart", s.closest[0], s.closest[1], s.distance))
	}
}

func sum(values measure.Series) (total float64) {
	for _, x := range values {
		total += x
	}
	return total
}
