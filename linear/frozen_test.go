package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A tree that is built frozen equals the result of a frozen rebuild, and accepts changes.
func TestFrozenAtOnce(t *testing.T) {
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(5000, 1)
		tree := newTree(t, linear.Config{Frozen: true})
		ids := insert(t, tree, objects)
		check(t, tree, ids, objects)
		if st := tree.Stats(); !st.Frozen || st.Slots > 8+5000/13 {
			t.Errorf("%s: frozen %v, %d slots", sc.Name, st.Frozen, st.Slots)
		}
		for i := range 200 {
			if _, err := tree.Insert(objects[i]); err != nil {
				t.Fatal(err)
			}
			must(t, tree.Move(ids[i], objects[i+1].Box))
			objects[i].Box = objects[i+1].Box
			if i%20 == 0 {
				tick(t, tree)
				valid(t, tree)
			}
		}
		tick(t, tree)
		for i, id := range ids {
			if o, ok := tree.Object(id); !ok || o != objects[i] {
				t.Fatalf("%s: object %d is %v, %v", sc.Name, id, o, ok)
			}
		}
		valid(t, tree)
	}
}

// If many objects have one key, a frozen tree has full packets, and one for the remainder.
func TestEqualKeysFillPackets(t *testing.T) {
	sizes := testkit.Budget(t, []int{1, 17, 258, 4098, 5000}, edgeSizes)
	r := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 4, 64) {
		sizes = append(sizes, 1+r.IntN(20_000))
	}
	for _, n := range append(sizes, 258, 4098, 8226, 16_418) {
		objects := make([]soa.Object, n)
		for i := range objects {
			objects[i].Box = cube(1, 2, 3, 1)
		}
		tree := newTree(t, linear.Config{Frozen: true, Cut: linear.CutCurve})
		insert(t, tree, objects)
		valid(t, tree)
		if got, want := tree.Stats().Packets, (n+soa.Lanes-1)/soa.Lanes; got != want {
			t.Errorf("%d equal objects are in %d packets, want %d", n, got, want)
		}
	}
}

// A frozen tree that is split in space has cells of up to 65,536 objects, one cell if they fit; along the
// curve, and in a tree with room, a cell is a node of packets.
func TestFrozenCells(t *testing.T) {
	const most = 1 << 16
	objects := sceneOf(t, "uniform", most+1)
	for _, n := range []int{most, most + 1} {
		for _, x := range []struct {
			opt   linear.RebuildOptions
			large bool
		}{
			{linear.RebuildOptions{Frozen: true, Cut: linear.CutSpace}, true},
			{linear.RebuildOptions{Frozen: true, Cut: linear.CutCurve}, false},
			{linear.RebuildOptions{Cut: linear.CutSpace}, false},
		} {
			tree := newTree(t, linear.Config{})
			insert(t, tree, objects[:n])
			must(t, tree.Rebuild(nil, x.opt))
			cells, largest := 0, 0
			for c := range tree.Cells() {
				cells++
				largest = max(largest, c.Count)
			}
			if x.large && (largest > most || cells > 16 || (n == most) != (cells == 1)) || !x.large && largest > soa.Fan*soa.Lanes {
				t.Errorf("%d objects, %+v: %d cells, the largest of %d", n, x.opt, cells, largest)
			}
		}
	}
}
