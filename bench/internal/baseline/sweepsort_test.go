package baseline_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

// In each frame, and with another number of boxes, the pairs are those in the double loop.
func TestSortAndSweep(t *testing.T) {
	var s baseline.SortAndSweep
	for _, n := range []int{0, 1, 300, 2000} {
		b := scene.NewBouncing(n, 1)
		for range 5 {
			boxes := b.Boxes()
			if n == 300 {
				boxes = slices.Clone(boxes)
				for i := range boxes { // nearer to each other, with equal minima
					for a := range 3 {
						boxes[i].Min[a] = float32(int(boxes[i].Min[a]) / 100)
						boxes[i].Max[a] = boxes[i].Min[a] + 2
					}
				}
			}
			got := s.Append(nil, boxes)
			slices.SortFunc(got, func(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
			want := testkit.ReferencePairs(boxes)
			if !slices.EqualFunc(got, want, func(p collide.Pair, q testkit.IndexPair) bool { return int(p.A) == q.A && int(p.B) == q.B }) {
				t.Fatalf("%d boxes: %d pairs, want %d", n, len(got), len(want))
			}
			if n == 300 && len(want) == 0 {
				t.Error("no pairs to find")
			}
			b.Step()
		}
	}
}
