package occlude_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// After the first frames no query allocates.
func TestMixedAllocations(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	matrix := viewOf("off-centre", [3]float64{-5, 60, 2}, [3]float64{1, 0, 0}, 1, 1.6, 0.1, 500)
	rng := testkit.Rand(testkit.Seed(t))
	m := mixedWorld(t, rng)
	for _, cfg := range []occlude.Config{{OccluderMask: walls, MaxOccluders: 40}, {OccluderMask: walls, MinSize: 1. / 100, Workers: 3}, {Workers: 2}} {
		cfg.Width, cfg.Height = 100, 61
		culler := newCuller(t, cfg)
		view, sv := m.tree.View(), m.s.View()
		looks := []query.Camera{
			{Eye: [3]float64{-5, 60, 2}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 500},
			{Eye: [3]float64{60, 60, 150}, Forward: [3]float64{0, 0.1, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 500},
		}
		mesh := gridMesh(12, func(i, j int) [3]float32 { return [3]float32{20, float32(i) * 10, float32(j) - 2} }).mesh(t)
		hulls, boxes := []occlude.Hull{randomShape(t, rng).hull}, []soa.AABB{solidBox(rng, [3]float64{30, 60, 2}, 4)}
		transforms := []linear.Transform{randomTransform(t, rng, [3]float64{30, 60, 2})}
		var ids []uint32
		var a scene.Answer
		frame := 0
		run := func() {
			frame++
			err := culler.SetCamera(looks[frame/8%2])
			if frame%5 == 0 {
				err = matrix.look(culler)
			}
			testkit.Must(t, err)
			if frame%7 == 0 {
				culler.Reset()
			}
			if frame/16%2 == 1 {
				culler.DrawMesh(mesh, transforms[0])
				culler.DrawBoxes(boxes...)
				culler.DrawHulls(hulls, transforms)
			}
			for i := range 2 {
				f := query.Filter{Mask: uint32(2 * i), Exact: i > 0}
				ids = culler.Append(ids[:0], view, f)
				a.Reset()
				culler.AppendScene(&a, sv, f)
				culler.Count(view, f)
				culler.CountScene(sv, f)
				culler.Any(view, f)
				culler.AnyScene(sv, f)
				culler.Explain(view, f, nil)
				culler.ExplainScene(sv, f, nil)
				culler.Ranges(view, f, func(query.Range) bool { return true })
				culler.RangesScene(sv, f, func(scene.Part, query.Range) bool { return true })
				culler.All(view, f)(func(uint32) bool { return true })
				culler.AllScene(sv, f)(func(scene.Path, uint32) bool { return true })
				culler.DrawMesh(mesh, linear.Transform{})
			}
			culler.Occluded(boxes[0])
			culler.DepthBuffer()
		}
		for range 32 { // each kind of frame; Allocs repeats what still allocates
			run()
		}
		testkit.Allocs(t, 32, run)
	}
}

// Where the frustum makes the result, AllScene yields every object of every packet once.
func TestAllSceneOfFrustum(t *testing.T) {
	objects := make([]soa.Object, 200) // full packets
	for i := range objects {
		objects[i].Box = soa.AABB{Min: [3]float32{float32(i), 0, 0}, Max: [3]float32{float32(i), 1, 1}}
	}
	tree := plant(t, objects, linear.Config{Frozen: true})
	s := newScene(t)
	_, err := s.AddInstances(nil, tree, make([]linear.Transform, 2), linear.InstanceOptions{})
	testkit.Must(t, err)
	culler := newCuller(t, occlude.Config{})
	testkit.Must(t, culler.SetCamera(query.Camera{Eye: [3]float64{100, -500, 0}, Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1000}))
	times := map[uint32]int{}
	for _, id := range culler.AllScene(s.View(), query.Filter{}) {
		times[id]++
	}
	for id := range uint32(200) {
		if times[id] != 2 {
			t.Errorf("object %d of two instances is yielded %d times", id, times[id])
		}
	}
}

// No method may be called from the callback of another one; afterwards the culler is unchanged.
func TestMixedBusy(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	c := query.Camera{Eye: [3]float64{-5, 60, 2}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 500}
	frustum, err := c.Frustum()
	testkit.Must(t, err)
	m, none := mixedWorld(t, rng), query.Filter{}
	for tries := 0; tries < 100 && !(frustum.Any(m.tree.View(), none) && scene.Any(frustum, m.s.View(), none)); tries++ {
		m = mixedWorld(t, rng)
	}
	view, sv := m.tree.View(), m.s.View()
	for _, cfg := range []occlude.Config{{OccluderMask: walls}, {}} { // tried, and of the frustum
		culler := newCuller(t, cfg)
		mesh := gridMesh(2, func(i, j int) [3]float32 { return [3]float32{20, float32(i) * 10, float32(j) - 2} }).mesh(t)
		uses := map[string]func(){
			"SetCamera": func() { culler.SetCamera(c) }, "Reset": culler.Reset, "Frustum": func() { culler.Frustum() },
			"SetViewProjectionColumnMajor": func() { viewOf("column", c.Eye, c.Forward, 1, 1, 1, 10).look(culler) },
			"DrawBoxes":                    func() { culler.DrawBoxes() }, "DrawHulls": func() { culler.DrawHulls(nil, nil) }, "DrawMesh": func() { culler.DrawMesh(mesh, linear.Transform{}) },
			"Append": func() { culler.Append(nil, view, none) }, "Count": func() { culler.Count(view, none) }, "Any": func() { culler.Any(view, none) },
			"All":     func() { culler.All(view, none)(func(uint32) bool { return false }) },
			"Ranges":  func() { culler.Ranges(view, none, func(query.Range) bool { return false }) },
			"Explain": func() { culler.Explain(view, none, nil) }, "Occluded": func() { culler.Occluded(soa.AABB{}) }, "DepthBuffer": func() { culler.DepthBuffer() }, "DepthImage": func() { culler.DepthImage() },
			"AppendScene": func() { culler.AppendScene(new(scene.Answer), sv, none) }, "CountScene": func() { culler.CountScene(sv, none) }, "AnyScene": func() { culler.AnyScene(sv, none) },
			"AllScene":     func() { culler.AllScene(sv, none)(func(scene.Path, uint32) bool { return false }) },
			"RangesScene":  func() { culler.RangesScene(sv, none, func(scene.Part, query.Range) bool { return false }) },
			"ExplainScene": func() { culler.ExplainScene(sv, none, scene.NewHeat(sv)) },
		}
		for name, use := range uses {
			try := func() {
				t.Helper()
				panics(t, name+" in a yield", use)
			}
			if err := culler.SetCamera(c); err != nil { // another method may have set a narrower one
				t.Fatal(err)
			}
			called := 0
			culler.Ranges(view, none, func(query.Range) bool { try(); called++; return true })
			culler.RangesScene(sv, none, func(scene.Part, query.Range) bool { try(); called++; return false })
			for range culler.AllScene(sv, none) {
				try()
				called++
			}
			for range culler.All(view, none) {
				try()
				called++
				break
			}
			use()
			if called < 4 {
				t.Error("nothing is visible")
			}
			if t.Failed() {
				break
			}
		}
	}
}

// A mesh hides whenever it is drawn: during back-off, before the first query, and after one.
func TestMeshAtAnyTime(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	tree := plant(t, country(rng, 8000, 100), linear.Config{})
	s := newScene(t)
	place(t, s, tree, linear.Transform{})
	none, v, sv := query.Filter{}, tree.View(), s.View()
	culler := newCuller(t, occlude.Config{Width: 100, Height: 60, OccluderMask: walls})
	c := over(100, 0)
	sheet := gridMesh(4, func(i, j int) (p [3]float32) { // before all visible objects
		f := viewOf("camera", c.Eye, c.Forward, 1, 1, 1, 10).dir
		r := crossOf(f, c.Up)
		u := crossOf(r, f)
		for a := range 3 {
			p[a] = float32(c.Eye[a] + f[a]*2*c.Near + (r[a]*float64(i-2)+u[a]*float64(j-2))*20*c.Near)
		}
		return p
	}).mesh(t)
	pauses := 0
	for range 6 {
		testkit.Must(t, culler.SetCamera(c))
		if culler.Explain(v, none, nil).Pause > 0 {
			pauses++
		}
		before := culler.Count(v, none)
		if before == 0 {
			t.Fatal("nothing is visible")
		}
		if pauses < 3 {
			continue // the pauses grow
		}
		culler.DrawMesh(sheet, linear.Transform{})
		if n, counters := culler.Count(v, none), culler.Explain(v, none, nil); n != 0 || counters.Pause != 0 || counters.Drawn != 1 {
			t.Errorf("%d objects are visible behind a sheet, %+v", n, counters)
		}
		if n := culler.CountScene(sv, none); n != 0 || !culler.Occluded(soa.AABB{Min: [3]float32{40, 40, 0}, Max: [3]float32{60, 60, 1}}) {
			t.Errorf("%d objects are visible of a scene behind a sheet", n)
		}
		// Over a picture with a complete pyramid.
		testkit.Must(t, culler.SetCamera(c))
		culler.DrawBoxes(testkit.CubeAt([3]float32{50, 60, 0}, 3))
		if n := culler.Count(v, none); n == 0 {
			t.Error("a box hides all")
		}
		culler.DrawMesh(sheet, linear.Transform{})
		large := soa.AABB{Min: [3]float32{20, 20, 0}, Max: [3]float32{80, 80, 1}}
		if hides, n := culler.Occluded(large), culler.Count(v, none); n != 0 || !hides {
			t.Errorf("%d objects are visible behind a sheet before a box, which hides a large box: %v", n, hides)
		}
		return
	}
	t.Errorf("%d pauses", pauses)
}

// unheld returns a function that reports whether nothing references a value any more.
func unheld[T any](of *T) func() bool {
	p := weak.Make(of)
	return func() bool { return p.Value() == nil }
}

// A culler keeps no reference to anything that it has drawn or queried.
func TestNothingKept(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	culler := newCuller(t, occlude.Config{OccluderMask: walls})
	testkit.Must(t, culler.SetCamera(query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 500}))
	gone := map[string]func() bool{}
	func() {
		behind := gridMesh(2, func(i, j int) [3]float32 { return [3]float32{-9, float32(i), float32(j)} }).mesh(t)
		before := gridMesh(2, func(i, j int) [3]float32 { return [3]float32{9, float32(i*9 - 9), float32(j*9 - 9)} }).mesh(t)
		hulls := []occlude.Hull{randomShape(t, rng).hull}
		m := mixedWorld(t, rng)
		culler.DrawMesh(before, linear.Transform{})
		culler.DrawMesh(behind, linear.Transform{})
		culler.Count(m.tree.View(), query.Filter{})
		culler.CountScene(m.s.View(), query.Filter{})
		culler.AnyScene(m.s.View(), query.Filter{})
		culler.DrawHulls(hulls, nil)
		gone["a mesh"] = unheld(before)
		gone["a mesh behind the eye"] = unheld(behind)
		gone["a hull"] = unheld(&hulls[0])
		gone["a tree"] = unheld(m.tree)
		gone["a scene"] = unheld(m.s)
	}()
	runtime.GC()
	runtime.GC()
	for name, gone := range gone {
		if !gone() {
			t.Errorf("%s is kept", name)
		}
	}
	runtime.KeepAlive(culler)
}
