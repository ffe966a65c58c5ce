package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// quantity is a column of a growth.
type quantity struct {
	name, unit string  // of the measure
	title      string  // of the column
	per        float64 // what the column divides by: 1e3 shows ns as us
}

// growth is a table of quantities against the number of objects, with a fitted
// power of it for each.
type growth struct {
	what       string // of the measures
	report     *report.Report
	table      *report.Table
	quantities []quantity
	sizes      measure.Series
	medians    []measure.Series // by quantity
}

func newGrowth(r *report.Report, what string, quantities []quantity) *growth {
	cols := []table.Column{{Title: "n", Width: 9}}
	for _, q := range quantities {
		cols = append(cols, table.Column{Title: q.title, Width: 8})
	}
	return &growth{
		what: what, report: r, table: r.Table(what, cols...),
		quantities: quantities, medians: make([]measure.Series, len(quantities)),
	}
}

// add adds a line: samples of each quantity at n objects.
func (g *growth) add(n int, samples []measure.Series) {
	cells := []string{fmt.Sprint(n)}
	g.sizes = append(g.sizes, float64(n))
	for i, q := range g.quantities {
		median := samples[i].Median() / q.per
		g.medians[i] = append(g.medians[i], median)
		cells = append(cells, table.Number(median))
		g.report.Measure(report.Measure{Name: report.Name(g.what, "n", n, "quantity", q.name), Unit: q.unit, Samples: samples[i]})
	}
	g.table.Row(cells...)
}

// fit ends the table with a and b of a·n^b, in the units of the columns.
func (g *growth) fit() {
	as, bs := []string{"a"}, []string{"b"}
	for i, q := range g.quantities {
		a, b := measure.Fit(g.sizes, g.medians[i])
		as, bs = append(as, fmt.Sprintf("%.3g", a)), append(bs, fmt.Sprintf("%.2f", b))
		g.report.Measure(report.Measure{Name: report.Name(g.what, "fit", "b", "quantity", q.name), Unit: "exponent", Samples: measure.Series{b}})
	}
	g.table.Row(as...)
	g.table.Row(bs...)
}

// sizesTo returns 1,000, 3,000, 10,000, … up to a largest number of objects.
func sizesTo(most int) (sizes []int) {
	for n := 1000; n <= most; n *= 10 {
		sizes = append(sizes, n)
		if 3*n <= most {
			sizes = append(sizes, 3*n)
		}
	}
	return sizes
}
