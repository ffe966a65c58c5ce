package occlude_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// country is a plain with stones, one in 50 of which is a boulder and an occluder.
func country(rng *rand.Rand, stones int, side float64) (objects []soa.Object) {
	for i := range stones {
		x, y, r := rng.Float64()*side, rng.Float64()*side, 0.1+rng.Float64()*0.2
		mask := uint32(2)
		if i%50 == 0 {
			mask, r = walls, 2*r
		}
		objects = append(objects, soa.Object{Mask: mask, Static: true, Box: soa.AABB{
			Min: [3]float32{float32(x - r), float32(y - r), 0}, Max: [3]float32{float32(x + r), float32(y + r), float32(2 * r)}}})
	}
	return objects
}

// over is a camera above the plain, which moves forward.
func over(side float64, frame int) query.Camera {
	return query.Camera{Eye: [3]float64{side/2 + float64(frame)/4, 0.02 * side, 0.05 * side}, Forward: [3]float64{0, 1, -0.12}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 4 * side}
}

// Back-off: where nothing is hidden the culler tests occlusion after 1, 2, 4, 8 and 16 queries, and in
// between returns the objects of the frustum in the same order. Where much is hidden it finds that at once.
func TestPauses(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 300
	stones, houses := country(rng, 30_000, side), town(rng, 150, 600, 150)
	plain, city := plant(t, stones, linear.Config{}), plant(t, houses, linear.Config{})
	none := query.Filter{}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls})
	street := viewOf("camera", [3]float64{-5, 75, 2}, [3]float64{1, 0.05, 0}, 1, 16./9, 0.1, 300)
	var tried []int
	for frame := range 64 {
		testkit.Must(t, culler.SetCamera(over(side, frame)))
		counters := culler.Explain(plain.View(), none, nil)
		if counters.Pause == 0 {
			tried = append(tried, frame)
			if !counters.Abandoned || counters.Occluders == 0 {
				t.Errorf("frame %d: %+v", frame, counters)
			}
		} else if counters.Occluders+counters.Covered+counters.HiddenNodes+counters.HiddenPackets+counters.HiddenObjects != 0 || counters.Abandoned {
			t.Errorf("frame %d: %+v in a pause", frame, counters)
		}
		want := culler.Frustum().Append(nil, plain.View(), none)
		switch frame % 4 { // all forms say the same, and count
		case 0, 1:
			testkit.SameIDs(t, culler.Append(nil, plain.View(), none), want)
		case 2:
			testkit.SameIDs(t, slices.Collect(culler.All(plain.View(), none)), want)
		case 3:
			if n := culler.Count(plain.View(), none); n != len(want) || !culler.Any(plain.View(), none) {
				t.Errorf("frame %d: Count %d of %d", frame, n, len(want))
			}
		}
	}
	if want := []int{0, 2, 5, 10, 19, 36, 53}; !slices.Equal(tried, want) {
		t.Errorf("frames %v were tried, want %v", tried, want)
	}
	// Any and Explain do not shorten a pause.
	look := func(v *view) {
		t.Helper()
		testkit.Must(t, v.look(culler))
	}
	look(&street)
	left := culler.Explain(city.View(), none, nil).Pause
	if left != 16+53+1-64 {
		t.Errorf("%d answers are left of a pause that began with frame 54", left)
	}
	culler.Any(city.View(), none)
	if culler.Explain(city.View(), none, nil).Pause != left {
		t.Error("Any or Explain shortens a pause")
	}
	// Occluders drawn by the program count during back-off, and the depth buffer is that of this frame
	// alone.
	if pix, _, _, _ := culler.DepthBuffer(); slices.Max(pix) != 0 {
		t.Error("what was drawn in former frames is in the picture")
	}
	all := culler.Frustum().Append(nil, city.View(), none)
	wall := soa.AABB{Min: [3]float32{-2, 70, -10}, Max: [3]float32{-1, 80, 20}}
	behind := soa.AABB{Min: [3]float32{30, 74, 0}, Max: [3]float32{31, 76, 1}}
	if culler.Occluded(behind) {
		t.Error("nothing hides a box")
	}
	if err := culler.DrawBoxes(wall); err != nil || !culler.Occluded(behind) {
		t.Errorf("what was drawn by hand in a pause does not hide: %v", err)
	}
	if counters := culler.Explain(city.View(), none, nil); counters.Pause != 0 || counters.Occluders == 0 || counters.Covered == 0 {
		t.Errorf("%+v", counters)
	}
	before := culler.Count(city.View(), none)
	if before > len(all)/2 {
		t.Errorf("behind a wall in a pause %d of %d are visible", before, len(all))
	}
	// That test paid off, so the back-off has ended. Otherwise it ends by itself, at most 16 queries late.
	look(&street)
	if counters := culler.Explain(city.View(), none, nil); counters.Pause != 0 {
		t.Errorf("%+v after what was worth it", counters)
	}
	for frame := range 40 {
		culler.SetCamera(over(side, frame))
		culler.Append(nil, plain.View(), none)
	}
	late := 0
	for ; ; late++ {
		look(&street)
		if n := len(culler.Append(nil, city.View(), none)); n < len(all)/2 {
			break
		} else if n != len(all) || late > 16 {
			t.Fatalf("%d of %d are visible, %d answers late", n, len(all), late)
		}
	}
	if late == 0 {
		t.Error("there was no pause: this tests little")
	}
	for range 3 {
		look(&street)
		if counters := culler.Explain(city.View(), none, nil); counters.Pause != 0 || counters.Abandoned {
			t.Errorf("%+v amid houses", counters)
		}
		culler.Append(nil, city.View(), none)
	}
	// The next pause is short again. Reset ends one.
	for frame := range 3 {
		culler.SetCamera(over(side, frame))
		if left := culler.Explain(plain.View(), none, nil).Pause; left != frame%2 {
			t.Errorf("frame %d after what was worth it: a pause of %d", frame, left)
		}
		culler.Append(nil, plain.View(), none)
		if frame == 2 {
			culler.SetCamera(over(side, frame))
			if culler.Explain(plain.View(), none, nil).Pause == 0 {
				t.Error("no pause")
			}
			culler.Reset()
			if culler.Explain(plain.View(), none, nil).Pause != 0 {
				t.Error("Forget does not end a pause")
			}
		}
	}
}

