package versus

import (
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
)

// The forms of the command that goes beyond one machine.
const (
	ScaleTable     = "table"
	ScaleDirectory = "directory"
	ScalePebble    = "pebble"
	ScaleParquet   = "parquet"
	ScaleRaft      = "raft"
)

// Scale is what such a command is about. The command of this module checks it and hands
// it on to that of the module bench/scale.
type Scale struct {
	What   string // its form
	Sizes  string // the number of objects, like 100k
	Scene  string
	Rounds int // samples of each figure, of the table
	Seed   uint64
	Format report.Format

	Dir   string // of the directory, or the store of Pebble; empty: one that is removed again
	Steps int    // transactions, of Pebble, or commands, of Raft
	In    string // the file to read, of Parquet
	Out   string // the file to write
	Nodes int    // of Raft
}

// Declare adds the flags of a form.
func (o *Scale) Declare(flags *flag.FlagSet, what string) {
	o.What, o.Rounds, o.Steps, o.Nodes = what, 1, 1, 1
	size := map[string]string{ScaleTable: "50k", ScaleDirectory: "200k", ScalePebble: "20k", ScaleParquet: "50k", ScaleRaft: "2k"}[what]
	flags.StringVar(&o.Sizes, "n", size, "number of objects, like 10k or 4M")
	if o.Scene = "uniform"; what != ScaleDirectory { // which draws its own, one by one
		flags.StringVar(&o.Scene, "scene", o.Scene, "scene of the objects")
	}
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of scene, queries and changes")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
	switch what {
	case ScaleTable:
		flags.IntVar(&o.Rounds, "count", 3, "number of rounds of samples")
	case ScaleDirectory:
		flags.StringVar(&o.Dir, "dir", "", "make the directory as `FOLDER`, or take the one that is there, and leave it there")
	case ScalePebble:
		flags.StringVar(&o.Dir, "dir", "", "make the store in `FOLDER`, which must not have one, and leave it there")
		flags.IntVar(&o.Steps, "steps", 200, "number of transactions")
	case ScaleParquet:
		flags.StringVar(&o.In, "in", "", "import `FILE` in place of a scene")
		flags.StringVar(&o.Out, "out", "", "export the scene to `FILE`, and leave it there")
	case ScaleRaft:
		flags.IntVar(&o.Steps, "steps", 100, "number of commands")
		flags.IntVar(&o.Nodes, "nodes", 3, "number of replicas")
	}
}

// Check returns what is wrong with the options.
func (o *Scale) Check() error {
	if _, err := o.Count(); err != nil {
		return err
	}
	if _, ok := scene.ByName(o.Scene); !ok {
		return fmt.Errorf("-scene: unknown scene %q", o.Scene)
	}
	switch {
	case o.Rounds < 1:
		return fmt.Errorf("-count %d: want 1 or more rounds", o.Rounds)
	case o.Steps < 1:
		return fmt.Errorf("-steps %d: want 1 or more", o.Steps)
	case o.In != "" && o.Out != "":
		return fmt.Errorf("-in and -out: want one of them")
	case o.Nodes < 1 || o.Nodes > 9:
		return fmt.Errorf("-nodes %d: want 1 to 9", o.Nodes)
	}
	return nil
}

// Count returns the number of objects.
func (o *Scale) Count() (int, error) {
	most := maxCount
	if o.What == ScaleDirectory { // whose objects are not in memory
		most = 1_000_000_000
	}
	counts, err := countsOf(o.Sizes, most)
	if err != nil {
		return 0, err
	}
	if len(counts) != 1 {
		return 0, fmt.Errorf("-n %q: want one number", o.Sizes)
	}
	return counts[0], nil
}
