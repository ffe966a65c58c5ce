package linear_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Invalid thinning is rejected by New and when a file is opened, by the name of the field. The default number is
// filled in.
func TestThinConfig(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	base := newTree(t, linear.Config{})
	for _, c := range []struct {
		thin linear.Thin
		says string
	}{
		{linear.Thin{Cell: nan}, "Thin.Cell NaN"},
		{linear.Thin{Cell: inf}, "Thin.Cell +Inf"},
		{linear.Thin{Cell: -1}, "Thin.Cell -1"},
		{linear.Thin{Cell: 0x1p-1074}, "too small"},
		{linear.Thin{Cell: 0x1p-897}, "too small"},
		{linear.Thin{Most: 2}, "Thin.Cell 0"},
		{linear.Thin{Keep: linear.KeepNewest}, "Thin.Cell 0"},
		{linear.Thin{Cell: 1, Most: -1}, "Thin.Most -1"},
		{linear.Thin{Cell: 1, Keep: linear.KeepNearest, Most: 1}, "Thin.Most 1"},
		{linear.Thin{Cell: 1, Keep: linear.KeepNewest, Most: 2}, "Thin.Most 2"},
		{linear.Thin{Cell: 1, Keep: 3}, "Thin.Keep 3"},
	} {
		if _, err := linear.New(linear.Config{Thin: c.thin}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: error %v, want %q", c.thin, err, c.says)
		}
		// The numbers of the thinning follow those of the rest of the configuration.
		names, words := linear.SavedNumbers(base)
		at := slices.IndexFunc(names, func(name string) bool { return !strings.HasPrefix(name, "Config.") })
		for _, n := range []struct {
			name string
			word uint64
		}{{"Cell", math.Float64bits(c.thin.Cell)}, {"Keep", uint64(c.thin.Keep)}, {"Most", uint64(c.thin.Most)}} {
			if n.word != 0 {
				names, words = slices.Insert(names, at, "Config.Thin."+n.name), slices.Insert(words, at, n.word)
				at++
			}
		}
		if _, err := linear.FromBytes(linear.WriteNumbers(base, names, words), linear.CheckNone); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v in a file: error %v, want %q", c.thin, err, c.says)
		}
	}
	tree := newTree(t, linear.Config{Thin: linear.Thin{Cell: 1}})
	if got := tree.Config().Thin; got != (linear.Thin{Cell: 1, Most: 1}) {
		t.Errorf("the defaults are %+v", got)
	}
	for k, text := range []string{"first", "nearest", "newest"} {
		var back linear.Keep
		if got := linear.Keep(k).String(); got != text || back.UnmarshalText([]byte(text)) != nil || back != linear.Keep(k) {
			t.Errorf("Keep %d is %q, and back %d", k, got, back)
		}
	}
}

// A file of a tree that thins is rejected if an object has an extent or a bound. Without checks it loads, and
// insertions and removals do no harm.
func TestThinHostile(t *testing.T) {
	for _, bounds := range []bool{false, true} {
		tree := newTree(t, linear.Config{})
		insert(t, tree, []soa.Object{pointObject([3]float32{1, 1, 1}, 1), pointObject([3]float32{1, 1, 1}, 1), pointObject([3]float32{3, 3, 3}, 1)})
		if bounds {
			must(t, tree.SetSphere(2, [4]float32{3, 3, 3, 0}))
		} else {
			must(t, tree.Move(2, soa.AABB{Min: [3]float32{3, 3, 3}, Max: [3]float32{9, 9, 9}}))
		}
		names, words := linear.SavedNumbers(tree)
		at := slices.IndexFunc(names, func(name string) bool { return !strings.HasPrefix(name, "Config.") })
		names, words = slices.Insert(names, at, "Config.Thin.Cell"), slices.Insert(words, at, math.Float64bits(1))
		file := linear.WriteNumbers(tree, names, words)
		if _, err := opened(t, file, linear.CheckSafe).Load(); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), "thins") {
			t.Errorf("bounds %v: error %v", bounds, err)
		}
		again, err := opened(t, file, linear.CheckNone).Load()
		must(t, err)
		ids, err := again.InsertPoints(nil, [][3]float32{{1.5, 1.5, 1.5}, {3.5, 3.5, 3.5}, {5, 5, 5}}, linear.Labels{})
		must(t, err)
		if !slices.Equal(ids, []uint32{linear.None, linear.None, 3}) {
			t.Errorf("bounds %v: IDs %d", bounds, ids)
		}
		must(t, again.RemoveBatch([]uint32{1, 3, 2, 0}))
	}
}

