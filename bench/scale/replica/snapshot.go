package replica

import (
	"errors"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/linear"
)

// A snapshot is a snapshot of the tree; sections hold the rest of the state.
const (
	numberSection  = "replica.number"  // number of the last command
	idsSection     = "replica.ids"     // IDs of its outcome
	refusedSection = "replica.refused" // rejection of its outcome
)

// writeSnapshot writes a state.
func writeSnapshot(w io.Writer, s *state) error {
	_, err := s.tree.WriteSnapshot(nil, w, linear.SnapshotOptions{Sections: []linear.Section{
		linear.SaveColumn(numberSection, []uint64{s.outcome.Number}),
		linear.SaveColumn(idsSection, s.outcome.IDs),
		linear.SaveColumn(refusedSection, []byte(s.outcome.Refused)),
	}})
	return err
}

// readSnapshot reads a state from a snapshot. Invalid data gives an error.
func readSnapshot(r io.Reader) (*state, error) {
	file, err := linear.Read(r, linear.CheckSafe)
	if err != nil {
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("replica: data after the snapshot: %v", err)
	}
	number, err := linear.LoadColumn[uint64](file, numberSection)
	if err == nil && len(number) != 1 {
		err = fmt.Errorf("replica: a snapshot with %d command numbers, want 1", len(number))
	}
	if err != nil {
		return nil, err
	}
	s := &state{outcome: Outcome{Number: number[0]}}
	if s.outcome.IDs, err = linear.LoadColumn[uint32](file, idsSection); err != nil {
		return nil, err
	}
	refused, err := linear.LoadColumn[byte](file, refusedSection)
	if err != nil {
		return nil, err
	}
	s.outcome.Refused = string(refused)
	if s.tree, err = file.Load(); err != nil {
		return nil, err
	}
	s.outcome.Digest = digest(s.tree)
	return s, nil
}
