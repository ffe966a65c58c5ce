package commandtest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/internal/testkit"
)

// As writes the JSON document of a report in another format.
func As(f report.Format, document string) string {
	var text strings.Builder
	r := report.New(&text, f, "")
	r.Machine(machine.Here())
	must.Do(r.Replay([]byte(document)))
	must.Do(r.Close())
	return text.String()
}

// Formats checks that a measuring command supports all formats with the same content: the given number of
// measures, with one or two rounds, and of rows over all tables. It returns the JSON document. The long form runs the
// command with each format, the normal form once: all commands write the formats with the same report.
func (b Bench) Formats(t *testing.T, args []string, results, rows int) (document string) {
	t.Helper()
	document = b.Good(t, append(args, "-format", "json")...)
	with := func(f report.Format) string {
		if testkit.Long(t) {
			return b.Good(t, append(args, "-format", f.String())...)
		}
		return As(f, document)
	}

	config, list := readBench(t, with(report.Go))
	if config["goos"] == "" || config["goarch"] == "" || config["cpu"] == "" || config["tier"] == "" || config["noise"] == "" ||
		config["pkg"] != "github.com/zoctree/zoctree/bench" {
		t.Errorf("%v: configuration %v", args, config)
	}
	distinct := make(map[string]int)
	for _, r := range list {
		if !(r.value > 0) || len(r.keys) == 0 {
			t.Errorf("%v: %+v", args, r)
		}
		distinct[report.Name(r.name, "keys", r.keys)]++
	}
	if len(distinct) != results {
		t.Errorf("%v: %d measures, want %d: %v", args, len(distinct), results, distinct)
	}

	var doc struct {
		Command  string
		Notes    []struct{ Key, Text string }
		Tables   []struct{ Rows [][]string }
		Measures []struct{ Samples []float64 }
	}
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	lines := 0
	for _, table := range doc.Tables {
		lines += len(table.Rows)
	}
	if doc.Command != args[0] || len(doc.Measures) != results || lines != rows {
		t.Errorf("%v: command %q, %d measures, %d rows, want %d and %d", args, doc.Command, len(doc.Measures), lines, results, rows)
	}
	for _, m := range doc.Measures {
		if len(m.Samples) != 2 && len(m.Samples) != 1 {
			t.Errorf("%v: samples %v, want one for each of two rounds", args, m.Samples)
		}
	}

	ruled := regexp.MustCompile(`(?m)^\|(--[-:]\|)+$`).FindAllString(with(report.Markdown), -1)
	if len(ruled) != len(doc.Tables) {
		t.Errorf("%v: %d tables in Markdown, want %d", args, len(ruled), len(doc.Tables))
	}
	tsv := strings.Split(strings.TrimSpace(with(report.TSV)), "\n")
	if got, want := len(tsv), rows+2*len(doc.Tables)-1; got != want {
		t.Errorf("%v: %d lines of TSV, want %d", args, got, want)
	}
	return document
}

// GoFormat checks that a document is valid in the Go benchmark format.
func GoFormat(t *testing.T, document string) {
	t.Helper()
	config, results := readBench(t, As(report.Go, document))
	if len(results) == 0 || config["goos"] == "" || config["noise"] == "" {
		t.Errorf("%d results, configuration %v", len(results), config)
	}
}

// benchLine is a result in the format of golang.org/design/14313-benchmark-format.
type benchLine struct {
	name, unit string
	keys       map[string]string
	value      float64
}

var (
	configLine = regexp.MustCompile(`^[a-z][^A-Z\s]*: .*$`)
	unitName   = regexp.MustCompile(`^[^\s]+$`)
	partName   = regexp.MustCompile(`^[^\s/=]+=[^\s/]+$`)
)

// readBench parses the Go benchmark format and fails on any other content.
func readBench(t *testing.T, out string) (config map[string]string, results []benchLine) {
	t.Helper()
	config = make(map[string]string)
	for line := range strings.Lines(out) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "# ")
		if configLine.MatchString(line) {
			key, value, _ := strings.Cut(line, ": ")
			config[key] = value
			continue
		}
		f := strings.Fields(line)
		if len(f) != 4 || strings.Join(f, " ") != line || !unitName.MatchString(f[3]) {
			t.Fatalf("line %q: want name, 1, value and unit", line)
		}
		parts := strings.Split(f[0], "/")
		name, ok := strings.CutPrefix(parts[0], "Benchmark")
		if !ok || name == "" || name[0] < 'A' || name[0] > 'Z' {
			t.Fatalf("line %q: name %q", line, parts[0])
		}
		r := benchLine{name: name, unit: f[3], keys: make(map[string]string)}
		for _, part := range parts[1:] {
			if !partName.MatchString(part) {
				t.Fatalf("line %q: %q is not key=value", line, part)
			}
			key, value, _ := strings.Cut(part, "=")
			r.keys[key] = value
		}
		if n, err := strconv.Atoi(f[1]); err != nil || n < 1 {
			t.Fatalf("line %q: %q iterations", line, f[1])
		}
		var err error
		if r.value, err = strconv.ParseFloat(f[2], 64); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		results = append(results, r)
	}
	return config, results
}
