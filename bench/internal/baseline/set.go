package baseline

import "fmt"

// Set compares results in different orders. The zero value is ready to use; it keeps its buffer.
type Set struct {
	mark  []uint32 // round in which the ID is expected and not yet found
	round uint32
}

// Same returns an error unless got holds the IDs of want, each once, in any order. want has no duplicates.
func (s *Set) Same(got, want []uint32) error {
	s.round++
	for _, id := range want {
		for int(id) >= len(s.mark) {
			s.mark = append(s.mark, make([]uint32, int(id)+1)...)
		}
		s.mark[id] = s.round
	}
	for _, id := range got {
		if int(id) >= len(s.mark) || s.mark[id] != s.round {
			return fmt.Errorf("got %d IDs, want %d: ID %d is wrong or appears twice", len(got), len(want), id)
		}
		s.mark[id] = 0
	}
	if len(got) != len(want) {
		return fmt.Errorf("got %d IDs, want %d", len(got), len(want))
	}
	return nil
}
