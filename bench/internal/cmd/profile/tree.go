package profile

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Tree is bench profile tree.
var Tree = command.Command{
	Name:  "profile tree",
	Short: "write a tree as a profile: its objects, memory and visits as a flame graph of octants",
	Long: `
Builds a tree, lets its objects move for some frames, and writes it as a profile
whose stacks are paths of the octree: root, octant 5, octant 53, …, and last
the content: node of 8, packet of 14, free slot. A packet is listed in the
smallest cell that contains all its placement keys.

  go run ./bench profile tree -scene city -o tree.pb.gz
  go tool pprof -http=: tree.pb.gz

opens it in a browser: View / Flame Graph, and in Sample the meaning of a width:

  objects   the density of objects
  packets   with objects: many packets of few objects are underfull
  nodes     the depth of the tree
  bytes     of memory; all of them, those of IDs and free slots below the root
  visits    of the queries, to nodes and packets: the hot regions

Without a browser:

  go tool pprof -top tree.pb.gz                          by content
  go tool pprof -top -cum -sample_index=visits tree.pb.gz    the hottest octants
  go tool pprof -top -files tree.pb.gz                   by level of the octants
  go tool pprof -top -sample_index=packets -diff_base=old.pb.gz tree.pb.gz
                                                         the changes of a tree

Octants have the same names in trees of the same world. Octal digits name the
octant of each level, z y x from the highest bit, as package morton does; part
53+1 is the half of octant 53 whose next bit is 1.

The queries are cameras in the scene and those of the files that the flags name,
as replay export writes them. Standard output has a line for each level and their sums:
those of the tree's Stats and of the queries' counters.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var r treeWriter
		r.source.Declare(flags)
		flags.StringVar(&r.out, "o", "", "write the profile to `FILE` (required)")
		flags.BoolVar(&r.frozen, "frozen", false, "build a frozen tree")
		count.Var(flags, &r.frames, "frames", 0, 0, "move 1 % of the objects for a `number` of frames first")
		count.Var(flags, &r.cameras, "cameras", 50, 0, "query with a `number` of cameras")
		flags.Float64Var(&r.percent, "percent", 10, "cameras have about so many per cent of the objects in view")
		lab.DeclareQueryFiles(flags, &r.files)
		flags.StringVar(&r.svg, "svg", "", "draw the flame graph to `FILE`, an SVG: widths are objects, colours visits")
		r.output.DeclareFormat(flags)
		return r.run
	},
}

// treeWriter is one run of the command.
type treeWriter struct {
	source  command.Source
	out     string
	svg     string
	frozen  bool
	frames  int
	cameras int
	percent float64
	files   []lab.QueryFile
	output  command.Output

	p      *command.Progress
	report *report.Report
}

func (r *treeWriter) run(e *command.Env) error {
	switch {
	case r.out == "":
		return command.Usagef("no -o: want a file to write to")
	case !(r.percent > 0 && r.percent <= 100):
		return command.Usagef("-percent %v: want more than 0, to 100", r.percent)
	case r.frozen && r.frames > 0:
		return command.Usagef("-frozen and -frames %d: a tree in motion is not frozen", r.frames)
	}
	var loaded []lab.Workload
	for _, f := range r.files {
		loaded = append(loaded, must.Get(f.Kind.Load(f.Path))...)
	}
	r.p = &command.Progress{Out: e.Errs}
	about, objects := r.source.Load(r.p)
	tree, objects := r.grow(objects)
	if r.cameras > 0 {
		loaded = append(loaded, r.frusta(objects))
	}
	v := tree.View()
	heat := query.NewHeat(v)
	var visits query.Counters
	queries := 0
	r.p.Begin("tracing queries")
	for _, w := range loaded {
		q := w.Batch.(lab.Tracer) // true for the queries of all kinds
		for i := range q.Len() {
			visits = visits.Add(q.Trace(v, i, heat))
		}
		queries += q.Len()
	}
	r.p.End()
	p := must.Get(show.Profile(v, heat))
	p.Comments = []string{"objects " + about, fmt.Sprintf("frozen %v", r.frozen), fmt.Sprintf("frames %d", r.frames), fmt.Sprintf("queries %d", queries)}
	must.Do(prof.Save(r.out, p))
	r.draw(p)
	r.report = r.output.Begin(e, "profile tree")
	r.report.Note("objects", about)
	r.report.Note("tree", tree.Stats().String())
	r.report.Note("queries", fmt.Sprintf("%d, which visit %d nodes and %d packets", queries, visits.Nodes, visits.Packets))
	r.levels(p)
	return r.report.Close()
}

// grow builds the tree and ages it by frames of motion. It returns the objects afterwards.
func (r *treeWriter) grow(objects []soa.Object) (*linear.Tree, []soa.Object) {
	r.p.Begin("building a tree of %s", count.Of(len(objects), "object"))
	defer r.p.End()
	if r.frozen {
		return must.Get(lab.BuildFrozen(objects, 1, r.p.Done)), objects
	}
	h := must.Get(lab.NewMovingTree(objects, r.source.Seed))
	count := max(len(objects)/lab.FrameShare, 1)
	for f := range r.frames {
		h.Draw(1, count)
		h.Move(count)
		r.p.Done(float64(f+1) / float64(r.frames))
	}
	now := append([]soa.Object(nil), objects...)
	for i := range now {
		now[i].Box = h.Boxes[i]
	}
	must.Do(h.Sound())
	return h.Tree, now
}

// frusta returns the queries of the cameras.
func (r *treeWriter) frusta(objects []soa.Object) lab.Workload {
	r.p.Begin("%s at %v %%", count.Of(r.cameras, "camera"), r.percent)
	defer r.p.End()
	var planes [][6][4]float32
	for _, c := range scene.Cameras(objects, r.percent/100, r.cameras, r.source.Seed) {
		planes = append(planes, c.Planes())
	}
	return lab.Workload{Name: "frustum", Batch: must.Get(lab.NewFrusta(planes))}
}

// draw writes the flame graph, if requested.
func (r *treeWriter) draw(p *prof.Profile) {
	if r.svg == "" {
		return
	}
	f := must.Get(os.Create(r.svg))
	must.Do(errors.Join(show.Icicle{Profile: p, Width: 1200, Value: show.Objects, Rows: 14}.SVG(f), f.Close()))
}

// levels prints a line for each level of octants, and the sums.
func (r *treeWriter) levels(p *prof.Profile) {
	t := r.report.Table("levels", table.Column{Title: "level", Width: -5}, table.Column{Title: "objects", Width: 9},
		table.Column{Title: "packets", Width: 8}, table.Column{Title: "a packet", Width: 8}, table.Column{Title: "nodes", Width: 7},
		table.Column{Title: "bytes", Width: 11}, table.Column{Title: "visits", Width: 9})
	line := func(name string, v [show.NumValues]int64) {
		t.Row(name, fmt.Sprint(v[show.Objects]), fmt.Sprint(v[show.Packets]),
			table.Number(float64(v[show.Objects])/float64(max(v[show.Packets], 1))), fmt.Sprint(v[show.Nodes]),
			fmt.Sprint(v[show.Bytes]), fmt.Sprint(v[show.Visits]))
	}
	for level, v := range show.Levels(p) {
		line(fmt.Sprint(level), v)
	}
	line("sum", show.Sums(p))
}
