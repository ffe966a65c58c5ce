package query_test

import (
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var infinity = float32(math.Inf(1))

// nearestOf is AppendNearest with valid arguments.
func nearestOf(t testing.TB, v linear.View, p [3]float32, k int, maxDist float32, flt query.Filter) []query.Neighbor {
	near, err := query.AppendNearest(nil, v, p, k, maxDist, flt)
	testkit.Must(t, err)
	return near
}

// sameNear reports whether the neighbours are equal, in order, to the bit.
func sameNear(t testing.TB, got []query.Neighbor, want []testkit.Near) bool {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if int(g.ID) != w.Index || math.Float32bits(g.Dist2) != math.Float32bits(w.Dist2) {
			t.Helper()
			t.Errorf("neighbour %d is %d at %x, want %d at %x", i, g.ID, g.Dist2, w.Index, w.Dist2)
			return false
		}
	}
	if len(got) != len(want) {
		t.Helper()
		t.Errorf("%d neighbours, want %d", len(got), len(want))
		return false
	}
	return true
}

// nearPoints returns points among the objects, on corners of boxes, and far out.
func nearPoints(objects []soa.Object, n int, seed uint64) [][3]float32 {
	points := scene.PointQueries(objects, n, seed)
	if len(objects) > 0 {
		b := &objects[len(objects)/2].Box
		points = append(points, b.Min, b.Max, [3]float32{b.Min[0], b.Max[1], b.Min[2]})
	}
	const most = math.MaxFloat32
	return append(points, [3]float32{}, [3]float32{1e18, -1e19, 3e19}, [3]float32{most, -most, most})
}

// allowed returns a function that reports whether the filter keeps an object.
func allowed(objects []soa.Object, flt query.Filter) func(i int) bool {
	return func(i int) bool { return passes(flt, uint32(i), &objects[i]) }
}

// cut returns the first k that pass.
func cut(near []testkit.Near, k int, pass func(i int) bool) (kept []testkit.Near) {
	for _, n := range near {
		if len(kept) >= k {
			break
		}
		if pass(n.Index) {
			kept = append(kept, n)
		}
	}
	return kept
}

func objectsOf(boxes []soa.AABB) []soa.Object {
	objects := make([]soa.Object, len(boxes))
	for i, b := range boxes {
		objects[i].Box = b
	}
	return objects
}

// The definition: no object as near as maxDist is lost, none is kept beyond the documented bound, Dist2 is within its
// bounds and Low below the exact distance.
func TestNearestDefinition(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for i := range 300 {
		kind := testkit.BoxKinds()[i%4]
		boxes := testkit.RandomBoxes(rng, 60, kind)
		v := plant(t, objectsOf(boxes), true).View()
		p := testkit.RandomBoxes(rng, 1, kind)[0].Min
		// The distance of one of them, as exactly as float32 allows.
		exact := make([]*big.Float, len(boxes))
		for j := range boxes {
			exact[j] = testkit.ExactDist2(&boxes[j], p)
		}
		root, _ := new(big.Float).Sqrt(exact[rng.IntN(len(exact))]).Float32()
		maxDist := min(root, math.MaxFloat32)
		far := float64(maxDist)*(1+0x1p-21) + 0x1p-73
		limit, reach := square(float64(maxDist)), square(far)
		var want []int
		for j, d2 := range exact {
			if d2.Cmp(limit) <= 0 {
				want = append(want, j)
			}
		}
		var got []uint32
		for _, n := range nearestOf(t, v, p, len(boxes), maxDist, query.Filter{}) {
			got = append(got, n.ID)
			if float64(n.Dist2) <= math.MaxFloat32 && exact[n.ID].Cmp(reach) > 0 {
				t.Fatalf("%s boxes, point %x: object %d at %v is beyond %v", kind, p, n.ID, exact[n.ID], reach)
			}
		}
		if !testkit.NothingLost(t, got, want) {
			t.Fatalf("%s boxes, point %x, within %x", kind, p, maxDist)
		}
		for _, n := range nearestOf(t, v, p, len(boxes), infinity, query.Filter{}) {
			checkNeighbor(t, n, exact[n.ID])
		}
	}
}

func square(x float64) *big.Float {
	f := new(big.Float).SetPrec(640).SetFloat64(x)
	return f.Mul(f, f)
}