// A build that fails leaves the tree empty: later insertions find no occupied cell. A rejected batch has no effect,
// wherever the bad point is.
func TestThinFailures(t *testing.T) {
	points := make([][3]float32, 3000)
	objects := make([]soa.Object, len(points))
	for i := range points {
		points[i] = [3]float32{float32(i % 50), float32(i / 50 % 50), float32(i / 2500)}
		objects[i] = pointObject(points[i], 1)
	}
	for _, keep := range []linear.Keep{linear.KeepFirst, linear.KeepNearest, linear.KeepNewest} {
		tree := newTree(t, linear.Config{Thin: linear.Thin{Cell: 2, Keep: keep}})
		ctx, cancel := context.WithCancel(t.Context())
		err := tree.Build(ctx, objects, linear.RebuildOptions{Progress: func(p linear.Phase, share float64) {
			if p == linear.PhaseFill {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || tree.Len() != 0 {
			t.Fatalf("a cancelled build of %d objects: error %v", tree.Len(), err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = tree.Build(nil, objects, linear.RebuildOptions{Progress: func(linear.Phase, float64) { panic("stop") }})
		}()
		valid(t, tree)
		for n := range 3 {
			state := linear.StateOf(tree)
			for _, bad := range []int{0, 70, 2999} {
				some := slices.Clone(points)
				some[bad][1] = float32(math.NaN())
				for i := range some {
					some[i][0] += 0.25 // replaces objects, before the bad point
				}
				ids, err := tree.InsertPoints([]uint32{5}, some, linear.Labels{})
				if err == nil || !strings.Contains(err.Error(), "not finite") || len(ids) != 1 || linear.StateOf(tree) != state {
					t.Fatalf("%v: point %d is not finite: error %v, %d IDs", keep, bad, err, len(ids))
				}
				valid(t, tree)
			}
			ids, err := tree.InsertPoints(nil, points[:1000*(n+1)], linear.Labels{})
			must(t, err)
			kept := 0
			for _, id := range ids {
				if id != linear.None {
					kept++
				}
			}
			if n == 0 && kept != 25*10 || n > 0 && kept == 0 {
				t.Errorf("%v: %d of %d points are kept in step %d", keep, kept, len(ids), n)
			}
			must(t, tree.Tick())
			valid(t, tree)
		}
	}
}

// In steady state insertions that thin, moves and removals allocate nothing.
func TestThinAllocs(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	r := testkit.Rand(testkit.Seed(t))
	for _, thin := range []linear.Thin{{Cell: 1}, {Cell: 1, Most: 3}, {Cell: 1, Keep: linear.KeepNearest}, {Cell: 1, Keep: linear.KeepNewest}} {
		tree := newTree(t, linear.Config{Thin: thin, Workers: 1})
		points := make([][3]float32, 500)
		ids, gone := make([]uint32, 0, 500), make([]uint32, 0, 500)
		var b linear.Batch
		frame := func() {
			for i := range points {
				points[i] = [3]float32{r.Float32() * 12, r.Float32() * 12, r.Float32() * 12}
			}
			var err error
			ids, err = tree.InsertPoints(ids[:0], points, linear.Labels{})
			must(t, err)
			gone = gone[:0]
			for i, id := range ids {
				if tree.Has(id) && i%2 == 0 {
					gone = append(gone, id)
				} else if tree.Has(id) {
					must(t, tree.Move(id, soa.AABB{Min: points[0], Max: points[0]}))
				}
			}
			must(t, tree.RemoveBatch(gone))
			_, err = tree.Insert(pointObject(points[1], 1))
			must(t, err)
			b.Reset()
			b.InsertPoints(points[:100], linear.Labels{})
			_, err = tree.Apply(&b)
			must(t, err)
			must(t, tree.Tick())
		}
		for range 200 {
			frame()
		}
		if n := testing.AllocsPerRun(50, frame); n > 0.5 {
			t.Errorf("%+v: %v allocations a frame, of %d objects", thin, n, tree.Len())
		}
	}
}

// A map that thins returns stale handles for points that are dropped.
func TestThinMap(t *testing.T) {
	m, err := linear.NewMap[string](linear.Config{Thin: linear.Thin{Cell: 1, Keep: linear.KeepNewest}})
	must(t, err)
	at := func(x float32) soa.Object { return pointObject([3]float32{x, 0, 0}, 1) }
	handles, err := m.InsertBatch(nil, []soa.Object{at(0.1), at(0.2), at(1.5)}, []string{"a", "b", "c"})
	must(t, err)
	if _, ok := m.Get(handles[0]); ok || handles[0].ID != linear.None {
		t.Errorf("the handle %v of a dropped point has a value", handles[0])
	}
	b, err := m.Insert(at(0.3).Box, "d")
	must(t, err)
	if value, ok := m.Get(b); !ok || value != "d" || b.ID != handles[1].ID || m.Len() != 2 {
		t.Errorf("%v has the value %q, of %d", b, value, m.Len())
	}
	if _, ok := m.Get(handles[1]); ok || !slices.Equal(m.Tree().Thinned(), handles[1:2]) {
		t.Errorf("%v were thinned, want %v", m.Tree().Thinned(), handles[1])
	}
}
