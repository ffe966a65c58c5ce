package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

func TestBoxesAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := plant(t, objects, false)
	shared := linear.NewPublisher(tree)
	h := shared.Acquire()
	defer h.Release()
	f := someFrusta(t, objects, 1, 1)[0]
	c, p, all := convex(t, faces(objects[7].Box)), point(t, objects[7].Box.Min), box(t, world)
	s, err := query.NewSphere(objects[7].Box.Min, 5)
	testkit.Must(t, err)
	for _, v := range []linear.View{tree.View(), h.View()} {
		n, total := 0, 0
		testkit.Allocs(t, 10, func() {
			for range query.Boxes(f, v, query.Filter{Mask: 3}) {
				n++
			}
			for range query.Boxes(f.Precise(), v, query.Filter{}) {
				n++
			}
			for range query.Boxes(c, v, query.Filter{}) {
				n++
			}
			for range query.Boxes(p, v, query.Filter{}) {
				n++
			}
			for range query.Boxes(s, v, query.Filter{}) {
				n++
			}
			total = 0
			for range query.Boxes(all, v, query.Filter{}) {
				total++
			}
		})
		if n == 0 || total != v.Len() {
			t.Errorf("%d objects, and %d of all %d", n, total, v.Len())
		}
	}
}

// The boxes of the results: read on the way, or looked up by ID, next to IDs alone.
func BenchmarkBoxes(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(100_000, 1)
	v := plant(b, objects, true).View()
	sum, n := float32(0), 0
	for _, size := range []int{100, 10_000} {
		q := box(b, scene.BoxQueries(objects, size, 1, 1)[0])
		ids := q.Append(nil, v, query.Filter{})
		each := func(way string, do func()) {
			b.Run(fmt.Sprintf("objects=%d/way=%s", len(ids), way), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/object")
			})
		}
		each("all", func() {
			for range q.All(v, query.Filter{}) {
				n++
			}
		})
		each("boxes", func() {
			for _, o := range query.Boxes(q, v, query.Filter{}) {
				sum += o.Max[0]
			}
		})
		each("append+object", func() {
			ids = q.Append(ids[:0], v, query.Filter{})
			for _, id := range ids {
				o, _ := v.Object(id)
				sum += o.Box.Max[0]
			}
		})
	}
	if sum == 0 || n == 0 {
		b.Error("no objects")
	}
}
