package demo_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
	"github.com/zoctree/zoctree/bench/internal/must"
)

// grouped returns the first counter that is not the number of a frame, with commas.
func grouped(numbers []demo.Number) string {
	n := numbers[0]
	if n.Name == "frame" {
		n = numbers[1]
	}
	text := strconv.Itoa(n.Value)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// The map holds the points of the window, and queries find those that loops find. A rewound drive is the same again.
func TestMap(t *testing.T) {
	s := must.Get(demo.NewStage(demo.Lidar, 3000, 1))
	q := demo.Question{Mode: demo.Map, Radius: 12, K: 30}
	var first demo.Answer
	before := s.About.Objects
	for frame := range 50 {
		q.Frame = frame
		a, err := s.Ask(q)
		if err != nil || !a.Equal {
			t.Fatalf("frame %d: %v, %+v", frame, err, a)
		}
		live, in, out := value(t, a, "points in the window"), value(t, a, "inserted in this scan"), value(t, a, "removed in this scan")
		if frame > 0 && live != before+in-out || in == 0 {
			t.Errorf("frame %d: %d points, of %d, with %d inserted and %d removed", frame, live, before, in, out)
		}
		before = live
		painted := make([]int, demo.States)
		for _, state := range s.States {
			painted[state]++
		}
		if n := value(t, a, "others within the radius"); n == 0 || painted[demo.Hit] != n || painted[demo.Whole] != 30 || len(s.States)-painted[demo.Absent] != live {
			t.Errorf("frame %d: %v are painted, %+v", frame, painted, a.Numbers)
		}
		if frame == 20 {
			first = a
		}
		if len(a.Bars) != map[bool]int{false: 3, true: 5}[frame >= 4] {
			t.Errorf("frame %d: bars %+v", frame, a.Bars)
		}
	}
	if len(s.States) > 3*before {
		t.Errorf("%d IDs for %d points", len(s.States), before)
	}
	q.Frame = 20
	if again := must.Get(s.Ask(q)); !slices.Equal(again.Numbers, first.Numbers) || !slices.Equal(again.Center, first.Center) {
		t.Errorf("rewound: %+v, before %+v", again.Numbers, first.Numbers)
	}
}

// Instances find the objects of a loop over all boxes, through turned and mirrored transforms.
func TestInstances(t *testing.T) {
	s := must.Get(demo.NewStage(demo.Blocks, 20_000, 1))
	found := 0
	for _, q := range questions(s.About) {
		if q.Mode != demo.Camera {
			continue
		}
		for turn := range 8 {
			q.Mode = demo.Instances
			q.At[turn%2] += (s.About.Bounds[3] - s.About.Bounds[0]) / 4 * float64(1-turn/4)
			q.At[2] = s.About.Bounds[2]
			a, err := s.Ask(q)
			if err != nil || !a.Equal || !strings.Contains(a.Sentence, " in 80 instances ") {
				t.Fatalf("turn %d: %v, %+v", turn, err, a)
			}
			painted := make([]int, demo.States)
			for _, state := range s.States {
				painted[state]++
			}
			visible := value(t, a, "visible")
			found += painted[demo.Hit] * painted[demo.Whole]
			if painted[demo.Hit]+painted[demo.Whole] != visible || value(t, a, "outside") != painted[demo.Miss] {
				t.Errorf("turn %d: %v are painted, %+v", turn, painted, a.Numbers)
			}
			q.Mode = demo.Camera // the tree of all boxes finds about as many
			if all := value(t, must.Get(s.Ask(q)), "visible"); all < visible*99/100 || visible < all*99/100 {
				t.Errorf("turn %d: instances find %d, a tree %d", turn, visible, all)
			}
		}
	}
	if found == 0 {
		t.Error("no view has both tested and untested objects")
	}
}

// Occluded objects are behind others, and all others in the frustum are visible.
func TestOcclusion(t *testing.T) {
	s := must.Get(demo.NewStage("city", 20_000, 1))
	q := demo.Question{Mode: demo.Occlusion, Eye: [3]float64(s.About.Eye), At: [3]float64(s.About.At), FovY: 0.9, Aspect: 1.6, Near: 0.5, Far: 1000}
	a := must.Get(s.Ask(q))
	if !a.Equal || !strings.HasPrefix(a.Check, "Of 300 rays") {
		t.Errorf("the check is %v: %s", a.Equal, a.Check)
	}
	visible, hidden := value(t, a, "visible"), value(t, a, "in the frustum, but occluded")
	q.Mode = demo.Camera
	if all := value(t, must.Get(s.Ask(q)), "visible"); visible+hidden != all || hidden < visible {
		t.Errorf("%d visible and %d occluded, %d in the frustum", visible, hidden, all)
	}
}
