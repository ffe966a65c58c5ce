package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// instanceSize is a number of instances, and of objects in each part. The targets are stated for some sizes.
//
// The memory target is the memory of the flat tree over 50. Twenty parts of 1,000 objects in 1,000 instances
// reach it if an object takes as much memory in both; nothing would be left for an instance, whose box and
// matrix alone take 24 and 96 bytes. With box and matrix alone the ratio would be 1/44.
type instanceSize struct {
	count, objects int
	memory         float64
	frusta         [3]float64 // by instanceShares
	ray            float64
}

// instanceShares are the shares of all objects that cameras see: about 2,000, 25,000 and 131,000 of a
// million.
var instanceShares = [3]float64{0.0023, 0.025, 0.131}

var instanceSizes = []instanceSize{
	{count: 100, objects: 1000},
	{count: 1000, objects: 100},
	{count: 5000, objects: 20},
	{count: 1000, objects: 1000, memory: 1. / 50, frusta: [3]float64{2, 1.5, 1}, ray: 2.5},
	{count: 10_000, objects: 100, frusta: [3]float64{3, 3, 3}},
	{count: 100_000, objects: 20},
}

// instanceExperiments compare instancing with a flat tree of the boxes of all instanced objects.
func instanceExperiments() (all []experiment) {
	for _, x := range instanceSizes {
		add := func(what string, run func(s *session, name string) []row) {
			name := fmt.Sprintf("scene %s %s x %s", what, count.Format(x.count), count.Format(x.objects))
			all = append(all, experiment{name, x.count * x.objects, func(s *session) []row { return run(s, name) }})
		}
		add("memory", x.bytes)
		add("frusta", x.cull)
		add("boxes", x.boxes)
		add("ray nearest", x.rays)
		add("knn 8", x.nearest)
		add("pairs", x.pairs)
	}
	return all
}

// instances returns the instances of a size. The session keeps the last one.
func (s *session) instances(x instanceSize) *lab.Instances {
	if b := s.instanced; b != nil && b.Count == x.count && b.Each == x.objects {
		b.View = b.Scene.View() // its parts may have been in other scenes
		return b
	}
	s.last, s.instanced = nil, nil // free before the next is built
	s.instanced = must.Get(lab.NewInstances(x.count, x.objects, s.seed))
	return s.instanced
}

func (x instanceSize) bytes(s *session, name string) []row {
	b := s.instances(x)
	instanced, flat := b.Bytes()
	per := func(bytes int) measure.Series { return measure.Series{float64(bytes) / float64(len(b.Flat.Objects))} }
	return []row{
		figure{name: name + ": scene / flat", values: per(instanced), over: per(flat), unit: "x", target: atMost(x.memory)},
		figure{name: name + ": scene and parts", values: per(instanced), unit: "B/object"},
		figure{name: name + ": flat", values: per(flat), unit: "B/object"},
	}
}

// besideFlat makes the rows of queries of a scene and of the flat tree. The flat tree finds more, because it
// holds only the boxes around the transformed objects.
func besideFlat(s *session, name, what string, most float64, scene, flat measure.Task) []row {
	hits := func(t measure.Task) float64 { return float64(t.Do()) / float64(t.Units) }
	instanced, around := hits(scene), hits(flat)
	times := measure.Interleave(s.rounds, scene, flat)
	return []row{
		figure{name: fmt.Sprintf("%s: %sscene / flat", name, what), values: times[0], over: times[1], unit: "x", target: atMost(most)},
		figure{name: fmt.Sprintf("%s: %sscene, %s results", name, what, table.Digits(instanced)), values: times[0], unit: "ns"},
		figure{name: fmt.Sprintf("%s: %sflat, %s results", name, what, table.Digits(around)), values: times[1], unit: "ns"},
	}
}

func (x instanceSize) cull(s *session, name string) (rows []row) {
	b := s.instances(x)
	for i, share := range instanceShares {
		var planes [][6][4]float32
		for _, c := range scene.Cameras(b.Flat.Objects, share, frustumCameras, b.Seed) {
			planes = append(planes, c.Planes())
		}
		q := must.Get(b.Flat.Agreed(lab.NewFrusta(planes)))
		frusta := q.(*lab.Volumes[query.Frustum]).Queries
		must.Do(b.CheckFrusta(planes, frusta))
		what := fmt.Sprintf("%.3g %%, ", 100*share)
		rows = append(rows, besideFlat(s, name, what, x.frusta[i], lab.VolumesTask(b, frusta), b.Flat.QueryTask(q))...)
	}
	return rows
}

func (x instanceSize) boxes(s *session, name string) (rows []row) {
	b := s.instances(x)
	for _, results := range []int{8, 450} {
		given := scene.BoxQueries(b.Flat.Objects, results, lab.QueryCount, b.Seed)
		q := must.Get(b.Flat.Agreed(lab.NewBoxes(given)))
		boxes := q.(*lab.Volumes[query.Box]).Queries
		must.Do(b.CheckBoxes(given, boxes))
		rows = append(rows, besideFlat(s, name, fmt.Sprintf("%d, ", results), 0, lab.VolumesTask(b, boxes), b.Flat.QueryTask(q))...)
	}
	return rows
}

func (x instanceSize) rays(s *session, name string) []row {
	b := s.instances(x)
	q := must.Get(b.Flat.Batch(lab.RayNearest))
	r := q.(*lab.Rays)
	must.Do(b.CheckRays(r.Given, r.Queries))
	return besideFlat(s, name, "", x.ray, b.RaysTask(r.Queries), b.Flat.QueryTask(q))
}

func (x instanceSize) nearest(s *session, name string) []row {
	b := s.instances(x)
	q := must.Get(b.Flat.Batch(lab.Nearest8))
	points := q.(*lab.Points)
	must.Do(b.CheckNearest(points.Given, points.K))
	return besideFlat(s, name, "", 0, b.NearestTask(points.Given, points.K), b.Flat.QueryTask(q))
}

// pairs compares the searches for all pairs. Pairs inside a part are returned once, or once per instance as
// in the flat tree.
func (x instanceSize) pairs(s *session, name string) (rows []row) {
	b := s.instances(x)
	q := must.Get(b.Flat.Agreed(&lab.AllPairs{}, nil))
	must.Do(b.CheckPairs())
	for _, each := range []bool{false, true} {
		what := map[bool]string{false: "in a part once, ", true: "at each instance, "}[each]
		rows = append(rows, besideFlat(s, name, what, 0, b.PairsTask(each), b.Flat.QueryTask(q))...)
	}
	return rows
}
