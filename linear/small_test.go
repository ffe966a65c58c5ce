package linear_test

import (
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A small tree takes little memory, buffers and all: many programs have thousands of
// them. How many blocks of slots its nodes have decides what the columns of a
// roomy one take; where these are two it takes no more than a frozen one may.
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

// A rebuild leaves room for what comes next, in the memory of an earlier one, too: the
// first objects that come do not copy the tree.
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
