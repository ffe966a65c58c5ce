package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

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
	panics := func() (said any) {
		defer func() { said = recover() }()
		a.Reset()
		calls = 0
		scene.Append(&a, f, s.View(), query.Filter{})
		return nil
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
