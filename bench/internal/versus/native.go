package versus

import (
	"flag"
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
)

// Instances is the name of a scene of instances, among those of [Native.Scenes].
const Instances = "instances"

// Native holds the flags of the command that compares the library with native libraries. The command of this module
// checks them and passes them to the command of the module bench/native.
type Native struct {
	Folder string // written by bench replay export; empty: one for each size and scene, which is removed
	Sizes  string // numbers of objects, separated by commas
	Scenes string // names of scenes, or Instances, separated by commas
	Only   string // libraries whose name contains a listed word; empty: all
	Rows   string // rows whose name contains a listed word
	K      string // numbers of neighbours, separated by commas
	Rounds int    // samples of each figure, one a round
	Seed   uint64
	Format report.Format
}

// Declare adds the flags.
func (o *Native) Declare(flags *flag.FlagSet) {
	flags.StringVar(&o.Folder, "in", "", "read the files of bench replay export in folder `DIR` (default: files of -n and -scenes, in temporary folders)")
	flags.StringVar(&o.Sizes, "n", "100k", "numbers of objects, `LIST` like 100k,1M")
	flags.StringVar(&o.Scenes, "scenes", "uniform,city,"+Instances, "scenes, `LIST`; "+Instances+" is a scene of instances of parts")
	flags.StringVar(&o.Only, "only", "", "libraries whose name holds one of the `LIST`; empty: all")
	flags.StringVar(&o.Rows, "rows", "", "rows whose name holds one of the `LIST`; empty: all")
	flags.StringVar(&o.K, "k", "1,8", "numbers of neighbours, `LIST`")
	count.Range(flags, &o.Rounds, "count", 5, 1, 1000, "`number` of rounds of samples")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of scenes, queries and motion")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options.
func (o *Native) Check() error {
	if _, err := o.Counts(); err != nil {
		return err
	}
	for _, name := range strings.Split(o.Scenes, ",") {
		if _, ok := scene.ByName(name); !ok && name != Instances {
			return fmt.Errorf("-scenes: unknown scene %q", name)
		}
	}
	_, err := o.Neighbors()
	return err
}

// Counts returns the numbers of objects.
func (o *Native) Counts() ([]int, error) { return countsOf(o.Sizes, 1000, maxCount) }

// Neighbors returns the numbers of neighbours.
func (o *Native) Neighbors() ([]int, error) {
	list, err := count.List(o.K, 1, 1000)
	if err != nil {
		return nil, fmt.Errorf("-k %w", err)
	}
	return list, nil
}

// Admits reports whether the options select a library of that name.
func (o *Native) Admits(name string) bool { return holdsOne(name, o.Only) }

// Wants reports whether a row is selected.
func (o *Native) Wants(row string) bool { return holdsOne(row, o.Rows) }
