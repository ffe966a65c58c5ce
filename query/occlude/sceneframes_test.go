package occlude_test

import (
	"math"
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

// steps is a translation.
func steps(x, y, z float64) linear.Transform {
	p, err := linear.NewTransform([12]float64{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z})
	if err != nil {
		panic(err)
	}
	return p
}

// shifted moves boxes.
func shifted(objects []soa.Object, x, y, z float32) []soa.Object {
	objects = slices.Clone(objects)
	for i := range objects {
		for a, d := range [3]float32{x, y, z} {
			objects[i].Box.Min[a] += d
			objects[i].Box.Max[a] += d
		}
	}
	return objects
}

// gridded puts a town on a grid of quarters.
func gridded(rng *rand.Rand, houses, small int, side float64) []soa.Object {
	objects := town(rng, houses, small, side)
	for i := range objects {
		for a := range 3 {
			b := &objects[i].Box
			b.Min[a] = float32(math.Round(float64(b.Min[a])*4) / 4)
			b.Max[a] = max(b.Min[a], float32(math.Round(float64(b.Max[a])*4)/4))
		}
	}
	return objects
}

// A scene of parts under identities and exact translations gives the results of the tree of all its
// objects.
func TestSceneReference(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	hidden := 0
	for round := range testkit.Budget(t, 4, 200) {
		var all [5][]soa.Object // the scene's own objects, in a part, in a moved one, nested in that, in another under the identity
		var flat []soa.Object
		for i := range all {
			all[i] = gridded(rng, 25, 120, 128)
			flat = append(flat, all[i]...)
		}
		tree := plant(t, flat, linear.Config{})
		s := newScene(t)
		inner := newScene(t)
		s.Tree().InsertBatch(nil, all[0])
		inner.Tree().InsertBatch(nil, shifted(all[2], -64, 32, -4))
		paths := []scene.Path{{}}
		paths = append(paths, scene.PathOf(place(t, s, plant(t, all[1], linear.Config{}), linear.Transform{})))
		outer := place(t, s, inner, steps(64, -32, 4))
		paths = append(paths, scene.PathOf(outer), scene.PathOf(outer, place(t, inner, plant(t, shifted(all[3], -64-256, 32, -4), linear.Config{}), steps(256, 0, 0))))
		paths = append(paths, scene.PathOf(outer, place(t, inner, plant(t, shifted(all[4], -64, 32, -4), linear.Config{}), linear.Transform{})))
		one := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MinPixels: 1, MaxOccluders: 4096})
		two := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MinPixels: 1, MaxOccluders: 4096})
		for frame := range 6 {
			from := [3]float64{float64(rng.IntN(512)) / 4, float64(rng.IntN(512)) / 4, float64(8+rng.IntN(16)) / 4}
			v := randomView(rng, "camera", from, [3]float64{64, 64, 2}, 0.25, 300)
			if v.look(one) != nil || v.look(two) != nil {
				continue
			}
			if one.Explain(tree.View(), query.Filter{}, nil).Pause > 0 {
				break // after a pause more is drawn of a tree
			}
			want := one.Append(nil, tree.View(), query.Filter{})
			var a scene.Answer
			two.AppendScene(&a, s.View(), query.Filter{})
			var got []uint32
			for _, n := range namesOf(&a) {
				at := 0
				for k, p := range paths {
					if p == n.path {
						got = append(got, uint32(at)+n.id)
					}
					at += len(all[k])
				}
			}
			if len(got) != a.Len() {
				t.Fatalf("round %d: %d of %d objects have another path", round, a.Len()-len(got), a.Len())
			}
			slices.Sort(want)
			slices.Sort(got)
			testkit.SameIDs(t, got, want)
			if !slices.Equal(bytesOf(one), bytesOf(two)) {
				t.Errorf("round %d, frame %d: pictures differ", round, frame)
			}
			hidden += one.Frustum().Count(tree.View(), query.Filter{}) - len(want)
			if t.Failed() {
				t.Fatalf("round %d, frame %d", round, frame)
			}
		}
	}
	if hidden == 0 {
		t.Error("nothing is hidden")
	}
}

