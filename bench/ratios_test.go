package main

import (
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func TestRatios(t *testing.T) {
	out := good(t, "ratios", "-quick", "-only", "radix")
	for _, word := range []string{"radix 100k random keys: slices.Sort / radix", "ns/key", ">= 14.0", "rounds   3"} {
		if !strings.Contains(out, word) {
			t.Errorf("no %q in\n%s", word, out)
		}
	}
	if strings.Contains(out, "1M") {
		t.Errorf("-quick measures a million:\n%s", out)
	}
	out = good(t, "ratios", "-count", "1", "-only", "curve box surface 100")
	if strings.Contains(out, "quantity") || strings.Count(out, "curve box surface") < 1 {
		t.Errorf("curve:\n%s", out)
	}
}

// What -quick leaves nothing of says so.
func TestRatiosQuick(t *testing.T) {
	if out := good(t, "ratios", "-quick", "-list", "-only", "sweep"); !strings.Contains(out, "sweep uniform 100k") {
		t.Errorf("-quick -only sweep lists\n%s", out)
	}
	if o := do("ratios", "-quick", "-only", "1M"); o.code == 0 || !strings.Contains(o.errs, "leave out -quick") {
		t.Errorf("code %d, %s", o.code, o.errs)
	}
}

func TestRatiosList(t *testing.T) {
	list := good(t, "ratios", "-list", "-only", "curve")
	if n := strings.Count(list, "\n") - strings.Count(list, "curve floor") - strings.Count(list, "curve ti"); n != 3*11*5 {
		t.Errorf("%d curves, want 3 kinds of 11 scenes of 5 sizes", n)
	}
	if n := strings.Count(list, "curve floor"); n != len(floorKinds)*11*3 {
		t.Errorf("%d floors, want %d kinds of 11 scenes of 3 sizes", n, len(floorKinds))
	}
	quick := good(t, "ratios", "-list", "-quick")
	for _, line := range strings.Split(strings.TrimSpace(quick), "\n") {
		if strings.Contains(line, "M") {
			t.Errorf("-quick has %q", line)
		}
	}
}

// Every measurement works, on few objects.
func TestExperiments(t *testing.T) {
	l := &lab{rounds: 1, seed: 1}
	n := 2000
	if testing.Short() {
		n = 300
	}
	before := asm.Info().Tier
	tries := map[string]func() ([]row, error){
		"sweep":   func() ([]row, error) { return l.sweep(n) },
		"go tier": func() ([]row, error) { return l.goTier(n) },
		"radix":   func() ([]row, error) { return l.radix("radix", n, 1) },
		"build":   func() ([]row, error) { return l.build("build", "city", n, 1) },
		"frustum": func() ([]row, error) {
			return l.frustum("frustum", frustumRef{scene: "city", n: n, percent: 10, ref: 1})
		},
		"contests": func() ([]row, error) { return l.contests("rays", "city", n, rayContests) },
	}
	l.tiers = asm.Info().Available[:1]
	for _, k := range floorKinds {
		tries["floor "+k.name] = func() ([]row, error) { return l.floor(k, "identical", n) }
		tries["floor of a plane "+k.name] = func() ([]row, error) { return l.floor(k, "plane", n) }
	}
	tries["ties"] = func() ([]row, error) { return l.ties(n) }
	tries["tiny"] = func() ([]row, error) { return l.tiny(n, -70) }
	for _, k := range curveKinds {
		tries["curve "+k.name] = func() ([]row, error) { return l.curve("curve", k, "plane", n) }
	}
	for _, x := range queryRefs {
		if x.n == 100_000 && x.scene != "uniform" {
			tries[x.kind.name+x.scene] = func() ([]row, error) { x.n = n; return l.query("query", x) }
		}
	}
	for name, run := range map[string]func(l *lab, b *bed) ([]contest, error){
		"nearest": nearestContests, "volumes": volumeContests, "frusta": frustumContests,
	} {
		tries[name] = func() ([]row, error) { return l.contests(name, "uniform", n, run) }
	}
	objects, err := l.objects("city", n)
	if err != nil {
		t.Fatal(err)
	}
	x := changeRef{scene: "city", n: n}
	for name, run := range map[string]func(l *lab, name string, objects []soa.Object) ([]row, error){
		"move": x.steps, "all": x.everything, "insert": x.inserts, "batch": x.batchInsert,
		"frame": x.frame, "rebuild": x.rebuild, "refit": x.refit, "age": x.age,
	} {
		tries["change "+name] = func() ([]row, error) { return run(l, name, objects) }
	}
	for name, run := range map[string]func(l *lab, name string, n int) ([]row, error){
		"frames": measureFrames, "pairs": measureRivalry,
	} {
		tries["motion "+name] = func() ([]row, error) { return run(l, name, n) }
	}
	tries["motion collector"] = func() ([]row, error) { return measureCollector(l, "collector", objects) }
	tries["motion bullets"] = func() ([]row, error) { return measureBullets(l, "bullets", objects) }
	for name, run := range tries {
		rows, err := run()
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows, error %v", name, len(rows), err)
		}
		for _, r := range rows {
			if f, ok := r.(figure); ok && !(f.values.Median() > 0) && f.unit != allocatedPerFrame && f.unit != bytesPerObject {
				t.Errorf("%s: %v", name, f)
			}
			columns := rowColumns()
			switch r.(type) {
			case curve:
				columns = curveColumns()
			case *versusRow:
				columns = versusColumns()
			}
			if len(r.cells()) != len(columns) {
				t.Errorf("%s: %d cells in %d columns", name, len(r.cells()), len(columns))
			}
		}
	}
	if asm.Info().Tier != before {
		t.Errorf("tier %v is left behind", asm.Info().Tier)
	}
}

