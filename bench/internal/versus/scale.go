package versus

import (
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
)

// Variants of the command that exceeds one machine.
const (
	ScaleTable     = "table"
	ScaleDirectory = "directory"
	ScalePebble    = "pebble"
	ScaleParquet   = "parquet"
	ScaleRaft      = "raft"
)

// Scale holds the flags of such a command. The command of this module checks them and passes them to the
// command of the module bench/scale.
type Scale struct {
	What   string // variant
	N      int    // number of objects
	Scene  string
	Rounds int // samples of each figure in the table
	Seed   uint64
	Format report.Format

	Dir   string // folder of the directory or of the Pebble store; empty: a temporary one
	Steps int    // transactions of Pebble, or commands of Raft
	In    string // Parquet file to read
	Out   string // file to write
	Geo   bool   // write it as GeoParquet
	Nodes int    // nodes of Raft
}

// Declare adds the flags of the variant.
func (o *Scale) Declare(flags *flag.FlagSet) {
	what := o.What
	o.Rounds, o.Steps, o.Nodes = 1, 1, 1
	size, most := map[string]int{ScaleTable: 50_000, ScaleDirectory: 200_000, ScalePebble: 20_000, ScaleParquet: 50_000, ScaleRaft: 2000}[what], maxCount
	if what == ScaleDirectory { // its objects are not in memory
		most = 1_000_000_000
	}
	count.Range(flags, &o.N, "n", size, 2, most, "`number` of objects")
	if o.Scene = "uniform"; what != ScaleDirectory { // it generates its own objects one by one
		flags.StringVar(&o.Scene, "scene", o.Scene, "scene of the objects")
	}
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of scene, queries and changes")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
	switch what {
	case ScaleTable:
		count.Var(flags, &o.Rounds, "count", 3, 1, "`number` of rounds of samples")
	case ScaleDirectory:
		flags.StringVar(&o.Dir, "dir", "", "make the directory as `FOLDER`, or use the existing one, and keep it")
	case ScalePebble:
		flags.StringVar(&o.Dir, "dir", "", "make the store in `FOLDER`, which must not have one, and leave it there")
		count.Var(flags, &o.Steps, "steps", 200, 1, "`number` of transactions")
	case ScaleParquet:
		flags.StringVar(&o.In, "in", "", "import `FILE` in place of a scene")
		flags.StringVar(&o.Out, "o", "", "export the scene to `FILE`, and leave it there")
		flags.BoolVar(&o.Geo, "geo", false, "export GeoParquet: with geometries, the footprints of the boxes")
	case ScaleRaft:
		count.Var(flags, &o.Steps, "steps", 100, 1, "`number` of commands")
		count.Range(flags, &o.Nodes, "nodes", 3, 1, 9, "`number` of replicas")
	}
}

// Check validates the options.
func (o *Scale) Check() error {
	if _, ok := scene.ByName(o.Scene); !ok {
		return fmt.Errorf("-scene: unknown scene %q", o.Scene)
	}
	if o.In != "" && o.Out != "" {
		return fmt.Errorf("-in and -o: want one of them")
	}
	if o.In != "" && o.Geo {
		return fmt.Errorf("-in and -geo: want one of them")
	}
	return nil
}