// Occluders of parts move, whole parts move, and instances are added and removed: results are right before
// the scene's tick and after, and the large occluders of an instance are drawn first.
func TestSceneMoves(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := sceneOf(t, rng, 2, func() string { return transformKinds[rng.IntN(len(transformKinds)-3)] })
	moving := plant(t, block(rng, 10, 60, 1, 40, 1), linear.Config{})
	var places []uint32
	for range 4 {
		id := place(t, s, moving, steps(rng.NormFloat64()*20, rng.NormFloat64()*20, 0))
		places = append(places, id)
	}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MinPixels: 1})
	remembered, outgrown := 0, 0
	for frame := range testkit.Budget(t, 24, 500) {
		for id := range uint32(70) { // the part outgrows its instance boxes
			o, ok := moving.View().Object(id)
			if !ok {
				continue
			}
			move := [2]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
			for a := range 2 {
				o.Box.Min[a] += move[a]
				o.Box.Max[a] += move[a]
			}
			testkit.Must(t, moving.Move(id, o.Box))
		}
		i := rng.IntN(len(places))
		if frame%5 == 4 {
			testkit.Must(t, s.Remove(places[i]))
			id := place(t, s, moving, steps(rng.NormFloat64()*20, rng.NormFloat64()*20, 0))
			places[i] = id
		} else if err := s.Move(places[i], steps(rng.NormFloat64()*20, rng.NormFloat64()*20, 0)); err != nil {
			t.Fatal(err)
		}
		if frame%2 == 0 {
			testkit.Must(t, s.Tick())
		}
		v := s.View()
		outgrown += len(v.Outgrown())
		things := membersIn(v)
		objects, bodies := make([]soa.Object, len(things)), make([]body, len(things))
		for i := range things {
			objects[i], bodies[i] = things[i].object, things[i].body
			if objects[i].Mask &^= walls; things[i].solid {
				objects[i].Mask |= walls
			}
		}
		view := viewOf("camera", [3]float64{-40, float64(frame) / 10, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
		testkit.Must(t, view.look(culler))
		counters := culler.ExplainScene(v, query.Filter{}, nil)
		if remembered += counters.Remembered; counters.Remembered > counters.Occluders || frame > 0 && counters.Remembered == 0 && len(culler.Remembered(0)) > 0 {
			t.Errorf("frame %d: %+v", frame, counters)
		}
		var a, b scene.Answer
		culler.AppendScene(&a, v, query.Filter{})
		scene.Append(&b, culler.Frustum(), v, query.Filter{})
		visible, all := indicesOf(t, things, namesOf(&a)), indicesOf(t, things, namesOf(&b))
		testkit.NothingLost(t, all, visible)
		if witness(t, rng, culler.Rays(), 0.1, objects, bodies, all, nil, setOf(visible), 150); t.Failed() {
			t.Fatalf("frame %d", frame)
		}
	}
	if remembered == 0 || outgrown == 0 {
		t.Errorf("%d solids were remembered, %d places had outgrown their boxes: this tests little", remembered, outgrown)
	}
}

// An instance hidden by a wall is not entered; the same holds for an instance that has outgrown its box. In
// the second frame all occluders drawn are the large ones of the query of that number, in that instance.
func TestSceneInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	none := query.Filter{}
	wall := plant(t, []soa.Object{{Mask: walls, Box: soa.AABB{Min: [3]float32{0, -50, -5}, Max: [3]float32{1, 50, 50}}}}, linear.Config{})
	denseScene := plant(t, block(rng, 0, 400, 1, 10, 1), linear.Config{})
	s := newScene(t)
	place(t, s, wall, steps(20, 0, 0))
	turned, _ := linear.Similarity([3]float64{40, 0, 1}, [4]float64{0, 0, 0.3, 1}, 1.1)
	for _, p := range []linear.Transform{steps(40, 5, 0), steps(50, -9, 0), turned} {
		place(t, s, denseScene, p)
	}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls})
	v := viewOf("camera", [3]float64{0, 0, 2}, [3]float64{1, 0, 0}, 1, 16./9, 0.1, 300)
	look := func() {
		t.Helper()
		testkit.Must(t, v.look(culler))
	}
	var a scene.Answer
	for frame := range 3 {
		if frame == 2 { // far more to the left: the instance's box is too small now
			o, _ := denseScene.View().Object(0)
			o.Box.Min[1] -= 40
			denseScene.Move(0, o.Box)
			if len(s.View().Outgrown()) != 3 {
				t.Fatalf("%d places have outgrown their boxes", len(s.View().Outgrown()))
			}
		}
		look()
		counters := culler.ExplainScene(s.View(), none, nil)
		// In the last frame instances are tested whatever their boxes are.
		if counters.HiddenInstances < 1+frame/2*2 || counters.Instances > []int{2, 2, 4}[frame] || counters.Rejected+counters.HiddenObjects != 0 || counters.Tested > 5+3 || counters.Remembered != min(frame, 1) || counters.Occluders != 1 {
			t.Errorf("frame %d: %+v", frame, counters)
		}
		a.Reset()
		if culler.AppendScene(&a, s.View(), none); a.Len() != 1 {
			t.Fatalf("frame %d: %d objects are visible", frame, a.Len())
		}
	}
	// Only complete queries renew the memory; a second query has its own.
	second := newScene(t)
	place(t, second, wall, steps(30, 50.5, 0))
	place(t, second, wall, steps(30, -50.5, 0))
	culler.Reset()
	for range 2 {
		look()
		culler.AnyScene(second.View(), none)
		culler.ExplainScene(second.View(), none, nil)
		for range culler.AllScene(second.View(), none) {
			break
		}
		culler.CountScene(s.View(), none)
	}
	if len(culler.RememberedIn(0)) != 0 || len(culler.RememberedIn(1)) != 1 {
		t.Errorf("memories %v and %v", culler.RememberedIn(0), culler.RememberedIn(1))
	}
	look()
	culler.CountScene(second.View(), none)
	if got := culler.RememberedIn(0); len(got) != 2 || got[0] == got[1] {
		t.Errorf("memory %v", got)
	}
	// A published version gives the results of the scene.
	published := linear.NewScenePublisher(s)
	published.Publish()
	held := published.Acquire()
	look()
	culler.CountScene(second.View(), none)
	if counters := culler.ExplainScene(held.View(), none, nil); counters.Remembered != 1 || counters.HiddenInstances == 0 {
		t.Errorf("of a version: %+v", counters)
	}
	if n := culler.CountScene(held.View(), none); n != 1 {
		t.Errorf("%d objects of a version are visible", n)
	}
	held.Release()
	// An instance of the same ID whose mask excludes occluders gives none, remembered or not.
	third := newScene(t)
	id := place(t, third, wall, steps(20, 0, 0))
	place(t, third, denseScene, steps(40, 5, 0))
	for _, mask := range []uint32{0, 2} {
		look()
		culler.CountScene(third.View(), none)
		third.Remove(id)
		if again, err := third.AddInstance(wall, steps(20, 0, 0), linear.InstanceOptions{Mask: mask}); again != id || err != nil {
			t.Fatalf("ID %d, want %d: %v", again, id, err)
		}
		look()
		if counters, n := culler.ExplainScene(third.View(), none, nil), culler.CountScene(third.View(), none); (n == 1) != (mask == 0) || counters.Remembered != int(1-mask/2) {
			t.Errorf("gate %d: %d objects are visible, %+v", mask, n, counters)
		}
	}
}

