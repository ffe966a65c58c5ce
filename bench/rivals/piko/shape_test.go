package piko_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/piko"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var cube = rivaltest.Cube

// A leaf splits above the maximum, a subtree merges below the minimum, and not
// before.
func TestSplitAndMerge(t *testing.T) {
	tree := piko.New(piko.Config{SplitAbove: 6, MergeBelow: 3, OutsideAbove: -1})
	for i := range 6 {
		tree.Insert(uint32(i), cube(float32(i%2)*10, float32(i/2%2)*10, float32(i/4)*10, 1))
	}
	if n := tree.Stats().Nodes; n != 1 {
		t.Errorf("%d nodes for 6 objects", n)
	}
	tree.Insert(6, cube(0, 10, 10, 1))
	if n := tree.Stats().Nodes; n < 2 {
		t.Errorf("%d nodes for 7 objects", n)
	}
	for i := range 4 {
		tree.Remove(uint32(i))
	}
	if n := tree.Stats().Nodes; n < 2 {
		t.Errorf("%d nodes for 3 objects", n)
	}
	tree.Remove(4)
	if s := tree.Stats(); s.Nodes != 1 || s.Objects != 2 {
		t.Errorf("%+v for 2 objects", s)
	}
}

// Objects stay outside of the root until their number exceeds the limit: then the root grows.
func TestOutside(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	for _, c := range []struct {
		cfg  piko.Config
		most int // outside
	}{
		{piko.Config{}, 32},
		{piko.Config{SplitAbove: 8}, 8},
		{piko.Config{OutsideAbove: 5}, 5},
		{piko.Config{OutsideAbove: -1}, 0},
		{piko.Config{OutsideAbove: 3, OutsideShare: 0.1}, 55}, // of 555
		{piko.Config{OutsideAbove: 3, OutsideShare: 0.001}, 3},
		{piko.Config{OutsideAbove: 3, OutsideShare: 0.1, Middle: true}, 55},
	} {
		tree := piko.New(c.cfg)
		tree.Build(objects)
		before, _ := tree.World()
		shape := tree.Stats()
		for i := range c.most + 1 {
			tree.Insert(uint32(500+i), cube(900+float32(i), -3e4, 700, 1))
			must.Do(tree.Validate())
			w, _ := tree.World()
			if grown := w != before; grown != (i == c.most) {
				t.Fatalf("%+v: grown %v with %d objects outside, want that above %d", c.cfg, grown, i+1, c.most)
			}
			if s := tree.Stats(); i < c.most && s != shape {
				t.Fatalf("%+v: %+v with %d objects outside, %+v without", c.cfg, s, i+1, shape)
			}
		}
		w, _ := tree.World()
		if s := tree.Stats(); !w.Contains(before) || s.Objects <= 500 {
			t.Errorf("%+v: the world %v has grown to %v with %d objects", c.cfg, before, w, s.Objects)
		}
		// An object that returns is inserted.
		tree.Remove(500)
		tree.Insert(500, cube(900, -9e6, 700, 1))
		tree.Move(500, objects[0].Box)
		v := index.Box(objects[0].Box)
		if got := tree.Append(nil, &v); !slices.Contains(got, 500) {
			t.Errorf("%+v: object 500 is not found among %v", c.cfg, got)
		}
		if err := tree.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// The root grows towards the octant with the most outside objects, in any order of insertion.
func TestGrowth(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	for octant := range 8 {
		tree := piko.New(piko.Config{OutsideAbove: 9})
		tree.Build(objects)
		before, _ := tree.World()
		c, side := before.Center(), before.Max[0]-before.Min[0]
		in := func(octant int) soa.AABB {
			var at [3]float32
			for a := range 3 {
				at[a] = c[a] + side*(float32(octant>>a&1)*1.5-0.75) // just beyond the root
			}
			return cube(at[0], at[1], at[2], 0.25).Box
		}
		for i := range 10 {
			o := octant
			if i%3 == 0 { // the first and the last, too
				o = (octant + 1 + i/3) % 8
			}
			tree.Insert(uint32(500+i), soa.Object{Box: in(o)})
		}
		w, _ := tree.World()
		for a := range 3 {
			down, up := before.Min[a]-w.Min[a], w.Max[a]-before.Max[a]
			if (up > down) != (octant>>a&1 == 1) {
				t.Errorf("octant %03b: the world %v has grown to %v", octant, before, w)
			}
		}
		if n := tree.Stats().Objects; n < 506 || n == 510 || w.Max[0]-w.Min[0] > 2.5*side {
			t.Errorf("octant %03b: %d of 510 objects are in the world %v, once %v", octant, n, w, before)
		}
		if err := tree.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// The root grows for many objects far away and shrinks when they are removed; the world may wander without
// growing.
func TestRoot(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	for _, middle := range []bool{false, true} {
		tree := piko.New(piko.Config{Middle: middle})
		tree.Build(objects)
		before, _ := tree.World()
		far := cube(-3e6, 2e5, 1e6, 1)
		for i := range 40 {
			tree.Insert(uint32(500+i), far)
		}
		if w, _ := tree.World(); !w.Contains(far.Box) || !w.Contains(before) {
			t.Errorf("the world %v does not hold %v and %v", w, far.Box, before)
		}
		deep := tree.Stats().Depth
		for i := range 40 {
			tree.Remove(uint32(500 + i))
		}
		tree.Tick()
		side := before.Max[0] - before.Min[0]
		if w, _ := tree.World(); w.Max[0]-w.Min[0] > 4*side || tree.Stats().Depth >= deep {
			t.Errorf("the world %v stays %v, depth %d after %d", before, w, tree.Stats().Depth, deep)
		}
		for step := range 200 {
			for i, o := range objects {
				for a := range 3 {
					d := float32(step) * 5
					o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+d, o.Box.Max[a]+d
				}
				tree.Move(uint32(i), o.Box)
			}
			tree.Tick()
			if w, _ := tree.World(); w.Max[0]-w.Min[0] > 8*side {
				t.Fatalf("step %d: the world %v has grown to %v", step, before, w)
			}
		}
		if err := tree.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Enlarged cells, and cells over the borders, keep fewer objects above.
func TestStraddlers(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(3000, 1)
	inner := func(cfg piko.Config) int {
		cfg.SplitAbove = 8
		tree := piko.New(cfg)
		tree.Build(objects)
		return tree.Stats().Inner
	}
	strict, loose, middle := inner(piko.Config{Enlarge: -1}), inner(piko.Config{Enlarge: 50}), inner(piko.Config{Enlarge: -1, Middle: true})
	if loose >= strict || middle >= strict {
		t.Errorf("%d objects lie above with strict cells, %d with enlarged ones, %d with 27 children", strict, loose, middle)
	}
}

// An object that oscillates about a border stays in its node.
func TestTrembling(t *testing.T) {
	tree := piko.New(piko.Config{SplitAbove: 2})
	tree.Build([]soa.Object{cube(0, 0, 0, 1), cube(0, 0, 99, 1), cube(99, 99, 0, 1), cube(40, 40, 40, 1)})
	shape := tree.Stats()
	for i := range 20 {
		tree.Move(3, cube(45+float32(i%2)*3, 40, 40, 1).Box)
		if s := tree.Stats(); s != shape {
			t.Fatalf("%+v has become %+v", shape, s)
		}
	}
}

// An object on a border that moves off it sinks.
func TestSink(t *testing.T) {
	tree := piko.New(piko.Config{SplitAbove: 2, Enlarge: -1})
	tree.Build([]soa.Object{cube(0, 0, 0, 1), cube(0, 0, 99, 1), cube(99, 99, 0, 1), cube(49, 49, 49, 2)})
	if s := tree.Stats(); s.Inner != 1 {
		t.Fatalf("%+v", s)
	}
	tree.Move(3, cube(40, 40, 40, 1).Box)
	if s := tree.Stats(); s.Inner != 0 {
		t.Errorf("%+v", s)
	}
}

func TestMisuse(t *testing.T) {
	tree := piko.New(piko.Config{})
	tree.Insert(1, cube(0, 0, 0, 1))
	rivaltest.Panics(t, map[string]func(){
		"insert": func() { tree.Insert(1, cube(0, 0, 0, 1)) },
		"remove": func() { tree.Remove(0) },
		"move":   func() { tree.Move(2, soa.AABB{}) },
		"config": func() { piko.New(piko.Config{SplitAbove: 3, MergeBelow: 4}) },
		"share":  func() { piko.New(piko.Config{OutsideShare: 2}) },
	})
}

func Example() {
	tree := piko.New(piko.Config{SplitAbove: 2})
	for i := range 10 {
		tree.Insert(uint32(i), cube(float32(i)*3, 0, 0, 1))
	}
	v := index.Box(soa.AABB{Min: [3]float32{5, 0, 0}, Max: [3]float32{10, 1, 1}})
	ids := tree.Append(nil, &v)
	slices.Sort(ids)
	fmt.Println(ids)
	tree.Move(9, cube(6, 0.5, 0, 1).Box)
	tree.Tick()
	tree.Pairs(func(a, b uint32) { fmt.Println(a, "touches", b) })
	// Output:
	// [2 3]
	// 2 touches 9
}
