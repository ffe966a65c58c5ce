package classic

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/soa"
)

// document is the part of a report that the tests read.
type document struct {
	Tables []struct {
		Name string
		Rows [][]string
	}
	Measures []struct {
		Name   string
		Median float64
	}
}

func reportOf(t *testing.T, args ...string) (d document) {
	t.Helper()
	out := commandtest.Bench{Command}.Good(t, append([]string{"classic"}, args...)...)
	must.Do(json.Unmarshal([]byte(out), &d))
	return d
}

func (d *document) value(t *testing.T, name string) float64 {
	t.Helper()
	for _, m := range d.Measures {
		if m.Name == name {
			return m.Median
		}
	}
	t.Fatalf("no measure %s", name)
	return 0
}

// Each way to split ahead has fewer splits in its worst frame than the lazy
// tree, and the way all has none.
func TestReport(t *testing.T) {
	d := reportOf(t, "-n", "30000", "-count", "1")
	if len(d.Tables) != 2 || len(d.Tables[0].Rows) != 17 || len(d.Tables[1].Rows) != 4 {
		t.Fatalf("tables %v", d.Tables)
	}
	splits := func(way irregular.Ahead) float64 {
		return d.value(t, report.Name("Turning", "n", 3000, "policy", way.String(), "frame", "splits"))
	}
	lazy := splits(irregular.Lazy)
	for _, way := range []irregular.Ahead{irregular.Rejected, irregular.Motion, irregular.All} {
		if n := splits(way); n >= lazy || way == irregular.All && n != 0 {
			t.Errorf("way %v: %v splits in the worst frame, lazy %v", way, n, lazy)
		}
	}
	if share := d.value(t, "Published/n=30000/by=irregular/quantity=imbalanced"); !(share > 0 && share < 0.25) {
		t.Errorf("an imbalanced tree has %v of the objects as candidates", share)
	}
}

// liar omits the last object of every result.
type liar struct{ brute }

func (l *liar) ask(dst []uint32, b soa.AABB) []uint32 {
	dst = l.brute.ask(dst, b)
	return dst[:max(0, len(dst)-1)]
}

// idle does not move.
type idle struct{ brute }

func (*idle) move([]uint32, []soa.AABB) {}

// Wrong results are found.
func TestWrongAnswers(t *testing.T) {
	s := study{most: 1000, rounds: 1, seed: 1}
	objects, all := uniform(1000, 1), []contender{&brute{}, &liar{}}
	s.builds(objects, all)
	if must.Catch(func() { s.ask(objects, all) }) == nil {
		t.Error("no error for a contender with wrong results")
	}
	if must.Catch(func() { s.steps(objects, []contender{&brute{}, &idle{}}) }) == nil {
		t.Error("no error for a contender that does not move")
	}
	if must.Catch(func() { same([][]uint32{{1, 2}, {3}}, [][]uint32{{2, 1}, {3, 4}}) }) == nil {
		t.Error("different frames count as the same")
	}
}

// The intersection of two power laws is found exactly.
func TestEven(t *testing.T) {
	tree := func(n float64) float64 { return 800 * math.Pow(n, 0.25) }
	loop := func(n float64) float64 { return 2 * n }
	at := math.Pow(400, 4/3.0)
	n := 2048.0
	objects, ns := point{tree(n), loop(n)}.even(int(n), point{tree(2 * n), loop(2 * n)})
	if math.Abs(objects-at) > 1e-6*at || math.Abs(ns-loop(at)) > 1e-6*ns {
		t.Errorf("%v objects, %v ns; want %v, %v", objects, ns, at, loop(at))
	}
}
