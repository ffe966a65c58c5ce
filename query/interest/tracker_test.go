package interest_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/soa"
)

// plant makes a tree with a log.
func plant(t testing.TB, objects []soa.Object) *linear.Tree {
	t.Helper()
	tree := trees.New(t, linear.Config{Workers: 1, Log: true})
	trees.Insert(t, tree, objects)
	return tree
}

// square returns the area of a cube, with a larger cube for leaving.
func square(t testing.TB, center [3]float32, half, more float32) interest.Area {
	t.Helper()
	a, err := interest.Box(testkit.CubeAt(center, half), testkit.CubeAt(center, half+more))
	testkit.Must(t, err)
	return a
}

// Many viewers over more objects than the log keeps of a frame: the events do not depend on the number of
// workers, nor on the number of changes, and equal the queries' results.
func TestTrackerMany(t *testing.T) {
	const n, viewers = 3000, 300
	objects := testkit.SceneByName(t, "uniform").Make(n, 1)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	testkit.EachTier(t, func(t *testing.T) {
		tree := plant(t, objects)
		rng := testkit.Rand(testkit.Seed(t))
		trackers := make([]interest.Tracker, 4)
		boxes := make([]linear.AABB, viewers)
		for i := range trackers {
			trackers[i].Workers = []int{1, 2, 5, 0}[i]
		}
		place := func(k int) interest.Area {
			boxes[k] = testkit.CubeAt(within(rng, world, 10), 5)
			a, err := interest.Box(boxes[k], boxes[k])
			testkit.Must(t, err)
			return a
		}
		for k := range boxes {
			a := place(k)
			for i := range trackers {
				trackers[i].Add(a)
			}
		}
		was := make([][]uint32, viewers)
		few := 0
		for frame := range testkit.Budget(t, 7, 100) {
			reborn := map[uint32]bool{}
			movers := []int{0, 40, 300, 900, 2900}[frame%5]
			for range movers {
				id := uint32(rng.IntN(n))
				testkit.Must(t, tree.Move(id, testkit.CubeAt(within(rng, world, 2), 1)))
			}
			for range []int{5, 0, 0, 3, 1500}[frame%5] { // another object under the same number
				id := uint32(rng.IntN(n))
				o, _ := tree.Object(id)
				reborn[id] = true
				testkit.Must(t, tree.Remove(id))
				again, err := tree.Insert(o)
				if testkit.Must(t, err); again != id {
					t.Fatalf("ID %d was given out for %d", again, id)
				}
			}
			for range frame % 3 {
				testkit.Must(t, tree.Tick())
			}
			for range frame % 4 * 20 {
				k := rng.IntN(viewers)
				a := place(k)
				for i := range trackers {
					testkit.Must(t, trackers[i].Move(uint32(k), a))
				}
			}
			interest.Forget(&trackers[3])
			for i := range trackers {
				testkit.Must(t, trackers[i].Update(tree.View()))
			}
			for k := range uint32(viewers) {
				first := &trackers[0]
				for i := range trackers[1:] {
					o := &trackers[1+i]
					if !slices.Equal(first.Entered(k), o.Entered(k)) || !slices.Equal(first.Left(k), o.Left(k)) ||
						!slices.Equal(first.Touched(k), o.Touched(k)) || !slices.Equal(first.InView(k), o.InView(k)) ||
						!slices.Equal(first.Changed(), o.Changed()) {
						t.Fatalf("frame %d: tracker %d tells viewer %d something else", frame, 1+i, k)
					}
				}
				q := queries.Box(t, boxes[k])
				now := q.Append(nil, tree.View(), query.Filter{})
				slices.Sort(now)
				if !testkit.SameIDs(t, first.InView(k), now) {
					t.FailNow()
				}
				for _, id := range first.Left(k) {
					if _, again := slices.BinarySearch(first.Entered(k), id); again && !reborn[id] {
						t.Fatalf("frame %d, viewer %d: %d left and entered, and is the same object", frame, k, id)
					}
				}
				was[k] = slices.DeleteFunc(was[k], func(id uint32) bool { return slices.Contains(first.Left(k), id) })
				was[k] = append(was[k], first.Entered(k)...)
				slices.Sort(was[k])
				if !slices.Equal(was[k], now) {
					t.Fatalf("frame %d, viewer %d: what was in view, entered and left is not what is in view", frame, k)
				}
				few += len(first.Touched(k))
			}
		}
		if few == 0 {
			t.Error("nothing was touched")
		}
	})
}

