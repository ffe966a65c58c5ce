package scene_test

import (
	"fmt"
	"math"
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

// figure is one of the two shapes of a contact, by the definition: a bound, or the box.
type figure struct {
	im        image
	box       soa.AABB
	hasSphere bool
	center    [3]float64 // of the sphere
	radius    float64
}

func figureOf(b *bound) figure {
	return figure{b.shape.image, b.shape.box, b.kind == "ball", b.center, b.radius}
}

// overlap returns how far two images overlap along an axis, by moving the second one along it.
func overlap(a, b *figure, n [3]float64) float64 {
	_, hi, _ := a.im.span(n, &a.box)
	least, _, _ := b.im.span(n, &b.box)
	return hi - least
}

// diameter returns the sum of the edges.
func (f *figure) diameter() (sum float64) {
	for j := range 3 {
		sum += math.Hypot(f.im.m[0][j], math.Hypot(f.im.m[1][j], f.im.m[2][j])) * (float64(f.box.Max[j]) - float64(f.box.Min[j]))
	}
	return sum
}

// eachContact computes the contacts of pairs in dense scenes.
func eachContact(t *testing.T, rng *rand.Rand, rounds int, body func(family string, part linear.SceneView, c scene.Contact)) {
	for _, family := range append(families[:len(families):len(families)], "touching") {
		for range rounds {
			v := denseScene(t, rng, family, 1+rng.IntN(2), 2+rng.IntN(6)).View()
			parts := awake(v, 0)
			pairs := scene.AppendPairs(nil, v, scene.PairFilter{Filter: collide.Filter{StaticPairs: true}})
			got := scene.AppendContacts([]scene.Contact{{}}, v, pairs)
			if len(got) != len(pairs)+1 {
				t.Fatalf("%d contacts of %d pairs", len(got)-1, len(pairs))
			}
			for i, c := range got[1:] {
				if c.Pair != pairs[i] {
					t.Fatalf("contact %d is of %v, want %v", i, c.Pair, pairs[i])
				}
				body(family, parts[c.Part], c)
			}
		}
	}
}

// Depth is the least overlap on any axis, along the normal, and Pos is in one shape, up to the depth, and
// at the other; contacts in one tree are those computed by package collide, and tiers agree.
func TestContactsByDefinition(t *testing.T) {
	seed := testkit.Seed(t)
	judged, kinds := 0, map[string]int{}
	body := func(t *testing.T, known func(...any) bool) {
		eachContact(t, testkit.Rand(seed), testkit.Budget(t, 3, 200), func(family string, part linear.SceneView, c scene.Contact) {
			if known(c) {
				return
			}
			judged++
			if c.B.Path.Len() == 0 {
				kinds["one tree"]++
				want := collide.AppendContacts(nil, collide.Within(part.Objects()), []collide.Pair{{A: c.A.ID, B: c.B.ID}})[0]
				if c.Pos != want.Pos || c.Normal != want.Normal || c.Depth != want.Depth {
					t.Fatalf("%+v, want %+v", c, want)
				}
				return
			}
			// Of all bounds of both objects, the pair with the least depth.
			mine, other := sides(part, c.Pair)
			why, done := "", false
			for i := range mine {
				for k := range other {
					a, b := figureOf(&mine[i]), figureOf(&other[k])
					depth, size := depthOf(&a, &b)
					if depth < float64(c.Depth)-size*0x1p-12 {
						t.Fatalf("%s: %+v, as a %s and a %s %v deep", family, c, mine[i].kind, other[k].kind, depth)
					}
					if done {
						continue
					}
					kind, text := told{c}.check(&a, &b)
					if why += mine[i].kind + " " + other[k].kind + ": " + text + "\n"; text == "" {
						done = true
						kinds[kind]++
						if mine[i].kind == "turned" || other[k].kind == "turned" {
							kinds["turned "+kind]++
						}
					}
				}
			}
			if !done {
				t.Fatalf("%s: %+v: %s", family, c, why)
			}
		})
	}
	for want := cases(t, 1, 1); judged < want; seed++ {
		testkit.TiersAgree(t, body)
	}
	for _, kind := range []string{"one tree", "boxes", "balls", "ball beside box", "ball in box", "turned boxes", "turned ball beside box"} {
		if kinds[kind] == 0 {
			t.Errorf("no contact of %s: %v", kind, kinds)
		}
	}
	t.Logf("%d judged: %v", judged, kinds)
}

// depthOf returns the penetration depth of two figures, and the sizes of the numbers that it is computed
// from.
func depthOf(a, b *figure) (depth, size float64) {
	size = (a.im.off(&a.box) + b.im.off(&b.box)) * 0x1p35
	switch {
	case a.hasSphere && b.hasSphere:
		way := 0.0
		for k := range 3 {
			way += (b.center[k] - a.center[k]) * (b.center[k] - a.center[k])
		}
		return a.radius + b.radius - math.Sqrt(way), size
	case a.hasSphere:
		gap, _ := ballGap(a, b)
		return -gap, size
	case b.hasSphere:
		gap, _ := ballGap(b, a)
		return -gap, size
	}
	depth = math.Inf(1)
	axes := axesOf(&a.im, &b.im)
	for i, axis := range axes[3:] { // x, y and z give no depth
		l := math.Sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2])
		if l == 0 || i >= 6 && l <= 0x1p-26 { // parallel edges: see the type Contact
			continue
		}
		for k := range 3 {
			axis[k] /= l
		}
		opposite := [3]float64{-axis[0], -axis[1], -axis[2]}
		depth = min(depth, overlap(a, b, axis), overlap(a, b, opposite))
	}
	return depth, size
}

