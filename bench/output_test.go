package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/testkit"
)

// benchLine is a result as golang.org/design/14313-benchmark-format has it.
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

// readBench reads the Go format and nothing that is not in it.
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

// Commands that measure write all formats, and the same of them in each.
func TestFormatsOfCommands(t *testing.T) {
	scenePath, frustaPath := row10(t)
	for _, x := range []struct {
		args    []string
		results int // measures
		rows    int // of all tables
	}{
		{[]string{"run", "-n", "300", "-cameras", "3", "-count", "2"}, 2 + 2 + 9 + 7, 3 + 7},
		{[]string{"ratios", "-count", "2", "-only", "radix 100k"}, 6, 6},
		{[]string{"ratios", "-count", "2", "-only", "curve box plane 1k"}, len(curvePercents), 1},
		{[]string{"replay", "-repeat", "2", "-scene", scenePath, "-frusta", frustaPath}, 1, 1},
	} {
		if x.args[0] == "ratios" && !testkit.Budget(t, false, x.rows == 1, true) {
			continue
		}
		with := func(format string) string { return good(t, append(x.args, "-format", format)...) }

		config, results := readBench(t, with("gobench"))
		if config["goos"] == "" || config["goarch"] == "" || config["cpu"] == "" || config["tier"] == "" || config["noise"] == "" ||
			config["pkg"] != "github.com/zoctree/zoctree/bench" {
			t.Errorf("%v: configuration %v", x.args, config)
		}
		distinct := make(map[string]int)
		for _, r := range results {
			if !(r.value > 0) || len(r.keys) == 0 {
				t.Errorf("%v: %+v", x.args, r)
			}
			distinct[report.Name(r.name, "keys", r.keys)]++
		}
		if len(distinct) != x.results {
			t.Errorf("%v: %d measures, want %d: %v", x.args, len(distinct), x.results, distinct)
		}

		var doc struct {
			Command  string
			Notes    []struct{ Key, Text string }
			Tables   []struct{ Rows [][]string }
			Measures []struct{ Samples []float64 }
		}
		if err := json.Unmarshal([]byte(with("json")), &doc); err != nil {
			t.Fatalf("%v: %v", x.args, err)
		}
		rows := 0
		for _, table := range doc.Tables {
			rows += len(table.Rows)
		}
		if doc.Command != x.args[0] || len(doc.Measures) != x.results || rows != x.rows {
			t.Errorf("%v: command %q, %d measures, %d rows, want %d and %d", x.args, doc.Command, len(doc.Measures), rows, x.results, x.rows)
		}
		for _, m := range doc.Measures {
			if len(m.Samples) != 2 && len(m.Samples) != 1 {
				t.Errorf("%v: samples %v, want one for each of two rounds", x.args, m.Samples)
			}
		}

		ruled := regexp.MustCompile(`(?m)^\|(--[-:]\|)+$`).FindAllString(with("markdown"), -1)
		if len(ruled) != len(doc.Tables) {
			t.Errorf("%v: %d tables in Markdown, want %d", x.args, len(ruled), len(doc.Tables))
		}
		lines := strings.Split(strings.TrimSpace(with("tsv")), "\n")
		if got, want := len(lines), rows+2*len(doc.Tables)-1; got != want {
			t.Errorf("%v: %d lines of TSV, want %d", x.args, got, want)
		}
	}
	for _, args := range [][]string{{"-format", "xml"}, {"ratios", "-format", ""}, {"-count", "0"}, {"-count", "x"}} {
		if o := do(args...); o.code != 2 || o.out != "" {
			t.Errorf("bench %v: exit code %d, output %q", args, o.code, o.out)
		}
	}
}

func TestMeasureName(t *testing.T) {
	for experiment, want := range map[string]string{
		"frustum uniform 1M 1 %":    "Ratios/experiment=frustum_1_%/scene=uniform/n=1M",
		"query knn 8 city points 7": "Ratios/experiment=query_knn_8/scene=city_points/n=7",
		"radix 100k random keys":    "Ratios/experiment=radix_100k_random_keys",
		"curve box plane 100":       "Ratios/experiment=curve_box/scene=plane/n=100",
	} {
		if got := measureName("Ratios", experiment); got != want {
			t.Errorf("%q: %q, want %q", experiment, got, want)
		}
	}
}

func TestCPUProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pb.gz")
	good(t, "-n", "300", "-cameras", "2", "-count", "1", "-cpuprofile", path)
	if b, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		t.Errorf("error %v, profile %x", err, b[:min(len(b), 16)])
	}
	if o := do("-n", "300", "-cpuprofile", filepath.Join(path, "none")); o.code != 1 || o.out != "" || !strings.Contains(o.errs, "none") {
		t.Errorf("exit code %d, output %q, errors %q", o.code, o.out, o.errs)
	}
}

// The Go format of the other commands is sound, too.
func TestGoFormat(t *testing.T) {
	for _, args := range [][]string{
		{"classic", "-max", "1000", "-steps", "2", "-count", "1"},
		{"scaling", "-max", "1000", "-count", "1"},
	} {
		config, results := readBench(t, good(t, append(args, "-format", "gobench")...))
		if len(results) == 0 || config["goos"] == "" || config["noise"] == "" {
			t.Errorf("%v: %d results, configuration %v", args, len(results), config)
		}
	}
}
