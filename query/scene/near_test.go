package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

func nearestOf(t testing.TB, v linear.SceneView, p [3]float32, k int, maxDist float32, flt query.Filter) []scene.Neighbor {
	t.Helper()
	near, err := scene.AppendNearest(nil, v, p, k, maxDist, flt)
	testkit.Must(t, err)
	return near
}

var infinity = float32(math.Inf(1))

// eachPoint searches from points near the objects in scenes of a family.
func eachPoint(t *testing.T, seed uint64, family string, rounds int, body func(rng *rand.Rand, s *linear.Scene, all []spot, p [3]float32, size float64)) {
	rng := testkit.Rand(seed<<8 + uint64(slices.Index(families, family)))
	for range rounds {
		s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
		if rng.IntN(8) == 0 {
			s = chainOf(t, rng, family, linear.MaxDepth)
		}
		all := spots(s.View())
		for range 6 {
			center, corner, size, ok := targetOf(rng, all)
			if !ok {
				continue
			}
			var p [3]float32
			for a := range 3 {
				p[a] = float32(center[a])
				if rng.IntN(2) == 0 {
					p[a] = float32(corner[a])
				}
			}
			if rng.IntN(4) == 0 {
				p[rng.IntN(3)] += float32(100 * size)
			}
			if finite(p) {
				body(rng, s, all, p, size)
			}
		}
	}
}

// The search and the iterator give the result of a loop over all paths, in its order, whenever the iterator ends.
// They are bit-identical on every tier.
func TestNearestReference(t *testing.T) {
	seed, found, inner := testkit.Seed(t), [2]int{}, 0
	testkit.TiersAgree(t, func(t *testing.T, known func(...any) bool) {
		for _, family := range families {
			eachPoint(t, seed, family, testkit.Budget(t, 3, 100), func(rng *rand.Rand, s *linear.Scene, _ []spot, p [3]float32, size float64) {
				v, f := s.View(), someFilter(rng)
				f.Exact = rng.IntN(4) == 0
				k, maxDist := []int{1, 2, 16, 17, 64, 65, 100, math.MaxInt}[rng.IntN(8)], infinity
				search := func() []scene.Neighbor { return firstOf(t, v, p, k, f) }
				form := rng.IntN(2)
				if form == 0 {
					if rng.IntN(2) == 0 {
						maxDist = float32(size * rng.ExpFloat64())
					}
					search = func() []scene.Neighbor { return nearestOf(t, v, p, k, maxDist, f) }
				}
				got := search()
				if known(got) {
					return
				}
				if want := scene.NearTwin(v, p, k, maxDist, f); !slices.Equal(got, want) {
					t.Fatalf("%s: %d from %v within %v, form %d, %+v:\n%v, want\n%v", family, k, p, maxDist, form, f, got, want)
				}
				found[form] += len(got)
				for _, n := range got {
					inner += n.Path.Len()
				}
			})
		}
	})
	if found[0] == 0 || found[1] == 0 || inner == 0 {
		t.Errorf("%d found, %d instances on their paths", found, inner)
	}
}

