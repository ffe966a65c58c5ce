package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Situation is a way in which the objects of a tree change, frame by frame.
type Situation struct {
	Name   string
	Far    float64 // share of the objects that move far in a frame
	share  float64 // share of the objects that move
	motion func(s *stage, id uint32)
	around func() []soa.AABB // objects that do not move
	config linear.Config
	calls  int // calls of MoveBatch a frame
	ticks  bool
	uncut  bool // the motion begins when the tree has just been built, not when ticks have cut it in space
}

// Outcome is the result of a situation: visits of small queries over those in a new tree of the same objects.
type Outcome struct {
	Before  float64 // the worst before a tick, of the frames that are measured
	After   float64 // the worst after one; 0 without ticks
	Time    float64 // the time of the queries in the last frame, over that in a new tree
	Rebuilt float64 // objects that rebuilds moved, per moved object; 0 without ticks
	Change  float64 // time of the moves and ticks per moved object, ns
}

// Situations returns the situations: each motion with several shares of moving objects, a motion of all and jumps
// beside large static objects, and with other numbers of calls and configurations.
func Situations() (all []Situation) {
	motions := []struct {
		name string
		far  bool
		move func(s *stage, id uint32)
	}{
		{"drift", false, (*stage).drift}, {"fly", false, (*stage).fly}, {"jump", true, (*stage).jump},
		{"swap", true, (*stage).swap}, {"pulse", false, (*stage).pulse}, {"stream", true, (*stage).stream},
	}
	at := func(motion int, share float64) Situation {
		m := motions[motion]
		x := Situation{Name: fmt.Sprintf("%s, %g %%", m.name, 100*share), share: share, motion: m.move, calls: 1, ticks: true}
		if m.far {
			x.Far = share
		}
		return x
	}
	const fly, jump, stream = 1, 2, 5
	for m := range motions {
		for _, share := range []float64{0.01, 0.1, 0.3, 1} {
			if share < 1 || m != stream { // with nothing left in between the tree would be a new one
				all = append(all, at(m, share))
			}
		}
	}
	some := []Situation{at(fly, 1), at(jump, 0.01), at(jump, 0.4)}
	for _, around := range []struct {
		name string
		make func() []soa.AABB
	}{
		{"400 tiles of 100", func() []soa.AABB { return tiles(20, 100) }},
		{"256 tiles of 1,000", func() []soa.AABB { return tiles(16, 1000) }},
		{"a sky of 10,000", func() []soa.AABB { return []soa.AABB{cube(10_000)} }},
		{"one object of 2e9", func() []soa.AABB { return []soa.AABB{cube(2e9)} }},
		{"2,000 bars through all", bars},
	} {
		for _, x := range some {
			x.Name, x.around = x.Name+", beside "+around.name, around.make
			all = append(all, x)
		}
	}
	for _, x := range append(some, at(fly, 0.1), at(jump, 0.1)) {
		for _, option := range []struct {
			name string
			set  func(x *Situation)
		}{
			{"2 calls", func(x *Situation) { x.calls = 2 }},
			{"100 calls", func(x *Situation) { x.calls = 100 }},
			{"frozen", func(x *Situation) { x.config.Frozen = true }},
			{"world of 4,096", func(x *Situation) { x.config.World = cube(4096) }},
			{"refit", func(x *Situation) { x.config.Policy = linear.PolicyRefit }},
			{"incremental", func(x *Situation) { x.config.Policy = linear.PolicyIncremental }},
			{"no ticks", func(x *Situation) { x.ticks = false }},
			{"uncut", func(x *Situation) { x.uncut = true }},
		} {
			y := x
			option.set(&y)
			y.Name += ", " + option.name
			all = append(all, y)
		}
	}
	const drift = 0
	x := at(drift, 0.3) // grows little by little while ticks cut
	x.Name, x.uncut = x.Name+", uncut", true
	return append(all, x)
}

const (
	swarmSide = 100 // side of the cube of moving objects, whose edges are swarmEdge
	swarmEdge = 0.2

	situationFrames   = 96
	situationMeasured = 8  // one frame in so many is measured
	situationQueries  = 64 // boxes of edge situationBox around moving objects
	situationBox      = 2
)

