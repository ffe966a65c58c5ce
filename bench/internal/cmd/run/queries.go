package run

import (
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// ask prints a line for each kind of query besides the frustum.
func (r *runner) ask() {
	t := r.report.Table("queries",
		table.Column{Title: "query", Width: -12}, table.Column{Title: "results", Width: 8},
		table.Column{Title: "us", Width: 8}, table.Column{Title: "ns/result", Width: 9})
	v := r.tree.View()
	b := &lab.SceneTree{Objects: r.objects, View: v, Seed: r.source.Seed}
	for _, kind := range []lab.QueryKind{lab.Box8, lab.Box450, lab.Sphere550, lab.RayAll, lab.RayNearest, lab.Nearest1, lab.Nearest8} {
		r.p.Begin("checking and timing %d queries: %s", lab.QueryCount, kind.Name)
		var q lab.Batch
		must.Within(func() { q = must.Get(b.Batch(kind)) }, "%s", kind.Name)
		results := float64(q.Pass(v)) / float64(q.Len())
		times := measure.Interleave(r.output.Count, b.QueryTask(q))[0]
		r.p.End()
		ns := times.Min()
		t.Row(kind.Name, table.Number(results), table.Number(ns/1e3), table.Number(ns/max(results, 1)))
		r.measured("Query", "ns/op", times, "kind", kind.Name)
	}
}
