package interest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// Elements outside the lists of leftovers are in both lists, equally often; runs are found, and two lists
// in unrelated orders are left unpaired.
func TestPair(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	kept := 0
	for round := range testkit.Budget(t, 2000, 500_000) {
		old := make([]uint32, rng.IntN(100))
		for i, n := range rng.Perm(200)[:len(old)] {
			old[i] = uint32(n)
		}
		now := slices.Clone(old)
		switch round % 3 {
		case 0: // some left, some came
			for range rng.IntN(10) {
				if len(now) > 0 && rng.IntN(2) == 0 {
					i := rng.IntN(len(now))
					now = slices.Delete(now, i, min(i+1+rng.IntN(4), len(now)))
				} else {
					now = slices.Insert(now, rng.IntN(len(now)+1), uint32(200+rng.IntN(100)))
				}
			}
		case 1: // blocks change places
			i, k := rng.IntN(len(now)+1), rng.IntN(len(now)+1)
			now = slices.Concat(now[max(i, k):], now[min(i, k):max(i, k)], now[:min(i, k)])
		default:
			rng.Shuffle(len(now), func(i, k int) { now[i], now[k] = now[k], now[i] })
		}
		gone, came := interest.Pair(old, now)
		count := map[uint32]int{}
		for _, id := range old {
			count[id]++
		}
		for _, id := range gone {
			count[id]--
		}
		for _, id := range now {
			count[id]--
		}
		for _, id := range came {
			count[id]++
		}
		for id, n := range count {
			if n != 0 {
				t.Fatalf("round %d: %v and %v without %v and %v differ in %d", round, old, now, gone, came, id)
			}
		}
		if round%3 == 0 && len(old) > 60 {
			kept += len(old) - len(gone)
		}
		if round%3 == 2 && len(gone) > len(old) {
			t.Fatalf("round %d: %d of %d are gone", round, len(gone), len(old))
		}
	}
	if kept == 0 {
		t.Error("no run was found")
	}
	long := make([]uint32, 1000)
	for i := range long {
		long[i] = uint32(i)
	}
	back := slices.Clone(long)
	slices.Reverse(back)
	if gone, came := interest.Pair(long, back); len(gone) != 1000 || len(came) != 1000 {
		t.Errorf("of a list and its reverse %d and %d are not found, want all: it is given up after %d", len(gone), len(came), interest.Apart)
	}
	if gone, came := interest.Pair(long, append([]uint32{5000}, long...)); len(gone) != 0 || !slices.Equal(came, []uint32{5000}) {
		t.Errorf("of a list with one more before it %d and %v are not found", len(gone), came)
	}
	if gone, came := interest.Pair(nil, long); len(gone) != 0 || len(came) != 1000 {
		t.Errorf("of no list and one %d and %d are not found", len(gone), len(came))
	}
}

// wall is the mask bit of occluders.
const wall = 1

// gazeAt returns a visibility along x from a point near the origin, with one of six projections.
func gazeAt(rng *rand.Rand, way int) interest.Visibility {
	return interest.Visibility{
		Camera: query.Camera{Eye: [3]float64{-1, 4 + rng.Float64(), 4 + rng.Float64()}, Forward: [3]float64{1}, Up: [3]float64{0, 0, 1},
			FovY: 1, Aspect: 1.25, Near: 0.5, Far: 100},
		Config: occlude.Config{Width: 40 + 8*(way%3), OccluderMask: wall, MaxOccluders: 100 * (way / 3)},
	}
}

// crowdBehindWalls returns objects, the nearer of which are occluders.
func denseSceneBehindWalls(rng *rand.Rand, n int) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		at := [3]float32{1 + 30*rng.Float32(), 9 * rng.Float32(), 9 * rng.Float32()}
		objects[i] = soa.Object{Box: testkit.CubeAt(at, 0.1+rng.Float32()/4), Mask: 2}
		if i%8 == 0 {
			objects[i] = soa.Object{Box: testkit.CubeAt([3]float32{2 + 3*rng.Float32(), at[1], at[2]}, 1), Mask: wall}
		}
	}
	return objects
}

