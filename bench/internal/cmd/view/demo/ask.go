package demo

import (
	"fmt"
	"math"
	"time"

	"github.com/zoctree/zoctree/query"
)

// The modes of the page.
const (
	Camera    = "camera"    // what a camera sees
	Occlusion = "occlusion" // and of that, what solid things do not hide
	Ray       = "ray"
	Nearest   = "nearest"
	Pairs     = "pairs"
	Tree      = "tree"     // tight boxes and cells
	Curve     = "curve"    // the order of keys
	Motion    = "motion"   // a frame of moving boxes
	Interest  = "interest" // what entered and left
)

// Question is what the page asks.
type Question struct {
	Mode   string
	Eye    [3]float64 // of the camera, the ray, the point or the viewer
	At     [3]float64 // where it looks
	FovY   float64    // radians
	Aspect float64
	Near   float64
	Far    float64
	K      int     // neighbours
	Radius float64 // of the viewer's area
	Frame  int     // of what moves
	Cells  bool    // of the tree, not its tight boxes
	Time   bool    // measures, too
}

// forward is the direction of the question.
func (q *Question) forward() (f [3]float64) {
	for a := range f {
		f[a] = q.At[a] - q.Eye[a]
	}
	return f
}

// camera is that of the question, with z upwards, or y when it looks along z.
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
	State int    `json:"state"` // whose colour it has; -1: none
	Depth int    `json:"depth"` // the depth whose colour it has; -1: none
}

// Bar is a length to be compared with others of its unit.
type Bar struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Value Float  `json:"value"`
	Loop  bool   `json:"loop"` // of the loop over all
}

// Answer is what the page shows.
type Answer struct {
	Numbers []Number `json:"numbers"`
	Bars    []Bar    `json:"bars"`
	Boxes   []Float  `json:"boxes"` // of whole subtrees, six numbers each
	Lines   []Float  `json:"lines"` // two points each
	Note    string   `json:"note"`
	Equal   bool     `json:"equal"` // the loop has found the same
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

// none is the state of a counter without a colour.
const none = -1

// Ask answers a question and leaves in States what became of each object.
func (s *Stage) Ask(q Question) (Answer, error) {
	a := Answer{Equal: true, Numbers: []Number{}, Bars: []Bar{}, Boxes: []Float{}, Lines: []Float{}}
	clear(s.States)
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
	default:
		err = fmt.Errorf("no mode %q", q.Mode)
	}
	return a, err
}

// clockTime is how long a measurement lasts at least: the clocks of browsers are coarse.
const clockTime = 2 * time.Millisecond

// A page is drawn, and compiled, while it measures: the least of some turns is what both
// take when nothing else has the processor.
const (
	turns  = 5
	enough = 60 * time.Millisecond // no turn begins later
)

// micros returns how long a run of f takes, in microseconds.
func micros(f func()) Float {
	runs, start := 0, time.Now()
	for {
		f()
		runs++
		if took := time.Since(start); took >= clockTime {
			return Float(took.Nanoseconds()) / 1e3 / Float(runs)
		}
	}
}

// inTurns returns how long a run of each takes at best, in microseconds.
func inTurns(ours, loop func()) (us, loops Float) {
	us, loops = math.Inf(1), math.Inf(1)
	for turn, start := 0, time.Now(); turn < turns && (turn == 0 || time.Since(start) < enough); turn++ {
		us, loops = min(us, micros(ours)), min(loops, micros(loop))
	}
	return us, loops
}

// versus measures the library and the loop.
func (a *Answer) versus(q *Question, ours, loop func()) {
	if q.Time {
		us, loops := inTurns(ours, loop)
		a.bar("octree", "µs", us)
		a.loop("loop over all", "µs", loops)
	}
}

// tested says how many boxes the library and the loop look at.
func (a *Answer) tested(c query.Counters, n int) {
	a.bar("octree", "boxes tested", Float(16*c.Nodes+c.Tested))
	a.loop("loop over all", "boxes tested", Float(n))
}

// same tells whether two lists have the same IDs, each once.
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

// paint gives objects a state.
func (s *Stage) paint(ids []uint32, state State) {
	for _, id := range ids {
		s.States[id] = state
	}
}

// candidates paints what the heat says was tested, and has no state yet.
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
