package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// asked is a volume with all forms of its query, and its definition.
type asked struct {
	name   string
	append func(*scene.Answer, linear.SceneView, query.Filter)
	count  func(linear.SceneView, query.Filter) uint64
	any    func(linear.SceneView, query.Filter) bool
	each   func(linear.SceneView, query.Filter, func(scene.Path, uint32) bool)
	ranges func(linear.SceneView, query.Filter, func(scene.Part, query.Range) bool)
	tell   func(linear.SceneView, query.Filter, *scene.Heat) scene.Counters
	opened *scene.Moved
	flat   func([]uint32, linear.View, query.Filter) []uint32

	planes  [][4]float64 // of a frustum, a convex volume
	precise bool
	box     *soa.AABB // of a box, a point
	turned  *soa.OrientedBox
	center  [3]float64
	radius  float64 // of a sphere; else negative
}

func askedOf[V interface {
	query.Volume
	Append([]uint32, linear.View, query.Filter) []uint32
}](name string, v V) asked {
	return asked{
		name:   name,
		append: func(a *scene.Answer, s linear.SceneView, f query.Filter) { scene.Append(a, v, s, f) },
		count:  func(s linear.SceneView, f query.Filter) uint64 { return scene.Count(v, s, f) },
		any:    func(s linear.SceneView, f query.Filter) bool { return scene.Any(v, s, f) },
		each: func(s linear.SceneView, f query.Filter, yield func(scene.Path, uint32) bool) {
			scene.All(v, s, f)(yield)
		},
		ranges: func(s linear.SceneView, f query.Filter, yield func(scene.Part, query.Range) bool) {
			scene.Ranges(v, s, f, yield)
		},
		tell: func(s linear.SceneView, f query.Filter, h *scene.Heat) scene.Counters {
			return scene.Explain(v, s, f, h)
		},
		opened: scene.Opened(v), flat: v.Append, radius: -1,
	}
}