// Two trees in turn: if the occluders of the first hide objects of the second, both are tested, though no
// object of the first is hidden. A second query alone, in a frame that began during back-off, decides
// nothing.
func TestPausesOfTwoTrees(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	wall := []soa.Object{{Mask: walls, Box: soa.AABB{Min: [3]float32{20, -100, -5}, Max: [3]float32{21, 100, 50}}}}
	var small []soa.Object
	for range 500 {
		small = append(small, soa.Object{Mask: 2, Box: testkit.CubeAt([3]float32{60 + rng.Float32()*20, rng.Float32() * 20, rng.Float32() * 4}, 0.1)})
	}
	first, second := plant(t, wall, linear.Config{}), plant(t, small, linear.Config{})
	none := query.Filter{}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls})
	v := viewOf("camera", [3]float64{0, 10, 2}, [3]float64{1, 0, 0}, 1, 16./9, 0.1, 300)
	for frame := range 20 {
		v.look(culler)
		if n := culler.Count(first.View(), none); n != 1 {
			t.Fatalf("%d walls are visible", n)
		}
		if n := culler.Count(second.View(), none); n != 0 {
			t.Fatalf("frame %d: %d objects are visible behind the wall", frame, n)
		}
	}
	// With three queries a frame, a pause of 1 leaves two tests of occlusion; the pause does not grow
	// because these hide nothing.
	culler.Reset()
	still := plant(t, append(wall, small...)[:1], linear.Config{})
	pauses := []int(nil)
	for range 6 {
		v.look(culler)
		pauses = append(pauses, culler.Explain(still.View(), none, nil).Pause)
		for range 3 {
			culler.Count(still.View(), none)
		}
	}
	if want := []int{0, 1, 0, 2, 0, 4}; !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

// A wall far behind a field of stones, which are occluders too: the near ones hide nothing, so a query
// falls back to the plain frustum before it reaches the wall. The next test of occlusion finds the wall.
func TestPausesBeforeWall(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 300
	none := query.Filter{}
	for _, pending := range []bool{false, true} {
		objects := country(rng, 60_000, side)
		for i := range objects {
			objects[i].Mask = walls
		}
		wall := soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{-1000, 160, -1}, Max: [3]float32{1300, 161, 100}}}
		tree := plant(t, objects, linear.Config{})
		if !pending {
			tree = plant(t, append(objects, wall), linear.Config{})
		} else if _, err := tree.Insert(wall); err != nil {
			t.Fatal(err)
		}
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: 20})
		for frame := range 5 {
			testkit.Must(t, culler.SetCamera(over(side, frame)))
			counters := culler.Explain(tree.View(), none, nil)
			all, n := culler.Frustum().Count(tree.View(), none), len(culler.Append(nil, tree.View(), none))
			if n := len(culler.Remembered(0)); n > 20 {
				t.Errorf("frame %d: %d solids are remembered", frame, n)
			}
			switch {
			case frame == 0 && !counters.Abandoned:
				t.Errorf("%+v at once: this tests little", counters)
			case frame >= 2 && (counters.Pause != 0 || counters.Abandoned || n > all*3/4):
				t.Errorf("frame %d: %d of %d are visible, %+v", frame, n, all, counters)
			}
		}
	}
}

