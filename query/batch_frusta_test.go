package query_test

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// someFrusta returns frusta of all kinds: edge cases, and cameras of all shares.
func someFrusta(t testing.TB, objects []soa.Object, each int, seed uint64) (all []query.Frustum) {
	t.Helper()
	add := func(planes [6][4]float32) {
		f, err := query.FrustumPlanes(planes)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	for _, share := range []float64{0.001, 0.1, 0.5} {
		for _, c := range scene.Cameras(objects, share, each, seed) {
			add(c.Planes())
		}
	}
	for _, f := range scene.EdgeFrusta(objects) {
		add(f.Planes)
	}
	return all
}

// sameViewers fails unless the batch returns the results of the single frusta, each object once.
func sameViewers(t testing.TB, b *query.FrustumBatch, v linear.View, frusta []query.Frustum, flt query.Filter) bool {
	t.Helper()
	viewers := b.Viewers()
	if len(b.IDs) != len(viewers) {
		t.Errorf("%d IDs and %d words of viewers", len(b.IDs), len(viewers))
		return false
	}
	want := map[uint32]uint64{}
	for k, f := range frusta {
		for _, id := range f.Append(nil, v, flt) {
			want[id] |= 1 << k
		}
	}
	for i, id := range b.IDs {
		if viewers[i] == 0 || viewers[i] != want[id] {
			t.Errorf("object %d is seen by %#x, want %#x", id, viewers[i], want[id])
			return false
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("%d objects are missing", len(want))
	}
	return len(want) == 0
}

// Every scene, size, tree and tier: one walk reports the sets of many, in one
// order.
func TestFrustumBatch(t *testing.T) {
	seed := testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		for _, n := range treeSizes(t, i, 2000, 20_000) {
			t.Run(fmt.Sprintf("%s/n=%d", sc.Name, n), func(t *testing.T) {
				objects := sc.Make(n, seed)
				f := plantAll(t, objects)
				frusta := someFrusta(t, objects, 5, seed)
				for k, count := range []int{0, 1, 2, 5, 33, 64} {
					some := make([]query.Frustum, count)
					for i := range some {
						some[i] = frusta[(k+i)%len(frusta)]
					}
					for form, tree := range f.Trees {
						var first query.FrustumBatch
						flt := filters[k%2*(1+k/2%(len(filters)-1))]
						testkit.EachTier(t, func(t *testing.T) {
							var b query.FrustumBatch
							if err := b.Find(nil, tree.View(), some, flt); err != nil {
								t.Fatal(err)
							}
							if first.IDs == nil {
								sameViewers(t, &b, tree.View(), some, flt)
								first = b
							}
							testkit.SameIDs(t, b.IDs, first.IDs)
							if !slices.Equal(b.Viewers(), first.Viewers()) {
								t.Error("viewers differ between tiers")
							}
						})
						if t.Failed() {
							t.Fatalf("%d frusta, tree %s, filter %+v", count, form, flt)
						}
					}
				}
			})
		}
	}
}

// All filters, and the same batch again and again.
func TestFrustumBatchFilters(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 4000, 20_000), 1)
	f := plantAll(t, objects)
	frusta := someFrusta(t, objects, 2, 1)[:12]
	var b query.FrustumBatch
	for _, tree := range f.Trees {
		v := tree.View()
		for _, flt := range filters {
			testkit.EachTier(t, func(t *testing.T) {
				if err := b.Find(nil, v, frusta, flt); err != nil {
					t.Fatal(err)
				}
				if !sameViewers(t, &b, v, frusta, flt) {
					t.Fatalf("filter %+v", flt)
				}
			})
		}
		testkit.Allocs(t, 5, func() {
			for _, flt := range filters {
				b.Find(nil, v, frusta, flt)
			}
		})
	}
	if err := b.Find(nil, f.Trees["frozen"].View(), make([]query.Frustum, 65), query.Filter{}); err == nil || len(b.IDs) > 0 {
		t.Errorf("65 frusta: error %v, %d objects", err, len(b.IDs))
	}
}

