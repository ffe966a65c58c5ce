// Package report writes the results of a measuring command: as a text table, as tab-separated values, as
// Markdown, as JSON and in the format of Go benchmarks.
//
// A report has notes (the measured configuration and the machine), tables (text for people) and measures
// (numbers at full precision, one for each round). Text, TSV and Markdown contain notes and tables; the Go
// format notes and measures; JSON everything:
//
//	{
//	  "schema": 1,                              grows when a field changes its meaning
//	  "command": "ratios",
//	  "machine": {"cpu": "…", "cores": 2, "l1d": 49152, "l2": 2097152, "l3": 0,
//	              "os": "linux", "arch": "amd64", "go": "go1.26.0"},
//	  "notes": [{"key": "tier", "text": "avx512"}],
//	  "tables": [{"name": "ratios", "columns": ["quantity", "median"],
//	              "rows": [["frustum …", "18.2"]]}],
//	  "measures": [{"name": "Frustum/scene=city/n=1000000/visible=1", "unit": "ns/op",
//	                "samples": [4237, 4190, 4301],
//	                "median": 4237, "min": 4190, "spread": 55.5}]
//	}
//
// Caches are in bytes, 0 if unknown; spread is the interquartile range. A number that is not finite is null.
//
// The Go format is defined in golang.org/design/14313-benchmark-format. Notes on the machine, the tier and
// the measured configuration are lines "key: value"; other notes are lines "# key: value", which readers of
// the format skip. A sample is a line, so that benchstat compares two runs:
//
//	Benchmark<name> 1 <value> <unit>
package report

import (
	"io"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/terminal"
	"github.com/zoctree/zoctree/internal/machine"
)

// Measure is a quantity and its value in each round.
type Measure struct {
	Name    string // made by [Name]
	Unit    string // without blanks: ns/op is the time of an operation
	Samples measure.Series
}

// Report is a report that is being written. Text, TSV, Markdown and the Go format are written incrementally,
// JSON by Close.
type Report struct {
	to  *out
	how format
}

// format writes the parts of a report.
type format interface {
	machine(m machine.Machine)
	note(key, text string)
	table(name string, cols []table.Column)
	row(cells []string)
	measure(m Measure)
	close()
}

// New starts the report of a command.
func New(w io.Writer, f Format, command string) *Report {
	to := &out{w: w}
	r := &Report{to: to}
	switch f {
	case TSV:
		r.how = &tsv{out: to}
	case Markdown:
		r.how = &markdown{out: to}
	case JSON:
		r.how = newDocument(to, command)
	case Go:
		r.how = &gobench{to}
	default:
		r.how = &text{out: to, colours: terminal.Colours(w)}
	}
	return r
}

// Machine reports the machine.
func (r *Report) Machine(m machine.Machine) { r.how.machine(m) }

// Note adds a note. The key is one word in lower case; the text may have several lines.
func (r *Report) Note(key, text string) { r.how.note(key, text) }

// Table starts a table, which the next table ends.
func (r *Report) Table(name string, cols ...table.Column) *Table {
	r.how.table(name, cols)
	return &Table{r.how}
}

// Measure reports numbers. The measures of a table row follow the row.
func (r *Report) Measure(m Measure) { r.how.measure(m) }

// Close ends the report. It returns the first error of the writer.
func (r *Report) Close() error {
	r.how.close()
	return r.to.err
}

// Table is a table that is being written.
type Table struct{ how format }

// Row writes a line with a cell for each column.
func (t *Table) Row(cells ...string) { t.how.row(cells) }

// out is a writer that keeps the first error.
type out struct {
	w   io.Writer
	err error
}

func (o *out) Write(p []byte) (n int, err error) {
	if o.err == nil {
		_, o.err = o.w.Write(p)
	}
	return len(p), o.err
}
