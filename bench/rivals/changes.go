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
// removed and others inserted: one by one, and at once by those that can. All
// get the same list of changes.
func (c *contest) changes(s *sheet, w *workload, parties []*party) error {
	list := newMotion(w.objects, w.seed).list(4 * (c.options.Rounds + 3) * stepCount * stepMoves)
	move := func(x *party, part []change) {
		mover := x.Index.(index.Mover)
		for i := range part {
			mover.Move(part[i].id, part[i].box)
		}
	}
	replace := func(x *party, part []change) {
		remover, inserter := x.Index.(index.Remover), x.Index.(index.Inserter)
		for i := range part {
			o := w.objects[part[i].id]
			o.Box = part[i].box
			remover.Remove(part[i].id)
			inserter.Insert(part[i].id, o)
		}
	}
	for _, kind := range []struct {
		name string
		do   func(x *party, part []change)
	}{
		{"move", move},
		{"move, batch", func(x *party, part []change) {
			if b, ok := x.Index.(batcher); ok {
				b.MoveBatch(part)
			} else {
				move(x, part)
			}
		}},
		{"replace", replace},
		{"replace, batch", func(x *party, part []change) {
			if b, ok := x.Index.(batcher); ok {
				b.ReplaceBatch(part, w.objects)
			} else {
				replace(x, part)
			}
		}},
	} {
		if !c.options.Wants(kind.name) {
			continue
		}
		f := s.figure(kind.name, "ns")
		var tasks []measure.Task
		var timed []*party
		for _, x := range parties {
			if !changeable(x.Index) {
				continue
			}
			run := func(p step) {
				for range p.steps {
					kind.do(x, list[x.changed:x.changed+p.moves])
					x.changed += p.moves
					if t, ok := x.Index.(index.Ticker); ok {
						t.Tick()
					}
				}
			}
			// A small step and then a larger one show what a change costs.
			p := step{min(10, len(w.objects)/2), 1}
			for range 2 {
				start := time.Now()
				run(p)
				p = c.pace(len(w.objects), time.Since(start)/time.Duration(p.moves*p.steps))
			}
			f.fewer[x.name] = p.moves < fullStep(len(w.objects))
			tasks = append(tasks, measure.Task{
				Units:  p.moves * p.steps,
				Before: func() {}, // each sample is one call: nothing is done twice
				Do:     func() uint64 { run(p); return uint64(x.changed) },
			})
			timed = append(timed, x)
		}
		for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
			f.values[timed[i].name] = series
			if err := sound(timed[i], w.objects, list[:timed[i].changed]); err != nil {
				return fmt.Errorf("%s: %s: %w", kind.name, timed[i].name, err)
			}
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
		got, want := q.answer(x.Index, 0), testkit.TwinBox(now, m.box)
		if !slices.EqualFunc(got, want, func(g uint32, w int) bool { return int(g) == w }) {
			return fmt.Errorf("the box %v after %d changes: objects %v, want %v", m.box, len(made), got, want)
		}
	}
	return nil
}
