package query_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// matrixCell is a part of the matrix: a group, such as "scene", and a name in it.
type matrixCell struct{ group, name string }

// matrixTally counts the judgements: queries (of the group "form", calls) and, for each, the objects of the view that
// were judged.
type matrixTally struct{ queries, answers int }

// matrixLedger counts the judgements in each cell. Cells are known beforehand, so that one that is never reached is
// seen.
type matrixLedger map[matrixCell]*matrixTally

// expect makes cells that must be reached.
func (l matrixLedger) expect(group string, names ...string) {
	for _, name := range names {
		l[matrixCell{group, name}] = new(matrixTally)
	}
}

func (l matrixLedger) count(group, name string, queries, objects int) {
	t := l[matrixCell{group, name}]
	if t == nil {
		t = new(matrixTally)
		l[matrixCell{group, name}] = t
	}
	t.queries += queries
	t.answers += queries * objects
}

// missing names the cells that were not reached.
func (l matrixLedger) missing() (cells []matrixCell) {
	for c, t := range l {
		if t.queries == 0 {
			cells = append(cells, c)
		}
	}
	slices.SortFunc(cells, compareCells)
	return cells
}

func compareCells(a, b matrixCell) int {
	return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.name, b.name))
}

// table returns all cells with their counts, by group.
func (l matrixLedger) table() string {
	var b strings.Builder
	group := ""
	for _, c := range slices.SortedFunc(maps.Keys(l), compareCells) {
		if c.group != group {
			group = c.group
			fmt.Fprintf(&b, "\n%-44s %12s %15s\n", group, "queries", "answers")
		}
		fmt.Fprintf(&b, "  %-42s %12d %15d\n", c.name, l[c].queries, l[c].answers)
	}
	return b.String()
}
