package linear_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Validate detects a change in every stored fact.
func TestValidateFindsDamage(t *testing.T) {
	damage := []struct {
		name string
		do   func(s *soa.Store)
	}{
		{"a box that moved", func(s *soa.Store) { s.Packets.Bounds[3][soa.MaxX][5] += 1000 }},
		{"boxes that shrank", func(s *soa.Store) {
			for l := range s.Packets.Counts[3] {
				s.Packets.Bounds[3][soa.MinX][l] += 0.5
			}
		}},
		{"a NaN", func(s *soa.Store) { s.Packets.Bounds[3][soa.MinY][1] /= 0; s.Packets.Bounds[3][soa.MinY][1] *= 0 }},
		{"an ID", func(s *soa.Store) { s.Packets.IDs[2][1]++ }},
		{"two IDs swapped", func(s *soa.Store) {
			i := &s.Packets.IDs[2]
			i[0], i[1] = i[1], i[0]
		}},
		{"a mask", func(s *soa.Store) { s.Packets.Masks[4][0] |= 1 << 30 }},
		{"a count", func(s *soa.Store) { s.Packets.Counts[1]-- }},
		{"a moving flag", func(s *soa.Store) {
			s.Packets.Moving[1] = ^s.Packets.Moving[1] & (1<<s.Packets.Counts[1] - 1)
			s.Packets.Moving[1] = 0
		}},
		{"an owner", func(s *soa.Store) { s.Packets.Parents[1]++ }},
		{"a key interval", func(s *soa.Store) { n := leaf(s); s.Nodes.Cells[n].High = s.Nodes.Cells[n].Low }},
		{"a home box", func(s *soa.Store) { s.Packets.PlacementBoxes[1] = soa.Empty() }},
		{"a first key", func(s *soa.Store) { s.Nodes.Keys[0][1]++ }},
		{"a tight box that is too large", func(s *soa.Store) { s.Nodes.Hot[0].Bounds[soa.MaxZ][0] += 1 }},
		{"a tight box that is too small", func(s *soa.Store) { s.Nodes.Hot[1].Bounds[soa.MinZ][1] += 1e-3 }},
		{"a node's mask", func(s *soa.Store) { s.Nodes.Hot[0].Mask[0] = 0 }},
		{"a node's flag", func(s *soa.Store) { s.Nodes.Hot[0].Child[0] ^= soa.RefMoving }},
		{"a reference", func(s *soa.Store) { s.Nodes.Hot[0].Child[0] = s.Nodes.Hot[0].Child[1] }},
		{"a parent", func(s *soa.Store) { s.Nodes.Parents[1] = 3 }},
		{"a height", func(s *soa.Store) { s.Nodes.Height[0] = 0 }},
		{"a number of lanes", func(s *soa.Store) { s.Nodes.Used[1]-- }},
		{"a range of slots", func(s *soa.Store) { s.Nodes.Slots[1].End -= 8 }},
		{"the extent", func(s *soa.Store) { s.Extent[1] = 0 }},
		{"the number of objects", func(s *soa.Store) { s.Count++ }},
		{"a loose slot", func(s *soa.Store) { s.Pending = append(s.Pending, 0) }},
		{"a column's length", func(s *soa.Store) { s.Packets.Counts = s.Packets.Counts[1:] }},
	}
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	for _, d := range damage {
		tree := newTree(t, linear.Config{})
		insert(t, tree, objects)
		must(t, tree.Validate())
		d.do(tree.View().Store())
		if err := tree.Validate(); err == nil {
			t.Errorf("%s: not noticed", d.name)
		}
	}
}

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
