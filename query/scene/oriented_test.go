package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// frames have orthogonal axes of whole numbers.
var frames = [][3][3]float32{
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{1, 1, 0}, {-1, 1, 0}, {0, 0, 1}},
	{{1, 2, 2}, {2, 1, -2}, {2, -2, 1}},
	{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}},
	{{1, 1, 1}, {1, -1, 0}, {1, 1, -2}},
}

// gridTurned draws an oriented box of whole numbers, some of whose axes have length zero.
func gridTurned(rng *rand.Rand) (o soa.OrientedBox) {
	o.Axes = frames[rng.IntN(len(frames))]
	for i := range 3 {
		o.Center[i] = float32(rng.IntN(17) - 8)
		n := float32(rng.IntN(3))
		for k := range 3 {
			o.Axes[i][k] *= n
		}
	}
	return o
}

// gridScene makes a scene of instances under transforms of whole numbers, in which images of faces, edges
// and corners touch exactly, the inner ones far away if far is set; half of the objects are oriented boxes.
func gridScene(t testing.TB, rng *rand.Rand, depth int, far bool) *linear.Scene {
	s := newScene(t)
	fill := func(tree *linear.Tree, n int) {
		objects, oriented := make([]soa.Object, n), make([]soa.OrientedBox, n)
		for i := range objects {
			oriented[i] = gridTurned(rng)
			objects[i] = soa.Object{Box: oriented[i].Box(), Mask: 1, Static: rng.IntN(3) == 0}
		}
		trees.Insert(t, tree, objects)
		for i := 0; i < n; i += 2 {
			testkit.Must(t, tree.SetOriented(uint32(i), oriented[i]))
		}
	}
	fill(s.Tree(), 3)
	var part linear.Part
	if depth > 1 {
		part = gridScene(t, rng, depth-1, far)
	} else {
		tree := trees.Plant(t, nil, false)
		fill(tree, 12)
		part = tree
	}
	for range 2 {
		transform := touching(rng)
		if depth == 1 && far { // coordinates moved into the part have lost digits
			rows := transform.Rows()
			for a := range 3 {
				rows[4*a+3] += float64(rng.IntN(3)-1) * 0x1p18
			}
			var err error
			if transform, err = linear.NewTransform(rows); err != nil {
				t.Fatal(err)
			}
		}
		place(t, s, part, transform, linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	return s
}

// No false negatives for oriented boxes that touch objects of parts in a point, an edge or a face, exactly,
// nor for a box or a ray that touches the oriented boxes of objects there.
func TestOrientedTouching(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	met, touched, extra, rays := 0, 0, 0, tally{met: map[string]int{}, turned: map[string]int{}}
	for round := range testkit.Budget(t, 5, 100) {
		s := gridScene(t, rng, 1+round%2, round%4 == 3)
		v := s.View()
		all := spots(v)
		for range 20 {
			at := all[rng.IntN(len(all))]
			objects := listed(at.view.Objects())
			o := objects[rng.IntN(len(objects))]
			im := imageOf(at.transforms)
			x := at.shape(&im, &o, true)
			corner := x.point(&x.box, [3]float64{float64(rng.IntN(3)) / 2, float64(rng.IntN(3)) / 2, float64(rng.IntN(3)) / 2})
			if rng.IntN(4) == 0 {
				grazing(t, rng, corner).judge(t, rng, v, all, "grid", query.Filter{Exact: true}, &rays)
			}
			turned := gridTurned(rng)
			if rng.IntN(4) == 0 {
				turned.Axes = [3][3]float32{{float32(1 + rng.IntN(3))}, {0, float32(rng.IntN(3))}, {0, 0, float32(rng.IntN(3))}}
			}
			for a := range 3 {
				turned.Center[a] = float32(corner[a])
				for k := range 3 {
					turned.Center[a] -= turned.Axes[k][a] * float32(rng.IntN(3)-1)
				}
			}
			volume := queries.OrientedBox(t, turned)
			q := askedOf("oriented", volume)
			q.turned = &turned
			if turned.Axes[0][1] == 0 && turned.Axes[0][2] == 0 && rng.IntN(2) == 0 { // as a box, too
				box := turned.Box()
				plain := queries.Box(t, box)
				q = askedOf("box", plain)
				q.box = &box
			}
			f := query.Filter{Exact: rng.IntN(4) > 0}
			var a scene.Answer
			q.append(&a, v, f)
			got := map[in]bool{}
			for p, id := range a.All() {
				got[in{a.Path(p), id}] = true
			}
			here, box := imageOf(nil).turned(turned)
			y := solid{has: soa.Object{Box: box}, im: &here}
			for _, at := range all {
				im := imageOf(at.transforms)
				for _, o := range listed(at.view.Objects()) {
					x := at.shape(&im, &o, f.Exact)
					z := solid{has: soa.Object{Box: x.box}, im: &x.image}
					apart, clear := apart(&z, &y)
					meets := clear || !apart && exactlyMeet(&z, &y)
					switch reported := got[in{at.path, o.id}]; {
					case meets && !reported:
						t.Fatalf("%s %+v %+v: %d of %v, %v under %v %v, is lost", q.name, turned, f, o.id, at.path, x.box, x.m, x.t)
					case reported && meets:
						met++
						if !clear {
							touched++
						}
					case reported:
						extra++
						if why := q.beyond(&im, &x, at.view.Objects().Store().Extent, &at); why != "" {
							t.Fatalf("%s %+v %+v: %d of %v, %v under %v %v, is reported: %s", q.name, turned, f, o.id, at.path, x.box, x.m, x.t, why)
						}
					}
				}
			}
		}
	}
	t.Logf("%d met, of these %d touched, %d reported besides", met, touched, extra)
	if touched == 0 || met == touched {
		t.Errorf("%d met, %d touched", met, touched)
	}
	rays.check(t, "ray")
}

// grazing draws a ray of whole numbers through a point of whole numbers.
func grazing(t testing.TB, rng *rand.Rand, through [3]float64) *swept {
	var from, dir [3]float32
	steps := float32(1 + rng.IntN(4))
	for a := range 3 {
		dir[a] = float32(rng.IntN(7) - 3)
		from[a] = float32(through[a]) - dir[a]*steps
	}
	if dir == [3]float32{} {
		dir[0] = 1
	}
	ray := queries.Ray(t, from, dir, 16)
	s := sweptOf("ray", ray)
	s.from, s.dir, s.until = from, dir, 16
	return &s
}

// With Exact, spheres decide whether objects intersect an oriented box, at any position: none that
// intersects is lost, and none beyond the planes of its faces is kept.
func TestOrientedAgainstSpheres(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	removed, kept := 0, 0
	for _, family := range []string{"identity", "translation", "turned", "mirrored", "scaled"} {
		for range testkit.Budget(t, 20, 250) {
			objects := objectsOf(rng, 60)
			tree := trees.Plant(t, objects, false)
			for id := range objects {
				objects[id].Box.Max[id%3] += 2
				testkit.Must(t, tree.Move(uint32(id), objects[id].Box))
				testkit.Must(t, tree.SetSphere(uint32(id), testkit.BallIn(objects[id].Box)))
			}
			s := newScene(t)
			place(t, s, tree, transformOf(rng, family), linear.InstanceOptions{})
			all := spots(s.View())
			center, corner, size, ok := targetOf(rng, all)
			if !ok {
				t.Fatal("an empty scene")
			}
			var c [3]float32
			for a := range 3 {
				c[a] = float32(center[a])
			}
			q := turnedAt(t, rng, c, corner, 2*size)
			every, exact := map[uint32]bool{}, map[uint32]bool{}
			for f, list := range map[bool]map[uint32]bool{false: every, true: exact} {
				var a scene.Answer
				q.append(&a, s.View(), query.Filter{Exact: f})
				for _, id := range a.All() {
					list[id] = true
				}
			}
			x := testkit.TurnedOf(*q.turned)
			at := all[len(all)-1]
			im := imageOf(at.transforms)
			for id := range every {
				sphere, _ := tree.Sphere(id)
				b := soa.AABB{Min: [3]float32{sphere[0], sphere[1], sphere[2]}, Max: [3]float32{sphere[0], sphere[1], sphere[2]}}
				p := im.point(&b, [3]float64{})
				r := float64(sphere[3]) * math.Hypot(im.m[0][0], math.Hypot(im.m[1][0], im.m[2][0]))
				dist := x.Distance(p)
				room := 0x1p-15 * (r + dist + size)
				for a := range 3 {
					room += 0x1p-30 * (math.Abs(p[a]) + im.far[a])
				}
				switch {
				case exact[id]:
					kept++
					for i, n := range x.Dirs { // the planes of its faces
						way := 0.0
						for a := range 3 {
							way += n[a] * (p[a] - x.Center[a])
						}
						half := math.Hypot(x.Axes[i][0], math.Hypot(x.Axes[i][1], x.Axes[i][2]))
						if math.Abs(way) > half+r+room {
							t.Fatalf("%s: sphere %v of %v about %v is kept, %v beyond a face of %+v", family, r, id, p, math.Abs(way)-half-r, *q.turned)
						}
					}
				case dist < r-room:
					t.Fatalf("%s: sphere %v of %v about %v is lost, %v from %+v", family, r, id, p, dist, *q.turned)
				default:
					removed++
				}
				delete(exact, id)
			}
			if len(exact) > 0 {
				t.Fatalf("%s: %v are found by their spheres only", family, exact)
			}
		}
	}
	if removed == 0 || kept == 0 {
		t.Errorf("%d kept, %d removed for their spheres", kept, removed)
	}
}

// A few large objects, most with oriented boxes, some with spheres besides, some flat, segments or points,
// under transforms of all families: shapes that move towards their corners, edges and middles hit them as
// defined. Where both bounds are hit, the later hit counts.
func TestSweepsAgainstOriented(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	sum := tally{met: map[string]int{}, turned: map[string]int{}}
	for range testkit.Budget(t, 1, 20) {
		for _, family := range families {
			objects := objectsOf(rng, 12)
			for i := range objects {
				for a := range 3 {
					objects[i].Box.Max[a] += float32(rng.IntN(4))
				}
			}
			tree := trees.Plant(t, objects, false)
			for id, o := range objects {
				testkit.Must(t, tree.SetOriented(uint32(id), testkit.OrientedIn(rng, o.Box)))
				if id%3 == 0 {
					ball := testkit.BallIn(o.Box)
					ball[3] *= 0.5 + rng.Float32()/2
					testkit.Must(t, tree.SetSphere(uint32(id), ball))
				}
			}
			s := newScene(t)
			place(t, s, tree, transformOf(rng, family), linear.InstanceOptions{})
			all := spots(s.View())
			for range 20 {
				center, corner, size, ok := targetOf(rng, all)
				if !ok {
					t.Fatal("an empty scene")
				}
				for _, q := range sweptAt(t, rng, center, corner, size) {
					if q.box == nil { // a query for boxes
						q.judge(t, rng, s.View(), all, family, query.Filter{Exact: true}, &sum)
					}
				}
			}
		}
	}
	sum.check(t, "ray", "ball")
}

// A ball of radius 2^110 moves by 2^112 and hits a point off its path at the time 0.35, later than the box around it
// does, and after another point. In a part that is smaller by 2^20 the way of the ball from one to the other is longer
// than the largest float32. The time is the same there, also of an ellipsoid.
func TestLongMotionOfBall(t *testing.T) {
	const size, time = 0x1p110, 0.35 // at -3/5, since (3/5)^2 + (4/5)^2 = 1
	ball := queries.SweptSphere(t, [3]float32{-2 * size, 0.8 * size}, size, [3]float32{4 * size})
	for _, scale := range [][3]float64{{1, 1, 1}, {0x1p-20, 0x1p-20, 0x1p-20}, {0x1p-20, 1, 1}, {0x1p-100, 0x1p-100, 0x1p-100}} {
		transform, err := linear.NewTransform([12]float64{0: scale[0], 5: scale[1], 10: scale[2]})
		testkit.Must(t, err)
		objects := []soa.Object{{Mask: 1}, {Mask: 1}}
		x := float32(max(-size/16/scale[0], -0x1p126)) // reached before
		objects[1].Box.Min[0], objects[1].Box.Max[0] = x, x
		tree, s := trees.Plant(t, objects, false), newScene(t)
		place(t, s, tree, transform, linear.InstanceOptions{})
		testkit.EachTier(t, func(t *testing.T) {
			hits := scene.AppendHits(nil, ball, s.View(), query.Filter{})
			i := slices.IndexFunc(hits, func(h scene.Hit) bool { return h.ID == 0 })
			if len(hits) != 2 || i < 0 || math.Abs(float64(hits[i].Dist)-time) > time*0x1p-20 {
				t.Errorf("scale %v: hits %+v, want one of 0 at the time %v", scale, hits, time)
			}
		})
	}
}

// Balls hit a point off their paths at the time 0.35, and the boxes around them do so at 0.25. The time is the same
// below transforms that make a part larger or smaller by 2^99 each, though products of four lengths, and then of two,
// are beyond float64 there: of the larger ball below five, the square of the distance, but not that of the radius. The
// point has no bounds, a sphere or an oriented box.
func TestBallBelowTransforms(t *testing.T) {
	for _, scale := range []float64{0x1p99, 0x1p-99} {
		transform, err := linear.NewTransform([12]float64{0: scale, 5: scale, 10: scale})
		testkit.Must(t, err)
		tree := trees.Plant(t, []soa.Object{{Mask: 1}, {Mask: 1}, {Mask: 1}}, false)
		testkit.Must(t, tree.SetSphere(1, [4]float32{}))
		testkit.Must(t, tree.SetOriented(2, soa.OrientedBox{}))
		part := linear.Part(tree)
		for depth := 1; depth <= linear.MaxDepth; depth++ {
			s := newScene(t)
			place(t, s, part, transform, linear.InstanceOptions{})
			part = s
			testkit.EachTier(t, func(t *testing.T) {
				const time = 0.35
				for _, size := range []float32{1, 1.75 * 0x1p16} {
					ball := queries.SweptSphere(t, [3]float32{-2 * size, 0.8 * size}, size, [3]float32{4 * size})
					hits := scene.AppendHits(nil, ball, s.View(), query.Filter{Exact: true})
					if len(hits) != 3 {
						t.Errorf("depth %d, scale %v: hits %+v, want three", depth, scale, hits)
					}
					for _, h := range hits {
						if !(math.Abs(float64(h.Dist)-time) <= time*0x1p-20) {
							t.Errorf("depth %d, scale %v: hit %+v, want one at the time %v", depth, scale, h, time)
						}
					}
				}
			})
		}
	}
}

// Under the identity a ball is bit-identical to that of the caller: for parts of one packet or many, and
// for parts wholly inside.
func TestBallsUnderIdentity(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	met, missed := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		for round := range testkit.Budget(t, 600, 6000) {
			var center [3]float32
			radius := rng.Float32() + 0.5
			tree := trees.New(t, linear.Config{})
			objects := make([]soa.Object, []int{1, 1, 1, 12, 1, 100}[round%6])
			for i := range objects {
				// A point about as far away as the radius, by a few steps of float32 more.
				way := testkit.Rotation(rng)[0]
				far := float64(radius) * (1 + float64(rng.IntN(10)-1)*0x1p-24)
				for a := range 3 {
					objects[i].Box.Min[a] = float32(way[a] * far)
				}
				objects[i].Box.Max = objects[i].Box.Min
			}
			if rng.IntN(2) == 0 { // the far corner of the bounds is the point, or about that
				objects = append(objects, soa.Object{})
			}
			trees.Insert(t, tree, objects)
			s := newScene(t)
			if _, err := s.AddInstance(tree, linear.Transform{}, linear.InstanceOptions{}); err != nil {
				t.Fatal(err)
			}
			q, err := query.NewSphere(center, radius)
			testkit.Must(t, err)
			want := q.Append(nil, tree.View(), query.Filter{})
			var a scene.Answer
			scene.Append(&a, q, s.View(), query.Filter{})
			if !slices.Equal(a.IDs, want) {
				t.Fatalf("round %d, %d objects: %v of the tree, %v of the scene", round, len(objects), want, a.IDs)
			}
			met += len(want)
			missed += len(objects) - len(want)
		}
	})
	if met == 0 || missed == 0 {
		t.Errorf("%d met, %d missed", met, missed)
	}
}
