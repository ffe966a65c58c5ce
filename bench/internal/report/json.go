package report

import (
	"encoding/json"
	"math"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

// schema is the version of the document.
const schema = 1

// document is the report in the form of the package comment.
type document struct {
	*out `json:"-"`

	Schema   int            `json:"schema"`
	Command  string         `json:"command"`
	Here     jsonMachine    `json:"machine"`
	Notes    []jsonNote     `json:"notes"`
	Tables   []jsonTable    `json:"tables"`
	Measures []*jsonMeasure `json:"measures"`
}

type jsonMachine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	L1D   int    `json:"l1d"`
	L2    int    `json:"l2"`
	L3    int    `json:"l3"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Go    string `json:"go"`
}

type jsonNote struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

type jsonTable struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

type jsonMeasure struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`
	Samples []number `json:"samples"`
	Median  number   `json:"median"`
	Min     number   `json:"min"`
	Spread  number   `json:"spread"`
}

// number is encoded as null if it is not finite, because JSON has no such numbers.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	if f := float64(x); !math.IsInf(f, 0) && !math.IsNaN(f) {
		return json.Marshal(f)
	}
	return []byte("null"), nil
}

// newDocument returns a document with empty lists, which are never encoded as null.
func newDocument(to *out, command string) *document {
	return &document{out: to, Schema: schema, Command: command,
		Notes: []jsonNote{}, Tables: []jsonTable{}, Measures: []*jsonMeasure{}}
}

func (d *document) machine(m machine.Machine) { d.Here = jsonMachine(m) }
func (d *document) note(key, text string)     { d.Notes = append(d.Notes, jsonNote{key, text}) }

func (d *document) table(name string, cols []table.Column) {
	d.Tables = append(d.Tables, jsonTable{name, titles(cols), [][]string{}})
}

func (d *document) row(cells []string) {
	t := &d.Tables[len(d.Tables)-1]
	t.Rows = append(t.Rows, cells)
}

func (d *document) measure(m Measure) {
	x := &jsonMeasure{Name: m.Name, Unit: m.Unit, Samples: []number{},
		Median: number(m.Samples.Median()), Min: number(m.Samples.Min()), Spread: number(m.Samples.Spread())}
	for _, s := range m.Samples {
		x.Samples = append(x.Samples, number(s))
	}
	d.Measures = append(d.Measures, x)
}

func (d *document) close() {
	e := json.NewEncoder(d.out)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil && d.err == nil {
		d.err = err
	}
}
