package versus

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
)

// Programs holds the flags of the command that compares programs before and after their move to the library. The
// command of this module checks them and passes them to the command of the module bench/programs.
type Programs struct {
	Parts    int // of the CAD model
	Scans    int // of the robot, each of 5,000 points
	Vehicles int // of the server
	Rounds   int // samples of each figure, one a round
	Seed     uint64
	Format   report.Format
}

// Declare adds the flags.
func (o *Programs) Declare(flags *flag.FlagSet) {
	count.Objects(flags, &o.Parts, "parts", 30_000, 1, "`number` of parts of the CAD model")
	count.Var(flags, &o.Scans, "scans", 200, 1, "`number` of scans of the robot")
	count.Objects(flags, &o.Vehicles, "vehicles", 100_000, 1, "`number` of vehicles of the server")
	count.Var(flags, &o.Rounds, "count", 5, 1, "`number` of rounds of samples")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of models, scans and positions")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options: the flags have all limits.
func (o *Programs) Check() error { return nil }
