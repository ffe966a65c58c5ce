package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// solid is an object of a part, and its image.
type solid struct {
	scene.Object
	has soa.Object
	at  *spot
	im  *image
}

// solids lists all objects of a scene in instances whose masks pass the filter.
func solids(v linear.SceneView, mask uint32) (all []solid) {
	for _, at := range spots(v) {
		if !at.open(v, mask) {
			continue
		}
		im := imageOf(at.transforms)
		for _, o := range listed(at.view.Objects()) {
			all = append(all, solid{scene.Object{Path: at.path, ID: o.id}, o.Object, &at, &im})
		}
	}
	return all
}

// open reports whether all instances on the path to a part pass a mask.
func (s *spot) open(v linear.SceneView, mask uint32) bool {
	for _, id := range s.ids {
		if o, _ := v.Instances().Object(id); mask != 0 && mask&o.Mask == 0 {
			return false
		}
		v, _, _ = v.Instance(id)
	}
	return true
}

// apart classifies two images: separated by more than 2^-40 of the sizes; or not, and whether they overlap
// on all axes by much more than that.
func apart(a, b *solid) (apart, clear bool) {
	clear = true
	for _, n := range axesOf(a.im, b.im) {
		lo, hi, off := a.im.span(n, &a.has.Box)
		least, most, more := b.im.span(n, &b.has.Box)
		off += more
		if least-hi > off || lo-most > off {
			return true, false
		}
		clear = clear && hi-least > off*0x1p16 && most-lo > off*0x1p16
	}
	return false, clear
}

// axesOf returns x, y and z, and the possible separating axes of two images of boxes, from about unit
// directions.
func axesOf(a, b *image) (axes [18][3]float64) {
	da, db := &a.unit, &b.unit
	for i := range 3 {
		axes[i][i] = 1
		axes[3+i], axes[6+i] = cross(da[i], da[(i+1)%3]), cross(db[i], db[(i+1)%3])
		for j := range 3 {
			axes[9+3*i+j] = cross(da[i], db[j])
		}
	}
	return axes
}

// exactlyMeet decides by separating axes in exact arithmetic.
func exactlyMeet(a, b *solid) bool {
	type vector = [3]*rational.Rat
	column := func(im *image, j int) vector {
		rows := im.exactly()
		return vector{rows[0][j], rows[1][j], rows[2][j]}
	}
	normal := func(a, b vector) (c vector) {
		for i := range c {
			j, k := (i+1)%3, (i+2)%3
			c[i] = new(rational.Rat).Sub(product(a[j], b[k]), product(a[k], b[j]))
		}
		return c
	}
	separates := func(n vector) bool {
		lo, hi := a.im.exactSpan(n, &a.has.Box)
		least, most := b.im.exactSpan(n, &b.has.Box)
		return least.Cmp(hi) > 0 || lo.Cmp(most) > 0
	}
	for i := range 3 {
		j := (i + 1) % 3
		if separates(normal(column(a.im, i), column(a.im, j))) || separates(normal(column(b.im, i), column(b.im, j))) {
			return false
		}
		for j := range 3 {
			if separates(normal(column(a.im, i), column(b.im, j))) {
				return false
			}
		}
	}
	return true
}

// pairFilter draws a filter.
func pairFilter(rng *rand.Rand) (f scene.PairFilter) {
	f.StaticPairs = rng.IntN(2) == 0
	if rng.IntN(3) == 0 {
		f.Mask = uint32(1 + rng.IntN(15))
	}
	if rng.IntN(3) == 0 {
		f.Layers = new(collide.Layers)
		for range 8 {
			f.Layers[rng.IntN(4)] |= 1 << rng.IntN(4)
		}
	}
	return f
}

// accepts reports whether the filter keeps two objects that overlap.
func accepts(f *scene.PairFilter, a, b *soa.Object) bool {
	if a.Static && b.Static && !f.StaticPairs || f.Mask != 0 && (a.Mask&f.Mask == 0 || b.Mask&f.Mask == 0) {
		return false
	}
	if f.Layers == nil {
		return true
	}
	for c := range 32 {
		for d := range 32 {
			if a.Mask>>c&1 != 0 && b.Mask>>d&1 != 0 && f.Layers[c]>>d&1 != 0 && f.Layers[d]>>c&1 != 0 {
				return true
			}
		}
	}
	return false
}

