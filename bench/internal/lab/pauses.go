package lab

import (
	"runtime"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const (
	pauseSample  = 8  // one frame in so many, and the first, is compared with a new tree
	pauseQueries = 64 // queries of each kind in a comparison
	pauseAsked   = 8  // timed queries of each kind in a frame
	pauseRounds  = 20 // rounds of the times in a comparison
)

// PauseAllowance is the time that a call may take for each object given to it or returned by it.
const PauseAllowance = 25 * time.Nanosecond

// Call is a call of a tree.
type Call struct {
	Kind    string
	Frame   int
	Given   int           // objects given to it or returned by it
	Touched int           // objects that it visited: of a query, and of a Tick with the changes before it
	Time    time.Duration // the least of all replays

	// Beyond is the time in excess of the allowance for the objects given. Carried is the same after the time that
	// the changes before a View or a Tick have left over from their own allowance, as their work may be deferred.
	Beyond, Carried time.Duration
}

// Comparison compares the queries of one kind with those in a new tree of the same objects.
type Comparison struct {
	Kind          string
	Frame         int
	Before, After float64 // visits before and after the tick, over those in the new tree
	Time          float64 // the larger time of before and after the tick, over that in the new tree
}

// Pauses are the calls of a program, and comparisons of its queries.
type Pauses struct {
	Calls       []Call
	Comparisons []Comparison
}

// Run runs the mix with n objects for a number of frames, once to count and to compare, and replays it to time its
// calls. An error ends the work, and so does a replay whose calls differ.
func (x *Mix) Run(n, frames, replays int, seed uint64, cfg linear.Config) *Pauses {
	p := &Pauses{}
	var queries [][]Workload
	for replay := range replays + 1 {
		r := &player{pauses: p, replay: replay, queries: queries, seed: seed}
		r.play(x, n, frames, cfg)
		if queries = r.queries; replay > 0 && r.next != len(p.Calls) {
			must.Fail("%s: replay %d makes %d calls instead of %d", x.Name, replay, r.next, len(p.Calls))
		}
	}
	p.measureBeyond()
	return p
}

// measureBeyond computes the excess of all calls.
func (p *Pauses) measureBeyond() {
	left := time.Duration(0)
	for i := range p.Calls {
		c := &p.Calls[i]
		spare := time.Duration(c.Given)*PauseAllowance - c.Time
		c.Beyond = max(-spare, 0)
		c.Carried = c.Beyond
		switch {
		case c.Kind == callView || c.Kind == callTick:
			c.Carried = max(c.Beyond-left, 0)
			left = max(left-c.Beyond, 0)
		case !isQuery(c.Kind):
			left += max(spare, 0)
		}
		if c.Kind == callTick {
			left = 0
		}
	}
}

// player is one run of a program.
type player struct {
	*Motion
	tree    *linear.Tree
	batch   linear.Batch
	pauses  *Pauses
	replay  int // 0 counts and compares, the others time
	next    int // index of the next call
	frame   int // from 1
	seed    uint64
	queries [][]Workload // one set for each comparison, of the objects at that time
	answer  Answer

	ids     []uint32
	boxes   []soa.AABB
	objects []soa.Object
}

// play builds a tree, cuts it in space, and runs the frames.
func (p *player) play(x *Mix, n, frames int, cfg linear.Config) {
	objects := x.objects(n, p.seed)
	p.Motion = NewMotion(objects, p.seed)
	p.tree = must.Get(linear.New(cfg))
	must.Get(p.tree.InsertBatch(nil, objects))
	must.Do(p.tree.Tick()) // ends the frame of the build
	must.Do(Settle(p.tree))
	runtime.GC()
	for p.frame = 1; p.frame <= frames; p.frame++ {
		x.step(p)
		p.call(callView, 0, func() { p.tree.View() })
		fresh := p.compare(nil, false)
		p.ask()
		p.call(callTick, 0, func() { must.Do(p.tree.Tick()) })
		p.touch(touchedBy(p.tree.Work()))
		p.compare(fresh, true)
	}
	if p.replay == 0 {
		must.Do(p.tree.Validate())
	}
}

// touchedBy returns the objects that a frame touched, at most: a packet and a node have up to 16 entries, and a node of
// packets has up to 256 objects.
func touchedBy(w linear.Work) int {
	return w.Moved + w.Placed + w.Shifted + w.Rebuilt + 16*(w.RefitPackets+w.RefitNodes) + 256*w.Recut
}

// call times a call that is given some objects.
func (p *player) call(kind string, given int, work func()) {
	begin := time.Now()
	work()
	p.note(kind, given, time.Since(begin))
}

// note records the time of a call.
func (p *player) note(kind string, given int, took time.Duration) {
	if p.replay == 0 {
		p.pauses.Calls = append(p.pauses.Calls, Call{Kind: kind, Frame: p.frame, Given: given, Time: 1 << 62})
	}
	if p.next == len(p.pauses.Calls) {
		must.Fail("frame %d: replay %d has another call %s", p.frame, p.replay, kind)
	}
	c := &p.pauses.Calls[p.next]
	if c.Kind != kind || c.Given != given || c.Frame != p.frame {
		must.Fail("frame %d: replay %d calls %s with %d objects instead of %s with %d", p.frame, p.replay, kind, given, c.Kind, c.Given)
	}
	if p.replay > 0 {
		c.Time = min(c.Time, took)
	}
	p.next++
}

// touch records the objects that the last call touched.
func (p *player) touch(objects int) {
	c := &p.pauses.Calls[p.next-1]
	if p.replay == 0 {
		c.Touched = objects
	}
	if c.Touched != objects {
		must.Fail("frame %d: replay %d touches %d objects in %s instead of %d", p.frame, p.replay, objects, c.Kind, c.Touched)
	}
}

// ask times some queries of each kind.
func (p *player) ask() {
	v := p.tree.View()
	for _, q := range p.queries[p.frame/pauseSample] {
		for i := range pauseAsked {
			i = (p.frame%pauseSample*pauseAsked + i) % q.Len()
			begin := time.Now()
			q.Answer(&p.answer, v, i)
			took := time.Since(begin)
			p.note(q.Name, len(p.answer.IDs), took)
			if p.replay == 0 {
				p.touch(q.Batch.(Tracer).Trace(v, i, nil).Tested)
			}
		}
	}
}

// compare compares the queries with those in a new tree, which it returns for the comparison after the tick.
func (p *player) compare(fresh *linear.Tree, after bool) *linear.Tree {
	if p.replay > 0 || p.frame > 1 && p.frame%pauseSample > 0 {
		return nil
	}
	if !after {
		fresh = p.tree.Clone()
		must.Do(fresh.Rebuild(nil, linear.RebuildOptions{Cut: linear.CutSpace}))
		p.queries = append(p.queries, p.makeQueries())
		runtime.GC() // not while the queries are timed
		for _, kind := range PauseQueries {
			p.pauses.Comparisons = append(p.pauses.Comparisons, Comparison{Kind: kind, Frame: p.frame})
		}
	}
	list := p.pauses.Comparisons[len(p.pauses.Comparisons)-len(PauseQueries):]
	views := [2]linear.View{p.tree.View(), fresh.View()}
	for k, q := range p.queries[len(p.queries)-1] {
		visits, times := ratios(q.Batch, views)
		if after {
			list[k].After = visits
		} else {
			list[k].Before = visits
		}
		list[k].Time = max(list[k].Time, times)
	}
	return fresh
}

// ratios returns the visits and the time of queries in the first view over those in the second. The times are the least
// of several rounds in turns.
func ratios(q Batch, views [2]linear.View) (visits, times float64) {
	var count [2]int
	var least [2]time.Duration
	for i := range q.Len() {
		for k, v := range views {
			c := q.(Tracer).Trace(v, i, nil)
			count[k] += c.Nodes + c.Packets
		}
	}
	for range pauseRounds {
		for k, v := range views {
			begin := time.Now()
			q.Pass(v)
			if d := time.Since(begin); least[k] == 0 || d < least[k] {
				least[k] = d
			}
		}
	}
	return float64(count[0]) / float64(count[1]), float64(least[0]) / float64(least[1])
}

// PauseQueries are the names of the queries of all mixes.
var PauseQueries = []string{"box query of 8", "box query of 450", "ray first hit", "nearest k=8", "frustum"}

func isQuery(kind string) bool { return slices.Contains(PauseQueries, kind) }

// makeQueries returns queries of the current objects.
func (p *player) makeQueries() (all []Workload) {
	var objects []soa.Object
	for _, o := range p.tree.All() {
		objects = append(objects, o)
	}
	cameras := scene.Cameras(objects, 0.01, pauseQueries/4, p.seed)
	frusta := make([][6][4]float32, len(cameras))
	for i := range cameras {
		frusta[i] = cameras[i].Planes()
	}
	for i, b := range []Batch{
		must.Get(NewBoxes(scene.BoxQueries(objects, 8, pauseQueries, p.seed))),
		must.Get(NewBoxes(scene.BoxQueries(objects, 450, pauseQueries, p.seed))),
		must.Get(NewRays(scene.RayQueries(objects, pauseQueries, p.seed), RayFirst)),
		NewPoints(scene.PointQueries(objects, pauseQueries, p.seed), 8),
		must.Get(NewFrusta(frusta)),
	} {
		all = append(all, Workload{PauseQueries[i], b})
	}
	return all
}