// Reported distances match the definition: no object is nearer than Low, and Dist is within its bound; no
// object within maxDist, or among the k nearest, is missing.
func TestNearestByDefinition(t *testing.T) {
	seed, judged, lost, turned := testkit.Seed(t), 0, 0, 0
	for want := cases(t, 20_000, 200_000); judged < want; seed++ {
		for _, family := range families {
			eachPoint(t, seed, family, 1, func(rng *rand.Rand, s *linear.Scene, all []spot, p [3]float32, size float64) {
				v := s.View()
				maxDist, f := float32(size*4*rng.ExpFloat64()), query.Filter{Exact: rng.IntN(2) == 0}
				k := 1 + rng.IntN(30)
				type key struct {
					path scene.Path
					id   uint32
				}
				within := map[key]scene.Neighbor{}
				for _, n := range nearestOf(t, v, p, math.MaxInt, maxDist, f) {
					within[key{n.Path, n.ID}] = n
				}
				first := map[key]bool{}
				few := nearestOf(t, v, p, k, infinity, f)
				for _, n := range few {
					first[key{n.Path, n.ID}] = true
				}
				every := map[key]scene.Neighbor{}
				for _, n := range nearestOf(t, v, p, math.MaxInt, infinity, f) {
					every[key{n.Path, n.ID}] = n
				}
				if uint64(len(every)) != v.Total() {
					t.Fatalf("%d of %d objects", len(every), v.Total())
				}
				c := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
				for _, at := range all {
					im, extent := imageOf(at.transforms), at.view.Objects().Store().Extent
					alike := alikeAll(at.transforms)
					for _, o := range listed(at.view.Objects()) {
						judged++
						x := at.shape(&im, &o, f.Exact)
						n, off := every[key{at.path, o.id}], im.off(&o.Box)
						_, dist := x.nearest(&x.box, c)
						if x.turned {
							turned++
						}
						// With several bounds the farthest one decides: not computed here.
						if x.hasSphere {
							dist = math.Inf(1)
						}
						for a := range 3 {
							off += math.Abs(c[a]) * 0x1p-35
						}
						if float64(n.Low) > dist*(1+0x1p-40)+off {
							t.Fatalf("%s: %d of %v is %v from %v, reported no nearer than %v", family, o.id, at.path, dist, p, n.Low)
						}
						// The error of rounding the point, in the scene.
						e := off
						for i := range 3 {
							e += 0x1p-23 * (math.Abs(c[i]) + im.far[i])
							for j := range 3 {
								e += 0x1p-23 * im.size[i][j] * float64(extent[j])
							}
						}
						if x.turned { // frames are larger
							e *= 0x1p5
						}
						_, least := x.nearest(&x.box, c)
						if least = least*(1-0x1p-14) - e*8; !alike {
							least = x.boxDist(&x.box, c)*(1-0x1p-14) - e*8
						} else if x.hasSphere && !x.turned {
							least = 0
						}
						if float64(n.Dist) > dist*(1+0x1p-20)+e*8 || float64(n.Dist) < least {
							t.Fatalf("%s: %d of %v is %v from %v, reported at %v, at least %v (%v)", family, o.id, at.path, dist, p, n.Dist, least, e)
						}
						if _, ok := within[key{at.path, o.id}]; !ok && dist+off < float64(maxDist) {
							t.Fatalf("%s: %d of %v is %v from %v, and not found within %v", family, o.id, at.path, dist, p, maxDist)
						} else if ok && float64(n.Low) > float64(maxDist)*(1+0x1p-21) {
							t.Fatalf("%s: %d of %v, no nearer than %v, is found within %v", family, o.id, at.path, n.Low, maxDist)
						}
						if !first[key{at.path, o.id}] {
							lost++
							if n.Dist < few[len(few)-1].Dist {
								t.Fatalf("%s: %d of %v at %v is not among the %d nearest, up to %v", family, o.id, at.path, n.Dist, k, few[len(few)-1].Dist)
							}
						}
					}
				}
			})
		}
	}
	t.Logf("%d judged, %d not among the nearest, %d by oriented boxes", judged, lost, turned)
	if lost == 0 || turned == 0 {
		t.Errorf("%d objects were not among the nearest, %d oriented boxes", lost, turned)
	}
}

// alikeAll reports whether every transform is a similarity up to the rounding of its reported stretch.
func alikeAll(transforms []*linear.Transform) bool {
	for _, p := range transforms {
		if least, most := (*xform.Transform)(p).Stretch(); most*(1-0x1p-16) > least {
			return false
		}
	}
	return true
}

// boxDist returns the distance of the largest box that a search may use for the image of a box: the box
// around it, or the box around the box around it in a space between. The latter may reach farther by the
// root of three for each turn, so only objects outside the ball around the image are judged.
func (im *image) boxDist(b *soa.AABB, c [3]float64) float64 {
	center := im.point(b, [3]float64{0.5, 0.5, 0.5})
	sum, radius := 0.0, 0.0
	for i := range 3 {
		d := center[i] - c[i]
		sum += d * d
	}
	for k := range 8 {
		p := im.point(b, [3]float64{float64(k & 1), float64(k >> 1 & 1), float64(k >> 2 & 1)})
		square := 0.0
		for i := range 3 {
			square += (p[i] - center[i]) * (p[i] - center[i])
		}
		radius = max(radius, math.Sqrt(square))
	}
	return max(math.Sqrt(sum)-radius*1.75, 0)
}

