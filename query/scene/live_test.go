package scene_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// someIDs draws a set of IDs: nil, an empty one, or one with a part of the IDs.
func someIDs(rng *rand.Rand) []uint64 {
	switch rng.IntN(6) {
	case 0, 1:
		return nil
	case 2:
		return []uint64{}
	case 3:
		return []uint64{1 << rng.IntN(8)}
	}
	return []uint64{rng.Uint64() & rng.Uint64(), rng.Uint64()}
}

// keepsLive is the definition of Live and LiveBoth with the sets of instances.
func keepsLive(f *scene.PairFilter, p *scene.Pair) bool {
	in := func(own, instances []uint64, o scene.Object) bool {
		if own == nil && instances == nil {
			return true
		}
		set, id := own, o.ID
		if o.Path.Len() > 0 {
			set, id = instances, o.Path.At(0)
		}
		return int(id/64) < len(set) && set[id/64]>>(id%64)&1 != 0
	}
	one := func(o scene.Object) bool { return in(f.Live, f.LiveInstances, o) }
	both := func(o scene.Object) bool { return in(f.LiveBoth, f.LiveBothInstances, o) }
	return (one(p.A) || one(p.B)) && both(p.A) && both(p.B)
}

// The pairs of live objects are those among all pairs, each once, on every tier in the same order.
func TestPairsLive(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		kept, dropped, inner := 0, 0, 0
		for i, family := range families {
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 6, 120) {
				s := denseScene(t, rng, family, 1+rng.IntN(3), []int{4, 8, 40}[rng.IntN(3)])
				v, f := s.View(), pairFilter(rng)
				if f.Instances = true; rng.IntN(3) == 0 {
					f.Distance = rng.Float32()
				}
				all := scene.AppendPairs(nil, v, f)
				f.Live, f.LiveInstances, f.LiveBoth, f.LiveBothInstances = someIDs(rng), someIDs(rng), someIDs(rng), someIDs(rng)
				if rng.IntN(2) == 0 {
					f.LiveBoth, f.LiveBothInstances = nil, nil
				}
				some := f.Live != nil || f.LiveInstances != nil || f.LiveBoth != nil || f.LiveBothInstances != nil
				if !some {
					continue
				}
				for _, f.Instances = range []bool{true, false} {
					got := scene.AppendPairs(nil, v, f)
					answers = append(answers, fmt.Sprint(got))
					set := pairsByPart(t, got)
					for _, p := range all {
						within := p.A.Path.Len() > 0 && p.B.Path.Len() > 0 && p.A.Path.At(0) == p.B.Path.At(0)
						if !keepsLive(&f, &p) || within && !f.Instances {
							dropped++
							continue
						}
						if !set[p] {
							t.Fatalf("%s %+v: %v is lost", family, f, p)
						}
						if kept++; p.A.Path.Len() > 0 {
							inner++
						}
						delete(set, p)
					}
					for p := range set {
						t.Fatalf("%s %+v: %v is kept by no rule", family, f, p)
					}
				}
			}
		}
		if kept == 0 || dropped == 0 || inner == 0 {
			t.Errorf("%d kept, %d of them of two instances, %d dropped", kept, inner, dropped)
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other pairs, or in another order")
		}
	})
}

// One live instance of a thousand has the pairs with its two neighbours, and nothing allocates.
func TestPairsLiveFew(t *testing.T) {
	const n = 1000
	rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1.25, 1, 1}}, Mask: 1}}, false)
	s := newScene(t)
	for i := range n {
		place(t, s, rod, translation(t, float64(i), 0, 0), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	v := s.View()
	moved := make([]uint64, n/64+1)
	moved[7] = 1 << 5
	layers := collide.AllLayers()
	for _, f := range []scene.PairFilter{{LiveInstances: moved}, {LiveInstances: moved, Filter: collide.Filter{Layers: &layers}}, {LiveBothInstances: moved}} {
		var pairs []scene.Pair
		ask := func() { pairs = scene.AppendPairs(pairs[:0], v, f) }
		want := 2
		if f.LiveInstances == nil {
			want = 0
		}
		if ask(); len(pairs) != want {
			t.Errorf("%d pairs, want %d: %v", len(pairs), want, pairs)
		}
		if !testkit.RaceEnabled {
			if a := testing.AllocsPerRun(20, ask); a != 0 {
				t.Errorf("%+v: %v allocations", f, a)
			}
		}
	}
}
