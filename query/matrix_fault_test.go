package query_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

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
