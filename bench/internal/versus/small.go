package versus

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
)

// Small holds the flags of the command that compares the library with a slice in scenes of few objects. The command
// of this module checks them and passes them to the command of the module bench/rivals.
type Small struct {
	Sizes  string // numbers of objects, separated by commas
	Scenes string // names of scenes, separated by commas
	Rounds int    // samples of each figure, one a round
	Seed   uint64
	Format report.Format
}

// Declare adds the flags.
func (o *Small) Declare(flags *flag.FlagSet) {
	flags.StringVar(&o.Sizes, "n", "10,30,100,300,1k,3k,10k", "numbers of objects, `LIST` like 100,1k, in ascending order")
	flags.StringVar(&o.Scenes, "scenes", "uniform", "scenes, `LIST`")
	count.Var(flags, &o.Rounds, "count", 5, 1, "`number` of rounds of samples")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of scenes, queries and motion")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options.
func (o *Small) Check() error {
	_, err := countsOf(o.Sizes, 10, 100_000)
	if err == nil {
		_, err = o.Options().Datasets()
	}
	return err
}

// Options returns the options of the comparison.
func (o *Small) Options() *Options {
	return &Options{Sizes: o.Sizes, Scenes: o.Scenes, Rounds: o.Rounds, Seed: o.Seed, Format: o.Format}
}
