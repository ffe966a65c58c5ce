package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// ask prints a line for each kind of query besides the frustum.
func (r *runner) ask() error {
	t := r.report.Table("queries",
		table.Column{Title: "query", Width: -12}, table.Column{Title: "results", Width: 8},
		table.Column{Title: "us", Width: 8}, table.Column{Title: "ns/result", Width: 9})
	v := r.tree.View()
	b := &bed{objects: r.objects, view: v, seed: r.source.seed}
	for _, kind := range []queryKind{kindBox8, kindBox450, kindSphere, kindRay, kindFirst, kindKnn1, kindKnn8} {
		r.p.begin("checking and timing %d queries: %s", queryCount, kind.name)
		q, err := b.batch(kind)
		if err != nil {
			r.p.end()
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		results := float64(q.pass(v)) / float64(q.len())
		times := measure.Interleave(r.output.count, queryTask(q, b))[0]
		r.p.end()
		ns := times.Median()
		t.Row(kind.name, table.Number(results), table.Number(ns/1e3), table.Number(ns/max(results, 1)))
		r.measured("Query", "ns/op", times, "kind", kind.name)
	}
	return nil
}
