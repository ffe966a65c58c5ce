package query_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// construction is a call of a constructor with valid arguments. unlimited is the index of the number that may be +Inf,
// -1 if none may be.
type construction struct {
	name      string
	call      any
	args      []any
	unlimited int
}

// constructions are calls of all constructors whose arguments are numbers, except those of matrices: see ofRows.
func constructions() []construction {
	p, q, up := [3]float32{1, 2, 3}, [3]float32{4, 6, 8}, [3]float32{0, 0, 1}
	p64, q64, origin := [3]float64{1, 2, 3}, [3]float64{4, 6, 8}, [3]float64{5, 6, 7}
	six, six64 := [6][4]float32{}, [6][4]float64{}
	for i := range six {
		six[i], six64[i] = [4]float32{1, 2, 3, 4}, [4]float64{1, 2, 3, 4}
	}
	turned := soa.OrientedBox{Axes: [3][3]float32{{1}, {0, 1}, {0, 0, 1}}}
	camera := query.Camera{Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.5, Near: 0.1, Far: 100}
	return []construction{
		{"NewBox", query.NewBox, []any{p, q}, -1},
		{"NewBox64", query.NewBox64, []any{p64, q64, origin}, -1},
		{"NewPoint", query.NewPoint, []any{p}, -1},
		{"NewPoint64", query.NewPoint64, []any{p64, origin}, -1},
		{"NewSphere", query.NewSphere, []any{p, float32(2)}, -1},
		{"NewSphere64", query.NewSphere64, []any{p64, 2., origin}, -1},
		{"NewFunc", func(b soa.AABB) (query.Func, error) { return query.NewFunc(b, ofBox(b)) }, []any{soa.AABB{Min: p, Max: q}}, -1},
		{"NewCapsule", query.NewCapsule, []any{p, q, float32(1)}, -1},
		{"NewCylinder", query.NewCylinder, []any{p, q, float32(1)}, -1},
		{"NewCone", query.NewCone, []any{p, up, float32(1), float32(1)}, -1},
		{"NewOrientedBox", query.NewOrientedBox, []any{turned}, -1},
		{"NewRay", query.NewRay, []any{p, up, float32(9)}, 6},
		{"NewRay64", query.NewRay64, []any{p64, q64, 9., origin}, 6},
		{"NewSweptBox", query.NewSweptBox, []any{soa.AABB{Min: p, Max: q}, up}, -1},
		{"NewSweptSphere", query.NewSweptSphere, []any{p, float32(1), up}, -1},
		{"NewNearby", query.NewNearby, []any{p}, -1},
		{"FrustumPlanes", query.FrustumPlanes, []any{six}, -1},
		{"FrustumPlanes64", query.FrustumPlanes64, []any{six64, origin}, -1},
		{"ConvexPlanes", func(p [6][4]float32) (query.Convex, error) { return query.ConvexPlanes(p[:]) }, []any{six}, -1},
		{"ConvexPlanes64", func(p [6][4]float64, o [3]float64) (query.Convex, error) { return query.ConvexPlanes64(p[:], o) }, []any{six64, origin}, -1},
		{"Camera.Frustum", query.Camera.Frustum, []any{camera}, 12},
	}
}

// numbersOf returns the settable floating-point numbers in a value.
func numbersOf(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return []reflect.Value{v}
	case reflect.Array:
		for i := range v.Len() {
			all = append(all, numbersOf(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, numbersOf(v.Field(i))...)
		}
	}
	return all
}

// Every constructor rejects every number that is not finite, with the number, or the index of its plane, in the error,
// and returns the zero value.
func TestConstructorsRefuse(t *testing.T) {
	for _, c := range constructions() {
		var args, numbers []reflect.Value
		for _, arg := range c.args {
			v := reflect.New(reflect.TypeOf(arg)).Elem()
			v.Set(reflect.ValueOf(arg))
			args, numbers = append(args, v), append(numbers, numbersOf(v)...)
		}
		construct := func() (value reflect.Value, err error) {
			out := reflect.ValueOf(c.call).Call(args)
			err, _ = out[1].Interface().(error)
			return out[0], err
		}
		if _, err := construct(); err != nil {
			t.Errorf("%s of valid numbers: %v", c.name, err)
		}
		for i, number := range numbers {
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				valid := number.Float()
				number.SetFloat(x)
				value, err := construct()
				number.SetFloat(valid)
				if i == c.unlimited && math.IsInf(x, 1) {
					if err != nil {
						t.Errorf("%s without limit: %v", c.name, err)
					}
					continue
				}
				mention := fmt.Sprint(x)
				if strings.Contains(c.name, "Planes") && i < 24 {
					mention = fmt.Sprintf("plane %d is not finite", i/4)
				}
				if refuse(t, err, mention); !value.IsZero() {
					t.Errorf("%s, number %d is %v: a value %v", c.name, i, x, value)
				}
				if t.Failed() {
					t.Fatalf("%s, number %d is %v: %v", c.name, i, x, err)
				}
			}
		}
	}
}