// Without instances, under the identity, and after translations that need no rounding, neighbours are those
// in the tree, with the same distances.
func TestNearestIsFlat(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 10, 400) {
		tree := planted(t, rng, 200)
		own, held, moved := newScene(t), newScene(t), newScene(t)
		place(t, held, tree, linear.Transform{}, linear.InstanceOptions{})
		step, err := linear.NewTransform([12]float64{0: 1, 5: 1, 10: 1, 3: 256, 7: -128, 11: 64})
		testkit.Must(t, err)
		place(t, moved, tree, step, linear.InstanceOptions{})
		f := query.Filter{Exact: rng.IntN(2) == 0}
		k, maxDist := 1+rng.IntN(50), float32(3*rng.ExpFloat64())
		p := [3]float32{float32(rng.IntN(64)-32) / 4, float32(rng.IntN(64)-32) / 4, 0}
		want, err := query.AppendNearest(nil, tree.View(), p, k, maxDist, f)
		testkit.Must(t, err)
		if got := nearestOf(t, own.View(), p, k, maxDist, f); len(got) != 0 {
			t.Fatalf("an empty scene has %v", got)
		}
		away := [3]float32{p[0] + 256, p[1] - 128, p[2] + 64}
		for name, got := range map[string][]scene.Neighbor{
			"the identity": nearestOf(t, held.View(), p, k, maxDist, f),
			"a step":       nearestOf(t, moved.View(), away, k, maxDist, f),
		} {
			if len(got) != len(want) {
				t.Fatalf("%s: %d neighbours, want %d", name, len(got), len(want))
			}
			for i, n := range got {
				if n.Path != scene.PathOf(0) || n.ID != want[i].ID || n.Dist != want[i].Dist() || n.Low > n.Dist || n.Low < want[i].Low() {
					t.Fatalf("%s: neighbour %d is %+v, want %+v at %v", name, i, n, want[i], want[i].Dist())
				}
			}
		}
	}
}

// Bad arguments are errors that leave the list unchanged; steady state allocates nothing.
func TestNearestArguments(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := worldOf(t, rng, "turned", 2, 20)
	v := s.View()
	dst := []scene.Neighbor{{ID: 7}}
	nan := float32(math.NaN())
	for _, bad := range []struct {
		p [3]float32
		k int
		d float32
		f query.Filter
	}{
		{[3]float32{nan}, 1, 1, query.Filter{}},
		{[3]float32{}, -1, 1, query.Filter{}},
		{[3]float32{}, 1, -1, query.Filter{}},
		{[3]float32{}, 1, nan, query.Filter{}},
		{[3]float32{}, 1, 1, query.Filter{Motion: 9}},
	} {
		if got, err := scene.AppendNearest(dst, v, bad.p, bad.k, bad.d, bad.f); err == nil || len(got) != 1 {
			t.Errorf("%+v: %v, %v", bad, got, err)
		}
	}
	if got := nearestOf(t, v, [3]float32{}, 0, 1, query.Filter{}); len(got) != 0 {
		t.Errorf("none were wanted: %v", got)
	}
	if testkit.RaceEnabled {
		return
	}
	for _, family := range []string{"turned", "affine"} {
		v := worldOf(t, rng, family, 3, 20).View()
		var near []scene.Neighbor
		if n := testing.AllocsPerRun(20, func() {
			near, _ = scene.AppendNearest(near[:0], v, [3]float32{1, 2, 3}, 40, infinity, query.Filter{})
			near, _ = scene.AppendNearest(near[:0], v, [3]float32{1, 2, 3}, 40, infinity, query.Filter{Exact: true})
		}); n != 0 || len(near) == 0 {
			t.Errorf("%s: %v allocations for %d neighbours", family, n, len(near))
		}
	}
}

