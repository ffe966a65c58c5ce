package run

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// ask prints a line for each kind of query besides the frustum.
func (r *runner) ask() error {
	t := r.report.Table("queries",
		table.Column{Title: "query", Width: -12}, table.Column{Title: "results", Width: 8},
		table.Column{Title: "us", Width: 8}, table.Column{Title: "ns/result", Width: 9})
	v := r.tree.View()
	b := &lab.Bed{Objects: r.objects, View: v, Seed: r.source.Seed}
	for _, kind := range []lab.QueryKind{lab.Box8, lab.Box450, lab.Sphere550, lab.RayAll, lab.RayNearest, lab.Nearest1, lab.Nearest8} {
		r.p.Begin("checking and timing %d queries: %s", lab.QueryCount, kind.Name)
		q, err := b.Batch(kind)
		if err != nil {
			r.p.End()
			return fmt.Errorf("%s: %w", kind.Name, err)
		}
		results := float64(q.Pass(v)) / float64(q.Len())
		times := measure.Interleave(r.output.Count, b.QueryTask(q))[0]
		r.p.End()
		ns := times.Median()
		t.Row(kind.Name, table.Number(results), table.Number(ns/1e3), table.Number(ns/max(results, 1)))
		r.measured("Query", "ns/op", times, "kind", kind.Name)
	}
	return nil
}
