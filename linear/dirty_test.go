package linear_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// dirtyHeap leaves free memory that is full of ones.
func dirtyHeap() {
	var blocks [][]byte
	for size := 64; size <= 1<<20; size *= 2 {
		for range max(8<<20/size/16, 8) {
			b := make([]byte, size)
			for i := range b {
				b[i] = 0xFF
			}
			blocks = append(blocks, b)
		}
	}
	runtime.KeepAlive(blocks)
	blocks = nil
	runtime.GC()
	runtime.GC()
}

// New columns may have uninitialized memory: its contents never affect a tree.
func TestDirtyMemory(t *testing.T) {
	for _, scene := range testkit.Budget(t, []string{"city"}, []string{"uniform", "city", "degenerate"}) {
		for _, cfg := range []linear.Config{{Workers: 1, Log: true}, {Workers: 1, Frozen: true}} {
			n := testkit.Budget(t, 500, 1000)
			objects := sceneOf(t, scene, 9*n)
			story := func(dirty bool) (all []map[string][]byte) {
				tree := newTree(t, cfg)
				see := func() {
					valid(t, tree)
					bits := storeBits(tree.View().Store())
					bits["heights"] = bitsOf(tree.View().Store().Nodes.Height)
					bits["below"] = bitsOf(tree.View().Store().Nodes.Below)
					bits["slots"] = bitsOf(tree.View().Store().Nodes.Slots)
					all = append(all, bits)
					if dirty {
						dirtyHeap()
					}
				}
				if dirty {
					dirtyHeap()
				}
				ids := insert(t, tree, objects[:8*n])
				see()
				insert(t, tree, objects[8*n:])
				must(t, tree.Flush())
				see()
				boxes := make([]soa.AABB, 0, len(ids))
				for i := range ids {
					boxes = append(boxes, objects[len(ids)-1-i].Box)
				}
				must(t, tree.MoveBatch(ids, boxes))
				see()
				must(t, tree.RemoveBatch(ids[:4*n]))
				tick(t, tree)
				see()
				rebuild(t, tree, true)
				see()
				tree.Clear()
				insert(t, tree, objects)
				see()
				return all
			}
			want, got := story(false), story(true)
			for step := range want {
				for name := range want[step] {
					if !bytes.Equal(got[step][name], want[step][name]) {
						t.Errorf("%s, %+v, step %d: %s depend on what was in memory", scene, cfg, step, name)
					}
				}
			}
		}
	}
}