func finite(p [3]float32) bool {
	for _, x := range p {
		if !(x >= -math.MaxFloat32 && x <= math.MaxFloat32) {
			return false
		}
	}
	return true
}

// A part with a thousand instances, and one so small, or so large, that squares in its space are beyond
// float32, have the distances of the reference and the definition.
func TestNearestExtremes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	many := newScene(t)
	tree := planted(t, rng, 20)
	for range 1000 {
		place(t, many, tree, transformOf(rng, []string{"turned", "far", "affine"}[rng.IntN(3)]), linear.InstanceOptions{})
	}
	for range 10 {
		p := [3]float32{float32(rng.NormFloat64() * 20), float32(rng.NormFloat64() * 20), 0}
		if got, want := nearestOf(t, many.View(), p, 50, infinity, query.Filter{}), scene.NearTwin(many.View(), p, 50, infinity, query.Filter{}); !slices.Equal(got, want) {
			t.Fatalf("from %v: %v, want %v", p, got, want)
		}
	}
	for _, e := range []int{-95, -70, -40, 40, 70, 95} {
		transform, err := linear.Similarity([3]float64{1, 2, 3}, [4]float64{1, 2, 3, 4}, math.Ldexp(1, e))
		testkit.Must(t, err)
		s := newScene(t)
		place(t, s, planted(t, rng, 30), transform, linear.InstanceOptions{})
		p := [3]float32{1e6, -2e6, 5}
		got := nearestOf(t, s.View(), p, 100, infinity, query.Filter{})
		if len(got) != 30 {
			t.Fatalf("scale 2^%d: %d neighbours", e, len(got))
		}
		im := imageOf([]*linear.Transform{&transform})
		part, _, _ := s.View().Instance(0)
		for _, n := range got {
			o, _ := part.Objects().Object(n.ID)
			_, dist := im.nearest(&o.Box, [3]float64{1e6, -2e6, 5})
			room := dist*0x1p-14 + math.Ldexp(0x1p-15, e) + 4
			if float64(n.Low) > dist*(1+0x1p-30) || math.Abs(float64(n.Dist)-dist) > room {
				t.Fatalf("scale 2^%d: %+v is %v away", e, n, dist)
			}
		}
	}
}

// Unlimited is no limit where the distances of a scene are beyond float32.
func TestNearestUnlimited(t *testing.T) {
	transform, err := linear.Similarity([3]float64{}, [4]float64{0, 0, 0, 1}, 0x1p95)
	testkit.Must(t, err)
	tree := trees.New(t, linear.Config{})
	for _, x := range []float32{1, 1e7, 5e9, 8e9} {
		_, err = tree.Insert(soa.Object{Box: soa.BoxAround([3]float32{x, 0, 0}, [3]float32{1, 1, 1})})
		testkit.Must(t, err)
	}
	s := newScene(t)
	place(t, s, tree, transform, linear.InstanceOptions{})
	for _, maxDist := range []float32{query.Unlimited, infinity} {
		if near := nearestOf(t, s.View(), [3]float32{-3e38, 0, 0}, 9, maxDist, query.Filter{}); len(near) != 4 {
			t.Errorf("within %v are %d objects, want 4", maxDist, len(near))
		}
	}
	if near := nearestOf(t, s.View(), [3]float32{-3e38, 0, 0}, 9, math.Nextafter32(query.Unlimited, 0), query.Filter{}); len(near) != 2 {
		t.Errorf("within less than the largest number are %d objects, want 2", len(near))
	}
}