// stage is a situation in progress.
type stage struct {
	r     *rand.Rand
	tree  *linear.Tree
	boxes []soa.AABB // by ID; the moving objects are the first
	speed [][3]float32
	frame int

	former soa.AABB // of the last object that was swapped
	gone   []uint32 // objects that are removed in this frame, and then those inserted instead
}

// Run runs a situation with n moving objects.
func (x *Situation) Run(seed uint64, n int) (o Outcome) {
	s := &stage{r: rand.New(rand.NewPCG(seed, 11))}
	for range n {
		s.boxes = append(s.boxes, s.anywhere())
		s.speed = append(s.speed, [3]float32{s.offset(), s.offset(), s.offset()})
	}
	if x.around != nil {
		s.boxes = append(s.boxes, x.around()...)
	}
	s.tree, s.former = plant(s.boxes, x.config), s.anywhere()
	must.Do(s.tree.Tick()) // ends the frame of the build
	if x.ticks && !x.uncut {
		must.Do(Settle(s.tree))
	}
	deck := make([]uint32, n)
	for i := range deck {
		deck[i] = uint32(i)
	}
	moving := max(int(x.share*float64(n)), 1)
	var spent time.Duration
	rebuilt := 0
	for s.frame = range situationFrames {
		s.gone = s.gone[:0]
		for i := range moving { // the first of the deck move
			k := i + s.r.IntN(n-i)
			deck[i], deck[k] = deck[k], deck[i]
		}
		ids := deck[:moving]
		if moving == n {
			slices.Sort(ids)
		}
		for _, id := range ids {
			x.motion(s, id)
		}
		to := make([]soa.AABB, len(ids))
		for i, id := range ids {
			to[i] = s.boxes[id]
		}
		measured := s.frame%situationMeasured == 0 || s.frame == situationFrames-1
		objects := boxObjects(to)
		begin := time.Now()
		if len(s.gone) > 0 {
			must.Do(s.tree.RemoveBatch(s.gone))
			s.gone = must.Get(s.tree.InsertBatch(s.gone[:0], objects))
		} else {
			for c := range x.calls {
				lo, hi := c*len(ids)/x.calls, (c+1)*len(ids)/x.calls
				must.Do(s.tree.MoveBatch(ids[lo:hi], to[lo:hi]))
			}
		}
		if measured || !x.ticks {
			s.tree.View() // applies the moves
		}
		spent += time.Since(begin)
		for i, id := range s.gone {
			s.boxes[id] = to[i]
		}
		fresh := 0.0
		if measured {
			fresh = s.visits(x.plant(s.boxes).View())
			o.Before = max(o.Before, s.visits(s.tree.View())/fresh)
		}
		if x.ticks {
			begin = time.Now()
			must.Do(s.tree.Tick())
			spent += time.Since(begin)
			rebuilt += s.tree.Work().Rebuilt
			if measured {
				o.After = max(o.After, s.visits(s.tree.View())/fresh)
			}
		}
	}
	o.Rebuilt = float64(rebuilt) / float64(moving*situationFrames)
	o.Change = float64(spent.Nanoseconds()) / float64(moving*situationFrames)
	o.Time = s.time(s.tree.View(), x.plant(s.boxes).View())
	return o
}

// plant returns a new tree of the boxes, cut in space at once.
func (x *Situation) plant(boxes []soa.AABB) *linear.Tree {
	cfg := x.config
	cfg.Cut = linear.CutSpace
	return plant(boxes, cfg)
}

func plant(boxes []soa.AABB, cfg linear.Config) *linear.Tree {
	t := must.Get(linear.New(cfg))
	must.Get(t.InsertBatch(nil, boxObjects(boxes)))
	return t
}

func boxObjects(boxes []soa.AABB) []soa.Object {
	objects := make([]soa.Object, len(boxes))
	for i := range objects {
		objects[i].Box = boxes[i]
	}
	return objects
}

