package interest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// ErrNoLog is returned for a view of a tree that does not record its changes.
var ErrNoLog = errors.New("interest: the tree records no changes: it was made without linear.Config.Log")

// ErrNoViewer is returned for a viewer that there is not.
var ErrNoViewer = errors.New("interest: there is no such viewer")

// Tracker tells what entered and left the areas of each of many viewers since the last update,
// and what was touched in them: the interest management of a server. What each viewer is to be
// sent are these three: all of what entered, the new state of what was touched, and the number
// of what left.
//
// The zero value is ready: it has no viewers and lets them see all objects. One goroutine at a
// time may use a tracker, but between two updates any number may ask for what the last one told:
// [Tracker.Changed], Entered, Left and Touched of any viewer, and [Tracker.InView] of different
// ones, while none adds, moves or removes viewers. It must not be copied after its first use.
// Any number of trackers may follow one tree, which must be made with [linear.Config.Log].
//
//	err := tree.Tick()
//	err = tracker.Move(player, area)
//	err = tracker.Update(tree.View())
//	for _, viewer := range tracker.Changed() {
//		… tracker.Entered(viewer) … tracker.Touched(viewer) … tracker.Left(viewer)
//	}
//
// The package comment tells what it holds and costs.
type Tracker struct {
	// Filter says which objects there are for the viewers. It may be changed between updates:
	// what no longer passes leaves, what now does may enter. With Only, or after a change of
	// the filter, every viewer asks anew: nobody tells what is written to a bitmap.
	Filter query.Filter

	// Workers is the number of goroutines of an update, the caller's among them. 0 means
	// GOMAXPROCS, and more than 1,024 mean as many. What it tells does not depend on it.
	Workers int

	// Draw, unless nil, draws solids that are no objects, such as a terrain, for areas of sights ([Visible]):
	// it is called with an Eye after each Look, which it must not ask or keep, by up to Workers goroutines at
	// a time. When it panics, Update does so on the goroutine of its caller, once all workers have ended, and
	// the tracker is as before that update.
	Draw func(eye *occlude.Culler)

	viewers []*viewer // by number; nil: there is none, and no memory for one
	free    []uint32  // numbers of removed viewers
	live    int
	order   []uint32 // numbers of viewers, ascending at an update; others are those of removed ones
	mixed   bool     // order may not be ascending
	sights  int      // viewers whose areas are sights

	past    past
	delta   delta
	log     uint64 // the log of the tree; 0: none
	at      uint64 // the number of its first change that has not been seen
	updates uint64
	frame   frame // of the last update

	parts   []*part
	team    team.Team
	next    atomic.Int64 // index in the order of the viewer that no worker has taken yet
	changed []uint32
}

// frame is what an update is about, for all workers.
type frame struct {
	update   uint64
	view     linear.View
	store    *soa.Store
	draw     func(*occlude.Culler)
	delta    *delta
	filter   query.Filter
	renewed  bool // no object is one of those of the last update
	few      bool // areas that stand look at what has changed only
	rescaled bool // planes round otherwise than at the last update

	near, extent [3]float32
}

// viewersAtOnce is how many viewers a worker takes at a time.
const viewersAtOnce = 64

// fewOneIn says when areas that stand look at what has changed only: when it is not more than
// one object in so many, or than fewMin.
const (
	fewOneIn = 32
	fewMin   = 1024
)

// Add adds a viewer and returns its number: that of the viewer that was removed last, or else
// the next one from 0 on. Nothing is in its view before the next update. It takes constant time.
func (t *Tracker) Add(a Area) (viewerID uint32) {
	n := uint32(len(t.viewers))
	if k := len(t.free); k > 0 {
		n, t.free = t.free[k-1], t.free[:k-1]
	} else {
		t.viewers = append(t.viewers, nil)
	}
	w := t.viewers[n]
	if w == nil {
		w = new(viewer)
		t.viewers[n] = w
	}
	*w = viewer{area: a, view: w.view[:0], known: true, listed: w.listed}
	if !w.listed {
		w.listed = true
		t.mixed = t.mixed || len(t.order) > 0 && t.order[len(t.order)-1] > n
		t.order = append(t.order, n)
	}
	t.live++
	t.sights += a.seen()
	return n
}

// Move gives a viewer another area, from the next update on; to the same one it does not move. The
// error is [ErrNoViewer], and nothing has changed then. It takes constant time.
func (t *Tracker) Move(viewerID uint32, a Area) error {
	w := t.viewer(viewerID)
	if w == nil {
		return fmt.Errorf("%w: %d", ErrNoViewer, viewerID)
	}
	if w.area != a {
		t.sights += a.seen() - w.area.seen()
		w.area, w.asked = a, false
	}
	return nil
}

