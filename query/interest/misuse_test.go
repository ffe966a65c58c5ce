package interest_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// zeroTypes are all exported types with exported methods of the public packages, by the folders of their
// packages.
var zeroTypes = map[string][]reflect.Type{
	"linear": {
		typeOf[linear.Batch](), typeOf[linear.CheckLevel](), typeOf[linear.Checkpoint](), typeOf[linear.Cut](), typeOf[linear.Directory](),
		typeOf[linear.Version](), typeOf[linear.DirectoryVersion](), typeOf[linear.SceneVersion](), typeOf[linear.Map[string]](), typeOf[linear.Outside](),
		typeOf[linear.Phase](), typeOf[linear.Locator](), typeOf[linear.Policy](), typeOf[linear.Transform](), typeOf[linear.TransformKind](),
		typeOf[linear.Publisher](), typeOf[linear.Scene](), typeOf[linear.SceneCheckpoint](), typeOf[linear.ScenePublisher](),
		typeOf[linear.SceneSnapshot](), typeOf[linear.SceneStats](), typeOf[linear.SceneView](), typeOf[linear.Snapshot](), typeOf[linear.Stats](),
		typeOf[linear.Tree](), typeOf[linear.View](), typeOf[linear.Region](), typeOf[linear.Motion](), typeOf[linear.Keep](), typeOf[linear.Thin](),
	},
	"query": {
		typeOf[query.Box](), typeOf[query.BoxBatch](), typeOf[query.Camera](), typeOf[query.Camera32](), typeOf[query.Clip](),
		typeOf[query.Convex](), typeOf[query.Counters](), typeOf[query.Filter](), typeOf[query.Frustum](),
		typeOf[query.FrustumBatch](), typeOf[query.Func](), typeOf[query.Levels](), typeOf[query.Motion](), typeOf[query.Nearby](), typeOf[query.NearestBatch](), typeOf[query.Neighbor](),
		typeOf[query.Relation](),
		typeOf[query.OrientedBox](), typeOf[query.Point](), typeOf[query.Ray](), typeOf[query.RayBatch](), typeOf[query.Sphere](),
		typeOf[query.SphereBatch](), typeOf[query.SweptBox](), typeOf[query.SweptSphere](), typeOf[query.Viewport](),
	},
	"query/collide": {
		typeOf[collide.Batch](), typeOf[collide.Filter](), typeOf[collide.Layers](), typeOf[collide.Step](), typeOf[collide.Tracker](), typeOf[collide.BudgetTracker](),
	},
	"query/interest": {typeOf[interest.SceneTracker](), typeOf[interest.Tracker]()},
	"query/occlude":  {typeOf[occlude.Config](), typeOf[occlude.Culler](), typeOf[occlude.Mesh]()},
	"query/scene": {
		typeOf[scene.Answer](), typeOf[scene.BudgetTracker](), typeOf[scene.Counters](), typeOf[scene.NearestBatch](), typeOf[scene.Object](), typeOf[scene.Path](),
		typeOf[scene.SweepBatch[query.Ray]](), typeOf[scene.Tracker](), typeOf[scene.VolumeBatch[query.Box]](),
	},
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// zeroTypes is complete.
func TestZeroTypes(t *testing.T) {
	for folder, types := range zeroTypes {
		listed := map[string]bool{}
		for _, of := range types {
			name, _, _ := strings.Cut(of.Name(), "[")
			listed[name] = true
		}
		notTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
		packages, err := parser.ParseDir(token.NewFileSet(), filepath.Join("..", "..", folder), notTest, 0)
		testkit.Must(t, err)
		for _, p := range packages {
			for _, file := range p.Files {
				for _, d := range file.Decls {
					f, ok := d.(*ast.FuncDecl)
					if !ok || f.Recv == nil || !f.Name.IsExported() {
						continue
					}
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if index, ok := of.(*ast.IndexExpr); ok {
						of = index.X
					}
					if name := of.(*ast.Ident).Name; ast.IsExported(name) && !listed[name] {
						t.Errorf("%s.%s has methods, and is not listed", folder, name)
						listed[name] = true
					}
				}
			}
		}
	}
}

// arguments returns values of a type: the zero one, a foreign one, and one that is in use.
func arguments(t *testing.T, of reflect.Type, live map[reflect.Type]reflect.Value) []reflect.Value {
	list := []reflect.Value{reflect.Zero(of)}
	if v, ok := live[of]; ok {
		list = append(list, v)
	}
	switch of.Kind() {
	case reflect.Func:
		return []reflect.Value{reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, of.NumOut())
			for i := range out {
				out[i] = reflect.Zero(of.Out(i))
			}
			return out
		})}
	case reflect.Int, reflect.Int32, reflect.Int64:
		list = append(list, reflect.ValueOf(-1).Convert(of), reflect.ValueOf(1_000_000).Convert(of))
	case reflect.Uint32, reflect.Uint64:
		list = append(list, reflect.ValueOf(uint32(7)).Convert(of), reflect.ValueOf(^uint32(0)).Convert(of))
	case reflect.Slice:
		list = append(list, reflect.MakeSlice(of, 2, 2))
	case reflect.Pointer:
		list = list[1:]
		list = append(list, reflect.New(of.Elem()))
	}
	switch of {
	case typeOf[io.Writer]():
		return []reflect.Value{reflect.ValueOf(io.Discard)}
	case typeOf[context.Context]():
		return append(list[:1], reflect.ValueOf(t.Context()))
	case typeOf[[]uint32]():
		return append(list, reflect.ValueOf([]uint32{7, 1_000_000}))
	}
	return list
}

