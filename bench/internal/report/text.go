package report

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/terminal"
	"github.com/zoctree/zoctree/internal/machine"
)

// text is the format for terminals, with coloured verdicts. A blank line precedes a table.
type text struct {
	*out
	colours bool
	under   *table.Table
}

// noteWidth is the indentation of the text of a note, on each of its lines.
const noteWidth = 9

func (t *text) machine(m machine.Machine) { t.note("machine", m.String()) }

func (t *text) note(key, text string) {
	if t.under != nil { // below a table
		fmt.Fprintln(t)
		t.under = nil
	}
	text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", noteWidth))
	fmt.Fprintf(t, "%-*s%s\n", noteWidth, key, text)
}

func (t *text) table(_ string, cols []table.Column) {
	fmt.Fprintln(t)
	t.under = table.New(t, cols...)
	if t.colours {
		t.under.Paint = func(cell string) string { return terminal.Verdict(cell).On(cell) }
	}
}

func (t *text) row(cells []string) { t.under.Row(cells...) }
func (t *text) measure(Measure)    {}
func (t *text) close()             {}

// tsv is the format for programs with a fixed set of columns: no notes, and a blank line between tables.
type tsv struct {
	*out
	tables int
}

func (t *tsv) machine(machine.Machine) {}
func (t *tsv) note(_, _ string)        {}

func (t *tsv) table(_ string, cols []table.Column) {
	if t.tables++; t.tables > 1 {
		fmt.Fprintln(t)
	}
	t.row(titles(cols))
}

func (t *tsv) row(cells []string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
func (t *tsv) measure(Measure)    {}
func (t *tsv) close()             {}

func titles(cols []table.Column) []string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Title
	}
	return names
}
