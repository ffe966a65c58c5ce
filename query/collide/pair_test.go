package collide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

var pairFilters = []collide.Filter{
	{}, {StaticPairs: true}, {Mask: 0x13}, {Mask: 0xc, StaticPairs: true}, {Mask: 1 << 31},
	{Layers: someLayers(), StaticPairs: true}, {Layers: someLayers()}, {Mask: 7, Layers: someLayers()},
	{Layers: new(collide.Layers), StaticPairs: true},
}

// someLayers are layers as set by hand.
func someLayers() *collide.Layers { return new(collide.Layers(testkit.SomeLayers())) }

// passes is the documented meaning of a filter, except for Exact.
func passes(f collide.Filter, a, b *soa.Object) bool {
	return testkit.Collide(f.Mask, (*[32]uint32)(f.Layers), f.StaticPairs, a, b)
}

// checkPairs fails unless got holds exactly the wanted pairs, in any order.
func checkPairs(t testing.TB, got []collide.Pair, want []testkit.IndexPair) bool {
	t.Helper()
	sorted := make([]uint64, len(got)) // as numbers, which sort much faster
	for i, p := range got {
		sorted[i] = uint64(p.A)<<32 | uint64(p.B)
	}
	slices.Sort(sorted)
	for i := range min(len(sorted), len(want)) {
		if p, q := sorted[i], want[i]; p != uint64(q.A)<<32|uint64(q.B) {
			t.Errorf("pair %d is %d and %d, want %v; %d pairs, want %d", i, p>>32, uint32(p), q, len(sorted), len(want))
			return false
		}
	}
	if len(sorted) != len(want) {
		t.Errorf("%d pairs, want %d", len(sorted), len(want))
	}
	return len(sorted) == len(want)
}

// pairForms queries in every form and returns the pairs in their order.
func pairForms(t testing.TB, v linear.View, flt collide.Filter) []collide.Pair {
	t.Helper()
	first := collide.Pair{A: 7, B: 8}
	got := collide.Append([]collide.Pair{first}, collide.Within(v), flt)
	if got[0] != first {
		t.Error("Append changed what was there before")
	}
	got = got[1:]
	if n := collide.Count(collide.Within(v), flt); n != len(got) {
		t.Errorf("Count %d, Append gave %d", n, len(got))
	}
	i := 0
	for p := range collide.All(collide.Within(v), flt) {
		if i >= len(got) || p != got[i] {
			t.Errorf("Pairs yields %v at %d", p, i)
			break
		}
		i++
	}
	return got
}

// Every scene, size, form of tree and tier: the pairs equal those found by the double loop and by sweep and
// prune, in one order on all tiers.
func TestPairs(t *testing.T) {
	small := []int{0, 1, 2, 15, 16, 17, 127, 128, 129, 1000}
	seed := testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		sizes := append(testkit.Turn(t, i, small), testkit.Budget(t, nil, []int{20_000})...)
		for k, n := range sizes {
			if sc.Name == "identical" || sc.Name == "degenerate" { // a good part of all n(n-1)/2 pairs overlap
				n = min(n, 1100)
			}
			t.Run(fmt.Sprintf("%s/n=%d", sc.Name, n), func(t *testing.T) {
				objects := sc.Make(n, seed)
				reference := testkit.SweepAndPrune(objects)
				if n <= 1000 && !slices.Equal(reference, testkit.ReferencePairs(objects)) {
					t.Fatal("the oracles differ")
				}
				f := trees.PlantAll(t, objects)
				filters := pairFilters
				if n > 1000 {
					filters = []collide.Filter{{}, {StaticPairs: true}, pairFilters[2+k%7]}
				}
				for _, flt := range filters {
					want := testkit.KeepPairs(reference, objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
					testPairs(t, f, flt, want)
				}
			})
		}
	}
}