// calls calls a method with all combinations of arguments.
func calls(of reflect.Type, method reflect.Method, args [][]reflect.Value, receiver func() reflect.Value, failed func(text string)) {
	index := make([]int, len(args))
	for {
		in := []reflect.Value{receiver()}
		for i, k := range index {
			in = append(in, args[i][k])
		}
		if text := callOnce(method.Func, in); text != "" {
			failed(text)
			return
		}
		i := 0
		for ; i < len(index); i++ {
			if index[i]++; index[i] < len(args[i]) {
				break
			}
			index[i] = 0
		}
		if i == len(index) {
			return
		}
	}
}

// callOnce calls a method, and runs the iterators that it returns. It returns a description of any panic
// that is not one of the packages'.
func callOnce(f reflect.Value, in []reflect.Value) (text string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case string:
			if name, _, ok := strings.Cut(r, ": "); !ok || !slices.Contains([]string{"linear", "query", "collide", "interest", "occlude", "scene", "soa", "morton"}, name) {
				text = fmt.Sprintf("a panic with %q", r)
			}
		case runtime.Error:
			text = fmt.Sprintf("a panic with %v, of %v", r, in[1:])
		default:
			text = fmt.Sprintf("a panic with %T %v", r, r)
		}
	}()
	run := f.Call
	if f.Type().IsVariadic() {
		run = f.CallSlice
	}
	for _, out := range run(in) {
		if out.Kind() == reflect.Func && !out.IsNil() && out.Type().CanSeq() {
			for range out.Seq() {
			}
		} else if out.Kind() == reflect.Func && !out.IsNil() && out.Type().CanSeq2() {
			for range out.Seq2() {
			}
		}
	}
	return ""
}

// Every method of the zero value of every type works, or panics with a text of its package, for any
// arguments: never with an error of the runtime.
func TestZeroReceivers(t *testing.T) {
	live := liveValues(t)
	for _, folder := range slices.Sorted(maps.Keys(zeroTypes)) {
		for _, of := range zeroTypes[folder] {
			all := reflect.PointerTo(of)
			for i := range all.NumMethod() {
				method := all.Method(i)
				var args [][]reflect.Value
				for k := 1; k < method.Type.NumIn(); k++ {
					args = append(args, arguments(t, method.Type.In(k), live))
				}
				calls(of, method, args, func() reflect.Value { return reflect.New(of) }, func(text string) {
					t.Errorf("zero %v.%s: %s", of, method.Name, text)
				})
			}
		}
	}
}

