package linear_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// bodiesOf draws bodies of all kinds near the objects of a scene, for the IDs in random order.
func bodiesOf(t testing.TB, objects []soa.Object, ids []uint32, seed uint64) (some []uint32, to linear.Bodies) {
	r := testkit.Rand(seed)
	some = slices.Clone(ids)
	r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	some = some[:1+r.IntN(len(some))]
	boxes, spheres := r.IntN(len(some)+1), r.IntN(len(some)+1)
	boxes, spheres = min(boxes, spheres), max(boxes, spheres)
	for i, id := range some {
		c := objects[slices.Index(ids, id)].Box.Center()
		for a := range c {
			c[a] += r.Float32()
		}
		switch {
		case i < boxes:
			to.Boxes = append(to.Boxes, cube(c[0], c[1], c[2], r.Float32()))
		case i < spheres:
			to.Spheres = append(to.Spheres, [4]float32{c[0], c[1], c[2], r.Float32()})
		default:
			to.Oriented = append(to.Oriented, soa.OrientedBox{Center: c, Axes: [3][3]float32{{0.5, 0.5}, {-0.25, 0.25}, {2: r.Float32()}}})
		}
	}
	return some, to
}

// One call with bodies of all kinds has the effect of a call for each kind: the same boxes, bounds and changes.
func TestMoveBodies(t *testing.T) {
	seed := testkit.Seed(t)
	objects := sceneOf(t, "uniform", 700)
	testkit.EachTier(t, func(t *testing.T) {
		for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild} {
			one, three := newTree(t, linear.Config{Policy: policy, Log: true}), newTree(t, linear.Config{Policy: policy, Log: true})
			ids := insert(t, one, objects)
			insert(t, three, objects)
			for k := range testkit.Budget(t, 12, 100) {
				some, to := bodiesOf(t, objects, ids, seed+uint64(k))
				must(t, one.MoveBodies(some, to))
				n := len(to.Boxes)
				m := n + len(to.Spheres)
				must(t, three.MoveBatch(some[:n], to.Boxes))
				must(t, three.MoveBodies(some[n:m], linear.Bodies{Spheres: to.Spheres}))
				must(t, three.MoveBodies(some[m:], linear.Bodies{Oriented: to.Oriented}))
				if k%3 == 0 {
					must(t, one.SetBounds(some[n:m], linear.Bodies{Spheres: to.Spheres}))
					tick(t, one)
					tick(t, three)
				}
				valid(t, one)
				if one.Digest() != three.Digest() {
					t.Fatalf("policy %v: another tree after %d boxes, %d spheres and %d oriented boxes", policy, n, m-n, len(some)-m)
				}
				for _, id := range ids {
					s, ok := one.Sphere(id)
					b, has := one.Oriented(id)
					if s2, ok2 := three.Sphere(id); s2 != s || ok2 != ok {
						t.Fatalf("object %d has the sphere %v, want %v", id, s, s2)
					}
					if b2, has2 := three.Oriented(id); b2 != b || has2 != has {
						t.Fatalf("object %d has the oriented box %v, want %v", id, b, b2)
					}
				}
			}
		}
	})
}

// Moves to bodies of all kinds allocate nothing in steady state, by a call or by a batch.
func TestMoveBodiesAllocate(t *testing.T) {
	tree := newTree(t, linear.Config{Workers: 1, Log: true})
	objects := sceneOf(t, "uniform", 3000)
	ids := insert(t, tree, objects)
	var b linear.Batch
	frame := func(n int) {
		third := n / 3
		to := linear.Bodies{Boxes: someBoxes[:third], Spheres: someSpheres[:third], Oriented: someTurned[:third]}
		must(t, tree.MoveBodies(ids[:3*third], to))
		must(t, tree.SetBounds(ids[third:2*third], linear.Bodies{Spheres: to.Spheres}))
		b.Reset()
		b.MoveBodies(ids[:3*third], to)
		_, err := tree.Apply(&b)
		must(t, err)
		tick(t, tree)
	}
	for range 50 {
		frame(300)
		frame(3000)
	}
	testkit.Allocs(t, 20, func() {
		frame(300)
		frame(3000)
	})
}

// Bodies for [TestMoveBodiesAllocate].
var (
	someBoxes   = slices.Repeat([]soa.AABB{cube(1, 2, 3, 1)}, 1000)
	someSpheres = slices.Repeat([][4]float32{{4, 5, 6, 1}}, 1000)
	someTurned  = slices.Repeat([]soa.OrientedBox{{Center: [3]float32{7, 8, 9}}}, 1000)
)
