package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
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
		add("move", x.move)
	}
	for _, objects := range []int{10, 100} {
		x := instanceSize{count: 10_000, objects: objects}
		name := fmt.Sprintf("scene tick %s x %s", count.Format(x.count), count.Format(x.objects))
		all = append(all, experiment{name, x.count * x.objects, func(s *session) []row { return x.tick(s, name) }})
	}
	return all
}

// instances returns the bed of a size. The session keeps the last one.
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
		figure{name: name + ": scene / flat", values: per(instanced).Over(per(flat)), unit: "x", target: atMost(x.memory)},
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
		figure{name: fmt.Sprintf("%s: %sscene / flat", name, what), values: times[0].Over(times[1]), unit: "x", target: atMost(most)},
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

// instanceMoves is the number of moves of a sample.
const instanceMoves = 4000

// move measures small moves of instances, with the transforms computed, and rotations, with ready transforms.
// The flat tree moves all objects of an instance, with the boxes computed.
func (x instanceSize) move(s *session, name string) []row {
	b := s.instances(x)
	var scenes [3]*linear.Scene
	for i := range scenes {
		scenes[i] = must.Get(b.NewScene(linear.InstanceOptions{Turns: i == 2}))
		defer scenes[i].Clear()
	}
	flat := must.Get(lab.Insert(b.Flat.Objects, 1, nil))
	step := min(changeMoves, len(b.Where))
	drift, frames, spin, flock := lab.NewInstanceMotion(b), lab.NewInstanceMotion(b), lab.NewInstanceMotion(b), lab.NewInstanceMotion(b)
	flocks := max(instanceMoves*10/x.objects, 1)
	var turning []uint32
	var turned []linear.Transform
	turn := func() {
		must.Do(scenes[2].Tick())
		turning, turned = turning[:0], turned[:0]
		spin.Each(instanceMoves, func(id uint32) {
			transform := must.Get(linear.NewTransform(spin.Turn(id)))
			turning, turned = append(turning, id), append(turned, transform)
		})
	}
	var ids []uint32
	var boxes []soa.AABB
	times := measure.Interleave(s.rounds,
		measure.Task{Units: instanceMoves, Before: func() { must.Do(scenes[0].Tick()) }, Do: func() uint64 {
			return drift.Each(instanceMoves, func(id uint32) {
				transform := must.Get(linear.NewTransform(drift.Shift(id)))
				must.Do(scenes[0].Move(id, transform))
			})
		}},
		measure.Task{Units: instanceMoves, Before: func() { must.Do(scenes[1].Tick()) }, Do: func() (moved uint64) {
			for done := 0; done < instanceMoves; done += step {
				moved += frames.Each(min(step, instanceMoves-done), func(id uint32) {
					transform := must.Get(linear.NewTransform(frames.Shift(id)))
					must.Do(scenes[1].Move(id, transform))
				})
				must.Do(scenes[1].Tick())
			}
			return moved
		}},
		measure.Task{Units: instanceMoves, Before: turn, Do: func() uint64 {
			for i, id := range turning {
				must.Do(scenes[2].Move(id, turned[i]))
			}
			return uint64(len(turning))
		}},
		measure.Task{Units: flocks, Before: func() { must.Do(flat.Tick()) }, Do: func() uint64 {
			moved := flock.Each(flocks, func(id uint32) {
				transform := must.Get(linear.NewTransform(flock.Shift(id)))
				ids, boxes = b.Images(ids[:0], boxes[:0], id, &transform)
				must.Do(flat.MoveBatch(ids, boxes))
			})
			must.Do(flat.Tick())
			return moved
		}},
	)
	transforms := lab.NewInstanceMotion(b)
	making := measure.Interleave(s.rounds, measure.Task{Units: instanceMoves, Do: func() (kinds uint64) {
		transforms.Each(instanceMoves, func(id uint32) {
			transform := must.Get(linear.NewTransform(transforms.Shift(id)))
			kinds += uint64(transform.Kind())
		})
		return kinds
	}})
	for _, p := range scenes {
		must.Do(p.Tick())
		must.Do(p.Validate())
	}
	must.Do(flat.Validate())
	return []row{
		figure{name: name + ": an instance, its transform computed", values: times[0], unit: "ns", target: atMost(500)},
		figure{name: name + ": an instance, and ticks", values: times[1], unit: "ns"},
		figure{name: name + ": a transform alone", values: making[0], unit: "ns"},
		figure{name: name + ": an instance that rotates, its transform ready", values: times[2], unit: "ns", target: atMost(150)},
		figure{name: name + ": its images in the flat tree, and ticks", values: times[3], unit: "ns"},
		figure{name: name + ": scene / flat, with ticks", values: times[1].Over(times[3]), unit: "x"},
	}
}

// jumpFrames is the number of frames until an object returns.
const jumpFrames = 64

// tick measures the end of frames in which the bounds of a part with 10,000 instances change. In the flat
// tree, all copies of the moved object change.
func (x instanceSize) tick(s *session, name string) []row {
	b := s.instances(x)
	part := must.Get(lab.Insert(b.PartObjects(0), 1, nil))
	instanced := must.Get(linear.NewScene(linear.Config{Workers: 1}))
	defer instanced.Clear()
	must.Get(instanced.AddInstances(nil, part, b.Transforms, linear.InstanceOptions{}))
	must.Do(instanced.Tick())
	var images []soa.Object
	each := part.Len()
	for i := range b.Transforms {
		for _, o := range b.PartObjects(0) {
			o.Box = b.Transforms[i].Box(o.Box)
			images = append(images, o)
		}
	}
	flat := must.Get(lab.Insert(images, 1, nil))
	all := part.Bounds()
	// An object leaves the bounds farther and farther, and then returns far enough that the instance boxes
	// shrink. The boxes change in every frame.
	jump := func(frame int) soa.AABB {
		box := soa.AABB{Min: all.Max, Max: all.Max}
		for a := range 3 {
			box.Min[a]--
		}
		far := (all.Max[0] - all.Min[0]) * (1 + float32(frame%jumpFrames)/32)
		box.Min[0] += far
		box.Max[0] += far
		return box
	}
	grow := func(frame int) {
		must.Do(part.Move(0, jump(frame)))
		must.Do(instanced.Tick())
	}
	for frame := range jumpFrames {
		before := instanced.View().Instances().Bounds()
		if grow(frame); instanced.View().Instances().Bounds() == before {
			must.Fail("the instances have the same bounds after frame %d", frame)
		}
	}
	ids, boxes := make([]uint32, len(b.Transforms)), make([]soa.AABB, len(b.Transforms))
	frame, frames := 0, 0
	times := measure.Interleave(s.rounds,
		measure.Task{Do: func() uint64 {
			grow(frame)
			frame++
			return instanced.View().Total()
		}},
		measure.Task{Do: func() uint64 {
			box := jump(frames)
			frames++
			for i := range b.Transforms {
				ids[i], boxes[i] = uint32(i*each), b.Transforms[i].Box(box)
			}
			must.Do(flat.MoveBatch(ids, boxes))
			must.Do(flat.Tick())
			return uint64(flat.Len())
		}},
	)
	must.Do(instanced.Validate())
	must.Do(flat.Validate())
	ms := func(x float64) float64 { return x / 1e6 }
	return []row{
		figure{name: name + ": part with other bounds", values: times[0].Each(ms), unit: "ms/frame", target: atMost(2.5)},
		figure{name: name + ": one object of each instance, flat", values: times[1].Each(ms), unit: "ms/frame"},
		figure{name: name + ": scene / flat", values: times[0].Over(times[1]), unit: "x"},
	}
}
