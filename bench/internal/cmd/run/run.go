// Package run implements the default command: a tree of many objects, with frustum culling by a moving camera
// and other queries.
package run

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Command is bench run.
var Command = command.Command{
	Name:  "run",
	Short: "build a tree, cull it with moving cameras, run other queries, and print a table",
	Long: `
Builds a tree of many objects and culls it with a camera that moves through
them, at about 1, 10 and 50 % visible. Each result is checked against a sweep
over all boxes before its line is printed; a difference ends the command with
exit code 1.

The table has means over all frames, each the minimum of some rounds:

  visible      objects in the frustum
  us           time of a cull, which writes the IDs of visible objects to memory
  ns/visible   that time by visible object
  nodes        nodes whose children are tested, up to 16 at once
  packets      packets of up to 16 objects that are tested one by one
  SIMD us, x   a linear sweep with the same kernels, and how much slower it is
  scalar us, x a plain Go loop over the objects, and how much slower it is

The sweeps are timed on every fortieth frame. A second table has the same for boxes
and spheres of about so many results, for rays with all hits and with the first hit,
and for the nearest 1 and 8 objects; a sample of their results is checked.

  go run ./bench
  go run ./bench -scene city -n 100000
  go run ./bench -in bunny.ply.gz` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var r runner
		r.source.Declare(flags)
		r.tier.Declare(flags)
		r.output.Declare(flags, 5)
		count.Var(flags, &r.frames, "cameras", 200, 1, "`number` of frames of the moving camera")
		count.Var(flags, &r.workers, "workers", 0, 0, "`number` of goroutines of a build (default GOMAXPROCS)")
		return r.run
	},
}

// runner is one run of the default command.
type runner struct {
	source  command.Source
	tier    command.TierFlag
	output  command.Output
	frames  int
	workers int

	objects []soa.Object
	tree    *linear.Tree
	report  *report.Report
	p       *command.Progress
}

func (r *runner) run(e *command.Env) error {
	if r.workers == 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	defer r.tier.Use()()
	r.p = &command.Progress{Out: e.Errs}
	about, objects := r.source.Load(r.p)
	r.objects = objects
	r.report = r.output.Begin(e, "run")
	r.report.Note("tier", fmt.Sprintf("%v of %v", asm.Info().Tier, asm.Info().Available))
	r.report.Note("objects", about)
	r.build()
	r.cull()
	r.ask()
	return r.output.End(e, r.report)
}

// measured reports samples. The name contains the objects and the keys and values.
func (r *runner) measured(what, unit string, samples measure.Series, keyValues ...any) {
	of := r.source.Scene
	if r.source.File != "" {
		of = filepath.Base(r.source.File)
	}
	name := report.Name(what, append([]any{"scene", of, "n", len(r.objects)}, keyValues...)...)
	r.report.Measure(report.Measure{Name: name, Unit: unit, Samples: samples})
}

