package query_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func plant(t testing.TB, objects []soa.Object, frozen bool) *linear.Tree {
	t.Helper()
	tree, err := linear.New(linear.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	if frozen {
		if err := tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func TestQuick(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, sc := range testkit.Scenes() {
			for _, n := range []int{0, 1, 7, 16, 17, 129, 1000, 20000} {
				objects := sc.Make(n, 1)
				for _, frozen := range []bool{false, true} {
					tree := plant(t, objects, frozen)
					v := tree.View()
					for _, cam := range scene.Cameras(objects, 0.1, 10, 7) {
						planes := cam.Planes()
						f, err := query.FrustumPlanes(planes)
						if err != nil {
							t.Fatal(err)
						}
						got := f.Append(nil, v, query.Filter{})
						slices.Sort(got)
						if !testkit.SameIDs(t, got, testkit.TwinFrustum(objects, planes)) {
							t.Fatalf("%s n=%d frozen=%v", sc.Name, n, frozen)
						}
						if c := f.Count(v, query.Filter{}); c != len(got) {
							t.Fatalf("count %d, want %d", c, len(got))
						}
						if f.Any(v, query.Filter{}) != (len(got) > 0) {
							t.Fatal("any")
						}
					}
				}
			}
		}
	})
}

func BenchmarkFrustumProbe(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range []int{100_000, 1_000_000} {
			sc, _ := scene.ByName(name)
			objects := sc.Make(n, 1)
			tree := plant(b, objects, true)
			v := tree.View()
			for _, share := range []float64{.01, .1, .5} {
				cams := scene.Cameras(objects, share, 200, 7)
				fs := make([]query.Frustum, len(cams))
				for i, c := range cams {
					fs[i], _ = query.FrustumPlanes(c.Planes())
				}
				b.Run(fmt.Sprintf("scene=%s/n=%d/share=%v", name, n, share), func(b *testing.B) {
					var dst []uint32
					total, i := 0, 0
					for b.Loop() {
						dst = fs[i%len(fs)].Append(dst[:0], v, query.Filter{})
						total += len(dst)
						i++
					}
					b.ReportMetric(float64(total)/float64(i), "visible")
				})
			}
		}
	}
}