// Viewers with more kinds of visibility than a worker keeps cullers: the objects in view match a new
// culler's result, with any number of workers, and every object that a ray hits first is among them.
func TestTrackerSeen(t *testing.T) {
	const viewers = 150
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		objects := denseSceneBehindWalls(rng, 300)
		tree := plant(t, objects)
		trackers := make([]interest.Tracker, 3)
		sights := make([]interest.Visibility, viewers)
		for i := range trackers {
			trackers[i].Workers = []int{1, 2, 5}[i]
		}
		for k := range sights {
			sights[k] = gazeAt(rng, k%6)
			a, err := interest.Visible(sights[k], sights[k])
			testkit.Must(t, err)
			for i := range trackers {
				trackers[i].Add(a)
			}
		}
		hidden, met, came := 0, 0, 0
		for frame := range testkit.Budget(t, 2, 40) {
			for range 10 * frame {
				id := uint32(rng.IntN(len(objects)/8) * 8) // walls move, viewers stand
				objects[id].Box = denseSceneBehindWalls(rng, 1)[0].Box
				testkit.Must(t, tree.Move(id, objects[id].Box))
			}
			testkit.Must(t, tree.Tick())
			for i := range trackers {
				testkit.Must(t, trackers[i].Update(tree.View()))
			}
			for k := range uint32(viewers) {
				view := trackers[0].InView(k)
				for i := range trackers[1:] {
					o := &trackers[1+i]
					if !slices.Equal(view, o.InView(k)) || !slices.Equal(trackers[0].Entered(k), o.Entered(k)) || !slices.Equal(trackers[0].Left(k), o.Left(k)) {
						t.Fatalf("frame %d: %d workers tell viewer %d something else", frame, o.Workers, k)
					}
				}
				now := seenBy(&sights[k], tree.View(), query.Filter{}, nil)
				slices.Sort(now)
				if !slices.Equal(view, now) {
					t.Fatalf("frame %d, viewer %d: %v in view, a new eye sees %v", frame, k, view, now)
				}
				f, err := sights[k].Camera.Frustum()
				testkit.Must(t, err)
				hidden += f.Count(tree.View(), query.Filter{}) - len(now)
				if frame > 0 {
					came += len(trackers[0].Entered(k)) + len(trackers[0].Left(k))
				}
				for range 20 {
					if id := firstMet(rng, &sights[k].Camera, objects); id >= 0 {
						met++
						if _, ok := slices.BinarySearch(view, uint32(id)); !ok {
							t.Fatalf("frame %d, viewer %d: a ray meets %d first, in view are %v", frame, k, id, view)
						}
					}
				}
			}
		}
		if hidden < viewers || met < viewers || came == 0 {
			t.Errorf("%d hidden, %d met by rays, %d entered or left", hidden, met, came)
		}
	})
}

// firstMet returns the object that a random ray of the picture along x enters first beyond the near plane,
// -1 if none.
func firstMet(rng *rand.Rand, c *query.Camera, objects []soa.Object) (first int) {
	ty := math.Tan(c.FovY / 2)
	ray := [3]float64{1, (2*rng.Float64() - 1) * ty * c.Aspect, (2*rng.Float64() - 1) * ty}
	first, least := -1, c.Far
	for i := range objects {
		enter, leave := math.Inf(-1), math.Inf(1)
		for a := range 3 {
			lo, hi := (float64(objects[i].Box.Min[a])-c.Eye[a])/ray[a], (float64(objects[i].Box.Max[a])-c.Eye[a])/ray[a]
			enter, leave = max(enter, min(lo, hi)), min(leave, max(lo, hi))
		}
		if enter <= leave && enter > c.Near && enter < least {
			first, least = i, enter
		}
	}
	return first
}

