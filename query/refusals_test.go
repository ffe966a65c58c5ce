package query_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/walk"
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

var (
	ownerFirst = regexp.MustCompile(`^(linear|query|scene|collide|show|soa|morton|snap): `)
	ownerTwice = regexp.MustCompile(`.\b(asm|linear|query|scene|collide|show|soa|morton|snap|radix): `)
)

// refuse checks an error of package query: it names the package at the beginning, and mentions these words.
func refuse(t testing.TB, err error, mentions ...string) {
	t.Helper()
	for _, m := range append(mentions, "") {
		if err == nil || !strings.Contains(err.Error(), m) || !strings.HasPrefix(err.Error(), "query: ") {
			t.Errorf("error %v does not mention %q", err, m)
		}
	}
}

// Errors that programs provoke name their package at the beginning and nowhere else, and hold the rejected number.
func TestErrorTexts(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	box := func(x float32) soa.AABB { return soa.BoxAround([3]float32{x, 0, 0}, [3]float32{1, 1, 1}) }
	inverted := soa.AABB{Min: [3]float32{1234, 0, 0}}
	tree := trees.New(t, linear.Config{})
	ids, err := tree.InsertBatch(nil, []soa.Object{{Box: box(0)}, {Box: box(5)}})
	testkit.Must(t, err)
	fixed := trees.New(t, linear.Config{World: box(0), Fixed: true, Outside: linear.OutsideReject})
	world, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	var saved bytes.Buffer
	_, err = tree.WriteTo(&saved)
	testkit.Must(t, err)
	apply := func(record func(b *linear.Batch)) error {
		var b linear.Batch
		record(&b)
		_, err := tree.Apply(&b)
		return err
	}
	flt := query.Filter{}
	v := plant(t, []soa.Object{{Box: box(0)}}, false).View()
	second := func(_ any, err error) error { return err }
	missing := filepath.Join(t.TempDir(), "missing")

	for name, c := range map[string]struct {
		err    error
		number string
		is     error
	}{
		"insert":             {second(tree.Insert(soa.Object{Box: inverted})), "1234", nil},
		"insert batch":       {second(tree.InsertBatch(nil, []soa.Object{{Box: box(0)}, {Box: inverted}})), "object 1: .*1234", nil},
		"insert ball":        {second(tree.InsertBall(soa.Ball{Sphere: [4]float32{0, 0, 0, -77}})), "-77", nil},
		"insert balls":       {second(tree.InsertBallBatch(nil, []soa.Ball{{}, {Sphere: [4]float32{nan, 0, 0, 3}}})), "object 1: .*NaN", nil},
		"outside":            {second(fixed.Insert(soa.Object{Box: box(1000)})), "1000", linear.ErrOutside},
		"move":               {tree.Move(777, box(0)), "777", linear.ErrUnknown},
		"move to":            {tree.Move(ids[0], inverted), "object 0: .*1234", nil},
		"move batch":         {tree.MoveBatch([]uint32{ids[0], 777}, []soa.AABB{box(0), box(0)}), "object 1 .*777", linear.ErrUnknown},
		"remove twice":       {tree.RemoveBatch([]uint32{ids[1], ids[1]}), "object 1 .*ID 1", nil},
		"move batch to":      {tree.MoveBatch([]uint32{ids[0], ids[1]}, []soa.AABB{box(0), inverted}), "object 1 .*ID 1.*1234", nil},
		"remove":             {tree.Remove(777), "777", linear.ErrUnknown},
		"remove batch":       {tree.RemoveBatch([]uint32{ids[0], 777}), "object 1 .*777", linear.ErrUnknown},
		"sphere":             {tree.SetSphere(ids[0], [4]float32{0, 0, 0, 55}), "object 0: .*55", nil},
		"apply a move":       {apply(func(b *linear.Batch) { b.Move(777, box(0)) }), "change 0 .*777", linear.ErrUnknown},
		"apply an insertion": {apply(func(b *linear.Batch) { b.Insert(soa.Object{Box: inverted}) }), "change 0 .*1234", nil},
		"apply batches": {apply(func(b *linear.Batch) {
			b.Insert(soa.Object{Box: box(3)})
			b.MoveBatch([]uint32{ids[0], 777}, []soa.AABB{box(0), box(0)})
		}), "change 1 .*object 1.*777", linear.ErrUnknown},
		"rebuild":      {tree.Rebuild(context.Background(), linear.RebuildOptions{Cut: 99}), "99", nil},
		"slack":        {second(linear.New(linear.Config{Slack: 101})), "101", nil},
		"policy":       {second(linear.New(linear.Config{Policy: 99})), "Policy 99", nil},
		"cut":          {second(linear.New(linear.Config{Cut: 99})), "Cut 99", nil},
		"outside what": {second(linear.New(linear.Config{Outside: 99})), "Outside 99", nil},
		"world":        {second(linear.New(linear.Config{World: inverted})), "1234", nil},
		"cell":         {second(linear.New(linear.Config{World: box(0), Fixed: true, MinCell: 1e9})), "1e\\+09", nil},
		"nothing read": {second(linear.Read(bytes.NewReader(nil), linear.CheckFull)), "0 bytes", linear.ErrSnapshot},
		"half of it":   {second(linear.Read(bytes.NewReader(saved.Bytes()[:saved.Len()/2]), linear.CheckFull)), "bytes", linear.ErrSnapshot},
		"no file":      {second(linear.OpenMapped(missing, linear.CheckFull)), "missing", nil},
		"no folder":    {second(linear.OpenDirectory(missing, linear.CheckFull)), "missing", nil},
		"no level":     {second(linear.OpenDirectory(missing, 99)), "99", nil},
		"place":        {second(world.AddInstance(nil, linear.Transform{}, linear.InstanceOptions{})), "", nil},
		"move a place": {world.Move(777, linear.Transform{}), "777", linear.ErrUnknown},

		"box":        {second(query.NewBox([3]float32{1234}, [3]float32{})), "1234", nil},
		"box64":      {second(query.NewBox64([3]float64{1234}, [3]float64{}, [3]float64{})), "1234", nil},
		"point":      {second(query.NewPoint([3]float32{nan})), "NaN", nil},
		"sphere of":  {second(query.NewSphere([3]float32{}, -77)), "-77", nil},
		"sphere64":   {second(query.NewSphere64([3]float64{}, -77, [3]float64{})), "-77", nil},
		"ray":        {second(query.NewRay([3]float32{}, [3]float32{1}, -77)), "-77", nil},
		"ray64":      {second(query.NewRay64([3]float64{}, [3]float64{1}, -77, [3]float64{})), "length -77", nil},
		"ray to":     {second(query.NewRay([3]float32{}, [3]float32{inf}, 1)), "Inf", nil},
		"swept":      {second(query.NewSweptBox(inverted, [3]float32{1})), "1234", nil},
		"ball":       {second(query.NewSweptSphere([3]float32{}, -77, [3]float32{1})), "-77", nil},
		"oriented":   {second(query.NewOrientedBox(soa.OrientedBox{Center: [3]float32{nan}})), "NaN", nil},
		"planes":     {second(query.FrustumPlanes([6][4]float32{2: {nan}})), "plane 2", nil},
		"matrix":     {second(query.FrustumRowMajor([16]float32{}, query.ClipZeroToOne)), "row 0", nil},
		"clip":       {second(query.FrustumRowMajor([16]float32{0: 1, 5: 1, 10: 1, 15: 1}, 77)), "0x4d", nil},
		"camera":     {second(query.Camera32{FovY: 77}.Frustum()), "77", nil},
		"viewport":   {second(query.Camera{FovY: 1, Aspect: 1, Forward: [3]float64{1}, Up: [3]float64{0, 1}}.Viewport(-77, 4)), "-77", nil},
		"pixel":      {second(query.Viewport{}.PickRay(77, 4)), "77", nil},
		"convex":     {second(query.ConvexPlanes(make([][4]float32, 77))), "77", nil},
		"nearest":    {second(query.AppendNearest(nil, v, [3]float32{}, -77, 1, flt)), "-77", nil},
		"batch":      {new(query.NearestBatch).Find(context.Background(), v, [][3]float32{{}, {nan}}, 3, 1, flt), "index 1: .*NaN", nil},
		"least size": {second(query.Frustum{}.MinSize(-77)), "-77", nil},
		"motion":     {query.Filter{Motion: 77}.Check(), "77", nil},

		"no log": {new(collide.Tracker).Update(v), "", collide.ErrNoLog},
	} {
		if c.err == nil {
			t.Errorf("%s is accepted", name)
			continue
		}
		text := c.err.Error()
		if !ownerFirst.MatchString(text) || ownerTwice.MatchString(text) || !regexp.MustCompile(c.number).MatchString(text) || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("%s: %q, want one owner, at the beginning, and %q", name, text, c.number)
		}
	}
}

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
