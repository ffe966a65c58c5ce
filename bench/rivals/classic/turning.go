package classic

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	turnFrames = 180
	turnLook   = 4  // frames for which the motion is predicted
	turnSplits = 32 // leaves that may be split ahead in a frame
)

// ride is a turn of the camera with one policy of splitting ahead. Every round has the same splits. Times are
// in ms, the minimum over the rounds, to exclude interrupts.
type ride struct {
	load   float64
	frames []float64 // times of the queries
	ahead  []float64 // times of the work after each frame
	splits []int     // splits in the queries
	all    int       // all splits, ahead or not
	ids    [][]uint32
}

// turning rotates a camera in a lazily split tree, and in a tree for each policy of splitting ahead. All runs
// see the same views.
func (s *study) turning() {
	objects := uniform(s.tenth(), s.seed)
	views := panorama(objects)
	s.out.Note("turning", fmt.Sprintf("a camera amid %d objects rotates in %d frames, in a new tree: after a frame up\n"+
		"to %d leaves are split ahead; policy all splits every leaf at the load; frames are the query alone,\n"+
		"ahead is the longest time that splitting ahead takes after one; rejected are the nodes that the\n"+
		"last frame rejected, motion splits nodes in view of the next %d frames; times are the minima of %d rounds", len(objects), turnFrames, turnSplits, turnLook, s.rounds))
	cols := []table.Column{{Title: "policy", Width: -8}}
	for _, title := range []string{"load ms", "first frame ms", "its splits", "worst later ms", "max splits", "mean later ms", "ahead ms", "all splits"} {
		cols = append(cols, table.Column{Title: title, Width: 8})
	}
	t := s.out.Table("turning", cols...)
	var lazy ride
	for _, way := range []irregular.Ahead{irregular.Lazy, irregular.Rejected, irregular.Motion, irregular.All} {
		var best ride
		for range s.rounds {
			r := turn(objects, views, way)
			if lazy.ids == nil {
				lazy = r // reference for the others
			}
			must.Within(func() { same(r.ids, lazy.ids) }, "policy %v", way)
			best.least(&r)
		}
		later := best.frames[1:]
		worst, mean := slices.Max(later), 0.0
		for _, ms := range later {
			mean += ms / float64(len(later))
		}
		t.Row(way.String(), table.Number(best.load), table.Number(best.frames[0]), fmt.Sprint(best.splits[0]),
			table.Number(worst), fmt.Sprint(slices.Max(best.splits[1:])), table.Number(mean),
			table.Number(slices.Max(best.ahead)), fmt.Sprint(best.all))
		for _, m := range []struct {
			name, unit string
			value      float64
		}{
			{"load", "ms", best.load}, {"first", "ms", best.frames[0]}, {"worst", "ms", worst}, {"mean", "ms", mean},
			{"splits", "splits", float64(slices.Max(best.splits[1:]))},
		} {
			name := report.Name("Turning", "n", len(objects), "policy", way.String(), "frame", m.name)
			s.out.Measure(report.Measure{Name: name, Unit: m.unit, Samples: measure.Series{m.value}})
		}
	}
}

// least keeps the shorter times of two rounds.
func (r *ride) least(o *ride) {
	if r.frames == nil {
		*r = *o
		return
	}
	r.load = min(r.load, o.load)
	for i := range r.frames {
		r.frames[i], r.ahead[i] = min(r.frames[i], o.frames[i]), min(r.ahead[i], o.ahead[i])
	}
}

// panorama returns the frustum of a camera in the middle of the scene for each frame of a turn.
func panorama(objects []soa.Object) []index.Volume {
	bounds, extent := scene.Bounds(objects), index.Extent(objects)
	c, side := bounds.Center(), float64(bounds.Max[0]-bounds.Min[0])
	views := make([]index.Volume, turnFrames)
	for i := range views {
		angle := 2 * math.Pi * float64(i) / turnFrames
		camera := scene.NewCamera([3]float64{float64(c[0]), float64(c[1]), float64(c[2])},
			[3]float64{math.Cos(angle), math.Sin(angle), 0}, 0.1, 0.45*side)
		views[i] = index.Frustum(camera.Planes(), extent)
	}
	return views
}

// turn runs one turn.
func turn(objects []soa.Object, views []index.Volume, way irregular.Ahead) (r ride) {
	ms := func(since time.Time) float64 { return time.Since(since).Seconds() * 1e3 }
	runtime.GC()
	start := time.Now()
	tree := irregular.New(irregular.Config{Ahead: way})
	tree.Build(objects)
	if way == irregular.All {
		tree.SplitAhead(math.MaxInt)
	}
	r.load = ms(start)
	ids := make([]uint32, 0, len(objects))
	for i := range views {
		before := tree.Splits()
		start := time.Now()
		ids = tree.Append(ids[:0], &views[i])
		r.frames = append(r.frames, ms(start))
		r.splits = append(r.splits, tree.Splits()-before)
		r.ids = append(r.ids, slices.Clone(ids))

		start = time.Now()
		switch way {
		case irregular.Motion:
			tree.Expect(views[i+1 : min(i+1+turnLook, len(views))]...)
			tree.SplitAhead(turnSplits)
		case irregular.Rejected:
			tree.SplitAhead(turnSplits)
		}
		r.ahead = append(r.ahead, ms(start))
	}
	r.all = tree.Splits()
	return r
}

// same compares the results of two rides.
func same(got, want [][]uint32) {
	var set baseline.Set
	for i := range want {
		if err := set.Same(got[i], want[i]); err != nil {
			must.Fail("frame %d: %w", i, err)
		}
	}
}
