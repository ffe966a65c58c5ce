package irregular

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var cube = rivaltest.Cube

// A query splits the leaves that it visits, no others, and none that it contains.
func TestLazySplits(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(8000, 1)
	tree := New(Config{})
	tree.Build(objects)
	all := index.Box(soa.AABB{Min: [3]float32{-9, -9, -9}, Max: [3]float32{99, 99, 99}})
	if n := len(tree.Append(nil, &all)); n != len(objects) || tree.Stats().Nodes != 1 {
		t.Errorf("a query for everything found %d and left %d nodes", n, tree.Stats().Nodes)
	}
	corner := index.Box(cube(0, 0, 0, 3).Box)
	tree.Append(nil, &corner)
	few := tree.Stats().Nodes
	tree.Settle()
	if many := tree.Stats().Nodes; few < 9 || many < 3*few {
		t.Errorf("%d nodes after a query in a corner, %d when settled", few, many)
	}
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
	tree.root.each(func(n *node) {
		if n.on == 0 && len(n.objects) > 16 && n.wait == 0 {
			t.Errorf("a leaf of %d objects is not split", len(n.objects))
		}
	})
}

// 16 objects do not split a leaf, 17 do.
func TestSplitAbove(t *testing.T) {
	objects := testkit.SceneByName(t, "points").Make(17, 1)
	for n, split := range map[int]bool{16: false, 17: true} {
		tree := New(Config{})
		tree.Build(objects[:n])
		tree.Settle()
		if got := tree.Stats().Nodes; (got > 1) != split {
			t.Errorf("%d nodes for %d objects", got, n)
		}
	}
}

// Small objects attract the planes; the plane that cuts a quarter is disabled.
func TestPlanes(t *testing.T) {
	var objects []soa.Object
	for i := range 40 {
		objects = append(objects, cube(float32(i%8), float32(i/8), 0, 0.5))
	}
	for i := range 8 {
		objects = append(objects, cube(500+float32(i)*60, 300, -25, 50))
	}
	tree := New(Config{})
	tree.Build(objects)
	tree.root.split(tree)
	if x := tree.root.plane[0]; !(x > 2 && x < 20) {
		t.Errorf("the plane is at x = %v, want it near the small objects at 0 to 8", x)
	}
	if tree.root.on != 0b011 {
		t.Errorf("planes %03b, want x and y: all lie on that of z", tree.root.on)
	}
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
}

// A plane with a quarter of the objects on it is enabled, with more it is not.
func TestStraddlers(t *testing.T) {
	for on, enabled := range map[int]bool{0: true, 10: true, 12: false, 30: false} {
		var objects []soa.Object
		for i := range 40 {
			z := float32(i%2)*20 - 10 // the mean is at 0.5
			if i < on {
				z = 0
			}
			objects = append(objects, cube(float32(i), 0, z, 1))
		}
		tree := New(Config{})
		tree.Build(objects)
		tree.root.split(tree)
		if got := tree.root.on>>2&1 == 1; got != enabled {
			t.Errorf("%d of 40 objects on the plane of z = %v: enabled %v", on, tree.root.plane[2], got)
		}
	}
}

