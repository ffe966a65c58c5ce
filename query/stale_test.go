package query_test

import (
	"fmt"
	"go/ast"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// scenario is a tree of overlapping objects and its queries, each with a result of several objects.
type scenario struct {
	valued  *linear.Map[int]
	tree    *linear.Tree      // of valued
	shared  *linear.Publisher // unless nil
	held    linear.Version
	v       linear.View
	tracker collide.Tracker
}

func newScenario(t *testing.T, share, hold bool) *scenario {
	s := &scenario{}
	var err error
	s.valued, err = linear.NewMap[int](linear.Config{Log: true, PendingMin: 1 << 20})
	testkit.Must(t, err)
	s.tree = s.valued.Tree()
	var objects []soa.Object
	for i := range 600 {
		x := float32(i)
		objects = append(objects, soa.Object{Box: soa.AABB{Min: [3]float32{x - 8, -1, -1}, Max: [3]float32{x + 8, 1, 1}}, Mask: 1})
	}
	_, err = s.valued.InsertBatch(nil, objects[:550], make([]int, 550))
	testkit.Must(t, err)
	_, err = s.valued.InsertBatch(nil, objects[550:], make([]int, 50)) // pending
	testkit.Must(t, err)
	if share {
		s.shared = linear.NewPublisher(s.tree)
	}
	if s.v = s.tree.View(); hold {
		s.held = s.shared.Acquire()
		s.v = s.held.View()
	}
	return s
}

// follow updates the tracker with pairs, all of which have stayed.
func (s *scenario) follow(t *testing.T) {
	testkit.Must(t, s.tracker.Update(s.v))
	testkit.Must(t, s.tracker.Update(s.v))
}

// receiver returns the receiver for the methods of a type, nil for no type of this table.
func (s *scenario) receiver(t *testing.T, kind string) (on any) {
	big := soa.AABB{Min: [3]float32{-100, -5, -5}, Max: [3]float32{300, 5, 5}}
	var err error
	switch kind {
	case "Tree":
		on = s.tree
	case "Map":
		on = s.valued
	case "View":
		on = s.v
	case "collide.Tracker":
		on = &s.tracker
	case "collide.BudgetTracker":
		on = &collide.BudgetTracker{Budget: 1000}
	case "Box":
		on = box(t, big)
	case "OrientedBox":
		on = orientedBox(t, soa.OrientedBox{Center: [3]float32{100, 0, 0}, Axes: [3][3]float32{{200, 0, 0}, {0, 5, 0}, {0, 0, 5}}})
	case "Func":
		on = function(t, big, ofBox(big))
	case "Sphere":
		on, err = query.NewSphere([3]float32{100, 0, 0}, 500)
	case "Point":
		on, err = query.NewPoint([3]float32{50, 0, 0})
	case "Ray":
		on, err = query.NewRay([3]float32{-50, 0, 0}, [3]float32{1, 0, 0}, 1000)
	case "SweptBox":
		on, err = query.NewSweptBox(big, [3]float32{1, 2, 3})
	case "SweptSphere":
		on, err = query.NewSweptSphere([3]float32{}, 5, [3]float32{100, 0, 0})
	default:
		for _, zero := range []any{
			&query.Frustum{}, &query.Convex{}, &query.Nearby{}, &query.FrustumBatch{}, &query.BoxBatch{},
			&query.SphereBatch{}, &query.RayBatch{}, &query.NearestBatch{}, &query.Levels{}, &collide.Batch{},
		} {
			if qualifiedType(reflect.TypeOf(zero).Elem()) == kind {
				on = zero
			}
		}
	}
	testkit.Must(t, err)
	return on
}

var viewFuncs = map[string]any{
	"AppendNearest": query.AppendNearest, "ExplainNearest": query.ExplainNearest, "Boxes": query.Boxes[query.Box],
	"collide.Append": collide.Append, "collide.Count": collide.Count, "collide.All": collide.All,
	"collide.AppendContacts": collide.AppendContacts, "collide.AppendImpacts": collide.AppendImpacts, "NewHeat": query.NewHeat,
	"collide.Nearest": collide.Nearest,
}

// form returns the function or method of that name.
func (s *scenario) form(t *testing.T, name string) (form reflect.Value, ok bool) {
	kind, method, isMethod := cutMethod(name)
	if !isMethod {
		f, ok := viewFuncs[name]
		return reflect.ValueOf(f), ok
	}
	on := s.receiver(t, kind)
	if on == nil {
		return form, false
	}
	return addressed(on).MethodByName(method), true
}

// call calls a form with the view and zeros, and runs the iteration that it returns, calling step each time. It
// returns the text of its panic and the number of steps.
func (s *scenario) call(form reflect.Value, step func()) (said string, steps int) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint(p)
		}
	}()
	next := func() { steps++; step() }
	var args []reflect.Value
	for i := range form.Type().NumIn() {
		switch in := form.Type().In(i); in {
		case reflect.TypeFor[linear.View]():
			args = append(args, reflect.ValueOf(s.v))
		case reflect.TypeFor[collide.Views]():
			args = append(args, reflect.ValueOf(collide.Within(s.v)))
		case reflect.TypeFor[linear.Cell]():
			largest := slices.MaxFunc(slices.Collect(s.tree.Cells()), func(a, b linear.Cell) int { return a.Packets - b.Packets })
			args = append(args, reflect.ValueOf(largest))
		case reflect.TypeFor[uint32]():
			args = append(args, reflect.ValueOf(uint32(7)))
		case reflect.TypeFor[*[]uint32]():
			args = append(args, reflect.ValueOf(new([]uint32)))
		case reflect.TypeFor[func(query.Range) bool]():
			args = append(args, reflect.ValueOf(func(query.Range) bool { next(); return true }))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	for _, out := range form.Call(args) {
		switch {
		case out.Kind() != reflect.Func:
		case out.Type().CanSeq2():
			for range out.Seq2() {
				next()
			}
		default:
			for range out.Seq() {
				next()
			}
		}
	}
	return "", steps
}

// iterators returns the names of all functions that yield in the package of a folder.
func iterators(t *testing.T, folder string) []string {
	return exported(t, folder, func(d *ast.FuncDecl) bool {
		for _, f := range d.Type.Params.List {
			if len(f.Names) > 0 && f.Names[0].Name == "yield" {
				return true
			}
		}
		return d.Type.Results != nil && strings.HasPrefix(testkit.TypeText(d.Type.Results.List[0].Type), "iter.Seq")
	})
}

// ends are ways to end the views of a scenario.
var ends = map[string]func(s *scenario) error{
	"insert": func(s *scenario) error { _, err := s.tree.Insert(soa.Object{}); return err },
	"remove": func(s *scenario) error { return s.tree.Remove(3) },
	"move":   func(s *scenario) error { return s.tree.Move(3, soa.AABB{}) },
	"moves":  func(s *scenario) error { return s.tree.MoveBatch([]uint32{1, 2}, make([]soa.AABB, 2)) },
	"mask":   func(s *scenario) error { return s.tree.SetMask(3, 4) },
	"static": func(s *scenario) error { return s.tree.SetStatic(3, true) },
	"sphere": func(s *scenario) error { return s.tree.SetSphere(3, [4]float32{0, 0, 0, 0.5}) },
	"apply": func(s *scenario) error {
		var b linear.Batch
		b.Remove(8)
		_, err := s.tree.Apply(&b)
		return err
	},
	"flush":   func(s *scenario) error { return s.tree.Flush() },
	"tick":    func(s *scenario) error { return s.tree.Tick() },
	"rebuild": func(s *scenario) error { return s.tree.Rebuild(nil, linear.RebuildOptions{}) },
	"clear":   func(s *scenario) error { s.tree.Clear(); return nil },
	"refill": func(s *scenario) error {
		s.tree.Clear()
		_, err := s.tree.InsertBatch(nil, make([]soa.Object, 100))
		return err
	},
	"publish": func(s *scenario) error { err := s.tree.Remove(3); s.shared.Publish(); return err },
	"release": func(s *scenario) error { s.held.Release(); return nil },
}

// An iteration whose tree, version or tracker changes at a step, be it the last,
// panics there and yields nothing more.
func TestIteratorsNoticeChanges(t *testing.T) {
	var names []string
	for _, name := range iterators(t, "../linear") {
		names = append(names, strings.TrimPrefix(name, "linear."))
	}
	for _, folder := range asking {
		names = append(names, iterators(t, folder)...)
	}
	// Scenes, their views and versions of directories end with other changes: see TestScenePartsNotice and
	// TestViewAllStale of package linear, and TestDirectoryParts of package scene.
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "Scene") || strings.HasPrefix(name, "DirectoryVersion")
	})
	for i, name := range names {
		for k, how := range slices.Sorted(maps.Keys(ends)) {
			end := ends[how]
			if how == "release" && (strings.HasPrefix(name, "Tree.") || strings.HasPrefix(name, "Map.")) {
				continue // no version to release
			}
			for _, at := range testkit.Turn(t, i+k, []int{1, 3, -1}) {
				s := newScenario(t, how == "publish" || how == "release", how == "release")
				form, ok := s.form(t, name)
				if !ok {
					t.Fatalf("%s is not tested", name)
				}
				want, end := "linear: a view of ", end
				if strings.HasPrefix(name, "collide.Tracker") {
					s.follow(t)
					want = "collide: a Tracker was updated, reset or trimmed"
					end = func(s *scenario) error { return s.tracker.Update(s.v) }
					if how == "clear" {
						end = func(s *scenario) error { s.tracker.Reset(); return nil }
					}
				}
				said, all := s.call(form, func() {})
				if said != "" || all < 2 {
					t.Fatalf("%s: %d steps, %s", name, all, said)
				}
				last := at
				if at < 0 || at > all {
					last = all
				}
				step := 0
				said, _ = s.call(form, func() {
					if step++; step == last {
						testkit.Must(t, end(s))
					}
				})
				if !strings.HasPrefix(said, want) || step != last {
					t.Errorf("%s, %s at step %d of %d: %d steps, %q", name, how, last, all, step, said)
				}
			}
		}
	}
}

