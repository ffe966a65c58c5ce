package occlude_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	world "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// turnedBox returns an oriented box, turned by an angle about the vertical through its middle.
func turnedBox(middle, half [3]float64, angle float64) soa.OrientedBox {
	sin, cos := math.Sincos(angle)
	return soa.OrientedBox{
		Center: [3]float32{float32(middle[0]), float32(middle[1]), float32(middle[2])},
		Axes:   [3][3]float32{{float32(half[0] * cos), float32(half[0] * sin), 0}, {float32(-half[1] * sin), float32(half[1] * cos), 0}, {0, 0, float32(half[2])}},
	}
}

func ballAt(p [3]float64, r float32) [4]float32 {
	return [4]float32{float32(p[0]), float32(p[1]), float32(p[2]), r}
}

// A diagonal pole wholly behind a turned wall has a box that extends before and beside the wall. Only with
// Exact it is found hidden; a pole that extends beside the wall is not. The same for a ball and for both
// bounds at once, in a tree and in a part of a scene.
func TestPoleBehindTurnedWall(t *testing.T) {
	byBox := 0 // balls whose boxes are visible
	for _, angle := range []float64{0.5, 0.785, 1.2, -0.6} {
		sin, cos := math.Sincos(angle)
		along := func(x, y float64) [3]float64 { return [3]float64{x*cos - y*sin, 30 + x*sin + y*cos, 3} }
		objects := []struct {
			name   string
			box    soa.OrientedBox
			ball   [4]float32
			hidden bool
		}{
			{"pole", turnedBox(along(0, 2), [3]float64{12, 0.2, 0.2}, angle), [4]float32{}, true},
			{"longer pole", turnedBox(along(0, 2), [3]float64{18, 0.2, 0.2}, angle), [4]float32{}, false},
			{"pole in front", turnedBox(along(0, -2), [3]float64{12, 0.2, 0.2}, angle), [4]float32{}, false},
			{"ball", soa.OrientedBox{}, ballAt(along(0, 4.6), 4), true},
			{"ball through the wall", soa.OrientedBox{}, ballAt(along(0, 3), 5), false},
			// The ball cuts off the ends of the pole that are beside the wall; of a steep wall one is behind the ball.
			{"ball and pole", turnedBox(along(0, 2), [3]float64{18, 0.2, 0.2}, angle), ballAt(along(0, 2), 10), math.Abs(angle) < 0.7},
		}
		tree, _ := linear.New(linear.Config{})
		wall := turnedBox(along(0, 0), [3]float64{15, 0.5, 6}, angle)
		if _, err := tree.Insert(soa.Object{Box: wall.Box(), Mask: walls}); err != nil {
			t.Fatal(err)
		}
		testkit.Must(t, tree.SetOriented(0, wall))
		for i, o := range objects {
			ball := soa.AABB{}
			for a := range 3 {
				ball.Min[a], ball.Max[a] = o.ball[a]-o.ball[3]*1.01, o.ball[a]+o.ball[3]*1.01
			}
			box := o.box.Box()
			if o.box == (soa.OrientedBox{}) {
				box = ball
			}
			id, err := tree.Insert(soa.Object{Box: box, Mask: 2})
			if err != nil || id != uint32(i+1) {
				t.Fatal(id, err)
			}
			if o.box != (soa.OrientedBox{}) {
				testkit.Must(t, tree.SetOriented(id, o.box))
			}
			if o.ball[3] > 0 {
				// Only a sphere inside the box of the object may be given: the box holds both bounds.
				for a := range 3 {
					box.Min[a], box.Max[a] = min(box.Min[a], ball.Min[a]), max(box.Max[a], ball.Max[a])
				}
				testkit.Must(t, tree.Move(id, box))
				testkit.Must(t, tree.SetSphere(id, o.ball))
				if o.box != (soa.OrientedBox{}) {
					testkit.Must(t, tree.SetOriented(id, o.box))
				}
			}
		}
		s := newScene(t)
		turn, _ := linear.Similarity([3]float64{100, 50, 1}, [4]float64{0, 0, 1, 1}, 2)
		place(t, s, tree, turn)
		for _, size := range []int{100, 320, 500} {
			culler := newCuller(t, occlude.Config{Width: size, OccluderMask: walls, MinPixels: 1})
			eye, dir := [3]float64{0, 0, 3}, [3]float64{0, 1, 0}
			for _, inScene := range []bool{false, true} {
				if inScene {
					eye, dir = turn.Point(eye), [3]float64{-1, 0, 0}
				}
				v := viewOf("camera", eye, dir, 0.9, 16./9, 0.1, 300)
				visible := map[bool]map[uint32]bool{}
				for _, exact := range []bool{false, true} {
					culler.Reset()
					testkit.Must(t, v.look(culler))
					f := query.Filter{Exact: exact, Mask: 2}
					var a scene.Answer
					if inScene {
						hidden := culler.ExplainScene(s.View(), f, nil).HiddenBounds
						culler.AppendScene(&a, s.View(), f)
						if exact != (hidden > 0) {
							t.Errorf("exact %v, %d bounds are hidden", exact, hidden)
						}
					} else {
						a.IDs = culler.Append(nil, tree.View(), f)
					}
					visible[exact] = setOf(a.IDs)
				}
				for i, o := range objects {
					id := uint32(i + 1)
					if !visible[false][id] && o.name != "ball" {
						t.Errorf("%s: hidden by its box", o.name)
					} else if o.name == "ball" && visible[false][id] {
						byBox++
					}
					if o.name == "ball and pole" && angle == 0.785 {
						continue
					}
					if visible[true][id] == o.hidden {
						t.Errorf("angle %v, %d pixels, scene %v: %s: visible %v", angle, size, inScene, o.name, visible[true][id])
					}
				}
			}
		}
	}
	if byBox == 0 {
		t.Error("the boxes of all balls are hidden")
	}
}

