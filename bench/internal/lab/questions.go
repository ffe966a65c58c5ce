package lab

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
)

// QueryCount is the number of queries of an experiment, except for frusta.
const QueryCount = 10_000

// QueryKind makes the queries of an experiment from a scene.
type QueryKind struct {
	Name string
	Make func(b *SceneTree) (Batch, error)
}

var (
	Box8       = QueryKind{"box 8", boxesOf(8)}
	Box450     = QueryKind{"box 450", boxesOf(450)}
	Sphere550  = QueryKind{"sphere 550", spheresOf(550)}
	RayAll     = QueryKind{"ray", raysOf(RayHits)}
	RayNearest = QueryKind{"ray nearest", raysOf(RayFirst)}
	Nearest1   = QueryKind{"knn 1", pointsOf(1)}
	Nearest8   = QueryKind{"knn 8", pointsOf(8)}
)

func boxesOf(results int) func(b *SceneTree) (Batch, error) {
	return func(b *SceneTree) (Batch, error) {
		return NewBoxes(scene.BoxQueries(b.Objects, results, QueryCount, b.Seed))
	}
}

func spheresOf(results int) func(b *SceneTree) (Batch, error) {
	return func(b *SceneTree) (Batch, error) {
		return NewSpheres(Quads(scene.SphereQueries(b.Objects, results, QueryCount, b.Seed)))
	}
}

func raysOf(form RayForm) func(b *SceneTree) (Batch, error) {
	return func(b *SceneTree) (Batch, error) {
		return NewRays(scene.RayQueries(b.Objects, QueryCount, b.Seed), form)
	}
}

func pointsOf(k int) func(b *SceneTree) (Batch, error) {
	return func(b *SceneTree) (Batch, error) {
		return NewPoints(scene.PointQueries(b.Objects, QueryCount, b.Seed), k), nil
	}
}

// Batch returns queries whose results agree with the oracle.
func (b *SceneTree) Batch(kind QueryKind) (Batch, error) {
	return b.Agreed(kind.Make(b))
}

// Agreed returns q, or err, or an error if its results differ from the oracle's.
func (b *SceneTree) Agreed(q Batch, err error) (Batch, error) {
	if err != nil {
		return nil, err
	}
	if !Agrees(q, b.View, b.Boxes()) {
		return nil, fmt.Errorf("results differ from the oracle")
	}
	return q, nil
}

// QueryTask runs all queries; its unit is a query.
func (b *SceneTree) QueryTask(q Batch) measure.Task {
	return measure.Task{Units: q.Len(), Do: func() uint64 { return q.Pass(b.View) }}
}

// Quads returns spheres as center and radius.
func Quads(spheres []scene.Sphere) (list [][4]float32) {
	for _, s := range spheres {
		list = append(list, [4]float32{s.Center[0], s.Center[1], s.Center[2], s.Radius})
	}
	return list
}