// Every function that takes a view panics with one that has ended: one of a tree that has changed, one of a version
// that has been released, though it is still published, or one of a snapshot that has been closed. Only String
// describes such a view.
func TestStaleViews(t *testing.T) {
	var names []string
	for _, folder := range asking {
		names = append(names, exported(t, folder, func(d *ast.FuncDecl) bool {
			return slices.ContainsFunc(d.Type.Params.List, func(f *ast.Field) bool {
				return testkit.TypeText(f.Type) == "linear.View" || testkit.TypeText(f.Type) == "Views"
			})
		})...)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains([]string{"collide.Within", "collide.Between", "Narrow", "Resolve"}, name)
	}) // which read no view, or are parts of other queries
	for i := range reflect.TypeFor[linear.View]().NumMethod() {
		if name := reflect.TypeFor[linear.View]().Method(i).Name; name != "String" {
			names = append(names, "View."+name)
		}
	}
	for _, name := range names {
		changed, released, closed := newScenario(t, false, false), newScenario(t, true, true), newScenario(t, false, false)
		var file snapBuffer
		_, err := closed.tree.WriteTo(&file)
		testkit.Must(t, err)
		snapshot, err := linear.FromBytes(file, linear.CheckSafe)
		testkit.Must(t, err)
		closed.v = snapshot.View()
		testkit.Must(t, changed.tree.SetMask(3, 4))
		released.held.Release()
		testkit.Must(t, snapshot.Close())
		for how, s := range map[string]*scenario{"changed": changed, "released": released, "closed": closed} {
			form, ok := s.form(t, name)
			if !ok {
				t.Errorf("%s is not tested", name)
				break
			}
			if said, _ := s.call(form, func() {}); !strings.HasPrefix(said, "linear: a view of ") {
				t.Errorf("%s of a view that has been %s: %q", name, how, said)
			}
		}
	}
	// Values made of a view end with it.
	s := newScenario(t, false, false)
	var buf []soa.Location
	locations := s.v.Locator(&buf)
	testkit.Must(t, s.tree.Remove(9))
	if said := panicked(func() { locations.Locate(3) }); !strings.HasPrefix(said, "linear: a view of ") {
		t.Errorf("Places.Find of a view that has ended: %q", said)
	}
}

