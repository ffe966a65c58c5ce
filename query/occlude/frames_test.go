package occlude_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// bytesOf returns all rows of the depth buffer, as bytes in memory order.
func bytesOf(culler *occlude.Culler) []byte {
	pix, _, _, _ := culler.DepthBuffer()
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&pix[0])), 4*len(pix)))
}

// The depth buffer is a function of the set of occluders, and results are a function of the calls: for any
// order of drawing and 1 to 8 workers, on every tier.
func TestOrder(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	objects := town(rng, 120, 2000, 150)
	tree := plant(t, objects, linear.Config{})
	shapes := make([]occlude.Hull, 30)
	transforms := make([]linear.Transform, len(shapes))
	for i := range shapes {
		shapes[i] = randomShape(t, rng).hull
		transforms[i] = randomTransform(t, rng, [3]float64{rng.Float64() * 150, rng.Float64() * 150, 3})
	}
	boxes := make([]soa.AABB, 200)
	for i := range boxes {
		boxes[i] = solidBox(rng, [3]float64{rng.Float64() * 150, rng.Float64() * 150, 3}, 4)
	}
	for _, kind := range []string{"camera", "parallel"} {
		v := randomView(rng, kind, [3]float64{-20, 30, 4}, [3]float64{75, 75, 2}, 0.1, 400)
		var picture []byte
		var answers [3][]uint32
		testkit.EachTier(t, func(t *testing.T) {
			for _, workers := range []int{0, 1, 2, 3, 8} {
				culler := newCuller(t, occlude.Config{Width: 200, Height: 113, OccluderMask: walls, Workers: workers})
				for frame := range answers {
					testkit.Must(t, v.look(culler))
					rng.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
					rng.Shuffle(len(shapes), func(i, j int) {
						shapes[i], shapes[j] = shapes[j], shapes[i]
						transforms[i], transforms[j] = transforms[j], transforms[i]
					})
					half := rng.IntN(len(boxes))
					culler.DrawBoxes(boxes[:half]...)
					culler.DrawHulls(shapes, transforms)
					culler.DrawBoxes(boxes[half:]...)
					if frame == 0 {
						if got := bytesOf(culler); picture == nil {
							picture = got
						} else if !bytes.Equal(got, picture) {
							t.Fatalf("%d workers: the picture differs", workers)
						}
					}
					got := culler.Append(nil, tree.View(), query.Filter{})
					if answers[frame] == nil {
						answers[frame] = got
					}
					testkit.SameIDs(t, got, answers[frame])
				}
			}
		})
	}
}

