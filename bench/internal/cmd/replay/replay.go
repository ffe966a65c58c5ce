// Package replay implements the command bench replay, which runs the queries of flat files, and its forms:
// replay export writes such files, and replay tracks replays recorded tracks.
package replay

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Command is bench replay.
var Command = command.Command{
	Name:  "replay",
	Short: "run the queries of flat files and print a TSV",
	Long: `
Builds a frozen tree, with one worker, of the boxes of a flat file and runs
the queries of others, so that programs in other languages can be compared on
the same bytes. The package comment of bench/internal/flat draws the format; an
object's ID is the index of its box.

One line per workload, fields separated by tabs:

  workload              frustum, box, sphere, ray (all hits), ray_first, ray_ids
                        (all hits, by ID alone), knn1, knn8; pairs; move, churn, moveall
  file                  as given; of pairs that of the scene
  n                     objects
  queries               in the file; of moves: steps; of pairs: 1
  build_ns_per_object   median over the passes, insertion and freezing
  bytes_per_object      memory of the tree, without buffers
  ns_median, ns_min     per query, over the passes of the whole file
  results_mean          per query
  hash                  sum modulo 2^64 of splitmix64(ID) over all results; of
                        pairs: of splitmix64(lo<<32 | hi), lo < hi the two IDs
  verdict               ok, or MISMATCH if a sample of the queries differs from
                        a plain loop over all boxes; then the exit code is 1
  distance_sum          of ray_first, knn1 and knn8: sum over all results
  ns_worst              of moves: the worst step

With -pairs it also finds all pairs of objects whose boxes share a point, in
one call: results are the pairs.

Changes begin with a tree that is not frozen. A step of -moves is applied to one
tree by MoveBatch and Tick (move), to another by RemoveBatch, InsertBatch and
Tick (churn). A file of n boxes, one for each ID, is one step (moveall), and a
step back between the passes. The ns are per move: each step takes its median
over the passes, and the columns have the median, the minimum and the worst step;
results are the moves of a step. After each of them all queries are
run again on the changed tree, as workload frustum_after_move, ….

With -instances the objects are those of instanced parts: a scene, built of frozen parts; the
file has instances, with a -part for each part, or is a snapshot of save -instances. Then
build_ns_per_object is the time to add the instances, bytes are those of the scene and its parts,
rays return the first hit, pairs are those of all instances, and an object is hashed
as instance<<32 | ID, a pair as splitmix64(splitmix64(lo) ^ hi); a sample of the queries is
compared with a loop over all objects in all instances, in float64.

  go run ./bench replay export -o DIR -scene city -n 100000
  go run ./bench replay -scene DIR/scene.bin -frusta DIR/frusta-10.bin

The other formats have the same columns. JSON and gobench also have the ns per
query of each pass, and of moves the median of each step.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var r replay
		flags.StringVar(&r.scene, "scene", "", "the boxes of `FILE` are the objects (required without -instances)")
		flags.StringVar(&r.instances, "instances", "", "the objects are those of the instances in `FILE`")
		flags.Func("part", "the boxes of `FILE` are a part of -instances; repeated, the first is part 0", func(path string) error {
			r.parts = append(r.parts, path)
			return nil
		})
		flags.BoolVar(&r.pairs, "pairs", false, "find all overlapping pairs of objects (pairs)")
		count.Var(flags, &r.repeat, "repeat", 9, 1, "`number` of passes over each file")
		r.tier.Declare(flags)
		r.output.Format = report.TSV
		r.output.DeclareFormat(flags)
		r.output.DeclareProfile(flags)
		lab.DeclareQueryFiles(flags, &r.files)
		flags.Func("moves", "apply the moves of `FILE`, step by step (move, churn); may be repeated", func(path string) error {
			r.changes = append(r.changes, changeFile{path, loadMoves})
			return nil
		})
		flags.Func("moveall", "move every object to its box in `FILE` (moveall); may be repeated", func(path string) error {
			r.changes = append(r.changes, changeFile{path, loadMoveAll})
			return nil
		})
		return r.run
	},
}

// replay is one run of the command.
type replay struct {
	scene     string
	instances string
	parts     []string
	files     []lab.QueryFile
	changes   []changeFile
	pairs     bool
	repeat    int
	tier      command.TierFlag
	output    command.Output

	report  *report.Report
	table   *report.Table
	boxes   []soa.AABB
	queries []replayQuery
	rows    int
	wrong   int
}

// replayQuery is a workload of a file.
type replayQuery struct {
	lab.Workload
	path string
}

func (r *replay) run(e *command.Env) error {
	if r.scene == "" && r.instances == "" {
		return command.Usagef("no -scene and no -instances: want a file of objects")
	}
	defer r.tier.Use()()
	if r.instances != "" {
		r.runScene(e)
		return nil
	}
	if len(r.parts) > 0 {
		return command.Usagef("-part requires -instances")
	}

	// All files are read before anything is timed, so that an error in the last one does not waste the time of
	// the others.
	r.boxes = must.Get(flat.Load(r.scene, flat.ReadScene))
	for _, f := range r.files {
		for _, w := range must.Get(f.Kind.Load(f.Path)) {
			r.queries = append(r.queries, replayQuery{w, f.Path})
		}
	}
	if r.pairs {
		r.queries = append(r.queries, replayQuery{lab.Workload{Name: "pairs", Batch: &lab.AllPairs{}}, r.scene})
	}
	var changes []change
	for _, f := range r.changes {
		changes = append(changes, f.load(f.path, r.boxes)...)
	}
	p := &command.Progress{Out: e.Errs}
	tree, buildNs := r.build(true, p)
	r.report = r.output.Begin(e, "replay")
	command.TierNote(r.report)
	r.table = r.report.Table("workloads", replayColumns()...)
	r.answer(&subject{tree: tree, buildNs: buildNs}, "")
	if len(changes) > 0 {
		tree, buildNs = r.build(false, p)
	}
	for i := range changes {
		p.Begin("replaying %s as %s", changes[i].path, changes[i].name)
		s := &subject{tree: tree, buildNs: buildNs}
		line := r.apply(&changes[i], s)
		p.End()
		r.print(line)
		r.answer(s, "_after_"+changes[i].name)
	}
	r.end(e)
	return nil
}

// end prints the report, and fails if a result was wrong.
func (r *replay) end(e *command.Env) {
	must.Do(r.output.End(e, r.report))
	if r.wrong > 0 {
		must.Fail("%d of %d rows: results differ from the oracle", r.wrong, r.rows)
	}
}

// build returns a tree, frozen or not, and its build time in ns per object.
func (r *replay) build(frozen bool, p *command.Progress) (tree *linear.Tree, ns float64) {
	p.Begin("building %s of %s", count.Of(r.repeat, "tree"), count.Of(len(r.boxes), "object"))
	defer p.End()
	objects := objectsOf(r.boxes)
	times := measure.Interleave(r.repeat, measure.Task{
		Units:  len(objects),
		Before: func() { tree = nil; runtime.GC() },
		Do: func() uint64 {
			tree = must.Get(lab.Build(objects, 1, make([]uint32, 0, len(objects))))
			if frozen {
				must.Do(tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
			}
			return 1
		},
	})
	must.Do(lab.Settle(tree))
	return tree, times[0].Median()
}

// replayRow is a line of the output.
type replayRow struct {
	workload, path        string
	queries, objects      int
	buildNs, bytes        float64 // per object
	samples               measure.Series
	median, least         float64
	mean                  float64
	hash                  uint64
	ok                    bool
	distanceSum, worst    float64
	hasDistance, hasWorst bool
}

// rowOf starts a row for a tree.
func (r *replay) rowOf(workload, path string, queries int, s *subject) replayRow {
	n := len(r.boxes)
	bytes := float64(s.tree.Stats().LiveBytes()) / float64(max(n, 1))
	return replayRow{workload: workload, path: path, queries: queries, objects: n, buildNs: s.buildNs, bytes: bytes}
}

func (r *replay) print(x replayRow) {
	verdict := "ok"
	r.rows++
	if !x.ok {
		verdict = "MISMATCH"
		r.wrong++
	}
	optional := func(there bool, format string, value float64) string {
		if !there {
			return "-"
		}
		return fmt.Sprintf(format, value)
	}
	n := x.objects
	r.table.Row(x.workload, x.path, fmt.Sprint(n), fmt.Sprint(x.queries),
		fmt.Sprintf("%.2f", x.buildNs), fmt.Sprintf("%.2f", x.bytes),
		fmt.Sprintf("%.1f", x.median), fmt.Sprintf("%.1f", x.least), fmt.Sprintf("%.2f", x.mean),
		fmt.Sprintf("%016x", x.hash), verdict,
		optional(x.hasDistance, "%.9g", x.distanceSum), optional(x.hasWorst, "%.1f", x.worst))
	if len(x.samples) > 0 {
		name := report.Name("Replay", "workload", x.workload, "file", filepath.Base(x.path), "n", n)
		r.report.Measure(report.Measure{Name: name, Unit: "ns/op", Samples: x.samples})
	}
}

func replayColumns() []table.Column {
	return []table.Column{
		{Title: "workload", Width: -28}, {Title: "file", Width: -24}, {Title: "n", Width: 8}, {Title: "queries", Width: 7},
		{Title: "build_ns_per_object", Width: 8}, {Title: "bytes_per_object", Width: 8}, {Title: "ns_median", Width: 10},
		{Title: "ns_min", Width: 10}, {Title: "results_mean", Width: 8}, {Title: "hash", Width: -16}, {Title: "verdict", Width: -8},
		{Title: "distance_sum", Width: 12}, {Title: "ns_worst", Width: 8},
	}
}

// answer runs all queries on a tree and prints a line for each workload.
func (r *replay) answer(s *subject, suffix string) {
	v, boxes := s.tree.View(), s.arranged(r.boxes)
	for _, q := range r.queries {
		line := r.rowOf(q.Name+suffix, q.path, q.Len(), s)
		var a lab.Answer
		results := 0
		for i := range q.Len() {
			q.Answer(&a, v, i)
			results += len(a.IDs) + len(a.Pairs)
			line.hash += s.hash(a.IDs) + s.hashPairs(a.Pairs)
			line.distanceSum += a.Dist
			line.hasDistance = a.Far
		}
		if q.Len() > 0 {
			line.mean = float64(results) / float64(q.Len())
			ns := measure.Interleave(r.repeat, measure.Task{Units: q.Len(), Do: func() uint64 { return q.Pass(v) }})[0]
			line.samples, line.median, line.least = ns, ns.Median(), ns.Min()
		}
		line.ok = lab.Agrees(q, v, boxes)
		r.print(line)
	}
}
