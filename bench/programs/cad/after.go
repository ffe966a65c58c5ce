package cad

import (
	_ "embed"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// After is the source of Scene.
//
//go:embed after.go
var After string

// Scene is the picker after the move: a tree of the triangles of each shape, and an instance for each part.
type Scene struct {
	assembly  Assembly
	instances *linear.Scene
}

// NewScene builds the trees.
func NewScene(a Assembly) (*Scene, error) {
	instances, err := linear.NewScene(linear.Config{})
	if err != nil {
		return nil, err
	}
	var shapes []*linear.Tree
	for _, triangles := range a.Shapes {
		shape, err := linear.New(linear.Config{Frozen: true})
		if err != nil {
			return nil, err
		}
		objects := make([]linear.Object, len(triangles))
		for i, t := range triangles {
			objects[i].Box = bounds(t)
		}
		if _, err := shape.InsertBatch(nil, objects); err != nil {
			return nil, err
		}
		shapes = append(shapes, shape)
	}
	for _, part := range a.Parts { // IDs are indices
		if _, err := instances.AddInstance(shapes[part.Shape], part.At, linear.InstanceOptions{}); err != nil {
			return nil, err
		}
	}
	return &Scene{a, instances}, instances.Tick()
}

// Move places a part anew.
func (s *Scene) Move(part int, at linear.Transform) error {
	if err := s.instances.Move(uint32(part), at); err != nil {
		return err
	}
	return s.instances.Tick()
}

// Pick returns the first triangle that a ray hits.
func (s *Scene) Pick(origin, dir [3]float32) (best Pick, ok bool, err error) {
	ray, err := query.NewRay(origin, dir, query.Unlimited)
	if err != nil {
		return Pick{}, false, err
	}
	scene.FirstFunc(ray, s.instances.View(), query.Filter{}, func(path scene.Path, id uint32, enter float32) (float32, bool) {
		part := int(path.At(0))
		_, at, _ := s.instances.Instance(path.At(0))
		dist, hit := enters(origin, dir, moved(s.assembly.Shapes[s.assembly.Parts[part].Shape][id], at))
		if hit {
			if p := (Pick{part, int(id), dist}); !ok || p.before(best) {
				best, ok = p, true
			}
		}
		return dist, hit
	})
	return best, ok, nil
}
