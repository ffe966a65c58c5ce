package linear_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// negateZeros gives a random sign to the zeros among the floats of a value.
func negateZeros(r *rand.Rand, v reflect.Value) (negated int) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			negated += negateZeros(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			negated += negateZeros(r, v.Field(i))
		}
	case reflect.Float32:
		if v.Float() == 0 && r.IntN(2) == 0 {
			v.SetFloat(math.Copysign(0, -1))
			negated++
		}
	}
	return negated
}

// Trees with equal objects have the same digest: the sign of a zero in a box, a sphere or an oriented box does
// not count, and does not affect the placement of objects.
func TestDigestOfZeros(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	negated := 0
	change := func(list any) { negated += negateZeros(r, reflect.ValueOf(list)) }
	for round := range testkit.Budget(t, 4, 100) {
		objects := make([]soa.Object, 300)
		for i := range objects {
			o := &objects[i]
			for a := range 3 {
				x := float32(r.IntN(9) - 4)
				o.Box.Min[a], o.Box.Max[a] = min(x, 0), max(x, 0)
			}
			o.Mask = r.Uint32()
		}
		balls := make([]soa.Ball, 60)
		oriented := make([]soa.OrientedBox, 60)
		points := make([][3]float32, 60)
		for i := range balls {
			k := float32(r.IntN(3))
			balls[i].Sphere = [4]float32{k, 0, k - 1, k}
			oriented[i] = soa.OrientedBox{Center: [3]float32{0, k, k - 1}, Axes: [3][3]float32{{k, 0, 0}, {0, 1, 0}, {0, 0, k}}}
			points[i] = [3]float32{0, k, 1 - k}
		}
		tree := func() *linear.Tree {
			tree := newTree(t, linear.Config{PendingMin: 8, World: cube(0, 0, 0, 1), Frozen: round%2 == 1})
			ids := insert(t, tree, objects)
			_, err := tree.InsertBallBatch(nil, balls)
			must(t, err)
			_, err = tree.InsertPoints(nil, points, linear.Labels{})
			must(t, err)
			must(t, tree.MoveBodies(ids[:60], linear.Bodies{Oriented: oriented}))
			for i, id := range ids[60:80] {
				must(t, tree.MoveSphere(id, balls[i].Sphere))
				must(t, tree.Move(ids[80+i], objects[i].Box))
			}
			tick(t, tree)
			valid(t, tree)
			return tree
		}
		a := tree()
		change(objects)
		change(balls)
		change(oriented)
		change(points)
		b := tree()
		if a.Digest() != b.Digest() {
			t.Fatalf("round %d: digests %#x and %#x", round, a.Digest(), b.Digest())
		}
		if x, y := a.View().Store(), b.View().Store(); !slices.Equal(x.Packets.IDs, y.Packets.IDs) || !slices.Equal(x.Packets.Parents, y.Packets.Parents) {
			t.Fatalf("round %d: the objects are in other places", round)
		}
	}
	if negated < 1000 {
		t.Errorf("%d zeros were negated", negated)
	}

	// A box relative to its own corner equals the box that a program would write.
	tree, other := newTree(t, linear.Config{}), newTree(t, linear.Config{})
	insert(t, tree, []soa.Object{{Box: linear.AABB{Max: [3]float32{1, 1, 1}}}})
	insert(t, other, []soa.Object{{Box: soa.AABB64{Min: [3]float64{7, 7, 7}, Max: [3]float64{8, 8, 8}}.Box([3]float64{7, 7, 7})}})
	if tree.LayoutDigest() != other.LayoutDigest() {
		t.Error("AABB64.Box makes another tree")
	}
}
