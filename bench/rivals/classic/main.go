// Command classic measures the octree of J. Shagam and J. Pfeiffer. The command go run ./bench classic runs
// it and displays its output, the JSON of package report.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/machine"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// study is one run of the command.
type study struct {
	most, rounds int
	seed         uint64
	out          *report.Report
}

// tenth is the number of objects of experiments with many builds or frames.
func (s *study) tenth() int { return max(s.most/10, 1000) }

// run returns the exit code: 1 after a wrong result, 2 for an invalid command line.
func run(args []string, stdout, stderr io.Writer) int {
	s := study{out: report.New(stdout, report.JSON, "classic")}
	var tier string
	flags := flag.NewFlagSet("classic", flag.ContinueOnError)
	flags.SetOutput(stderr)
	count.Var(flags, &s.most, "n", 1_000_000, 1000, "largest `number` of objects, 1k or more")
	count.Var(flags, &s.rounds, "count", 3, 1, "`number` of rounds of samples")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of scenes and queries")
	flags.StringVar(&tier, "tier", asm.Info().Tier.String(), "tier of the kernels of this library")
	thresholds := flags.Bool("thresholds", false, "sweep the thresholds of a split instead")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	parsed, err := asm.ParseTier(tier)
	if err == nil {
		_, err = asm.SetTier(parsed)
	}
	if err != nil || s.most < 1000 || s.rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "classic: -n %d, -count %d, -tier %s %v, arguments %q\n", s.most, s.rounds, tier, err, flags.Args())
		return 2
	}
	s.out.Machine(machine.Here())
	if *thresholds {
		err = s.thresholds()
	} else if err = s.published(); err == nil {
		err = s.turning()
	}
	if err == nil {
		err = s.out.Close()
	}
	if err != nil {
		fmt.Fprintln(stderr, "classic:", err)
		return 1
	}
	return 0
}
