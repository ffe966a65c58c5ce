package main

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// writeHead writes notes on the libraries and the tables.
func (s *session) writeHead(out *report.Report) {
	for i := range s.rivals {
		out.Note("rival", s.rivals[i].about)
	}
	out.Note("cells", "zoctree: ns, the minimum. Rivals: how many times longer they take, by the minima of both, ± the interquartile range of the ratios of the rounds. * leads")
}

// writeEnd writes, after the tables of all fields, the range of the ratios over them, and the rows in which a rival
// leads.
func (s *session) writeEnd(out *report.Report) {
	if len(s.fields) > 1 {
		s.writeRanges(out)
	}
	s.writeBehind(out)
	for _, note := range s.notes {
		out.Note("differ", note)
	}
	out.Note("noise", measure.Heard().String())
}

// of returns the results of a row in some fields, of a rival or, if it is empty, of all.
func (s *session) of(row, rival string, fields ...*field) (list []result) {
	for _, r := range s.results {
		if r.row == row && (rival == "" || r.rival == rival) && slices.Contains(fields, r.field) {
			list = append(list, r)
		}
	}
	return list
}

// columns returns a column for the name of a row, others, and a column for each rival.
func (s *session) columns(width int, others ...table.Column) []table.Column {
	all := append([]table.Column{{Title: "operation", Width: -46}}, others...)
	for i := range s.rivals {
		all = append(all, table.Column{Title: s.rivals[i].name, Width: width})
	}
	return all
}

// writeField writes the table of a field.
func (s *session) writeField(out *report.Report, f *field) {
	out.Note("scene", f.name)
	t := out.Table(f.name, s.columns(14, table.Column{Title: "zoctree", Width: 11})...)
	for _, row := range s.rows {
		var ours measure.Series
		for _, r := range s.of(row, "", f) {
			ours = append(ours, r.ours...)
		}
		if ours == nil {
			continue
		}
		cells := []string{row, table.Number(ours.Min())}
		for i := range s.rivals {
			cell := "-"
			for _, r := range s.of(row, s.rivals[i].name, f) {
				cell = fmt.Sprintf("%s%s ± %s", star(r.ratio()), table.Number(r.ratio()), table.Number(r.rounds().Spread()))
			}
			cells = append(cells, cell)
		}
		t.Row(cells...)
		for _, r := range s.of(row, "", f) {
			for _, m := range r.measures() {
				out.Measure(m)
			}
		}
	}
}

// star marks a ratio of a rival that leads.
func star(ratio float64) string {
	if ratio < 1 {
		return "*"
	}
	return ""
}

// writeRanges writes the smallest and largest ratio of each row over all fields.
func (s *session) writeRanges(out *report.Report) {
	out.Note("range", "times zoctree, the smallest and the largest over all scenes")
	t := out.Table("all scenes", s.columns(14)...)
	for _, row := range s.rows {
		cells, any := []string{row}, false
		for i := range s.rivals {
			var ratios measure.Series
			for _, r := range s.of(row, s.rivals[i].name, s.fields...) {
				ratios = append(ratios, r.ratio())
			}
			if ratios == nil {
				cells = append(cells, "-")
				continue
			}
			any = true
			cell := star(ratios.Min()) + table.Number(ratios.Min())
			if len(ratios) > 1 {
				cell += " to " + table.Number(ratios.Max())
			}
			cells = append(cells, cell)
		}
		if any {
			t.Row(cells...)
		}
	}
}

// writeBehind lists the rows in which a rival leads, or may lead: a quarter of the rounds or more.
func (s *session) writeBehind(out *report.Report) {
	var behind []result
	for _, r := range s.results {
		if r.ratio() < 1 || r.rounds().Quantile(0.25) < 1 {
			behind = append(behind, r)
		}
	}
	out.Note("behind", fmt.Sprintf("%d of %d: rows in which a rival leads, or does in a quarter of the rounds", len(behind), len(s.results)))
	if len(behind) == 0 {
		return
	}
	t := out.Table("behind", table.Column{Title: "scene", Width: -36}, table.Column{Title: "operation", Width: -46}, table.Column{Title: "rival", Width: -10},
		table.Column{Title: "zoctree", Width: 11}, table.Column{Title: "rival's", Width: 11}, table.Column{Title: "ratio", Width: 7}, table.Column{Title: "spread", Width: 7})
	for _, r := range behind {
		t.Row(r.field.name, r.row, r.rival, table.Number(r.ours.Min()), table.Number(r.theirs.Min()), table.Number(r.ratio()), table.Number(r.rounds().Spread()))
	}
}