// The rounding of planes depends on the extent of the tree: an unchanged object enters a view, and leaves,
// when others move far away and back. A changed object is tested with the current planes.
func TestTrackerFrustumScale(t *testing.T) {
	var objects []soa.Object
	for i := range 200 {
		objects = append(objects, soa.Object{Box: testkit.Cube(-1, 0, float32(i%7), 0.5)})
	}
	objects[0].Box = soa.AABB{Min: [3]float32{1.0001, 0, 0}, Max: [3]float32{2, 1, 1}} // just beyond the plane x = 1
	tree := plant(t, objects)
	f := queries.Frustum(t, [6][4]float32{{-1, 0, 0, 1}})
	var tr interest.Tracker
	tr.Add(interest.Frustum(f, f))
	expect := func(what string, entered, left, touched bool) {
		t.Helper()
		testkit.Must(t, tree.Tick())
		testkit.Must(t, tr.Update(tree.View()))
		now := f.Append(nil, tree.View(), query.Filter{})
		slices.Sort(now)
		testkit.SameIDs(t, tr.InView(0), now)
		for i, list := range [][]uint32{tr.Entered(0), tr.Left(0), tr.Touched(0)} {
			if slices.Contains(list, 0) != []bool{entered, left, touched}[i] {
				t.Fatalf("%s: entered %v, left %v, touched %v", what, tr.Entered(0), tr.Left(0), tr.Touched(0))
			}
		}
	}
	far := func(x float32) {
		for id := range uint32(100) {
			testkit.Must(t, tree.Move(100+id, testkit.Cube(x, 0, 0, 1)))
		}
	}
	expect("at first", false, false, false)
	far(-4000)
	expect("large", true, false, false)
	testkit.Must(t, tree.SetMask(0, 3))
	expect("still large", false, false, true)
	far(-1)
	expect("small again", false, true, false)
}

// The same when only the bound of the far objects changes, for objects beyond the bound of the near ones.
func TestTrackerFrustumFarScale(t *testing.T) {
	var objects []soa.Object
	for i := range 200 {
		objects = append(objects, soa.Object{Box: testkit.Cube(-1, 0, float32(i%7), 0.5)})
	}
	// Just beyond the plane x = 1, and far away along it.
	objects[0].Box = soa.AABB{Min: [3]float32{1.0001, 30000, 0}, Max: [3]float32{2, 30001, 1}}
	tree := plant(t, objects)
	testkit.Must(t, tree.Tick())
	f := queries.Frustum(t, [6][4]float32{{-1, 0, 0, 1}})
	var tr interest.Tracker
	tr.Add(interest.Frustum(f, f))
	testkit.Must(t, tr.Update(tree.View()))
	near, extent := tree.View().Store().Near, tree.View().Store().Extent
	if near[1] >= 30000 || extent[1] < 30000 {
		t.Fatalf("the far object is near: the bounds are %v and %v", near, extent)
	}
	for _, step := range []struct {
		x      float32
		inside bool
	}{{-4000, true}, {-1, false}, {-8000, true}} {
		testkit.Must(t, tree.Move(1, testkit.Cube(step.x, 0, 0, 0.5)))
		testkit.Must(t, tree.Tick())
		s := tree.View().Store()
		if s.Near != near || (s.Extent != extent) != step.inside {
			t.Fatalf("an object at x = %v: the bounds are %v and %v, were %v and %v", step.x, s.Near, s.Extent, near, extent)
		}
		testkit.Must(t, tr.Update(tree.View()))
		now := f.Append(nil, tree.View(), query.Filter{})
		slices.Sort(now)
		testkit.SameIDs(t, tr.InView(0), now)
		if entered, left := slices.Contains(tr.Entered(0), 0), slices.Contains(tr.Left(0), 0); entered != step.inside || left == step.inside {
			t.Fatalf("an object at x = %v: the one at the plane entered %v, left %v", step.x, entered, left)
		}
	}
}