// checkNeighbor compares a neighbour with its exact squared distance.
func checkNeighbor(t *testing.T, n query.Neighbor, exact *big.Float) {
	t.Helper()
	const u = 0x1p-24
	within := func(factor, extra float64) *big.Float {
		f := new(big.Float).SetPrec(640).Mul(exact, new(big.Float).SetFloat64(factor))
		return f.Add(f, new(big.Float).SetFloat64(extra))
	}
	d2 := new(big.Float).SetFloat64(float64(n.Dist2))
	if d2.Cmp(within(1-5*u, -0x1p-148)) < 0 || !d2.IsInf() && d2.Cmp(within(1+6*u, 0x1p-148)) > 0 {
		t.Fatalf("Dist2 %x is out of bounds for %v", n.Dist2, exact)
	}
	if square(float64(n.Low())).Cmp(exact) > 0 {
		t.Fatalf("Low %x is beyond the distance, squared %v", n.Low(), exact)
	}
	d := n.Dist()
	if float64(d)*float64(d) < float64(n.Dist2) {
		t.Fatalf("Dist %x is below the root of %x", d, n.Dist2)
	}
	if b := float64(math.Nextafter32(d, 0)); d != 0 && d != infinity && b*b >= float64(n.Dist2) {
		t.Fatalf("Dist %x is not the least whose square is at least %x", d, n.Dist2)
	}
}

func TestNeighborEnds(t *testing.T) {
	for _, d2 := range []float32{0, math.SmallestNonzeroFloat32, 0x1p-126, 1, 2, math.MaxFloat32} {
		checkNeighbor(t, query.Neighbor{Dist2: d2}, new(big.Float).SetPrec(640).SetFloat64(float64(d2)))
	}
	over := query.Neighbor{Dist2: infinity}
	if over.Dist() != infinity || over.Low() < 0x1.fffff0p63 || over.Low() > 0x1p64 {
		t.Errorf("infinite Dist2: Dist %v, Low %v", over.Dist(), over.Low())
	}
}

// The sphere through the k-th neighbour holds all k and their ties, and the objects within that distance.
func TestNearestSphere(t *testing.T) {
	seed := testkit.Seed(t)
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(1000, seed)
		v := plant(t, objects, true).View()
		for _, p := range nearPoints(objects, testkit.Again(40, 10), seed) {
			for _, k := range []int{1, 8, 30} {
				near := nearestOf(t, v, p, k, infinity, query.Filter{})
				last := near[len(near)-1]
				if last.Dist2 == infinity {
					continue
				}
				sphere := sphere(t, scene.Sphere{Center: p, Radius: last.Dist()})
				in := sphere.Append(nil, v, query.Filter{})
				var tied []uint32
				for _, n := range nearestOf(t, v, p, len(objects), infinity, query.Filter{}) {
					if n.Dist2 <= last.Dist2 {
						tied = append(tied, n.ID)
					}
				}
				within := nearestOf(t, v, p, len(objects), last.Dist(), query.Filter{})
				var ids []uint32
				for _, n := range within {
					ids = append(ids, n.ID)
				}
				ok := testkit.NothingLost(t, in, tied) && testkit.NothingLost(t, ids, tied)
				if last.Dist2 >= 0x1p-126 { // the documented rounding of the limit differs for denormal squares
					ok = ok && testkit.SameIDSet(t, in, ids)
				}
				if !ok {
					t.Fatalf("scene %s, point %x, k %d, radius %x", sc.Name, p, k, last.Dist())
				}
			}
		}
	}
}

func TestNearestErrors(t *testing.T) {
	v := plant(t, testkit.SceneByName(t, "uniform").Make(20, 1), true).View()
	nan := float32(math.NaN())
	for _, c := range []struct {
		point [3]float32
		k     int
		dist  float32
		names string
	}{
		{[3]float32{0, nan, 7}, 1, 1, "[0 NaN 7]"},
		{[3]float32{-infinity, 0, 7}, 1, 1, "[-Inf 0 7]"},
		{[3]float32{}, -3, 1, "-3"},
		{[3]float32{}, 1, -2.5, "-2.5"},
		{[3]float32{}, 1, nan, "NaN"},
	} {
		dst := []query.Neighbor{{ID: 9}}
		got, err := query.AppendNearest(dst, v, c.point, c.k, c.dist, query.Filter{})
		if refuse(t, err, c.names); !slices.Equal(got, dst) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	refuse(t, new(query.NearestBatch).Find(nil, v, [][3]float32{{}, {}}, -1, infinity, query.Filter{}), "-1")
	refuse(t, new(query.NearestBatch).Find(nil, v, [][3]float32{77: {0, 0, infinity}}, 1, infinity, query.Filter{}), "77", "+Inf")
	minus := float32(math.Copysign(0, -1))
	if got, err := query.AppendNearest(nil, v, [3]float32{}, 20, minus, query.Filter{}); err != nil || len(got) > 20 {
		t.Errorf("distance -0: %v, %v", got, err)
	}
}

func TestNearestAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	points := scene.PointQueries(objects, 32, 1)
	v := plant(t, objects, true).View()
	testkit.EachTier(t, func(t *testing.T) {
		var near []query.Neighbor
		i := 0
		for _, k := range []int{1, 8, 16, 100} {
			for _, flt := range []query.Filter{{}, {Mask: 3}} {
				testkit.Allocs(t, 200, func() {
					i++
					near, _ = query.AppendNearest(near[:0], v, points[i%len(points)], k, infinity, flt)
				})
			}
		}
		testkit.Allocs(t, 200, func() {
			i++
			nearby, _ := query.NewNearby(points[i%len(points)])
			left := 10
			for range nearby.All(v, query.Filter{}) {
				if left--; left == 0 {
					break
				}
			}
		})
		batch := query.NearestBatch{Workers: 1}
		testkit.Allocs(t, 20, func() {
			testkit.Must(t, batch.Find(nil, v, points, 8, infinity, query.Filter{}))
		})
	})
}

