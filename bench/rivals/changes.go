package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	stepMoves = 1000 // moves of a step, or half of the objects if that is less
	stepCount = 20   // steps of a sample
)

// step is how much an entrant changes in a sample.
type step struct{ moves, steps int }

// pace returns what takes a few samples' time at most: whole steps, or a part of
// one when that is all there is time for.
func pace(n int, each time.Duration) step {
	all := min(stepMoves, max(n/2, 1))
	fits := int(4 * sampleTime / max(each, 1))
	if fits < all {
		return step{max(fits, 1), 1}
	}
	return step{all, min(fits/all, stepCount)}
}

// changes times steps in which objects move, and others in which they are
// removed and others inserted. Everyone gets the same list of changes.
func (c *contest) changes(s *sheet, w *workload, parties []*party) error {
	list := newMotion(w.objects, w.seed).list(2 * (c.options.Rounds + 3) * stepCount * stepMoves)
	objects := slices.Clone(w.objects)

	move := func(x *party, k int) {
		x.Index.(index.Mover).Move(list[k].id, list[k].box)
	}
	replace := func(x *party, k int) {
		o := objects[list[k].id]
		o.Box = list[k].box
		x.Index.(index.Remover).Remove(list[k].id)
		x.Index.(index.Inserter).Insert(list[k].id, o)
	}
	for _, kind := range []struct {
		name string
		do   func(x *party, k int)
	}{{"move", move}, {"remove and insert", replace}} {
		f := s.figure(kind.name, "ns")
		var tasks []measure.Task
		var timed []*party
		for _, x := range parties {
			if !changeable(x.Index) {
				continue
			}
			run := func(p step) {
				for range p.steps {
					for range p.moves {
						kind.do(x, x.changed)
						x.changed++
					}
					if t, ok := x.Index.(index.Ticker); ok {
						t.Tick()
					}
				}
			}
			// A small step and then one of another size show what a change
			// costs by itself and what a step does.
			p := step{10, 1}
			for range 2 {
				start := time.Now()
				run(p)
				p = pace(len(w.objects), time.Since(start)/time.Duration(p.moves*p.steps))
			}
			f.fewer[x.name] = p.moves < min(stepMoves, max(len(w.objects)/2, 1))
			tasks = append(tasks, measure.Task{
				Units:  p.moves * p.steps,
				Before: func() {}, // each sample is one call: nothing is done twice
				Do:     func() uint64 { run(p); return uint64(x.changed) },
			})
			timed = append(timed, x)
		}
		for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
			f.values[timed[i].name] = series
		}
	}
	for _, x := range parties {
		if x.changed > 0 {
			if err := sound(x, objects, list[:x.changed]); err != nil {
				return fmt.Errorf("after %d changes: %s: %w", x.changed, x.name, err)
			}
		}
	}
	return nil
}

func changeable(x index.Index) bool {
	_, move := x.(index.Mover)
	_, remove := x.(index.Remover)
	_, insert := x.(index.Inserter)
	return move && remove && insert
}

// sound compares an index after its changes with the oracle.
func sound(x *party, objects []soa.Object, made []change) error {
	now := slices.Clone(objects)
	for _, m := range made {
		now[m.id].Box = m.box
	}
	for i, b := range scene.BoxQueries(now, 20, 20, 1) {
		native := native(b)
		q := &volumes{given: []index.Volume{index.Box(b)}, native: []appender{native}, objects: now}
		got := q.answer(x.Index, 0)
		want := testkit.TwinBox(now, b)
		if !slices.EqualFunc(got, want, func(g uint32, w int) bool { return int(g) == w }) {
			return fmt.Errorf("box %d: %d objects, want %d others", i, len(got), len(want))
		}
	}
	return nil
}