// Remove removes a viewer: nothing is told of it any more, not even that what it saw has left.
// The error is [ErrNoViewer], and nothing has changed then. It takes constant time. Its memory
// serves the next viewer, until [Tracker.Trim].
func (t *Tracker) Remove(viewerID uint32) error {
	w := t.viewer(viewerID)
	if w == nil {
		return fmt.Errorf("%w: %d", ErrNoViewer, viewerID)
	}
	t.sights -= w.area.seen()
	*w = viewer{view: w.view[:0], listed: w.listed}
	t.free = append(t.free, viewerID)
	t.live--
	return nil
}

// Len returns the number of viewers.
func (t *Tracker) Len() int { return t.live }

// viewer returns a viewer, nil if there is none of that number.
func (t *Tracker) viewer(n uint32) *viewer {
	if int64(n) >= int64(len(t.viewers)) || t.viewers[n] == nil || !t.viewers[n].known {
		return nil
	}
	return t.viewers[n]
}

// Update brings all viewers to the state of the view: of a tree, of a version that is held
// ([linear.Publisher]), or of the objects of a scene ([linear.SceneView.Objects]).
//
//	entered   objects that are in view and were not
//	left      objects that were in view and are not: also those that are no more
//	touched   objects that were in view and are, and have another box, mask, static flag,
//	          sphere or oriented box than at the last update
//
// An object is meant, not its ID: of one that was removed and whose ID was given out again the
// ID has left, and if the new object is in view it has entered, too. So it is with all objects
// when the view is that of another tree, or of a clone. Views may come in another order than that of
// time. Rebuilds and what else a tree does by itself tell nothing.
//
// What is told depends on the areas and the objects at this update and the last one only, and on what
// [Tracker.Draw] draws, not on how it was found. The tracker reads what has changed from the log, or, when the log has
// forgotten a part of it, compares all objects with its copy. An area that stands then looks
// at the changed objects only, if these are up to 1,024 or one in 32; one that is new or has
// moved, or a frustum when the bounds of the tree have changed by which planes round, asks the
// tree, and so does what an area sees ([Visible]). It is counts alone that decide.
//
// The error is [ErrNoLog], or that of a filter that is out of range; the tracker is then as
// before. In steady state it allocates nothing but what starting more than one worker takes.
func (t *Tracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := t.Filter.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Ranges).Leave() // workers start in it; walks have their own
	f, last := &t.frame, t.frame
	*f = frame{
		update: t.updates + 1, view: v, store: s, draw: t.Draw, delta: &t.delta, filter: t.Filter,
		renewed: t.log != s.Log.Number, near: s.Near, extent: s.Extent,
	}
	t.arrange()
	t.seeAll(f, &last)
	t.updates++
	t.read(v, f.renewed)
	f.few = !f.renewed && sameFilter(&t.Filter, &last.filter) && t.delta.count <= t.delta.most
	f.rescaled = f.near != last.near || f.extent != last.extent
	if f.few {
		t.delta.fill(s)
	}
	t.work(f)
	t.collect()
	f.view, f.store, f.draw = linear.View{}, nil, nil
	return nil
}

// arrange lists the viewers that there are, ascending. It takes time proportional to them and to
// those removed since the last update.
func (t *Tracker) arrange() {
	if len(t.order) > t.live {
		t.order = slices.DeleteFunc(t.order, func(n uint32) bool {
			w := t.viewers[n]
			w.listed = w.known
			return !w.known
		})
	}
	if t.mixed {
		slices.Sort(t.order)
		t.mixed = false
	}
}

// seeAll finds what is seen by viewers whose areas are sights, and changes nothing else: Draw may
// panic, and the frame is then the last one again.
func (t *Tracker) seeAll(f, last *frame) {
	t.staff()
	for _, p := range t.parts {
		p.seen = p.seen[:0]
	}
	done := false
	defer func() {
		if !done {
			*f = *last
		}
	}()
	if t.sights > 0 {
		t.share(f, (*part).seeBoth)
	}
	done = true
}

// read finds what has changed since the last update.
func (t *Tracker) read(v linear.View, renewed bool) {
	s := v.Store()
	if renewed {
		t.past.reset()
	}
	t.past.cover(len(s.Log.Born))
	most := max(fewMin, s.Count/fewOneIn)
	if renewed {
		most = 0
	}
	t.delta.reset(len(t.past.records), most)
	changes, next, ok := v.Changes(t.at)
	if ok && !renewed {
		t.delta.readLog(&t.past, v, changes)
	} else {
		t.delta.readAll(&t.past, v)
	}
	t.log, t.at = s.Log.Number, next
}

