package show_test

import (
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// asked is the input of every form of a query.
type asked struct {
	v        linear.View
	flt      query.Filter
	excluded uint32 // ID of the object that flt excludes, or soa.None
	pairs    collide.Filter
	queries.Set
	// A scene with the objects of the trees as its own, one that also has v in an instance.
	own          linear.View
	alone, scene linear.SceneView
}

// formCheck compares a form with the reference form of its kind, and returns the size of the result.
type formCheck func(t *testing.T, a *asked) int

// checks are comparisons by name: one for each exported function and method that takes a filter.
type checks struct {
	all map[string]formCheck
	of  map[string]string
}

func (c *checks) add(name string, compare formCheck, forms ...string) {
	c.all[name] = compare
	for _, form := range forms {
		c.of[form] = name
	}
}

func formChecks() *checks {
	checks := &checks{map[string]formCheck{}, map[string]string{}}
	addScenes(checks)
	addCullers(checks)
	addViewers(checks)
	addPictures(checks)
	return checks
}

// keptOf returns the IDs that pass all fields of the filter but Exact.
func keptOf(a *asked, ids []uint32) (kept []uint32) {
	s := a.v.Store()
	var buf []soa.Location
	locations := a.v.Locator(&buf)
	for _, id := range ids {
		slot, lane, _ := locations.Locate(id)
		o := s.Packets.Object(slot, lane)
		if a.flt.Mask != 0 && o.Mask&a.flt.Mask == 0 || a.flt.Motion == query.MovingOnly && o.Static ||
			a.flt.Motion == query.StaticOnly && !o.Static || !testkit.Alive(a.flt.Only, int(id)) || id == a.excluded {
			continue
		}
		kept = append(kept, id)
	}
	return kept
}

// sameSet compares IDs in any order with sorted ones.
func sameSet(t *testing.T, got, want []uint32) {
	t.Helper()
	slices.Sort(got)
	testkit.SameIDs(t, got, want)
}

// Errors of scenes and of pictures name their package at the beginning, and hold the rejected number.
func TestErrorTexts(t *testing.T) {
	world, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	_, near := scene.AppendNearest(nil, world.View(), [3]float32{}, -77, 1, query.Filter{})
	_, picture := show.TraceQuery(query.Box{}, trees.Plant(t, []soa.Object{{}}, false).View(), query.Filter{Motion: 77})
	owner := regexp.MustCompile(`^(query|scene|show): `)
	again := regexp.MustCompile(`.\b(asm|linear|query|scene|collide|show|soa|morton|snap|radix): `)
	for number, err := range map[string]error{"-77": near, "77": picture} {
		if err == nil || !owner.MatchString(err.Error()) || again.MatchString(err.Error()) || !strings.Contains(err.Error(), number) {
			t.Errorf("%v, want one owner, at the beginning, and %s", err, number)
		}
	}
}

// Every form of every query of scenes, with occlusion culling, for viewers and for pictures heeds every field of its
// filter, alone and with the others, and agrees with its reference form. Objects have spheres or not, and are placed or
// pending. Forms that take a filter are found in the source, fields in the types. Those of packages query and collide
// are cells of TestMatrix in package query.
func TestEveryFormHeedsEveryField(t *testing.T) {
	seed := testkit.Seed(t)
	n := testkit.Budget(t, 200, 700) // of more objects no single one is found by queries of all kinds
	objects := testkit.SceneByName(t, "city").Make(n, seed)
	f := trees.Forest{Objects: objects, Trees: map[string]*linear.Tree{}}
	for _, form := range trees.Forms {
		tree := trees.New(t, linear.Config{PendingMin: 1 << 20, Log: true, Frozen: form == "frozen"})
		cut := n
		if form == "pending" {
			cut -= 100
		}
		trees.Insert(t, tree, objects[:cut])
		trees.Insert(t, tree, objects[cut:])
		f.Trees[form] = tree
	}
	scenes := map[string]*linear.Scene{}
	for _, form := range append(slices.Clone(trees.Forms), "alone") {
		s, err := linear.NewScene(linear.Config{Log: true})
		testkit.Must(t, err)
		trees.Insert(t, s.Tree(), objects)
		scenes[form], f.Trees["scene "+form] = s, s.Tree()
	}
	f.SetBalls(t, testkit.BallsIn(objects))
	for _, form := range trees.Forms {
		_, err := scenes[form].AddInstance(f.Trees[form], linear.Transform{}, linear.InstanceOptions{})
		testkit.Must(t, err)
	}
	questions := asked{Set: queries.Make(t, f.Objects, seed)}
	filters := subsets[query.Filter](t, map[string][]any{
		"Mask": {uint32(3), uint32(0x14)}, "Motion": {query.MovingOnly, query.StaticOnly}, "Only": {testkit.SomeLive(n/64 + 1)}, "Exact": {true},
		"Exclude": {excludedOf(t, f, &questions)},
	})
	pairFilters := subsets[collide.Filter](t, map[string][]any{
		"Mask": {uint32(0x13), uint32(0xc)}, "Layers": {new(collide.Layers(testkit.SomeLayers()))}, "StaticPairs": {true}, "Exact": {true},
		"Distance": {float32(3)}, "Live": {testkit.SomeLive(n/64 + 1)}, "LiveBoth": {testkit.SomeLive(n / 64)},
		"Exclude": {pairedOf(t, f)},
	})
	checks := formChecks()
	types := map[string][]string{
		"scene": {"query.Filter", "collide.Filter", "PairFilter"}, "occlude": {"query.Filter"},
		"interest": {"query.Filter"}, "show": {"query.Filter"},
	}
	folders, err := filepath.Glob("../*/doc.go")
	testkit.Must(t, err)
	for _, file := range folders {
		if folder := filepath.Base(filepath.Dir(file)); types[folder] == nil && folder != "collide" {
			t.Errorf("%s: the package has no list of its filters", file)
		}
	}
	for folder, types := range types {
		for _, filter := range types {
			for _, form := range testkit.ExportedTakers(t, filepath.Join("..", folder), filter) {
				if checks.of[form] == "" {
					t.Errorf("%s takes a filter and has no check", form)
				}
			}
		}
	}
	for name, ask := range checks.all {
		t.Run(name, func(t *testing.T) {
			testkit.EachTier(t, func(t *testing.T) {
				whole, telling := 0, 0 // the results without a filter; fields that change them, set alone
				all := filters
				ofPairs := name == "scene pairs"
				if ofPairs {
					all = make([]query.Filter, len(pairFilters))
				}
				for i, flt := range all {
					forms := trees.Forms
					if i&(i-1) != 0 { // in the normal form, fields set together are tested on one tier and tree each
						if !testkit.OfTier(t, i) {
							continue
						}
						forms = testkit.Turn(t, i/3, trees.Forms)
					}
					total := 0
					a := questions
					a.excluded = soa.None
					if flt.Exclude != (linear.Handle{}) {
						a.excluded = flt.Exclude.ID
					}
					if a.flt = flt; ofPairs {
						a.pairs = pairFilters[i]
					}
					for _, form := range forms {
						a.v = f.Trees[form].View()
						a.own, a.alone, a.scene = f.Trees["scene alone"].View(), scenes["alone"].View(), scenes[form].View()
						total += ask(t, &a)
					}
					if t.Failed() {
						t.Fatalf("filter %+v, pairs %+v", a.flt, a.pairs)
					}
					if i == 0 {
						whole = total
					} else if i&(i-1) == 0 && total != whole {
						telling++
					}
				}
				fields := len(testkit.Fields[query.Filter]())
				if ofPairs {
					fields = len(testkit.Fields[collide.Filter]())
				}
				if telling != fields && testkit.Long(t) { // two hundred have few balls that matter
					t.Errorf("%d fields change the answers, want %d", telling, fields)
				}
			})
		})
	}
}

// subsets returns filters for every set of fields of F, with the values listed for each field in turns.
func subsets[F any](t *testing.T, values map[string][]any) (all []F) {
	t.Helper()
	fields := testkit.Fields[F]()
	for set := range 1 << len(fields) {
		var f F
		for i, name := range fields {
			list := values[name]
			if len(list) == 0 {
				t.Fatalf("no values for the field %s of %T", name, f)
			}
			if set>>i&1 != 0 {
				reflect.ValueOf(&f).Elem().FieldByName(name).Set(reflect.ValueOf(list[set%len(list)]))
			}
		}
		all = append(all, f)
	}
	return all
}

// excludedOf returns the handle, the same in all trees, of an object that queries of many kinds find.
func excludedOf(t *testing.T, f trees.Forest, a *asked) linear.Handle {
	t.Helper()
	v, kinds := f.Trees[trees.Forms[0]].View(), make([]uint32, len(f.Objects))
	for i := range 3 {
		camera, err := eyeCamera(v.Bounds(), i).Frustum()
		testkit.Must(t, err)
		for id := range camera.All(v, query.Filter{}) {
			kinds[id] |= 4
		}
	}
	for _, q := range a.Frusta {
		for id := range q.All(v, query.Filter{}) {
			kinds[id] |= 2
		}
	}
	for _, q := range a.Rays {
		if id, _, ok := q.FirstID(v, query.Filter{}); ok {
			kinds[id] |= 8 // the fewest objects
		}
	}
	for _, q := range a.Balls {
		for _, id := range q.AppendIDs(nil, v, query.Filter{}) {
			kinds[id] |= 1
		}
	}
	best := 0
	for id := range kinds {
		if kinds[id] > kinds[best] {
			best = id
		}
	}
	h, ok := f.Trees[trees.Forms[0]].Handle(uint32(best))
	for form, tree := range f.Trees {
		if g, _ := tree.Handle(h.ID); !ok || g != h {
			t.Fatalf("%s: handle %v, want %v", form, g, h)
		}
	}
	return h
}

// pairedOf returns the handle of an object with an exact pair, the same in all trees.
func pairedOf(t *testing.T, f trees.Forest) linear.Handle {
	t.Helper()
	tree := f.Trees[trees.Forms[0]]
	for _, flt := range []collide.Filter{{Exact: true}, {}, {Distance: 100}} { // few objects may have no pairs that are exact
		for p := range collide.All(collide.Within(tree.View()), flt) {
			h, _ := tree.Handle(p.A)
			return h
		}
	}
	t.Fatal("no pairs")
	return linear.Handle{}
}
