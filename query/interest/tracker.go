package interest

import (
	"errors"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/changes"
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

	registry
	objects
	frame frame // of the last update
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
	few      bool        // unmoved areas need to test dirty objects only; of a scene: nothing has changed
	rescaled bool        // planes may round otherwise than at the last update

	near, extent [3]float32

	// Of a SceneTracker
	scene   linear.SceneView
	world   *changes.Scene[objects]
	changed *soa.Store // boxes of the changed own objects and instances; nil if there are too many
}

// Unmoved areas test dirty objects only if at most one object in fewOneIn is dirty, or at most fewMin objects
// are.
const (
	fewOneIn = 32
	fewMin   = 1024
)

// Add adds a viewer and returns its number: the number of the viewer removed last, or else the next unused
// one from 0 on. Its view is empty before the next update. It takes constant time.
func (t *Tracker) Add(a Area) (viewerID uint32) { return t.add(a) }

// Move changes the area of a viewer, from the next update on; an equal area has no effect. The error is
// [ErrNoViewer]; the tracker is then unchanged. It takes constant time.
func (t *Tracker) Move(viewerID uint32, a Area) error { return t.move(viewerID, a) }

// Remove removes a viewer without further events: the objects in its view are not reported as left. The error
// is [ErrNoViewer]; the tracker is then unchanged. It takes constant time. The next viewer reuses its memory,
// unless [Tracker.Trim] frees it first.
func (t *Tracker) Remove(viewerID uint32) error { return t.remove(viewerID) }

// Len returns the number of viewers.
func (t *Tracker) Len() int { return t.live }

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
	t.workers = t.Workers
	t.arrange()
	t.seeAll(f, &last)
	t.updates++
	most := max(fewMin, s.Count/fewOneIn)
	if f.renewed {
		most = 0
	}
	t.read(v, f.renewed, most)
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