// A part beyond the range of a lens is visible.
func TestSceneBeyondLens(t *testing.T) {
	none := query.Filter{}
	s := newScene(t)
	s.Tree().Insert(soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{20, -100, -100}, Max: [3]float32{21, 100, 100}}})
	behind := plant(t, []soa.Object{{Mask: 2, Box: testkit.CubeAt([3]float32{}, 1)}}, linear.Config{})
	place(t, s, behind, steps(30, 0, 0))
	for _, e := range []int{-70, 70} {
		scale := math.Ldexp(1, e)
		huge := plant(t, []soa.Object{{Mask: 2, Box: testkit.CubeAt([3]float32{float32(10 / scale), 0, 0}, float32(1/scale))}}, linear.Config{})
		p, err := linear.NewTransform([12]float64{scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0})
		testkit.Must(t, err)
		place(t, s, huge, p)
	}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls})
	v := viewOf("camera", [3]float64{0, 0, 2}, [3]float64{1, 0, 0}, 1, 16./9, 0.1, 300)
	for range 3 {
		testkit.Must(t, v.look(culler))
		if n := culler.CountScene(s.View(), none); n != 3 {
			t.Errorf("%d objects are visible, want the wall and two before it", n)
		}
	}
}

// Back-off in open country, for scenes.
func TestScenePauses(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 300
	s := newScene(t)
	s.Tree().InsertBatch(nil, country(rng, 20_000, side))
	tuft := plant(t, country(rng, 20, 3), linear.Config{})
	for range 1000 {
		place(t, s, tuft, steps(rng.Float64()*side, rng.Float64()*side, 0))
	}
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls})
	var tried []int
	none := query.Filter{}
	for frame := range 64 {
		testkit.Must(t, culler.SetCamera(over(side, frame)))
		if counters := culler.ExplainScene(s.View(), none, nil); counters.Pause == 0 {
			tried = append(tried, frame)
			if !counters.Abandoned || frame > 0 && counters.Remembered == 0 {
				t.Errorf("frame %d: %+v", frame, counters)
			}
		}
		var a, b scene.Answer
		culler.AppendScene(&a, s.View(), none)
		scene.Append(&b, culler.Frustum(), s.View(), none)
		if !slices.Equal(a.IDs, b.IDs) || !slices.Equal(a.Runs, b.Runs) {
			t.Fatalf("frame %d: %d objects, want %d", frame, a.Len(), b.Len())
		}
	}
	if want := []int{0, 2, 5, 10, 19, 36, 53}; !slices.Equal(tried, want) {
		t.Errorf("frames %v were tried, want %v", tried, want)
	}
}

