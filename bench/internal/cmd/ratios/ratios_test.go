package ratios

import (
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench{Command}

func TestRatios(t *testing.T) {
	out := bench.Good(t, "ratios", "-quick", "-only", "build points")
	for _, word := range []string{"build points 100k: first build, along the curve", "ns/object", "<= 20.0", "rounds   3"} {
		if !strings.Contains(out, word) {
			t.Errorf("no %q in\n%s", word, out)
		}
	}
	if strings.Contains(out, "1M") {
		t.Errorf("-quick measures a million:\n%s", out)
	}
	out = bench.Good(t, "ratios", "-count", "1", "-only", "curve box surface 100")
	if strings.Contains(out, "quantity") || strings.Count(out, "curve box surface") < 1 {
		t.Errorf("curve:\n%s", out)
	}
}

// A selection that -quick leaves empty is reported.
func TestRatiosQuick(t *testing.T) {
	if out := bench.Good(t, "ratios", "-quick", "-list", "-only", "change"); !strings.Contains(out, "change move uniform 100k") {
		t.Errorf("-quick -only change lists\n%s", out)
	}
	if o := bench.Do("ratios", "-quick", "-only", "query box 8 uniform 1M"); o.Code == 0 || !strings.Contains(o.Errs, "leave out -quick") {
		t.Errorf("code %d, %s", o.Code, o.Errs)
	}
}

func TestRatiosList(t *testing.T) {
	if n := strings.Count(bench.Good(t, "ratios", "-list", "-only", "curve"), "\n"); n != 3*11*5 {
		t.Errorf("%d curves, want 3 kinds of 11 scenes of 5 sizes", n)
	}
	quick := bench.Good(t, "ratios", "-list", "-quick")
	for _, line := range strings.Split(strings.TrimSpace(quick), "\n") {
		if strings.Contains(line, "M") {
			t.Errorf("-quick has %q", line)
		}
	}
}

// Every measurement works, on few objects.
func TestExperiments(t *testing.T) {
	s := &session{rounds: 1, seed: 1}
	n := 2000
	if testing.Short() {
		n = 300
	}
	tries := map[string]func() []row{
		"build": func() []row { return s.build("build", buildRef{"city", n, 1, 1}) },
		"frustum": func() []row {
			return s.frustum("frustum", frustumRef{scene: "city", n: n, percent: 10, ref: 1})
		},
	}
	for _, k := range curveKinds {
		tries["curve "+k.name] = func() []row { return s.curve("curve", k, "plane", n) }
	}
	for _, x := range queryRefs {
		if x.n == 100_000 && x.scene != "uniform" {
			tries[x.kind.Name+x.scene] = func() []row { x.n = n; return s.query("query", x) }
		}
	}
	objects := must.Get(lab.Objects("city", n, s.seed))
	x := changeRef{scene: "city", n: n}
	for name, run := range map[string]func(s *session, name string, objects []soa.Object) []row{
		"move": x.steps, "all": x.everything, "insert": x.inserts, "age": x.age,
	} {
		tries["change "+name] = func() []row { return run(s, name, objects) }
	}
	size := instanceSize{count: 40, objects: n / 40}
	for name, run := range map[string]func(s *session, name string) []row{
		"memory": size.bytes, "frusta": size.cull, "boxes": size.boxes, "rays": size.rays, "nearest": size.nearest, "pairs": size.pairs,
	} {
		tries["scene "+name] = func() []row { return run(s, name) }
	}
	for name, run := range tries {
		var rows []row
		err := must.Catch(func() { rows = run() })
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows, error %v", name, len(rows), err)
		}
		for _, r := range rows {
			if f, ok := r.(figure); ok && !(f.values.Median() > 0) {
				t.Errorf("%s: %v", name, f)
			}
			columns := rowColumns()
			if _, ok := r.(curve); ok {
				columns = curveColumns()
			}
			if len(r.cells()) != len(columns) {
				t.Errorf("%s: %d cells in %d columns", name, len(r.cells()), len(columns))
			}
		}
	}
}

