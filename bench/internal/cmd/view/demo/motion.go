package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
)

// MaxFrame is the last frame of the animation.
const MaxFrame = 600

// The errors for modes that require a scene of their own.
var (
	errStill       = errors.New("nothing moves here: choose the scene " + Moving)
	errMap         = errors.New("a map has a mode of its own: choose another scene")
	errNoMap       = errors.New("no map: choose the scene " + Lidar)
	errNoInstances = errors.New("no instances: choose the scene " + Blocks)
)

// motion is the state of a scene that moves: of cubes and the interest tracker, or of a map.
type motion struct {
	name    string
	n       int
	seed    uint64
	cubes   *scene.Bouncing
	ids     []uint32
	frame   int
	drive   *drive // nil for cubes
	moved   recent // times of MoveBatch, or of an update of the map
	ticked  recent // of Tick
	asked   recent // of the frustum query
	scanned recent // of its loop
	tracked recent // of the tracker
	looped  recent // of its loop
	tracker *interest.Tracker
	viewer  uint32
	watched bool // the tracker has its viewer
}

// bar adds a bar of the least time of the last frames, after the first frames.
func (r *recent) bar(a *Answer, name, unit string, loop bool) {
	if us, ok := r.least(); ok {
		a.Bars = append(a.Bars, Bar{name, unit, us, loop})
	}
}

// advance runs the animation to a frame, from the beginning if that frame has passed.
func (s *Stage) advance(frame int) (err error) {
	m := s.motion
	switch {
	case frame < 0 || frame > MaxFrame:
		return fmt.Errorf("frame %d: want 0 to %d", frame, MaxFrame)
	case frame < m.frame:
		again, err := NewStage(m.name, m.n, m.seed)
		if err != nil {
			return err
		}
		*s = *again
		m = s.motion
	}
	for ; m.frame < frame; m.frame++ {
		if m.drive != nil {
			err = s.advanceMap(m.frame + 1)
		} else {
			err = s.step()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step runs a frame.
func (s *Stage) step() error {
	tree, m := s.tree, s.motion
	ids, boxes := m.ids, m.cubes.Step()
	start := time.Now()
	//show motion
	if err := tree.MoveBatch(ids, boxes); err != nil {
		return err
	}
	//hide
	moved := time.Now()
	//show
	if err := tree.Tick(); err != nil { // ends a frame
		return err
	}
	//end
	m.ticked.add(time.Since(moved))
	m.moved.add(moved.Sub(start))
	for i := range boxes {
		s.objects[i].Box = boxes[i]
	}
	return nil
}

// move runs a frame, and then a frustum query.
func (s *Stage) move(q *Question, a *Answer) error {
	if s.motion == nil {
		return errStill
	}
	if err := s.advance(q.Frame); err != nil {
		return err
	}
	v, all := s.tree.View(), query.Filter{}
	frustum, err := q.camera().Frustum()
	if err != nil {
		return err
	}
	start := time.Now()
	visible := frustum.Append(nil, v, all)
	s.motion.asked.add(time.Since(start))
	_, inside := s.ranges(frustum, a)
	c := frustum.Explain(v, all, nil)
	a.count("frame", q.Frame, none)
	a.count("moved", len(s.objects), none)
	a.count("visible", len(visible), none)
	a.count("in fully contained subtrees, untested", inside, int(Whole))
	a.count("tested and visible", len(visible)-inside, int(Hit))
	st := s.tree.Stats()
	a.count("nodes", st.Nodes, none)
	a.count("packets", st.Packets, none)
	a.count("nodes visited", c.Nodes, none)
	loop, err := s.scan(frustum, 0)
	if err != nil {
		return err
	}
	start = time.Now()
	found := loop(nil)
	s.motion.scanned.add(time.Since(start))
	a.Equal = s.same(visible, found)
	a.say("%s boxes moved; %s found by testing %s boxes", len(s.objects), len(visible), boxes(c))
	a.tested(c, len(s.objects))
	s.versusFrames(q, a, func() { visible = frustum.Append(visible[:0], v, all) }, func() { found = loop(found[:0]) })
	s.motion.moved.bar(a, "MoveBatch", updates, false)
	s.motion.ticked.bar(a, "Tick", updates, false)
	a.Note = leastOfFrames
	return nil
}

// versusFrames adds the times of a query and its loop: measured, or of the last frames.
func (s *Stage) versusFrames(q *Question, a *Answer, ours, loop func()) {
	a.versus(q, ours, loop)
	if !q.Time {
		s.motion.asked.bar(a, "octree", "µs", false)
		s.motion.scanned.bar(a, "loop over all", "µs", true)
	}
}

// updates is the unit of the times of changes.
const updates = "µs, update"

// leastOfFrames explains the times of an animation.
const leastOfFrames = "Times are the least of the last 30 frames, after the first 5 of an animation."

// watch reports the objects that entered and left the area of a viewer.
func (s *Stage) watch(q *Question, a *Answer) error {
	if s.motion == nil {
		return errStill
	}
	center := [3]float32{float32(q.Eye[0]), float32(q.Eye[1]), float32(q.Eye[2])}
	radius := float32(q.Radius)
	area, err := interest.Sphere(center, radius, radius+radius/10)
	if err != nil {
		return err
	}
	// The state before this frame, for the same area.
	if at := s.motion.frame; q.Frame > 0 && at != q.Frame && at != q.Frame-1 {
		if err := s.advance(q.Frame - 1); err != nil {
			return err
		}
	}
	m := s.motion
	if !m.watched {
		m.watched = true
		m.viewer = m.tracker.Add(area)
		if err := m.tracker.Update(s.tree.View()); err != nil {
			return err
		}
	}
	if err := s.advance(q.Frame); err != nil {
		return err
	}
	m = s.motion
	tracker, viewer, tree := m.tracker, m.viewer, s.tree
	start := time.Now()
	//show interest
	err = tracker.Move(viewer, area)
	err = errors.Join(err, tracker.Update(tree.View()))
	entered := tracker.Entered(viewer) // IDs
	touched := tracker.Touched(viewer) // moved or changed
	left := tracker.Left(viewer)       // no longer in view
	//end
	m.tracked.add(time.Since(start))
	if err != nil {
		return err
	}
	view := tracker.InView(viewer)
	s.paint(view, Hit)
	s.paint(entered, Whole)
	s.paint(left, Left)
	a.count("frame", q.Frame, none)
	a.count("in view", len(view), int(Hit))
	a.count("entered", len(entered), int(Whole))
	a.count("left", len(left), int(Left))
	a.count("touched", len(touched), none)
	start = time.Now()
	inner := s.ball(nil, center, radius)
	m.looped.add(time.Since(start))
	// All boxes in the area are in view, and all boxes in view are in the area for leaving.
	a.Equal = s.contains(view, inner) && s.contains(s.ball(nil, center, radius+radius/10), view)
	a.Check = "A loop over all objects finds the same, within the margin for leaving."
	a.say("%s of %s in view; %s entered and %s left", len(view), len(s.objects), len(entered), len(left))
	a.bar("entered or moved", "objects to send", Float(len(entered)+len(touched)))
	a.loop("all", "objects to send", Float(len(s.objects)))
	m.tracked.bar(a, "tracker", "µs", false)
	m.looped.bar(a, "loop over all", "µs", true)
	a.Note = leastOfFrames
	return nil
}
