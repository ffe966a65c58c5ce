package interest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// ErrNoLog is returned for a view of a tree that does not record its changes.
var ErrNoLog = errors.New("interest: the tree records no changes: it was made without linear.Config.Log")

// ErrNoViewer is returned for a viewer that there is not.
var ErrNoViewer = errors.New("interest: there is no such viewer")

// Tracker tells what entered and left the areas of each of many viewers, and what was touched
// in them, since the last update: the interest management of a server.
//
// The zero value is ready: it has no viewers and lets them see all objects. One goroutine at a
// time may add, move and remove viewers and update; between these any number may ask what an
// update has told, but [Tracker.InView] of one viewer one at a time. A tracker must not be
// copied after its first use. Any number of trackers may follow one tree, which must be made
// with [linear.Config.Log].
type Tracker struct {
	// Filter says which objects there are for the viewers. It may be changed between updates.
	// One with Only has every viewer asked anew, for nobody tells what is written to it.
	Filter query.Filter

	// Workers is the number of goroutines of an update, the caller's among them. 0 means
	// GOMAXPROCS. What it tells does not depend on it.
	Workers int

	viewers []viewer
	free    []uint32 // numbers of removed viewers
	live    int

	past    past
	delta   delta
	log     uint64 // the log of the tree; 0: none
	at      uint64 // the number of its first change that has not been seen
	updates uint64
	frame   frame // of the last update

	parts   []*part
	next    atomic.Int64 // the viewer that no worker has taken yet
	changed []uint32
}

// frame is what an update is about, for all workers.
type frame struct {
	update   uint64
	store    *soa.Store
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
	fewOneIn = 8
	fewMin   = 1024
)

// Add adds a viewer and returns its number: that of a viewer that has been removed, or the
// next one. It sees nothing before the next update. It takes constant time.
func (t *Tracker) Add(a Area) (viewerID uint32) {
	n := uint32(len(t.viewers))
	if k := len(t.free); k > 0 {
		n, t.free = t.free[k-1], t.free[:k-1]
	} else {
		t.viewers = append(t.viewers, viewer{})
	}
	w := &t.viewers[n]
	*w = viewer{area: a, view: w.view[:0], known: true}
	t.live++
	return n
}

// Move gives a viewer another area, from the next update on. The error is [ErrNoViewer]. It
// takes constant time.
func (t *Tracker) Move(viewerID uint32, a Area) error {
	w := t.viewer(viewerID)
	if w == nil {
		return fmt.Errorf("%w: %d", ErrNoViewer, viewerID)
	}
	if w.area != a {
		w.area, w.asked = a, false
	}
	return nil
}

// Remove removes a viewer: nothing is told of it any more. The error is [ErrNoViewer]. It takes
// constant time.
func (t *Tracker) Remove(viewerID uint32) error {
	w := t.viewer(viewerID)
	if w == nil {
		return fmt.Errorf("%w: %d", ErrNoViewer, viewerID)
	}
	*w = viewer{view: w.view[:0]}
	t.free = append(t.free, viewerID)
	t.live--
	return nil
}

// Len returns the number of viewers.
func (t *Tracker) Len() int { return t.live }

// viewer returns a viewer, nil if there is none of that number.
func (t *Tracker) viewer(n uint32) *viewer {
	if int64(n) >= int64(len(t.viewers)) || !t.viewers[n].known {
		return nil
	}
	return &t.viewers[n]
}

// Update brings all viewers to the state of the view.
func (t *Tracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := t.Filter.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Ranges).Leave() // workers start in it; walks have their own
	t.updates++
	f, last := &t.frame, t.frame
	*f = frame{
		update: t.updates, store: s, delta: &t.delta, filter: t.Filter,
		renewed: t.log != s.Log.Number, near: s.Near, extent: s.Extent,
	}
	t.read(v, f.renewed)
	f.few = !f.renewed && sameFilter(&t.Filter, &last.filter) &&
		len(t.delta.ids) <= max(fewMin, s.Count/fewOneIn)
	f.rescaled = f.near != last.near || f.extent != last.extent
	if f.few {
		t.delta.fill(&t.past, s)
	}
	t.work(f)
	t.collect()
	f.store = nil
	return nil
}

// read finds what has changed since the last update.
func (t *Tracker) read(v linear.View, renewed bool) {
	s := v.Store()
	if renewed {
		t.past.reset()
	}
	t.past.cover(len(s.Log.Born))
	t.delta.reset(len(t.past.records))
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
	workers := t.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(min(workers, (len(t.viewers)+viewersAtOnce-1)/viewersAtOnce), 1)
	for len(t.parts) < workers {
		t.parts = append(t.parts, &part{number: len(t.parts)})
	}
	for _, p := range t.parts {
		p.events = p.events[:0]
	}
	t.next.Store(0)
	if workers == 1 {
		t.take(f, t.parts[0])
		return
	}
	t.share(f, t.parts[:workers])
}

// share lets a worker fill each of the parts, the caller the first.
func (t *Tracker) share(f *frame, parts []*part) {
	var wait sync.WaitGroup
	for _, p := range parts[1:] {
		wait.Go(func() { t.take(f, p) })
	}
	t.take(f, parts[0])
	wait.Wait()
}

// take looks after viewers until there are no more.
func (t *Tracker) take(f *frame, p *part) {
	p.bits = words(p.bits, len(t.past.records))
	for {
		from := int(t.next.Add(viewersAtOnce)) - viewersAtOnce
		if from >= len(t.viewers) {
			return
		}
		for i := from; i < min(from+viewersAtOnce, len(t.viewers)); i++ {
			if w := &t.viewers[i]; w.known {
				p.look(f, w)
			}
		}
	}
}

// collect lists the viewers for which there is something to tell.
func (t *Tracker) collect() {
	t.changed = t.changed[:0]
	for i := range t.viewers {
		if w := &t.viewers[i]; w.known && w.told.end > w.told.first {
			t.changed = append(t.changed, uint32(i))
		}
	}
}

// Changed returns the viewers for which the last update told something, ascending. It is valid
// until the next update.
func (t *Tracker) Changed() []uint32 { return t.changed }

// Entered returns the objects that came into view with the last update, ascending: of whom a
// viewer is to be told all. It is valid until the next update.
func (t *Tracker) Entered(viewerID uint32) []uint32 {
	w := t.viewer(viewerID)
	return t.events(w, func(x *told) (int, int) { return x.first, x.left })
}

// Left returns the objects that were in view at the update before the last one and are no
// more, ascending.
func (t *Tracker) Left(viewerID uint32) []uint32 {
	w := t.viewer(viewerID)
	return t.events(w, func(x *told) (int, int) { return x.left, x.touched })
}

// Touched returns the objects that are in view, as they were before, in another state,
// ascending.
func (t *Tracker) Touched(viewerID uint32) []uint32 {
	w := t.viewer(viewerID)
	return t.events(w, func(x *told) (int, int) { return x.touched, x.end })
}

func (t *Tracker) events(w *viewer, of func(x *told) (int, int)) []uint32 {
	if w == nil || w.update != t.updates || t.updates == 0 {
		return nil
	}
	from, to := of(&w.told)
	return t.parts[w.part].events[from:to:to]
}

// InView returns the objects that are in view, ascending.
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