// The frusta of the curve contain the expected objects.
func TestCurveFrusta(t *testing.T) {
	const n = 2000
	s := &session{rounds: 1, seed: 1}
	for _, scene := range []string{"uniform", "plane", "city"} {
		b := s.tree(scene, n)
		for _, percent := range curvePercents {
			lenses := must.Get(lab.LensesOf(b.curveFrusta(percent / 100)))
			if len(lenses) != curveQueries {
				t.Fatalf("%d frusta", len(lenses))
			}
			for i := range lenses {
				visible := lenses[i].Frustum.Count(b.View, query.Filter{})
				if off := math.Abs(float64(visible)/n - percent/100); off > 0.01+percent/100*0.2 {
					t.Errorf("%s at %v %%: frustum %d contains %d of %d", scene, percent, i, visible, n)
				}
			}
		}
	}
}

// So do its boxes and spheres.
func TestCurveVolumes(t *testing.T) {
	const n = 2000
	s := &session{rounds: 1, seed: 1}
	for _, scene := range []string{"uniform", "plane", "city"} {
		b := s.tree(scene, n)
		for _, k := range curveKinds[1:] {
			for _, percent := range curvePercents {
				tree, _ := k.make(b, percent/100)
				for i := range curveQueries {
					found := len(tree(nil, i))
					if off := math.Abs(float64(found)/n - percent/100); off > 0.01 {
						t.Errorf("%s, %s at %v %%: query %d finds %d of %d", k.name, scene, percent, i, found, n)
					}
				}
			}
		}
	}
}

func TestAgainst(t *testing.T) {
	for _, x := range []struct{ lead, ref, want float64 }{{100, 0, 100}, {0, 100, 120}, {100, 50, 60}, {100, 200, 100}} {
		if got := against(x.lead, x.ref, 1.2); got != atMost(x.want) {
			t.Errorf("lead %v, ref %v: %v, want %v", x.lead, x.ref, got, x.want)
		}
	}
}

func TestTarget(t *testing.T) {
	for _, x := range []struct {
		target target
		x      float64
		want   string
	}{
		{atMost(2), 1, "pass"}, {atMost(2), 2, "pass"}, {atMost(2), 2.1, "miss"},
		{atLeast(2), 3, "pass"}, {atLeast(2), 2, "pass"}, {atLeast(2), 1.9, "miss"},
		{target{}, 5, ""}, {atMost(2), math.NaN(), "miss"}, {atLeast(2), math.NaN(), "miss"},
	} {
		if got := x.target.verdict(x.x); got != x.want {
			t.Errorf("%v of %v is %q, want %q", x.target, x.x, got, x.want)
		}
	}
	cells := figure{name: "x", values: measure.Series{2, 2, 8}, ref: 4, lead: 8, holder: "y", target: atMost(3)}.cells()
	if got := strings.Join(cells, " "); got != "x 2.00 2.00 3.00  4.00 0.50 8.00 0.25 y <= 3.00 pass" {
		t.Errorf("cells %q", got)
	}
}

func TestMeasureName(t *testing.T) {
	for experiment, want := range map[string]string{
		"frustum uniform 1M 1 %":    "Ratios/experiment=frustum_1_%/scene=uniform/n=1M",
		"query knn 8 city points 7": "Ratios/experiment=query_knn_8/scene=city_points/n=7",
		"a 100k b":                  "Ratios/experiment=a_100k_b",
		"curve box plane 100":       "Ratios/experiment=curve_box/scene=plane/n=100",
	} {
		if got := measureName("Ratios", experiment); got != want {
			t.Errorf("%q: %q, want %q", experiment, got, want)
		}
	}
}

// Rows of both kinds are written in all formats.
func TestRatiosFormats(t *testing.T) {
	bench.Formats(t, []string{"ratios", "-count", "2", "-only", "build points 10k"}, 2, 2)
	if testkit.Budget(t, false, true) {
		bench.Formats(t, []string{"ratios", "-count", "2", "-only", "curve box plane 1k"}, len(curvePercents), 1)
	}
	if o := bench.Do("ratios", "-format", ""); o.Code != 2 || o.Out != "" {
		t.Errorf("no format: exit code %d, output %q", o.Code, o.Out)
	}
}
