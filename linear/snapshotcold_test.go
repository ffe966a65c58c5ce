package linear_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Invalid data that queries do not read is rejected when a tree is made of it, by a rule of its own or by
// Validate, and never causes an endless loop.
func TestLoadRules(t *testing.T) {
	type rule struct {
		says  string
		spoil func(tree *linear.Tree, s *soa.Store)
	}
	var rules []rule
	add := func(says string, spoil func(tree *linear.Tree, s *soa.Store)) {
		rules = append(rules, rule{says, spoil})
	}
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { s.Nodes.SetFreeList(soa.FreeList{First: 1 << 30}) })
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { s.Nodes.SetFreeList(soa.FreeList{First: 1}) })
	add("free nodes leads", func(_ *linear.Tree, s *soa.Store) { // a cycle
		n := s.Nodes.Alloc()
		s.Nodes.Free(n)
		s.Nodes.Parents[n] = soa.Up(n + 1)
	})
	add("free blocks leads", func(_ *linear.Tree, s *soa.Store) { s.Packets.SetFreeList(soa.FreeList{First: 1 << 30}) })
	add("free blocks leads", func(_ *linear.Tree, s *soa.Store) { s.Packets.SetFreeList(soa.FreeList{First: 2}) })
	add("free blocks leads", func(_ *linear.Tree, s *soa.Store) {
		b := s.Packets.AllocBlock()
		s.Packets.FreeBlock(b)
		s.Packets.Masks[b][0] = b + 1
	})
	add("is to be freed", func(_ *linear.Tree, s *soa.Store) { s.Nodes.FreeAtTick[leaf(s)] = 5 })
	add("has 0 rows", func(_ *linear.Tree, s *soa.Store) { s.Nodes.Area = nil })
	add("has 0 rows", func(_ *linear.Tree, s *soa.Store) { s.Packets.PlacementBoxes = nil })
	add("does not belong in", func(_ *linear.Tree, s *soa.Store) { s.Packets.PlacementBoxes[1] = soa.Empty() })
	add("is inverted", func(_ *linear.Tree, s *soa.Store) {
		b := &s.Packets.Bounds[1]
		b[soa.MinX][0], b[soa.MaxX][0] = b[soa.MaxX][0], b[soa.MinX][0]
	})
	for says, spoil := range linear.SpoiledLists(math.NaN()) {
		add(strings.TrimRight(says, " "), func(tree *linear.Tree, _ *soa.Store) { spoil(tree) })
	}
	for i, r := range rules {
		tree := manyKinds(t)
		r.spoil(tree, tree.View().Store())
		file := written(t, tree)
		s := opened(t, file, linear.CheckSafe) // harmless for queries
		for range 2 {                          // and it is rejected a second time
			if _, err := s.Load(); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), r.says) {
				t.Errorf("rule %d, %q: error %v", i, r.says, err)
			}
		}
		if _, err := linear.FromBytes(file, linear.CheckFull); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("rule %d, %q, in full: error %v", i, r.says, err)
		}
	}
}
