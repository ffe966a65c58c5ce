package linear_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// cellHeights returns the cells by their height.
func cellHeights(tree *linear.Tree) (count map[uint8]int) {
	n := &tree.View().Store().Nodes
	count = map[uint8]int{}
	for c := range tree.Cells() {
		count[n.Height[c.Node]]++
	}
	return count
}

// The packets of all cells are the packets of the tree, in order, each in the slots of its cell.
func TestPacketsOf(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	objects := sceneOf(t, "uniform", 8000)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, Lifespan: linear.Off, PendingMin: 64, PendingShare: 1 << 20})
	ids := insert(t, tree, objects[:4000])
	rebuild(t, tree, false)
	for round := range 8 {
		var want, got []linear.Packet
		for p := range tree.Packets() {
			want = append(want, p)
		}
		cells := 0
		for c := range tree.Cells() {
			cells++
			packets, count := 0, 0
			for p := range tree.PacketsOf(c) {
				got = append(got, p)
				packets++
				count += p.Count
				if p.Slot < c.Slots.First || p.Slot >= c.Slots.End {
					t.Fatalf("slot %d of the cell of node %d is not in %v", p.Slot, c.Node, c.Slots)
				}
			}
			if packets != c.Packets || count != c.Count {
				t.Fatalf("the cell of node %d has %d packets of %d objects, want %d of %d", c.Node, packets, count, c.Packets, c.Count)
			}
		}
		if cells < 1 || !slices.Equal(got, want) {
			t.Fatalf("round %d: %d cells have %d packets, the tree %d", round, cells, len(got), len(want))
		}
		insert(t, tree, objects[4000+500*round:][:500])
		for range 1500 {
			id := ids[r.IntN(len(ids))]
			must(t, tree.Move(id, objects[r.IntN(len(objects))].Box))
		}
		tick(t, tree)
	}
	if testkit.Panic(func() { tree.PacketsOf(linear.Cell{Node: 1 << 30}) }) == nil {
		t.Error("no panic for a node that is none")
	}
}

// Large cells of a frozen build change like other cells: their objects are split and joined in space, and the
// cells become higher.
func TestChangesInLargeCells(t *testing.T) {
	for i, name := range []string{"uniform", "city", "surface"} {
		splits := []int{16, 3}
		for _, split := range testkit.Budget(t, splits[i%2:i%2+1], splits) {
			r := testkit.Rand(testkit.Seed(t))
			objects := sceneOf(t, name, 4000)
			tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, SplitAbove: split, MergeBelow: split / 2, Lifespan: linear.Off, PendingMin: 64, PendingShare: 1 << 20})
			ids := insert(t, tree, objects)
			rebuild(t, tree, true)
			if h := cellHeights(tree); h[1] != 1 || len(h) != 1 {
				t.Fatalf("%s: cells by height are %v, want one above nodes", name, h)
			}
			allocated, freed := 0, 0
			for round := range testkit.Budget(t, 20, 60) {
				switch grow := round%20 < 10; {
				case grow: // a crowd about one of the objects, and other objects anywhere
					at := objects[r.IntN(len(objects))].Box.Center()
					denseScene := make([]soa.Object, 300)
					for i := range denseScene {
						denseScene[i] = soa.Object{Box: cube(at[0]+r.Float32(), at[1]+r.Float32(), at[2]+r.Float32(), 0.1+r.Float32()), Mask: 1 << r.IntN(32)}
					}
					ids = append(ids, insert(t, tree, denseScene)...)
					objects = append(objects, denseScene...)
				default:
					for range min(400, len(ids)/4) {
						i := r.IntN(len(ids))
						must(t, tree.Remove(ids[i]))
						last := len(ids) - 1
						ids[i], objects[i] = ids[last], objects[last]
						ids, objects = ids[:last], objects[:last]
					}
				}
				for range 200 {
					i := r.IntN(len(ids))
					objects[i].Box = drift(r, objects[i].Box, 3, soa.AABB{}, 0)
					must(t, tree.Move(ids[i], objects[i].Box))
				}
				valid(t, tree)
				tick(t, tree)
				valid(t, tree)
				allocated, freed = allocated+tree.Work().Allocated, freed+tree.Work().Merges
			}
			check(t, tree, ids, objects)
			if allocated < 20 || freed == 0 {
				t.Errorf("%s: %d nodes taken, %d joined", name, allocated, freed)
			}
			if h := cellHeights(tree); len(h) != 1 || h[0] != 0 {
				t.Errorf("%s: cells by height are %v", name, h)
			}
		}
	}
}

