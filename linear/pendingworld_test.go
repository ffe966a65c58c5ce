package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// An empty tree fits its world to objects that are inserted one by one, of any position and size: most of them
// pass the fast check. A far object is treated as an outlier, reads in between change nothing, and a given
// world stays.
func TestPendingWorld(t *testing.T) {
	const n = 1000
	for _, x := range []struct {
		name       string
		at         [3]float32
		span, size float32
	}{
		{"positive", [3]float32{0, 0, 0}, 64, 2},
		{"around 0", [3]float32{-32, -32, -32}, 64, 2},
		{"negative", [3]float32{-5000, -6000, -7000}, 1000, 1},
		{"northing", [3]float32{4.5e5, 5.4e6, 300}, 2000, 1},
		{"tiny", [3]float32{-1e-6, -1e-6, 1e-6}, 1e-6, 1e-9},
		{"giants", [3]float32{-1, -1, -1}, 2, 1000},
		{"far away", [3]float32{-3e30, 2e30, 1e30}, 1e28, 1e26},
	} {
		t.Run(x.name, func(t *testing.T) {
			seed := testkit.Seed(t)
			tell := func(tree *linear.Tree, look bool, far int) (known int) {
				r := testkit.Rand(seed)
				for i := range n {
					var o soa.Object
					for a := range 3 {
						o.Box.Min[a] = x.at[a] + float32(x.span*r.Float32())
						o.Box.Max[a] = o.Box.Min[a] + x.size
					}
					if i == far {
						o.Box = cube(1e33, -1e33, 1e33, 0)
					}
					if tree.KnownBefore(o.Box) {
						known++
					}
					_, err := tree.Insert(o)
					must(t, err)
					if look && i%7 == 0 {
						tree.View()
						tree.World()
					}
					if i%100 == 3 {
						valid(t, tree)
					}
				}
				valid(t, tree)
				return known
			}
			tree := newTree(t, linear.Config{})
			if known := tell(tree, false, -1); known < n-n/8 {
				t.Errorf("%d of %d needed no check", known, n)
			}
			reference := newTree(t, linear.Config{})
			tell(reference, true, -1)
			if tree.LayoutDigest() != reference.LayoutDigest() {
				t.Error("looks have decided something")
			}
			lone := newTree(t, linear.Config{})
			if known := tell(lone, false, 500); known < n-n/8 {
				t.Errorf("%d of %d needed no check, beside a far one", known, n)
			}
			if lone.World() != tree.World() && lone.World().Exp() > tree.World().Exp()+1 {
				t.Errorf("with a far object the world is %v, without %v", lone.World(), tree.World())
			}
			tick(t, tree)
			valid(t, tree)
			given := newTree(t, linear.Config{World: cube(0, 0, 0, 8)})
			before := given.World()
			tell(given, false, -1)
			if given.World() != before {
				t.Errorf("the given world has become %v", given.World())
			}
			tree.Clear()
			for i := range 40 { // elsewhere
				_, err := tree.Insert(soa.Object{Box: cube(-1e9-float32(i)*1e6, 2e9, 3e9, 1)})
				must(t, err)
				valid(t, tree)
			}
			if !tree.KnownBefore(cube(-1e9-20e6, 2e9, 3e9, 1)) {
				t.Error("after Clear the world does not fit")
			}
		})
	}
}
