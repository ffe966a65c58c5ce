package save

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/linear"
)

// makeScene builds a scene of instanced parts, as export -places writes it.
func (s *saver) makeScene(ctx context.Context) (m made, err error) {
	if s.places < 1 || s.source.N < s.places {
		return m, command.Usagef("-n %d, -places %d: want 1 place or more, and no more than objects", s.source.N, s.places)
	}
	s.p.Begin("building a scene of %s", count.Of(s.places, "place"))
	defer s.p.End()
	objects, where := lab.Places(s.places, s.source.N, s.source.Seed)
	parts := make([]*linear.Tree, len(objects))
	for k := range objects {
		share := func(x float64) { s.p.Done((float64(k) + x) / float64(len(objects))) }
		if parts[k], err = s.plant(ctx, objects[k], share); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return m, err
		}
	}
	scene, err := linear.NewScene(linear.Config{Workers: s.workers})
	if err != nil {
		return m, err
	}
	for i := range where {
		pose, err := linear.NewTransform(where[i].Rows)
		if err == nil {
			_, err = scene.AddInstance(parts[where[i].Part], pose, linear.InstanceOptions{})
		}
		if err != nil {
			return m, fmt.Errorf("place %d: %w", i, err)
		}
	}
	if err := scene.Tick(); err != nil {
		return m, err
	}
	st := scene.Stats()
	about := fmt.Sprintf("instances, %d objects in %d places of %d parts, seed %d", st.Total, s.places, st.Parts, s.source.Seed)
	return made{scene.Save, "scene", about, st.String(), st.Total}, nil
}
