package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Replay adds the notes, tables and measures of a JSON document to this report: the measurements of another
// process on this machine. A document has no widths: columns are as wide as their cells, and columns of
// numbers are right-aligned.
func (r *Report) Replay(text []byte) error {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("a report cannot be read: %w", err)
	}
	if d.Schema != schema {
		return fmt.Errorf("a report of schema %d, want %d", d.Schema, schema)
	}
	for _, n := range d.Notes {
		r.Note(n.Key, n.Text)
	}
	for _, t := range d.Tables {
		to := r.Table(t.Name, t.columns()...)
		for _, row := range t.Rows {
			to.Row(row...)
		}
	}
	for _, m := range d.Measures {
		var samples measure.Series
		for _, x := range m.Samples {
			samples = append(samples, float64(x))
		}
		r.Measure(Measure{m.Name, m.Unit, samples})
	}
	return nil
}

// columns returns columns wide enough for all cells.
func (t *jsonTable) columns() []table.Column {
	cols := make([]table.Column, len(t.Columns))
	for i, title := range t.Columns {
		width, numbers := 0, true
		for _, row := range t.Rows {
			if i >= len(row) {
				continue
			}
			width = max(width, utf8.RuneCountInString(row[i]))
			if _, err := strconv.ParseFloat(row[i], 64); err != nil {
				numbers = false
			}
		}
		if !numbers {
			width = -max(width, 1)
		}
		cols[i] = table.Column{Title: title, Width: width}
	}
	return cols
}

// UnmarshalJSON reads null as NaN.
func (x *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}
