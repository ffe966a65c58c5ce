package octree

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// Rows are divided among as many workers as allowed and as have enough rows: each row to one worker, in parts
// of one size, the last with the remainder.
func TestInParts(t *testing.T) {
	for workers := 1; workers <= 8; workers++ {
		for n := range 50 {
			for _, least := range []int{1, 2, 5, 16, 100} {
				j := &job{t: &Tree{State: State{Config: Config{Workers: workers}}}}
				var lock sync.Mutex
				var parts [][2]int
				const first = 7
				j.inParts(first, first+n, least, func(_ *job, lo, hi int) {
					lock.Lock()
					defer lock.Unlock()
					parts = append(parts, [2]int{lo, hi})
				})
				slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
				if want := max(min(workers, n/least), 1); len(parts) != want {
					t.Fatalf("%d workers, %d rows of at least %d: %v, want %d parts", workers, n, least, parts, want)
				}
				at, each := first, n/len(parts)
				for i, p := range parts {
					end := at + each
					if i == len(parts)-1 {
						end = first + n
					}
					if p != [2]int{at, end} {
						t.Fatalf("%d workers, %d rows of at least %d: %v", workers, n, least, parts)
					}
					at = end
				}
			}
		}
	}
}

// All workers share the cutting of one large cell, and each worker except the first cuts at most half of it.
func TestCellSharedOut(t *testing.T) {
	defer func(was int) { CutMin = was }(CutMin)
	CutMin = 64
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for workers := 2; workers <= 8; workers++ {
		tree := newTestTree(t, Config{Workers: workers, Frozen: true})
		insertAll(t, tree, objects)
		cutters := tree.Buffers().cutters
		if len(cutters) != workers || tree.Store.Nodes.Height[0] == 0 || !IsCell(tree.Store, 0) {
			t.Fatalf("%d cutters of %d workers", len(cutters), workers)
		}
		first := cutters[0].scratch.Memory()
		for i := range cutters[1:] {
			if bytes := cutters[1+i].scratch.Memory(); bytes == 0 || 4*bytes > 3*first {
				t.Errorf("%d workers: number %d has %d bytes of scratch, the first %d", workers, 1+i, bytes, first)
			}
		}
	}
}
