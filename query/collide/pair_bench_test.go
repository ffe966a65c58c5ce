package collide_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// All pairs of a frozen tree, static ones too. ns-min/object is the fastest
// pass.
func BenchmarkPairs(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := trees.Plant(b, objects, true).View()
			flt := collide.Filter{StaticPairs: true}
			pairs := collide.Append(nil, collide.Within(v), flt)
			batch := collide.Batch{}
			for _, form := range []string{"append", "count", "batch"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/form=%s", name, n, form), func(b *testing.B) {
					b.ReportAllocs()
					least := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						switch form {
						case "append":
							pairs = collide.Append(pairs[:0], collide.Within(v), flt)
						case "count":
							collide.Count(collide.Within(v), flt)
						default:
							pairs = batched(b, &batch, pairs[:0], collide.Within(v), flt)
						}
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
					b.ReportMetric(float64(least.Nanoseconds())/float64(n), "ns-min/object")
					b.ReportMetric(float64(len(pairs))/float64(n), "pairs/object")
				})
			}
		}
	}
}

// All pairs at once and by a box query for each object, passes interleaved.
func BenchmarkPairsRatio(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(micro.Sizes(1_000_000)[0], 1)
	v := trees.Plant(b, objects, true).View()
	boxes := make([]query.Box, len(objects))
	for i := range objects {
		boxes[i] = boxQuery(b, objects[i].Box)
	}
	var pairs []collide.Pair
	var found []uint32
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		start := time.Now()
		pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{StaticPairs: true})
		least[0] = min(least[0], time.Since(start))
		start = time.Now()
		n := 0
		for i := range boxes {
			found = boxes[i].Append(found[:0], v, query.Filter{})
			for _, id := range found {
				if id > uint32(i) {
					n++
				}
			}
		}
		least[1] = min(least[1], time.Since(start))
		if n != len(pairs) {
			b.Fatalf("%d pairs by box queries, %d at once", n, len(pairs))
		}
	}
	for i, unit := range []string{"pairs-ns-min/object", "query-ns-min/object"} {
		b.ReportMetric(float64(least[i].Nanoseconds())/float64(len(objects)), unit)
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
}

// A thousand moving objects among a million static ones: in one tree, as a tree of their own against a tree
// of the static ones, and in a tree with only the static ones within one unit of them. Passes alternate.
func BenchmarkPairsStatic(b *testing.B) {
	const moving = 1000
	objects := testkit.SceneByName(b, "uniform").Make(micro.Sizes(1_000_000)[0]+moving, 1)
	for i := range objects {
		objects[i].Static = i >= moving
	}
	one := trees.Plant(b, objects, true).View()
	few, rest := trees.Plant(b, objects[:moving], true).View(), trees.Plant(b, objects[moving:], true).View()
	near := append([]soa.Object(nil), objects[:moving]...)
	for _, id := range neighbours(b, objects[:moving], rest) {
		near = append(near, objects[moving+int(id)])
	}
	around := trees.Plant(b, near, true).View()
	forms := []string{"one", "two", "near"}
	var pairs []collide.Pair
	least := slices.Repeat([]time.Duration{math.MaxInt64}, len(forms))
	for b.Loop() {
		for i := range forms {
			start := time.Now()
			switch i {
			case 0:
				pairs = collide.Append(pairs[:0], collide.Within(one), collide.Filter{})
			case 1:
				pairs = collide.Append(pairs[:0], collide.Within(few), collide.Filter{})
				pairs = collide.Append(pairs, collide.Between(few, rest), collide.Filter{})
			default:
				pairs = collide.Append(pairs[:0], collide.Within(around), collide.Filter{})
			}
			least[i] = min(least[i], time.Since(start))
		}
	}
	for i, form := range forms {
		b.ReportMetric(float64(least[i].Nanoseconds())/moving, form+"-ns-min/moving")
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "one/two")
	b.ReportMetric(float64(len(pairs)), "pairs")
	b.ReportMetric(float64(len(near)), "near")
}

// neighbours returns the objects of a view within one unit of the given ones.
func neighbours(b *testing.B, objects []soa.Object, v linear.View) (ids []uint32) {
	for _, o := range objects {
		for a := range 3 {
			o.Box.Min[a]--
			o.Box.Max[a]++
		}
		ids = boxQuery(b, o.Box).Append(ids, v, query.Filter{})
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func boxQuery(b *testing.B, in soa.AABB) query.Box {
	b.Helper()
	q, err := query.NewBox(in.Min, in.Max)
	testkit.Must(b, err)
	return q
}
