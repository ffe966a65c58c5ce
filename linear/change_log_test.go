package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A map of the objects that follows the change log equals the tree, after operations of every kind. It starts
// again when the log has dropped its changes.
func TestChanges(t *testing.T) {
	seed := testkit.Seed(t)
	steps := 3000
	if !testkit.Long(t) {
		steps = 600
	}
	for k, cfg := range modelConfigs {
		cfg.Log = true
		m := newModel(t, cfg, seed+uint64(k), 100)
		mirror := map[uint32]soa.Object{}
		var at uint64
		read, missed := 0, 0
		tree := m.tree
		for range steps {
			m.step(t, 40)
			changes, next, ok := m.tree.View().Changes(at)
			if m.tree != tree {
				tree, ok = m.tree, false
			}
			if next < at {
				t.Fatalf("number %d after %d", next, at)
			}
			if !ok {
				missed++
				clear(mirror)
				for id, o := range m.tree.All() {
					mirror[id] = o
				}
			}
			for _, c := range changes {
				read++
				if c.Removed {
					delete(mirror, c.ID)
				} else {
					mirror[c.ID] = c.Object
				}
			}
			at = next
			if len(mirror) != len(m.live) {
				t.Fatalf("%d objects by the log, want %d, after %v", len(mirror), len(m.live), m.log)
			}
			for id, o := range m.live {
				if mirror[id] != o {
					t.Fatalf("object %d is %v by the log, want %v, after %v", id, mirror[id], o, m.log)
				}
			}
		}
		if missed > steps/20 || read < steps {
			t.Errorf("config %d: %d changes read, the log was of no use %d times in %d", k, read, missed, steps)
		}
		if s := m.tree.Stats(); s.Log < 8*s.Objects {
			t.Errorf("config %d: %d bytes of log for %d objects", k, s.Log, s.Objects)
		}
	}
}

// A tree without a log has no changes. A tick that drops changes that a view may have returned invalidates the
// view.
func TestChangesNone(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(2))
	if c, next, ok := tree.View().Changes(0); ok || next != 0 || c != nil {
		t.Errorf("changes without a log: %v, %d, %v", c, next, ok)
	}
	tree = newTree(t, linear.Config{Log: true})
	insert(t, tree, grid(2))
	must(t, tree.SetMask(1, 5))
	must(t, tree.Tick())
	v := tree.View()
	must(t, tree.Tick())
	if testkit.Panic(func() { v.Changes(0) }) == nil {
		t.Error("a view outlived the changes that it handed out")
	}
}
