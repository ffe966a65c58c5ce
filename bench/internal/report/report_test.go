package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

var z80 = machine.Machine{CPU: "Z80 |4 MHz|", Cores: 1, L1D: 1024, OS: "cpm", Arch: "z80", Go: "go1.99"}

// sample writes a report with everything in it.
func sample(t *testing.T, f Format) string {
	t.Helper()
	var b strings.Builder
	r := New(&b, f, "run")
	r.Machine(z80)
	r.Note("tree", "one line\nand another")
	r.Note("tier", "go")
	first := r.Table("frustum", table.Column{Title: "what", Width: -6}, table.Column{Title: "us", Width: 5})
	first.Row("a|b", "1.50")
	r.Measure(Measure{Name("Frustum", "scene", "city", "share", "1 %"), "ns/op", measure.Series{3, 1, 2.5}})
	first.Row("c", "20")
	r.Table("other", table.Column{Title: "n", Width: 3}).Row("7")
	r.Measure(Measure{Name("Odd"), "x", measure.Series{math.Inf(1)}})
	r.Note("noise", "none")
	must.Do(r.Close())
	return b.String()
}

func TestFormats(t *testing.T) {
	for f, want := range map[Format]string{
		Text: `machine  Z80 |4 MHz|, 1 core, L1d 1 KiB, cpm/z80, go1.99
tree     one line
         and another
tier     go

what       us
a|b      1.50
c          20

  n
  7

noise    none
`,
		TSV: "what\tus\na|b\t1.50\nc\t20\n\nn\n7\n",
		Markdown: `
- **machine** Z80 \|4 MHz\|, 1 core, L1d 1 KiB, cpm/z80, go1.99
- **tree** one line and another
- **tier** go

| what | us |
|---|--:|
| a\|b | 1.50 |
| c | 20 |

| n |
|--:|
| 7 |

- **noise** none
`,
		Go: `goos: cpm
goarch: z80
pkg: github.com/zoctree/zoctree/bench
cpu: Z80 |4 MHz|
# tree: one line and another
tier: go
BenchmarkFrustum/scene=city/share=1_% 1 3 ns/op
BenchmarkFrustum/scene=city/share=1_% 1 1 ns/op
BenchmarkFrustum/scene=city/share=1_% 1 2.5 ns/op
BenchmarkOdd 1 +Inf x
# noise: none
`,
	} {
		if got := sample(t, f); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", f, got, want)
		}
	}
}

// tty is a terminal.
type tty struct{ strings.Builder }

func (*tty) Terminal() bool { return true }

// Verdicts have colours on a terminal, in text alone, and where NO_COLOR is not set.
func TestColours(t *testing.T) {
	written := func(f Format) string {
		w := &tty{}
		r := New(w, f, "run")
		r.Table("verdicts", table.Column{Title: "verdict", Width: -7}).Row("pass")
		must.Do(r.Close())
		return w.String()
	}
	t.Setenv("NO_COLOR", "")
	for f := Text; f <= Go; f++ {
		if text := written(f); strings.Contains(text, "\x1b[32mpass\x1b[0m") != (f == Text) {
			t.Errorf("%v: %q", f, text)
		}
	}
	t.Setenv("NO_COLOR", "1")
	if text := written(Text); strings.Contains(text, "\x1b") {
		t.Errorf("with NO_COLOR: %q", text)
	}
}

// The document matches the example in the package comment, field by field.
func TestJSON(t *testing.T) {
	type doc struct {
		Schema  int    `json:"schema"`
		Command string `json:"command"`
		Machine struct {
			CPU   string `json:"cpu"`
			Cores int    `json:"cores"`
			L1D   int    `json:"l1d"`
			L2    int    `json:"l2"`
			L3    int    `json:"l3"`
			OS    string `json:"os"`
			Arch  string `json:"arch"`
			Go    string `json:"go"`
		} `json:"machine"`
		Notes []struct {
			Key  string `json:"key"`
			Text string `json:"text"`
		} `json:"notes"`
		Tables []struct {
			Name    string     `json:"name"`
			Columns []string   `json:"columns"`
			Rows    [][]string `json:"rows"`
		} `json:"tables"`
		Measures []struct {
			Name    string     `json:"name"`
			Unit    string     `json:"unit"`
			Samples []*float64 `json:"samples"`
			Median  *float64   `json:"median"`
			Min     *float64   `json:"min"`
			Spread  *float64   `json:"spread"`
		} `json:"measures"`
	}
	var got doc
	d := json.NewDecoder(strings.NewReader(sample(t, JSON)))
	d.DisallowUnknownFields()
	must.Do(d.Decode(&got))
	m := got.Machine
	if got.Schema != 1 || got.Command != "run" || m.CPU != z80.CPU || m.Cores != 1 || m.L1D != 1024 || m.L2 != 0 || m.OS != "cpm" || m.Arch != "z80" || m.Go != "go1.99" {
		t.Errorf("head %+v", got)
	}
	if len(got.Notes) != 3 || got.Notes[0].Key != "tree" || got.Notes[0].Text != "one line\nand another" {
		t.Errorf("notes %+v", got.Notes)
	}
	if len(got.Tables) != 2 || got.Tables[0].Name != "frustum" ||
		!reflect.DeepEqual(got.Tables[0].Columns, []string{"what", "us"}) ||
		!reflect.DeepEqual(got.Tables[0].Rows, [][]string{{"a|b", "1.50"}, {"c", "20"}}) {
		t.Errorf("tables %+v", got.Tables)
	}
	if len(got.Measures) != 2 {
		t.Fatalf("measures %+v", got.Measures)
	}
	x := got.Measures[0]
	if x.Name != "Frustum/scene=city/share=1_%" || x.Unit != "ns/op" || len(x.Samples) != 3 || *x.Samples[2] != 2.5 ||
		*x.Median != 2.5 || *x.Min != 1 || *x.Spread != 1 {
		t.Errorf("measure %+v", x)
	}
	if y := got.Measures[1]; y.Samples[0] != nil || y.Median != nil {
		t.Errorf("a value that is not finite is %+v, want null", y)
	}
	// An empty report has empty lists, not null.
	var b bytes.Buffer
	if err := New(&b, JSON, "none").Close(); err != nil || bytes.Contains(b.Bytes(), []byte("null")) {
		t.Errorf("error %v, empty report %s", err, b.Bytes())
	}
}

func TestSet(t *testing.T) {
	for _, f := range []Format{Text, TSV, Markdown, JSON, Go} {
		var got Format
		if err := got.Set(f.String()); err != nil || got != f {
			t.Errorf("%v: %v, error %v", f, got, err)
		}
	}
	var f Format
	if err := f.Set("xml"); err == nil || !strings.Contains(err.Error(), FormatNames()) {
		t.Errorf("error %v", err)
	}
}

func TestName(t *testing.T) {
	if got, want := Name("Ratios", "quantity", "a / b, c/d: e", "n", 7), "Ratios/quantity=a_per_b_c_per_d_e/n=7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a key without a value is no panic")
		}
	}()
	Name("Ratios", "quantity")
}

// broken fails after some bytes.
type broken struct{ left int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	for _, f := range []Format{Text, TSV, Markdown, JSON, Go} {
		r := New(&broken{10}, f, "run")
		r.Note("key", strings.Repeat("long ", 10))
		r.Table("t", table.Column{Title: "a long title", Width: 20}).Row("x")
		r.Measure(Measure{"X", "ns/op", measure.Series{1}})
		if err := r.Close(); !errors.Is(err, errBroken) {
			t.Errorf("%v: error %v", f, err)
		}
	}
}
