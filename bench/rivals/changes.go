package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

const (
	stepMoves = 1000 // of a step
	stepCount = 20   // steps of a sample, at most

	frameBoxes = 100 // boxes that are asked for after a step of row frame
)

// fullStep returns the number of moves of a step among n objects.
func fullStep(n int) int { return min(stepMoves, n/2) }

// step is how much an entrant changes in a sample.
type step struct{ moves, steps int }

// pace returns what takes a few samples' time at most: full steps, or a part of
// one when that is all there is time for.
func (c *contest) pace(n int, each time.Duration) step {
	fits := int(4 * c.sample / max(each, 1))
	if full := fullStep(n); fits >= full {
		return step{full, min(fits/full, stepCount)}
	}
	return step{max(fits, 1), 1}
}

// batcher changes many objects at once.
type batcher interface {
	MoveBatch(changes []change)
	ReplaceBatch(changes []change, objects []soa.Object)
}

// changes times steps in which objects move, and others in which they are
// removed and others inserted: one by one, and at once by those that can. Some
// leave work to the queries that come after; so in the last row there are some.
// All get the same list of changes.
func (c *contest) changes(s *sheet, w *workload, parties []*party) error {
	list := newMotion(w.objects, w.seed).list(5 * (c.options.Rounds + 3) * stepCount * stepMoves)
	move := func(x *party, part []change) {
		mover := x.ix.(index.Mover)
		for i := range part {
			mover.Move(part[i].id, part[i].box)
		}
	}
	replace := func(x *party, part []change) {
		remover, inserter := x.ix.(index.Remover), x.ix.(index.Inserter)
		for i := range part {
			o := w.objects[part[i].id]
			o.Box = part[i].box
			remover.Remove(part[i].id)
			inserter.Insert(part[i].id, o)
		}
	}
	moveAll := func(x *party, part []change) {
		if b, ok := x.ix.(batcher); ok {
			b.MoveBatch(part)
		} else {
			move(x, part)
		}
	}
	replaceAll := func(x *party, part []change) {
		if b, ok := x.ix.(batcher); ok {
			b.ReplaceBatch(part, w.objects)
		} else {
			replace(x, part)
		}
	}
	look := func(x *party) {
		w.view.pass(x.ix, 1)
		w.boxes.pass(x.ix, min(frameBoxes, w.boxes.size()))
	}
	for _, kind := range []changeRow{
		{name: "move", change: move},
		{name: "move, batch", change: moveAll},
		{name: "replace", change: replace},
		{name: "replace, batch", change: replaceAll},
		{name: "frame", change: moveAll, look: look},
	} {
		if !c.options.Wants(kind.name) {
			continue
		}
		if err := c.steps(s, w, parties, kind, list); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return nil
}

// changeRow is a kind of step: some changes, the end of a frame, and perhaps
// queries. A step with queries counts as one, else each change.
type changeRow struct {
	name   string
	change func(x *party, part []change)
	look   func(x *party)
}

// steps times a kind of step.
func (c *contest) steps(s *sheet, w *workload, parties []*party, kind changeRow, list []change) error {
	unit := "ns"
	if kind.look != nil {
		unit = "us"
	}
	f := s.figure(kind.name, unit)
	f.mean = true // now and then a tree is built anew
	var tasks []measure.Task
	var timed []*party
	for _, x := range parties {
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
				if kind.look != nil {
					kind.look(x)
				}
			}
		}
		// A small step and then a larger one show what a change costs.
		p := step{min(10, len(w.objects)/2), 1}
		for range 2 {
			start := time.Now()
			run(p)
			p = c.pace(len(w.objects), time.Since(start)/time.Duration(p.moves*p.steps))
			if kind.look != nil {
				p.moves = fullStep(len(w.objects))
			}
		}
		f.fewer[x.name] = p.moves < fullStep(len(w.objects))
		units := p.moves * p.steps
		if kind.look != nil {
			units = 1000 * p.steps // microseconds a step
		}
		tasks = append(tasks, measure.Task{
			Units:  units,
			Before: func() {}, // each sample is one call: nothing is done twice
			Do:     func() uint64 { run(p); return uint64(x.changed) },
		})
		timed = append(timed, x)
	}
	for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
		f.values[timed[i].name] = series
		if err := sound(timed[i], w.objects, list[:timed[i].changed]); err != nil {
			return fmt.Errorf("%s: %w", timed[i].name, err)
		}
	}
	return nil
}

// changeable leaves out a frozen tree: the first change would make it another.
func changeable(x index.Index) bool {
	if o, ok := x.(*ours); ok && o.frozen {
		return false
	}
	_, move := x.(index.Mover)
	_, remove := x.(index.Remover)
	_, insert := x.(index.Inserter)
	return move && remove && insert
}

// sound asks an index for the boxes of the objects that changed last, and
// compares with a loop over all boxes.
func sound(x *party, objects []soa.Object, made []change) error {
	const asked = 20
	now := slices.Clone(objects)
	for _, m := range made {
		now[m.id].Box = m.box
	}
	for _, m := range made[max(0, len(made)-asked):] {
		q := &volumes{given: []index.Volume{index.Box(m.box)}, native: []appender{native(m.box)}, objects: now}
		got, want := q.answer(x.ix, 0), testkit.TwinBox(now, m.box)
		if !slices.EqualFunc(got, want, func(g uint32, w int) bool { return int(g) == w }) {
			return fmt.Errorf("the box %v after %d changes: objects %v, want %v", m.box, len(made), got, want)
		}
	}
	return nil
}