// query returns a small box around a moving object.
func (s *stage) query(i int) query.Box {
	b := s.boxes[i*len(s.speed)/situationQueries]
	for a := range 3 {
		mid := (b.Min[a] + b.Max[a]) / 2
		b.Min[a], b.Max[a] = mid-situationBox/2, mid+situationBox/2
	}
	return must.Get(query.NewBox(b.Min, b.Max))
}

// visits returns the number of nodes and packets that the queries visit.
func (s *stage) visits(v linear.View) (sum float64) {
	for i := range situationQueries {
		c := s.query(i).Explain(v, query.Filter{}, nil)
		sum += float64(c.Nodes + c.Packets)
	}
	return sum
}

// time returns the time of the queries in a view over that in another one, of the least of several rounds each.
func (s *stage) time(v, fresh linear.View) float64 {
	queries := make([]query.Box, situationQueries)
	for i := range queries {
		queries[i] = s.query(i)
	}
	var ids []uint32
	var least [2]time.Duration
	for range 20 {
		for k, v := range []linear.View{v, fresh} {
			begin := time.Now()
			for i := range queries {
				ids = queries[i].Append(ids[:0], v, query.Filter{})
			}
			if d := time.Since(begin); least[k] == 0 || d < least[k] {
				least[k] = d
			}
		}
	}
	return float64(least[0]) / float64(least[1])
}

// offset returns a random distance of at most 1 to either side.
func (s *stage) offset() float32 { return 2*s.r.Float32() - 1 }

// anywhere returns a box at a random place.
func (s *stage) anywhere() (b soa.AABB) {
	for a := range 3 {
		b.Min[a] = s.offset() * swarmSide / 2
		b.Max[a] = b.Min[a] + swarmEdge
	}
	return b
}

func (s *stage) shift(id uint32, by [3]float32) {
	b := &s.boxes[id]
	for a := range 3 {
		b.Min[a], b.Max[a] = b.Min[a]+by[a], b.Max[a]+by[a]
	}
}

// drift moves an object a little in a random direction.
func (s *stage) drift(id uint32) { s.shift(id, [3]float32{s.offset(), s.offset(), s.offset()}) }

// fly moves an object with a speed of its own, and back after half of the frames.
func (s *stage) fly(id uint32) {
	v := s.speed[id]
	if s.frame >= situationFrames/2 {
		v = [3]float32{-v[0], -v[1], -v[2]}
	}
	s.shift(id, v)
}

// jump moves an object to a random place.
func (s *stage) jump(id uint32) { s.boxes[id] = s.anywhere() }

// swap moves an object to where the one before it was.
func (s *stage) swap(id uint32) { s.former, s.boxes[id] = s.boxes[id], s.former }

// pulse moves an object towards the centre, and away from it after half of the frames.
func (s *stage) pulse(id uint32) {
	f := float32(-0.03)
	if s.frame >= situationFrames/2 {
		f = 0.03
	}
	c := s.boxes[id].Center()
	s.shift(id, [3]float32{float32(f * c[0]), float32(f * c[1]), float32(f * c[2])})
}

// stream replaces an object by a new one at a random place.
func (s *stage) stream(id uint32) {
	s.jump(id)
	s.gone = append(s.gone, id)
}

// cube returns a cube around the origin.
func cube(side float32) soa.AABB {
	h := side / 2
	return soa.AABB{Min: [3]float32{-h, -h, -h}, Max: [3]float32{h, h, h}}
}

// tiles returns k*k flat tiles below the moving objects.
func tiles(k int, edge float32) (boxes []soa.AABB) {
	for i := range k * k {
		x, y := (float32(i%k)-float32(k)/2)*edge, (float32(i/k)-float32(k)/2)*edge
		boxes = append(boxes, soa.AABB{Min: [3]float32{x, y, -swarmSide / 2}, Max: [3]float32{x + edge, y + edge, -swarmSide / 2}})
	}
	return boxes
}

// bars returns bars through all moving objects.
func bars() (boxes []soa.AABB) {
	s := stage{r: rand.New(rand.NewPCG(5, 5))}
	for range 2000 {
		b := s.anywhere()
		b.Min[0], b.Max[0] = -swarmSide/2, swarmSide/2
		boxes = append(boxes, b)
	}
	return boxes
}
