package collide_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// nearestCase is a join of two lists of objects, or within one if others is nil.
type nearestCase struct {
	objects, others []soa.Object
	k               int
	flt             collide.Filter
}

// passes reports whether a pair passes the filter as documented.
func (c *nearestCase) passes(i, j int) bool {
	to, has := c.others, func(set []uint64, id int) bool { return id>>6 < len(set) && set[id>>6]>>(id&63)&1 != 0 }
	excluded := c.flt.Exclude.Gen != 0 && int(c.flt.Exclude.ID) == i
	one, both := has(c.flt.Live, i), has(c.flt.LiveBoth, i)
	if to == nil {
		to = c.objects
		excluded = excluded || c.flt.Exclude.Gen != 0 && int(c.flt.Exclude.ID) == j
		one, both = one || has(c.flt.Live, j), both && has(c.flt.LiveBoth, j)
		if i == j {
			return false
		}
	}
	a, b := &c.objects[i], &to[j]
	return !excluded && (c.flt.Live == nil || one) && (c.flt.LiveBoth == nil || both) && passes(c.flt, a, b) &&
		(c.flt.Distance == 0 || testkit.BoxesWithin(&a.Box, &b.Box, c.flt.Distance))
}

// want returns the result by definition.
func (c *nearestCase) want() (list []collide.Neighbor) {
	to := c.others
	if to == nil {
		to = c.objects
	}
	extent := testkit.Extent(to)
	for i := range c.objects {
		left := c.k
		for _, n := range testkit.ReferenceNearestBox(extent, to, &c.objects[i].Box) {
			if left > 0 && c.passes(i, n.Index) {
				list = append(list, collide.Neighbor{A: uint32(i), B: uint32(n.Index), Dist2: n.Dist2})
				left--
			}
		}
	}
	return list
}

// draw draws k and a filter.
func (c *nearestCase) draw(rng *rand.Rand) {
	c.k = []int{0, 1, 2, 5, 15, 16, 17, 40, len(c.objects) + 1, math.MaxInt}[rng.IntN(10)]
	c.flt = collide.Filter{StaticPairs: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		c.flt.Mask = 1 + rng.Uint32N(30)
	}
	if rng.IntN(3) == 0 {
		c.flt.Layers = someLayers()
	}
	if rng.IntN(4) == 0 {
		c.flt.Live = someOf(rng, len(c.objects))
	}
	if rng.IntN(4) == 0 {
		c.flt.LiveBoth = someOf(rng, len(c.objects))
	}
	if rng.IntN(4) == 0 && len(c.objects) > 0 {
		c.flt.Exclude = linear.Handle{ID: rng.Uint32N(uint32(len(c.objects))), Gen: 1}
	}
	if rng.IntN(3) == 0 {
		c.flt.Distance = typicalDistance(rng, c.objects)
	}
}

// An object of which no pair passes the sets is not searched from: the search would visit all others.
func TestNearestSearches(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(300, 1)
	v, other := trees.Plant(t, objects, false).View(), trees.Plant(t, objects, true).View()
	three := []uint64{1<<5 | 1<<60, 0, 1 << 7}
	for _, c := range []struct {
		name string
		b    linear.View
		flt  collide.Filter
		want int
	}{
		{"within", linear.View{}, collide.Filter{}, 300},
		{"within, Live", linear.View{}, collide.Filter{Live: three}, 300},
		{"within, LiveBoth", linear.View{}, collide.Filter{LiveBoth: three}, 3},
		{"between, Live", other, collide.Filter{Live: three}, 3},
		{"between, LiveBoth", other, collide.Filter{LiveBoth: three}, 3},
	} {
		if n := collide.NearestSearches(v, c.b, c.flt); n != c.want {
			t.Errorf("%s: %d searches, want %d", c.name, n, c.want)
		}
	}
}

