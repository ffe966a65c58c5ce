package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// The quick tests of images are right, and decide most: none as near as the limit is beyond, none farther away within.
func TestImageBounds(t *testing.T) {
	seed, judged, found := testkit.Seed(t), 0, [2]int{}
	for _, family := range families {
		eachPoint(t, seed, family, testkit.Budget(t, 6, 200), func(rng *rand.Rand, s *linear.Scene, _ []spot, p [3]float32, size float64) {
			if rng.IntN(2) == 0 { // far away differences have large rounding errors
				p[rng.IntN(3)] *= 0x1p20
			}
			scene.EachImage(s.View(), p, func(boxed float32, judge func(float32) (beyond, within bool)) {
				if beyond, _ := judge(boxed); beyond {
					t.Fatalf("%s, from %v: the image at %v is beyond it", family, p, boxed)
				}
				if boxed <= 0x1p-100 || boxed >= math.MaxFloat32/2 {
					return
				}
				if _, within := judge(math.Float32frombits(math.Float32bits(boxed) - 1)); within {
					t.Fatalf("%s, from %v: the image at %v is within less", family, p, boxed)
				}
				judged++
				if beyond, _ := judge(boxed * (1 - 0x1p-16)); beyond {
					found[0]++
				}
				if _, within := judge(boxed * (1 + 0x1p-16)); within {
					found[1]++
				}
			})
		})
	}
	if t.Logf("of %d images %d are decided", judged, found); min(found[0], found[1]) < judged-judged/100 || judged < 1000 {
		t.Errorf("of %d images %d are decided", judged, found)
	}
}

// Of objects at the same distance under a transform other than a similarity, those that are nearer in their part are
// first, and of these the one with the smallest ID.
func TestImageTies(t *testing.T) {
	s, part := newScene(t), newScene(t)
	var points []linear.Object
	for _, p := range [][3]float32{{2, 0, 0}, {0, 0, 1}, {-2, 0, 0}, {0, 0, -1}} {
		points = append(points, linear.Object{Box: linear.AABB{Min: p, Max: p}})
	}
	trees.Insert(t, part.Tree(), points)
	transform, err := linear.NewTransform([12]float64{0: 1, 5: 1, 10: 2})
	testkit.Must(t, err)
	place(t, s, part, transform, linear.InstanceOptions{})
	for k, want := range [][]uint32{1: {1}, 2: {1, 3}, 3: {1, 3, 0}, 4: {1, 3, 0, 2}} {
		var got []uint32
		for _, n := range nearestOf(t, s.View(), [3]float32{}, k, infinity, query.Filter{}) {
			got = append(got, n.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the %d nearest are %v, want %v", k, got, want)
		}
	}
}

// Of many objects at nearly the same distance in the part all that can be in the result are visited.
func TestImageShell(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	transform, err := linear.NewTransform([12]float64{0: 1, 5: 1, 10: 1.5})
	testkit.Must(t, err)
	for _, c := range []struct{ size, scale float64 }{
		{1, 1}, {1, 0.5}, {1, 2},
		{0x1p-60, 1}, // of small coordinates a search scales the squares
	} {
		s, inner, part := newScene(t), newScene(t), newScene(t)
		points := make([]linear.Object, 400)
		for i := range points {
			d := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			length := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
			for a := range 3 {
				x := float32(c.size * (1 + rng.Float64()/200) * d[a] / length)
				points[i].Box.Min[a], points[i].Box.Max[a] = x, x
			}
		}
		trees.Insert(t, part.Tree(), points)
		place(t, inner, part, at(0, 0, 0, 1, 1), linear.InstanceOptions{}) // so that there are results before the other
		place(t, inner, part, transform, linear.InstanceOptions{})
		place(t, s, inner, at(0, 0, 0, 0, c.scale), linear.InstanceOptions{})
		for _, k := range []int{1, 2, 5, 20, 300} {
			want := scene.NearTwin(s.View(), [3]float32{}, k, infinity, query.Filter{})
			got, first := nearestOf(t, s.View(), [3]float32{}, k, infinity, query.Filter{}), firstOf(t, s.View(), [3]float32{}, k, query.Filter{})
			if !slices.Equal(got, want) || !slices.Equal(first, want) {
				t.Errorf("%v: the %d nearest are\n%v, and\n%v, want\n%v", c, k, got, first, want)
			}
		}
	}
}
