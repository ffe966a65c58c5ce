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

func TestTypes(t *testing.T) {
	objects := []soa.Object{cube(0, 0, 0, 1), cube(4, 0, 0, 1), cube(8, 0, 0, 1)}
	objects[1].Mask, objects[2].Mask = 2, 6
	tree := nevala.New(nevala.Config{})
	tree.Build(objects)
	v := index.Box(soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{20, 20, 20}})
	r := index.NewRay([3]float32{-1, 0.5, 0.5}, [3]float32{1, 0, 0}, 100)
	for types, want := range map[uint32][]uint32{0: {0, 1, 2}, 1: {0}, 2: {1, 2}, 4: {2}, 8: nil} {
		q := tree.Only(types)
		got := q.Append(nil, &v)
		slices.Sort(got)
		var hit []uint32
		for _, h := range q.AppendHits(nil, &r) {
			hit = append(hit, h.ID)
		}
		first, ok := q.First(&r)
		if !slices.Equal(got, want) || !slices.Equal(hit, want) || ok != (len(want) > 0) || ok && first.ID != want[0] {
			t.Errorf("types %b: volume %v, ray %v, first %v; want %v", types, got, hit, first, want)
		}
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
	var got []nevala.Record
	got = tree.Intersections(got)
	slices.SortFunc(got, func(a, b nevala.Record) int { return int(a.Object+a.Other) - int(b.Object+b.Other) })
	var pairs []string
	for _, r := range got {
		pairs = append(pairs, fmt.Sprint(min(r.Object, r.Other), max(r.Object, r.Other)))
	}
	if !slices.Equal(pairs, []string{"0 1", "0 3", "1 3"}) {
		t.Fatalf("pairs %v", pairs)
	}
	last := got[2]
	normal := [3]float32{1, 0, 0}
	if last.Object == 1 {
		normal = [3]float32{-1, 0, 0}
	}
	if last.Depth != 0.5 || last.Normal != normal || last.Position != [3]float32{-19.75, -19.5, -19.5} {
		t.Errorf("record %+v", last)
	}
}

// A strike is on the face that the ray enters.
func TestStrikes(t *testing.T) {
	tree := nevala.New(nevala.Config{})
	tree.Build([]soa.Object{cube(0, 0, 0, 4), cube(10, -1, 0, 2), cube(8, 0.5, 20, 1)})
	for _, c := range []struct {
		origin, dir [3]float32
		want        []nevala.Strike
	}{
		{[3]float32{-2, 0.5, 1}, [3]float32{1, 0, 0}, []nevala.Strike{
			{0, 2, [3]float32{0, 0.5, 1}, [3]float32{-1, 0, 0}},
			{1, 12, [3]float32{10, 0.5, 1}, [3]float32{-1, 0, 0}},
		}},
		{[3]float32{1, 1, 1}, [3]float32{0, 2, 0}, []nevala.Strike{{Object: 0, Position: [3]float32{1, 1, 1}}}},
		{[3]float32{8, 1, 24}, [3]float32{0.25, 0, -1}, []nevala.Strike{{2, 3, [3]float32{8.75, 1, 21}, [3]float32{0, 0, 1}}}},
	} {
		r := index.NewRay(c.origin, c.dir, 100)
		if got := tree.Only(0).Strikes(nil, &r); !slices.Equal(got, c.want) {
			t.Errorf("from %v along %v: %+v, want %+v", c.origin, c.dir, got, c.want)
		}
	}
}

func TestMisuse(t *testing.T) {
	tree := corners()
	rivaltest.Panics(t, map[string]func(){
		"insert": func() { tree.Insert(1, cube(0, 0, 0, 1)) },
		"remove": func() { tree.Remove(7) },
		"move":   func() { tree.Move(2, soa.AABB{}) },
		"ball":   func() { tree.SetBall(1, index.Ball{Radius: 1}) },
		"config": func() { nevala.New(nevala.Config{MinSize: -1}) },
	})
}

func Example() {
	tree := nevala.New(nevala.Config{})
	tree.Build([]soa.Object{cube(0, 0, 0, 2), cube(1, 1, 1, 2), cube(90, 0, 0, 2)})
	for _, r := range tree.Intersections(nil) {
		fmt.Println(r.Object, "and", r.Other, "at", r.Position, "depth", r.Depth)
	}
	tree.Move(2, cube(0, 0, 5, 2).Box)
	tree.Tick()
	v := index.Sphere([3]float32{0, 0, 5}, 2.5)
	fmt.Println(tree.Append(nil, &v))
	// Output:
	// 0 and 1 at [1.5 1.5 1.5] depth 1
	// [1 2]
}
