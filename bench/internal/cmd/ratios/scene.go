package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
)

// sceneExperiments measure the published scenes of moving objects, and garbage collection with a tree.
func sceneExperiments() []experiment {
	const n = scene.BouncingCount
	bouncing := func(what string, run func(s *session, name string, n int) []row) experiment {
		name := fmt.Sprintf("motion %s bouncing %d", what, n)
		return experiment{name, n, func(s *session) []row { return run(s, name, n) }}
	}
	const targets = 100_000
	bullets := fmt.Sprintf("motion bullets uniform %s", thousands(targets))
	const live = 1_000_000
	collector := fmt.Sprintf("motion collector uniform %s", thousands(live))
	return []experiment{
		bouncing("frames", measureFrames),
		bouncing("pairs", measureRivalry),
		{bullets, targets, func(s *session) []row {
			objects := must.Get(lab.Objects("uniform", targets, s.seed))
			return measureBullets(s, bullets, objects)
		}},
		{collector, live, func(s *session) []row {
			objects := must.Get(lab.Objects("uniform", live, s.seed))
			return measureCollector(s, collector, objects)
		}},
	}
}