// told is a contact to be checked.
type told struct{ scene.Contact }

// check returns the kind of a contact of two figures, or the reason why it is none.
func (c told) check(a, b *figure) (kind, why string) {
	depth, size := depthOf(a, b)
	if math.Abs(depth-float64(c.Depth)) > size*0x1p-12 {
		return "", fmt.Sprintf("the depth is %v, sizes %v", depth, size)
	}
	n, length := [3]float64{}, 0.0
	for k := range 3 {
		n[k] = float64(c.Normal[k])
		length += n[k] * n[k]
	}
	if math.Abs(length-1) > 0x1p-20 {
		return "", "the normal is not of length 1"
	}
	depth = float64(c.Depth)
	pos := [3]float64{float64(c.Pos[0]), float64(c.Pos[1]), float64(c.Pos[2])}
	room := math.Abs(depth) + size*0x1p-12
	if !a.hasSphere && !b.hasSphere {
		if got := overlap(a, b, n); math.Abs(got-depth) > size*0x1p-18 {
			return "", fmt.Sprintf("it overlaps by %v along its normal, sizes %v", got, size)
		}
		_, fromA := a.im.nearest(&a.box, pos)
		_, fromB := b.im.nearest(&b.box, pos)
		// A point inside a slanted box is further from a face than its depth: at most by the slant on the
		// way to the face, and twice that where it is brought back onto the face.
		far := 3*room*max(a.slant(), b.slant()) + max(a.diameter(), b.diameter())
		if depth > -size*0x1p-18 && (min(fromA, fromB) > room || max(fromA, fromB) > far) {
			return "", fmt.Sprintf("it is %v from %v and %v from %v", fromA, a.box, fromB, b.box)
		}
		return "boxes", ""
	}
	for _, f := range []*figure{a, b} {
		if _, dist := f.im.nearest(&f.box, pos); !f.hasSphere && dist > room {
			return "", fmt.Sprintf("it is %v from %v", dist, f.box)
		}
		d := math.Hypot(pos[0]-f.center[0], math.Hypot(pos[1]-f.center[1], pos[2]-f.center[2]))
		if f.hasSphere && d > f.radius+room {
			return "", fmt.Sprintf("it is %v from the ball %v, %v", d, f.center, f.radius)
		}
	}
	switch {
	case a.hasSphere && b.hasSphere:
		return "balls", ""
	case a.hasSphere:
		_, kind = ballGap(a, b)
	default:
		_, kind = ballGap(b, a)
	}
	return kind, ""
}

