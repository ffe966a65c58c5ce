package query_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
