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
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// ErrNoLog is returned for a view of a tree that does not record its changes.
var ErrNoLog = errors.New("interest: the tree records no changes: it was made without linear.Config.Log")

// ErrNoViewer is returned for a viewer number that is not in use.
var ErrNoViewer = errors.New("interest: there is no such viewer")

// Tracker implements interest management for many viewers: in each update it computes the objects that
// entered and left each viewer's area, and the objects in it that were touched. A server sends each client
// the whole state of the entered objects, the new state of the touched ones, and the IDs of those that left.
//
//	err := tree.Tick()
//	err = tracker.Move(player, area)
//	err = tracker.Update(tree.View())
//	for _, viewer := range tracker.Changed() {
//		… tracker.Entered(viewer) … tracker.Touched(viewer) … tracker.Left(viewer)
//	}
//
// The zero value is ready to use: it has no viewers and an empty filter. A tracker may be used by one
// goroutine at a time. Between two updates any number of goroutines may read the events of the last one by
// [Tracker.Changed], Entered, Left and Touched, and call [Tracker.InView] for different viewers, while no
// goroutine adds, moves or removes viewers. A tracker must not be copied after its first use.
//
// Any number of trackers may follow one tree, which must be made with [linear.Config.Log]. The package
// comment describes the memory and the cost.
type Tracker struct {
	// Filter selects the objects that viewers can see. It may be changed between updates: objects that no
	// longer pass leave, and objects that now pass may enter. With Only or Exclude, or after a change of the
	// filter, every area queries the tree, because the log records neither changes of a bitmap nor stale
	// handles.
	Filter query.Filter

	// Workers is the number of goroutines of an update, including the caller's. 0 means GOMAXPROCS, and more
	// than 1,024 mean 1,024. The events do not depend on it.
	Workers int

	// Draw, unless nil, draws occluders that are not objects, such as a terrain, for areas of visible objects
	// ([Visible]). Update calls it after each SetCamera with a Culler, which it must neither query nor
	// retain, on up to Workers goroutines concurrently. If it panics, Update panics on its caller's goroutine
	// once all workers have ended, and the tracker is as before that update.
	Draw func(culler *occlude.Culler)

	viewers []*viewer // by number; nil for an unused number without memory
	free    []uint32  // numbers of removed viewers
	live    int
	order   []uint32 // numbers of viewers, ascending during an update; may include removed ones
	mixed   bool     // order may not be ascending
	sights  int      // number of viewers with areas of visible objects

	previous previous
	delta    delta
	log      follow.Position
	updates  uint64
	frame    frame // of the last update

	parts   []*part
	team    team.Team
	next    atomic.Int64 // index in order of the next viewer to process
	changed []uint32
}

// frame holds the inputs of an update, for all workers.
type frame struct {
	update   uint64
	view     linear.View
	store    *soa.Store
	draw     func(*occlude.Culler)
	delta    *delta
	filter   query.Filter
	keep     walk.Filter // filter, prepared for the view
	renewed  bool        // no object is one of the last update
	few      bool        // unmoved areas need to test dirty objects only
	rescaled bool        // planes round otherwise than at the last update

	near, extent [3]float32
}

// viewersAtOnce is the number of viewers that a worker takes at a time.
const viewersAtOnce = 64

// Unmoved areas test dirty objects only if at most one object in fewOneIn is dirty, or at most fewMin objects
// are.
const (
	fewOneIn = 32
	fewMin   = 1024
)

// Add adds a viewer and returns its number: the number of the viewer removed last, or else the next unused
// one from 0 on. Its view is empty before the next update. It takes constant time.
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

// Move changes the area of a viewer, from the next update on; an equal area has no effect. The error is
// [ErrNoViewer]; the tracker is then unchanged. It takes constant time.
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

// Remove removes a viewer without further events: the objects in its view are not reported as left. The error
// is [ErrNoViewer]; the tracker is then unchanged. It takes constant time. The next viewer reuses its memory,
// unless [Tracker.Trim] frees it first.
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

// viewer returns a viewer, nil if the number is not in use.
func (t *Tracker) viewer(n uint32) *viewer {
	if int64(n) >= int64(len(t.viewers)) || t.viewers[n] == nil || !t.viewers[n].known {
		return nil
	}
	return t.viewers[n]
}

