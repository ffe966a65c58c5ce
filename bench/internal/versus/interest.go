package versus

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
)

// Interest holds the flags of the command that measures interest management. The command of this module
// checks them and passes them to the command of the module bench/rivals.
type Interest struct {
	Sizes  string // numbers of objects, like 100k
	Frames int    // measured frames
	Seed   uint64
	Format report.Format
}

// Declare adds the flags.
func (o *Interest) Declare(flags *flag.FlagSet) {
	flags.StringVar(&o.Sizes, "n", "100k", "numbers of objects, like 100k or 100k,1M; a hundredth as many viewers")
	count.Var(flags, &o.Frames, "frames", 20, 1, "`number` of frames that are measured")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of objects, viewers and how they move")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options.
func (o *Interest) Check() error {
	_, err := o.Counts()
	return err
}

// Counts returns the numbers of objects.
func (o *Interest) Counts() ([]int, error) {
	return countsOf(o.Sizes, 1000, maxCount)
}
