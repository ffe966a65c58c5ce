package linear_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// sceneCopy is the expected state of a part.
type sceneCopy struct {
	live      map[uint32]soa.Object
	instances map[uint32]placeCopy
	outgrown  []uint32
	bounds    soa.AABB
	total     uint64
}

type placeCopy struct {
	in        *sceneCopy
	transform linear.Transform
	box       soa.Object
}

// copyOf returns the present state of a part, with its nested parts.
func copyOf(p *modelPart, done map[*modelPart]*sceneCopy) *sceneCopy {
	if c := done[p]; c != nil {
		return c
	}
	c := &sceneCopy{live: maps.Clone(p.live), instances: map[uint32]placeCopy{}, bounds: p.as().Bounds(), total: p.total()}
	done[p] = c
	if p.scene != nil {
		v := p.scene.View()
		c.outgrown = slices.Clone(v.Outgrown())
		for id, l := range p.instances {
			box, _ := v.Instances().Object(id)
			c.instances[id] = placeCopy{copyOf(l.part, done), l.transform, box}
		}
	}
	return c
}

// differs compares a view, with its nested views, with the expected state.
func (c *sceneCopy) differs(v linear.SceneView) error {
	if v.Bounds() != c.bounds || v.Total() != c.total || !slices.Equal(v.Outgrown(), c.outgrown) {
		return fmt.Errorf("bounds %v, %d objects, outgrown %v; want %v, %d, %v", v.Bounds(), v.Total(), v.Outgrown(), c.bounds, c.total, c.outgrown)
	}
	if v.Objects().Len() != len(c.live) || v.Instances().Len() != len(c.instances) {
		return fmt.Errorf("%d objects and %d places, want %d and %d", v.Objects().Len(), v.Instances().Len(), len(c.live), len(c.instances))
	}
	for id, want := range c.live {
		if o, ok := v.Objects().Object(id); !ok || o != want {
			return fmt.Errorf("object %d is %v, %v; want %v", id, o, ok, want)
		}
	}
	for id, want := range c.instances {
		if box, ok := v.Instances().Object(id); !ok || box != want.box {
			return fmt.Errorf("place %d is %v, %v; want %v", id, box, ok, want.box)
		}
		in, _, transform := v.Instance(id)
		if *transform != want.transform {
			return fmt.Errorf("place %d has the pose %v, want %v", id, *transform, want.transform)
		}
		if err := want.in.differs(in); err != nil {
			return fmt.Errorf("in place %d: %w", id, err)
		}
	}
	return nil
}

// heldScene is a version and its expected state.
type heldScene struct {
	linear.SceneVersion
	want *sceneCopy
}

// Held versions stay unchanged, however the scene and its parts change. Two scenes share parts, and some trees
// have publishers of their own.
func TestScenePublisherModel(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range sceneConfigs {
		t.Run(fmt.Sprintf("config=%d", i), func(t *testing.T) {
			m := newSceneModel(t, seed+uint64(i), 3, 5, cfg)
			m.chain(t)
			shared := []*modelPart{m.parts[m.trees], m.parts[m.trees+1]}
			var publishers []*linear.ScenePublisher
			for _, p := range shared {
				publishers = append(publishers, linear.NewScenePublisher(p.scene))
			}
			alone := linear.NewPublisher(m.parts[0].tree)
			m.views = nil
			var held []*heldScene
			for range testkit.Budget(t, 30, 1000) {
				for range 1 + m.r.IntN(4) {
					m.step(t)
				}
				if p := m.scene(); m.size(p) > 300 {
					m.clear(t, p)
				}
				if m.r.IntN(6) == 0 {
					alone.Publish()
				}
				k := m.r.IntN(2)
				publishers[k].Publish()
				m.views = nil // invalidates the views of all models that share a tree
				h := &heldScene{publishers[k].Acquire(), copyOf(shared[k], map[*modelPart]*sceneCopy{})}
				if err := h.want.differs(h.View()); err != nil {
					t.Fatalf("just published: %v, after %v", err, m.log)
				}
				held = append(held, h)
				for len(held) > 4 || len(held) > 0 && m.r.IntN(3) == 0 {
					k := m.r.IntN(len(held))
					h := held[k]
					if err := h.want.differs(h.View()); err != nil {
						t.Fatalf("held: %v, after %v", err, m.log)
					}
					h.Release()
					held = slices.Delete(held, k, k+1)
				}
				m.check(t, shared[k])
			}
			for _, h := range held {
				if err := h.want.differs(h.View()); err != nil {
					t.Fatalf("held: %v, after %v", err, m.log)
				}
			}
		})
	}
}