// The neighbours of every object are those by definition, to the bit, on each tier, for trees of every form, within one
// and between two, with boxes of every kind.
func TestNearest(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	judged, found := 0, 0
	batch := collide.Batch{Workers: 3}
	check := func(name string, objects, others []soa.Object) {
		t.Helper()
		f, other := trees.PlantAll(t, objects), trees.Plant(t, others, rng.IntN(2) == 0)
		for round := range 4 {
			c := nearestCase{objects: objects}
			b := linear.View{}
			if round%2 != 0 {
				c.others, b = others, other.View()
			}
			c.draw(rng)
			want := c.want()
			judged, found = judged+len(objects)*(len(objects)+len(others))/2, found+len(want)
			for i, form := range trees.Forms {
				tree := f.Trees[form]
				testkit.EachTier(t, func(t *testing.T) {
					first := collide.Neighbor{A: 7, B: 8, Dist2: 9}
					got, err := collide.Nearest([]collide.Neighbor{first}, tree.View(), b, c.k, c.flt)
					testkit.Must(t, err)
					if testkit.OfTier(t, i+round) {
						shared, err := batch.Nearest(nil, got[:1:1], tree.View(), b, c.k, c.flt)
						if testkit.Must(t, err); !slices.Equal(shared, got) {
							t.Errorf("%s, %s: 3 workers find %d neighbours, 1 finds %d", name, form, len(shared)-1, len(got)-1)
						}
					}
					if got[0] != first || !slices.Equal(got[1:], want) {
						at := 0
						for at < min(len(got)-1, len(want)) && got[at+1] == want[at] {
							at++
						}
						t.Fatalf("%s, %s, k=%d, filter %+v: %d neighbours, want %d; %d are the same, then %v, want %v",
							name, form, c.k, c.flt, len(got)-1, len(want), at, got[1+at:min(at+3, len(got))], want[at:min(at+2, len(want))])
					}
				})
				if t.Failed() {
					t.FailNow()
				}
			}
		}
	}
	for i, sc := range testkit.Scenes() {
		for _, n := range testkit.Budget(t, []int{testkit.Turn(t, i, []int{2, 17, 130})[0]}, []int{1, 16, 129, 700}) {
			objects := sc.Make(n, uint64(i))
			if rng.IntN(2) == 0 { // points
				for k := range objects {
					objects[k].Box.Max = objects[k].Box.Min
				}
			}
			check(sc.Name, objects, sc.Make(1+n/3, uint64(i+1)))
		}
	}
	for _, kind := range testkit.BoxKinds() {
		for range testkit.Budget(t, 4, 60) {
			var lists [2][]soa.Object
			for k, n := range []int{1 + rng.IntN(150), 1 + rng.IntN(80)} {
				for _, b := range testkit.RandomBoxes(rng, n, kind) {
					if kind == testkit.BoxesSpecial && k == 0 && rng.IntN(2) == 0 { // tiny
						for a := range 3 {
							b.Min[a], b.Max[a] = b.Min[a]*0x1p-128*0x1p-40, b.Max[a]*0x1p-128*0x1p-40
						}
					}
					lists[k] = append(lists[k], soa.Object{Box: b, Mask: rng.Uint32N(64), Static: rng.IntN(3) == 0})
				}
			}
			check(fmt.Sprint(kind), lists[0], lists[1])
		}
	}
	// All tiny: squares of the distances are scaled.
	for range testkit.Budget(t, 2, 20) {
		objects := testkit.SceneByName(t, "uniform").Make(100, 3)
		for k := range objects {
			b := &objects[k].Box
			for a := range 3 {
				b.Min[a], b.Max[a] = b.Min[a]*0x1p-70, b.Max[a]*0x1p-70
			}
		}
		check("tiny", objects, objects[:40])
	}
	if judged < testkit.Budget(t, 50_000, 3_000_000) || found < 1000 {
		t.Errorf("%d pairs judged, %d neighbours", judged, found)
	}
	t.Logf("%d pairs judged, %d neighbours", judged, found)
}

