package occlude_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Of occluders with equal areas those with smaller IDs are chosen, wherever they are stored; in a scene, of
// occluders with equal IDs those of instances that the walk enters first.
func TestEqualAreas(t *testing.T) {
	const n, most = 40, 7
	objects := make([]linear.Object, n)
	for i := range objects {
		objects[i] = linear.Object{Box: soa.AABB{Min: [3]float32{20, 41, 0}, Max: [3]float32{24, 45, 6}}, Mask: walls}
	}
	tree := plant(t, objects, linear.Config{Workers: 1})
	for id := range uint32(n / 2) { // the smaller IDs move to other slots, in another order
		testkit.Must(t, tree.Remove(id))
	}
	for range n / 2 {
		if _, err := tree.Insert(objects[0]); err != nil {
			t.Fatal(err)
		}
	}
	v := viewOf("camera", [3]float64{-5, 40, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
	testkit.Must(t, v.look(culler))
	if visible := culler.Count(tree.View(), query.Filter{}); visible != n {
		t.Fatalf("%d objects are visible, want %d", visible, n)
	}
	if got, want := culler.Remembered(0), []uint32{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("occluders %d are chosen, want %d", got, want)
	}

	s, err := linear.NewScene(linear.Config{Workers: 1})
	testkit.Must(t, err)
	part := plant(t, objects, linear.Config{Workers: 1})
	for range 2 {
		if _, err := s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{Mask: walls}); err != nil {
			t.Fatal(err)
		}
	}
	for most := 1; most < n; most += 2 {
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
		testkit.Must(t, v.look(culler))
		var paths []scene.Path // of all objects, in the order of the walk
		for path := range culler.AllScene(s.View(), query.Filter{}) {
			paths = append(paths, path)
		}
		if len(paths) != 2*n {
			t.Fatalf("%d objects of the scene are visible, want %d", len(paths), 2*n)
		}
		want := append(slices.Repeat(paths[:1], (most+1)/2), slices.Repeat(paths[n:n+1], most/2)...)
		if got := culler.RememberedIn(0); !slices.Equal(got, want) {
			t.Errorf("occluders of the instances %v are chosen, want %v", got, want)
		}
	}
}

// Figure 4 of the paper: of 1,331 spheres that move behind a partition about 1,000 are in the frustum and
// about 500 visible. A box is behind a single convex occluder if its corners are, so the hidden set is
// known.
func TestPartition(t *testing.T) {
	objects := append(spheres(0), partition)
	tree := plant(t, objects, linear.Config{})
	culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: wallBit})
	ids, boxes := make([]uint32, len(objects)), make([]soa.AABB, len(objects))
	wall := boxBody(partition.Box)
	shown, hidden, found, inFrustum := 0, 0, 0, 0
	const frames = 60
	for frame := range frames {
		for i, o := range append(spheres(frame), partition) {
			ids[i], boxes[i] = uint32(i), o.Box
		}
		testkit.Must(t, tree.MoveBatch(ids, boxes))
		testkit.Must(t, tree.Tick())
		camera := audience
		camera.Eye[0] = float64(frame)/10 - 3
		testkit.Must(t, culler.SetCamera(camera))
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{Mask: 1})
		visible := setOf(culler.Append(nil, tree.View(), query.Filter{Mask: 1}))
		rays := culler.Rays()
		pixels := pixelsOf(&rays)
		for _, id := range all {
			behind := true
			for i := range 8 {
				var p [3]float64
				for a := range 3 {
					if p[a] = float64(boxes[id].Min[a]); i>>a&1 != 0 {
						p[a] = float64(boxes[id].Max[a])
					}
				}
				x, y, depth := pixels(p)
				in, _, ok := ray{&rays, x, y}.meets(&wall)
				behind = behind && ok && in < depth
			}
			if behind {
				if hidden++; !visible[id] {
					found++
				}
			} else if !visible[id] {
				// The box may be outside the picture, or partly so.
				if x, y, _ := pixels(wide(boxes[id].Center())); x > 20 && y > 20 && x < 492 && y < 268 {
					t.Fatalf("frame %d: sphere %d at %v %v is not visible", frame, id, x, y)
				}
			}
		}
		shown += len(visible)
		inFrustum += len(all)
	}
	t.Logf("in the mean %d in the frustum, %d visible; %d of %d hidden ones were found", inFrustum/frames, shown/frames, found, hidden)
	if n := inFrustum / frames; n < 900 || n > 1200 {
		t.Errorf("%d spheres are in the frustum", n)
	}
	if n := shown / frames; n < 400 || n > 600 {
		t.Errorf("%d spheres are visible", n)
	}
	if found*100 < hidden*99 {
		t.Errorf("%d of %d hidden spheres were found", found, hidden)
	}
}

