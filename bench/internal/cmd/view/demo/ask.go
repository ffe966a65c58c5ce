package demo

import (
	"fmt"
	"strconv"

	"github.com/zoctree/zoctree/query"
)

// The modes of the page.
const (
	Camera    = "camera"    // frustum culling
	Occlusion = "occlusion" // occlusion culling
	Ray       = "ray"
	Nearest   = "nearest"
	Pairs     = "pairs"
	Tree      = "tree"     // tight boxes and cells
	Curve     = "curve"    // Morton order
	Motion    = "motion"   // a frame of moving boxes
	Interest  = "interest" // interest management
	Map       = "map"      // a sliding window of points
	Instances = "instances"
)

// Question is a query of the page.
type Question struct {
	Mode   string
	Eye    [3]float64 // position of the camera, the ray, the point or the viewer
	At     [3]float64 // target of the camera or the ray
	FovY   float64    // radians
	Aspect float64
	Near   float64
	Far    float64
	K      int     // number of neighbours
	Radius float64 // of the viewer's area
	Frame  int     // frame of the animation
	Cells  bool    // cells of the tree instead of tight boxes
	Time   bool    // measure times, too
}

// forward returns the direction of the question.
func (q *Question) forward() (f [3]float64) {
	for a := range f {
		f[a] = q.At[a] - q.Eye[a]
	}
	return f
}

// camera returns the camera of the question, with z upwards, or y if it points along z.
func (q *Question) camera() query.Camera {
	f, up := q.forward(), [3]float64{0, 0, 1}
	if f[0] == 0 && f[1] == 0 {
		up = [3]float64{0, 1, 0}
	}
	return query.Camera{Eye: q.Eye, Forward: f, Up: up, FovY: q.FovY, Aspect: q.Aspect, Near: q.Near, Far: q.Far}
}

// Number is a counter.
type Number struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
	State int    `json:"state"` // state that determines the colour; -1: none
	Depth int    `json:"depth"` // depth that determines the colour; -1: none
}

// Bar is a length for comparison with others of its unit.
type Bar struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Value Float  `json:"value"`
	Loop  bool   `json:"loop"` // of the loop over all objects
}

// Answer is the result for the page.
type Answer struct {
	Numbers []Number `json:"numbers"`
	Bars    []Bar    `json:"bars"`
	Boxes   []Float  `json:"boxes"`  // of whole subtrees, six numbers each
	Lines   []Float  `json:"lines"`  // two points each
	Center  []Float  `json:"center"` // of the query, if it moves with the objects
	Note    string   `json:"note"`

	Sentence string `json:"sentence"` // the result in one sentence
	Check    string `json:"check"`    // the comparison with a loop, if it has no difference
	Equal    bool   `json:"equal"`    // it has none
}

func (a *Answer) count(name string, n int, state int) {
	a.Numbers = append(a.Numbers, Number{name, n, state, none})
}

func (a *Answer) bar(name, unit string, value Float) {
	a.Bars = append(a.Bars, Bar{Name: name, Unit: unit, Value: value})
}

func (a *Answer) loop(name, unit string, value Float) {
	a.Bars = append(a.Bars, Bar{name, unit, value, true})
}

// say sets the sentence: numbers have separators.
func (a *Answer) say(format string, numbers ...int) {
	texts := make([]any, len(numbers))
	for i, n := range numbers {
		texts[i] = grouped(n)
	}
	a.Sentence = fmt.Sprintf(format, texts...)
}

// grouped formats a number with a comma before every three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// none is the state of a counter without a colour.
const none = -1

// Ask runs a query and sets States to the state of each object.
func (s *Stage) Ask(q Question) (Answer, error) {
	a := Answer{Equal: true, Check: "A loop over all objects finds the same.", Numbers: []Number{}, Bars: []Bar{}, Boxes: []Float{}, Lines: []Float{}, Center: []Float{}}
	clear(s.States)
	if s.motion != nil && s.motion.drive != nil && q.Mode != Map {
		return a, errMap
	}
	var err error
	switch q.Mode {
	case Camera:
		err = s.see(&q, &a)
	case Occlusion:
		err = s.occlude(&q, &a)
	case Ray:
		err = s.shoot(&q, &a)
	case Nearest:
		err = s.nearest(&q, &a)
	case Pairs:
		err = s.pairs(&q, &a)
	case Tree, Curve:
		s.shape(&q, &a)
	case Motion:
		err = s.move(&q, &a)
	case Interest:
		err = s.watch(&q, &a)
	case Map:
		err = s.sweep(&q, &a)
	case Instances:
		err = s.place(&q, &a)
	default:
		err = fmt.Errorf("no mode %q", q.Mode)
	}
	return a, err
}

// versus measures the library and the loop.
func (a *Answer) versus(q *Question, ours, loop func()) {
	if q.Time {
		us, loops := inTurns(ours, loop)
		a.bar("octree", "µs", us)
		a.loop("loop over all", "µs", loops)
	}
}

// boxes returns the number of boxes tested: 16 for each visited node, and those of the objects.
func boxes(c query.Counters) int { return 16*c.Nodes + c.Tested }

// tested reports the numbers of boxes that the library and the loop test.
func (a *Answer) tested(c query.Counters, n int) {
	a.bar("octree", "boxes tested", Float(boxes(c)))
	a.loop("loop over all", "boxes tested", Float(n))
}

// same reports whether two lists have the same IDs, each once.
func (s *Stage) same(ours, loop []uint32) bool {
	if len(ours) != len(loop) {
		return false
	}
	seen := make([]bool, len(s.objects))
	for _, id := range ours {
		seen[id] = true
	}
	for _, id := range loop {
		if !seen[id] {
			return false
		}
		seen[id] = false
	}
	return true
}

// paint sets the state of objects.
func (s *Stage) paint(ids []uint32, state State) {
	for _, id := range ids {
		s.States[id] = state
	}
}

// candidates paints the tested objects of the heat that have no state yet.
func (s *Stage) candidates(heat *query.Heat) (n int) {
	v := s.tree.View()
	for slot, visits := range heat.Slots {
		if visits == 0 {
			continue
		}
		for _, id := range v.IDs(uint32(slot)) {
			if s.States[id] == Miss {
				s.States[id] = Candidate
				n++
			}
		}
	}
	return n
}