// Degraded nodes are re-split, a few in each tick, until none is left.
func TestDegradedLeaves(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	objects := sceneOf(t, "uniform", 20_000)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, Cut: linear.CutSpace})
	ids := insert(t, tree, objects)
	most := 0
	for range 40 {
		boxes := make([]soa.AABB, 1000)
		first := 1000 * r.IntN(len(ids)/1000)
		for i := range boxes {
			objects[first+i].Box = drift(r, objects[first+i].Box, 4, soa.AABB{}, 0)
			boxes[i] = objects[first+i].Box
		}
		must(t, tree.MoveBatch(ids[first:first+1000], boxes))
		tick(t, tree)
		if k := tree.Work().Recut; k > 2 {
			t.Fatalf("%d nodes cut anew in a tick of 1,000 moves", k)
		}
		most = max(most, tree.Worn())
	}
	valid(t, tree)
	if most < 5 {
		t.Fatalf("at most %d nodes are worn", most)
	}
	for ticks := 0; tree.Worn() > 0; ticks++ {
		if ticks > 5000 {
			t.Fatalf("%d nodes are worn after %d ticks", tree.Worn(), ticks)
		}
		tick(t, tree)
	}
	valid(t, tree)
	check(t, tree, ids, objects)
}

// A root of far objects and one large cell becomes that cell after the removal of the far objects.
func TestRootBecomesCell(t *testing.T) {
	objects := sceneOf(t, "uniform", 2000)
	for _, far := range []int{1, 20, 300} {
		tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, Lifespan: linear.Off, Frozen: true})
		ids := insert(t, tree, append(objects[:len(objects):len(objects)], strangers("1e7", far)...))
		if h := cellHeights(tree); h[1] != 1 || len(tree.View().Store().Nodes.Hot) < 4 {
			t.Fatalf("cells by height are %v", h)
		}
		must(t, tree.RemoveBatch(ids[len(objects):]))
		for range 3 {
			tick(t, tree)
			check(t, tree, ids[:len(objects)], objects)
		}
		if h := cellHeights(tree); h[1] != 1 || len(h) != 1 {
			t.Errorf("%d far objects are gone, and cells by height are %v", far, h)
		}
		for c := range tree.Cells() {
			if c.Node != 0 || c.Depth != 0 || c.Count != len(objects) {
				t.Errorf("%d far objects are gone, and a cell is %+v", far, c)
			}
		}
		// The cell changes like other cells.
		more := insert(t, tree, objects[:500])
		tick(t, tree)
		check(t, tree, append(ids[:len(objects):len(objects)], more...), append(objects[:len(objects):len(objects)], objects[:500]...))
	}
}

// idsBelow appends the IDs of the objects below a node.
func idsBelow(dst []uint32, v linear.View, node uint32) []uint32 {
	n := &v.Store().Nodes
	for _, ref := range n.Hot[node].Child[:n.Used[node]] {
		if ref.IsPacket() {
			dst = append(dst, v.IDs(ref.Index())...)
		} else {
			dst = idsBelow(dst, v, ref.Index())
		}
	}
	return dst
}

// A node that becomes empty is removed, and a neighbouring cell takes its keys. The node is above cells, a
// cell, or inside a cell.
func TestBranchGoes(t *testing.T) {
	objects := sceneOf(t, "uniform", 6000)
	gone := map[string]int{}
	for _, frozen := range []bool{false, true} {
		cfg := linear.Config{Policy: linear.PolicyIncremental, Lifespan: linear.Off, Frozen: frozen}
		all := newTree(t, cfg)
		ids := insert(t, all, objects)
		nodes := &all.View().Store().Nodes
		for node := 1; node < len(nodes.Hot); node++ {
			if !testkit.Long(t) && node%5 > 0 && nodes.Height[node] == 0 {
				continue
			}
			tree := all.Clone()
			leave := idsBelow(nil, tree.View(), uint32(node))
			must(t, tree.RemoveBatch(leave))
			for range 2 {
				tick(t, tree)
				valid(t, tree)
			}
			if tree.Len() != len(ids)-len(leave) || tree.Work().Freed > 0 {
				t.Fatalf("node %d: %d objects are left, %+v", node, tree.Len(), tree.Work())
			}
			back := make([]soa.Object, len(leave))
			for i, id := range leave {
				back[i] = objects[id]
			}
			insert(t, tree, back)
			tick(t, tree)
			valid(t, tree)
			gone[fmt.Sprintf("height %d, frozen %v", nodes.Height[node], frozen)]++
		}
	}
	if len(gone) != 4 {
		t.Errorf("nodes have gone of %v", gone)
	}
}
