package lab

import (
	"cmp"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Quantity is a column of a Growth.
type Quantity struct {
	Name, Unit string  // name and unit of the measure
	Title      string  // title of the column; "": the name
	Per        float64 // divisor of the column: 1e3 shows ns as us; 0: none
}

// Growth is a table of quantities against the number of objects, with a power law fitted to each.
type Growth struct {
	what       string // subject of the measures
	report     *report.Report
	table      *report.Table
	quantities []Quantity
	sizes      measure.Series
	minima     []measure.Series // by quantity
}

func NewGrowth(r *report.Report, what string, quantities []Quantity) *Growth {
	cols := []table.Column{{Title: "n", Width: 9}}
	for _, q := range quantities {
		cols = append(cols, table.Column{Title: cmp.Or(q.Title, q.Name), Width: 8})
	}
	return &Growth{
		what: what, report: r, table: r.Table(what, cols...),
		quantities: quantities, minima: make([]measure.Series, len(quantities)),
	}
}

// Add adds a line: samples of each quantity at n objects.
func (g *Growth) Add(n int, samples []measure.Series) {
	cells := []string{fmt.Sprint(n)}
	g.sizes = append(g.sizes, float64(n))
	for i, q := range g.quantities {
		least := samples[i].Min() / cmp.Or(q.Per, 1)
		g.minima[i] = append(g.minima[i], least)
		cells = append(cells, table.Number(least))
		g.report.Measure(report.Measure{Name: report.Name(g.what, "n", n, "quantity", q.Name), Unit: q.Unit, Samples: samples[i]})
	}
	g.table.Row(cells...)
}

// Fit ends the table with a and b of a·n^b, in the units of the columns.
func (g *Growth) Fit() {
	as, bs := []string{"a"}, []string{"b"}
	for i, q := range g.quantities {
		a, b := measure.Fit(g.sizes, g.minima[i])
		as, bs = append(as, table.Digits(a)), append(bs, fmt.Sprintf("%.2f", b))
		g.report.Measure(report.Measure{Name: report.Name(g.what, "fit", "b", "quantity", q.Name), Unit: "exponent", Samples: measure.Series{b}})
	}
	g.table.Row(as...)
	g.table.Row(bs...)
}

// SizesTo returns 1,000, 3,000, 10,000, … up to the largest number of objects.
func SizesTo(most int) (sizes []int) {
	for n := 1000; n <= most; n *= 10 {
		sizes = append(sizes, n)
		if 3*n <= most {
			sizes = append(sizes, 3*n)
		}
	}
	return sizes
}
