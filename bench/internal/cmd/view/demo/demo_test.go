package demo_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// questions has one query of each mode, from a corner of the scene.
func questions(a demo.About) (all []demo.Question) {
	var eye, at [3]float64
	for i := range eye {
		low, high := a.Bounds[i], a.Bounds[i+3]
		eye[i], at[i] = low+0.3*(high-low), low+0.7*(high-low)
	}
	size := a.Bounds[3] - a.Bounds[0]
	for _, mode := range []string{demo.Camera, demo.Occlusion, demo.Ray, demo.Nearest, demo.Pairs, demo.Tree, demo.Curve, demo.Motion, demo.Interest} {
		if (mode == demo.Motion || mode == demo.Interest) && !a.Moving {
			continue
		}
		all = append(all, demo.Question{
			Mode: mode, Eye: eye, At: at, FovY: 1, Aspect: 1.6, Near: size / 1000, Far: size / 2, K: 100, Radius: size / 5,
		})
	}
	return all
}

func value(t *testing.T, a demo.Answer, name string) int {
	t.Helper()
	for _, n := range a.Numbers {
		if n.Name == name {
			return n.Value
		}
	}
	t.Fatalf("no number %q in %+v", name, a.Numbers)
	return 0
}

// In every mode the library and the loop find the same, and states match the results.
func TestModes(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for _, name := range []string{"city", "uniform", "clustered", "surface", demo.Moving} {
		s := must.Get(demo.NewStage(name, n, 1))
		for _, q := range questions(s.About) {
			q.Time = name == "city"
			a, err := s.Ask(q)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, q.Mode, err)
			}
			if !a.Equal {
				t.Errorf("%s, %s: the loop has other results than %+v", name, q.Mode, a.Numbers)
			}
			painted := make([]int, demo.States)
			for _, state := range s.States {
				painted[state]++
			}
			for _, c := range a.Numbers {
				if c.State >= 0 && q.Mode != demo.Interest && painted[c.State] != c.Value && (q.Mode != demo.Motion || c.State != int(demo.Hit)) &&
					!(q.Mode == demo.Ray || q.Mode == demo.Nearest) {
					t.Errorf("%s, %s: %d objects are painted %q, want %d", name, q.Mode, painted[c.State], c.Name, c.Value)
				}
			}
			if q.Mode == demo.Ray || q.Mode == demo.Nearest {
				if hits := painted[demo.Hit] + painted[demo.Whole]; hits != a.Numbers[0].Value {
					t.Errorf("%s, %s: %d objects are painted, want %d", name, q.Mode, hits, a.Numbers[0].Value)
				}
			}
			if q.Time && len(a.Bars) < 2 {
				t.Errorf("%s, %s: bars %+v", name, q.Mode, a.Bars)
			}
			if !strings.HasPrefix(a.Sentence, grouped(a.Numbers)) {
				t.Errorf("%s, %s: the sentence is %q, the numbers %+v", name, q.Mode, a.Sentence, a.Numbers)
			}
		}
	}
}

// All pairs are found, not only those in the sample.
func TestPairs(t *testing.T) {
	s := must.Get(demo.NewStage("clustered", 3000, 2))
	a := must.Get(s.Ask(demo.Question{Mode: demo.Pairs}))
	var boxes []soa.AABB
	objects := s.AppendBoxes(nil)
	for b := range slices.Chunk(objects, 6) {
		boxes = append(boxes, soa.AABB{Min: [3]float32(b[:3]), Max: [3]float32(b[3:])})
	}
	want := len(testkit.SweepAndPrune(boxes))
	if got := value(t, a, "pairs that overlap"); got != want || want == 0 {
		t.Errorf("%d pairs, sweep and prune finds %d", got, want)
	}
}

// An animation that is rewound shows the same again, and objects entered and left add up.
func TestAnimation(t *testing.T) {
	s := must.Get(demo.NewStage(demo.Moving, 3000, 1))
	q := questions(s.About)[8]
	q.Radius = 1500
	entered, left, before := 0, 0, 0
	for frame := range 60 {
		q.Frame = frame
		a, err := s.Ask(q)
		if err != nil || !a.Equal {
			t.Fatalf("frame %d: %v, %+v", frame, err, a)
		}
		view, in, out := value(t, a, "in view"), value(t, a, "entered"), value(t, a, "left")
		if frame > 0 && view != before+in-out {
			t.Errorf("frame %d: %d in view, of %d, with %d entered and %d left", frame, view, before, in, out)
		}
		before, entered, left = view, entered+in, left+out
	}
	if entered == 0 || left == 0 {
		t.Errorf("%d entered and %d left", entered, left)
	}
	q.Mode = demo.Motion
	first := must.Get(s.Ask(q))
	q.Frame = 2
	must.Get(s.Ask(q))
	q.Frame = 59
	if again, err := s.Ask(q); err != nil || value(t, again, "visible") != value(t, first, "visible") {
		t.Errorf("again: %v, %+v, before %+v", err, again.Numbers, first.Numbers)
	}
}