// However often occlusion is tested, the memory holds no more occluders than may be drawn: here posts,
// which are large and hide nothing.
func TestPausesRememberLittle(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 300
	objects := country(rng, 30_000, side)
	for i := range objects {
		objects[i].Mask = 2
	}
	for i := range 60 {
		x := side/2 - 20 + float32(i)
		objects = append(objects, soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{x, 40, 0}, Max: [3]float32{x + 0.02, 40.02, 20}}})
	}
	plain := plant(t, objects, linear.Config{})
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: 5, MinPixels: 1})
	for frame := range 64 {
		testkit.Must(t, culler.SetCamera(over(side, frame)))
		culler.Count(plain.View(), query.Filter{})
		if n := len(culler.Remembered(0)); n > 5 || n == 0 {
			t.Fatalf("frame %d: %d solids are remembered", frame, n)
		}
	}
}

// A query that fell back to the frustum renews the memory only if it is complete, like any other; one
// during back-off never does.
func TestPausesBrokenOff(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 300
	plain := plant(t, country(rng, 30_000, side), linear.Config{})
	s := newScene(t)
	if _, err := s.AddInstance(plain, linear.Transform{}, linear.InstanceOptions{Mask: walls | 2}); err != nil {
		t.Fatal(err)
	}
	v, sv, none := plain.View(), s.View(), query.Filter{}
	for name, c := range map[string]struct {
		ask, whole func(culler *occlude.Culler)
		memory     func(culler *occlude.Culler) int
	}{
		"Ranges": {
			func(culler *occlude.Culler) { culler.Ranges(v, none, func(query.Range) bool { return false }) },
			func(culler *occlude.Culler) { culler.Ranges(v, none, func(query.Range) bool { return true }) },
			func(culler *occlude.Culler) int { return len(culler.Remembered(0)) }},
		"All": {
			func(culler *occlude.Culler) { culler.All(v, none)(func(uint32) bool { return false }) },
			func(culler *occlude.Culler) { culler.All(v, none)(func(uint32) bool { return true }) },
			func(culler *occlude.Culler) int { return len(culler.Remembered(0)) }},
		"RangesScene": {
			func(culler *occlude.Culler) {
				culler.RangesScene(sv, none, func(scene.Part, query.Range) bool { return false })
			},
			func(culler *occlude.Culler) {
				culler.RangesScene(sv, none, func(scene.Part, query.Range) bool { return true })
			},
			func(culler *occlude.Culler) int { return len(culler.RememberedIn(0)) }},
		"AllScene": {
			func(culler *occlude.Culler) {
				culler.AllScene(sv, none)(func(scene.Path, uint32) bool { return false })
			},
			func(culler *occlude.Culler) { culler.AllScene(sv, none)(func(scene.Path, uint32) bool { return true }) },
			func(culler *occlude.Culler) int { return len(culler.RememberedIn(0)) }},
	} {
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MinPixels: 1})
		look := func() {
			testkit.Must(t, culler.SetCamera(over(side, 0)))
		}
		look()
		if c.ask(culler); c.memory(culler) != 0 {
			t.Errorf("%s: %d solids are remembered of an answer that was broken off", name, c.memory(culler))
		}
		culler.Reset()
		look()
		c.whole(culler)
		n := c.memory(culler)
		if n == 0 {
			t.Errorf("%s: nothing is remembered of an answer that was given up", name)
		}
		look()
		counters := culler.Explain(v, none, nil)
		if c.whole(culler); counters.Pause == 0 || c.memory(culler) != n {
			t.Errorf("%s: %d solids, then %d are remembered, %+v", name, n, c.memory(culler), counters)
		}
	}
}

// The cost of a frame in open country, for a culler and for its frustum.
func BenchmarkOpenCountry(b *testing.B) {
	const side = 2000
	tree := plant(b, country(rand.New(rand.NewPCG(1, 1)), 150_000, side), linear.Config{Frozen: true})
	ids := make([]uint32, 0, 500_000)
	culler := newCuller(b, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
	for _, of := range []string{"frustum", "culler"} {
		b.Run("of="+of, func(b *testing.B) {
			b.ReportAllocs()
			n, tries := 0, 0
			for b.Loop() {
				culler.Reset()
				for frame := range 64 {
					testkit.Must(b, culler.SetCamera(over(side, frame)))
					if of == "culler" {
						ids = culler.Append(ids[:0], tree.View(), query.Filter{})
					} else {
						ids = culler.Frustum().Append(ids[:0], tree.View(), query.Filter{})
					}
					n += len(ids)
					tries++
				}
			}
			b.ReportMetric(float64(n)/float64(tries), "objects/frame")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tries), "ns/frame")
		})
	}
}