// testPairs queries every tree on every tier, in the normal form in all forms on one of them.
func testPairs(t *testing.T, f trees.Forest, flt collide.Filter, want []testkit.IndexPair) {
	t.Helper()
	for i, form := range trees.Forms {
		v := f.Trees[form].View()
		var order []collide.Pair
		testkit.EachTier(t, func(t *testing.T) {
			var got []collide.Pair
			if testkit.OfTier(t, i) && (order == nil || len(want) < 5000) {
				got = pairForms(t, v, flt)
			} else {
				got = collide.Append(nil, collide.Within(v), flt)
			}
			if order == nil {
				order = got
				checkPairs(t, got, want)
			} else if !slices.Equal(got, order) {
				t.Errorf("%d pairs are not the same %d in the same order as on the first tier", len(got), len(order))
			}
		})
		if t.Failed() {
			t.Fatalf("tree %s, filter %+v", form, flt)
		}
	}
}

// Boxes of few coordinates, which touch, are nested, equal and without extent, and at the limits of
// float32.
func TestPairsRandomBoxes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, kind := range testkit.BoxKinds() {
		for range 20 {
			objects := make([]soa.Object, rng.IntN(300))
			for i, b := range testkit.RandomBoxes(rng, len(objects), kind) {
				objects[i] = soa.Object{Box: b, Mask: rng.Uint32N(64), Static: rng.IntN(3) == 0}
			}
			flt := pairFilters[rng.IntN(len(pairFilters))]
			want := testkit.KeepPairs(testkit.ReferencePairs(objects), objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
			testPairs(t, trees.PlantAll(t, objects), flt, want)
		}
	}
}

// k identical boxes are k(k-1)/2 pairs, and so are k nested ones; a row of boxes
// that share a face are a chain; one number further apart they are none; with a
// huge one over them all, k-1.
func TestPairsCounted(t *testing.T) {
	all := collide.Filter{StaticPairs: true}
	for _, k := range []int{0, 1, 2, 15, 16, 17, 31, 33, 127, 128, 129, 700} {
		same, nested, chain := make([]soa.Object, k), make([]soa.Object, k), make([]soa.Object, k)
		apart, huge := make([]soa.Object, k), make([]soa.Object, k)
		for i := range k {
			same[i].Box = soa.AABB{Min: [3]float32{1, 2, 3}, Max: [3]float32{1, 2, 3}}
			x := float32(i)
			chain[i].Box = soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}}
			nested[i].Box = soa.AABB{Min: [3]float32{-x, -x, -x}, Max: [3]float32{1, x + 1, x / 2}}
			apart[i].Box = soa.AABB{Min: [3]float32{math.Nextafter32(x, math.MaxFloat32), 0, 0}, Max: [3]float32{x + 1, 1, 1}}
			if huge[i] = apart[i]; i == k/2 {
				huge[i].Box = soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{math.MaxFloat32, 2, 2}}
			}
		}
		testkit.EachTier(t, func(t *testing.T) {
			for _, frozen := range []bool{false, true} {
				for i, objects := range [][]soa.Object{same, nested, chain, apart, huge} {
					want := []int{k * (k - 1) / 2, k * (k - 1) / 2, max(k-1, 0), 0, max(k-1, 0)}[i]
					if got := collide.Count(collide.Within(trees.Plant(t, objects, frozen).View()), all); got != want {
						t.Errorf("k=%d, case %d, frozen %v: %d pairs, want %d", k, i, frozen, got, want)
					}
				}
			}
		})
	}
}

// No form allocates, except to grow the caller's slice.
func TestPairsAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(20_000, 1)
	f := trees.PlantAll(t, objects)
	other := trees.Plant(t, objects[:5000], true).View()
	var dst []collide.Pair
	batch := collide.Batch{Workers: 1}
	for _, tree := range f.Trees {
		v := tree.View()
		for _, flt := range pairFilters {
			sum := 0
			testkit.Allocs(t, 2, func() {
				dst = collide.Append(dst[:0], collide.Within(v), flt)
				sum += collide.Count(collide.Within(v), flt)
				for p := range collide.All(collide.Within(v), flt) {
					sum += int(p.A)
				}
				dst = collide.Append(dst[:0], collide.Between(v, other), flt)
				sum += collide.Count(collide.Between(v, other), flt)
				for p := range collide.All(collide.Between(other, v), flt) {
					sum += int(p.B)
				}
				dst = batched(t, &batch, dst[:0], collide.Within(v), flt)
				dst = batched(t, &batch, dst[:0], collide.Between(v, other), flt)
			})
		}
	}
}