// Readers beside a writer see scenes of one moment: the transform, the part and its nested part are of the same
// frame.
func TestSceneReaders(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 1))
	inner, s := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	place(t, inner, tree, at(0, 0, 0), linear.InstanceOptions{})
	for i := range 20 {
		place(t, s, inner, at(0, 0, float64(2*i)), linear.InstanceOptions{})
		place(t, s, tree, at(0, 0, float64(2*i+1)), linear.InstanceOptions{Turns: true})
	}
	p := linear.NewScenePublisher(s)
	frames := testkit.Budget(t, 300, 6000)
	var stop atomic.Bool
	var wg sync.WaitGroup
	var seen [6]atomic.Int64
	for g := range seen {
		wg.Go(func() {
			last := -1
			for !stop.Load() {
				h := p.Acquire()
				for range 1 + g%3 {
					frame := frameOf(t, h.View())
					if frame < last {
						t.Errorf("frame %d after %d", frame, last)
					}
					last = frame
					runtime.Gosched()
				}
				h.Release()
				seen[g].Add(1)
			}
		})
	}
	ids := make([]uint32, 0, 40)
	transforms := make([]linear.Transform, 40)
	for id := range uint32(40) {
		ids = append(ids, id)
	}
	busy := func() bool {
		return slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5}, func(g int) bool { return seen[g].Load() < 3 }) && !t.Failed()
	}
	most := linear.SceneStats{}
	for frame := 0; frame < frames || busy(); frame++ {
		f := float64(frame)
		must(t, tree.Move(0, cube(float32(frame), 0, 0, 1)))
		must(t, inner.Move(0, at(0, f, 0)))
		for i := range transforms {
			transforms[i] = at(0, 0, f+float64(i))
		}
		must(t, s.MoveBatch(ids, transforms))
		if frame%3 == 0 {
			must(t, s.Tick())
		}
		p.Publish()
		if st := s.Stats(); st.Versions > most.Versions {
			most = st
		}
		if frame%16 == 0 {
			runtime.Gosched()
		}
	}
	stop.Store(true)
	wg.Wait()
	validScene(t, s)
	if most.Versions > len(seen)+3 {
		t.Errorf("%d versions for %d readers", most.Versions, len(seen))
	}
	for range 3 { // with all versions released
		must(t, s.Move(0, at(0, 0, float64(s.Stats().Versions)+0.5)))
		p.Publish()
	}
	if st := s.Stats(); st.Held != 0 || tree.Stats().Versions > len(seen)+3 {
		t.Errorf("%d versions held, %d of the tree", st.Held, tree.Stats().Versions)
	}
}

// frameOf returns the frame of a view of the scene of TestSceneReaders.
func frameOf(t testing.TB, v linear.SceneView) int {
	in, _, transform := v.Instance(0)
	frame := transform.Rows()[11]
	deep, _, inner := in.Instance(0)
	o, ok := deep.Objects().Object(0)
	if !ok || o.Box != cube(float32(frame), 0, 0, 1) || inner.Rows()[7] != frame {
		t.Errorf("frame %v has the object %v and the inner pose %v", frame, o, inner)
	}
	for id := range uint32(v.Instances().Len()) {
		if _, _, transform := v.Instance(id); transform.Rows()[11] != frame+float64(id) {
			t.Errorf("frame %v has the pose %v of place %d", frame, transform, id)
		}
	}
	return int(frame)
}

// Without held old versions, two buffers of each are enough. Parts that leave the scene are no longer
// published, unless they have another publisher.
func TestScenePublisherMemory(t *testing.T) {
	s := newScene(t, linear.Config{})
	tree, other, mine := treeOf(t, cube(0, 0, 0, 1)), treeOf(t, cube(0, 0, 0, 1)), treeOf(t, cube(0, 0, 0, 1))
	my := linear.NewPublisher(mine)
	place(t, s, tree, at(1, 0, 0), linear.InstanceOptions{})
	id := place(t, s, other, at(2, 0, 0), linear.InstanceOptions{})
	place(t, s, mine, at(3, 0, 0), linear.InstanceOptions{})
	p := linear.NewScenePublisher(s)
	frame := func(i int) {
		must(t, tree.Move(0, cube(float32(i), 0, 0, 1)))
		must(t, mine.Move(0, cube(float32(i), 0, 0, 1)))
		must(t, s.Move(0, at(float64(i), 0, 0)))
		must(t, s.Tick())
		p.Publish()
	}
	frame(0)
	frame(1) // leaves the other tree without further changes
	still := other.View()
	for i := range 20 {
		frame(i)
		still.Len() // an unchanged tree is not published
		h := p.Acquire()
		if got := h.View().Total(); got != 3 {
			t.Errorf("%d objects", got)
		}
		h.Release()
	}
	// One of the buffers of a tree is its working copy.
	if got := []int{s.Stats().Versions, tree.Stats().Versions, mine.Stats().Versions, s.PlaceTree().Stats().Versions}; !slices.Equal(got, []int{2, 1, 1, 1}) {
		t.Errorf("%v versions", got)
	}
	must(t, s.Remove(id))
	h := p.Acquire() // the version still contains the part
	p.Publish()
	if got := other.Stats().Versions; got != 0 {
		t.Errorf("%d versions of a tree that has left the scene", got)
	}
	must(t, other.Remove(0))
	if got := h.View().Total(); got != 3 {
		t.Errorf("%d objects in a version that is held", got)
	}
	h.Release()
	for i := range 100 { // frees old versions
		frame(i)
	}
	if got := s.Stats(); got.Versions != 2 || got.Held != 0 || got.VersionBytes == 0 {
		t.Errorf("%d versions, %d held, %d bytes", got.Versions, got.Held, got.VersionBytes)
	}
	s.Trim()
	if got := s.Stats().Versions; got != 1 {
		t.Errorf("%d versions after Trim", got)
	}
	// The tree's own publisher is kept, and a tree that the scene has published can get one.
	s.Clear()
	p.Publish()
	if got := []int{tree.Stats().Versions, mine.Stats().Versions}; got[0] != 0 || got[1] == 0 {
		t.Errorf("%v versions", got)
	}
	must(t, mine.Move(0, cube(77, 0, 0, 1)))
	my.Publish()
	one := my.Acquire()
	if o, _ := one.View().Object(0); o.Box != cube(77, 0, 0, 1) {
		t.Errorf("published %v", o)
	}
	one.Release()
	place(t, s, tree, at(1, 0, 0), linear.InstanceOptions{})
	p.Publish()
	must(t, tree.Move(0, cube(5, 0, 0, 1)))
	now := linear.NewPublisher(tree)
	one = now.Acquire()
	if o, _ := one.View().Object(0); o.Box != cube(5, 0, 0, 1) {
		t.Errorf("published %v", o)
	}
	one.Release()
	s.Clear()
	p.Publish()
	if got := tree.Stats().Versions; got == 0 {
		t.Error("the program's publisher has gone with the scene")
	}
}

