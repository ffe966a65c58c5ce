package main

import (
	"flag"
	"fmt"
	"runtime"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/machine"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var runCommand = command{
	name:  "run",
	short: "build a tree, cull it with moving cameras, ask it in other ways, and print a table",
	long: `
Builds a tree of many objects and culls it with a camera that moves through
them, at about 1, 10 and 50 % visible. Each answer is checked against a sweep
over all boxes before its line is printed; a difference ends the command with
exit code 1.

The table, means over all frames, each the median of some rounds:

  visible      objects seen
  us           time of a cull, IDs of what is seen written to memory
  ns/visible   that time by object seen
  nodes        nodes whose eight children are tested
  packets      packets of up to 16 objects that are tested one by one
  SIMD us, x   a linear sweep with the same kernels, and how much slower it is
  scalar us, x a plain Go loop over the objects, and how much slower it is

The sweeps are timed on every tenth frame. A second table tells the same of boxes
and spheres of about so many results, of rays for all hits and for the nearest,
and of the nearest 1 and 8 objects; a sample of their answers is checked.

  go run ./bench
  go run ./bench -scene city -n 100000
  go run ./bench -in bunny.ply.gz`,
	setup: func(flags *flag.FlagSet) func(e *env) error {
		var r runner
		r.source.declare(flags)
		r.tier.declare(flags)
		flags.IntVar(&r.frames, "cameras", 200, "number of frames of the moving camera")
		flags.IntVar(&r.workers, "workers", 0, "goroutines of a build (default GOMAXPROCS)")
		return r.run
	},
}

// runner is one run of the default command.
type runner struct {
	source  source
	tier    tierFlag
	frames  int
	workers int

	objects []soa.Object
	tree    *linear.Tree
	e       *env
	p       *progress
}

// runRounds is the number of rounds of a measurement.
const runRounds = 5

func (r *runner) run(e *env) error {
	if r.frames < 1 || r.workers < 0 {
		return usagef("-cameras %d, -workers %d: want 1 or more cameras and 0 or more workers", r.frames, r.workers)
	}
	if r.workers == 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	restore, err := r.tier.use()
	if err != nil {
		return err
	}
	defer restore()
	r.e, r.p = e, &progress{out: e.errs}
	about, objects, err := r.source.load(r.p)
	if err != nil {
		return err
	}
	r.objects = objects
	fmt.Fprintf(e.out, "machine  %v\n", machine.Here())
	fmt.Fprintf(e.out, "tier     %v of %v\n", asm.Info().Tier, asm.Info().Available)
	fmt.Fprintf(e.out, "objects  %s\n", about)
	if err := r.build(); err != nil {
		return err
	}
	if err := r.cull(); err != nil {
		return err
	}
	return r.ask()
}

// build makes the tree, and prints what it costs in time and memory.
func (r *runner) build() (err error) {
	r.p.begin("building a tree of %d objects", len(r.objects))
	r.tree, err = plant(r.objects, r.workers, r.p.share)
	r.p.end()
	if err != nil {
		return err
	}

	r.p.begin("timing builds")
	ids := make([]uint32, 0, len(r.objects))
	times := measure.Interleave(runRounds,
		measure.Task{Units: len(r.objects), Before: runtime.GC, Do: func() uint64 {
			t, e := insert(r.objects, r.workers, ids)
			if e != nil {
				err = e
				return 0
			}
			return uint64(t.Len())
		}},
		measure.Task{Units: len(r.objects), Before: runtime.GC, Do: func() uint64 {
			if e := r.tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}); e != nil {
				err = e
			}
			return uint64(r.tree.View().Slots())
		}},
	)
	r.p.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.e.out, "build    %s ns/object the first time, %s to rebuild it frozen, %d workers\n",
		table.Number(times[0].Median()), table.Number(times[1].Median()), r.workers)
	fmt.Fprintf(r.e.out, "tree     %s\n", strings.ReplaceAll(r.tree.Stats().String(), "\n", "\n         "))
	return nil
}