// The levels of what a culler finds visible are those of its frustum, in trees and scenes, also of parallel
// projections: an object of a level below a minimum size is left out by a culler with it.
func TestLevels(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	counts := map[uint8]int{}
	for round := range testkit.Budget(t, 10, 200) {
		objects := town(rng, 40, 600, 200)
		tree := plant(t, objects, linear.Config{})
		v := tree.View()
		s := newScene(t)
		turn, err := linear.Similarity([3]float64{10, 5, 0}, [4]float64{0, 0, 0.5, 1}, 1.5)
		testkit.Must(t, err)
		_, err = s.AddInstance(tree, turn, linear.InstanceOptions{})
		testkit.Must(t, err)
		testkit.Must(t, s.Tick())
		least := float32(math.Ldexp(1+rng.Float64(), -3-rng.IntN(4)))
		at := [3]float64{200 * rng.Float64(), 200 * rng.Float64(), 1 + 20*rng.Float64()}
		view := randomView(rng, []string{"camera", "origin", "reversed"}[round%3], at, [3]float64{100, 100, 0}, 0.5, 1000)
		var cullers [2]*occlude.Culler
		for i := range cullers {
			cfg := occlude.Config{Width: 160, Height: 90, MinSize: []float32{0, least}[i]}
			cullers[i], err = occlude.New(cfg)
			testkit.Must(t, err)
			testkit.Must(t, view.look(cullers[i]))
			cullers[i].DrawBoxes(linear.AABB{Min: [3]float32{90, 90, 0}, Max: [3]float32{95, 110, 30}})
		}
		levels, err := cullers[0].Frustum().Levels(0, least*2, least)
		testkit.Must(t, err)

		ids := cullers[0].Append(nil, v, query.Filter{})
		large := cullers[1].Append(nil, v, query.Filter{})
		for i, level := range levels.Append(nil, v, ids, nil) {
			counts[level]++
			if slices.Contains(large, ids[i]) != (level < 2) {
				t.Fatalf("object %d of level %d is left by the minimum size: %v", ids[i], level, level == 2)
			}
		}
		var a, b scene.Answer
		cullers[0].AppendScene(&a, s.View(), query.Filter{})
		cullers[1].AppendScene(&b, s.View(), query.Filter{})
		for i, level := range scene.AppendLevels(nil, &a, &levels, s.View(), nil) {
			counts[level]++
			if slices.Contains(b.IDs, a.IDs[i]) != (level < 2) {
				t.Fatalf("object %d of a part, of level %d, is left by the minimum size: %v", a.IDs[i], level, level == 2)
			}
		}
	}
	if len(counts) < 3 {
		t.Errorf("levels %v", counts)
	}
	c := newCuller(t, occlude.Config{})
	testkit.Must(t, c.SetViewProjectionColumnMajor([16]float32{0: 1. / 64, 5: 1. / 64, 10: -0.01, 15: 1}, query.ClipZeroToOne))
	levels, err := c.Frustum().Levels(0, 4, 1)
	testkit.Must(t, err)
	tree := plant(t, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{0, 0, -50}, Max: [3]float32{4, 1, -50}}},
		{Box: linear.AABB{Min: [3]float32{0, 0, -20}, Max: [3]float32{1, 3, -19}}},
		{Box: linear.AABB{Min: [3]float32{0, 0, -1}, Max: [3]float32{0.5, 0, -1}}},
	}, linear.Config{})
	ids := c.Append(nil, tree.View(), query.Filter{})
	slices.Sort(ids)
	if got := levels.Append(nil, tree.View(), ids, nil); !slices.Equal(got, []uint8{0, 1, 2}) {
		t.Errorf("levels %d of %d", got, ids)
	}
}
