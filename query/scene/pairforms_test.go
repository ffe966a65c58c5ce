package scene_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// With Instances the pairs of a part are told for each path to it, and nothing else changes.
func TestPairsOfInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	more := 0
	for _, family := range families {
		for range testkit.Budget(t, 3, 10, 100) {
			v, f := crowd(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(6)).View(), pairFilter(rng)
			once := scene.AppendPairs(nil, v, f)
			f.Instances = true
			got := pairsByPart(t, scene.AppendPairs(nil, v, f))
			want := 0
			for _, at := range spots(v) {
				number, part, open := uint32(0), v, at.open(v, f.Mask)
				for _, id := range at.ids {
					part, number, _ = part.Place(id)
				}
				for _, p := range once {
					if p.Part != number || !open {
						continue
					}
					join := func(o scene.Object) scene.Object {
						return scene.Object{Path: scene.PathOf(append(slices.Collect(at.path.All()), slices.Collect(o.Path.All())...)...), ID: o.ID}
					}
					if want++; !got[scene.Pair{A: join(p.A), B: join(p.B)}] {
						t.Fatalf("%s %+v: %v at %v is lost", family, f, p, at.path)
					}
				}
			}
			if len(got) != want {
				t.Fatalf("%s: %d pairs, want %d", family, len(got), want)
			}
			more += want - len(once)
		}
	}
	if more == 0 {
		t.Error("no pair was there more than once")
	}
}

// With Exact what is left out of the pairs has spheres that do not meet the other one, and
// what is kept has none that miss it by more than the bound.
func TestExactPairs(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	dropped, kept := 0, 0
	for _, family := range []string{"identity", "steps", "turned", "mirrored", "scaled", "affine", "touching"} {
		for range testkit.Budget(t, 10, 30, 300) {
			v, f := crowd(t, rng, family, 1+rng.IntN(2), 2+rng.IntN(6)).View(), pairFilter(rng)
			every := scene.AppendPairs(nil, v, f)
			f.Exact = true
			exact := pairsByPart(t, scene.AppendPairs(nil, v, f))
			parts := awake(v, f.Mask)
			for _, p := range every {
				if p.B.Path.Len() == 0 {
					continue // package collide
				}
				gap, size, sure := ballsOf(t, parts[p.Part], p)
				switch reported := exact[p]; {
				case !reported && (!sure || gap < -size*0x1p-30):
					t.Fatalf("%s: %v is lost, with a gap of %v, sizes %v", family, p, gap, size)
				case reported && sure && gap > size*0x1p-12:
					t.Fatalf("%s: %v is kept, with a gap of %v, sizes %v", family, p, gap, size)
				case !reported:
					dropped++
				case sure:
					kept++
				}
				delete(exact, p)
			}
			for p := range exact {
				if p.B.Path.Len() > 0 {
					t.Fatalf("%s: %v is a pair only with Exact", family, p)
				}
			}
		}
	}
	if dropped == 0 || kept == 0 {
		t.Errorf("%d dropped for their spheres, %d kept", dropped, kept)
	}
}

// ballsOf returns how far the spheres of a pair, or a sphere and a box, are apart, and the
// sizes of the numbers of which that is made. It is not sure where no sphere decides.
func ballsOf(t *testing.T, part linear.SceneView, p scene.Pair) (gap, size float64, sure bool) {
	var at [2]struct {
		center [3]float64
		radius float64
		round  bool
		im     image
		box    soa.AABB
	}
	for i, o := range []scene.Object{p.A, p.B} {
		view, poses := part, []*linear.Pose(nil)
		for id := range o.Path.All() {
			inner, _, pose := view.Place(id)
			view, poses = inner, append(poses, pose)
		}
		if !alikeAll(poses) {
			return 0, 0, false
		}
		x := &at[i]
		x.im = imageOf(poses)
		object, _ := view.Objects().Object(o.ID)
		x.box = object.Box
		s, round := view.Objects().Sphere(o.ID)
		if x.round = round; round {
			b := soa.AABB{Min: [3]float32{s[0], s[1], s[2]}, Max: [3]float32{s[0], s[1], s[2]}}
			x.center = x.im.point(&b, [3]float64{})
			x.radius = float64(s[3]) * math.Hypot(x.im.m[0][0], math.Hypot(x.im.m[1][0], x.im.m[2][0]))
		}
		size += x.im.off(&x.box)*0x1p35 + x.radius
	}
	a, b := &at[0], &at[1]
	switch {
	case a.round && b.round:
		sum := 0.0
		for i := range 3 {
			d := a.center[i] - b.center[i]
			sum += d * d
		}
		return math.Sqrt(sum) - a.radius - b.radius, size, true
	case a.round:
		_, dist := b.im.nearest(&b.box, a.center)
		return dist - a.radius, size, true
	case b.round:
		_, dist := a.im.nearest(&a.box, b.center)
		return dist - b.radius, size, true
	}
	return 0, size, false
}