// Misuse panics and leaves the culler usable; an empty scene, empty parts and parts beyond the range of a
// lens are no misuse.
func TestSceneHostile(t *testing.T) {
	none := query.Filter{}
	culler := newCuller(t, occlude.Config{Width: 33, Height: 17, OccluderMask: walls, MinPixels: 1})
	s := newScene(t)
	panics(t, "before Look", func() { culler.CountScene(s.View(), none) })
	panics(t, "before Look", func() { culler.AnyScene(s.View(), none) })
	panics(t, "before Look", func() { culler.ExplainScene(s.View(), none, nil) })
	v := viewOf("camera", [3]float64{0, 0, 2}, [3]float64{1, 0, 0}, 1, 16./9, 0.1, math.Inf(1))
	look := func() {
		t.Helper()
		testkit.Must(t, v.look(culler))
	}
	look()
	if culler.CountScene(s.View(), none) != 0 || culler.AnyScene(s.View(), none) {
		t.Error("something is visible in an empty scene")
	}
	panics(t, "a Motion", func() { culler.CountScene(s.View(), query.Filter{Motion: 9}) })
	empty, _ := linear.New(linear.Config{})
	place(t, s, empty, steps(5, 0, 0))
	wall := plant(t, []soa.Object{{Mask: walls, Box: testkit.CubeAt([3]float32{10, 0, 0}, 3)}}, linear.Config{})
	for _, e := range []int{-100, -62, -40, 40, 62, 99} { // scales beyond the range of a lens
		scale := math.Ldexp(1, e)
		huge, err := linear.NewTransform([12]float64{scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0})
		testkit.Must(t, err)
		place(t, s, wall, huge)
	}
	look()
	var a, b scene.Answer
	culler.AppendScene(&a, s.View(), none)
	scene.Append(&b, culler.Frustum(), s.View(), none)
	if a.Len() > b.Len() || a.Len() == 0 {
		t.Errorf("%d objects are visible of %d", a.Len(), b.Len())
	}
	view := s.View()
	panics(t, "a change in yield", func() {
		look()
		culler.RangesScene(view, none, func(scene.Part, query.Range) bool {
			s.Tree().Insert(soa.Object{Mask: 1, Box: testkit.CubeAt([3]float32{30, 0, 0}, 3)})
			return true
		})
	})
	panics(t, "an Eye in its own yield", func() {
		culler.RangesScene(s.View(), none, func(scene.Part, query.Range) bool { look(); culler.Reset(); return true })
	})
	look()
	if n := culler.CountScene(s.View(), none); n == 0 {
		t.Error("after a panic in yield nothing is visible")
	}
}
