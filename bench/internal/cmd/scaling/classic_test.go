package scaling

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// The table has a line for each size and the fit, and its objects add up. The measures name the quantity and the size.
func TestClassic(t *testing.T) {
	const most = 3000
	document := bench.Good(t, "scaling", "classic", "-n", strconv.Itoa(most), "-steps", "4", "-count", "2", "-format", "json")
	classicMeasures(t, document)
	commandtest.GoFormat(t, document)
	out := commandtest.As(report.Text, document)
	var lines [][]string
	first, _, _ := strings.Cut(out[strings.Index(out, "build ns"):], "\n\n")
	for _, line := range strings.Split(first, "\n")[1:] {
		if f := strings.Fields(line); len(f) == 8 {
			lines = append(lines, f)
		}
	}
	if want := len(lab.SizesTo(most)) + 2; len(lines) != want {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), want, out)
	}
	for i, f := range lines {
		var x [8]float64
		for k, cell := range f[1:] {
			var err error
			if x[k+1], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Errorf("line %d: %q", i, f)
			}
		}
		n, err := strconv.ParseFloat(f[0], 64)
		if fit := i >= len(lines)-2; fit != (err != nil) {
			t.Errorf("line %d: %q", i, f)
		} else if !fit && !(x[2] >= x[3] && x[3] > 0 && x[2] <= n) {
			t.Errorf("%v objects: w is %v, of which %v are in the box", n, x[2], x[3])
		}
	}
	classicPublished(t, out)
	for _, args := range [][]string{{"-n", "999"}, {"-steps", "0"}, {"-count", "0"}} {
		if o := bench.Do(append([]string{"scaling", "classic"}, args...)...); o.Code != 2 {
			t.Errorf("%v: exit code %d", args, o.Code)
		}
	}
}

// classicPublished finds the published figures, with the machine on which they were measured, beside ours,
// and for each way to split ahead.
func classicPublished(t *testing.T, out string) {
	t.Helper()
	title := regexp.MustCompile(`(?m)^figure +published, Athlon 1.1 GHz, 2003 +irregular, \S.* +zoctree, \S.*$`)
	if !title.MatchString(out) {
		t.Errorf("no columns that name the machines:\n%s", out)
	}
	for _, row := range []string{
		`objects +1000000 +\d+ +\d+`, `whole split +15\.5 s +\S+ s +\S+ s`,
		`memory +330 B/object +[\d.]+ B/object +[\d.]+ B/object`,
		`results of a query +about 500 +[\d.]+ +[\d.]+`, `sparse: results of a query +about 500 +[\d.]+ +[\d.]+`,
		`candidates of a query +about 5000 +[\d.]+ +[\d.]+`, `time of a query +about 10 ms +[\d.]+ us +[\d.]+ us`,
		`growth of candidates +w = 1\.21 n\^0\.236 +\S+ n\^\S+ +\S+ n\^\S+`,
		`growth of time +\S+ n\^\S+ us +\S+ n\^\S+ us`,
		`break-even with a loop: objects +153000 +\S.* \S+`, `break-even with a loop: time +49 ms +[\d.]+ us +[\d.]+ us`,
		`imbalanced: candidates of objects +25 % +[\d.]+ % +[\d.]+ %`,
		`lazy( +[\d.]+){8}`, `rejected( +[\d.]+){8}`, `motion( +[\d.]+){8}`, `all( +[\d.]+){8}`,
	} {
		if !regexp.MustCompile(`(?m)^` + row + `$`).MatchString(out) {
			t.Errorf("no row %q in\n%s", row, out)
		}
	}
}

// Without the sources the command names the missing files.
func TestClassicNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := bench.Do("scaling", "classic", "-n", "1000", "-steps", "1", "-count", "1"); o.Code != 1 || !strings.Contains(o.Errs, "no bench/rivals/go.mod") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}

func classicMeasures(t *testing.T, document string) {
	t.Helper()
	var d struct {
		Measures []struct {
			Name    string
			Samples []float64
		}
	}
	must.Do(json.Unmarshal([]byte(document), &d))
	var names []string
	for _, m := range d.Measures {
		if names = append(names, m.Name); strings.HasPrefix(m.Name, "Classic/n=") && len(m.Samples) != 2 {
			t.Errorf("%s has %d samples, want 2", m.Name, len(m.Samples))
		}
	}
	for _, want := range []string{
		"Classic/n=1000/quantity=shuffle", "Published/n=3000/by=irregular/quantity=query", "Turning/n=1000/policy=motion/frame=worst",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no measure %s in %q", want, names)
		}
	}
}

// Query and Cull find the objects that the library finds, in every state of the tree.
func TestPhases(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	h := must.Get(lab.NewMovingTree(objects, 1))
	var a boxQueries
	var m classicSums
	for frame := range 20 {
		h.Draw(1, 500)
		h.Note(h.Tree.MoveBatch(h.IDs, h.To))
		if frame%2 == 0 { // else there are displaced and pending objects
			h.Note(h.Tree.Tick())
		}
		for _, b := range h.Boxes[:50] {
			for axis := range 3 {
				b.Max[axis] += float32(frame)
			}
			a.query(&m, h.Tree.View(), b, frame%3 == 0)
		}
	}
	if h.Err != nil {
		t.Fatal(h.Err)
	}
	if m.results == 0 || m.found < m.results || m.found > 60*m.results {
		t.Errorf("%d objects found, %d in the boxes", m.found, m.results)
	}
	var p baseline.Phases
	v := h.Tree.View()
	all, _ := query.NewBox([3]float32{-1e6, -1e6, -1e6}, [3]float32{1e6, 1e6, 1e6})
	box := cull.Box{-1e6, 1e6, -1e6, 1e6, -1e6, 1e6}
	p.Query(v.Store(), &box)
	if n := p.Found(v.Store()); n != 5000 || n != all.Count(v, query.Filter{}) {
		t.Errorf("%d objects found of 5000", n)
	}
}
