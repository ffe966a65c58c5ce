package linear_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A tree in several scenes, at several depths, is ticked once a frame, for any order of the ticks, also when
// the program ticks it.
func TestSceneTicksOnce(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 1))
	a, b, top, other := newScene(t, linear.Config{}), newScene(t, linear.Config{}), newScene(t, linear.Config{}), newScene(t, linear.Config{})
	for _, s := range []*linear.Scene{a, b, top, other} {
		place(t, s, tree, at(3, 0, 0), linear.InstanceOptions{})
	}
	place(t, top, a, at(30, 0, 0), linear.InstanceOptions{})
	place(t, top, b, at(60, 0, 0), linear.InstanceOptions{})
	tops := []*linear.Scene{top, other}
	for frame := range 200 {
		before := tree.Ticks()
		changes := frame%5 != 4 // otherwise it is at rest, and a tick may be left out
		if changes {
			must(t, tree.Move(0, cube(float32(frame%7), 0, 0, 1)))
		}
		if frame%3 == 0 {
			tick(t, tree)
		}
		must(t, tops[frame%2].Tick())
		if frame%4 != 0 {
			must(t, tops[1-frame%2].Tick())
		}
		if got := tree.Ticks() - before; got > 1 || changes && got != 1 {
			t.Fatalf("frame %d: the tree was ticked %d times", frame, got)
		}
		for _, s := range []*linear.Scene{a, b, top, other} {
			validScene(t, s)
		}
	}
	// At rest nothing is done.
	for range 70 {
		must(t, top.Tick())
		must(t, other.Tick())
	}
	v, before := top.View(), tree.Ticks()
	must(t, top.Tick())
	must(t, other.Tick())
	if got := tree.Ticks(); got != before {
		t.Errorf("a tree at rest was ticked")
	}
	v.Bounds() // still valid
}

// The same for a scene that the program ticks while nothing has changed.
func TestSceneTicksInner(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 1))
	inner, top := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	place(t, inner, tree, at(1, 0, 0), linear.InstanceOptions{})
	place(t, top, inner, at(1, 0, 0), linear.InstanceOptions{})
	for frame := range 100 {
		before := tree.Ticks()
		changes := frame > 80 && frame%2 == 0
		if changes {
			must(t, tree.Move(0, cube(float32(frame), 0, 0, 1)))
		} else {
			must(t, inner.Tick())
		}
		must(t, top.Tick())
		if got := tree.Ticks() - before; got > 1 || changes && got != 1 {
			t.Fatalf("frame %d: the tree was ticked %d times", frame, got)
		}
		validScene(t, top)
	}
}