// Stale memory: with slots and lanes that do not exist, IDs of other objects, or objects that are not
// occluders, results are right, and only existing occluders are drawn.
func TestStaleMemory(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := town(rng, 60, 300, 80)
	bodies := bodiesOf(objects)
	tree := plant(t, objects, linear.Config{})
	v := viewOf("camera", [3]float64{-5, 40, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
	for round := range 60 {
		culler := newCuller(t, occlude.Config{Width: 96, Height: 54, OccluderMask: walls, MinPixels: 1, MaxOccluders: 5})
		testkit.Must(t, v.look(culler))
		var places []soa.Location
		var ids []uint32
		good := 0
		for range 40 {
			slot, lane := uint32(rng.IntN(tree.View().Slots()+4)), rng.IntN(soa.Lanes)
			id := uint32(rng.IntN(len(objects)))
			if list := []uint32(nil); int(slot) < tree.View().Slots() {
				if list = tree.View().IDs(slot); rng.IntN(2) == 0 && lane < len(list) {
					id = list[lane]
					if objects[id].Mask&walls != 0 {
						good++
					}
				}
			}
			places, ids = append(places, soa.MakeLocation(slot, lane)), append(ids, id)
		}
		culler.Recall(0, places, ids)
		e := culler.Explain(tree.View(), query.Filter{}, nil)
		if e.Remembered > good+2 { // by chance
			t.Errorf("%d of the memory are drawn, %d are there", e.Remembered, good)
		}
		visible := culler.Append(nil, tree.View(), query.Filter{})
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
		if witness(t, rng, culler.Rays(), nearOf(culler, &v), objects, bodies, all, nil, setOf(visible), 50); t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// The memory belongs to the n-th query after SetCamera; only complete queries renew it.
func TestMemoryOfAnswers(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	town1, town2 := plant(t, town(rng, 80, 200, 80), linear.Config{}), plant(t, town(rng, 70, 200, 80), linear.Config{})
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MinPixels: 1})
	v := viewOf("camera", [3]float64{-5, 40, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
	look := func() {
		t.Helper()
		testkit.Must(t, v.look(culler))
	}
	none := query.Filter{}
	look()
	culler.Any(town1.View(), none)
	culler.Explain(town1.View(), none, nil)
	culler.Ranges(town1.View(), none, func(query.Range) bool { return false })
	for range culler.All(town2.View(), none) {
		break
	}
	if n := culler.Memories(); n != 0 {
		t.Fatalf("%d queries that were broken off, or do not count, have a memory", n)
	}
	look()
	culler.Count(town1.View(), none)
	for range culler.All(town2.View(), none) {
	}
	first, second := culler.Remembered(0), culler.Remembered(1)
	if len(first) == 0 || len(second) == 0 || slices.Equal(first, second) {
		t.Fatalf("memories %v and %v", first, second)
	}
	look()
	for i, tree := range []*linear.Tree{town1, town2} {
		// In steady motion all occluders drawn are remembered ones.
		if e := culler.Explain(tree.View(), none, nil); e.Remembered != len(culler.Remembered(i)) || e.Remembered == 0 {
			t.Errorf("answer %d: %+v, want %d remembered", i, e, len(culler.Remembered(i)))
		}
		culler.Append(nil, tree.View(), none)
	}
	// The filter's selection has no effect on the memory. A tower right before the camera may hide nearly all others:
	// then another town is drawn.
	var still *linear.Tree
	var want []uint32
	for try := 0; len(want) < 10; try++ {
		if try == 20 {
			t.Fatal("no town has 10 solids that are remembered")
		}
		still = plant(t, town(rng, 80, 0, 80), linear.Config{})
		culler.Reset()
		look()
		culler.Count(still.View(), none)
		want = slices.Clone(culler.Remembered(0))
	}
	for _, f := range []query.Filter{none, {Mask: 1 << 30}, {Motion: query.MovingOnly}, {Only: []uint64{}}} {
		culler.Reset()
		look()
		if n := culler.Count(still.View(), f); n > 0 != (f.Mask == 0 && f.Motion == 0 && f.Only == nil) {
			t.Errorf("filter %+v: %d objects", f, n)
		}
		if got := culler.Remembered(0); !slices.Equal(got, want) {
			t.Errorf("filter %+v: the solids %v are remembered, want %v", f, got, want)
		}
	}
	culler.Reset()
	look()
	if e := culler.Explain(town1.View(), none, nil); e.Remembered != 0 || e.Occluders == 0 {
		t.Errorf("after Forget: %+v", e)
	}
	// A published version has the same locations.
	published := linear.NewPublisher(town1)
	published.Publish()
	held := published.Acquire()
	defer held.Release()
	look()
	culler.Append(nil, town1.View(), none)
	look()
	if e := culler.Explain(held.View(), none, nil); e.Remembered != len(culler.Remembered(0)) {
		t.Errorf("on a published version %+v, want %d remembered", e, len(culler.Remembered(0)))
	}
}

// An empty tree, trees of one object, trees with pending objects only; boxes of no extent, huge ones and
// boxes at the limits of float32, seen from among them.
func TestHostile(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	none := query.Filter{}
	empty, _ := linear.New(linear.Config{})
	for _, kind := range kinds {
		culler := newCuller(t, occlude.Config{Width: 33, Height: 17, OccluderMask: ^uint32(0), MinPixels: 1})
		v := randomView(rng, kind, [3]float64{}, [3]float64{1, 1, 0}, 0.1, 100)
		testkit.Must(t, v.look(culler))
		if culler.Count(empty.View(), none) != 0 || culler.Any(empty.View(), none) || len(culler.Append(nil, empty.View(), none)) != 0 {
			t.Error("something is visible in an empty tree")
		}
	}
	for _, sc := range testkit.HostileScenes() {
		objects := sc.Make(300, 1)
		for i := range objects {
			objects[i].Mask = 1 + uint32(i&1)
		}
		bodies := bodiesOf(objects)
		tree := plant(t, objects, linear.Config{})
		for i := range 8 {
			o := objects[rng.IntN(len(objects))].Box.Center()
			p := objects[rng.IntN(len(objects))].Box.Center()
			culler := newCuller(t, occlude.Config{Width: 33, Height: 17, OccluderMask: walls, MinPixels: 1})
			from, dir := wide(o), [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			if i%2 == 0 {
				for a := range 3 {
					dir[a] = float64(p[a])/2 - float64(o[a])/2
				}
			}
			far := []float64{10, math.Inf(1)}[rng.IntN(2)]
			if err := culler.SetCamera(query.Camera{Eye: from, Forward: dir, Up: [3]float64{0.3, 0.5, 1}, FovY: 1, Aspect: 2, Near: 1e-3, Far: far}); err != nil {
				continue
			}
			visible := culler.Append(nil, tree.View(), none)
			all := culler.Frustum().Append(nil, tree.View(), none)
			testkit.NothingLost(t, all, visible)
			if math.IsInf(far, 1) {
				witness(t, rng, culler.Rays(), 1e-3, objects, bodies, all, nil, setOf(visible), 10)
			}
			if t.Failed() {
				t.Fatalf("%s: eye %v along %v", sc.Name, from, dir)
			}
		}
	}
}

// A rejected call leaves the culler unchanged; misuse panics with a reason.
func TestRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	culler := newCuller(t, occlude.Config{Width: 33, Height: 17})
	good := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 2, Near: 0.1, Far: 100}
	tree := plant(t, []soa.Object{{Box: testkit.CubeAt([3]float32{5, 0, 0}, 1)}}, linear.Config{})
	none := query.Filter{}
	for name, f := range map[string]func(){
		"Append": func() { culler.Append(nil, tree.View(), none) }, "Any": func() { culler.Any(tree.View(), none) },
		"DrawBoxes": func() { culler.DrawBoxes() }, "DrawHulls": func() { culler.DrawHulls(nil, nil) }, "Occluded": func() { culler.Occluded(soa.AABB{}) },
		"DepthBuffer": func() { culler.DepthBuffer() }, "Frustum": func() { culler.Frustum() },
	} {
		panics(t, name+" before Look", f)
	}
	testkit.Must(t, culler.SetCamera(good))
	wall := soa.AABB{Min: [3]float32{10, -50, -50}, Max: [3]float32{11, 50, 50}}
	testkit.Must(t, culler.DrawBoxes(wall))
	before := bytesOf(culler)
	bad := func(name string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s is taken", name)
		}
		if !bytes.Equal(bytesOf(culler), before) {
			t.Errorf("%s: the picture has changed", name)
		}
	}
	for a := range 3 {
		for _, x := range []float64{nan, inf, -inf, 1e39} {
			c := good
			c.Eye[a] = x
			bad("an eye", culler.SetCamera(c))
		}
		c := good
		c.Forward[a] = nan
		bad("a direction", culler.SetCamera(c))
	}
	bad("no matrix", culler.SetViewProjectionColumnMajor([16]float32{}, query.ClipZeroToOne))
	bad("no matrix", culler.SetViewProjectionRowMajor64([16]float64{}, query.ClipZeroToOne, [3]float64{}))
	identity := [16]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	bad("a clip", culler.SetViewProjectionRowMajor(identity, 77))
	for i := range 16 {
		m := identity
		m[i] = float32(nan)
		bad("NaN", culler.SetViewProjectionRowMajor(m, query.ClipZeroToOne))
	}
	flat := identity
	flat[5] = 0
	bad("a flat matrix", culler.SetViewProjectionRowMajor(flat, query.ClipZeroToOne))
	behind := identity
	behind[15] = -1
	bad("a matrix that looks nowhere", culler.SetViewProjectionRowMajor(behind, query.ClipZeroToOne))
	bad("an origin", culler.SetViewProjectionRowMajor64([16]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, query.ClipZeroToOne, [3]float64{nan}))
	bad("a box", culler.DrawBoxes(wall, soa.AABB{Min: [3]float32{float32(nan), 0, 0}}))
	bad("a box", culler.DrawBoxes(soa.AABB{Min: [3]float32{1, 0, 0}}))
	if culler.Occluded(soa.AABB{Min: [3]float32{12, 0, float32(nan)}, Max: [3]float32{13, 1, 1}}) || culler.Occluded(soa.AABB{Min: [3]float32{-1, 0, 0}, Max: [3]float32{13, 1, 1}}) ||
		!culler.Occluded(soa.AABB{Min: [3]float32{12, 0, 0}, Max: [3]float32{13, 1, 1}}) {
		t.Error("Hides is wrong about what is not finite, behind the eye, or behind the wall")
	}
	panics(t, "poses", func() { culler.DrawHulls([]occlude.Hull{{}, {}}, make([]linear.Transform, 1)) })
	culler.DrawHulls([]occlude.Hull{{}}, nil) // nothing
	bad("a Motion, refused", query.Filter{Motion: 9}.Check())
	panics(t, "a Motion", func() { culler.Append(nil, tree.View(), query.Filter{Motion: 9}) })
	panics(t, "an Eye in its own yield", func() {
		culler.Ranges(tree.View(), none, func(query.Range) bool { culler.SetCamera(good); return true })
	})
	if culler.Count(tree.View(), none) != 1 {
		t.Error("after a panic in yield nothing is visible")
	}
}
