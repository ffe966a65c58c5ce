package query_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// sameFrusta fails unless the batch returns the results of the single frusta, in their order, and the
// objects of all of them, each once, with the set of its frusta.
func sameFrusta(t testing.TB, b *query.FrustumBatch, v linear.View, frusta []query.Frustum, flt query.Filter) {
	t.Helper()
	var ids []uint32
	sets := map[uint32]uint64{}
	for k, f := range frusta {
		alone := f.Append(nil, v, flt)
		testkit.SameIDs(t, b.Of(k), alone)
		for _, id := range alone {
			if sets[id] == 0 {
				ids = append(ids, id)
			}
			sets[id] |= 1 << k
		}
	}
	all, viewers := b.Viewers()
	testkit.SameIDs(t, all, ids)
	for i, id := range all {
		if viewers[i] != sets[id] {
			t.Fatalf("object %d is in the frusta %#x, want %#x", id, viewers[i], sets[id])
		}
	}
	if len(viewers) != len(all) {
		t.Fatalf("%d objects with %d sets", len(all), len(viewers))
	}
}

// Once its buffers have grown, a batch of one worker allocates nothing. It takes any number of frusta; the sets of more
// than 64 panic.
func TestFrustumBatchKept(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(80_000, 1) // shared among workers
	v := plant(t, objects, true).View()
	frusta := someFrusta(t, objects, 2, 1)[:12]
	b := query.FrustumBatch{}
	for _, b.Workers = range []int{3, 2, 1} {
		for _, flt := range filters {
			testkit.Must(t, b.Find(nil, v, frusta, flt))
			sameFrusta(t, &b, v, frusta, flt)
		}
	}
	testkit.Allocs(t, 5, func() {
		for _, flt := range filters {
			b.Find(nil, v, frusta, flt)
			b.Viewers()
		}
	})
	many := slices.Repeat(frusta, 6)
	testkit.Must(t, b.Find(nil, v, many, query.Filter{}))
	for k, f := range many {
		testkit.SameIDs(t, b.Of(k), f.Append(nil, v, query.Filter{}))
	}
	if value := fmt.Sprint(testkit.Panic(func() { b.Viewers() })); !strings.Contains(value, "72") || !strings.Contains(value, "64") {
		t.Errorf("viewers of 72 frusta: panic %v", value)
	}
	testkit.Must(t, b.Find(nil, v, many[:64], query.Filter{}))
	sameFrusta(t, &b, v, many[:64], query.Filter{})
}

// cascades returns a camera that sees about a share, and the slanted boxes of its
// four shadow cascades: of slices of the view, or nested, each from the eye on.
func cascades(t testing.TB, objects []soa.Object, share float64, count int, nested bool) (sets [][]query.Frustum) {
	t.Helper()
	for _, c := range scene.Cameras(objects, share, count, 7) {
		set := []query.Frustum{frustum(t, c.Planes())}
		near := c.Near
		for i := range 4 {
			far := c.Near * math.Pow(c.Far/c.Near, float64(i+1)/4)
			if i == 3 {
				far = c.Far
			}
			set = append(set, cascade(t, &c, near, far))
			if !nested {
				near = far
			}
		}
		sets = append(sets, set)
	}
	return sets
}

func frustum(t testing.TB, planes [6][4]float32) query.Frustum {
	t.Helper()
	f, err := query.FrustumPlanes(planes)
	testkit.Must(t, err)
	return f
}

// cascade returns the slanted box, along a light, around a slice of a camera's
// view.
func cascade(t testing.TB, c *scene.Camera, near, far float64) query.Frustum {
	light := [3][3]float64{{0.8, 0, -0.6}, {0, 1, 0}, {0.6, 0, 0.8}}
	var planes [6][4]float32
	for a, axis := range light {
		lo, hi := math.Inf(1), math.Inf(-1)
		for corner := range 8 {
			depth := near
			if corner&1 != 0 {
				depth = far
			}
			x, y := depth*c.TanX, depth*c.TanY
			if corner&2 != 0 {
				x = -x
			}
			if corner&4 != 0 {
				y = -y
			}
			at := 0.0
			for i := range 3 {
				at += axis[i] * (c.Eye[i] + c.Forward[i]*depth + c.Right[i]*x + c.Up[i]*y)
			}
			lo, hi = min(lo, at), max(hi, at)
		}
		for i := range 3 {
			planes[2*a][i], planes[2*a+1][i] = float32(axis[i]), float32(-axis[i])
		}
		planes[2*a][3], planes[2*a+1][3] = float32(-lo), float32(hi)
	}
	return frustum(t, planes)
}

// A camera and its four shadow cascades, one by one and as a batch. The results of a set are kept until the next.
func BenchmarkFrustumBatch(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, share := range []float64{0.01, 0.1} {
				for _, nested := range []bool{false, true} {
					sets := cascades(b, objects, share, 20, nested)
					title := fmt.Sprintf("scene=%s/n=%d/share=%v/nested=%v", name, n, share, nested)
					b.Run(title+"/op=single", func(b *testing.B) {
						var answers [5][]uint32
						for i := 0; b.Loop(); i++ {
							for k, f := range sets[i%len(sets)] {
								answers[k] = f.Append(answers[k][:0], v, query.Filter{})
							}
						}
					})
					for _, workers := range []int{1, 2} {
						b.Run(fmt.Sprintf("%s/op=batch/workers=%d", title, workers), func(b *testing.B) {
							batch := query.FrustumBatch{Workers: workers}
							for i := 0; b.Loop(); i++ {
								testkit.Must(b, batch.Find(nil, v, sets[i%len(sets)], query.Filter{}))
							}
						})
					}
				}
			}
		}
	}
}