// Between a change and a tick, at any depth, the instances of a grown part are listed and bounds contain it;
// the tick gives them new boxes.
func TestSceneOutgrown(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 1))
	inner, outer := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	for i := range 5 {
		place(t, inner, tree, at(float64(10*i), 0, 0), linear.InstanceOptions{Turns: i%2 == 0})
	}
	place(t, inner, treeOf(t, cube(0, 50, 0, 1)), linear.Transform{}, linear.InstanceOptions{})
	place(t, outer, inner, at(0, 0, 100), linear.InstanceOptions{})
	place(t, outer, tree, at(0, 0, 200), linear.InstanceOptions{Turns: true})
	look := func(inside, outside string, bounds soa.AABB) {
		t.Helper()
		v := outer.View()
		in, _, _ := v.Instance(0)
		if got := fmt.Sprint(in.Outgrown()); got != inside {
			t.Errorf("outgrown inside: %v, want %v", got, inside)
		}
		if got := fmt.Sprint(v.Outgrown()); got != outside {
			t.Errorf("outgrown outside: %v, want %v", got, outside)
		}
		if !v.Bounds().Contains(bounds) {
			t.Errorf("bounds %v do not hold %v", v.Bounds(), bounds)
		}
		validScene(t, outer)
	}
	box := func(x0, y0, x1, y1 float32) soa.AABB {
		return soa.AABB{Min: [3]float32{x0, y0, 100}, Max: [3]float32{x1, y1, 101}}
	}
	look("[]", "[]", box(-1, -1, 41, 51))
	must(t, tree.Move(0, cube(0, 0, 0, 1.5))) // now with a longer radius, too
	look("[0 1 2 3 4]", "[1]", box(-1.5, -1.5, 41.5, 51))
	must(t, tree.Move(0, cube(-400, 0, 0, 1)))
	look("[0 1 2 3 4]", "[0 1]", box(-401, -1, -399, 51))
	must(t, outer.Tick())
	look("[]", "[]", box(-401, -1, -399, 51))
	// Elsewhere in the ball of its radius, so that only the others are outgrown.
	must(t, tree.Move(0, cube(0, 0, 400, 1)))
	look("[1 3]", "[]", soa.AABB{Min: [3]float32{-1, -1, 499}, Max: [3]float32{41, 1, 501}})
	must(t, outer.Tick())
	look("[]", "[]", soa.AABB{Min: [3]float32{-1, -1, 499}, Max: [3]float32{41, 1, 501}})
	if got := outer.View().Instances().Bounds().Min[0]; got < -402*2 {
		t.Errorf("bounds begin at %v: padded boxes grow", got)
	}
}

// A part with small changes of size keeps the boxes of its instances; a part that has shrunk by a fifth gives
// them smaller boxes, an empty one a point.
func TestSceneShrinks(t *testing.T) {
	tree := treeOf(t, cube(0, 0, 0, 10))
	s := newScene(t, linear.Config{})
	still := place(t, s, tree, at(100, 0, 0), linear.InstanceOptions{})
	turns := place(t, s, tree, turned(1, 200, 0, 0), linear.InstanceOptions{Turns: true})
	box := func(id uint32) soa.AABB { o, _ := s.View().Instances().Object(id); return o.Box }
	set := func(half float32) {
		t.Helper()
		must(t, tree.Move(0, cube(0, 0, 0, half)))
		must(t, s.Tick())
		validScene(t, s)
		if got := s.View().Outgrown(); len(got) > 0 {
			t.Errorf("outgrown after a tick: %v", got)
		}
	}
	large, ball := box(still), box(turns)
	for range 20 {
		for _, half := range []float32{9, 8.1, 8.5, 10} {
			set(half)
			if box(still) != large || box(turns) != ball {
				t.Fatalf("a part that breathes gets the boxes %v and %v", box(still), box(turns))
			}
		}
	}
	set(7.9)
	if got, want := box(still), cube(100, 0, 0, 7.9); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	if got, want := box(turns).Max[0]-200, float32(7.9*math.Sqrt(3)); got < want || got > want*1.001 {
		t.Errorf("a box of half %v, want %v", got, want)
	}
	set(10)
	if box(still) != large || box(turns) != ball {
		t.Errorf("boxes %v and %v, want %v and %v", box(still), box(turns), large, ball)
	}
	tree.Clear()
	must(t, s.Tick())
	validScene(t, s)
	if got := box(still); got != (soa.AABB{Min: [3]float32{100}, Max: [3]float32{100}}) {
		t.Errorf("an empty part has the box %v", got)
	}
	if got := s.View().Total(); got != 0 {
		t.Errorf("%d objects", got)
	}
	if _, err := tree.Insert(soa.Object{Box: cube(0, 0, 0, 10)}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.View().Outgrown()); got != "[0 1]" {
		t.Errorf("outgrown: %v", got)
	}
	must(t, s.Tick())
	if box(still) != large {
		t.Errorf("box %v, want %v", box(still), large)
	}
}

