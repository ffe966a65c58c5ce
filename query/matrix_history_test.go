package query_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/internal/testkit"
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

// fault reports the first fault of its kind, with its details and a command to repeat it.
func (s *matrixSession) fault(what string, details func() string) {
	// Faults of one form with one kind of complaint are one.
	kind := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789-+.abcdefpx", r) {
			return -1
		}
		return r
	}, what)
	kind = kind[:min(len(kind), 40)]
	if s.faults[kind]++; s.faults[kind] > 1 {
		return
	}
	text, n := "", 0
	if details != nil {
		if text = details(); len(text) > 1600 {
			text = text[:1600] + " …"
		}
		text = "\n\t" + text
	}
	if s.m != nil {
		n = len(s.m.live)
	}
	s.t.Errorf("%s%s\n\tworld %d: scene %s, history %s, config %s, %s, %d objects, after %v\n\t%s=%#x %s=%d %s ./query -run '%s'",
		what, text, s.number, s.scene, s.history, strings.Join(s.config, " "), s.view, n, s.m.last(), testkit.EnvSeed, s.seed, envWorld, s.number, s.effort.flags, s.t.Name())
}

func (m *matrixTree) last() []string {
	if m == nil {
		return nil
	}
	return m.log
}

// shrink searches for few objects that show the fault in a new tree.
func (s *matrixSession) shrink(j *matrixJudge, q *matrixAsk) string {
	s.muted = true
	answers := s.answers
	defer func() { s.muted, s.answers = false, answers }()
	fails := func(keep []int) bool {
		again, err := j.anew(keep)
		if err != nil {
			return false
		}
		t := q.truth(again.v, again.c, again.flt.Exact)
		return again.run(q, &t) != nil
	}
	keep := make([]int, len(j.c.ids))
	for i := range keep {
		keep[i] = i
	}
	if !fails(keep) {
		return "not in a new tree of these objects"
	}
	for step := max(len(keep)/2, 1); ; step = max(step/2, 1) {
		fewer := false
		for at := 0; at < len(keep); {
			less := slices.Delete(slices.Clone(keep), at, min(at+step, len(keep)))
			if fails(less) {
				keep, fewer = less, true
			} else {
				at += step
			}
		}
		if step == 1 && !fewer || len(keep) == 0 {
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "also in a new tree of %d objects:", len(keep))
	for _, i := range keep[:min(len(keep), 4)] {
		fmt.Fprintf(&b, " [%s]", j.c.describe(i))
	}
	return b.String()
}

// anew makes a judge of a new tree that holds some objects of the census, with
// the same filter.
func (j *matrixJudge) anew(keep []int) (*matrixJudge, error) {
	m := &matrixTree{rng: testkit.Rand(1), done: map[string]int{}}
	m.tree, _ = linear.New(linear.Config{})
	again := &matrixJudge{x: j.x, flt: matrixFilter{Filter: j.flt.Filter}}
	again.flt.Only, again.flt.Exclude = nil, linear.Handle{}
	if j.flt.Only != nil {
		again.flt.Only = make([]uint64, len(keep)/64+1)
	}
	for k, i := range keep {
		id, err := m.tree.Insert(j.c.objects[i])
		if err == nil && j.c.ball(i) {
			err = m.tree.SetSphere(id, j.c.balls[i])
		}
		if err == nil && j.c.turned[i] != nil {
			err = m.tree.SetOriented(id, *j.c.turned[i])
		}
		if err != nil {
			return nil, err
		}
		if err := m.add(id, j.c.objects[i]); err != nil {
			return nil, err
		}
		m.balls[id], m.turned[id] = j.c.balls[i], j.c.turned[i]
		again.flt.pass = append(again.flt.pass, j.flt.pass[i])
		if j.flt.Only != nil && testkit.Alive(j.flt.Filter.Only, int(j.c.ids[i])) {
			again.flt.Only[k/64] |= 1 << (k % 64)
		}
		if j.flt.Exclude == (linear.Handle{ID: j.c.ids[i], Gen: j.c.gens[i]}) {
			again.flt.Exclude, _ = m.tree.Handle(id)
		}
	}
	if err := m.tree.Tick(); err != nil {
		return nil, err
	}
	again.v, again.c = m.tree.View(), m.census()
	return again, nil
}