// volumesAt draws volumes of all kinds about a point, some of them as large as the objects there, and
// planes that touch a corner.
func volumesAt(t testing.TB, rng *rand.Rand, center, corner [3]float64, size float64) (all []asked) {
	t.Helper()
	around := func(scale float64) (p [3]float32) {
		for a := range 3 {
			p[a] = float32(center[a] + rng.NormFloat64()*size*scale)
		}
		return p
	}
	half := size * math.Ldexp(1, rng.IntN(8)-3)
	c := around(1)
	var b soa.AABB
	for a := range 3 {
		h := float32(half * (0.1 + rng.Float64()))
		b.Min[a], b.Max[a] = c[a]-h, c[a]+h
		switch rng.IntN(6) { // a face through the corner
		case 0:
			b.Min[a] = float32(corner[a])
			b.Max[a] = max(b.Max[a], b.Min[a])
		case 1:
			b.Max[a] = float32(corner[a])
			b.Min[a] = min(b.Max[a], b.Min[a])
		}
	}
	box := queries.Box(t, b)
	one := askedOf("box", box)
	one.box = &b
	all = append(all, one)

	p := around(0.3)
	if rng.IntN(2) == 0 {
		p = around(0)
	}
	point := queries.Point(t, p)
	one = askedOf("point", point)
	one.box = &soa.AABB{Min: p, Max: p}
	all = append(all, one)

	radius := float32(half)
	if rng.IntN(2) == 0 { // it touches the corner, or nearly
		sum := 0.0
		for a := range 3 {
			sum += (float64(c[a]) - corner[a]) * (float64(c[a]) - corner[a])
		}
		radius = float32(math.Sqrt(sum))
	}
	ball, err := query.NewSphere(c, radius)
	testkit.Must(t, err)
	one = askedOf("sphere", ball)
	for a := range 3 {
		one.center[a] = float64(c[a])
	}
	one.radius = float64(radius)
	all = append(all, one)

	plane := func() (p [4]float32) {
		n, sum := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.0
		if rng.IntN(4) == 0 {
			n = [3]float64{}
			n[rng.IntN(3)] = float64(2*rng.IntN(2) - 1)
		}
		through := corner
		if rng.IntN(3) > 0 {
			for a := range 3 {
				through[a] = center[a] - n[a]*half*rng.Float64()
			}
		}
		for a := range 3 {
			p[a] = float32(n[a])
			sum += float64(p[a]) * through[a]
		}
		p[3] = float32(-sum)
		return p
	}
	wide := func(planes [][4]float32) (all [][4]float64) {
		for _, p := range planes {
			all = append(all, [4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
		}
		return all
	}
	var six [6][4]float32
	for i := range six {
		if six[i] = plane(); i%2 == 1 && rng.IntN(2) == 0 { // the other side of a slab
			for a := range 3 {
				six[i][a] = -six[i-1][a]
			}
			six[i][3] = -six[i-1][3] + float32(2*half)
		}
	}
	frustum := queries.Frustum(t, six)
	one = askedOf("frustum", frustum)
	one.planes = wide(six[:])
	all = append(all, one)

	camera := query.Camera{
		Forward: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, Up: [3]float64{0, 1, 0.1},
		FovY: 0.2 + rng.Float64(), Aspect: 1.5, Near: half / 16, Far: 8 * half,
	}
	for a := range 3 {
		camera.Eye[a] = center[a] - camera.Forward[a]*half*2
	}
	seen, err := camera.Frustum()
	testkit.Must(t, err)
	one = askedOf("precise", seen.Precise())
	seenPlanes := seen.Planes()
	one.planes, one.precise = wide(seenPlanes[:]), true
	all = append(all, one)

	var many [][4]float32
	for range rng.IntN(query.MaxPlanes + 1) {
		if p := plane(); len(many) < 4 || rng.IntN(2) == 0 {
			p[3] += float32(half)
			many = append(many, p)
		}
	}
	convex := queries.Convex(t, many)
	one = askedOf(fmt.Sprintf("convex%d", len(many)), convex)
	one.planes = wide(many)
	return append(all, one, turnedAt(t, rng, c, corner, half))
}

// turnedAt draws an oriented box of about that size; some are flat or touch a corner.
func turnedAt(t testing.TB, rng *rand.Rand, c [3]float32, corner [3]float64, half float64) asked {
	t.Helper()
	var b soa.AABB
	for a := range 3 {
		h := float32(half * (0.1 + rng.Float64()))
		b.Min[a], b.Max[a] = c[a]-h, c[a]+h
	}
	o := testkit.OrientedIn(rng, b)
	if rng.IntN(3) == 0 { // a corner, or the middle of an edge or a face, to the corner
		for a := range 3 {
			at := corner[a]
			for k := range 3 {
				at -= float64(o.Axes[k][a]) * float64(rng.IntN(3)-1)
			}
			o.Center[a] = float32(at)
		}
	}
	if rng.IntN(6) == 0 { // not turned
		o.Axes = [3][3]float32{{b.Max[0] - c[0]}, {0, c[1] - b.Min[1]}, {0, 0, b.Max[2] - c[2]}}
	}
	turned := queries.OrientedBox(t, o)
	one := askedOf("oriented", turned)
	one.turned = &o
	return one
}

// someFilter draws a filter; a sixth of them keep all.
func someFilter(rng *rand.Rand) (f query.Filter) {
	switch rng.IntN(3) {
	case 0:
		f.Mask = uint32(1 + rng.IntN(15))
		f.Motion = query.Motion(rng.IntN(3))
	case 1:
		f.Motion = query.Motion(rng.IntN(3))
		f.Only = []uint64{rng.Uint64()}
	}
	if rng.IntN(2) == 0 { // the first objects of trees have this generation
		f.Exclude = linear.Handle{ID: rng.Uint32N(24), Gen: 1}
	}
	return f
}

// targetOf draws a part with objects, and returns the image of one of its objects, its centre, a corner,
// and its size. ok is false if the scene is empty.
func targetOf(rng *rand.Rand, all []spot) (center, corner [3]float64, size float64, ok bool) {
	for range 100 {
		s := all[rng.IntN(len(all))]
		objects := listed(s.view.Objects())
		if len(objects) == 0 {
			continue
		}
		o := objects[rng.IntN(len(objects))]
		im := imageOf(s.transforms)
		center = im.point(&o.Box, [3]float64{0.5, 0.5, 0.5})
		end := s.shape(&im, &o, rng.IntN(2) == 0)
		corner = end.point(&end.box, [3]float64{float64(rng.IntN(2)), float64(rng.IntN(2)), float64(rng.IntN(2))})
		for i := range 3 {
			for j := range 3 {
				size = max(size, im.size[i][j]*float64(1+o.Box.Max[j]-o.Box.Min[j]))
			}
		}
		return center, corner, size, true
	}
	return center, corner, size, false
}

// relationTo is the test of a box, which counts its calls.
func relationTo(b soa.AABB, calls *int) func(box linear.AABB) query.Relation {
	return func(box linear.AABB) query.Relation {
		*calls++
		switch {
		case !b.Overlaps(box):
			return query.Outside
		case b.Contains(box):
			return query.Inside
		}
		return query.Partly
	}
}

// A function finds the objects whose boxes in the space of the scene, around their exact images, it does not exclude.
// None whose image is in the bounds is lost, and none farther than the rounding of the box is found. A ball as a
// capsule loses none. All forms agree, with the same objects and the same calls on every tier.
func TestFuncInScenes(t *testing.T) {
	seed := testkit.Seed(t)
	judged, found, wholly, balls := 0, 0, 0, 0
	testkit.TiersAgree(t, func(t *testing.T, known func(...any) bool) {
		for _, family := range families {
			eachVolume(t, seed, family, testkit.Budget(t, 3, 60), func(t *testing.T, rng *rand.Rand, s *linear.Scene, all []spot, q asked) {
				var f query.Func
				var err error
				calls := 0
				switch {
				case q.name == "box":
					f, err = query.NewFunc(*q.box, relationTo(*q.box, &calls))
				case q.radius >= 0:
					c := [3]float32{float32(q.center[0]), float32(q.center[1]), float32(q.center[2])}
					f, err = query.NewCapsule(c, c, float32(q.radius))
				default:
					return
				}
				testkit.Must(t, err)
				v, flt := s.View(), query.Filter{Motion: query.Motion(rng.IntN(3)), Exact: rng.IntN(2) == 0}
				one := askedOf("func", f)
				var a scene.Answer
				one.append(&a, v, flt)
				runs := runsOf(&a)
				made := calls
				if checkForms(t, one, v, flt, runs); known(runs, made) {
					return
				}
				got := map[scene.Path]map[uint32]bool{}
				for _, r := range runs {
					if got[r.path] == nil {
						got[r.path] = map[uint32]bool{}
					}
					for _, id := range r.ids {
						if got[r.path][id] {
							t.Fatalf("%d of %v twice", id, r.path)
						}
						got[r.path][id] = true
					}
				}
				wholly += scene.Explain(f, v, flt, nil).Whole
				for _, at := range all {
					im := imageOf(at.transforms)
					for _, o := range listed(at.view.Objects()) {
						if flt.Motion == query.MovingOnly && o.Static || flt.Motion == query.StaticOnly && !o.Static {
							continue
						}
						judged++
						reported := got[at.path][o.id]
						if reported {
							found++
						}
						if q.name != "box" {
							if balls++; !reported && q.meets(rng, &im, &o.Box) {
								t.Fatalf("%s: %d of %v, %v, is lost by a ball", family, o.id, at.path, o.Box)
							}
							continue
						}
						in, out := true, false
						for k := range 3 {
							var n [3]float64
							n[k] = 1
							low, high, off := im.span(n, &o.Box)
							lo, hi := float64(q.box.Min[k]), float64(q.box.Max[k])
							in = in && low+off <= hi && high-off >= lo
							off += max(math.Abs(low), math.Abs(high)) * 0x1p-22
							out = out || low-off > hi || high+off < lo
						}
						if in && !reported && q.meets(rng, &im, &o.Box) || out && reported {
							t.Fatalf("%s: %d of %v, %v, is reported: %v, inside %v, outside %v", family, o.id, at.path, o.Box, reported, in, out)
						}
					}
				}
			})
		}
	})
	if judged == 0 || found == 0 || balls == 0 || wholly == 0 || found == judged {
		t.Errorf("%d judged, %d found, %d by balls, %d parts wholly inside", judged, found, balls, wholly)
	}
}

// Under the identity a part is tested as its tree. In a part that a function takes wholly no box is tested but those
// of its instance and its bounds.
func TestFuncUnderIdentity(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := objectsOf(rng, 2000)
	tree, s := planted(t, rng, 0), newScene(t)
	_, err := tree.InsertBatch(nil, objects)
	testkit.Must(t, err)
	testkit.Must(t, tree.Tick())
	id := place(t, s, tree, linear.Transform{}, linear.InstanceOptions{})
	testkit.Must(t, s.Tick())
	b := tree.Bounds()
	c := b.Center()
	b.Max[0], b.Min[1] = c[0], c[1]
	calls := 0
	f, err := query.NewFunc(b, relationTo(b, &calls))
	testkit.Must(t, err)
	want := f.Append(nil, tree.View(), query.Filter{})
	inTree := calls
	var a scene.Answer
	scene.Append(&a, f, s.View(), query.Filter{})
	if path := a.Path(1); !slices.Equal(a.IDs, want) || path != scene.PathOf(id) || calls > 2*inTree+2 {
		t.Errorf("%d objects in %v, %d calls, in the tree %d, %d calls", len(a.IDs), path, calls-inTree, len(want), inTree)
	}
	calls = 0
	whole, err := query.NewFunc(tree.Bounds(), relationTo(tree.Bounds(), &calls))
	testkit.Must(t, err)
	if n := scene.Count(whole, s.View(), query.Filter{}); n != uint64(len(objects)) || calls > 2 {
		t.Errorf("%d objects of %d with %d calls", n, len(objects), calls)
	}
	far, err := query.NewFunc(soa.AABB{Min: [3]float32{1e6, 1e6, 1e6}, Max: [3]float32{2e6, 2e6, 2e6}}, relationTo(b, &calls))
	testkit.Must(t, err)
	if calls = 0; scene.Any(far, s.View(), query.Filter{}) || calls > 0 {
		t.Errorf("%d calls for bounds beyond the scene", calls)
	}
	if scene.Any(query.Func{}, s.View(), query.Filter{}) {
		t.Error("the zero Func finds an object")
	}
}

// A test that panics, or changes the scene, ends the query with a panic. Later queries are right. No query allocates.
func TestFuncMisbehaves(t *testing.T) {
	rng := testkit.Rand(1)
	s := worldOf(t, rng, "turned", 3, 12)
	v := s.View()
	b := s.Bounds()
	calls, at := 0, 0
	var what func()
	plain := relationTo(b, &calls)
	f, err := query.NewFunc(b, func(box linear.AABB) query.Relation {
		if plain(box); calls == at {
			what()
		}
		return query.Partly
	})
	testkit.Must(t, err)
	var a scene.Answer
	scene.Append(&a, f, v, query.Filter{})
	want, all := slices.Clone(a.IDs), calls
	panics := func() any {
		a.Reset()
		calls = 0
		return testkit.Panic(func() { scene.Append(&a, f, s.View(), query.Filter{}) })
	}
	for at = 1; at <= all; at += 1 + all/40 {
		what = func() { panic("mine") }
		if said := panics(); said != "mine" {
			t.Fatalf("call %d of %d: the panic of a test became %v", at, all, said)
		}
		what = func() { testkit.Must(t, s.Move(listed(s.View().Instances())[0].id, linear.Transform{})) }
		if said := panics(); !strings.Contains(fmt.Sprint(said), "used after") {
			t.Fatalf("call %d of %d: a test changed the scene: %v", at, all, said)
		}
		what = func() {}
		if said := panics(); said != nil {
			t.Fatalf("call %d of %d: %v", at, all, said)
		}
	}
	if len(want) == 0 || all < 20 {
		t.Errorf("%d objects, %d calls", len(want), all)
	}
	v = s.View()
	n := 0
	part := func(scene.Part, query.Range) bool { n++; return true }
	testkit.Allocs(t, 20, func() {
		a.Reset()
		scene.Append(&a, f, v, query.Filter{})
		n += int(scene.Count(f, v, query.Filter{Exact: true}))
		if scene.Any(f, v, query.Filter{Mask: 3}) {
			n++
		}
		scene.Ranges(f, v, query.Filter{}, part)
	})
	if n == 0 {
		t.Error("nothing was found")
	}
}
