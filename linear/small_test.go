package linear_test

import (
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A small tree takes little memory, including buffers: many programs have thousands of them. The memory of a
// tree with spare room depends on the number of blocks of slots of its nodes; with two blocks it takes at most
// the memory of a frozen tree.
func TestSmallTreeMemory(t *testing.T) {
	const n, most = 200, 20_000
	for _, scene := range []string{"uniform", "city", "surface", "points", "identical"} {
		objects := sceneOf(t, scene, n)
		for _, frozen := range []bool{false, true} {
			tree := newTree(t, linear.Config{Frozen: frozen})
			insert(t, tree, objects)
			s := tree.Stats()
			total := s.LiveBytes() + s.Slack + s.Scratch
			t.Logf("%s, frozen %v: %d bytes live, %d slack, %d scratch, %d in all", scene, frozen, s.LiveBytes(), s.Slack, s.Scratch, total)
			if s.Scratch > most/2 {
				t.Errorf("%s, frozen %v: %d bytes of buffers", scene, frozen, s.Scratch)
			}
			if (frozen || s.Slots <= 2*soa.BlockSlots) && total > most {
				t.Errorf("%s, frozen %v: %d bytes in %d slots", scene, frozen, total, s.Slots)
			}
		}
	}
}

// A rebuild leaves room for later objects, also in the memory of an earlier rebuild: the first inserted objects
// do not copy the tree.
func TestRebuildLeavesRoom(t *testing.T) {
	objects := sceneOf(t, "uniform", 20_000)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
	insert(t, tree, objects[:10_000])
	for at := 10_000; at < len(objects); at += 100 {
		rebuild(t, tree, false)
		before := unsafe.SliceData(tree.View().Store().Packets.Bounds)
		insert(t, tree, objects[at:at+100])
		must(t, tree.Flush())
		if after := unsafe.SliceData(tree.View().Store().Packets.Bounds); after != before {
			t.Fatalf("100 objects that came to %d copied the tree", at)
		}
	}
	valid(t, tree)
}
