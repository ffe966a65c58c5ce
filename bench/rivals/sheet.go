package main

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// sheet is a table under way: a row for each figure, a column for each entrant.
type sheet struct {
	all     []entrant
	figures []*figure
}

// figure is a quantity, measured on the entrants that have it. The least leads.
type figure struct {
	name, unit string
	values     map[string]measure.Series
	fewer      map[string]bool // measured on a part of the work
}

func newSheet(all []entrant) *sheet { return &sheet{all: all} }

func (s *sheet) figure(name, unit string) *figure {
	f := &figure{name, unit, map[string]measure.Series{}, map[string]bool{}}
	s.figures = append(s.figures, f)
	return f
}

func (f *figure) add(who string, x float64) { f.values[who] = append(f.values[who], x) }

// leader returns who has the least median of those that may, "" if nobody.
func (f *figure) leader(all []entrant, may func(name string) bool) (who string) {
	for _, e := range all {
		v, ok := f.values[e.name]
		if ok && may(e.name) && (who == "" || v.Median() < f.values[who].Median()) {
			who = e.name
		}
	}
	return who
}

// near reports whether half of the samples of one overlap half of the other's.
func near(a, b measure.Series) bool {
	return a.Quantile(0.25) <= b.Quantile(0.75) && b.Quantile(0.25) <= a.Quantile(0.75)
}

// Marks of a cell.
const (
	leads = "*"
	fewer = "'"
	blank = "-"
)

// write prints the table.
func (s *sheet) write(p *page, title string) {
	cols := []table.Column{{Title: "row", Width: -17}, {Title: "unit", Width: -9}}
	for _, e := range s.all {
		cols = append(cols, table.Column{Title: e.name, Width: 10})
	}
	cols = append(cols, table.Column{Title: "best index / " + home, Width: 10})
	var rows [][]string
	for _, f := range s.figures {
		leader := f.leader(s.all, func(string) bool { return true })
		cells := []string{f.name, f.unit}
		for _, e := range s.all {
			v, ok := f.values[e.name]
			if !ok {
				cells = append(cells, blank)
				continue
			}
			text := table.Number(v.Median())
			if f.fewer[e.name] {
				text += fewer
			}
			if e.name == leader {
				text = leads + text
			}
			cells = append(cells, text)
		}
		ratio := blank
		if best := f.leader(s.all, func(name string) bool { return name != home && name != plain }); best != "" {
			ratio = table.Number(f.values[best].Median() / f.values[home].Median())
		}
		rows = append(rows, append(cells, ratio))
	}
	p.heading(title)
	p.table(cols, rows)
}

// lost returns a line for each row in which rivals have a smaller median, and
// those rows of them in which the samples are too close to tell.
func (s *sheet) lost(title string) (lost, open []string) {
	for _, f := range s.figures {
		ours := f.values[home]
		var ahead, level []string
		for _, e := range s.all {
			theirs, ok := f.values[e.name]
			if !ok || theirs.Median() >= ours.Median() {
				continue
			}
			text := fmt.Sprintf("%s %s", e.name, table.Number(theirs.Median()))
			if len(ours) > 1 && near(ours, theirs) {
				level = append(level, text)
			} else {
				ahead = append(ahead, text)
			}
		}
		line := func(who []string) string {
			return fmt.Sprintf("%s, %s: %s; %s %s %s", title, f.name, strings.Join(who, ", "), home, table.Number(ours.Median()), f.unit)
		}
		if len(ahead) > 0 {
			lost = append(lost, line(ahead))
		}
		if len(level) > 0 {
			open = append(open, line(level))
		}
	}
	return lost, open
}