// liveValues returns values that are in use.
func liveValues(t *testing.T) map[reflect.Type]reflect.Value {
	t.Helper()
	tree := trees.New(t, linear.Config{})
	for i := range 20 {
		_, err := tree.Insert(soa.Object{Box: soa.AABB{Min: [3]float32{float32(i)}, Max: [3]float32{float32(i) + 1, 1, 1}}, Mask: 1})
		testkit.Must(t, err)
	}
	s, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	part := trees.New(t, linear.Config{})
	_, err = part.Insert(soa.Object{Mask: 1})
	testkit.Must(t, err)
	_, err = s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
	testkit.Must(t, err)
	live := map[reflect.Type]reflect.Value{}
	for _, v := range []any{tree.View(), s.View(), query.Filter{}, [4]float32{1, 2, 3, 4}, soa.AABB{Max: [3]float32{1, 1, 1}}} {
		live[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	live[typeOf[linear.Part]()] = reflect.ValueOf(part)
	return live
}

// Every method of a value that is in use, or has been closed or released, does so with foreign arguments:
// invalid IDs, instances and handles, and zero views.
func TestForeignArguments(t *testing.T) {
	live := liveValues(t)
	for name, receiver := range receivers(t) {
		of := reflect.TypeOf(receiver())
		for i := range of.NumMethod() {
			method := of.Method(i)
			var args [][]reflect.Value
			for k := 1; k < method.Type.NumIn(); k++ {
				args = append(args, arguments(t, method.Type.In(k), live))
			}
			calls(of, method, args, func() reflect.Value { return reflect.ValueOf(receiver()) }, func(text string) {
				t.Errorf("%s, %v.%s: %s", name, of, method.Name, text)
			})
		}
	}
}

// address returns the address of a copy.
func address[T any](x T) *T { return &x }

// receivers returns functions that make values in use of each type with state.
func receivers(t *testing.T) map[string]func() any {
	tree := func() *linear.Tree {
		tree := trees.New(t, linear.Config{Log: true})
		for i := range 20 {
			_, err := tree.Insert(soa.Object{Box: soa.AABB{Min: [3]float32{float32(i)}, Max: [3]float32{float32(i) + 1, 1, 1}}, Mask: 1})
			testkit.Must(t, err)
		}
		return tree
	}
	sceneOf := func() *linear.Scene {
		s, err := linear.NewScene(linear.Config{})
		testkit.Must(t, err)
		_, err = s.AddInstance(tree(), linear.Transform{}, linear.InstanceOptions{})
		testkit.Must(t, err)
		return s
	}
	snapshot := func() *linear.Snapshot {
		var b bytes.Buffer
		_, err := tree().WriteTo(&b)
		testkit.Must(t, err)
		s, err := linear.FromBytes(b.Bytes(), linear.CheckFull)
		testkit.Must(t, err)
		return s
	}
	sceneSnapshot := func() *linear.SceneSnapshot {
		var b bytes.Buffer
		_, err := sceneOf().WriteTo(&b)
		testkit.Must(t, err)
		s, err := linear.SceneFromBytes(b.Bytes(), linear.CheckFull)
		testkit.Must(t, err)
		return s
	}
	folder := filepath.Join(t.TempDir(), "d")
	objects := func(yield func(uint64, soa.Object) bool) { _ = yield(1, soa.Object{}) && yield(9, soa.Object{Mask: 1}) }
	testkit.Must(t, linear.CreateDirectory(t.Context(), folder, objects, linear.DirectoryOptions{}))
	directory := func() *linear.Directory {
		d, err := linear.OpenDirectory(folder, linear.CheckSafe)
		testkit.Must(t, err)
		t.Cleanup(func() { testkit.Must(t, d.Close()) })
		testkit.Must(t, d.Prepare(t.Context(), soa.AABB{}))
		return d
	}
	box := queries.Box(t, soa.AABB{Min: [3]float32{}, Max: [3]float32{5, 5, 5}})
	return map[string]func() any{
		"tree":            func() any { return tree() },
		"view":            func() any { return address(tree().View()) },
		"places":          func() any { return address(tree().View().Locator(new([]soa.Location))) },
		"scene":           func() any { return sceneOf() },
		"scene view":      func() any { return address(sceneOf().View()) },
		"snapshot":        func() any { return snapshot() },
		"closed snapshot": func() any { s := snapshot(); testkit.Must(t, s.Close()); return s },
		"scene snapshot":  func() any { return sceneSnapshot() },
		"closed scene snapshot": func() any {
			s := sceneSnapshot()
			testkit.Must(t, s.Close())
			return s
		},
		"directory": func() any { return directory() },
		"closed directory": func() any {
			d := directory()
			testkit.Must(t, d.Close())
			return d
		},
		"directory view":   func() any { return address(directory().View()) },
		"held directory":   func() any { h := directory().Acquire(); return &h },
		"publisher":        func() any { return linear.NewPublisher(tree()) },
		"held":             func() any { h := linear.NewPublisher(tree()).Acquire(); return &h },
		"released":         func() any { h := linear.NewPublisher(tree()).Acquire(); h.Release(); return &h },
		"checkpoint":       func() any { return linear.NewPublisher(tree()).Checkpoint() },
		"scene publisher":  func() any { return linear.NewScenePublisher(sceneOf()) },
		"held scene":       func() any { h := linear.NewScenePublisher(sceneOf()).Acquire(); return &h },
		"scene checkpoint": func() any { return linear.NewScenePublisher(sceneOf()).Checkpoint() },
		"map": func() any {
			m := new(linear.Map[string])
			_, err := m.Insert(soa.AABB{}, "one")
			testkit.Must(t, err)
			return m
		},
		"answer": func() any {
			a := new(scene.Answer)
			scene.Append(a, box, sceneOf().View(), query.Filter{})
			return a
		},
		"path": func() any { return address(scene.PathOf(1, 2)) },
		"box batch": func() any {
			b := new(query.BoxBatch)
			testkit.Must(t, b.Find(nil, tree().View(), []query.Box{box}, query.Filter{}))
			return b
		},
		"frustum batch": func() any {
			b := new(query.FrustumBatch)
			testkit.Must(t, b.Find(nil, tree().View(), make([]query.Frustum, 1), query.Filter{}))
			return b
		},
		"tracker": func() any {
			tracker := new(collide.Tracker)
			testkit.Must(t, tracker.Update(tree().View()))
			return tracker
		},
		"scene tracker": func() any {
			tracker := new(scene.Tracker)
			testkit.Must(t, tracker.Update(sceneOf().View()))
			return tracker
		},
		"scene budget": func() any {
			s, err := linear.NewScene(linear.Config{Log: true})
			testkit.Must(t, err)
			w := new(scene.BudgetTracker)
			w.Own.Budget, w.Instances.Budget = 10, 10
			testkit.Must(t, w.Update(s.View()))
			return w
		},
		"watch": func() any {
			w := &collide.BudgetTracker{Budget: 10}
			testkit.Must(t, w.Update(tree().View()))
			return w
		},
		"interest": func() any { i := new(interest.Tracker); testkit.Must(t, i.Update(tree().View())); return i },
		"scene interest": func() any {
			tracker := new(interest.SceneTracker)
			tracker.Add(interest.Area{})
			testkit.Must(t, tracker.Update(sceneOf().View()))
			return tracker
		},
		"eye": func() any { return new(occlude.Culler) },
	}
}