func panicked(f func()) string { return fmt.Sprint(testkit.Panic(f)) }

// Holders of one version do not end each other's views, and a later holder does not restore the views of an earlier
// one.
func TestVersionViewsEndAlone(t *testing.T) {
	s := newScenario(t, true, true)
	a, b := s.shared.Acquire(), s.shared.Acquire()
	va, vb := a.View(), b.View()
	a.Release()
	if n := vb.Len() + s.v.Len(); n != 1200 {
		t.Errorf("%d objects, want 1200", n)
	}
	hold := func() {
		c := s.shared.Acquire()
		if c.View().Len() != 600 {
			t.Error("a version that is held has other objects")
		}
		if said := panicked(func() { va.Len() }); !strings.Contains(said, "release") {
			t.Fatalf("a view after its release: %q", said)
		}
		c.Release()
	}
	for range 100 {
		hold()
	}
	b.Release()
	if said := panicked(func() { vb.Len() }); !strings.Contains(said, "release") {
		t.Errorf("a view after its release: %q", said)
	}
	testkit.Allocs(t, 100, func() {
		c := s.shared.Acquire()
		if c.View().Len() != 600 {
			t.Error("a version that is held has other objects")
		}
		c.Release()
	})
}

// Tests that must be complete read the source for the names to cover.

// asking are the folders with queries: package query, whose names stand alone, and its subpackages, whose names have
// their package before them.
var asking = []string{".", "collide"}

// qualifiedType is the qualified name of a type by reflection.
func qualifiedType(t reflect.Type) string { return strings.TrimPrefix(t.String(), "query.") }

// cutMethod cuts Type.Method, which may have a package before it.
func cutMethod(name string) (kind, method string, ok bool) {
	k := strings.LastIndexByte(name, '.')
	if k < 0 || !ast.IsExported(name[:k]) && !strings.Contains(name[:k], ".") {
		return name, "", false
	}
	return name[:k], name[k+1:], true
}

// exported returns the names, as Func or Type.Method, of the exported functions and
// methods that match. There is at least one.
func exported(t *testing.T, folder string, match func(*ast.FuncDecl) bool) []string {
	t.Helper()
	names := testkit.ExportedFuncs(t, folder, match)
	if len(names) == 0 {
		t.Fatalf("nothing in %s matches", folder)
	}
	return names
}