// A turning instance keeps its box while its transform only rotates.
func TestSceneTurns(t *testing.T) {
	s := newScene(t, linear.Config{})
	tree := treeOf(t, cube(3, 4, 0, 1), cube(-2, 0, 0, 1))
	id := place(t, s, tree, turned(0, 5, 6, 7), linear.InstanceOptions{Turns: true})
	other := place(t, s, tree, turned(0, 5, 6, 7), linear.InstanceOptions{})
	version := func() uint64 { return s.View().Instances().Store().Version }
	first := version()
	for i := range 1000 {
		must(t, s.Move(id, turned(float64(i)/100, 5, 6, 7)))
		if i%2 == 0 {
			must(t, s.MoveBatch([]uint32{id, id}, []linear.Transform{turned(-float64(i), 5, 6, 7), turned(float64(i), 5, 6, 7)}))
		}
	}
	if got := version(); got != first {
		t.Errorf("turning moved boxes: version %d, want %d", got, first)
	}
	validScene(t, s)
	transform := turned(2, 5, 6, 7)
	must(t, s.MoveBatch([]uint32{id, other}, []linear.Transform{transform, transform}))
	if _, got, _ := s.Instance(id); got != transform {
		t.Errorf("pose %v, want %v", got, transform)
	}
	if got := version(); got == first {
		t.Error("a place that does not turn kept its box")
	}
	// Twice in a batch: away, and back.
	away := turned(1, 50, 60, 70)
	must(t, s.MoveBatch([]uint32{id, id}, []linear.Transform{away, transform}))
	validScene(t, s)
	must(t, s.MoveBatch([]uint32{id, id}, []linear.Transform{transform, away}))
	validScene(t, s)
	// Larger, and so small that the box would be too large.
	for _, scale := range []float64{2, 0.5, 0.999} {
		p, err := linear.Similarity([3]float64{50, 60, 70}, [4]float64{3: 1}, scale)
		must(t, err)
		before := version()
		must(t, s.Move(id, p))
		if version() == before {
			t.Errorf("scale %v: the box is that of another scale", scale)
		}
		validScene(t, s)
	}
}

// Instances whose boxes would not be finite keep their boxes, are reported by the tick, and lose nothing; other
// instances get their new boxes.
func TestSceneTickRefused(t *testing.T) {
	s, outer := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	tree, other := treeOf(t, cube(0, 0, 0, 1)), treeOf(t, cube(0, 0, 0, 1))
	huge, err := linear.Similarity([3]float64{}, [4]float64{3: 1}, 0x1p100)
	must(t, err)
	place(t, s, tree, huge, linear.InstanceOptions{})
	place(t, s, tree, huge, linear.InstanceOptions{Turns: true})
	place(t, s, other, at(1, 0, 0), linear.InstanceOptions{})
	in := place(t, outer, s, at(0, 0, 0), linear.InstanceOptions{})
	must(t, tree.Move(0, cube(0x1p60, 0, 0, 1)))
	must(t, other.Move(0, cube(7, 0, 0, 1)))
	for range 3 {
		if err := outer.Tick(); err == nil || !strings.Contains(err.Error(), "instance 0: a part with bounds") {
			t.Fatalf("error %v", err)
		}
		v := outer.View()
		inner, _, _ := v.Instance(in)
		if got := fmt.Sprint(inner.Outgrown(), v.Outgrown()); got != "[0 1] [0]" {
			t.Errorf("outgrown %v", got)
		}
		if b := v.Bounds(); !math.IsInf(float64(b.Max[0]), 1) || !math.IsInf(outer.Radius(), 1) {
			t.Errorf("bounds %v, radius %v", b, outer.Radius())
		}
		if o, _ := inner.Instances().Object(2); o.Box != cube(8, 0, 0, 1) {
			t.Errorf("the other place has the box %v", o.Box)
		}
		validScene(t, outer)
	}
	must(t, tree.Move(0, cube(0, 0, 0, 1)))
	must(t, outer.Tick())
	if got := outer.View().Outgrown(); len(got) > 0 {
		t.Errorf("outgrown %v", got)
	}
	validScene(t, outer)
}
