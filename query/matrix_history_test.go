package query_test

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
)

// matrixHistories are the histories of a tree of about n objects before its queries.
var matrixHistories = []struct {
	name    string
	changed bool // since its build
	run     func(m *matrixTree, n int) error
}{
	{"fresh", false, func(m *matrixTree, n int) error { return m.insert(m.draw(n)) }},
	{"one by one", true, func(m *matrixTree, n int) error {
		for i := range n {
			if err := m.perform("Insert"); err != nil {
				return err
			}
			if i%97 == 96 {
				if err := m.perform("Tick"); err != nil {
					return err
				}
			}
		}
		return m.perform("Tick")
	}},
	{"changed", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		if err := m.perform("SetBounds"); err != nil {
			return err
		}
		return m.script(40)
	}},
	{"pending", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n - n/4)); err != nil {
			return err
		}
		if err := m.insert(m.draw(n / 4)); err != nil {
			return err
		}
		return m.all("SetBounds", "Move", "MoveBatch", "SetStatic", "Remove", "Insert")
	}},
	{"drifting", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		for range 4 {
			if len(m.live) > 0 {
				if err := m.moveAll(slices.Clone(m.live)); err != nil {
					return err
				}
			}
			if err := m.perform("Tick"); err != nil {
				return err
			}
		}
		return m.perform("SetBounds")
	}},
	{"frozen then changed", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		if err := m.tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}); err != nil {
			return err
		}
		return m.script(8)
	}},
	{"emptied and refilled", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		if err := m.all("SetBounds", "Clear", "InsertBatch", "SetBounds"); err != nil {
			return err
		}
		ids := slices.Clone(m.live)
		m.forget(ids...)
		if err := m.tree.RemoveBatch(ids); err != nil {
			return err
		}
		if err := m.perform("Tick"); err != nil {
			return err
		}
		for range 4 {
			if err := m.insert(m.draw(n / 4)); err != nil {
				return err
			}
		}
		if m.rng.IntN(2) == 0 {
			if err := m.all("Clear"); err != nil {
				return err
			}
			if err := m.insert(m.draw(n)); err != nil {
				return err
			}
		}
		return m.script(6)
	}},
	{"cloned", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		if err := m.script(10); err != nil {
			return err
		}
		return m.all("Clone", "SetBounds", "MoveBatch")
	}},
	{"rebuilt", false, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		if err := m.script(15); err != nil {
			return err
		}
		return m.perform("Rebuild")
	}},
	{"long", true, func(m *matrixTree, n int) error {
		if err := m.insert(m.draw(n)); err != nil {
			return err
		}
		m.publish()
		return m.script(160)
	}},
}