// sameFilter reports whether two filters let the same objects pass.
func sameFilter(f, g *query.Filter) bool {
	return f.Mask == g.Mask && f.Motion == g.Motion && f.Exact == g.Exact && f.Only == nil && g.Only == nil
}

// work looks after all viewers.
func (t *Tracker) work(f *frame) {
	for _, p := range t.parts {
		p.events = p.events[:0]
		p.bits = words(p.bits, len(t.past.records))
	}
	t.share(f, (*part).look)
}

// staff returns the number of workers of an update, each of which has a part.
func (t *Tracker) staff() (workers int) {
	workers = max(min(team.Size(t.Workers), (len(t.order)+viewersAtOnce-1)/viewersAtOnce), 1)
	for len(t.parts) < workers {
		t.parts = append(t.parts, &part{number: len(t.parts)})
	}
	return workers
}

// share does a piece of work for all viewers, by all workers.
func (t *Tracker) share(f *frame, work func(p *part, f *frame, w *viewer)) {
	t.next.Store(0)
	if workers := t.staff(); workers == 1 {
		t.take(f, t.parts[0], work)
	} else {
		t.together(f, workers, work)
	}
}

// together is share by several workers.
func (t *Tracker) together(f *frame, workers int, work func(p *part, f *frame, w *viewer)) {
	t.team.Run(workers, func(member int) { t.take(f, t.parts[member], work) }, func() { t.next.Store(int64(len(t.order))) })
}

// take works for viewers until there are no more.
func (t *Tracker) take(f *frame, p *part, work func(p *part, f *frame, w *viewer)) {
	for {
		from := int(t.next.Add(viewersAtOnce)) - viewersAtOnce
		if from >= len(t.order) {
			return
		}
		for _, n := range t.order[from:min(from+viewersAtOnce, len(t.order))] {
			work(p, f, t.viewers[n])
		}
	}
}

// collect lists the viewers for which there is something to tell.
func (t *Tracker) collect() {
	t.changed = t.changed[:0]
	for _, n := range t.order {
		if w := t.viewers[n]; w.told.end > w.told.first {
			t.changed = append(t.changed, n)
		}
	}
}

// Changed returns the viewers for which something entered, left or was touched with the last
// update, ascending. It is valid until the next update, and takes constant time.
func (t *Tracker) Changed() []uint32 { return t.changed }

// Entered returns the objects that came into view of a viewer with the last update, ascending;
// nothing if there is no such viewer. It is valid until the next update or the viewer's
// removal, and takes constant time.
func (t *Tracker) Entered(viewerID uint32) []uint32 {
	w := t.told(viewerID)
	return t.events(w, w.told.first, w.told.left)
}

// Left returns the IDs of the objects that went out of view of a viewer with the last update,
// as [Tracker.Entered] does those that came. They may have been removed since, and an ID may
// be that of another object now: what left is to be told first.
func (t *Tracker) Left(viewerID uint32) []uint32 {
	w := t.told(viewerID)
	return t.events(w, w.told.left, w.told.touched)
}

// Touched returns the objects that are in view of a viewer, were so before the last update, and
// have changed with it, as [Tracker.Entered] does those that came.
func (t *Tracker) Touched(viewerID uint32) []uint32 {
	w := t.told(viewerID)
	return t.events(w, w.told.touched, w.told.end)
}

// nobody is told nothing.
var nobody viewer

// told returns the viewer of that number if the last update told it something, else nobody.
func (t *Tracker) told(n uint32) *viewer {
	if w := t.viewer(n); w != nil && w.update == t.updates {
		return w
	}
	return &nobody
}

func (t *Tracker) events(w *viewer, from, to int) []uint32 {
	if from == to {
		return nil
	}
	return t.parts[w.part].events[from:to:to]
}

// InView returns the objects that are in view of a viewer since the last update, ascending;
// nothing if there is no such viewer. It is valid until the next update or the viewer's
// removal. It takes constant time, but the first time after the view has changed that of sorting
// it, in place: so different viewers may be asked by different goroutines, one viewer by one at a time.
func (t *Tracker) InView(viewerID uint32) []uint32 {
	w := t.viewer(viewerID)
	if w == nil {
		return nil
	}
	if !w.sorted {
		slices.Sort(w.view)
		w.sorted = true
	}
	return w.view[:len(w.view):len(w.view)]
}