func FuzzNearest(f *testing.F) {
	f.Add(uint64(1), uint32(0x3F800000), uint32(0), uint32(0x80000000), uint32(0x7F7FFFFF), uint16(3))
	f.Add(uint64(2), uint32(0x7F7FFFFF), uint32(0xFF7FFFFF), uint32(1), uint32(0x7F800000), uint16(500))
	f.Fuzz(func(t *testing.T, seed uint64, x, y, z, dist uint32, k uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		objects := objectsOf(testkit.RandomBoxes(rng, rng.IntN(200), testkit.BoxKinds()[seed%4]))
		p := [3]float32{math.Float32frombits(x), math.Float32frombits(y), math.Float32frombits(z)}
		maxDist := math.Float32frombits(dist)
		v := plant(t, objects, seed&8 == 0).View()
		got, err := query.AppendNearest(nil, v, p, int(k), maxDist, query.Filter{})
		good := maxDist >= 0
		for _, c := range p {
			good = good && math.Abs(float64(c)) <= math.MaxFloat32
		}
		if good != (err == nil) {
			t.Fatalf("point %x, within %x: %v", p, maxDist, err)
		}
		if !good {
			return
		}
		want := testkit.ReferenceNearest(objects, p, int(k), testkit.ReferenceBound2(maxDist))
		if !sameNear(t, got, want) {
			t.Fatalf("point %x, within %x, k %d", p, maxDist, k)
		}
	})
}

// take returns the first k that an iterator yields.
func take(seq iter.Seq[query.Neighbor], k int) (near []query.Neighbor) {
	for n := range seq {
		if len(near) == k {
			break
		}
		near = append(near, n)
	}
	return near
}

// One iteration inside another, and the same iterator twice.
func TestNearbyNested(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(100, 1)
	v := plant(t, objects, true).View()
	var nearby query.Nearby
	want := testkit.ReferenceNearest(objects, [3]float32{}, 100, infinity)
	all := nearby.All(v, query.Filter{})
	i := 0
	for n := range all {
		if int(n.ID) != want[i].Index || !sameNear(t, take(all, i+1), want[:i+1]) {
			t.Fatalf("at %d", i)
		}
		i++
	}
}

func TestNearbyChange(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(50, 1)
	tree := plant(t, objects, false)
	if testkit.Panic(func() {
		for range (query.Nearby{}).All(tree.View(), query.Filter{}) {
			trees.Insert(t, tree, []soa.Object{objects[0]})
		}
	}) == nil {
		t.Error("an insertion during the iteration was not noticed")
	}
}

// Neighbours for k from 2 to 135 are those of the reference: in scenes of even and of changing density, with many ties,
// with groups of 20 far apart, and within a limit.
func TestNearestSeveral(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	n := testkit.Budget(t, 1500, 6000)
	scenes := map[string][]soa.Object{
		"uniform": shrunk(testkit.SceneByName(t, "uniform").Make(n, 1)),
		"city":    testkit.SceneByName(t, "city").Make(n, 1),
	}
	grid, groups := make([]soa.Object, n), make([]soa.Object, n)
	for i := range n {
		p := [3]float32{float32(i % 12), float32(i / 12 % 12), float32(i / 144)}
		grid[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1}
		p = [3]float32{1000 * float32(i/20), r.Float32(), r.Float32()}
		groups[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1}
	}
	scenes["grid"], scenes["groups"] = grid, groups
	testkit.EachTier(t, func(t *testing.T) {
		for name, objects := range scenes {
			for form, tree := range plantAll(t, objects).Trees {
				v := tree.View()
				for range testkit.Budget(t, 15, 200) {
					p := objects[r.IntN(n)].Box.Min
					if r.IntN(2) == 0 {
						p[0] += r.Float32() - 0.5
						p[2] += 2 * r.Float32()
					}
					k := 2 + r.IntN(134)
					sorted := testkit.ReferenceNearest(objects, p, n, infinity)
					if !sameNear(t, nearestOf(t, v, p, k, infinity, query.Filter{}), sorted[:k]) {
						t.Fatalf("%s, %s: the %d nearest of %v", name, form, k, p)
					}
					most := query.Neighbor{Dist2: sorted[r.IntN(2*k)].Dist2}.Dist()
					within := testkit.ReferenceNearest(objects, p, k, trace.NearBound(most))
					if !sameNear(t, nearestOf(t, v, p, k, most, query.Filter{}), within) {
						t.Fatalf("%s, %s: the %d nearest of %v within %v", name, form, k, p, most)
					}
				}
			}
		}
	})
}