// Few moving objects among many: around the share from which they are gathered, the pairs, exact or not,
// the impacts and the batch match the oracles, in one order on all tiers.
func TestPairsFewMovers(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	sizes := []int{1023, 2560}
	if !testkit.Long(t) {
		sizes = []int{1100}
	}
	for _, name := range []string{"uniform", "clustered"} {
		for _, n := range sizes {
			for _, movers := range []int{0, 1, n / 32, n/32 + 1} {
				objects := testkit.SceneByName(t, name).Make(n, 1)
				for i := range objects {
					objects[i].Static = true
				}
				for _, i := range rng.Perm(n)[:movers] {
					objects[i].Static = false
					objects[i].Box = objects[(i+1)%n].Box // some of them overlap
				}
				solids := testkit.BallsIn(objects)
				f := trees.PlantAll(t, objects)
				f.SetBalls(t, solids)
				boxes := testkit.SweepAndPrune(objects)
				for _, flt := range pairFilters {
					if flt.StaticPairs {
						continue
					}
					want := testkit.KeepPairs(boxes, objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
					testPairs(t, f, flt, want)
					if n > 1023 {
						flt.Exact = true
						testPairs(t, f, flt, keepMeeting(want, solids, solids, 1+0x1p-40))
					}
				}
				batch := collide.Batch{Workers: 3}
				for form, tree := range f.Trees {
					v := tree.View()
					want := collide.Append(nil, collide.Within(v), collide.Filter{})
					if got := batched(t, &batch, nil, collide.Within(v), collide.Filter{}); !slices.Equal(got, want) {
						t.Errorf("%s: Batch finds %d pairs, want %d in that order", form, len(got), len(want))
					}
					impacts := collide.AppendImpacts(nil, collide.Within(v), nil, nil, collide.Filter{})
					if !slices.EqualFunc(impacts, want, func(h collide.Impact, p collide.Pair) bool { return h == collide.Impact{A: p.A, B: p.B} }) {
						t.Errorf("%s: %d impacts at rest, want %d", form, len(impacts), len(want))
					}
				}
				if t.Failed() {
					t.Fatalf("%s, n=%d, %d movers", name, n, movers)
				}
			}
		}
	}
}

// Gathering allocates nothing in steady state.
func TestPairsFewMoversAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for i := range objects {
		objects[i].Static = i%200 != 0
	}
	tree := trees.Plant(t, objects, false)
	v := tree.View()
	n := collide.Count(collide.Within(v), collide.Filter{})
	testkit.Allocs(t, 3, func() {
		if collide.Count(collide.Within(v), collide.Filter{}) != n {
			t.Error("another count")
		}
	})
}

// Moving objects are gathered from trees of 1,024 objects or more when no more than one object in 32 moves,
// if pairs of static objects are excluded.
func TestMoversGathered(t *testing.T) {
	for _, n := range []int{1023, 1024, 1500} {
		for _, movers := range []int{0, 1, n / 32, n/32 + 1} {
			objects := testkit.SceneByName(t, "uniform").Make(n, 1)
			for i := range objects {
				objects[i].Static = i >= movers
			}
			for form, tree := range trees.PlantAll(t, objects).Trees {
				want := n >= 1024 && movers <= n/32
				if got := collide.GathersMovers(tree.View(), collide.Filter{}); got != want {
					t.Errorf("%s: %d movers of %d: gathered %v, want %v", form, movers, n, got, want)
				}
				if collide.GathersMovers(tree.View(), collide.Filter{StaticPairs: true}) {
					t.Errorf("%s: %d movers of %d: gathered, but static pairs are wanted", form, movers, n)
				}
			}
		}
	}
}

// numberAt returns a number of about a binary exponent, sometimes a zero, the smallest denormal number or one of
// another exponent.
func numberAt(rng *rand.Rand, e int) (x float32) {
	switch rng.IntN(10) {
	case 0:
		return 0
	case 1:
		x = 0x1p-149
	case 2:
		x = float32(math.Ldexp(1+rng.Float64(), rng.IntN(e+150)-149))
	default:
		x = float32(math.Ldexp(1+rng.Float64(), max(e-rng.IntN(4), -149)))
	}
	if x = min(x, math.MaxFloat32); rng.IntN(2) == 0 {
		x = -x
	}
	return x
}

