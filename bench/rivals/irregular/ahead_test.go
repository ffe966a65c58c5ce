package irregular_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var ways = []irregular.Ahead{irregular.Lazy, irregular.Rejected, irregular.Motion, irregular.All}

// hasty splits ahead a little at the end of each frame.
type hasty struct{ *irregular.Tree }

func (h hasty) Tick() {
	h.SplitAhead(3)
}

// Splitting ahead changes no result.
func TestAheadAnswers(t *testing.T) {
	for _, way := range ways[1:] {
		empty := func() index.Index {
			tree := irregular.New(irregular.Config{SplitAbove: 3, Ahead: way})
			tree.Expect(index.Box(soa.AABB{Min: [3]float32{-50, -50, -50}, Max: [3]float32{20, 20, 20}}))
			return hasty{tree}
		}
		t.Run(way.String(), func(t *testing.T) { rivaltest.Run(t, empty) })
	}
}

func FuzzAhead(f *testing.F) {
	rivaltest.Fuzz(f, func() index.Index {
		return hasty{irregular.New(irregular.Config{SplitAbove: 2, Ahead: irregular.Rejected})}
	})
}

// turn rotates a camera in the middle and returns the splits of the worst frame, without the first. After
// each frame up to most leaves are split ahead; look is the number of frames ahead for which the motion is
// known.
func turn(t *testing.T, way irregular.Ahead, most int) (worst int) {
	t.Helper()
	objects := testkit.SceneByName(t, "uniform").Make(8000, 1)
	tree := irregular.New(irregular.Config{SplitAbove: 3, Ahead: way})
	tree.Build(objects)
	bounds := scene.Bounds(objects)
	c, extent := bounds.Center(), index.Extent(objects)
	const frames, look = 30, 3
	view := func(frame int) ([6][4]float32, index.Volume) {
		angle := 2 * math.Pi * float64(frame) / frames
		camera := scene.NewCamera([3]float64{float64(c[0]), float64(c[1]), float64(c[2])},
			[3]float64{math.Cos(angle), math.Sin(angle), 0}, 0.1, float64(bounds.Max[0]-bounds.Min[0])/3)
		return camera.Planes(), index.Frustum(camera.Planes(), extent)
	}
	for frame := range frames {
		planes, v := view(frame)
		before := tree.Splits()
		got := tree.Append(nil, &v)
		if n := tree.Splits() - before; frame > 0 {
			worst = max(worst, n)
		}
		testkit.SameIDSet(t, got, testkit.ReferenceFrustum(objects, planes))
		var coming []index.Volume
		for k := range look {
			_, v := view(frame + 1 + k)
			coming = append(coming, v)
		}
		tree.Expect(coming...)
		if before := tree.Splits(); tree.SplitAhead(most) > most || way == irregular.Lazy && tree.Splits() != before {
			t.Fatalf("%v: %d leaves split ahead, at most %d wanted", way, tree.Splits()-before, most)
		}
	}
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
	return worst
}

// Each way bounds the splits of the worst frame of a turning camera: when there is time for all of them no
// frame has any, except for a leaf that was wholly in view and so neither split nor rejected.
func TestAheadWorstFrame(t *testing.T) {
	lazy := turn(t, irregular.Lazy, math.MaxInt)
	if lazy < 10 {
		t.Fatalf("the worst lazy frame has %d splits: the test is empty", lazy)
	}
	for _, c := range []struct {
		way         irregular.Ahead
		most, bound int
	}{
		{irregular.Rejected, math.MaxInt, 1}, {irregular.Rejected, 200, lazy / 2},
		{irregular.Motion, math.MaxInt, 0}, {irregular.Motion, 50, lazy / 2},
		{irregular.All, math.MaxInt, 0}, {irregular.All, 400, lazy / 2},
	} {
		got := turn(t, c.way, c.most)
		t.Logf("%v, at most %d splits ahead: %d in the worst frame, lazy %d", c.way, c.most, got, lazy)
		if got > c.bound {
			t.Errorf("%v, at most %d splits ahead: %d in the worst frame, want at most %d; lazy has %d", c.way, c.most, got, c.bound, lazy)
		}
	}
}

// Leaves in the swept volume of a box are split before the box arrives, and leaves far away are not.
func TestAheadSwept(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(8000, 1)
	tree := irregular.New(irregular.Config{Ahead: irregular.Motion})
	tree.Build(objects)
	at := func(x float32) soa.AABB { return soa.AABB{Min: [3]float32{x, 10, 10}, Max: [3]float32{x + 5, 15, 15}} }
	tree.Expect(index.Box(at(5).Union(at(30))))
	some := tree.SplitAhead(math.MaxInt)
	for x := float32(5); x <= 30; x += 0.5 {
		v := index.Box(at(x))
		tree.Append(nil, &v)
	}
	if some == 0 || tree.Splits() != some {
		t.Errorf("%d splits ahead, %d on the way", some, tree.Splits()-some)
	}
	tree.Settle()
	if all := tree.Splits(); all < 4*some {
		t.Errorf("%d of %d splits for a region of a part of the scene", some, all)
	}
}
