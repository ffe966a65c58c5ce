package interest

import (
	"fmt"
	"iter"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/changes"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// SceneTracker implements interest management for the viewers of a scene with instancing: it is [Tracker] for the
// objects of a scene at any depth, each identified by the path of its instances and its ID.
//
//	err := world.Tick()
//	err = tracker.Move(player, area)
//	err = tracker.Update(world.View())
//	for _, viewer := range tracker.Changed() {
//		… tracker.Entered(viewer) … tracker.Touched(viewer) … tracker.Left(viewer)
//	}
//
// Viewers and areas are those of Tracker, and so are the rules for goroutines. Any number of trackers may follow one
// scene, and views of published scenes, of snapshots and of directories. The trees need no log.
//
// A tracker holds 4 bytes for each object in view, 48 for each instance with objects in view, 40 bytes for each ID
// of an object of the scene and its parts, 128 for each stored instance, and the buffers of the largest update.
// [SceneTracker.Trim] frees unused memory.
type SceneTracker struct {
	// Filter selects the objects that viewers can see, as in [scene.Append]. It may be changed between updates, as
	// that of a Tracker.
	Filter query.Filter

	// Workers is the number of goroutines of an update, as in Tracker.
	Workers int

	// Draw, unless nil, draws occluders that are not objects, as in Tracker.
	Draw func(culler *occlude.Culler)

	registry
	world changes.Scene[objects]
	stamp linear.Stamp // of the view of the last update
	frame frame        // of the last update

	changes batch // own objects and instances that have changed
	builder builder
}

// Add adds a viewer and returns its number. The contract is that of [Tracker.Add].
func (t *SceneTracker) Add(a Area) (viewerID uint32) { return t.add(a) }

// Move changes the area of a viewer, from the next update on. The contract is that of [Tracker.Move].
func (t *SceneTracker) Move(viewerID uint32, a Area) error { return t.move(viewerID, a) }

// Remove removes a viewer without further events. The contract is that of [Tracker.Remove].
func (t *SceneTracker) Remove(viewerID uint32) error { return t.remove(viewerID) }

// Len returns the number of viewers.
func (t *SceneTracker) Len() int { return t.live }

// Update computes the events of all viewers for a view: of a scene, of a version of a published scene, of a scene
// snapshot, or of a directory.
//
//	entered   objects that are in view and were not
//	left      objects that were in view and are not, including removed objects
//	touched   objects that were in view and are, and differ from the last update: the object has another
//	          box, mask, static flag, sphere or oriented box in its part, or an instance on its path
//	          has another transform or mask
//
// An object is in view by the queries of package scene: Append of the volumes of the area, and AppendScene of a
// culler. A reused ID, of an object or of an instance on its path, is a different object. If the view is of another
// scene, all objects have left. The events depend only on the areas and the objects at this update and the last
// one, and on the drawings of [SceneTracker.Draw]. They are the same with any number of workers. For an object within
// the rounding margin of a query, which may or may not find it, they may depend on the updates between.
//
// An update compares the stored instances of the scene and its parts, and the objects of the parts that have changed:
// by their logs, or all of them. It queries the scene for each area, except for unmoved areas if nothing has changed,
// and for unmoved spheres and boxes if few own objects and instances have, none of them in view or in the area. It
// sorts the found objects of each instance.
//
// The error is the error of a filter that is out of range; the tracker is then unchanged. In steady state it allocates
// only to start more than one worker.
func (t *SceneTracker) Update(v linear.SceneView) error {
	if err := t.Filter.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Ranges).Leave()
	stamp := v.Stamp()
	f, last := &t.frame, t.frame
	*f = frame{update: t.updates + 1, scene: v, world: &t.world, draw: t.Draw, filter: t.Filter, rescaled: stamp != t.stamp}
	t.workers = t.Workers
	t.arrange()
	t.seeAll(f, &last)
	t.updates++
	w := &t.world
	w.Compare(v)
	source := w.Source
	w.Source = 0 // until the update is complete
	for number, part := range v.Parts() {
		if p := w.Parts[number]; p != nil && p.Objects {
			p.State.read(part.Objects(), !p.Known, 0)
		}
	}
	f.renewed = !w.Known
	if !f.renewed && sameFilter(&t.Filter, &last.filter) {
		f.few = !w.Parts[0].Changed
		t.listChanges(f)
	}
	for _, p := range t.parts {
		p.objects = p.objects[:0]
	}
	t.share(f, (*part).updateSceneViewer)
	t.collect()
	f.scene, f.world, f.changed, f.draw = linear.SceneView{}, nil, nil, nil
	w.Source, t.stamp = source, stamp
	return nil
}

// changesEach is the number of changed own objects and instances for each viewer up to which they are listed.
const changesEach = 16