// ballsWithin reports whether two balls are at most a distance apart, in exact arithmetic.
func ballsWithin(a, b *[4]float32, distance float32) bool {
	number := func(x float32) *rational.Rat { return new(rational.Rat).SetFloat64(float64(x)) }
	sum := new(rational.Rat)
	for k := range 3 {
		d := number(a[k])
		d.Sub(d, number(b[k]))
		sum.Add(sum, d.Mul(d, d))
	}
	reach := number(a[3])
	reach.Add(reach, number(b[3]))
	reach.Add(reach, number(distance))
	return sum.Cmp(reach.Mul(reach, reach)) <= 0
}

// At any binary exponent of the coordinates, pairs are those of boxes at most the distance apart in exact arithmetic,
// and of balls none that are is lost: on every tier, also at a distance of denormal numbers, and at one whose square
// is beyond float32.
func TestEveryExponentNear(t *testing.T) {
	seed, near, round := testkit.Seed(t), 0, 0
	for number := range testkit.Budget(t, 1, 40) {
		for e := -149; e <= 127; e++ {
			rng := rand.New(rand.NewPCG(seed+uint64(number)<<32, uint64(e+149)))
			objects := make([]soa.Object, 2+rng.IntN(40))
			for i := range objects {
				b := &objects[i].Box
				for a := range 3 {
					p, q := numberAt(rng, e), numberAt(rng, e)
					if rng.IntN(3) == 0 {
						q = p
					}
					b.Min[a], b.Max[a] = min(p, q), max(p, q)
				}
			}
			tree := trees.Plant(t, objects, rng.IntN(2) == 0)
			flt := collide.Filter{Distance: typicalDistance(rng, objects)}
			if rng.IntN(4) == 0 {
				flt.Distance = max(numberAt(rng, e), 0)
			}
			pairs := testkit.ReferencePairs[soa.Object](objects)
			if flt.Distance > 0 {
				pairs = testkit.ReferencePairsNear(objects, flt.Distance)
			}
			near += len(pairs)
			testkit.EachTier(t, func(t *testing.T) { checkPairs(t, collide.Append(nil, collide.Within(tree.View()), flt), pairs) })
			if t.Failed() {
				t.Fatalf("exponent %d, round %d, distance %x: %x", e, number, flt.Distance, objects)
			}
			round += nearBalls(t, rng, tree, objects, flt, e)
		}
	}
	if t.Logf("%d pairs of boxes, %d of balls", near, round); near < 10_000 || round < 1000 {
		t.Error("too few are near")
	}
}

// nearBalls gives balls to the objects and returns the number of their pairs, none of which may be lost.
func nearBalls(t *testing.T, rng *rand.Rand, tree *linear.Tree, objects []soa.Object, flt collide.Filter, e int) (near int) {
	t.Helper()
	balls := make([][4]float32, len(objects))
	for i := range objects {
		for a := range 3 {
			balls[i][a] = max(min(numberAt(rng, e), math.MaxFloat32/4), -math.MaxFloat32/4)
		}
		balls[i][3] = min(max(numberAt(rng, e), 0), math.MaxFloat32/4)
		body := soa.Ball{Sphere: balls[i]}
		testkit.Must(t, tree.Move(uint32(i), body.Box()))
		testkit.Must(t, tree.SetSphere(uint32(i), balls[i]))
	}
	flt.Exact = true
	testkit.EachTier(t, func(t *testing.T) {
		near = 0
		got := map[testkit.IndexPair]bool{}
		for _, p := range collide.Append(nil, collide.Within(tree.View()), flt) {
			got[testkit.IndexPair{A: int(min(p.A, p.B)), B: int(max(p.A, p.B))}] = true
		}
		for i := range balls {
			for j := range balls[:i] {
				if !ballsWithin(&balls[i], &balls[j], flt.Distance) {
					continue
				}
				if near++; !got[testkit.IndexPair{A: j, B: i}] {
					t.Errorf("exponent %d, distance %x: the balls %x and %x are lost", e, flt.Distance, balls[j], balls[i])
				}
			}
		}
	})
	return near
}
