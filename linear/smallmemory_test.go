package linear_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// heapOf returns the average bytes on the heap of one of the made values.
func heapOf(t *testing.T, one func() any) float64 {
	t.Helper()
	if testkit.RaceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	const n = 1000
	keep := make([]any, n)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range keep {
		keep[i] = one()
	}
	after := heap()
	runtime.KeepAlive(keep)
	return (float64(after) - float64(before)) / n
}

// A tree of few objects takes little memory, for all ways of insertion, and so does a scene of one object with
// its publisher.
func TestSmallMemory(t *testing.T) {
	object := func(i int) soa.Object { return soa.Object{Box: cube(float32(i), 1, 2, 1), Mask: 1} }
	single := func(t *testing.T, tree *linear.Tree, n int) {
		for i := range n {
			_, err := tree.Insert(object(i))
			must(t, err)
		}
	}
	batch := func(t *testing.T, tree *linear.Tree, n int) {
		var objects []soa.Object
		for i := range n {
			objects = append(objects, object(i))
		}
		insert(t, tree, objects)
	}
	for _, way := range []struct {
		name string
		cfg  linear.Config
		fill func(t *testing.T, tree *linear.Tree, n int)
	}{
		{"one by one", linear.Config{}, single},
		{"one by one, ticked", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			single(t, tree, n)
			tick(t, tree)
		}},
		{"batch", linear.Config{}, batch},
		{"batch, ticked", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			batch(t, tree, n)
			tick(t, tree)
			tick(t, tree)
		}},
		{"frozen", linear.Config{Frozen: true}, batch},
		{"trimmed", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			batch(t, tree, n)
			for range 3 {
				rebuild(t, tree, false)
			}
			tree.Trim()
		}},
	} {
		for _, n := range []int{0, 1, 6, 10} {
			t.Run(fmt.Sprintf("%s/%d", way.name, n), func(t *testing.T) {
				most := 4096.0
				if n == 0 {
					most = 2048
				}
				bytes := heapOf(t, func() any {
					tree := newTree(t, way.cfg)
					way.fill(t, tree, n)
					return tree
				})
				t.Logf("%.0f bytes", bytes)
				if bytes > most+8 { // the heap contains objects of the test, too
					t.Errorf("%.0f bytes, at most %.0f", bytes, most)
				}
			})
		}
	}
	t.Run("published scene", func(t *testing.T) {
		bytes := heapOf(t, func() any {
			s := newScene(t, linear.Config{})
			_, err := s.Tree().Insert(object(1))
			must(t, err)
			must(t, s.Tick())
			return linear.NewScenePublisher(s)
		})
		t.Logf("%.0f bytes", bytes)
		if bytes > 16<<10 {
			t.Errorf("%.0f bytes, at most %d", bytes, 16<<10)
		}
	})
}