// crowded draws objects that are closer together than the result of objectsOf.
func crowded(rng *rand.Rand, n int) []soa.Object {
	objects := objectsOf(rng, n)
	for i := range objects {
		for a := range 3 {
			b := &objects[i].Box
			size := b.Max[a] - b.Min[a]
			b.Min[a] = float32(math.Trunc(float64(b.Min[a]))) / 4
			b.Max[a] = b.Min[a] + size
		}
	}
	return objects
}

// touching draws a transform of whole numbers that rotates about an axis: images of boxes of whole numbers
// have common faces, edges and corners exactly.
func touching(rng *rand.Rand) linear.Transform {
	i := rng.IntN(3)
	j, k := (i+1)%3, (i+2)%3
	var rows [12]float64
	x, y := 3., 4.
	if rng.IntN(3) == 0 {
		x, y = 5, 0
	}
	rows[5*i], rows[5*j], rows[5*k], rows[4*j+k], rows[4*k+j] = 5, x, x, -y, y
	for a := range 3 {
		rows[4*a+3] = 5 * float64(rng.IntN(9)-4)
	}
	p, err := linear.NewTransform(rows)
	if err != nil {
		panic(err)
	}
	return p
}

// crowd makes a scene whose instances are close to each other.
func denseScene(t testing.TB, rng *rand.Rand, family string, depth, places int) *linear.Scene {
	s := newScene(t)
	own := crowded(rng, rng.IntN(30))
	trees.Insert(t, s.Tree(), own)
	bind(t, rng, s.Tree(), own)
	var parts []linear.Part
	large := 20 + rng.IntN(30)
	if depth == 1 && rng.IntN(6) == 0 {
		large = 120 + rng.IntN(60)
	}
	for _, n := range []int{0, 1 + rng.IntN(8), large} {
		objects := crowded(rng, n)
		tree := trees.Plant(t, objects, false)
		bind(t, rng, tree, objects)
		parts = append(parts, tree)
	}
	if depth > 1 {
		parts = append(parts, denseScene(t, rng, family, depth-1, 1+rng.IntN(3)))
	}
	base := rng.IntN(41) - 20
	for i := range places {
		o := linear.InstanceOptions{Turns: rng.IntN(4) == 0}
		if rng.IntN(4) == 0 {
			o.Mask = uint32(1 + rng.IntN(15))
		}
		var transform linear.Transform
		if family == "touching" {
			transform = touching(rng)
		} else {
			rows := transformOf(rng, family).Rows()
			_, e := math.Frexp(rows[0])
			for a := range 3 {
				switch family {
				case "scaled": // all about alike
					for j := range 4 {
						rows[4*a+j] = math.Ldexp(rows[4*a+j], base-e)
					}
					rows[4*a+3] /= 16
				case "far": // at about one position
					rows[4*a+3] = math.Ldexp(float64(base), 15) + rows[4*a+3]*0x1p-19
				default:
					if rng.IntN(4) > 0 {
						rows[4*a+3] /= 16 // near the middle
					}
				}
			}
			var err error
			if transform, err = linear.NewTransform(rows); err != nil {
				t.Fatal(err)
			}
		}
		place(t, s, parts[(i+len(parts)-1)%len(parts)], transform, o)
	}
	testkit.Must(t, s.Tick())
	if rng.IntN(3) == 0 {
		if tree, ok := parts[1].(*linear.Tree); ok { // grows after the tick
			o := crowded(rng, 2)
			for a := range 3 {
				o[0].Box.Max[a] += 20
			}
			trees.Insert(t, tree, o)
		}
	}
	return s
}

// pairsByPart are pairs as keys, by part.
func pairsByPart(t testing.TB, pairs []scene.Pair) map[scene.Pair]bool {
	got := map[scene.Pair]bool{}
	for _, p := range pairs {
		if p.A.Compare(p.B) >= 0 {
			t.Fatalf("%v and %v are not in order", p.A, p.B)
		}
		if got[p] {
			t.Fatalf("%v twice", p)
		}
		got[p] = true
	}
	return got
}

