package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
)

// queryCount is the number of queries of an experiment that is not on frusta.
const queryCount = 10_000

// queryKind makes the queries of some experiments from a scene.
type queryKind struct {
	name string
	make func(b *bed) (batch, error)
}

var (
	kindBox8   = queryKind{"box 8", boxesOf(8)}
	kindBox450 = queryKind{"box 450", boxesOf(450)}
	kindSphere = queryKind{"sphere 550", spheresOf(550)}
	kindRay    = queryKind{"ray", raysOf(false)}
	kindFirst  = queryKind{"ray nearest", raysOf(true)}
	kindKnn1   = queryKind{"knn 1", pointsOf(1)}
	kindKnn8   = queryKind{"knn 8", pointsOf(8)}
)

func boxesOf(results int) func(b *bed) (batch, error) {
	return func(b *bed) (batch, error) {
		return newBoxes(scene.BoxQueries(b.objects, results, queryCount, b.seed))
	}
}

func spheresOf(results int) func(b *bed) (batch, error) {
	return func(b *bed) (batch, error) {
		return newSpheres(quads(scene.SphereQueries(b.objects, results, queryCount, b.seed)))
	}
}

func raysOf(first bool) func(b *bed) (batch, error) {
	return func(b *bed) (batch, error) {
		return newRays(scene.RayQueries(b.objects, queryCount, b.seed), first)
	}
}

func pointsOf(k int) func(b *bed) (batch, error) {
	return func(b *bed) (batch, error) {
		return newPoints(scene.PointQueries(b.objects, queryCount, b.seed), k), nil
	}
}

// queryRef is a query to measure, with the times of the fastest library and of
// the reference in ns.
type queryRef struct {
	kind      queryKind
	scene     string
	n         int
	lead, ref float64
	holder    string
}

var queryRefs = []queryRef{
	{kindBox8, "uniform", 100_000, 473, 142, "Jolt"},
	{kindBox450, "uniform", 100_000, 6250, 746, "Boost R-tree"},
	{kindSphere, "uniform", 100_000, 14_000, 0, "PhysX, Boost"},
	{kindRay, "uniform", 100_000, 1036, 0, "Embree"},
	{kindFirst, "uniform", 100_000, 302, 285, "Embree"},
	{kindKnn1, "uniform", 100_000, 570, 0, "Embree"},
	{kindKnn8, "uniform", 100_000, 1763, 0, "Embree, Boost"},
	{kindKnn8, "uniform points", 100_000, 1255, 0, "nanoflann"},

	{kindBox8, "city", 100_000, 388, 126, "Jolt"},
	{kindBox450, "city", 100_000, 3160, 448, "Boost R-tree"},
	{kindSphere, "city", 100_000, 7000, 0, "PhysX, Boost"},
	{kindRay, "city", 100_000, 273, 0, "Embree"},
	{kindFirst, "city", 100_000, 231, 324, "Embree"},
	{kindKnn1, "city", 100_000, 529, 0, "Embree"},
	{kindKnn8, "city", 100_000, 1343, 0, "Embree, Boost"},
	{kindKnn8, "city points", 100_000, 940, 0, "nanoflann"},

	{kindBox8, "uniform", 1_000_000, 698, 218, "Jolt"},
	{kindBox450, "uniform", 1_000_000, 10_700, 1760, "Boost R-tree"},
	{kindSphere, "uniform", 1_000_000, 21_600, 0, "PhysX, Boost"},
	{kindRay, "uniform", 1_000_000, 8315, 0, "Embree"},
	{kindFirst, "uniform", 1_000_000, 1088, 534, "Embree"},
	{kindKnn1, "uniform", 1_000_000, 864, 0, "Embree"},
	{kindKnn8, "uniform", 1_000_000, 3811, 0, "Embree, Boost"},
	{kindKnn8, "uniform points", 1_000_000, 1876, 0, "nanoflann"},

	{kindBox8, "city", 1_000_000, 570, 213, "Jolt"},
	{kindBox450, "city", 1_000_000, 4200, 735, "Boost R-tree"},
	{kindSphere, "city", 1_000_000, 8900, 0, "PhysX, Boost"},
	{kindRay, "city", 1_000_000, 811, 0, "Embree"},
	{kindFirst, "city", 1_000_000, 506, 539, "Embree"},
	{kindKnn1, "city", 1_000_000, 737, 0, "Embree"},
	{kindKnn8, "city", 1_000_000, 1864, 0, "Embree, Boost"},
	{kindKnn8, "city points", 1_000_000, 1266, 0, "nanoflann"},
}

// querySlack is how far a query may lie behind the reference.
const querySlack = 1.2

// queryExperiments compare the queries on a frozen tree with the field.
func queryExperiments() (all []experiment) {
	for _, x := range queryRefs {
		name := fmt.Sprintf("query %s %s %s", x.kind.name, x.scene, thousands(x.n))
		all = append(all, experiment{name, x.n, func(l *lab) ([]row, error) { return l.query(name, x) }})
	}
	return all
}

func (l *lab) query(name string, x queryRef) ([]row, error) {
	b, err := l.bed(x.scene, x.n)
	if err != nil {
		return nil, err
	}
	q, err := b.batch(x.kind)
	if err != nil {
		return nil, err
	}
	results := float64(q.pass(b.view)) / float64(q.len())
	times := measure.Interleave(l.rounds, queryTask(q, b))
	return []row{figure{
		name: fmt.Sprintf("%s: tree, %.3g results", name, results), values: times[0], unit: "ns",
		ref: x.ref, lead: x.lead, holder: x.holder, target: against(x.lead, x.ref, querySlack),
	}}, nil
}

// batch returns queries whose answers agree with the oracle.
func (b *bed) batch(kind queryKind) (batch, error) {
	q, err := kind.make(b)
	if err != nil {
		return nil, err
	}
	if !agrees(q, b.view, b.boxes()) {
		return nil, fmt.Errorf("answers differ from the oracle")
	}
	return q, nil
}

// queryTask answers all queries; its unit is a query.
func queryTask(q batch, b *bed) measure.Task {
	return measure.Task{Units: q.len(), Do: func() uint64 { return q.pass(b.view) }}
}