// From points it is query.AppendNearest, to the bit, of a tree that has changed, has pending objects and gaps in
// its IDs, of a version of it, and of the file of it, mapped.
func TestNearestPoints(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	tree := trees.New(t, linear.Config{PendingMin: 60, PendingShare: 1 << 20})
	points := make([][3]float32, testkit.Budget(t, 800, 8000))
	for i := range points {
		for a := range 3 {
			points[i][a] = float32(rng.IntN(40)) // ties
		}
	}
	ids, err := tree.InsertPoints(nil, points, linear.Labels{})
	testkit.Must(t, err)
	publisher := linear.NewPublisher(tree)
	for round := range testkit.Budget(t, 4, 20) {
		for range 100 {
			i := rng.IntN(len(ids))
			p := points[rng.IntN(len(points))]
			switch rng.IntN(3) {
			case 0:
				testkit.Must(t, tree.Remove(ids[i]))
				ids = slices.Delete(ids, i, i+1)
			case 1:
				testkit.Must(t, tree.Move(ids[i], soa.AABB{Min: p, Max: p}))
			default:
				ids, err = tree.InsertPoints(ids, [][3]float32{p}, linear.Labels{})
				testkit.Must(t, err)
			}
		}
		publisher.Publish()
		held := publisher.Acquire()
		path := filepath.Join(t.TempDir(), "tree")
		testkit.Must(t, tree.Save(context.Background(), path, linear.SnapshotOptions{}))
		mapped, err := linear.OpenMapped(path, linear.CheckFull)
		testkit.Must(t, err)
		for _, v := range []linear.View{tree.View(), held.View(), mapped.View()} {
			k := 1 + rng.IntN(20)
			got, err := collide.Nearest(nil, v, linear.View{}, k, collide.Filter{})
			testkit.Must(t, err)
			for _, id := range slices.Sorted(slices.Values(ids)) {
				o, _ := v.Object(id)
				h, _ := tree.Handle(id)
				want, err := query.AppendNearest(nil, v, o.Box.Min, k, query.Unlimited, query.Filter{Exclude: h})
				testkit.Must(t, err)
				for _, n := range want {
					if len(got) == 0 || got[0] != (collide.Neighbor{A: id, B: n.ID, Dist2: n.Dist2}) {
						t.Fatalf("round %d, object %d: %v, want %v", round, id, got[:min(1, len(got))], n)
					}
					got = got[1:]
				}
			}
			if len(got) > 0 {
				t.Fatalf("%d more neighbours", len(got))
			}
		}
		held.Release()
		testkit.Must(t, mapped.Close())
	}
}

