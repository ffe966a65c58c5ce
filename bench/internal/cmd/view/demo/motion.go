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

// errStill is the error for a mode that requires moving objects.
var errStill = errors.New("nothing moves here: choose the scene " + Moving)

// motion is the state of the moving cubes and of the interest tracker.
type motion struct {
	n       int
	seed    uint64
	cubes   *scene.Bouncing
	ids     []uint32
	frame   int
	stepped [3]time.Duration // times of cubes, MoveBatch and Tick in the last frame
	tracker *interest.Tracker
	viewer  uint32
	watched bool // the tracker has its viewer
}

// advance runs the animation to a frame, from the beginning if that frame has passed.
func (s *Stage) advance(frame int) error {
	m := s.motion
	switch {
	case m == nil:
		return errStill
	case frame < 0 || frame > MaxFrame:
		return fmt.Errorf("frame %d: want 0 to %d", frame, MaxFrame)
	case frame < m.frame:
		again, err := NewStage(Moving, m.n, m.seed)
		if err != nil {
			return err
		}
		*s = *again
		m = s.motion
	}
	for ; m.frame < frame; m.frame++ {
		if err := s.step(); err != nil {
			return err
		}
	}
	return nil
}

// step runs a frame.
func (s *Stage) step() error {
	tree, m := s.tree, s.motion
	start := time.Now()
	ids, boxes := m.ids, m.cubes.Step()
	made := time.Now()
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
	m.stepped = [3]time.Duration{made.Sub(start), moved.Sub(made), time.Since(moved)}
	for i := range boxes {
		s.objects[i].Box = boxes[i]
	}
	return nil
}

// move runs a frame, and then a frustum query.
func (s *Stage) move(q *Question, a *Answer) error {
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
	elapsed := time.Since(start)
	s.ranges(frustum, a)
	c := frustum.Explain(v, all, nil)
	a.count("frame", q.Frame, none)
	a.count("moved", len(s.objects), none)
	a.count("visible", len(visible), int(Hit))
	st := s.tree.Stats()
	a.count("nodes", st.Nodes, none)
	a.count("packets", st.Packets, none)
	a.count("nodes visited", c.Nodes, none)
	loop, err := s.scan(frustum)
	if err != nil {
		return err
	}
	start = time.Now()
	found := loop(nil)
	looped := time.Since(start)
	a.Equal = s.same(visible, found)
	asks, scans := us(elapsed), us(looped)
	if q.Time {
		asks, scans = inTurns(func() { visible = frustum.Append(visible[:0], v, all) }, func() { found = loop(found[:0]) })
	}
	for i, name := range []string{"to make them", "MoveBatch", "Tick"} {
		a.bar(name, "µs", us(s.motion.stepped[i]))
	}
	a.bar("Frustum.Append", "µs", asks)
	a.loop("loop over all", "µs", scans)
	return nil
}

func us(d time.Duration) Float { return Float(d.Nanoseconds()) / 1e3 }

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
	entered := tracker.Entered(viewer) // all of them
	touched := tracker.Touched(viewer) // what is new
	left := tracker.Left(viewer)       // the numbers
	//end
	took := time.Since(start)
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
	inner, outer := s.around(center, radius, radius+radius/10)
	looped := time.Since(start)
	a.Equal = inner <= len(view) && len(view) <= outer
	a.bar("to be sent", "objects", Float(len(entered)+len(touched)))
	a.loop("all", "objects", Float(len(s.objects)))
	a.bar("Tracker", "µs", us(took))
	a.loop("loop over all", "µs", us(looped))
	return nil
}

// around counts the boxes within two distances of a point. All boxes within the first are in view, and all
// boxes in view are within the second.
func (s *Stage) around(p [3]float32, inner, outer float32) (near, far int) {
	for i := range s.objects {
		b, d2 := &s.objects[i].Box, float32(0)
		for a := range 3 {
			d := max(b.Min[a]-p[a], p[a]-b.Max[a], 0)
			d2 += float32(d * d)
		}
		near += b2i(d2 <= float32(inner*inner))
		far += b2i(d2 <= float32(outer*outer))
	}
	return near, far
}
