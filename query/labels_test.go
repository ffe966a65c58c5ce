package query_test

import (
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// With labels on, no query and no change allocates, and each leaves the labels of the program as they were, also in
// the body of a loop over its results.
func TestProfileLabels(t *testing.T) {
	defer linear.ProfileLabels(linear.ProfileLabels(true))
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	tree := plant(t, objects, false)
	box := box(t, soa.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{9, 9, 9}})
	ray := rayOf(t, [3]float32{}, [3]float32{1, 1, 1}, 100)
	near, err := query.NewNearby([3]float32{})
	testkit.Must(t, err)
	var (
		ids    []uint32
		hits   []query.Hit
		found  []query.Neighbor
		pairs  []collide.Pair
		move   = []uint32{1, 500}
		boxes  = []soa.AABB{objects[1].Box, objects[500].Box}
		inf    = float32(math.Inf(1))
		inLoop = func() {} // the body of a loop
	)
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"box", func() { ids = box.Append(ids[:0], tree.View(), query.Filter{}) }},
		{"box filtered", func() { ids = box.Append(ids[:0], tree.View(), query.Filter{Mask: 1}) }},
		{"box any", func() { box.Any(tree.View(), query.Filter{}) }},
		{"box all", func() {
			for range box.All(tree.View(), query.Filter{}) {
				inLoop()
			}
		}},
		{"ray", func() { hits = ray.Append(hits[:0], tree.View(), query.Filter{}) }},
		{"ray nearest", func() { ray.First(tree.View(), query.Filter{}) }},
		{"ray any", func() { ray.Any(tree.View(), query.Filter{}) }},
		{"ray all", func() {
			for range ray.All(tree.View(), query.Filter{}) {
				inLoop()
			}
		}},
		{"nearest", func() { found, _ = query.AppendNearest(found[:0], tree.View(), [3]float32{}, 8, inf, query.Filter{}) }},
		{"nearby", func() {
			n := 0
			for range near.All(tree.View(), query.Filter{}) {
				inLoop()
				if n++; n == 20 {
					break
				}
			}
		}},
		{"pairs", func() { pairs = collide.Append(pairs[:0], collide.Within(tree.View()), collide.Filter{}) }},
		{"pairs each", func() {
			for range collide.All(collide.Within(tree.View()), collide.Filter{}) {
				inLoop()
			}
		}},
		{"frame", func() {
			if tree.MoveBatch(move, boxes) != nil || tree.Tick() != nil {
				t.Error("a frame failed")
			}
		}},
		{"rebuild", func() {
			if tree.Rebuild(nil, linear.RebuildOptions{}) != nil {
				t.Error("a rebuild failed")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.Allocs(t, 5, c.do)
			pprof.Do(context.Background(), pprof.Labels("request", "7"), func(context.Context) {
				in := ""
				inLoop = func() {
					if in == "" {
						in = testkit.Labels(t)
					}
				}
				c.do()
				inLoop = func() {}
				const want = `{"request":"7"}`
				if after := testkit.Labels(t); after != want || in != "" && in != want {
					t.Errorf("labels %s in the loop, %s after it, want %s", in, after, want)
				}
			})
		})
	}
}

// The cost of labels for the shortest queries, in cache: about 8 results each.
func BenchmarkLabels(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(5000, 1)
	v := plant(b, objects, true).View()
	var boxes []query.Box
	for _, q := range scene.BoxQueries(objects, 8, 100, 7) {
		box := box(b, q)
		boxes = append(boxes, box)
	}
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprintf("labels=%v", on), func(b *testing.B) {
			defer linear.ProfileLabels(linear.ProfileLabels(on))
			benchmarkAppend(b, v, boxes, nil)
		})
	}
}
