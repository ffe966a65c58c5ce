package row

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func scenes() []scene.Scene { return append(scene.All(), testkit.HostileScenes()...) }

// The centre of every box that intersects a query is in the widened query, and its key in every cover of
// that; and a reach is no larger than necessary.
func TestWiden(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.Name, func(t *testing.T) {
			rows := Number(sc.Make(300, testkit.Seed(t)))
			w := must.Get(World(rows))
			var reach Reach
			for i := range rows {
				b := rows[i].Object.Box
				own := Of(b)
				for a, c := range b.Center() {
					if far := max(float64(c)-float64(b.Min[a]), float64(b.Max[a])-float64(c)); own[a] < far || own[a] > math.Nextafter(far, math.Inf(1)) {
						t.Fatalf("reach %v of %v", own, b)
					}
				}
				reach = reach.Union(own)
			}
			for _, q := range rows[:100] {
				lo, hi := reach.Widen(q.Object.Box)
				cover := must.Get(w.AppendCover(nil, lo, hi, 7))
				for i := range rows {
					b := rows[i].Object.Box
					if !b.Overlaps(q.Object.Box) {
						continue
					}
					for a, c := range b.Center() {
						if !(lo[a] <= c && c <= hi[a]) {
							t.Fatalf("%v overlaps %v, but its centres are in %v to %v", b, q.Object.Box, lo, hi)
						}
					}
					k := Key(w, b)
					if !slices.ContainsFunc(cover, func(r morton.Range) bool { return r.Contains(k) }) {
						t.Fatalf("key %v of %v is in no range of %v", k, b, cover)
					}
				}
			}
		})
	}
}

// A query that touches a box in one plane still reaches its centre, for any rounding of sums.
func TestWidenTouching(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 20000 {
		scale := float32(math.Ldexp(1, rng.IntN(40)-20))
		b := testkit.RandomBoxes(rng, 1, testkit.BoxesSmall)[0]
		for a := range 3 {
			b.Min[a] *= scale
			b.Max[a] = b.Min[a] + float32(b.Max[a]-b.Min[a])*rng.Float32()
		}
		above, below := soa.AABB{Min: b.Max, Max: b.Max}, soa.AABB{Min: b.Min, Max: b.Min}
		for _, q := range []soa.AABB{above, below} {
			lo, hi := Of(b).Widen(q)
			for a, c := range b.Center() {
				if b.Check() == nil && !(lo[a] <= c && c <= hi[a]) {
					t.Fatalf("%v touches %v, whose centres are in %v to %v", b, q, lo, hi)
				}
			}
		}
	}
}

// Keep has the same behaviour as a tree.
func TestKeep(t *testing.T) {
	objects := scene.All()[1].Make(500, 1)
	objects[3].Mask = 0
	tree, err := linear.New(linear.Config{})
	if err == nil {
		_, err = tree.InsertBatch(nil, objects)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := scene.Bounds(objects)
	box := must.Get(query.NewBox(all.Min, all.Max))
	for _, mask := range []uint32{0, 1, 6, 1 << 31} {
		for _, motion := range []query.Motion{query.AnyMotion, query.MovingOnly, query.StaticOnly} {
			flt := query.Filter{Mask: mask, Motion: motion}
			want := slices.Sorted(slices.Values(box.Append(nil, tree.View(), flt)))
			var got []uint32
			for i, o := range objects {
				if Keep(o.Mask, o.Static, flt) {
					got = append(got, uint32(i))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("filter %v: %d objects, want %d", flt, len(got), len(want))
			}
		}
	}
}

// Rows are sorted by keys and then by numbers; an empty list of rows has a world, too.
func TestSort(t *testing.T) {
	rows := []Row{{ID: 9}, {ID: 2}, {ID: 5, Object: soa.Object{Box: soa.AABB{Min: [3]float32{3, 3, 3}, Max: [3]float32{3, 3, 3}}}}}
	w := must.Get(World(rows))
	var ids []uint64
	for _, k := range Sort(w, rows) {
		ids = append(ids, k.Row.ID)
	}
	if !slices.Equal(ids, []uint64{2, 9, 5}) {
		t.Errorf("order %v", ids)
	}
	if _, err := World(nil); err != nil {
		t.Error(err)
	}
}
