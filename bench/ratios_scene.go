package main

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/scene"
)

// sceneExperiments measure the published scenes of moving objects, and what the
// collector makes of a tree.
func sceneExperiments() []experiment {
	const n = scene.BouncingCount
	bouncing := func(what string, run func(l *lab, name string, n int) ([]row, error)) experiment {
		name := fmt.Sprintf("motion %s bouncing %d", what, n)
		return experiment{name, n, func(l *lab) ([]row, error) { return run(l, name, n) }}
	}
	const targets = 100_000
	bullets := fmt.Sprintf("motion bullets uniform %s", thousands(targets))
	const live = 1_000_000
	collector := fmt.Sprintf("motion collector uniform %s", thousands(live))
	return []experiment{
		bouncing("frames", measureFrames),
		bouncing("pairs", measureRivalry),
		{bullets, targets, func(l *lab) ([]row, error) {
			objects, err := l.objects("uniform", targets)
			if err != nil {
				return nil, err
			}
			return measureBullets(l, bullets, objects)
		}},
		{collector, live, func(l *lab) ([]row, error) {
			objects, err := l.objects("uniform", live)
			if err != nil {
				return nil, err
			}
			return measureCollector(l, collector, objects)
		}},
	}
}