// Arguments out of range are errors that name them, and no call allocates once its buffers have grown.
func TestNearestArguments(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	tree, other := trees.Plant(t, objects, true), trees.Plant(t, objects[:300], false)
	v := tree.View()
	dst := []collide.Neighbor{{A: 1}}
	for want, err := range map[string]error{
		"collide: the -1 nearest objects, want 0 or more":                          second(collide.Nearest(dst, v, v, -1, collide.Filter{})),
		"collide: Filter.Distance -1 is not a finite number of 0 or more":          second(collide.Nearest(dst, v, v, 1, collide.Filter{Distance: -1})),
		"collide: Nearest with Filter.Exact, but its distances are those of boxes": second(collide.Nearest(dst, v, v, 1, collide.Filter{Exact: true})),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	got, err := collide.Nearest(dst, v, v, 0, collide.Filter{})
	if testkit.Must(t, err); !slices.Equal(got, dst) {
		t.Errorf("k = 0 appends %v", got)
	}
	if testkit.Panic(func() { _, _ = collide.Nearest(nil, linear.View{}, v, 1, collide.Filter{}) }) == nil {
		t.Error("the zero View has neighbours")
	}
	batch := collide.Batch{Workers: 1}
	for _, flt := range []collide.Filter{{}, {StaticPairs: true}, {Mask: 3, Distance: 9}, {Layers: someLayers()}} {
		testkit.Allocs(t, 2, func() {
			got, _ = collide.Nearest(got[:0], v, linear.View{}, 3, flt)
			got, _ = collide.Nearest(got[:0], other.View(), v, 20, flt)
			got, _ = batch.Nearest(nil, got[:0], v, linear.View{}, 3, flt)
			_, _ = collide.Nearest(got[:0:len(got)], v, linear.View{}, 3, flt) // there is just enough room
		})
	}
}

// A join by any number of workers returns the same neighbours; one that is cancelled at any moment returns its slice
// unchanged and the error; progress increases from 0 to 1.
func TestNearestBatch(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 3000, 40_000), 1)
	tree := trees.Plant(t, objects, true)
	v, flt := tree.View(), collide.Filter{StaticPairs: true}
	want, err := collide.Nearest(nil, v, linear.View{}, 3, flt)
	testkit.Must(t, err)
	if len(want) != 3*len(objects) {
		t.Fatalf("%d neighbours of %d objects", len(want), len(objects))
	}
	first := collide.Neighbor{A: 7, B: 8, Dist2: 9}
	for _, workers := range []int{1, 2, 5} {
		var seen []float64
		batch := collide.Batch{Workers: workers}
		cancelled := 0
		for k := 0; ; k = 2*k + 1 {
			seen = seen[:0]
			batch.Progress = func(done float64) { seen = append(seen, done) }
			got, err := batch.Nearest(testkit.ExpireAfter(k), []collide.Neighbor{first}, v, linear.View{}, 3, flt)
			if err == nil {
				if !slices.Equal(got[1:], want) || got[0] != first {
					t.Fatalf("%d workers: %d neighbours, want %d", workers, len(got)-1, len(want))
				}
				break
			}
			cancelled++
			if !errors.Is(err, context.Canceled) || len(got) != 1 || got[0] != first {
				t.Fatalf("%d workers, cancelled at check %d: %d neighbours, %v", workers, k, len(got), err)
			}
			if seen[len(seen)-1] == 1 {
				t.Errorf("%d workers: the progress of a cancelled call is 1", workers)
			}
		}
		if cancelled < 3 {
			t.Errorf("%d workers: %d calls were cancelled", workers, cancelled)
		}
		if !slices.IsSorted(seen) || seen[0] != 0 || seen[len(seen)-1] != 1 || workers == 1 && len(seen) < 4 {
			t.Errorf("%d workers: progress %v", workers, seen)
		}
		batch.Progress = func(done float64) {
			if done > 0 {
				panic("progress")
			}
		}
		if testkit.Panic(func() { _, _ = batch.Nearest(nil, nil, v, linear.View{}, 3, flt) }) != "progress" {
			t.Errorf("%d workers: no panic", workers)
		}
		batch.Progress = nil
		got, err := batch.Nearest(nil, nil, v, linear.View{}, 3, flt)
		if testkit.Must(t, err); !slices.Equal(got, want) {
			t.Errorf("%d workers: %d neighbours after a panic, want %d", workers, len(got), len(want))
		}
	}
	for want, err := range map[string]error{
		"collide: the -1 nearest objects, want 0 or more": second(new(collide.Batch).Nearest(nil, nil, v, v, -1, flt)),
		"context canceled": second(new(collide.Batch).Nearest(testkit.ExpireAfter(0), nil, v, v, 1, flt)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The neighbours of points within a distance are those by definition where distances end a last bit below, at and above
// that distance.
func TestNearestDistance(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found := 0
	for range testkit.Budget(t, 10, 300) {
		c := nearestCase{k: 1 + rng.IntN(12), flt: collide.Filter{Distance: float32(0.1 + rng.Float64())}}
		for range 60 {
			var p [3]float32
			for a := range p {
				p[a] = float32(rng.IntN(4)) * c.flt.Distance
				for range rng.IntN(3) {
					p[a] = math.Nextafter32(p[a], float32(rng.IntN(5)))
				}
			}
			c.objects = append(c.objects, soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1})
		}
		want := c.want()
		got, err := collide.Nearest(nil, trees.Plant(t, c.objects, true).View(), linear.View{}, c.k, c.flt)
		if testkit.Must(t, err); !slices.Equal(got, want) {
			t.Fatalf("k=%d, distance %x: %d neighbours, want %d", c.k, c.flt.Distance, len(got), len(want))
		}
		found += len(got)
	}
	if found == 0 {
		t.Error("no neighbours")
	}
}

func second[A any](_ A, err error) error { return err }

// endingContext is canceled at a call of Err.
type endingContext struct {
	context.Context
	calls, last atomic.Int64
}

func (c *endingContext) Err() error {
	if c.calls.Add(1) >= c.last.Load() {
		return context.Canceled
	}
	return nil
}

// A context that is canceled at the last task ends the join with its error, whichever worker has that task; one that is
// canceled after it has no effect.
func TestNearestCanceledAtTheEnd(t *testing.T) {
	v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(3000, 1), false).View()
	batch := collide.Batch{Workers: 1}
	ctx := endingContext{Context: context.Background()}
	ctx.last.Store(1 << 40)
	whole, err := batch.Nearest(&ctx, nil, v, linear.View{}, 2, collide.Filter{StaticPairs: true})
	testkit.Must(t, err)
	tasks := ctx.calls.Load()
	if len(whole) != 6000 || tasks < 8 {
		t.Fatalf("%d neighbours, %d tasks", len(whole), tasks)
	}
	batch.Workers = 4
	dst := whole[:1:1]
	for range testkit.Budget(t, 40, 1000) {
		ctx.calls.Store(0)
		ctx.last.Store(tasks)
		got, err := batch.Nearest(&ctx, dst, v, linear.View{}, 2, collide.Filter{StaticPairs: true})
		if !errors.Is(err, context.Canceled) || len(got) != 1 {
			t.Fatalf("%d neighbours and %v, want the one before and %v", len(got), err, context.Canceled)
		}
	}
	ctx.calls.Store(0)
	ctx.last.Store(tasks + 1)
	got, err := batch.Nearest(&ctx, nil, v, linear.View{}, 2, collide.Filter{StaticPairs: true})
	if testkit.Must(t, err); !slices.Equal(got, whole) || ctx.calls.Load() != tasks {
		t.Errorf("%d neighbours with %d calls of Err, want %d with %d", len(got), ctx.calls.Load(), len(whole), tasks)
	}
}

