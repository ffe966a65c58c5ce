// Package classic measures the octree of J. Shagam and J. Pfeiffer. The command go run ./bench scaling classic
// runs it and displays its output, the JSON of package report.
package classic

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/machine"
)

// Command measures the octree and this library. It fails after a wrong result.
var Command = command.Command{Name: "classic", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var s study
	var tier command.TierFlag
	count.Objects(flags, &s.most, "n", 1_000_000, 1000, "largest `number` of objects, 1k or more")
	count.Var(flags, &s.rounds, "count", 3, 1, "`number` of rounds of samples")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of scenes and queries")
	tier.Declare(flags)
	return func(e *command.Env) error {
		defer tier.Use()()
		s.out = report.New(e.Out, report.JSON, "classic")
		s.out.Machine(machine.Here())
		s.published()
		s.turning()
		return s.out.Close()
	}
}}

// study is one run of the command.
type study struct {
	most, rounds int
	seed         uint64
	out          *report.Report
}

// tenth is the number of objects of experiments with many builds or frames.
func (s *study) tenth() int { return max(s.most/10, 1000) }