// Update computes the events of all viewers for a view: of a tree, of an acquired version
// ([linear.Publisher]), or of the objects of a scene ([linear.SceneView.Objects]).
//
//	entered   objects that are in view and were not
//	left      objects that were in view and are not, including removed objects
//	touched   objects that were in view and are, and have another box, mask, static flag,
//	          sphere or oriented box than at the last update
//
// Events refer to objects, not to IDs. If an object was removed and its ID was given to another one, the ID
// has left, and if the new object is in view, the ID has entered, too. The same holds for all objects if the
// view is of another tree, or of a clone. Views may be passed out of order. Rebuilds and other maintenance of
// a tree cause no events.
//
// The events depend only on the areas and the objects at this update and the last one, and on the drawings of
// [Tracker.Draw]. They do not depend on the way in which the tracker finds them, which is selected by counts
// alone:
//
//   - The changes are read from the log, or found by comparing all objects with the copy if the log has
//     dropped some of them.
//   - For an unmoved area only the changed objects are tested, if these are up to 1,024 or one in 32.
//   - The tree is queried for a new or moved area, for an area of visible objects ([Visible]), and for a
//     frustum if the bounds of the tree that determine the rounding of planes have changed.
//
// The error is [ErrNoLog], or the error of a filter that is out of range; the tracker is then unchanged. In
// steady state it allocates only to start more than one worker.
func (t *Tracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := t.Filter.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Ranges).Leave() // workers start in this phase; walks have their own
	f, last := &t.frame, t.frame
	*f = frame{
		update: t.updates + 1, view: v, store: s, draw: t.Draw, delta: &t.delta, filter: t.Filter,
		renewed: !t.log.Known(s.Log), near: s.Near, extent: s.Extent,
	}
	f.keep = walk.Filter{Mask: t.Filter.Mask, Motion: uint8(t.Filter.Motion), Exact: t.Filter.Exact, Only: t.Filter.Only}
	if t.Filter.Exclude.Gen != 0 {
		f.keep.ExcludeAt(v.LocateHandle(t.Filter.Exclude))
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

// arrange sorts the list of viewers and drops removed ones. It takes time proportional to the number of
// viewers and of viewers removed since the last update.
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

// seeAll queries the visible objects for all areas that need them, and changes nothing else: Draw may panic,
// and the frame is then restored to the last one.
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

// read finds the changes since the last update.
func (t *Tracker) read(v linear.View, renewed bool) {
	s := v.Store()
	if renewed {
		t.previous.reset()
	}
	t.previous.cover(len(s.Log.Born))
	most := max(fewMin, s.Count/fewOneIn)
	if renewed {
		most = 0
	}
	t.delta.reset(len(t.previous.records), most)
	if changes, ok := t.log.Changes(s.Log); ok {
		t.delta.readLog(&t.previous, v, changes)
	} else {
		t.delta.readAll(&t.previous, v)
	}
	t.log.Advance(s.Log)
}

// sameFilter reports whether two filters pass the same objects. It returns false if it cannot know.
func sameFilter(f, g *query.Filter) bool {
	return f.Mask == g.Mask && f.Motion == g.Motion && f.Exact == g.Exact && f.Only == nil && g.Only == nil &&
		f.Exclude == (soa.Handle{}) && g.Exclude == (soa.Handle{})
}

// work updates all viewers.
func (t *Tracker) work(f *frame) {
	for _, p := range t.parts {
		p.events = p.events[:0]
		p.bits = follow.Cover(p.bits, len(t.previous.records))
	}
	t.share(f, (*part).updateViewer)
}

// staff returns the number of workers of an update, each of which has a part.
func (t *Tracker) staff() (workers int) {
	workers = max(min(team.Size(t.Workers), (len(t.order)+viewersAtOnce-1)/viewersAtOnce), 1)
	for len(t.parts) < workers {
		t.parts = append(t.parts, &part{number: len(t.parts)})
	}
	return workers
}

// share runs work for all viewers, on all workers.
func (t *Tracker) share(f *frame, work func(p *part, f *frame, w *viewer)) {
	t.next.Store(0)
	if workers := t.staff(); workers == 1 {
		t.take(f, t.parts[0], work)
	} else {
		t.together(f, workers, work)
	}
}

// together is share for several workers.
func (t *Tracker) together(f *frame, workers int, work func(p *part, f *frame, w *viewer)) {
	t.team.Run(workers, func(member int) { t.take(f, t.parts[member], work) }, func() { t.next.Store(int64(len(t.order))) })
}

// take processes viewers until none is left.
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

// collect lists the viewers with events.
func (t *Tracker) collect() {
	t.changed = t.changed[:0]
	for _, n := range t.order {
		if w := t.viewers[n]; w.events.end > w.events.first {
			t.changed = append(t.changed, n)
		}
	}
}

// Changed returns the viewers with events in the last update, in ascending order. The slice is valid until
// the next update. It takes constant time.
func (t *Tracker) Changed() []uint32 { return t.changed }

// Entered returns the objects that entered the view of a viewer in the last update, in ascending order; nil
// if there is no such viewer. The slice is valid until the next update or the viewer's removal. It takes
// constant time.
func (t *Tracker) Entered(viewerID uint32) []uint32 {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.first, w.events.left)
}

// Left returns the IDs of the objects that left the view of a viewer in the last update, with the order and
// the validity of [Tracker.Entered]. The objects may have been removed since, and an ID may be that of
// another object now: process Left before Entered.
func (t *Tracker) Left(viewerID uint32) []uint32 {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.left, w.events.touched)
}

// Touched returns the objects in view of a viewer that were in view before and changed in the last update,
// with the order and the validity of [Tracker.Entered].
func (t *Tracker) Touched(viewerID uint32) []uint32 {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.touched, w.events.end)
}

// noViewers is a viewer without events.
var noViewers viewer

// viewerOf returns the viewer of that number if it took part in the last update, else nobody.
func (t *Tracker) viewerOf(n uint32) *viewer {
	if w := t.viewer(n); w != nil && w.update == t.updates {
		return w
	}
	return &noViewers
}

func (t *Tracker) events(w *viewer, from, to int) []uint32 {
	if from == to {
		return nil
	}
	return t.parts[w.part].events[from:to:to]
}

// InView returns the objects in view of a viewer as of the last update, in ascending order; nil if there is
// no such viewer. The slice is valid until the next update or the viewer's removal.
//
// It takes constant time, except for the first call after a change of the view, which sorts it in place. So
// different goroutines may call it for different viewers concurrently, but not for the same one.
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
