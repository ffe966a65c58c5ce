package save

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/linear"
)

// makeScene builds a scene of instanced parts, as export -instances writes it.
func (s *saver) makeScene(ctx context.Context) (m made, err error) {
	if s.instances < 1 || s.source.N < s.instances {
		return m, command.Usagef("-n %d, -instances %d: want 1 instance or more, and no more than objects", s.source.N, s.instances)
	}
	s.p.Begin("building a scene of %s", count.Of(s.instances, "instance"))
	defer s.p.End()
	objects, where := lab.InstancedParts(s.instances, s.source.N, s.source.Seed)
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
		transform, err := linear.NewTransform(where[i].Rows)
		if err == nil {
			_, err = scene.AddInstance(parts[where[i].Part], transform, linear.InstanceOptions{})
		}
		if err != nil {
			return m, fmt.Errorf("instance %d: %w", i, err)
		}
	}
	if err := scene.Tick(); err != nil {
		return m, err
	}
	st := scene.Stats()
	about := fmt.Sprintf("%d objects in %d instances of %d parts, seed %d", st.Total, s.instances, st.Parts, s.source.Seed)
	return made{scene.Save, "scene", about, st.String(), st.Total}, nil
}