// Publishing and reading allocate nothing in steady state, and an unchanged scene is not published.
func TestScenePublisherSteady(t *testing.T) {
	s, inner := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	tree := treeOf(t, cube(0, 0, 0, 1), cube(5, 0, 0, 1))
	place(t, inner, tree, at(0, 0, 9), linear.InstanceOptions{})
	transforms := make([]linear.Transform, 200)
	for i := range transforms {
		transforms[i] = at(float64(i), 0, 0)
	}
	ids, err := s.AddInstances(nil, inner, transforms, linear.InstanceOptions{})
	must(t, err)
	p := linear.NewScenePublisher(s)
	frame, seen := 0, 0
	play := func() {
		frame++
		must(t, tree.Move(0, cube(float32(frame%9), 0, 0, 1)))
		must(t, s.Move(ids[frame%len(ids)], at(float64(frame%50), 1, 0)))
		must(t, s.Tick())
		p.Publish()
		h := p.Acquire()
		v := h.View()
		in, _, transform := v.Instance(ids[frame%len(ids)])
		if transform.Rows()[3] != float64(frame%50) || in.Total() != 2 {
			t.Errorf("pose %v, %d objects", transform, in.Total())
		}
		seen += v.Objects().Len() + v.Instances().Len()
		h.Release()
	}
	for range 300 {
		play()
	}
	testkit.Allocs(t, 50, play)
	if seen == 0 {
		t.Error("the readers look at nothing")
	}
	// Changes of parts alone, which only the publisher reads.
	for i := range 5 {
		must(t, tree.Move(0, cube(float32(100*i), 0, 0, 1)))
		p.Publish()
		h := p.Acquire()
		if got := h.View().Bounds(); got.Max[0] < float32(100*i) {
			t.Errorf("published with bounds %v", got)
		}
		h.Release()
	}
	v := s.View()
	p.Publish()
	v.Bounds() // nothing has changed
	must(t, tree.Move(1, cube(1, 1, 1, 1)))
	p.Publish()
	if !stalePanic(v) {
		t.Error("a view of what has been published")
	}
}

// Misuse of versions panics with the reason.
func TestScenePublisherPanics(t *testing.T) {
	s := newScene(t, linear.Config{})
	place(t, s, treeOf(t, cube(0, 0, 0, 1)), at(1, 0, 0), linear.InstanceOptions{})
	p := linear.NewScenePublisher(s)
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
				t.Errorf("panic %v, want %q", r, want)
			}
		}()
		f()
	}
	panics("the scene has a ScenePublisher already: use the one that NewScenePublisher returned", func() { linear.NewScenePublisher(s) })
	h := p.Acquire()
	v := h.View()
	objects, in := v.Objects(), v
	in, _, _ = v.Instance(0)
	h.Release()
	for _, use := range []func(){func() { v.Bounds() }, func() { in.Total() }, func() { objects.Len() }, func() { v.Instance(0) }} {
		panics("after the version was released", use)
	}
	panics("View of a version that has been released", func() { h.View() })
	panics("Release of a version that has been released", func() { h.Release() })
	var none linear.SceneVersion
	panics("has been released, or was never acquired", func() { none.View() })
}