// awake lists the parts that pass a mask, by their numbers.
func awake(v linear.SceneView, mask uint32) map[uint32]linear.SceneView {
	parts := map[uint32]linear.SceneView{0: v}
	var visit func(v linear.SceneView)
	visit = func(v linear.SceneView) {
		for _, o := range listed(v.Instances()) {
			if mask == 0 || mask&o.Mask != 0 {
				inner, number, _ := v.Instance(o.id)
				parts[number] = inner
				visit(inner)
			}
		}
	}
	visit(v)
	return parts
}

// No pair that shares a point in exact arithmetic is lost, and no pair beyond the bound is kept; each is
// reported once, for each part; on every tier in the same order.
func TestPairsByDefinition(t *testing.T) {
	seed := testkit.Seed(t)
	judged, met, doubts, inner := 0, 0, 0, 0
	check := func(t *testing.T, family string, rng *rand.Rand, s *linear.Scene, known func(...any) bool) {
		v, f := s.View(), pairFilter(rng)
		pairs := scene.AppendPairs(nil, v, f)
		if known(pairs) {
			return
		}
		got := pairsByPart(t, pairs)
		for number, part := range awake(v, f.Mask) {
			for _, p := range collide.Append(nil, collide.Within(part.Objects()), f.Filter) {
				key := scene.Pair{Part: number, A: scene.Object{ID: p.A}, B: scene.Object{ID: p.B}}
				if !got[key] {
					t.Fatalf("%s: %v of one tree is lost", family, key)
				}
				met++
				delete(got, key)
			}
			all := solids(part, f.Mask)
			slices.SortFunc(all, func(a, b solid) int { return a.Compare(b.Object) })
			for i := range all {
				a := &all[i]
				for k := i + 1; k < len(all); k++ {
					b := &all[k]
					if n := a.Path.Len(); b.Path.Len() == 0 || n > 0 && a.Path.At(0) == b.Path.At(0) {
						continue // pairs within one tree, or of a part
					}
					judged++
					key := scene.Pair{Part: number, A: a.Object, B: b.Object}
					if !accepts(&f, &a.has, &b.has) {
						continue
					}
					apart, clear := apart(a, b)
					if got[key] {
						met++
						if a.Path.Len() > 0 {
							inner++
						}
						if delete(got, key); apart {
							t.Fatalf("%s: %v is kept, of %v under %v and %v under %v", family, key, a.has.Box, a.im.m, b.has.Box, b.im.m)
						}
						continue
					}
					if !apart && !clear {
						doubts++
					}
					if clear || !apart && exactlyMeet(a, b) {
						t.Fatalf("%s %+v: %v is lost, of %v under %v and %v under %v", family, f, key, a.has, a.im.m, b.has, b.im.m)
					}
				}
			}
		}
		for key := range got {
			t.Fatalf("%s %+v: %v is kept by no rule", family, f, key)
		}
	}
	for want := cases(t, 1, 1); judged < want; seed++ {
		rounds := map[string]int{} // of the first tier
		testkit.TiersAgree(t, func(t *testing.T, known func(...any) bool) {
			for i, family := range append(families[:len(families):len(families)], "touching") {
				rng, before := testkit.Rand(seed<<8+uint64(i)), inner
				least, first := rounds[family], rounds[family] == 0
				if first {
					least = testkit.Budget(t, 2, 30)
				}
				n := 0
				for ; n < least || first && inner == before && n < 100; n++ {
					check(t, family, rng, denseScene(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(6)), known)
				}
				rounds[family] = n
				if family != "touching" {
					check(t, family, rng, chainOf(t, rng, family, linear.MaxDepth), known)
				}
				if first && inner == before {
					t.Errorf("%s: nothing in two places meets", family)
				}
			}
		})
	}
	t.Logf("%d judged, %d met, of places %d, %d in doubt", judged, met, inner, doubts)
	if met == 0 || inner == 0 {
		t.Errorf("%d met, of two places %d", met, inner)
	}
}
