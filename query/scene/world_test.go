package scene_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// envCases enables the long forms of the tests against definitions: the number of objects to judge, some
// 10^7.
const envCases = "ZOCTREE_SCENE_CASES"

// cases returns the least number of objects that a test judges.
func cases(t *testing.T, short, normal int) int {
	if text := os.Getenv(envCases); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", envCases, err)
		}
		return n
	}
	return testkit.Budget(t, testkit.Again(short, max(short/10, 1)), 4*normal)
}

// families are kinds of transforms.
var families = []string{"identity", "steps", "translation", "aligned", "mirrored", "turned", "scaled", "affine", "flat", "far"}

// poseOf draws a transform of a family.
func transformOf(rng *rand.Rand, family string) linear.Transform {
	number := func() float64 { return rng.NormFloat64() }
	for {
		var rows [12]float64
		turn := func(scale float64) {
			if p, err := linear.Similarity([3]float64{}, [4]float64{number(), number(), number(), number()}, scale); err == nil {
				rows = p.Rows()
			}
		}
		spread := 30.0
		switch family {
		case "identity":
			return linear.Transform{}
		case "steps", "translation":
			rows = [12]float64{0: 1, 5: 1, 10: 1}
		case "aligned":
			at := rng.Perm(3)
			for i := range 3 {
				rows[4*i+at[i]] = math.Ldexp(number(), rng.IntN(6)-3)
			}
		case "mirrored":
			turn(1)
			for i := range 3 {
				rows[4*i] = -rows[4*i]
			}
		case "turned":
			turn(1)
		case "scaled":
			e := rng.IntN(41) - 20
			turn(math.Ldexp(1+rng.Float64(), e))
			spread = math.Ldexp(spread, e)
		case "affine":
			for i := range 3 {
				for j := range 3 {
					rows[4*i+j] = number()
				}
			}
		case "flat": // near the largest condition
			turn(1)
			a := rows
			turn(1)
			var out [12]float64
			s := [3]float64{1, math.Ldexp(1, -rng.IntN(20)), math.Ldexp(1, -rng.IntN(20))}
			for i := range 3 {
				for j := range 3 {
					for k := range 3 {
						out[4*i+j] += a[4*i+k] * s[k] * rows[4*k+j]
					}
				}
			}
			rows = out
		case "far":
			turn(math.Ldexp(1, -rng.IntN(10)))
			spread = 1e6
		}
		for i := range 3 {
			rows[4*i+3] = spread * number()
			if family == "steps" {
				rows[4*i+3] = math.Ldexp(1, rng.IntN(8)) * float64(rng.IntN(3)-1)
			}
		}
		if p, err := linear.NewTransform(rows); err == nil {
			return p
		}
	}
}

// objectsOf draws objects with boxes on a grid of halves, or of any numbers.
func objectsOf(rng *rand.Rand, n int) []soa.Object {
	objects := make([]soa.Object, n)
	grid := rng.IntN(2) == 0
	for i := range objects {
		o := &objects[i]
		for a := range 3 {
			lo, size := float32(rng.NormFloat64()*8), float32(rng.ExpFloat64())
			if grid {
				lo, size = float32(rng.IntN(64)-32)/2, float32(rng.IntN(4))/2
			}
			o.Box.Min[a], o.Box.Max[a] = lo, lo+size
		}
		o.Mask, o.Static = 1<<rng.IntN(4), rng.IntN(3) == 0
	}
	return objects
}

// bind gives bounds to some objects of a tree whose IDs begin at 0: of six objects two get a sphere, two an
// oriented box, and one both.
func bind(t testing.TB, rng *rand.Rand, tree *linear.Tree, objects []soa.Object) {
	kind := rng.IntN(4) // bit 0: spheres, bit 1: oriented boxes
	for id := range uint32(len(objects)) {
		box := objects[id].Box
		if k := id % 6; kind&1 != 0 && k <= 2 {
			testkit.Must(t, tree.SetSphere(id, testkit.BallIn(box)))
		}
		if k := id % 6; kind&2 != 0 && k >= 2 && k <= 4 {
			testkit.Must(t, tree.SetOriented(id, testkit.OrientedIn(rng, box)))
		}
	}
}

// planted makes a tree of n objects, some of them with bounds.
func planted(t testing.TB, rng *rand.Rand, n int) *linear.Tree {
	objects := objectsOf(rng, n)
	tree := trees.Plant(t, objects, rng.IntN(3) == 0)
	bind(t, rng, tree, objects)
	return tree
}

