package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// The cost of acquiring and releasing a version, and of reading the columns of a view, which each query does
// first.
func BenchmarkVersion(b *testing.B) {
	tree := newTree(b, linear.Config{})
	insert(b, tree, testkit.SceneByName(b, "uniform").Make(100, 1))
	shared := linear.NewPublisher(tree)
	n := 0
	b.Run("op=acquire+release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h := shared.Acquire()
			n += h.View().Len()
			h.Release()
		}
	})
	h := shared.Acquire()
	defer h.Release()
	for name, v := range map[string]linear.View{"held": h.View(), "tree": tree.View()} {
		b.Run("op=store/view="+name, func(b *testing.B) {
			for b.Loop() {
				n += v.Store().Count
			}
		})
	}
	if n == 0 {
		b.Error("no objects")
	}
}