// A part in a thousand places, each of which overlaps the next: as many pairs from one to
// the next as there are of two, also when all have outgrown their boxes since the tick, and
// nothing allocates.
func TestPairsOfMany(t *testing.T) {
	const n = 1000
	for _, later := range []bool{false, true} {
		rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1.25, 1, 1}}, Mask: 1}, {Box: soa.AABB{Min: [3]float32{0, 2, 0}, Max: [3]float32{0.5, 3, 1}}, Mask: 1}}, false)
		s := newScene(t)
		for i := range n {
			place(t, s, rod, translation(t, float64(i), 0, 0), linear.PlaceOptions{})
		}
		if err := s.Tick(); err != nil {
			t.Fatal(err)
		}
		want := n - 1
		if later {
			trees.Insert(t, rod, []soa.Object{{Box: soa.AABB{Min: [3]float32{0, -9, 0}, Max: [3]float32{2, -8, 1}}, Mask: 1}})
			want += n - 1 + n - 2
		}
		v := s.View()
		if got := len(v.Outgrown()); (got > 0) != later {
			t.Fatalf("%d places have outgrown their boxes", got)
		}
		var pairs []scene.Pair
		ask := func() { pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{}) }
		if ask(); len(pairs) != want {
			t.Errorf("%d pairs, want %d", len(pairs), want)
		}
		if !testkit.RaceEnabled {
			if a := testing.AllocsPerRun(5, ask); a != 0 {
				t.Errorf("%v allocations", a)
			}
		}
	}
	rng := testkit.Rand(testkit.Seed(t))
	v := crowd(t, rng, "turned", 3, 8).View()
	layers := collide.AllLayers()
	var pairs []scene.Pair
	for _, f := range []scene.PairFilter{{}, {Instances: true}, {Filter: collide.Filter{Mask: 3, Layers: &layers, Exact: true}}} {
		ask := func() { pairs = scene.AppendPairs(pairs[:0], v, f) }
		if ask(); !testkit.RaceEnabled {
			if a := testing.AllocsPerRun(20, ask); a != 0 {
				t.Errorf("%+v: %v allocations", f, a)
			}
		}
	}
}

// A place of a place that has outgrown its box, but is still where that finds it, gives its
// pairs once.
func TestPairsOfGrown(t *testing.T) {
	unit := soa.Object{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}
	cube := trees.Plant(t, []soa.Object{unit}, false)
	inner, s := newScene(t), newScene(t)
	place(t, inner, cube, linear.Pose{}, linear.PlaceOptions{})
	place(t, s, inner, linear.Pose{}, linear.PlaceOptions{})
	trees.Insert(t, s.Tree(), []soa.Object{unit})
	if err := s.Tick(); err != nil {
		t.Fatal(err)
	}
	trees.Insert(t, cube, []soa.Object{{Box: soa.AABB{Min: [3]float32{5, 5, 5}, Max: [3]float32{6, 6, 6}}, Mask: 1}})
	part, _, _ := s.View().Place(0)
	if got := part.Outgrown(); len(got) != 1 {
		t.Fatalf("%v have outgrown their boxes", got)
	}
	want := []scene.Pair{{B: scene.Object{Path: scene.PathOf(0, 0)}}}
	if got := scene.AppendPairs(nil, s.View(), scene.PairFilter{}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