// The first hit of a ray through many overlapping instances of several parts is the first of all its hits, which are
// found without the bounds of a best hit, and any hit exists if there is one.
func TestFirstOfOverlapping(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		several := 0
		for range testkit.Budget(t, 60, 400) {
			s := newScene(t)
			for range 1 + rng.IntN(3) {
				part := make([]soa.Object, 1+rng.IntN(40))
				for i := range part {
					for a := range 3 {
						at := 8 * rng.Float32()
						part[i].Box.Min[a], part[i].Box.Max[a] = at, at+2*rng.Float32()
					}
					part[i].Mask = 1
				}
				transforms := make([]linear.Transform, 1+rng.IntN(60))
				for i := range transforms {
					p, err := linear.Similarity([3]float64{20 * rng.Float64(), 20 * rng.Float64(), 20 * rng.Float64()},
						[4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.5+rng.Float64())
					testkit.Must(t, err)
					transforms[i] = p
				}
				_, err := s.AddInstances(nil, trees.Plant(t, part, true), transforms, linear.InstanceOptions{})
				testkit.Must(t, err)
			}
			testkit.Must(t, s.Tick())
			v := s.View()
			for range 20 {
				ray, err := query.NewRay([3]float32{20 * rng.Float32(), 20 * rng.Float32(), 20 * rng.Float32()},
					[3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5}, 100*rng.Float32())
				testkit.Must(t, err)
				all := scene.AppendHits(nil, ray, v, query.Filter{})
				hit, ok := scene.First(ray, v, query.Filter{})
				if ok != (len(all) > 0) || ok && hit != all[0] {
					t.Fatalf("the first hit of %v is %v %v, of %d hits", ray, hit, ok, len(all))
				}
				if scene.Any(ray, v, query.Filter{}) != ok {
					t.Fatalf("any hit of %v: %v", ray, !ok)
				}
				if len(all) > 1 {
					several++
				}
			}
		}
		if several == 0 {
			t.Error("no ray has several hits")
		}
	})
}

// firstOf returns the first k objects of an incremental search.
func firstOf(t testing.TB, v linear.SceneView, p [3]float32, k int, f query.Filter) (near []scene.Neighbor) {
	t.Helper()
	from, err := query.NewNearby(p)
	testkit.Must(t, err)
	if from.Point() != p {
		t.Fatalf("a search from %v, want %v", from.Point(), p)
	}
	for n := range scene.Nearby(from, v, f) {
		if near = append(near, n); len(near) == k {
			break
		}
	}
	return near
}

// Of a part under shear, the search reads only objects about as near as those found.
func TestNearbyReads(t *testing.T) {
	s := newScene(t)
	shear, err := linear.NewTransform([12]float64{1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	place(t, s, trees.Plant(t, testkit.AwkwardObjects("line", 1000), false), shear, linear.InstanceOptions{})
	for _, k := range []int{1, 5} {
		if n := scene.NearbyReads(s.View(), [3]float32{-1, 0, 0}, k); int(n) > k+8 {
			t.Errorf("%d objects read for %d neighbours", n, k)
		}
	}
}

// One iteration inside another, a change during one, a filter out of range, and no allocation.
func TestNearbyNested(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	many := newScene(t)
	tree := planted(t, rng, 20)
	for range 300 {
		place(t, many, tree, transformOf(rng, []string{"turned", "far", "affine"}[rng.IntN(3)]), linear.InstanceOptions{})
	}
	v := many.View()
	want := scene.NearTwin(v, [3]float32{}, math.MaxInt, infinity, query.Filter{})
	i := 0
	for n := range scene.Nearby(query.Nearby{}, v, query.Filter{}) {
		if n != want[i] || i%997 == 0 && !slices.Equal(firstOf(t, v, [3]float32{}, i+1, query.Filter{}), want[:i+1]) {
			t.Fatalf("neighbour %d is %v, want %v", i, n, want[i])
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%d neighbours, want %d", i, len(want))
	}
	if testkit.Panic(func() {
		for range scene.Nearby(query.Nearby{}, v, query.Filter{Motion: 9}) {
		}
	}) == nil {
		t.Error("no panic for a filter out of range")
	}
	if !testkit.RaceEnabled {
		for _, f := range []query.Filter{{}, {Exact: true, Mask: 3}} {
			if a := testing.AllocsPerRun(10, func() {
				k := 0
				for range scene.Nearby(query.Nearby{}, v, f) {
					if k++; k == 100 {
						break
					}
				}
			}); a != 0 {
				t.Errorf("%v allocations", a)
			}
		}
	}
	if testkit.Panic(func() {
		for range scene.Nearby(query.Nearby{}, v, query.Filter{}) {
			trees.Insert(t, tree, objectsOf(rng, 1))
		}
	}) == nil {
		t.Error("no panic for a scene that has changed")
	}
}
