package main

import (
	"flag"
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

var scalingCommand = command{
	name:  "scaling",
	short: "cost against the number of objects, with fitted exponents",
	long: `
Makes ever larger scenes and measures, with one worker:

  build, rebuild   a first build, and a frozen rebuild of it, ns per object
  pairs            all overlapping pairs, ns per object
  move             1 % of all objects in a frame, 95 % of them drift and 5 % jump,
                   with the tick: ns per moved object
  frustum          10 % of the scene visible, us; nearly all of it is the answer
  box              about 450 results, ns
  ray              to the nearest hit, ns
  knn              the nearest 8, ns

A sample of all answers is compared with plain loops before anything is timed.
The last lines are a and b of the least-squares fit a·n^b in logarithms: b is 0
where the cost of an operation, or of an object, does not depend on the size. Ten
million objects take about 4 GB.

  go run ./bench scaling
  go run ./bench scaling -scene city -max 1000000` + aboutOutput,
	setup: func(flags *flag.FlagSet) func(e *env) error {
		var s scaling
		flags.StringVar(&s.scene, "scene", "uniform", "the objects of `NAME`: "+sceneNames())
		flags.IntVar(&s.most, "max", 10_000_000, "largest number of objects, 1,000 or more")
		flags.Uint64Var(&s.seed, "seed", 1, "seed of scene, queries and motion")
		s.tier.declare(flags)
		s.output.declare(flags, 5)
		return s.run
	},
}

// scaling is one run of the command.
type scaling struct {
	scene  string
	most   int
	seed   uint64
	tier   tierFlag
	output output
}

// scalingQuantities are the columns, in the order of scaling.measure.
var scalingQuantities = []quantity{
	{"build", "ns/object", "build", 1}, {"rebuild", "ns/object", "rebuild", 1}, {"pairs", "ns/object", "pairs", 1},
	{"move", "ns/move", "move", 1}, {"frustum", "ns/op", "frustum us", 1e3}, {"box", "ns/op", "box", 1},
	{"ray", "ns/op", "ray", 1}, {"knn", "ns/op", "knn", 1},
}

func (s *scaling) run(e *env) error {
	if s.most < 1000 {
		return usagef("-max %d: want 1,000 or more objects", s.most)
	}
	if err := s.output.check(); err != nil {
		return err
	}
	l := &lab{rounds: s.output.count, seed: s.seed}
	if _, err := l.objects(s.scene, 0); err != nil {
		return usageError{err}
	}
	restore, err := s.tier.use()
	if err != nil {
		return err
	}
	defer restore()
	p := &progress{out: e.errs}
	out, err := s.output.begin(e, "scaling")
	if err != nil {
		return err
	}
	tierNote(out)
	out.Note("objects", fmt.Sprintf("%s, seed %d", s.scene, s.seed))
	g := newGrowth(out, "Scaling", scalingQuantities)
	for _, n := range sizesTo(s.most) {
		p.begin("measuring %d objects", n)
		samples, err := s.measure(l, n)
		p.end()
		if err != nil {
			return fmt.Errorf("%d objects: %w", n, err)
		}
		g.add(n, samples)
	}
	g.fit()
	return s.output.end(e, out)
}

// measure returns the samples of all quantities.
func (s *scaling) measure(l *lab, n int) (samples []measure.Series, err error) {
	changes, err := s.changes(l, n)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	b, err := l.bed(s.scene, n)
	if err != nil {
		return nil, err
	}
	l.last = nil // the next is larger
	lenses, err := b.lenses(0.1, 50)
	if err != nil {
		return nil, err
	}
	cull := b.treeAsker(lenses)
	if err := b.same(len(lenses), cull, b.sweepAsker(lenses)); err != nil {
		return nil, fmt.Errorf("frustum: %w", err)
	}
	pairs := &allPairs{}
	if !agrees(pairs, b.view, b.boxes()) {
		return nil, fmt.Errorf("pairs: answers differ from the oracle")
	}
	tasks := []measure.Task{
		{Units: n, Do: func() uint64 {
			return uint64(collide.Count(b.view, linear.View{}, collide.Filter{StaticPairs: true}))
		}},
		b.task(len(lenses), cull),
	}
	for _, kind := range []queryKind{kindBox450, kindFirst, kindKnn8} {
		q, err := b.batch(kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		tasks = append(tasks, queryTask(q, b))
	}
	times := measure.Interleave(l.rounds, tasks...)
	return []measure.Series{changes[0], changes[1], times[0], changes[2], times[1], times[2], times[3], times[4]}, nil
}

// changes returns the times of a build, a rebuild and a move.
func (s *scaling) changes(l *lab, n int) ([]measure.Series, error) {
	objects, err := l.objects(s.scene, n)
	if err != nil {
		return nil, err
	}
	h, err := newHerd(objects, s.seed)
	if err != nil {
		return nil, err
	}
	still, err := insert(objects, 1, make([]uint32, 0, n))
	if err != nil {
		return nil, err
	}
	movers := max(n/frameShare, 1)
	times := measure.Interleave(l.rounds,
		h.firstBuild(objects),
		measure.Task{Units: n, Before: runtime.GC, Do: func() uint64 {
			h.note(still.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
			return uint64(still.Len())
		}},
		measure.Task{Units: movers, Before: func() { h.draw(1, movers) }, Do: func() uint64 { return h.move(movers) }},
	)
	return times, h.sound()
}
