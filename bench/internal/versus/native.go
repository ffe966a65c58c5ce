package versus

import (
	"errors"
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/report"
)

// Native holds the flags of the command that compares the library with native libraries. The command of this module
// checks them and passes them to the command of the module bench/native.
type Native struct {
	Folder string // written by bench replay export
	K      string // numbers of neighbours, separated by commas
	Rounds int    // samples of each figure, one a round
	Format report.Format
}

// Declare adds the flags.
func (o *Native) Declare(flags *flag.FlagSet) {
	flags.StringVar(&o.Folder, "in", "", "read the files of bench replay export in folder `DIR` (required)")
	flags.StringVar(&o.K, "k", "1,2,5,8,20,50", "numbers of neighbours, `LIST`")
	count.Range(flags, &o.Rounds, "count", 9, 1, 1000, "`number` of rounds of samples")
	flags.Var(&o.Format, "format", "write the results as `NAME`: "+report.FormatNames())
}

// Check validates the options.
func (o *Native) Check() error {
	if o.Folder == "" {
		return errors.New("no -in: want a folder that bench replay export has written")
	}
	_, err := o.Neighbors()
	return err
}

// Neighbors returns the numbers of neighbours.
func (o *Native) Neighbors() ([]int, error) {
	list, err := count.List(o.K, 1, 1000)
	if err != nil {
		return nil, fmt.Errorf("-k %w", err)
	}
	return list, nil
}
