package scene_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	worlds "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// BenchmarkDirectory queries shards and one mapped tree for small and large boxes.
func BenchmarkDirectory(b *testing.B) {
	for _, n := range []int{1 << 18, 4_000_000} {
		if testing.Short() && n > 1<<20 {
			continue
		}
		objects := worlds.All()[0].Make(n, 1)
		folder := b.TempDir()
		tree := trees.New(b, linear.Config{Frozen: true})
		trees.Insert(b, tree, objects)
		path := filepath.Join(folder, "tree")
		testkit.Must(b, tree.Save(b.Context(), path, linear.SnapshotOptions{}))
		one, err := linear.OpenMapped(path, linear.CheckSafe)
		testkit.Must(b, err)
		defer one.Close()
		kinds := map[int][]query.Box{}
		sizes := []int{450, n / 64}
		for _, size := range sizes {
			for _, box := range worlds.BoxQueries(objects, size, 64, uint64(size)) {
				q, err := query.NewBox(box.Min, box.Max)
				testkit.Must(b, err)
				kinds[size] = append(kinds[size], q)
			}
		}
		shards := []int{1 << 13, 1 << 15, 1 << 16}
		views := make([]linear.SceneView, len(shards))
		for i, shard := range shards {
			path := filepath.Join(folder, fmt.Sprint(shard))
			testkit.Must(b, linear.CreateDirectory(b.Context(), path, numberedAll(objects), linear.DirectoryOptions{Shard: shard}))
			d := openedDirectory(b, path)
			testkit.Must(b, d.Prepare(b.Context(), everywhere))
			b.Logf("%d objects: %d shards of up to %d", n, len(d.Shards()), shard)
			views[i] = d.View()
		}
		for _, size := range sizes {
			boxes := kinds[size]
			b.Run(fmt.Sprintf("n=%d/box=%d/of=tree", n, size), func(b *testing.B) {
				var ids []uint32
				v := one.View()
				for i := 0; b.Loop(); i++ {
					ids = boxes[i%len(boxes)].Append(ids[:0], v, query.Filter{})
				}
				b.ReportMetric(float64(len(boxes)), "boxes")
			})
			for i, v := range views {
				b.Run(fmt.Sprintf("n=%d/box=%d/of=shards%d", n, size, shards[i]), func(b *testing.B) {
					var answer scene.Answer
					for i := 0; b.Loop(); i++ {
						answer.Reset()
						scene.Append(&answer, boxes[i%len(boxes)], v, query.Filter{})
					}
				})
				b.Run(fmt.Sprintf("n=%d/box=%d/of=both%d", n, size, shards[i]), func(b *testing.B) {
					beside(b, one.View(), v, boxes)
				})
			}
		}
	}
}

// beside queries a tree and shards in turn for all boxes, twice each, and reports the minimum times, which
// exclude other load of the machine.
func beside(b *testing.B, tree linear.View, shards linear.SceneView, boxes []query.Box) {
	var ids []uint32
	var answer scene.Answer
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for k, ask := range [2]func(q query.Box){
			func(q query.Box) { ids = q.Append(ids[:0], tree, query.Filter{}) },
			func(q query.Box) { answer.Reset(); scene.Append(&answer, q, shards, query.Filter{}) },
		} {
			for range 2 {
				start := time.Now()
				for _, q := range boxes {
					ask(q)
				}
				least[k] = min(least[k], time.Since(start))
			}
		}
	}
	n := float64(len(boxes))
	b.ReportMetric(float64(least[0])/n, "ns/tree")
	b.ReportMetric(float64(least[1])/n, "ns/shards")
	b.ReportMetric(float64(least[1])/float64(least[0]), "shards/tree")
}