// boundedTown is a town whose objects have bounds: walls are turned, small objects are balls, turned boxes
// or both.
func boundedTown(t testing.TB, rng *rand.Rand, houses, small int, side float64) (*linear.Tree, []soa.Object) {
	objects := town(rng, houses, small, side)
	tree := plant(t, objects, linear.Config{})
	for i := range objects {
		id, b := uint32(i), &objects[i].Box
		var middle, half [3]float64
		for a := range 3 {
			middle[a] = float64(b.Min[a])/2 + float64(b.Max[a])/2
			half[a] = float64(b.Max[a])/2 - float64(b.Min[a])/2
		}
		if objects[i].Mask&walls != 0 {
			half[1] = max(half[1], 0.05) // the oracle has no flat bodies
		}
		box := turnedBox(middle, half, rng.Float64()*4)
		if objects[i].Mask&walls == 0 {
			if k := rng.IntN(3); k == 0 {
				half[0] += 3 // a pole
				for a := range 3 {
					half[a] += 0.01
				}
				box = turnedBox(middle, half, rng.Float64()*4)
			}
			if rng.IntN(4) == 0 {
				for i, r := range testkit.Rotation(rng) {
					for a := range 3 {
						box.Axes[i][a] = float32(r[a] * half[i])
					}
				}
			}
			kind := rng.IntN(4)
			if r := max(half[0], half[1], half[2]); kind == 0 || kind == 1 {
				ball := soa.AABB{}
				for a := range 3 {
					ball.Min[a], ball.Max[a] = float32(middle[a]-r-0.01), float32(middle[a]+r+0.01)
				}
				*b = ball
				testkit.Must(t, tree.Move(id, ball))
				testkit.Must(t, tree.SetSphere(id, [4]float32{float32(middle[0]), float32(middle[1]), float32(middle[2]), float32(r)}))
				if kind == 1 {
					continue
				}
				small := turnedBox(middle, [3]float64{half[0] * 0.5, half[1] * 0.5, half[2] * 0.5}, rng.Float64()*4)
				testkit.Must(t, tree.SetOriented(id, small))
				continue
			} else if kind == 3 {
				continue
			}
		}
		*b = box.Box()
		testkit.Must(t, tree.Move(id, *b))
		testkit.Must(t, tree.SetOriented(id, box))
	}
	return tree, objects
}

// pointIn returns a point of the bounds of an object, mostly on their surface.
func pointIn(rng *rand.Rand, v linear.View, id uint32) (p [3]float64, ok bool) {
	ball, round := v.Sphere(id)
	box, turned := v.Oriented(id)
	for range 20 {
		if turned {
			var q [3]float64
			for a := range 3 {
				q[a] = []float64{-1, 1, 2*rng.Float64() - 1, 2*rng.Float64() - 1}[rng.IntN(4)]
			}
			for a := range 3 {
				p[a] = float64(box.Center[a])
				for i := range 3 {
					p[a] += q[i] * float64(box.Axes[i][a])
				}
			}
		} else {
			d := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			l := math.Sqrt(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]) * (1 + 1e-9)
			for a := range 3 {
				p[a] = float64(ball[a]) + float64(ball[3])*d[a]/l
			}
		}
		d := [3]float64{p[0] - float64(ball[0]), p[1] - float64(ball[1]), p[2] - float64(ball[2])}
		if !round || math.Sqrt(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]) <= float64(ball[3]) {
			return p, true
		}
	}
	return p, false
}

