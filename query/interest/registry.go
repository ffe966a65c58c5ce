package interest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/team"
)

// registry holds the viewers of a tracker, and shares them among workers.
type registry struct {
	viewers []*viewer // by number; nil for an unused number without memory
	free    []uint32  // numbers of removed viewers
	live    int
	order   []uint32 // numbers of viewers, ascending during an update; may include removed ones
	mixed   bool     // order may not be ascending
	sights  int      // number of viewers with areas of visible objects
	updates uint64

	workers int // Tracker.Workers at the last update
	parts   []*part
	team    team.Team
	next    atomic.Int64 // index in order of the next viewer to process
	changed []uint32
}

// viewersAtOnce is the number of viewers that a worker takes at a time.
const viewersAtOnce = 64

// add is [Tracker.Add].
func (t *registry) add(a Area) (viewerID uint32) {
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
	*w = viewer{area: a, view: w.view[:0], runs: w.runs[:0], known: true, listed: w.listed}
	if !w.listed {
		w.listed = true
		t.mixed = t.mixed || len(t.order) > 0 && t.order[len(t.order)-1] > n
		t.order = append(t.order, n)
	}
	t.live++
	t.sights += a.seen()
	return n
}

// move is [Tracker.Move].
func (t *registry) move(viewerID uint32, a Area) error {
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

// remove is [Tracker.Remove].
func (t *registry) remove(viewerID uint32) error {
	w := t.viewer(viewerID)
	if w == nil {
		return fmt.Errorf("%w: %d", ErrNoViewer, viewerID)
	}
	t.sights -= w.area.seen()
	*w = viewer{view: w.view[:0], runs: w.runs[:0], listed: w.listed}
	t.free = append(t.free, viewerID)
	t.live--
	return nil
}

// viewer returns a viewer, nil if the number is not in use.
func (t *registry) viewer(n uint32) *viewer {
	if int64(n) >= int64(len(t.viewers)) || t.viewers[n] == nil || !t.viewers[n].known {
		return nil
	}
	return t.viewers[n]
}

// arrange sorts the list of viewers and drops removed ones. It takes time proportional to the number of
// viewers and of viewers removed since the last update.
func (t *registry) arrange() {
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
func (t *registry) seeAll(f, last *frame) {
	t.staff()
	for _, p := range t.parts {
		p.seen, p.seeing = p.seen[:0], 0
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

// staff returns the number of workers of an update, each of which has a part.
func (t *registry) staff() (workers int) {
	workers = max(min(team.Size(t.workers), (len(t.order)+viewersAtOnce-1)/viewersAtOnce), 1)
	for len(t.parts) < workers {
		t.parts = append(t.parts, &part{number: len(t.parts)})
	}
	return workers
}

// share runs work for all viewers, on all workers.
func (t *registry) share(f *frame, work func(p *part, f *frame, w *viewer)) {
	t.next.Store(0)
	if workers := t.staff(); workers == 1 {
		t.take(f, t.parts[0], work)
	} else {
		t.together(f, workers, work)
	}
}

// together is share for several workers.
func (t *registry) together(f *frame, workers int, work func(p *part, f *frame, w *viewer)) {
	t.team.Run(workers, func(member int) { t.take(f, t.parts[member], work) }, func() { t.next.Store(int64(len(t.order))) })
}

// take processes viewers until none is left.
func (t *registry) take(f *frame, p *part, work func(p *part, f *frame, w *viewer)) {
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
func (t *registry) collect() {
	t.changed = t.changed[:0]
	for _, n := range t.order {
		if w := t.viewers[n]; w.events.end > w.events.first {
			t.changed = append(t.changed, n)
		}
	}
}

// noViewers is a viewer without events.
var noViewers viewer

// viewerOf returns the viewer of that number if it took part in the last update, else nobody.
func (t *registry) viewerOf(n uint32) *viewer {
	if w := t.viewer(n); w != nil && w.update == t.updates {
		return w
	}
	return &noViewers
}
