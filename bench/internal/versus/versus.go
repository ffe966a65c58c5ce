// Package versus defines the flags of the commands that compare the library with others. The command of this
// module checks them and passes them to the command of the nested module, which runs the comparison.
package versus

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
)

// Centres is a suffix of a scene's name that replaces its boxes by their centres.
const Centres = " centres"

// Options are the flags of a comparison.
type Options struct {
	Sizes  string // numbers of objects, separated by commas
	Scenes string // names of scenes, optionally with Centres, separated by commas
	Only   string // rivals whose name contains a listed word; empty: all
	Rows   string // rows of the table whose name contains a listed word
	Rounds int    // samples of each figure, one a round
	Seed   uint64
	Format report.Format
}

// Declare adds the flags.
func (o *Options) Declare(flags *flag.FlagSet) {
	flags.StringVar(&o.Sizes, "n", "10k,100k", "numbers of objects, `LIST` like 10k,100k,1M")
	flags.StringVar(&o.Scenes, "scenes", "uniform,city,uniform"+Centres,
		"scenes, `LIST`; with \""+Centres+"\" after a name, the centres of its boxes")
	flags.StringVar(&o.Only, "only", "", "rivals whose name holds one of the `LIST`; empty: all")
	flags.StringVar(&o.Rows, "rows", "", "rows whose name holds one of the `LIST`; empty: all")
	count.Var(flags, &o.Rounds, "count", 5, 1, "`number` of rounds of samples")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of scenes, queries and motion")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options.
func (o *Options) Check() error {
	if _, err := o.Counts(); err != nil {
		return err
	}
	_, err := o.Datasets()
	return err
}

// maxCount limits every rival to a few gigabytes.
const maxCount = 10_000_000

// Counts returns the numbers of objects.
func (o *Options) Counts() (counts []int, err error) { return countsOf(o.Sizes, 2, maxCount) }

// countsOf parses the numbers of objects of a flag.
func countsOf(sizes string, least, most int) (counts []int, err error) {
	if counts, err = count.List(sizes, least, most); err != nil {
		return nil, fmt.Errorf("-n %w", err)
	}
	return counts, nil
}

// Dataset is a scene, or the centres of its boxes.
type Dataset struct {
	Name   string
	Scene  scene.Scene
	Points bool
}

// Datasets returns the scenes.
func (o *Options) Datasets() (datasets []Dataset, err error) {
	for _, name := range strings.Split(o.Scenes, ",") {
		of, points := strings.CutSuffix(name, Centres)
		s, ok := scene.ByName(of)
		if !ok {
			return nil, fmt.Errorf("-scenes: unknown scene %q", of)
		}
		datasets = append(datasets, Dataset{name, s, points})
	}
	return datasets, nil
}

// Admits reports whether the options select a rival of that name.
func (o *Options) Admits(name string) bool { return holdsOne(name, o.Only) }

// Wants reports whether at least one of the rows is selected.
func (o *Options) Wants(rows ...string) bool {
	return slices.ContainsFunc(rows, func(name string) bool { return holdsOne(name, o.Rows) })
}

func holdsOne(name, list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(part string) bool { return strings.Contains(name, part) })
}