// When too many objects lie on every plane, the planes with the least are
// enabled: one, or several that have equally few.
func TestFewestStraddlers(t *testing.T) {
	for _, c := range []struct {
		on   [3]int // of 40 objects, how many lie on the plane of the axis
		want uint8
	}{
		{[3]int{30, 20, 25}, 0b010},
		{[3]int{30, 30, 12}, 0b100},
		{[3]int{20, 30, 20}, 0b101},
		{[3]int{20, 10, 30}, 0b010}, // not all are disabled
		{[3]int{10, 8, 30}, 0b011},
		{[3]int{40, 40, 20}, 0b100}, // two separate nothing
		{[3]int{40, 40, 40}, 0},
	} {
		var objects []soa.Object
		for i := range 40 {
			var at [3]float32
			for a := range 3 {
				// Each axis in another order, and the mean at 0.5.
				if k := (i*[3]int{7, 11, 13}[a] + a) % 40; k >= c.on[a] {
					at[a] = float32(k%2)*20 - 10
				}
			}
			objects = append(objects, cube(at[0], at[1], at[2], 1))
		}
		tree := New(Config{})
		tree.Build(objects)
		tree.root.split(tree)
		if tree.root.on != c.want {
			t.Errorf("%v of 40 objects on the planes: enabled %03b, want %03b", c.on, tree.root.on, c.want)
		}
		if err := tree.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// A node enables no more planes than it may, the best of them first.
func TestPlaneLimit(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	for limit := 1; limit <= 3; limit++ {
		tree := New(Config{Planes: limit})
		tree.Build(objects)
		tree.Settle()
		most := 0
		tree.root.each(func(n *node) { most = max(most, bits.OnesCount8(n.on)) })
		if most != limit {
			t.Errorf("a node has %d planes enabled, want at most %d", most, limit)
		}
	}
}

// All objects lie on one plane or another, none on all: only the best plane separates them.
func TestAllOnSomePlane(t *testing.T) {
	var objects []soa.Object
	for i := range 40 {
		a := i % 3
		at := [3]float32{float32(i%2)*20 - 10, float32(i/2%2)*20 - 10, float32(i/4%2)*20 - 10}
		at[a] = 0
		objects = append(objects, cube(at[0], at[1], at[2], 1))
	}
	tree := New(Config{Straddlers: 1})
	tree.Build(objects)
	tree.Settle()
	if tree.Stats().Nodes == 1 || bits.OnesCount8(tree.root.on) != 1 {
		t.Errorf("%+v, planes %03b", tree.Stats(), tree.root.on)
	}
}

// A leaf that cannot be split is left alone until it has changed.
func TestNoSplit(t *testing.T) {
	objects := testkit.SceneByName(t, "identical").Make(100, 1)
	tree := New(Config{})
	tree.Build(objects)
	tree.Settle()
	if s := tree.Stats(); s.Nodes != 1 || tree.root.wait != 100 {
		t.Errorf("%+v, %d changes to wait", s, tree.root.wait)
	}
	for i := range 100 {
		tree.Settle()
		tree.Move(uint32(i), cube(float32(i%10)*5, float32(i/10)*5, 0, 1).Box)
		if tree.Stats().Nodes != 1 {
			t.Fatalf("split after %d changes", i)
		}
	}
	if tree.Settle(); tree.Stats().Nodes < 5 {
		t.Errorf("%+v after all objects have moved apart", tree.Stats())
	}
}

// The candidates of a query contain its result, and in a large tree few others.
func TestCandidates(t *testing.T) {
	objects := testkit.SceneByName(t, "points").Make(5000, 1)
	tree := New(Config{})
	tree.Build(objects)
	for _, b := range []soa.AABB{cube(10, 10, 10, 8).Box, cube(-9, -9, -9, 5).Box, cube(-9, -9, -9, 99).Box} {
		v := index.Box(b)
		got, want := tree.AppendCandidates(nil, &v), tree.Append(nil, &v)
		if !testkit.NothingLost(t, got, want) || len(got) > 4*len(want) {
			t.Errorf("%d candidates for %d objects in %v", len(got), len(want), b)
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != len(got) {
			t.Errorf("duplicate candidates of %v", b)
		}
	}
}

// An emptied branch is freed at once, up to the first node with other contents, not at the end of the
// frame.
func TestFreedAtOnce(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	tree := New(Config{})
	tree.Build(objects)
	tree.Settle()
	full := tree.Stats().Nodes
	for i := range objects {
		tree.Remove(uint32(i))
		tree.root.each(func(n *node) {
			if n.empty() && n.parent != nil || n.kids == 1 && len(n.objects) == 0 {
				t.Fatalf("after %d removals a node has %d children and nothing else", i+1, n.kids)
			}
		})
	}
	if s := tree.Stats(); s.Nodes != 1 || tree.root.on != 0 {
		t.Errorf("%d of %d nodes left for no objects, planes %03b", s.Nodes, full, tree.root.on)
	}
	// A branch emptied by moves is freed, too.
	tree.Build(objects)
	tree.Settle()
	for i := range objects {
		tree.Move(uint32(i), cube(float32(i%10), float32(i/10%10), float32(i/100), 0.5).Box)
	}
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMisuse(t *testing.T) {
	tree := New(Config{})
	tree.Insert(1, cube(0, 0, 0, 1))
	rivaltest.Panics(t, map[string]func(){
		"insert": func() { tree.Insert(1, cube(0, 0, 0, 1)) },
		"remove": func() { tree.Remove(0) },
		"move":   func() { tree.Move(2, soa.AABB{}) },
		"config": func() { New(Config{Straddlers: 2}) },
		"planes": func() { New(Config{Planes: 4}) },
		"ahead":  func() { New(Config{Ahead: All + 1}) },
	})
}

func Example() {
	tree := New(Config{})
	tree.Build([]soa.Object{cube(0, 0, 0, 1), cube(10, 0, 0, 1)})
	tree.Move(0, cube(10.5, 0, 0, 1).Box)
	tree.Pairs(func(a, b uint32) { fmt.Println(min(a, b), "and", max(a, b)) })
	r := index.NewRay([3]float32{0, 0.5, 0.5}, [3]float32{1, 0, 0}, 100)
	fmt.Println(tree.AppendHits(nil, &r))
	// Output:
	// 0 and 1
	// [{1 10} {0 10.5}]
}
