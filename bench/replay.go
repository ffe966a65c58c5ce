package main

import (
	"flag"
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

var replayCommand = command{
	name:  "replay",
	short: "answer the queries of flat files and print a TSV",
	long: `
Builds a frozen tree, with one worker, of the boxes of a flat file and answers
the queries of others, so that programs in other languages can be compared on
the same bytes. The package comment of bench/internal/flat draws the format; an
object's ID is the index of its box.

One line per file of queries, fields separated by tabs:

  workload              kind of query
  file                  as given
  n                     objects
  queries               in the file
  build_ns_per_object   median over the passes, insertion and freezing
  bytes_per_object      memory of the tree, without buffers
  ns_median, ns_min     per query, over the passes of the whole file
  results_mean          per query
  hash                  sum modulo 2^64 of splitmix64(ID) over all results
  verdict               ok, or MISMATCH if a sample of the queries differs from
                        a plain loop over all boxes; then the exit code is 1

  go run ./bench export -out DIR -scene city -n 100000
  go run ./bench replay -scene DIR/scene.bin -frusta DIR/frusta-10.bin`,
	setup: func(flags *flag.FlagSet) func(e *env) error {
		var r replay
		flags.StringVar(&r.scene, "scene", "", "the boxes of `FILE` are the objects (required)")
		flags.IntVar(&r.repeat, "repeat", 9, "number of passes over each file")
		r.tier.declare(flags)
		for _, k := range kinds {
			flags.Func(k.flag, k.usage, func(path string) error {
				r.files = append(r.files, queryFile{k, path})
				return nil
			})
		}
		return r.run
	},
}

// replay is one run of the command.
type replay struct {
	scene  string
	files  []queryFile
	repeat int
	tier   tierFlag
}

type queryFile struct {
	kind kind
	path string
}

// verdictSample is the number of queries that are compared with the oracle.
const verdictSample = 16

func (r *replay) run(e *env) error {
	if r.scene == "" || r.repeat < 1 {
		return usagef("-scene %q, -repeat %d: want a file and 1 or more passes", r.scene, r.repeat)
	}
	restore, err := r.tier.use()
	if err != nil {
		return err
	}
	defer restore()

	// All files are read before anything is timed: a fault in the last one
	// should not cost the time of the others.
	boxes, err := flat.Load(r.scene, flat.ReadScene)
	if err != nil {
		return err
	}
	batches := make([]batch, len(r.files))
	for i, f := range r.files {
		if batches[i], err = f.kind.load(f.path); err != nil {
			return err
		}
	}
	tree, buildNs, err := r.build(boxes, &progress{out: e.errs})
	if err != nil {
		return err
	}
	n := len(boxes)
	v := tree.View()
	bytes := float64(tree.Stats().Live()) / float64(max(n, 1))
	fmt.Fprintln(e.out, "workload\tfile\tn\tqueries\tbuild_ns_per_object\tbytes_per_object\tns_median\tns_min\tresults_mean\thash\tverdict")
	wrong := 0
	for i, f := range r.files {
		b := batches[i]
		m := r.measure(v, b)
		verdict := "ok"
		if !agrees(v, b, boxes) {
			verdict = "MISMATCH"
			wrong++
		}
		fmt.Fprintf(e.out, "%s\t%s\t%d\t%d\t%.2f\t%.2f\t%.1f\t%.1f\t%.2f\t%016x\t%s\n",
			f.kind.workload, f.path, n, b.len(), buildNs, bytes, m.ns.Median(), m.ns.Min(), m.mean, m.hash, verdict)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d files: answers differ from the oracle", wrong, len(r.files))
	}
	return nil
}

// build returns a frozen tree and what it took, in ns per object.
func (r *replay) build(boxes []soa.AABB, p *progress) (tree *linear.Tree, ns float64, err error) {
	p.begin("building %d trees of %d objects", r.repeat, len(boxes))
	defer p.end()
	objects := make([]soa.Object, len(boxes))
	for i, b := range boxes {
		objects[i] = soa.Object{Box: b, Mask: 1}
	}
	times := measure.Interleave(r.repeat, measure.Task{
		Units:  len(objects),
		Before: func() { tree = nil; runtime.GC() },
		Do: func() uint64 {
			t, e := plant(objects, 1, nil)
			if e != nil {
				err = e
			}
			tree = t
			return 1
		},
	})
	return tree, times[0].Median(), err
}

// measured is what the passes over a file gave.
type measured struct {
	ns   measure.Series // per query
	mean float64        // results of a query
	hash uint64
}

func (r *replay) measure(v linear.View, b batch) (m measured) {
	if b.len() == 0 {
		return m
	}
	var ids []uint32
	results := 0
	for i := range b.len() {
		ids = b.query(ids[:0], v, i)
		m.hash += flat.Hash(ids)
		results += len(ids)
	}
	m.mean = float64(results) / float64(b.len())
	m.ns = measure.Interleave(r.repeat, measure.Task{Units: b.len(), Do: func() (results uint64) {
		ids, results = b.pass(ids, v)
		return results
	}})[0]
	return m
}

// agrees compares queries from all over the file with the oracle.
func agrees(v linear.View, b batch, boxes []soa.AABB) bool {
	count := min(b.len(), verdictSample)
	for k := range count {
		i := k * b.len() / count
		if !b.verify(v, boxes, i) {
			return false
		}
	}
	return true
}
