package query_test

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// formOf returns the function or method of that name, with a zero receiver that a
// constructor might have made.
func formOf(t *testing.T, name string) (form reflect.Value, ok bool) {
	kind, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		form, ok = map[string]reflect.Value{
			"AppendNearest": reflect.ValueOf(query.AppendNearest), "ExplainNearest": reflect.ValueOf(query.ExplainNearest),
			"Boxes": reflect.ValueOf(query.Boxes[query.Frustum]), "Remove": reflect.ValueOf(query.Remove[query.Frustum]),
		}[kind]
		return form, ok
	}
	for _, q := range []any{
		&query.Frustum{}, &query.Box{}, &query.OrientedBox{}, &query.Sphere{}, &query.Point{}, &query.Convex{}, &query.Func{}, &query.Ray{}, &query.SweptBox{}, &query.SweptSphere{},
		&query.Nearby{}, &query.FrustumBatch{}, &query.BoxBatch{}, &query.SphereBatch{}, &query.RayBatch{}, &query.NearestBatch{},
	} {
		if v := reflect.ValueOf(q); v.Type().Elem().Name() == kind {
			return v.MethodByName(method), true
		}
	}
	return form, false
}

// refusal calls a form with a filter and zeros, and returns the error, or whether it panics. An iterator is run.
func refusal(form reflect.Value, v linear.View, flt query.Filter) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint("panic: ", p)
		}
	}()
	var args []reflect.Value
	for i := range form.Type().NumIn() {
		switch in := form.Type().In(i); in {
		case reflect.TypeFor[linear.View]():
			args = append(args, reflect.ValueOf(v))
		case reflect.TypeFor[*linear.Tree]():
			args = append(args, reflect.ValueOf(new(linear.Tree)))
		case reflect.TypeFor[query.Filter]():
			args = append(args, reflect.ValueOf(flt))
		case reflect.TypeFor[func(query.Range) bool]():
			args = append(args, reflect.ValueOf(func(query.Range) bool { return true }))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	for _, out := range form.Call(args) {
		switch x := out.Interface().(type) {
		case error:
			return "error: " + x.Error()
		case iter.Seq[uint32]:
			x(func(uint32) bool { return true })
		case iter.Seq2[uint32, soa.AABB]:
			x(func(uint32, soa.AABB) bool { return true })
		case iter.Seq[query.Hit]:
			x(func(query.Hit) bool { return true })
		case iter.Seq[query.Neighbor]:
			x(func(query.Neighbor) bool { return true })
		}
	}
	return ""
}

// Every form rejects an undefined motion on every tree, by an error where it can return one, else by a panic, with
// the number.
func TestUnknownMotion(t *testing.T) {
	for _, n := range []int{0, 10, 2000} {
		v := plant(t, testkit.SceneByName(t, "city").Make(n, 1), true).View()
		for _, name := range testkit.ExportedTakers(t, ".", "Filter") {
			form, ok := formOf(t, name)
			if !ok {
				t.Errorf("%s is not tested", name)
				continue
			}
			want := "panic: "
			if k := form.Type().NumOut(); k > 0 && form.Type().Out(k-1) == reflect.TypeFor[error]() {
				want = "error: "
			}
			for _, m := range []query.Motion{3, 9, 255} {
				said := refusal(form, v, query.Filter{Motion: m})
				if !strings.HasPrefix(said, want) || !strings.Contains(said, fmt.Sprintf("%d", m)) {
					t.Errorf("%s with motion %d of %d objects: %q", name, m, n, said)
				}
			}
			if said := refusal(form, v, query.Filter{Motion: query.StaticOnly}); said != "" {
				t.Errorf("%s of static objects: %s", name, said)
			}
		}
	}
}

// Check of a filter returns an error, and the forms for kernels panic with it.
func TestFilterCheck(t *testing.T) {
	for m := range 256 {
		f := query.Filter{Mask: 5, Motion: query.Motion(m), Only: []uint64{9}, Exact: true}
		err := f.Check()
		if (err == nil) != (f.Motion <= query.StaticOnly) || err != nil && !strings.Contains(err.Error(), fmt.Sprint(m)) {
			t.Errorf("motion %d: %v", m, err)
		}
		keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
		for name, form := range map[string]func() any{
			"NodeFilter": func() any { return keep.NodeFilter() },
			"LaneFilter": func() any { l := keep.LaneFilter(); return asm.NodeFilter{Mask: l.Mask, Flags: l.Flags} },
		} {
			said := func() (said any) {
				defer func() {
					if p := recover(); p != nil {
						said = p
					}
				}()
				return form()
			}()
			if err != nil && said != err.Error() || err == nil && said != (asm.NodeFilter{Mask: 5, Flags: motionFlags[m]}) {
				t.Errorf("%s of motion %d: %v, want %v", name, m, said, err)
			}
		}
		if err == nil && !slices.Equal(keep.LaneFilter().Only, f.Only) {
			t.Errorf("motion %d: the lanes are filtered by other IDs", m)
		}
	}
}

// motionFlags are the children that each motion searches.
var motionFlags = []soa.Ref{query.AnyMotion: soa.RefMoving | soa.RefStatic, query.MovingOnly: soa.RefMoving, query.StaticOnly: soa.RefStatic}

// Every constructor rejects an undefined clip range, with the number in the error.
func TestUnknownClip(t *testing.T) {
	for c := range 256 {
		clip := query.Clip(c)
		known := clip&^query.ClipInfiniteFar <= query.ClipReversedZ
		m, wide, zero := [16]float32{0: 1, 5: 1, 10: 1, 15: 1}, [16]float64{0: 1, 5: 1, 10: 1, 15: 1}, [3]float64{}
		for k, try := range []func() (any, error){
			func() (any, error) { return query.FrustumColumnMajor(m, clip) },
			func() (any, error) { return query.FrustumRowMajor(m, clip) },
			func() (any, error) { return query.FrustumColumnMajor64(wide, clip, zero) },
			func() (any, error) { return query.FrustumRowMajor64(wide, clip, zero) },
			func() (any, error) { return query.ViewportColumnMajor(m, clip, 3, 4) },
			func() (any, error) { return query.ViewportRowMajor(m, clip, 3, 4) },
			func() (any, error) { return query.ViewportColumnMajor64(wide, clip, zero, 3, 4) },
			func() (any, error) { return query.ViewportRowMajor64(wide, clip, zero, 3, 4) },
		} {
			if _, err := try(); known != (err == nil) || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%#x", c)) {
				t.Errorf("clip %#x, constructor %d: %v", c, k, err)
			}
		}
	}
}
