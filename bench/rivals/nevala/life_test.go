package nevala_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/nevala"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
	"github.com/zoctree/zoctree/soa"
)

func cube(x, y, z, side float32) soa.Object {
	o := rivaltest.Cube(x, y, z, side)
	o.Mask = 1
	return o
}

// corners returns a tree of two objects, in a cube of side 1024.
func corners() *nevala.Tree {
	t := nevala.New(nevala.Config{})
	t.Build([]soa.Object{cube(0, 0, 0, 1), cube(1000, 1000, 1000, 1)})
	return t
}

// An empty leaf is kept for 8 frames, doubled at each reuse up to 64.
func TestLifespan(t *testing.T) {
	for reuses, want := range []int{8, 16, 32, 64, 64} {
		tree := corners()
		nodes := tree.Stats().Nodes
		for range reuses + 1 {
			tree.Insert(2, cube(600, 0, 0, 1))
			tree.Tick()
			if tree.Stats().Nodes == nodes {
				t.Fatal("no leaf was made")
			}
			tree.Remove(2)
		}
		frames := 0
		for ; tree.Stats().Nodes > nodes && frames < 200; frames++ {
			tree.Tick()
		}
		if frames != want {
			t.Errorf("after %d reuses an empty leaf was kept for %d frames, want %d", reuses, frames, want)
		}
		if err := tree.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Objects stay in the queue until the next query; one beyond the root causes the tree to be rebuilt around
// it.
func TestRebuild(t *testing.T) {
	tree := corners()
	tree.Insert(2, cube(-5000, 0, 0, 1))
	v := index.Box(cube(-5000, 0, 0, 1).Box)
	if got := tree.Append(nil, &v); !slices.Equal(got, []uint32{2}) {
		t.Errorf("got %v, want object 2", got)
	}
	tree.Move(0, cube(0, 9e6, 0, 1).Box)
	if s := tree.Stats(); s.Objects != 3 {
		t.Errorf("%d objects, want 3", s.Objects)
	}
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
}

// A small object sinks below a static one that straddles all borders, and still forms a pair with it.
func TestStaticAbove(t *testing.T) {
	big := cube(-50, -50, -50, 100)
	big.Static = true
	objects := []soa.Object{big, cube(-20, -20, -20, 1), cube(-40, 20, 3, 1), cube(-20.5, -20, -20, 1)}
	objects[2].Static = true
	tree := nevala.New(nevala.Config{})
	tree.Build(objects)
	var pairs []string
	tree.Pairs(func(a, b uint32) { pairs = append(pairs, fmt.Sprint(min(a, b), max(a, b))) })
	slices.Sort(pairs)
	if !slices.Equal(pairs, []string{"0 1", "0 3", "1 3"}) {
		t.Fatalf("pairs %v", pairs)
	}
}

func TestMisuse(t *testing.T) {
	tree := corners()
	rivaltest.Panics(t, map[string]func(){
		"insert": func() { tree.Insert(1, cube(0, 0, 0, 1)) },
		"remove": func() { tree.Remove(7) },
		"move":   func() { tree.Move(2, soa.AABB{}) },
		"config": func() { nevala.New(nevala.Config{MinSize: -1}) },
	})
}

func Example() {
	tree := nevala.New(nevala.Config{})
	tree.Build([]soa.Object{cube(0, 0, 0, 2), cube(1, 1, 1, 2), cube(90, 0, 0, 2)})
	tree.Pairs(func(a, b uint32) { fmt.Println(min(a, b), "and", max(a, b)) })
	tree.Move(2, cube(0, 0, 5, 2).Box)
	tree.Tick()
	v := index.Sphere([3]float32{0, 0, 5}, 2.5)
	fmt.Println(tree.Append(nil, &v))
	// Output:
	// 0 and 1
	// [1 2]
}