// A batch of precise frusta, plain frusta and spheres sets a bit for each object that the frustum alone returns, in
// one order on every tier. Objects that only the first tests keep are dropped.
func TestFrustumBatchSecondTests(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 1000, 3000), 1)
	f := plantAll(t, objects)
	f.SetBalls(t, testkit.BallsIn(objects))
	plain := someFrusta(t, objects, 5, 1)
	plain = plain[:min(len(plain), query.MaxViewers)]
	for form, tree := range f.Trees {
		v := tree.View()
		var of [3]int
		for mix := range of { // none precise, every other, all
			frusta := slices.Clone(plain)
			for i := range frusta {
				if mix == 2 || mix == 1 && i%2 == 0 {
					frusta[i] = frusta[i].Precise()
				}
			}
			for _, flt := range []query.Filter{{}, {Exact: true}, {Exact: true, Mask: 3, Only: someLive(40)}} {
				var b query.FrustumBatch
				var ids []uint32
				var viewers []uint64
				testkit.EachTier(t, func(t *testing.T) {
					failed(t, b.Find(nil, v, frusta, flt))
					if !sameViewers(t, &b, v, frusta, flt) {
						t.Fatalf("%s, mix %d, filter %+v", form, mix, flt)
					}
					if ids == nil {
						ids, viewers = slices.Clone(b.IDs), slices.Clone(b.Viewers())
					}
					testkit.SameIDs(t, b.IDs, ids)
					testkit.SameIDs(t, b.Viewers(), viewers)
				})
				// After the pending objects there are only results of single frusta, in the order of the frusta.
				late, last := false, uint64(0)
				for i, id := range b.IDs {
					seen := viewers[i]
					of[mix] += bits.OnesCount64(seen)
					switch pending := form == "pending" && int(id) >= len(objects)-100; {
					case pending && last != 0:
						t.Fatalf("object %d is pending and comes after what one frustum sees alone", id)
					case pending:
						late = true
					case late && (bits.OnesCount64(seen) != 1 || seen < last):
						t.Fatalf("object %d, seen by %#x, comes after pending ones and those of %#x", id, seen, last)
					case late:
						last = seen
					}
				}
				testkit.Allocs(t, 5, func() { b.Find(nil, v, frusta, flt); b.Viewers(); b.Of(0) })
			}
		}
		if of[0] <= of[1] || of[1] <= of[2] {
			t.Errorf("%s: %d sightings by plain frusta, by some precise ones and by precise ones only", form, of)
		}
	}
}

// Frusta that share few nodes are walked one by one: the results end with those found by one frustum alone, frustum
// by frustum, in one order on every tier.
func TestFrustumBatchAlone(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 20_000, 60_000), 1)
		world := soa.Empty()
		for i := range objects {
			world = world.Union(objects[i].Box)
		}
		const slabs = 4
		var frusta []query.Frustum
		for k := range slabs {
			wide := (world.Max[0] - world.Min[0]) / slabs
			from := world.Min[0] + float32(k)*wide
			frusta = append(frusta, frustum(t, [6][4]float32{{1, 0.2, 0.1, -from}, {-1, -0.2, -0.1, from + 0.7*wide}, {3: 1}, {3: 1}, {3: 1}, {3: 1}}))
		}
		f := plantAll(t, objects)
		for form, tree := range f.Trees {
			for _, flt := range []query.Filter{{}, {Mask: 5}} {
				v := tree.View()
				var first query.FrustumBatch
				testkit.EachTier(t, func(t *testing.T) {
					var b query.FrustumBatch
					failed(t, b.Find(nil, v, frusta, flt))
					if !sameViewers(t, &b, v, frusta, flt) {
						t.Fatalf("%s, tree %s, filter %+v", name, form, flt)
					}
					if first.IDs == nil {
						first = b
					}
					if !slices.Equal(b.IDs, first.IDs) || !slices.Equal(b.Viewers(), first.Viewers()) {
						t.Fatalf("%s, tree %s, filter %+v: another order", name, form, flt)
					}
				})
				alone, at := 0, len(first.IDs)
				for k := slabs - 1; k >= 0; k-- {
					for at > 0 && first.Viewers()[at-1] == 1<<k {
						alone, at = alone+1, at-1
					}
				}
				if alone < len(first.IDs)/20 {
					t.Errorf("%s, tree %s, filter %+v: %d of %d objects were seen alone", name, form, flt, alone, len(first.IDs))
				}
			}
		}
	}
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
	if err != nil {
		t.Fatal(err)
	}
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

// A camera and its four shadow cascades, one by one and in one walk. The results of a set are kept until the next.
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
					b.Run(title+"/op=batch", func(b *testing.B) {
						var batch query.FrustumBatch
						for i := 0; b.Loop(); i++ {
							if err := batch.Find(nil, v, sets[i%len(sets)], query.Filter{}); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		}
	}
}