// A margin: an object visible by the second visibility stays if the first one hides it, but does not enter.
func TestTrackerSeenMargin(t *testing.T) {
	tree := plant(t, []soa.Object{
		{Box: soa.AABB{Min: [3]float32{3, 10, -5}, Max: [3]float32{4, 20, 15}}, Mask: wall},
		{Box: testkit.Cube(8, 4, 4, 1), Mask: 2},
	})
	near := gazeAt(testkit.Rand(1), 0)
	far := near
	far.Config.OccluderMask = 0
	a, err := interest.Visible(near, far)
	testkit.Must(t, err)
	var tr interest.Tracker
	tr.Add(a)
	step := func(what string, y float32, want bool) {
		t.Helper()
		testkit.Must(t, tree.Move(0, soa.AABB{Min: [3]float32{3, y, -5}, Max: [3]float32{4, y + 12, 15}}))
		testkit.Must(t, tr.Update(tree.View()))
		if slices.Contains(tr.InView(0), 1) != want {
			t.Errorf("%s: %v in view", what, tr.InView(0))
		}
	}
	step("wall before it at first", -2, false)
	step("wall aside", 12, true)
	step("wall before it", -2, true)
	testkit.Must(t, tree.Move(1, testkit.Cube(-9, 4, 4, 1)))
	step("gone behind the eye", -2, false)
	testkit.Must(t, tree.Move(1, testkit.Cube(8, 4, 4, 1)))
	step("back behind the wall", -2, false)
	testkit.Must(t, tree.Remove(0))
	testkit.Must(t, tr.Update(tree.View()))
	if !slices.Contains(tr.InView(0), 1) {
		t.Error("no wall hides it")
	}
	tr.Draw = func(culler *occlude.Culler) {
		testkit.Must(t, culler.DrawBoxes(soa.AABB{Min: [3]float32{3, -9, -9}, Max: [3]float32{4, 20, 20}}))
	}
	testkit.Must(t, tr.Update(tree.View()))
	if !slices.Contains(tr.Left(0), 1) {
		t.Error("what is drawn does not hide it")
	}
}

// Invalid cameras and picture sizes are rejected, on either side.
func TestVisibilityErrors(t *testing.T) {
	good := gazeAt(testkit.Rand(1), 0)
	for name, spoil := range map[string]func(s *interest.Visibility){
		"NaN":             func(s *interest.Visibility) { s.Camera.Eye[1] = math.NaN() },
		"no direction":    func(s *interest.Visibility) { s.Camera.Forward = [3]float64{} },
		"field of view":   func(s *interest.Visibility) { s.Camera.FovY = 4 },
		"negative width":  func(s *interest.Visibility) { s.Config.Width = -1 },
		"width":           func(s *interest.Visibility) { s.Config.Width = 5000 },
		"least size NaN":  func(s *interest.Visibility) { s.Config.MinSize = float32(math.NaN()) },
		"beyond float32":  func(s *interest.Visibility) { s.Camera.Eye[0] = 1e300 },
		"negative solids": func(s *interest.Visibility) { s.Config.MaxOccluders = -1 },
	} {
		bad := good
		spoil(&bad)
		a, err := interest.Visible(bad, good)
		b, err2 := interest.Visible(good, bad)
		if err == nil || err2 == nil || a != (interest.Area{}) || b != (interest.Area{}) {
			t.Errorf("%s: errors %v, %v", name, err, err2)
		}
		culler, err3 := occlude.New(bad.Config)
		if err3 == nil {
			err3 = culler.SetCamera(bad.Camera)
		}
		if err3 == nil || err3.Error() != bad.Config.Check(bad.Camera).Error() {
			t.Errorf("%s: an eye says %v", name, err3)
		}
	}
	if err := good.Config.Check(good.Camera); err != nil {
		t.Error(err)
	}
}

// In steady state cullers allocate nothing.
func TestTrackerSeenAllocs(t *testing.T) {
	rng := testkit.Rand(3)
	objects := denseSceneBehindWalls(rng, 1000)
	tree := plant(t, objects)
	tr := interest.Tracker{Workers: 1}
	for k := range 8 {
		s := gazeAt(rng, k%3)
		wide := s
		wide.Camera.FovY = 1.1
		a, err := interest.Visible(s, wide)
		testkit.Must(t, err)
		tr.Add(a)
	}
	turn := uint32(0)
	testkit.Allocs(t, 4, func() {
		turn++
		for id := range uint32(50) {
			testkit.Must(t, tree.Move(id, objects[(id+turn%4*8)%1000].Box))
		}
		testkit.Must(t, tree.Tick())
		testkit.Must(t, tr.Update(tree.View()))
	})
}
