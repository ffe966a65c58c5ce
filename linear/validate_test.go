package linear_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Validate detects a wrong number of pending objects.
func TestValidateCountsPending(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(20, 1))
	valid(t, tree)
	tree.MiscountPending()
	if err := tree.Validate(); err == nil {
		t.Error("one pending object more than there are is valid")
	}
}

// Validate detects a run of slots with a wrong end or beginning, even if the number of objects is right.
func TestValidateFindsShiftedSlots(t *testing.T) {
	for _, by := range []int{-1, 1} {
		tree := newTree(t, linear.Config{Frozen: true})
		insert(t, tree, grid(22))
		shifted := 0
		s := tree.View().Store()
		for i, span := range s.Nodes.Slots {
			to := soa.Span{First: span.First + uint32(by), End: span.End + uint32(by)}
			if s.Nodes.Height[i] != 1 || span.First == 0 || int(to.End) > len(s.Packets.Counts) {
				continue
			}
			if counts := s.Packets.Counts; by < 0 && counts[to.First] != counts[span.End-1] || by > 0 && counts[span.First] != counts[span.End] {
				continue
			}
			s.Nodes.Slots[i] = to
			if err := tree.Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("node %d has slots %d to %d", i, to.First, to.End)) {
				t.Errorf("node %d of slots %d to %d says %d to %d: error %v", i, span.First, span.End, to.First, to.End, err)
			}
			s.Nodes.Slots[i] = span
			shifted++
		}
		valid(t, tree)
		if shifted == 0 {
			t.Fatal("no node of full packets")
		}
	}
}