// A rejected call leaves the tracker unchanged.
func TestTrackerErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	unit, wide := testkit.Cube(0, 0, 0, 1), testkit.Cube(0, 0, 0, 2)
	for name, err := range map[string]error{
		"centre NaN":          second(interest.Sphere([3]float32{0, nan, 0}, 1, 2)),
		"radius NaN":          second(interest.Sphere([3]float32{}, nan, 2)),
		"radius to leave NaN": second(interest.Sphere([3]float32{}, 1, nan)),
		"radius infinite":     second(interest.Sphere([3]float32{}, 1, inf)),
		"radius negative":     second(interest.Sphere([3]float32{}, -1, 2)),
		"radii in disorder":   second(interest.Sphere([3]float32{}, 2, 1)),
		"boxes in disorder":   second(interest.Box(wide, unit)),
		"box NaN":             second(interest.Box(unit, linear.AABB{Max: [3]float32{nan}})),
		"box inverted":        second(interest.Box(soa.Empty(), unit)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if a, err := interest.Sphere([3]float32{}, 2, 1); err == nil || a != (interest.Area{}) {
		t.Errorf("an area that was refused is %v", a)
	}

	tree := plant(t, make([]soa.Object, 5))
	var tr interest.Tracker
	v := tr.Add(square(t, [3]float32{}, 1, 0))
	testkit.Must(t, tr.Update(tree.View()))
	check := func(what string) {
		t.Helper()
		if tr.Len() != 1 || len(tr.InView(v)) != 5 || len(tr.Entered(v)) != 5 || len(tr.Changed()) != 1 {
			t.Errorf("%s: %d viewers, %v in view, %v entered", what, tr.Len(), tr.InView(v), tr.Entered(v))
		}
	}
	check("at first")
	for _, unknown := range []uint32{v + 1, linear.None} {
		if err := tr.Move(unknown, interest.Area{}); !errors.Is(err, interest.ErrNoViewer) {
			t.Errorf("move of an unknown viewer: %v", err)
		}
		if err := tr.Remove(unknown); !errors.Is(err, interest.ErrNoViewer) {
			t.Errorf("removal of an unknown viewer: %v", err)
		}
		if tr.Entered(unknown) != nil || tr.Left(unknown) != nil || tr.Touched(unknown) != nil || tr.InView(unknown) != nil {
			t.Error("an unknown viewer sees something")
		}
	}
	check("after unknown viewers")
	if err := tr.Update(trees.Plant(t, make([]soa.Object, 3), false).View()); !errors.Is(err, interest.ErrNoLog) {
		t.Errorf("a tree without a log: %v", err)
	}
	check("after a tree without a log")
	tr.Filter.Motion = 9
	if err := tr.Update(tree.View()); err == nil {
		t.Error("a filter out of range was taken")
	}
	check("after a filter out of range")
	tr.Filter.Motion = query.AnyMotion
	testkit.Must(t, tr.Update(tree.View()))
	if len(tr.Entered(v))+len(tr.Left(v))+len(tr.Changed()) != 0 {
		t.Error("an update without changes told something")
	}
}

func second[T any](_ T, err error) error { return err }

// In steady state an update allocates nothing, for all kinds of viewers.
func TestTrackerAllocs(t *testing.T) {
	const n, viewers = 4000, 100
	objects := testkit.SceneByName(t, "uniform").Make(n, 1)
	for _, moved := range []uint32{20, 400, 2000} {
		for _, walk := range []bool{false, true} {
			for _, more := range []float32{0, 1} {
				t.Run(fmt.Sprintf("moved=%d/walk=%v/more=%v", moved, walk, more), func(t *testing.T) {
					tree := plant(t, objects)
					tr := interest.Tracker{Workers: 1}
					var areas [viewers][2]interest.Area
					for k := range areas {
						c := objects[k].Box.Center()
						areas[k][0] = square(t, c, 5, more)
						c[0] += 2
						areas[k][1] = square(t, c, 5, more)
						tr.Add(areas[k][0])
					}
					turn := uint32(0)
					frame := func() {
						turn++
						for id := range moved {
							testkit.Must(t, tree.Move(id, objects[(id+turn%4*7)%n].Box))
						}
						testkit.Must(t, tree.Tick())
						for k := range areas {
							if walk {
								testkit.Must(t, tr.Move(uint32(k), areas[k][turn%2]))
							}
						}
						testkit.Must(t, tr.Update(tree.View()))
						for k := range uint32(viewers) {
							tr.InView(k)
						}
					}
					for range 20 {
						frame()
					}
					testkit.Allocs(t, 4, frame)
				})
			}
		}
	}
}

// A tracker holds up to 48 bytes for an object, 5 for an object in view, and a bit an object for each
// worker.
func TestTrackerMemory(t *testing.T) {
	const n, viewers = 100_000, 100
	objects := testkit.SceneByName(t, "uniform").Make(n, 1)
	tree := plant(t, objects)
	tr := interest.Tracker{Workers: 1}
	for k := range viewers {
		tr.Add(square(t, objects[k].Box.Center(), 10, 1))
	}
	seen := 0
	for frame := range 5 {
		for id := range uint32(n / 100) {
			testkit.Must(t, tree.Move(id, objects[n-1-int(id)-frame].Box))
		}
		testkit.Must(t, tree.Tick())
		testkit.Must(t, tr.Update(tree.View()))
	}
	for k := range uint32(viewers) {
		seen += len(tr.InView(k))
	}
	perObject, perSeen, bits := interest.Bytes(&tr)
	t.Logf("%.1f bytes an object, %.2f for what is in view", float64(perObject)/n, float64(perSeen)/float64(seen))
	if seen < 100*viewers {
		t.Fatalf("%d in view", seen)
	}
	if perObject > 48*n || perSeen > 5*seen || bits > n/8+64 {
		t.Errorf("%d bytes of %d objects, %d of %d in view, %d of a worker", perObject, n, perSeen, seen, bits)
	}
}

// The sets of a frame of more changes than are listed are empty in the next one.
func TestTrackerUnlisted(t *testing.T) {
	const n = 100_000
	tree := plant(t, make([]soa.Object, n))
	tr := interest.Tracker{Workers: 1}
	tr.Add(square(t, [3]float32{}, 1, 0))
	frame := func(first, step, want int) {
		t.Helper()
		for id := first; id < n; id += step {
			testkit.Must(t, tree.Remove(uint32(id)))
			again, err := tree.Insert(soa.Object{})
			if testkit.Must(t, err); again != uint32(id) {
				t.Fatalf("ID %d was given out for %d", again, id)
			}
		}
		testkit.Must(t, tr.Move(0, square(t, [3]float32{}, float32(want), 0)))
		testkit.Must(t, tr.Update(tree.View()))
		if len(tr.Left(0)) != want || len(tr.Entered(0)) != want || len(tr.Touched(0)) != 0 {
			t.Fatalf("%d left, %d entered, %d touched, want %d, %d, 0", len(tr.Left(0)), len(tr.Entered(0)), len(tr.Touched(0)), want, want)
		}
	}
	testkit.Must(t, tr.Update(tree.View()))
	frame(0, 16, n/16)
	frame(n-1, 1, 1)
}