// The outlines match the tree: as many as its nodes and packets, complete in the end.
func TestOutlines(t *testing.T) {
	s := must.Get(demo.NewStage("city", 2000, 1))
	tight, cells, order := s.Tight(), s.Cells(), s.Order()
	if want := s.About.Nodes + s.About.Packets; len(tight.Depths) != want || len(tight.Boxes) != 6*want {
		t.Errorf("%d tight boxes, want %d", len(tight.Depths), want)
	}
	if got := slices.Max(tight.Depths); got != float32(s.About.Depth) {
		t.Errorf("depth %v, want %d", got, s.About.Depth)
	}
	if len(cells.Ranks) == 0 || slices.Max(cells.Ranks) != 1 || slices.Max(tight.Ranks) != 1 {
		t.Errorf("%d cells, ranks up to %v", len(cells.Ranks), slices.Max(tight.Ranks))
	}
	slices.Sort(order)
	for i, id := range order {
		if int(id) != i {
			t.Fatalf("ID %d is not in the order once", i)
		}
	}
}

func TestOpen(t *testing.T) {
	s, err := demo.Open("some.csv", []byte("x,y,z\n1,2,3\n4,5,6\n"))
	if err != nil || s.About.Objects != 2 || s.About.Bounds[5] != 6 {
		t.Fatalf("%v, %+v", err, s)
	}
	for name, text := range map[string]string{"none.csv": "x,y,z\n", "bad.ply": "ply\nformat nonsense 1.0\n"} {
		if _, err := demo.Open(name, []byte(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, bad := range []struct {
		scene string
		n     int
	}{{"nowhere", 10}, {"city", 0}, {"city", demo.MaxObjects + 1}} {
		if _, err := demo.NewStage(bad.scene, bad.n, 1); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
	s := must.Get(demo.NewStage("city", 100, 1))
	nan := math.NaN()
	for _, q := range []demo.Question{
		{}, {Mode: "art"}, {Mode: demo.Camera}, {Mode: demo.Occlusion, FovY: nan}, {Mode: demo.Ray}, {Mode: demo.Ray, At: [3]float64{nan}},
		{Mode: demo.Nearest, K: -1}, {Mode: demo.Motion}, {Mode: demo.Interest}, {Mode: demo.Map}, {Mode: demo.Instances},
	} {
		if a, err := s.Ask(q); err == nil {
			t.Errorf("no error for %+v: %+v", q, a)
		}
	}
	s = must.Get(demo.NewStage("identical", 3000, 1))
	if a, err := s.Ask(demo.Question{Mode: demo.Pairs}); err == nil {
		t.Errorf("no error for all pairs of 3,000: %+v", a.Numbers)
	}
	s = must.Get(demo.NewStage(demo.Moving, 100, 1))
	if a, err := must.Get(demo.NewStage(demo.Lidar, 100, 1)).Ask(demo.Question{Mode: demo.Camera}); err == nil {
		t.Errorf("no error for a camera in a map: %+v", a)
	}
	for _, frame := range []int{-1, demo.MaxFrame + 1} {
		if _, err := s.Ask(demo.Question{Mode: demo.Motion, Frame: frame}); err == nil {
			t.Errorf("no error for frame %d", frame)
		}
	}
}

// Each mode has about six lines to show.
func TestCode(t *testing.T) {
	for _, q := range append(questions(demo.About{Bounds: make([]float64, 6), Moving: true}), demo.Question{Mode: demo.Map}, demo.Question{Mode: demo.Instances}, demo.Question{}) {
		lines := strings.Count(demo.Code(q.Mode), "\n")
		if want := q.Mode != ""; want != (lines > 2) || lines > 12 {
			t.Errorf("mode %q shows %d lines:\n%s", q.Mode, lines, demo.Code(q.Mode))
		}
		for _, ours := range []string{"time.", "s.tree", "//show", "//hide"} {
			if strings.Contains(demo.Code(q.Mode), ours) {
				t.Errorf("mode %q shows %q, which is not about the question:\n%s", q.Mode, ours, demo.Code(q.Mode))
			}
		}
		for line := range strings.Lines(demo.Code(q.Mode)) {
			if len(strings.ReplaceAll(line, "\t", "    ")) > 56 {
				t.Errorf("mode %q shows a line too long for the panel: %s", q.Mode, line)
			}
		}
	}
	if got := demo.Code(demo.Nearest); !strings.HasPrefix(got, "near, err := query.AppendNearest") || strings.Contains(got, "//end") {
		t.Errorf("nearest shows\n%s", got)
	}
}
