package main

import (
	"fmt"

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

// leader returns who has the least median, and the best of the rivals.
func (f *figure) leaders(all []entrant) (leader, rival string) {
	least := func(skip string) (who string) {
		for _, e := range all {
			v, ok := f.values[e.name]
			if ok && e.name != skip && (who == "" || v.Median() < f.values[who].Median()) {
				who = e.name
			}
		}
		return who
	}
	return least(""), least(home)
}

// close reports whether half of the samples of one overlap half of the other's.
func near(a, b measure.Series) bool {
	return a.Quantile(0.25) <= b.Quantile(0.75) && b.Quantile(0.25) <= a.Quantile(0.75)
}

// marks of a cell.
const (
	leads  = "*"
	fewer  = "'"
	blank  = "-"
	spaces = " "
)

// write prints the table and returns the rows in which a rival leads, and those
// of them that are too close to tell.
func (s *sheet) write(p *page, title string) (lost, open []string) {
	cols := []table.Column{{Title: "row", Width: -17}, {Title: "unit", Width: -9}}
	for _, e := range s.all {
		cols = append(cols, table.Column{Title: e.name, Width: 10})
	}
	cols = append(cols, table.Column{Title: "best rival / " + home, Width: 10})
	var rows [][]string
	for _, f := range s.figures {
		leader, rival := f.leaders(s.all)
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
		if ours, ok := f.values[home]; ok && rival != "" {
			theirs := f.values[rival]
			x := theirs.Median() / ours.Median()
			ratio = table.Number(x)
			if leader != home {
				line := fmt.Sprintf("%s: %s: %s %s, %s %s %s (%s times)", title, f.name, rival,
					table.Number(theirs.Median()), home, table.Number(ours.Median()), f.unit, table.Number(1/x))
				if len(ours) > 1 && near(ours, theirs) {
					open = append(open, line)
				} else {
					lost = append(lost, line)
				}
			}
		}
		rows = append(rows, append(cells, ratio))
	}
	p.heading(title)
	p.table(cols, rows)
	return lost, open
}
