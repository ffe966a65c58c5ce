package query_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

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