// Constructors reject finite numbers that make no query, with these numbers in the error.
func TestConstructorsRefuseRanges(t *testing.T) {
	one, two := [3]float32{1, 1, 1}, [3]float32{2, 3, 4}
	zero, origin := [3]float64{}, [3]float64{0, 1e300, 0}
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err      error
		mentions []string
	}{
		{second(query.NewBox([3]float32{0, 2, 0}, one)), []string{"2", "inverted"}},
		{second(query.NewBox64([3]float64{1 + 1e-15, 0, 0}, [3]float64{1, 0, 0}, zero)), []string{"1.000000000000001"}},
		{second(query.NewFunc(soa.AABB{Min: [3]float32{0, 2, 0}, Max: one}, ofBox(world))), []string{"2", "inverted"}},
		{second(query.NewFunc(world, nil)), []string{"no test"}},
		{second(query.NewSphere([3]float32{}, -0.5)), []string{"-0.5"}},
		{second(query.NewSphere64(zero, -1e-60, zero)), []string{"-1e-60"}},
		{second(query.ConvexPlanes(make([][4]float32, query.MaxPlanes+1))), []string{"33", "32"}},
		{second(query.NewRay(one, [3]float32{}, 1)), []string{"zero"}},
		{second(query.NewRay(one, one, -1)), []string{"-1"}},
		{second(query.NewSweptBox(soa.AABB{Min: one}, one)), []string{"inverted"}},
		{second(query.NewCapsule(one, two, -0.5)), []string{"-0.5"}},
		{second(query.NewCylinder(one, two, -0.5)), []string{"-0.5"}},
		{second(query.NewCone(one, two, -0.5, 1)), []string{"-0.5"}},
		{second(query.NewCone(one, two, 1, -0.5)), []string{"-0.5"}},
		{second(query.NewCone(one, two, 1, 1.58)), []string{"1.58"}},
		{second(query.NewCone(one, [3]float32{}, 1, 1)), []string{"zero"}},
		{second(query.NewCylinder(one, one, 1)), []string{"no axis"}},
		// Coordinates beyond float32.
		{second(query.NewCapsule(one, two, most)), []string{"beyond"}},
		{second(query.NewCylinder([3]float32{most, 0, 0}, two, 1e38)), []string{"beyond"}},
		{second(query.NewCone(one, two, 1e38, 1.57)), []string{"beyond"}},
		{second(query.NewBox64(origin, origin, zero)), []string{"1e+300"}},
		{second(query.NewBox64(zero, zero, origin)), []string{"1e+300"}},
		{second(query.NewPoint64(origin, zero)), []string{"1e+300"}},
		{second(query.NewSphere64(origin, 1, zero)), []string{"1e+300"}},
		{second(query.NewSphere64(zero, 1e300, zero)), []string{"1e+300"}},
		{second(query.NewRay64(origin, [3]float64{1}, 1, zero)), []string{"1e+300"}},
		// Axes that are not at right angles, and a box around it beyond float32.
		{second(query.NewOrientedBox(soa.OrientedBox{Axes: [3][3]float32{{1, 1e-3}, {0, 1}, {0, 0, 1}}})), []string{"0.001"}},
		{second(query.NewOrientedBox(soa.OrientedBox{Center: [3]float32{3e38}, Axes: [3][3]float32{{3e38}, {0, 1}, {0, 0, 1}}})), []string{"3e+38"}},
	} {
		refuse(t, c.err, c.mentions...)
	}
	for name, err := range map[string]error{
		"as many planes as there may be": second(query.ConvexPlanes(make([][4]float32, query.MaxPlanes))),
		"planes of large and small numbers": second(query.FrustumPlanes64(
			[6][4]float64{{1e300, 0, 0, -1e308}, {0, 1e-300, 0, 1e300}}, [3]float64{1e300, -1e300, 0})),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
