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

// With Instances the pairs of a part are reported for each path to it, and nothing else changes.
func TestPairsOfInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	more := 0
	for _, family := range families {
		for range testkit.Budget(t, 3, 100) {
			v, f := denseScene(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(6)).View(), pairFilter(rng)
			once := scene.AppendPairs(nil, v, f)
			f.Instances = true
			got := pairsByPart(t, scene.AppendPairs(nil, v, f))
			want := 0
			for _, at := range spots(v) {
				number, part, open := uint32(0), v, at.open(v, f.Mask)
				for _, id := range at.ids {
					part, number, _ = part.Instance(id)
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

// With Exact, a pair left out has bounds that do not intersect, and the bounds of a pair kept are no
// further apart than the error bound.
func TestExactPairs(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	dropped, kept := map[string]int{}, map[string]int{}
	for _, family := range []string{"identity", "steps", "turned", "mirrored", "scaled", "affine", "touching"} {
		for range testkit.Budget(t, 10, 300) {
			v, f := denseScene(t, rng, family, 1+rng.IntN(2), 2+rng.IntN(6)).View(), pairFilter(rng)
			every := scene.AppendPairs(nil, v, f)
			f.Exact = true
			exact := pairsByPart(t, scene.AppendPairs(nil, v, f))
			parts := awake(v, f.Mask)
			for _, p := range every {
				if p.B.Path.Len() == 0 {
					continue // package collide
				}
				gap, size, kind := boundsGap(parts[p.Part], p)
				switch reported := exact[p]; {
				case !reported && (kind == "box box" || gap < -size*0x1p-30):
					t.Fatalf("%s: %v is lost, by a %s with a gap of %v, sizes %v", family, p, kind, gap, size)
				case reported && kind != "box box" && gap > size*0x1p-12:
					t.Fatalf("%s: %v is kept, by a %s with a gap of %v, sizes %v", family, p, kind, gap, size)
				case !reported:
					dropped[kind]++
				default:
					kept[kind]++
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
	t.Logf("dropped %v, kept %v", dropped, kept)
	for _, kind := range []string{"ball ball", "ball box", "ball turned", "turned box", "turned turned"} {
		if dropped[kind] == 0 || kept[kind] == 0 {
			t.Errorf("none with a %s was dropped, or kept", kind)
		}
	}
}

// bound is a bound of an object, or its box.
type bound struct {
	kind   string
	shape  shape
	center [3]float64
	radius float64
}

// boundsOf returns all bounds of an object of a part under im; spheres are included only if they decide.
func boundsOf(view linear.SceneView, im *image, id uint32, spheres bool) (all []bound) {
	at := spot{view: view}
	has, _ := view.Objects().Object(id)
	x := at.shape(im, &object{id, has}, true)
	if x.hasSphere && spheres {
		all = append(all, bound{"ball", x, x.center, x.radius})
	}
	if x.turned {
		all = append(all, bound{kind: "turned", shape: x})
	}
	if len(all) == 0 {
		all = append(all, bound{kind: "box", shape: x})
	}
	return all
}

// sides returns the bounds of both objects of a pair.
func sides(part linear.SceneView, p scene.Pair) (a, b []bound) {
	var views [2]linear.SceneView
	var images [2]image
	alike := true
	for i, o := range []scene.Object{p.A, p.B} {
		view, transforms := part, []*linear.Transform(nil)
		for id := range o.Path.All() {
			inner, _, transform := view.Instance(id)
			view, transforms = inner, append(transforms, transform)
		}
		alike = alike && alikeAll(transforms)
		views[i], images[i] = view, imageOf(transforms)
	}
	return boundsOf(views[0], &images[0], p.A.ID, alike), boundsOf(views[1], &images[1], p.B.ID, alike)
}

// boundsGap returns the largest distance between two bounds of a pair, the sizes of the numbers that it is
// computed from, and the kinds of both bounds.
func boundsGap(part linear.SceneView, p scene.Pair) (gap, size float64, kind string) {
	gap = math.Inf(-1)
	a, b := sides(part, p)
	for i := range a {
		size = max(size, a[i].shape.off(&a[i].shape.box)*0x1p35+a[i].radius)
		for k := range b {
			x, y := &a[i], &b[k]
			size = max(size, a[i].shape.off(&a[i].shape.box)*0x1p35+x.radius+b[k].shape.off(&b[k].shape.box)*0x1p35+y.radius)
			if d := x.apart(y); d > gap {
				names := []string{x.kind, y.kind}
				slices.SortFunc(names, func(a, b string) int { return orderOf(a) - orderOf(b) })
				gap, kind = d, names[0]+" "+names[1]
			}
		}
	}
	return gap, size, kind
}

func orderOf(kind string) int { return slices.Index([]string{"ball", "turned", "box"}, kind) }

// apart returns the distance of two bounds; below 0 they overlap.
func (x *bound) apart(y *bound) (gap float64) {
	switch {
	case x.kind == "ball" && y.kind == "ball":
		for i := range 3 {
			gap += (x.center[i] - y.center[i]) * (x.center[i] - y.center[i])
		}
		return math.Sqrt(gap) - x.radius - y.radius
	case x.kind == "ball":
		_, dist := y.shape.nearest(&y.shape.box, x.center)
		return dist - x.radius
	case y.kind == "ball":
		return y.apart(x)
	}
	gap = math.Inf(-1)
	for _, n := range axesOf(&x.shape.image, &y.shape.image) {
		l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
		if l < 0x1p-16 {
			continue
		}
		lo, hi, _ := x.shape.span(n, &x.shape.box)
		least, most, _ := y.shape.span(n, &y.shape.box)
		gap = max(gap, (least-hi)/l, (lo-most)/l)
	}
	return gap
}

// Oriented boxes and boxes that touch under transforms of whole numbers are pairs, exactly.
func TestExactPairsTouching(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	met, touched := 0, 0
	for round := range testkit.Budget(t, 4, 120) {
		v := gridScene(t, rng, 1+round%2, round%4 == 3).View()
		f := scene.PairFilter{Instances: true, Filter: collide.Filter{StaticPairs: true, Exact: true}}
		got := pairsByPart(t, scene.AppendPairs(nil, v, f))
		f.Exact = false
		for _, p := range scene.AppendPairs(nil, v, f) {
			a, b := sides(v, p)
			x, y := solid{has: soa.Object{Box: a[0].shape.box}, im: &a[0].shape.image}, solid{has: soa.Object{Box: b[0].shape.box}, im: &b[0].shape.image}
			apart, clear := apart(&x, &y)
			meets := clear || !apart && exactlyMeet(&x, &y)
			if meets && !got[p] {
				t.Fatalf("%v is lost: %v under %v %v and %v under %v %v", p, x.has.Box, x.im.m, x.im.t, y.has.Box, y.im.m, y.im.t)
			}
			if meets {
				met++
				if !clear && p.A.Path != p.B.Path {
					touched++
				}
			}
		}
	}
	t.Logf("%d met, %d touched in two parts", met, touched)
	if touched == 0 || met == touched {
		t.Errorf("%d met, %d touched in two parts", met, touched)
	}
}

// A part with a thousand instances, each of which overlaps the next: as many pairs from one to the next as
// for two instances, also when all have outgrown their boxes since the tick, and nothing allocates.
func TestPairsOfMany(t *testing.T) {
	const n = 1000
	for _, later := range []bool{false, true} {
		rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1.25, 1, 1}}, Mask: 1}, {Box: soa.AABB{Min: [3]float32{0, 2, 0}, Max: [3]float32{0.5, 3, 1}}, Mask: 1}}, false)
		s := newScene(t)
		for i := range n {
			place(t, s, rod, translation(t, float64(i), 0, 0), linear.InstanceOptions{})
		}
		testkit.Must(t, s.Tick())
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
	v := denseScene(t, rng, "turned", 3, 8).View()
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

// An instance in an instance that has outgrown its box, but still overlaps the old box, gives its pairs
// once.
func TestPairsOfGrown(t *testing.T) {
	unit := soa.Object{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}
	cube := trees.Plant(t, []soa.Object{unit}, false)
	inner, s := newScene(t), newScene(t)
	place(t, inner, cube, linear.Transform{}, linear.InstanceOptions{})
	place(t, s, inner, linear.Transform{}, linear.InstanceOptions{})
	trees.Insert(t, s.Tree(), []soa.Object{unit})
	testkit.Must(t, s.Tick())
	trees.Insert(t, cube, []soa.Object{{Box: soa.AABB{Min: [3]float32{5, 5, 5}, Max: [3]float32{6, 6, 6}}, Mask: 1}})
	part, _, _ := s.View().Instance(0)
	if got := part.Outgrown(); len(got) != 1 {
		t.Fatalf("%v have outgrown their boxes", got)
	}
	want := []scene.Pair{{B: scene.Object{Path: scene.PathOf(0, 0)}}}
	if got := scene.AppendPairs(nil, s.View(), scene.PairFilter{}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