func newScene(t testing.TB) *linear.Scene {
	t.Helper()
	s, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	return s
}

func place(t testing.TB, s *linear.Scene, p linear.Part, transform linear.Transform, o linear.InstanceOptions) uint32 {
	t.Helper()
	id, err := s.AddInstance(p, transform, o)
	testkit.Must(t, err)
	return id
}

// worldOf makes a scene of that depth: with objects of its own, trees under transforms of a family, some of
// them empty, and scenes.
func worldOf(t testing.TB, rng *rand.Rand, family string, depth, places int) *linear.Scene {
	s := newScene(t)
	own := objectsOf(rng, rng.IntN(40))
	trees.Insert(t, s.Tree(), own)
	bind(t, rng, s.Tree(), own)
	var parts []linear.Part
	for _, n := range []int{0, 1 + rng.IntN(8), 100 + rng.IntN(200)} {
		tree := planted(t, rng, n)
		if parts = append(parts, tree); rng.IntN(3) == 0 {
			parts[len(parts)-1] = saved(t, tree)
		}
	}
	if depth > 1 {
		inner := worldOf(t, rng, family, depth-1, max(places/3, 1))
		parts = append(parts, inner, inner)
	}
	for i := range places {
		o := linear.InstanceOptions{Turns: rng.IntN(4) == 0}
		if rng.IntN(3) == 0 {
			o.Mask = uint32(1 + rng.IntN(15))
		}
		place(t, s, parts[(i+len(parts)-1)%len(parts)], transformOf(rng, family), o)
	}
	testkit.Must(t, s.Tick())
	// Some of the parts grow after the tick.
	if rng.IntN(3) == 0 {
		if tree, ok := parts[1].(*linear.Tree); ok {
			o := objectsOf(rng, 1)
			for a := range 3 {
				o[0].Box.Min[a] += 100
				o[0].Box.Max[a] += 100
			}
			trees.Insert(t, tree, o)
		}
	}
	return s
}

// saved returns a tree as a snapshot.
func saved(t testing.TB, tree *linear.Tree) *linear.Snapshot {
	t.Helper()
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	s, err := linear.FromBytes(file.Bytes(), linear.CheckSafe)
	testkit.Must(t, err)
	return s
}

// chainOf makes a scene of that depth, with a few instances of a tree at each level.
func chainOf(t testing.TB, rng *rand.Rand, family string, depth int) *linear.Scene {
	tree := planted(t, rng, 1+rng.IntN(30))
	var part linear.Part = tree
	for range depth {
		s := newScene(t)
		trees.Insert(t, s.Tree(), objectsOf(rng, rng.IntN(4)))
		place(t, s, part, transformOf(rng, family), linear.InstanceOptions{})
		if rng.IntN(3) == 0 {
			place(t, s, tree, transformOf(rng, family), linear.InstanceOptions{})
		}
		part = s
	}
	s := part.(*linear.Scene)
	testkit.Must(t, s.Tick())
	return s
}

// spot is a part at the end of a path.
type spot struct {
	path       scene.Path
	ids        []uint32
	view       linear.SceneView
	transforms []*linear.Transform // from the scene inwards
	sizes      []soa.AABB          // the bounds of the parts on the path, and of this part
}

// spots lists all parts of a scene, by path.
func spots(v linear.SceneView) (all []spot) {
	var visit func(s spot)
	visit = func(s spot) {
		s.path = scene.PathOf(s.ids...)
		all = append(all, s)
		for _, o := range listed(s.view.Instances()) {
			inner, _, transform := s.view.Instance(o.id)
			visit(spot{
				ids: append(s.ids[:len(s.ids):len(s.ids)], o.id), view: inner,
				transforms: append(s.transforms[:len(s.transforms):len(s.transforms)], transform),
				sizes:      append(s.sizes[:len(s.sizes):len(s.sizes)], inner.Bounds()),
			})
		}
	}
	visit(spot{view: v})
	return all
}

// object is an object of a view with its ID.
type object struct {
	id uint32
	soa.Object
}

// listed returns the objects of a view in the order of slots.
func listed(v linear.View) (all []object) {
	for id, o := range v.All() {
		all = append(all, object{id, o})
	}
	return all
}
