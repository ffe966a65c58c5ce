package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// BenchmarkMinSize runs cameras with a minimum size of 1/500, without one, and without one followed by a test of
// the boxes of the result.
func BenchmarkMinSize(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, share := range []float64{0.01, 0.2} {
				var plain, sized []query.Frustum
				for _, c := range scene.Cameras(objects, share, 20, 3) {
					f, err := cameraOf(c).Frustum()
					testkit.Must(b, err)
					g, err := f.MinSize(1. / 500)
					testkit.Must(b, err)
					plain, sized = append(plain, f), append(sized, g)
				}
				var dst []uint32
				run := func(way string, ask func(i int)) {
					b.Run(fmt.Sprintf("scene=%s/n=%d/share=%v/way=%s", name, n, share, way), func(b *testing.B) {
						results, asked := 0, 0
						for b.Loop() {
							ask(asked % len(plain))
							results += len(dst)
							asked++
						}
						b.ReportMetric(float64(results)/float64(asked), "results")
					})
				}
				run("none", func(i int) { dst = plain[i].Append(dst[:0], v, query.Filter{}) })
				run("walk", func(i int) { dst = sized[i].Append(dst[:0], v, query.Filter{}) })
				run("afterwards", func(i int) {
					var z cull.Size
					(*walk.Frustum)(&sized[i]).PrepareSize(&z)
					dst = dst[:0]
					for id, box := range query.Boxes(plain[i], v, query.Filter{}) {
						if !tooSmall(&z, box) {
							dst = append(dst, id)
						}
					}
				})
			}
		}
	}
}