// keepMeeting returns the pairs whose solids overlap.
func keepMeeting(pairs []testkit.IndexPair, a, b []testkit.Solid, scale float64) []testkit.IndexPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p testkit.IndexPair) bool {
		return !testkit.Meet(&a[p.A], &b[p.B], scale)
	})
}

// Exact contact: spheres that touch are a pair, spheres one number further apart
// are none, though their boxes overlap.
func TestPairsExactTouch(t *testing.T) {
	touch := ballAt(3, 4, 0, 2) // 5 from the origin
	apart := touch
	apart.Ball = &[4]float32{math.Nextafter32(3, 4), 4, 0, 2}
	corner := cubeAt(4.8, 5.4, 0, 3) // its nearest point is 1.8, 2.4
	for _, c := range []struct {
		a, b testkit.Solid
		want int
	}{
		{ballAt(0, 0, 0, 3), touch, 1},
		{ballAt(0, 0, 0, 3), apart, 0},
		{ballAt(0, 0, 0, 3.1), corner, 1},
		{ballAt(0, 0, 0, 2.9), corner, 0},
		{ballAt(1, 1, 1, 0), ballAt(1, 1, 1, 0), 1},
		{ballAt(1, 1, 1, 0), cubeAt(2, 2, 2, 1), 1},
	} {
		for _, solids := range [][]testkit.Solid{{c.a, c.b}, {c.b, c.a}} {
			v := plantSolids(t, solids).View()
			if n := collide.Count(collide.Within(v), collide.Filter{}); n != 1 {
				t.Errorf("%+v: the boxes are %d pairs", solids, n)
			}
			if n := collide.Count(collide.Within(v), collide.Filter{Exact: true}); n != c.want {
				t.Errorf("%+v: %d pairs, want %d", solids, n, c.want)
			}
		}
	}
}