// listChanges makes the store of the boxes of changed own objects and instances, unless there are too many, or an
// instance may have outgrown its box. Removed ones have none.
func (t *SceneTracker) listChanges(f *frame) {
	own, instances, v := t.world.Own.List, t.world.Instances.List, f.scene
	if len(own)+len(instances) > changesEach*t.live || len(v.Outgrown()) > 0 {
		return
	}
	h := &t.changes
	h.reset()
	for i, of := range [2]linear.View{v.Objects(), v.Instances()} {
		for _, id := range [2][]uint32{own, instances}[i] {
			if o, ok := of.Object(id); ok {
				h.list = append(h.list, member{box: o.Box, mask: 1, id: id})
			}
		}
	}
	t.builder.fill(h, v.Objects().Store())
	f.changed = &h.store
}

// Changed returns the viewers with events in the last update, in ascending order. The slice is valid until the next
// update. It takes constant time.
func (t *SceneTracker) Changed() []uint32 { return t.changed }

// Entered returns the objects that entered the view of a viewer in the last update, ascending ([scene.Object.Compare]);
// nil if there is no such viewer. The slice is valid until the next update or the viewer's removal. It takes constant
// time.
func (t *SceneTracker) Entered(viewerID uint32) []scene.Object {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.first, w.events.left)
}

// Left returns the objects that left the view of a viewer in the last update, with the order and the validity of
// [SceneTracker.Entered]. The objects may have been removed since, and a path and ID may be of another object now:
// process Left before Entered.
func (t *SceneTracker) Left(viewerID uint32) []scene.Object {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.left, w.events.touched)
}

// Touched returns the objects in view of a viewer that were in view before and changed in the last update, with the
// order and the validity of [SceneTracker.Entered].
func (t *SceneTracker) Touched(viewerID uint32) []scene.Object {
	w := t.viewerOf(viewerID)
	return t.events(w, w.events.touched, w.events.end)
}

func (t *SceneTracker) events(w *viewer, from, to int) []scene.Object {
	if from == to {
		return nil
	}
	return t.parts[w.part].objects[from:to:to]
}

// InView returns an iterator over the objects in view of a viewer as of the last update, ascending; over none if
// there is no such viewer. It allocates nothing. Updating the tracker or removing the viewer during the iteration makes
// it panic; [SceneTracker.Trim] has no effect on it.
func (t *SceneTracker) InView(viewerID uint32) iter.Seq[scene.Object] {
	return func(yield func(scene.Object) bool) {
		w := t.viewer(viewerID)
		if w == nil {
			return
		}
		update, from := w.update, 0
		for _, r := range w.runs {
			for _, id := range w.view[from:r.end] {
				if !yield(scene.Object{Path: r.path, ID: id}) {
					return
				}
				if t.viewer(viewerID) != w || w.update != update {
					panic(fmt.Sprintf("interest: a SceneTracker changed during an iteration over the view of viewer %d", viewerID))
				}
			}
			from = r.end
		}
	}
}

// Trim frees memory: removed viewers, and the buffers of updates, which the next update allocates again. The contract
// is that of [Tracker.Trim]. It takes time proportional to the viewers, to the objects in their views, to the stored
// instances, and to the IDs of the objects.
func (t *SceneTracker) Trim() {
	t.registry.trim()
	t.changes, t.builder = batch{}, builder{}
	for p := range t.world.All() {
		p.State.trim()
	}
	t.world.Trim()
}

// viewRun is a run of the objects of one instance in a list.
type viewRun struct {
	path scene.Path
	end  int
}

// runList is a list of objects, ascending: IDs in runs by path.
type runList struct {
	ids  []uint32
	runs []viewRun

	unsorted []answerRun
	bits     []uint64 // empty set of IDs
}

// answerRun is a run of an answer.
type answerRun struct {
	path scene.Path
	ids  []uint32
}

// set sets the list to the objects of an answer.
func (l *runList) set(a *scene.Answer) {
	l.ids, l.runs, l.unsorted = l.ids[:0], l.runs[:0], l.unsorted[:0]
	for i := range a.Runs {
		ref, ids := a.Run(i)
		l.unsorted = append(l.unsorted, answerRun{a.Path(ref), ids})
	}
	slices.SortFunc(l.unsorted, func(x, y answerRun) int { return x.path.Compare(y.path) })
	for i, r := range l.unsorted {
		from := len(l.ids)
		l.ids = append(l.ids, r.ids...)
		l.ascend(l.ids[from:])
		if i > 0 && r.path == l.unsorted[i-1].path {
			panic(fmt.Sprintf("interest: two runs of the path %v", r.path))
		}
		l.runs = append(l.runs, viewRun{r.path, len(l.ids)})
	}
}

// ascend sorts the IDs of a run.
func (l *runList) ascend(ids []uint32) {
	ends := 0
	if len(ids) > fewIDs {
		ends = int(slices.Max(ids)) + 1
		l.bits = follow.Cover(l.bits, ends)
	}
	ascend(ids, l.bits[:(ends+63)/64])
}

// run returns the IDs of a run.
func run(ids []uint32, runs []viewRun, i int) []uint32 {
	from := 0
	if i > 0 {
		from = runs[i-1].end
	}
	return ids[from:runs[i].end]
}
