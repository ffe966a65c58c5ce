package linear_test

import (
	"errors"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// While one packet waits for a refit, boxes and masks of nodes are exact, except above the packet. Anywhere
// else, Validate detects a box that is too large, though its parent contains it, and a file with it, and with
// valid checksums, is rejected.
func TestValidateExactBesideRefits(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true})
	ids := insert(t, tree, testkit.SceneByName(t, "uniform").Make(3000, 1))
	for i, id := range ids {
		must(t, tree.SetMask(id, 1<<(i%7)))
	}
	tick(t, tree)
	valid(t, tree)
	must(t, tree.SetMask(ids[77], 1<<9))
	v := tree.View()
	s := v.Store()
	instances := v.Locator(nil)
	slot, _, _ := instances.Locate(ids[77])
	waits := map[uint32]int{} // parent lane by node
	for up := s.Packets.Parents[slot]; up != soa.NoParent; up = s.Nodes.Parents[up.Node()] {
		waits[up.Node()] = up.Lane()
	}
	valid(t, tree)
	found, above, files := 0, 0, 0
	wrong := func(what string, node uint32, l int) {
		t.Helper()
		on, is := waits[node]
		err := tree.Validate()
		if is && on == l {
			if above++; err != nil {
				t.Errorf("node %d lane %d, above the packet that waits: %s: %v", node, l, what, err)
			}
			return
		}
		if found++; err == nil {
			t.Errorf("node %d lane %d: %s is not found", node, l, what)
		}
		if found%40 != 0 {
			return
		}
		files++
		file := written(t, tree)
		if _, err := linear.FromBytes(file, linear.CheckFull); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("node %d lane %d: %s in a file: %v", node, l, what, err)
		}
		if _, err := opened(t, file, linear.CheckSafe).Load(); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("node %d lane %d: %s in a file that is loaded: %v", node, l, what, err)
		}
	}
	for node := range s.Nodes.Hot {
		up := s.Nodes.Parents[node]
		if up == soa.NoParent || s.Nodes.Used[node] == 0 {
			continue
		}
		holder, n := &s.Nodes.Hot[up.Node()], &s.Nodes.Hot[node]
		for l := range int(s.Nodes.Used[node]) {
			if was, most := n.Bounds[soa.MaxX][l], holder.Bounds[soa.MaxX][up.Lane()]; was < most {
				n.Bounds[soa.MaxX][l] = most
				wrong("a larger box", uint32(node), l)
				n.Bounds[soa.MaxX][l] = was
			}
			if was, most := n.Mask[l], holder.Mask[up.Lane()]; was != most {
				n.Mask[l] = most
				wrong("a larger mask", uint32(node), l)
				n.Mask[l] = was
			}
		}
	}
	if valid(t, tree); found < 200 || above == 0 || files == 0 {
		t.Errorf("%d larger lanes, %d above the packet that waits, %d files", found, above, files)
	}
}
