package piko_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/piko"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func cube(x, y, z, side float32) soa.Object {
	return soa.Object{Box: soa.AABB{Min: [3]float32{x, y, z}, Max: [3]float32{x + side, y + side, z + side}}}
}

// A leaf splits above the maximum, a subtree merges below the minimum, and not
// before.
func TestSplitAndMerge(t *testing.T) {
	tree := piko.New(piko.Config{SplitAbove: 6, MergeBelow: 3})
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

// The root grows to an object far away and shrinks when it is gone; the world
// may wander without growing.
func TestRoot(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	for _, middle := range []bool{false, true} {
		tree := piko.New(piko.Config{Middle: middle})
		tree.Build(objects)
		before, _ := tree.World()
		far := cube(-3e6, 2e5, 1e6, 1)
		tree.Insert(500, far)
		if w, _ := tree.World(); !w.Contains(far.Box) || !w.Contains(before) {
			t.Errorf("the world %v does not hold %v and %v", w, far.Box, before)
		}
		deep := tree.Stats().Depth
		tree.Remove(500)
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

// An object that trembles about a border stays where it is.
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
	for name, f := range map[string]func(){
		"insert": func() { tree.Insert(1, cube(0, 0, 0, 1)) },
		"remove": func() { tree.Remove(0) },
		"move":   func() { tree.Move(2, soa.AABB{}) },
		"config": func() { piko.New(piko.Config{SplitAbove: 3, MergeBelow: 4}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
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
