package linear_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// envFrames sets the number of frames of a long run of the bouncing cubes.
const envFrames = "ZOCTREE_FRAMES"

// tally is a count of work for each frame.
type tally struct {
	name   string
	of     func(w linear.Work) int
	counts []int
}

// No frame of the bouncing cubes touches more than three times as many packets,
// nodes or objects as the median frame: the work of a tick does not spike, if nothing is
// rebuilt. A tree of PolicyAuto drifts, and is rebuilt every some frames.
func TestBouncingWork(t *testing.T) {
	frames := testkit.Budget(t, 100, 400)
	if text := os.Getenv(envFrames); text != "" {
		var err error
		if frames, err = strconv.Atoi(text); err != nil || frames < 1 {
			t.Fatalf("%s=%q is not a number of frames", envFrames, text)
		}
	}
	n := scene.BouncingCount
	if !testkit.Long(t) {
		n /= 4
	}
	seed := testkit.Seed(t)
	for i := range testkit.Budget(t, uint64(3), 1) {
		bounce(t, n, frames, seed+i)
	}
}

// bounce measures the work of frames of n bouncing cubes.
func bounce(t *testing.T, n, frames int, seed uint64) {
	t.Helper()
	s := scene.NewBouncing(n, seed)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
	ids := insert(t, tree, s.Objects())
	tick(t, tree) // the build is not the work of a frame
	tallies := []*tally{
		{name: "packets", of: func(w linear.Work) int { return w.RefitPackets }},
		{name: "nodes", of: func(w linear.Work) int { return w.RefitNodes }},
		{name: "objects", of: func(w linear.Work) int { return w.Placed + w.Shifted + w.Rebuilt }},
	}
	for frame := range frames {
		must(t, tree.MoveBatch(ids, s.Step()))
		tick(t, tree)
		for _, x := range tallies {
			x.counts = append(x.counts, x.of(tree.Work()))
		}
		if frame%(frames/3+1) == 0 {
			valid(t, tree)
		}
	}
	for _, x := range tallies {
		worst := slices.Max(x.counts)
		at := slices.Index(x.counts, worst)
		median := slices.Sorted(slices.Values(x.counts))[frames/2]
		t.Logf("%d frames: median %d %s, worst %d in frame %d", frames, median, x.name, worst, at)
		if median == 0 || worst > 3*median {
			t.Errorf("frame %d touches %d %s, the median frame %d", at, worst, x.name, median)
		}
	}
}