// slant returns the volume of an upright box relative to a slanted one with edges of the same lengths.
func (f *figure) slant() float64 {
	m, edges := &f.im.m, 1.0
	for k := range 3 {
		edges *= math.Sqrt(m[0][k]*m[0][k] + m[1][k]*m[1][k] + m[2][k]*m[2][k])
	}
	det := m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	return edges / math.Abs(det)
}

// ballGap returns the distance of a ball from a box; with its centre inside, minus the distance through the
// nearest face.
func ballGap(a, b *figure) (gap float64, kind string) {
	_, dist := b.im.nearest(&b.box, a.center)
	if size := b.im.off(&b.box) * 0x1p35; dist > size*0x1p-20 {
		return dist - a.radius, "ball beside box"
	}
	least := math.Inf(1)
	for k := range 3 {
		n := [3]float64{b.im.m[0][k], b.im.m[1][k], b.im.m[2][k]}
		l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
		at := 0.0
		for i := range 3 {
			n[i] /= l
			at += n[i] * a.center[i]
		}
		lo, hi, _ := b.im.span(n, &b.box)
		least = min(least, at-lo, hi-at)
	}
	return -least - a.radius, "ball in box"
}

// Boxes under translations have the contacts that they would have in one tree, except for Pos where one box
// contains the other; boxes that touch have depth 0.
func TestContactsOfSteps(t *testing.T) {
	s := newScene(t)
	trees.Insert(t, s.Tree(), []soa.Object{{Box: soa.AABB{Max: [3]float32{4, 4, 4}}, Mask: 1}})
	cube := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{2, 2, 2}}, Mask: 1}}, false)
	for _, x := range [][3]float64{{3, 1, 1}, {4, 4, 0}, {-1, 3, 3.5}, {1, 1, -1.5}} {
		place(t, s, cube, translation(t, x[0], x[1], x[2]), linear.InstanceOptions{})
	}
	want := []scene.Contact{
		{Pos: [3]float32{3.5, 2, 2}, Normal: [3]float32{1, 0, 0}, Depth: 1},
		{Pos: [3]float32{4, 4, 1}, Normal: [3]float32{1, 0, 0}, Depth: 0},
		{Pos: [3]float32{0.5, 3.5, 3.75}, Normal: [3]float32{0, 0, 1}, Depth: 0.5},
		{Pos: [3]float32{2, 2, 0.25}, Normal: [3]float32{0, 0, -1}, Depth: 0.5},
	}
	var pairs []scene.Pair
	for i := range want {
		want[i].Pair = scene.Pair{B: scene.Object{Path: scene.PathOf(uint32(i))}}
		pairs = append(pairs, want[i].Pair)
	}
	v := s.View()
	if got := scene.AppendContacts(nil, v, pairs); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, bad := range []scene.Pair{
		{Part: 9}, {B: scene.Object{Path: scene.PathOf(7)}}, {B: scene.Object{Path: scene.PathOf(0), ID: 5}},
		{B: scene.Object{Path: scene.PathOf(0, 0)}}, {A: scene.Object{ID: 3}, B: scene.Object{Path: scene.PathOf(0)}},
	} {
		if testkit.Panic(func() { scene.AppendContacts(nil, v, []scene.Pair{bad}) }) == nil {
			t.Errorf("%v does not panic", bad)
		}
	}
	if testkit.RaceEnabled {
		return
	}
	rng := testkit.Rand(testkit.Seed(t))
	v = denseScene(t, rng, "turned", 2, 6).View()
	pairs = scene.AppendPairs(nil, v, scene.PairFilter{})
	var contacts []scene.Contact
	if a := testing.AllocsPerRun(20, func() { contacts = scene.AppendContacts(contacts[:0], v, pairs) }); a != 0 || len(contacts) == 0 {
		t.Errorf("%v allocations for %d contacts", a, len(contacts))
	}
}
