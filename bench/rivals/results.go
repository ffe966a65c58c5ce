package main

import (
	"strings"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// results is a table: a row for each figure, a column for each entrant.
type results struct {
	all     []entrant
	figures []*figure
	floor   string // cost of a collection by itself
}

// figure is a quantity, measured on the entrants that have it. The smallest value leads.
type figure struct {
	name, unit string
	values     map[string]measure.Series
	fewer      map[string]bool // measured on a part of the work
	mean       bool            // use the mean of the samples, not the minimum: the work is uneven
}

func newResults(all []entrant) *results { return &results{all: all} }

func (s *results) figure(name, unit string) *figure {
	f := &figure{name: name, unit: unit, values: map[string]measure.Series{}, fewer: map[string]bool{}}
	s.figures = append(s.figures, f)
	return f
}

func (f *figure) add(who string, x float64) { f.values[who] = append(f.values[who], x) }

// value returns the mean or minimum of the samples of an entrant.
func (f *figure) value(who string) float64 {
	v := f.values[who]
	if !f.mean {
		return v.Min()
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// leader returns the entrant with the smallest value among those that may lead, "" if there is none.
func (f *figure) leader(all []entrant, may func(name string) bool) (who string) {
	for _, e := range all {
		_, ok := f.values[e.name]
		if ok && may(e.name) && (who == "" || f.value(e.name) < f.value(who)) {
			who = e.name
		}
	}
	return who
}

// near reports whether the interquartile ranges of two series overlap.
func near(a, b measure.Series) bool {
	return a.Quantile(0.25) <= b.Quantile(0.75) && b.Quantile(0.25) <= a.Quantile(0.75)
}

// Marks of a cell.
const (
	leads = "*"
	fewer = "'"
	blank = "-"
)

// write reports the table and all samples.
func (s *results) write(r *report.Report, w *workload) {
	cols := []table.Column{{Title: "row", Width: -17}, {Title: "unit", Width: -9}}
	for _, e := range s.all {
		cols = append(cols, table.Column{Title: e.name, Width: 10})
	}
	cols = append(cols, table.Column{Title: "best index / " + library, Width: 10})
	r.Note("scene", w.name())
	if s.floor != "" {
		r.Note("floor", s.floor)
	}
	t := r.Table(w.name(), cols...)
	for _, f := range s.figures {
		t.Row(f.cells(s.all)...)
		for _, e := range s.all {
			if v, ok := f.values[e.name]; ok {
				name := report.Name("Rivals", "scene", w.scene, "n", len(w.objects), "row", f.name, "by", e.name)
				r.Measure(report.Measure{Name: name, Unit: strings.ReplaceAll(f.unit, " ", "-"), Samples: v})
			}
		}
	}
}

func (f *figure) cells(all []entrant) []string {
	leader := f.leader(all, func(string) bool { return true })
	cells := []string{f.name, f.unit}
	for _, e := range all {
		if _, ok := f.values[e.name]; !ok {
			cells = append(cells, blank)
			continue
		}
		text := table.Number(f.value(e.name))
		if f.fewer[e.name] {
			text += fewer
		}
		if e.name == leader {
			text = leads + text
		}
		cells = append(cells, text)
	}
	best := f.leader(all, isIndex)
	if best == "" {
		return append(cells, blank)
	}
	return append(cells, table.Number(f.value(best)/f.value(f.leader(all, isOurs))))
}

// behind returns a line for each row in which rivals have a smaller value: its name, the best of ours, the
// unit, the rivals that lead, and the rivals whose samples are too close to decide.
func (s *results) behind() (rows [][]string) {
	for _, f := range s.figures {
		best := f.leader(s.all, isOurs)
		ours := f.values[best]
		var ahead, level []string
		for _, e := range s.all {
			theirs, ok := f.values[e.name]
			if !ok || f.value(e.name) >= f.value(best) {
				continue
			}
			text := e.name + " " + table.Number(f.value(e.name))
			if len(ours) > 1 && near(ours, theirs) {
				level = append(level, text)
			} else {
				ahead = append(ahead, text)
			}
		}
		if ahead != nil || level != nil {
			rows = append(rows, []string{f.name, table.Number(f.value(best)), f.unit,
				strings.Join(ahead, ", "), strings.Join(level, ", ")})
		}
	}
	return rows
}