// build builds the tree, and prints its cost in time and memory.
func (r *runner) build() {
	r.p.Begin("building a tree of %s", count.Of(len(r.objects), "object"))
	r.tree = must.Get(lab.BuildFrozen(r.objects, r.workers, r.p.Done))
	r.p.End()

	r.p.Begin("timing builds")
	ids := make([]uint32, 0, len(r.objects))
	times := measure.Interleave(r.output.Count,
		measure.Task{Units: len(r.objects), Before: runtime.GC, Do: func() uint64 {
			return uint64(must.Get(lab.Build(r.objects, r.workers, ids)).Len())
		}},
		measure.Task{Units: len(r.objects), Before: runtime.GC, Do: func() uint64 {
			must.Do(r.tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
			return uint64(r.tree.View().Slots())
		}},
	)
	r.p.End()
	r.report.Note("build", fmt.Sprintf("%s ns/object the first time, %s to rebuild it frozen, %s",
		table.Number(times[0].Min()), table.Number(times[1].Min()), count.Of(r.workers, "worker")))
	stats := r.tree.Stats()
	r.report.Note("tree", stats.String())
	r.measured("Build", "ns/object", times[0], "op", "first", "workers", r.workers)
	r.measured("Build", "ns/object", times[1], "op", "rebuild", "workers", r.workers)
	for _, x := range []struct {
		what  string
		bytes int
	}{{"hot", stats.Hot()}, {"live", stats.LiveBytes()}} {
		r.measured("Memory", "B/object", measure.Series{float64(x.bytes) / float64(len(r.objects))}, "bytes", x.what)
	}
}

// cull prints a line for each share.
func (r *runner) cull() {
	t := r.report.Table("frustum",
		table.Column{Title: "frustum", Width: -8}, table.Column{Title: "visible", Width: 9}, table.Column{Title: "us", Width: 8},
		table.Column{Title: "ns/visible", Width: 10}, table.Column{Title: "nodes", Width: 7}, table.Column{Title: "packets", Width: 8},
		table.Column{Title: "SIMD us", Width: 9}, table.Column{Title: "x", Width: 6},
		table.Column{Title: "scalar us", Width: 9}, table.Column{Title: "x", Width: 6})
	for _, percent := range []int{1, 10, 50} {
		r.p.Begin("%s at %d %%", count.Of(r.frames, "camera"), percent)
		path := scene.CameraPath(r.objects, float64(percent)/100, r.frames, r.source.Seed)
		r.p.End()
		lenses := make([]baseline.Lens, len(path))
		for i := range path {
			lenses[i] = must.Get(baseline.NewLens(path[i].Planes()))
		}
		r.p.Begin("checking and timing %d culls", len(lenses))
		c := r.cameras(lenses)
		r.p.End()
		tree, simd, scalar := c.tree.Min(), c.simd.Min(), c.scalar.Min()
		t.Row(fmt.Sprintf("%d %%", percent), table.Number(c.visible), table.Number(tree/1e3), table.Number(tree/max(c.visible, 1)),
			table.Number(c.nodes), table.Number(c.packets),
			table.Number(simd/1e3), table.Number(simd/tree), table.Number(scalar/1e3), table.Number(scalar/tree))
		for _, x := range []struct {
			by      string
			samples measure.Series
		}{{"tree", c.tree}, {"simd", c.simd}, {"scalar", c.scalar}} {
			r.measured("Frustum", "ns/op", x.samples, "percent", percent, "by", x.by)
		}
	}
}

// culls holds means over the frames of a path; times are in ns, by round.
type culls struct {
	visible, nodes, packets float64
	tree, simd, scalar      measure.Series
}

// sweepEvery is the number of frames per timed sweep: sweeps take about the same time in every frame, and
// much longer than culls.
const sweepEvery = 40

// cameras checks the result of every lens, then times them.
func (r *runner) cameras(lenses []baseline.Lens) (c culls) {
	var (
		v     = r.tree.View()
		s     = v.Store()
		sweep baseline.Sweep
		set   baseline.Set
		walk  asm.VolumeWalk
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
			must.Fail("camera %d: the tree and the SIMD sweep differ: %w", i, err)
		}
		c.visible += float64(len(ids)) / count
		visits := l.Count(&walk, s)
		c.nodes += float64(visits.Nodes) / count
		c.packets += float64(visits.Packets) / count
		if i%sweepEvery == 0 {
			few = append(few, *l)
			ids = baseline.Scalar(ids[:0], r.objects, s.Extent, l)
			if err := set.Same(ids, want); err != nil {
				must.Fail("camera %d: the scalar and the SIMD sweep differ: %w", i, err)
			}
		}
	}
	each := func(lenses []baseline.Lens, one func(dst []uint32, l *baseline.Lens) []uint32) measure.Task {
		return measure.Task{Units: len(lenses), Do: func() (found uint64) {
			for i := range lenses {
				ids = one(ids[:0], &lenses[i])
				found += uint64(len(ids))
			}
			return found
		}}
	}
	times := measure.Interleave(r.output.Count,
		each(lenses, func(dst []uint32, l *baseline.Lens) []uint32 { return l.Frustum.Append(dst, v, query.Filter{}) }),
		each(few, func(dst []uint32, l *baseline.Lens) []uint32 { return sweep.Append(dst, s, l) }),
		each(few, func(dst []uint32, l *baseline.Lens) []uint32 { return baseline.Scalar(dst, r.objects, s.Extent, l) }),
	)
	c.tree, c.simd, c.scalar = times[0], times[1], times[2]
	return c
}
