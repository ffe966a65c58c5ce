package main

import (
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

const (
	stepMoves = 1000 // moves of a step
	stepCount = 20   // largest number of steps of a sample; if they are smaller, as many moves in more steps

	frameBoxes = 100 // box queries after a step of row frame
)

// fullStep returns the number of moves of a step among n objects.
func (c *comparison) fullStep(n int) int { return min(stepMoves, n/c.share) }

// step is the number of changes in a sample.
type step struct{ moves, steps int }

// pace returns the step that fits into a few samples' time: full steps, or a part of one if time is short.
func (c *comparison) pace(n int, each time.Duration) step {
	fits := int(4 * c.sample / max(each, 1))
	if full := c.fullStep(n); fits >= full {
		return step{full, min(fits/full, stepCount*stepMoves/full)}
	}
	return step{max(fits, 1), 1}
}

// batcher changes many objects in one call.
type batcher interface {
	MoveBatch(changes []change)
	ReplaceBatch(changes []change, objects []soa.Object)
}

// changes measures steps of moves, and steps of removals and insertions: one by one, and in batches if an
// index supports them. Some indexes defer work to the next queries, so the last row includes queries. All
// entrants get the same list of changes.
func (c *comparison) changes(s *results, w *workload, competitors []*competitor) {
	list := newMotion(w.objects, w.seed).list(5 * (c.options.Rounds + 3) * stepCount * stepMoves)
	move := func(x *competitor, part []change) {
		mover := x.ix.(index.Mover)
		for i := range part {
			mover.Move(part[i].id, part[i].box)
		}
	}
	replace := func(x *competitor, part []change) {
		remover, inserter := x.ix.(index.Remover), x.ix.(index.Inserter)
		for i := range part {
			o := w.objects[part[i].id]
			o.Box = part[i].box
			remover.Remove(part[i].id)
			inserter.Insert(part[i].id, o)
		}
	}
	moveAll := func(x *competitor, part []change) {
		if b, ok := x.ix.(batcher); ok {
			b.MoveBatch(part)
		} else {
			move(x, part)
		}
	}
	replaceAll := func(x *competitor, part []change) {
		if b, ok := x.ix.(batcher); ok {
			b.ReplaceBatch(part, w.objects)
		} else {
			replace(x, part)
		}
	}
	query := func(x *competitor) {
		if w.asked != nil {
			w.frame(x.ix)
			return
		}
		w.view.pass(x.ix, 1)
		w.boxes.pass(x.ix, min(frameBoxes, w.boxes.size()))
	}
	for _, kind := range []changeRow{
		{name: "move", change: move},
		{name: "move, batch", change: moveAll},
		{name: "replace", change: replace},
		{name: "replace, batch", change: replaceAll},
		{name: "frame", change: moveAll, query: query},
	} {
		if !c.options.Wants(kind.name) {
			continue
		}
		must.Within(func() { c.steps(s, w, competitors, kind, list) }, "%s", kind.name)
	}
}

// changeRow is a kind of step: some changes, the end of a frame, and optional queries. The unit is a step
// with queries, or a single change without.
type changeRow struct {
	name   string
	change func(x *competitor, part []change)
	query  func(x *competitor)
}

// steps measures a kind of step.
func (c *comparison) steps(s *results, w *workload, competitors []*competitor, kind changeRow, list []change) {
	unit := "ns"
	if kind.query != nil {
		unit = "us"
	}
	f := s.figure(kind.name, unit)
	f.mean = true // occasionally a tree is rebuilt
	var tasks []measure.Task
	var timed []*competitor
	for _, x := range competitors {
		if !changeable(x.ix) {
			continue
		}
		run := func(p step) {
			for range p.steps {
				kind.change(x, list[x.changed:x.changed+p.moves])
				x.changed += p.moves
				if t, ok := x.ix.(index.Ticker); ok {
					t.Tick()
				}
				if kind.query != nil {
					kind.query(x)
				}
			}
		}
		// A small step and then a larger one estimate the cost of a change.
		p := step{min(10, len(w.objects)/2), 1}
		for range 2 {
			start := time.Now()
			run(p)
			p = c.pace(len(w.objects), time.Since(start)/time.Duration(p.moves*p.steps))
			if kind.query != nil {
				p.moves = c.fullStep(len(w.objects))
			}
		}
		f.fewer[x.name] = p.moves < c.fullStep(len(w.objects))
		units := p.moves * p.steps
		if kind.query != nil {
			units = 1000 * p.steps // microseconds a step
		}
		tasks = append(tasks, measure.Task{
			Units:  units,
			Before: func() {}, // each sample is one call: no change is repeated
			Do:     func() uint64 { run(p); return uint64(x.changed) },
		})
		timed = append(timed, x)
	}
	for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
		f.values[timed[i].name] = series
		must.Within(func() { sound(timed[i], w.objects, list[:timed[i].changed]) }, "%s", timed[i].name)
	}
}

// changeable excludes a frozen tree, because its first change would turn it into another kind of tree.
func changeable(x index.Index) bool {
	if o, ok := x.(*ours); ok && o.frozen {
		return false
	}
	_, move := x.(index.Mover)
	_, remove := x.(index.Remover)
	_, insert := x.(index.Inserter)
	return move && remove && insert
}

// sound queries the boxes of the most recently changed objects, and compares the results with a loop over all
// boxes.
func sound(x *competitor, objects []soa.Object, made []change) {
	const nQueries = 20
	now := slices.Clone(objects)
	for _, m := range made {
		now[m.id].Box = m.box
	}
	for _, m := range made[max(0, len(made)-nQueries):] {
		q := &volumes{given: []index.Volume{index.Box(m.box)}, native: []appender{native(m.box)}, objects: now}
		got, want := q.answer(x.ix, 0), testkit.ReferenceBox(now, m.box)
		if !slices.EqualFunc(got, want, func(g uint32, w int) bool { return int(g) == w }) {
			must.Fail("the box %v after %d changes: objects %v, want %v", m.box, len(made), got, want)
		}
	}
}