// With Exact an object is hidden only if its bounds are: each point of them inside the picture is behind an
// occluder on its ray, in trees and in parts of scenes under transforms of all kinds. More is hidden than without,
// and the results are the same on every tier.
func TestExactContract(t *testing.T) {
	seed := testkit.Seed(t)
	former := map[int]string{}
	alone, points := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		w := &exactWorld{hiddenPoints: hiddenPoints{rng: testkit.Rand(seed)}}
		for round := 0; w.alone < max(samples(t)/2000, 50); round++ {
			told := w.round(t, round)
			if was, ok := former[round]; ok && was != told {
				t.Fatalf("round %d: another result than on the first tier", round)
			}
			if former[round] = told; round > 1000 && w.alone == 0 {
				t.Fatal("no bounds of a visible box are hidden")
			}
		}
		alone, points = alone+w.alone, points+w.points
	})
	t.Logf("%d points of hidden bounds; %d objects were hidden by their bounds alone", points, alone)
}

type exactWorld struct {
	hiddenPoints
	alone int // objects that were hidden by their bounds, and visible by their boxes
}

// round checks a view of a town, and returns a transcript.
func (w *exactWorld) round(t *testing.T, round int) string {
	rng := w.rng
	var tree *linear.Tree
	tree, w.objects = boundedTown(t, rng, 50+rng.IntN(50), 500, 100)
	view := tree.View()
	transform, rows := linear.Transform{}, [12]float64{0: 1, 5: 1, 10: 1}
	inScene := round%2 == 1
	s := newScene(t)
	if inScene {
		transform, _ = partPose(rng, transformKinds[1+rng.IntN(6)], [3]float64{100 * rng.NormFloat64(), 100 * rng.NormFloat64(), 5})
		rows = transform.Rows()
		place(t, s, tree, transform)
	}
	w.bodies, w.last = nil, 0
	for i := range w.objects {
		b := imageBody(rows, w.objects[i].Box)
		if o, ok := view.Oriented(uint32(i)); ok && w.objects[i].Mask&walls != 0 {
			b = imageBody(afterTurned(rows, o), soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
		}
		w.bodies = append(w.bodies, b)
	}
	size := [][2]int{{96, 54}, {33, 17}, {160, 90}, {300, 200}}[rng.IntN(4)]
	culler := newCuller(t, occlude.Config{Width: size[0], Height: size[1], OccluderMask: walls, MinPixels: 1})
	kind := kinds[round/2%len(kinds)]
	from, to := [3]float64{rng.Float64() * 100, rng.Float64()*100 - 20, 2}, [3]float64{50 + 20*rng.NormFloat64(), 60, 2}
	v := randomView(rng, kind, transform.Point(from), transform.Point(to), []float64{0.1, 1, 4}[rng.IntN(3)], 500)
	ask := func(f query.Filter) (ids, all []uint32, c occlude.Counters) {
		culler.Reset()
		testkit.Must(t, v.look(culler))
		if !inScene {
			c = culler.Explain(view, f, nil)
			return culler.Append(nil, view, f), culler.Frustum().Append(nil, view, f), c
		}
		c = culler.ExplainScene(s.View(), f, nil).Counters
		var a, b scene.Answer
		culler.AppendScene(&a, s.View(), f)
		scene.Append(&b, culler.Frustum(), s.View(), f)
		return a.IDs, b.IDs, c
	}
	boxed, inBox, _ := ask(query.Filter{})
	ids, all, counters := ask(query.Filter{Exact: true})
	testkit.NothingLost(t, all, ids)
	testkit.NothingLost(t, boxed, ids)
	byBox, visible := setOf(boxed), setOf(ids)
	w.rays, w.near = culler.Rays(), nearOf(culler, &v)
	w.pixels = pixelsOf(&w.rays)
	w.grid = gridOf(&w.rays, w.near, w.bodies, inBox)
	for _, id := range all {
		_, round := view.Sphere(id)
		_, turned := view.Oriented(id)
		if visible[id] || !round && !turned {
			continue
		}
		points := 4
		if byBox[id] {
			points = 200
			w.alone++
		}
		for range points {
			if p, ok := pointIn(w.rng, view, id); ok && !w.behind(id, transform.Point(p)) {
				o, _ := view.Oriented(id)
				s, _ := view.Sphere(id)
				t.Fatalf("%s, scene %v under %v: object %d, box %v, sphere %v, is not visible, but its point %v is", kind, inScene, rows, id, o, s, p)
			}
		}
	}
	return fmt.Sprint(counters, ids)
}

// boundedCity is a city of which every third object is an occluder, every third one a diagonal pole in its box,
// and every third one a ball.
func boundedCity(t testing.TB, n int) (*linear.Tree, []soa.Object) {
	objects := testkit.SceneByName(t, "city").Make(n, 1)
	for i := range objects {
		objects[i].Mask = 2
		if i%3 == 0 {
			objects[i].Mask = walls
		}
	}
	tree := plant(t, objects, linear.Config{Frozen: true})
	for i := range objects {
		var middle, half [3]float64
		for a := range 3 {
			lo, hi := float64(objects[i].Box.Min[a]), float64(objects[i].Box.Max[a])
			middle[a], half[a] = (lo+hi)/2, (hi-lo)/2*0.999
		}
		id, least := uint32(i), min(half[0], half[1], half[2])
		switch i % 3 {
		case 1:
			l := math.Hypot(half[0], half[1])
			box := turnedBox(middle, [3]float64{0.9 * l, 0.09 * min(half[0], half[1]), half[2]}, math.Atan2(half[1], half[0]))
			testkit.Must(t, tree.SetOriented(id, box))
		case 2:
			testkit.Must(t, tree.SetSphere(id, [4]float32{float32(middle[0]), float32(middle[1]), float32(middle[2]), float32(least)}))
		}
	}
	return tree, objects
}

// The share of the objects with hidden bounds that are found by their boxes, and by their bounds, against an
// ID buffer of their bounds.
func TestSharesOfBounds(t *testing.T) {
	tree, objects := boundedCity(t, 100_000)
	v := tree.View()
	views, seeds := testkit.Budget(t, 1, 6), testkit.Budget(t, 1, 4)
	var street []world.Camera
	for seed := range seeds {
		street = append(street, world.Street(objects, views, uint64(seed)+1)...)
	}
	for name, cameras := range map[string][]world.Camera{"street": street, "bench": world.Cameras(objects, 0.1, seeds*views, 1)} {
		t.Run(name, func(t *testing.T) {
			culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
			var byBox, exact share
			for i := range cameras {
				var visible [2][]uint32
				for k, f := range []query.Filter{{}, {Exact: true}} {
					culler.Reset()
					testkit.Must(t, culler.SetCamera(lookAt(&cameras[i])))
					visible[k] = culler.Append(nil, v, f)
				}
				all := culler.Frustum().Append(nil, v, query.Filter{Exact: true})
				is := setOf(all)
				n := 0
				for _, id := range visible[0] {
					if is[id] {
						visible[0][n] = id
						n++
					}
				}
				testkit.NothingLost(t, all, visible[1])
				testkit.NothingLost(t, visible[0][:n], visible[1])
				var things []thing
				for _, id := range all {
					o := objects[id]
					at := boxThing(id, &[2][3]float32{o.Box.Min, o.Box.Max}, o.Mask&walls != 0)
					if box, ok := v.Oriented(id); ok {
						cube := soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
						at.body = imageBody(afterTurned([12]float64{0: 1, 5: 1, 10: 1}, box), cube)
					}
					if ball, ok := v.Sphere(id); ok {
						at.ball = &ball
					}
					things = append(things, at)
				}
				ideal := idealSet(culler.Rays(), cameras[i].Near, things, nil)
				is = setOf(visible[1])
				for id := range ideal {
					if !is[id] {
						t.Fatalf("object %d is not visible, but the ID buffer shows it", id)
					}
				}
				byBox.frustum, byBox.ideal, byBox.visible = byBox.frustum+len(all), byBox.ideal+len(ideal), byBox.visible+n
				exact.frustum, exact.ideal, exact.visible = exact.frustum+len(all), exact.ideal+len(ideal), exact.visible+len(visible[1])
			}
			byBox.reach(t, 0)
			exact.reach(t, byBox.found())
		})
	}
}

// BenchmarkExactBounds is the mean of a frame of cameras in a city of objects with bounds: by boxes, and with the
// exact test of the frustum and of the depth buffer.
func BenchmarkExactBounds(b *testing.B) {
	tree, objects := boundedCity(b, 100_000)
	cameras := append(world.Street(objects, 12, 1), world.Cameras(objects, 0.1, 12, 1)...)
	culler := newCuller(b, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
	dst := make([]uint32, 0, len(objects)+16)
	for _, c := range []struct {
		name  string
		query func(flt query.Filter)
		flt   query.Filter
	}{
		{"culler/exact=false", func(f query.Filter) { dst = culler.Append(dst[:0], tree.View(), f) }, query.Filter{}},
		{"culler/exact=true", func(f query.Filter) { dst = culler.Append(dst[:0], tree.View(), f) }, query.Filter{Exact: true}},
		{"frustum/exact=false", func(f query.Filter) { dst = culler.Frustum().Append(dst[:0], tree.View(), f) }, query.Filter{}},
		{"frustum/exact=true", func(f query.Filter) { dst = culler.Frustum().Append(dst[:0], tree.View(), f) }, query.Filter{Exact: true}},
	} {
		b.Run("of="+c.name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for i := range cameras {
					culler.Reset()
					testkit.Must(b, culler.SetCamera(lookAt(&cameras[i])))
					c.query(c.flt)
					found += len(dst)
				}
			}
			report(b, len(cameras), found)
		})
	}
}