// The curve's frusta see what they are to see.
func TestCurveFrusta(t *testing.T) {
	const n = 2000
	l := &lab{rounds: 1, seed: 1}
	for _, scene := range []string{"uniform", "plane", "city"} {
		b, err := l.bed(scene, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, percent := range curvePercents {
			lenses, err := lensesOf(b.curveFrusta(percent / 100))
			if err != nil {
				t.Fatal(err)
			}
			if len(lenses) != curveQueries {
				t.Fatalf("%d frusta", len(lenses))
			}
			for i := range lenses {
				seen := lenses[i].Frustum.Count(b.view, query.Filter{})
				if off := math.Abs(float64(seen)/n - percent/100); off > 0.01+percent/100*0.2 {
					t.Errorf("%s at %v %%: frustum %d sees %d of %d", scene, percent, i, seen, n)
				}
			}
		}
	}
}

// So do its boxes and spheres.
func TestCurveVolumes(t *testing.T) {
	const n = 2000
	l := &lab{rounds: 1, seed: 1}
	for _, scene := range []string{"uniform", "plane", "city"} {
		b, err := l.bed(scene, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range curveKinds[1:] {
			for _, percent := range curvePercents {
				tree, _, err := k.make(b, percent/100)
				if err != nil {
					t.Fatal(err)
				}
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

// A motion keeps sizes and moves each object of a step once.
func TestMotion(t *testing.T) {
	for _, s := range testkit.Scenes() {
		objects := s.Make(500, 1)
		m := newMotion(objects, 1)
		ids, boxes := m.step(nil, nil, 400)
		seen := make(map[uint32]bool)
		for i, id := range ids {
			if seen[id] {
				t.Fatalf("%s: ID %d twice", s.Name, id)
			}
			seen[id] = true
			if err := boxes[i].Check(); err != nil || boxes[i] != m.boxes[id] {
				t.Fatalf("%s: ID %d to %v: %v", s.Name, id, boxes[i], err)
			}
		}
		if len(seen) != 400 {
			t.Errorf("%s: %d objects", s.Name, len(seen))
		}
		for i, b := range m.all() {
			if err := b.Check(); err != nil {
				t.Fatalf("%s: object %d: %v", s.Name, i, err)
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