// cull prints a line for each share.
func (r *runner) cull() error {
	fmt.Fprintln(r.e.out)
	t := table.New(r.e.out,
		table.Column{Title: "frustum", Width: -8}, table.Column{Title: "visible", Width: 9}, table.Column{Title: "us", Width: 8},
		table.Column{Title: "ns/visible", Width: 10}, table.Column{Title: "nodes", Width: 7}, table.Column{Title: "packets", Width: 8},
		table.Column{Title: "SIMD us", Width: 9}, table.Column{Title: "x", Width: 6},
		table.Column{Title: "scalar us", Width: 9}, table.Column{Title: "x", Width: 6})
	for _, percent := range []int{1, 10, 50} {
		r.p.begin("%d cameras at %d %%", r.frames, percent)
		path := scene.CameraPath(r.objects, float64(percent)/100, r.frames, r.source.seed)
		r.p.end()
		lenses := make([]baseline.Lens, len(path))
		for i := range path {
			var err error
			if lenses[i], err = baseline.NewLens(path[i].Planes()); err != nil {
				return err
			}
		}
		r.p.begin("checking and timing %d culls", len(lenses))
		c, err := r.cameras(lenses)
		r.p.end()
		if err != nil {
			return err
		}
		t.Row(fmt.Sprintf("%d %%", percent), table.Number(c.visible), table.Number(c.tree/1e3), table.Number(c.tree/max(c.visible, 1)),
			table.Number(c.nodes), table.Number(c.packets),
			table.Number(c.simd/1e3), table.Number(c.simd/c.tree), table.Number(c.scalar/1e3), table.Number(c.scalar/c.tree))
	}
	return nil
}

// culls are the means over the frames of a path; times in ns.
type culls struct {
	visible, nodes, packets float64
	tree, simd, scalar      float64
}

// sweepEvery is how many frames share one timed sweep: sweeps cost about the
// same in every frame, and much more than culls.
const sweepEvery = 10

// cameras checks the answer to every lens, then times them.
func (r *runner) cameras(lenses []baseline.Lens) (c culls, err error) {
	var (
		v     = r.tree.View()
		s     = v.Store()
		sweep baseline.Sweep
		set   baseline.Set
		walk  asm.Walk
		ids   []uint32
		want  []uint32
		few   []baseline.Lens
		count = float64(len(lenses))
	)
	for i := range lenses {
		l := &lenses[i]
		want = sweep.Append(want[:0], s, l)
		ids = l.Frustum.Append(ids[:0], v, query.Filter{})
		if err := set.Same(ids, want); err != nil {
			return c, fmt.Errorf("camera %d: the tree and the SIMD sweep differ: %w", i, err)
		}
		c.visible += float64(len(ids)) / count
		visits := l.Count(&walk, s)
		c.nodes += float64(visits.Nodes) / count
		c.packets += float64(visits.Packets) / count
		if i%sweepEvery == 0 {
			few = append(few, *l)
			ids = baseline.Scalar(ids[:0], r.objects, s.Extent, l)
			if err := set.Same(ids, want); err != nil {
				return c, fmt.Errorf("camera %d: the scalar and the SIMD sweep differ: %w", i, err)
			}
		}
	}
	each := func(lenses []baseline.Lens, one func(dst []uint32, l *baseline.Lens) []uint32) measure.Task {
		return measure.Task{Units: len(lenses), Do: func() (seen uint64) {
			for i := range lenses {
				ids = one(ids[:0], &lenses[i])
				seen += uint64(len(ids))
			}
			return seen
		}}
	}
	times := measure.Interleave(runRounds,
		each(lenses, func(dst []uint32, l *baseline.Lens) []uint32 { return l.Frustum.Append(dst, v, query.Filter{}) }),
		each(few, func(dst []uint32, l *baseline.Lens) []uint32 { return sweep.Append(dst, s, l) }),
		each(few, func(dst []uint32, l *baseline.Lens) []uint32 { return baseline.Scalar(dst, r.objects, s.Extent, l) }),
	)
	c.tree, c.simd, c.scalar = times[0].Median(), times[1].Median(), times[2].Median()
	return c, nil
}
