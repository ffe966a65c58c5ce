package replay

import (
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	deep "github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// sceneReplay is a scene of instanced parts with its queries.
type sceneReplay struct {
	*lab.Instances
	queries []sceneQuery
}

// sceneQuery is a workload of a file: functions to run query i, to run all in a pass, and to compare some
// with a plain loop over all objects of all instances.
type sceneQuery struct {
	name, path string
	n          int
	answer     func(i int, sum *sceneSum)
	pass       func() measure.Task
	check      func() error
}

// sceneSum sums up results: objects by instance and ID.
type sceneSum struct {
	results     int
	hash        uint64
	distance    float64
	hasDistance bool
}

// add adds an object, which is hashed as its instance and ID.
func (s *sceneSum) add(path deep.Path, id uint32) {
	s.results++
	s.hash += flat.SplitMix64(uint64(path.At(0))<<32 | uint64(id))
}

// runScene runs the queries of files on a scene.
func (r *replay) runScene(e *command.Env) {
	if r.scene != "" || len(r.changes) > 0 {
		must.Do(command.Usagef("-instances allows -part, but not -scene, -moves or -moveall"))
	}
	b := r.loadScene()
	s := &sceneReplay{Instances: b}
	for _, f := range r.files {
		s.load(f)
	}
	if r.pairs {
		s.addPairs(r.instances)
	}
	p := &command.Progress{Out: e.Errs}
	p.Begin("building %s of %s", count.Of(r.repeat, "scene"), count.Of(len(b.Where), "instance"))
	var again *linear.Scene
	free := func() {
		if again != nil {
			again.Clear() // releases the parts
		}
		runtime.GC()
	}
	build := measure.Interleave(r.repeat, measure.Task{Units: len(b.Flat.Objects), Before: free, Do: func() uint64 {
		again = must.Get(b.NewScene(linear.InstanceOptions{}))
		return 1
	}})[0].Median()
	free()
	p.End()
	b.View = b.Scene.View() // the parts have been in other scenes
	r.report = r.output.Begin(e, "replay")
	command.TierNote(r.report)
	r.table = r.report.Table("workloads", replayColumns()...)
	bytes, _ := b.Bytes()
	n := len(b.Flat.Objects)
	for _, q := range s.queries {
		line := replayRow{workload: q.name, path: q.path, queries: q.n, objects: n, buildNs: build, bytes: float64(bytes) / float64(max(n, 1))}
		var sum sceneSum
		for i := range q.n {
			q.answer(i, &sum)
		}
		if q.n > 0 {
			line.mean = float64(sum.results) / float64(q.n)
			ns := measure.Interleave(r.repeat, q.pass())[0]
			line.samples, line.median, line.least = ns, ns.Median(), ns.Min()
		}
		line.hash, line.distanceSum, line.hasDistance = sum.hash, sum.distance, sum.hasDistance
		wrong := q.check()
		if line.ok = wrong == nil; !line.ok {
			fmt.Fprintf(e.Errs, "%s %s: %v\n", q.name, q.path, wrong)
		}
		r.print(line)
	}
	r.end(e)
}

// loadScene reads the parts and the instances.
func (r *replay) loadScene() *lab.Instances {
	parts, where := r.loadParts()
	b, err := lab.InstancesOf(parts, where)
	if err != nil {
		must.Fail("%s: %w", r.instances, err)
	}
	return b
}

func (r *replay) loadParts() (parts [][]soa.Object, where []scene.Instance) {
	switch scene := lab.HoldsScene(r.instances); {
	case scene && len(r.parts) > 0:
		must.Do(command.Usagef("-instances %s: the snapshot of a scene has its parts, want no -part", r.instances))
	case scene:
		parts, where, err := lab.LoadInstances(r.instances)
		must.Do(err)
		return parts, where
	case len(r.parts) == 0:
		must.Do(command.Usagef("-instances %s: want a -part for each part that it names, or the snapshot of a scene", r.instances))
	}
	for _, path := range r.parts {
		parts = append(parts, objectsOf(must.Get(flat.Load(path, flat.ReadScene))))
	}
	instances := must.Get(flat.Load(r.instances, flat.ReadInstances))
	where = make([]scene.Instance, len(instances))
	for i, p := range instances {
		where[i].Part = int(p.Part)
		for k, x := range p.Rows {
			where[i].Rows[k] = float64(x)
		}
	}
	return parts, where
}

// load reads a file of queries.
func (s *sceneReplay) load(f lab.QueryFile) {
	loads := must.Get(f.Kind.Load(f.Path))
	for _, w := range loads {
		switch q := w.Batch.(type) {
		case *lab.Volumes[query.Frustum]:
			planes := must.Get(flat.Load(f.Path, flat.ReadFrusta))
			addVolumes(s, w.Name, f.Path, q.Queries, func() error { return s.CheckFrusta(planes, q.Queries) })
		case *lab.Volumes[query.Box]:
			boxes := must.Get(flat.Load(f.Path, flat.ReadBoxes))
			addVolumes(s, w.Name, f.Path, q.Queries, func() error { return s.CheckBoxes(boxes, q.Queries) })
		case *lab.Volumes[query.Sphere]:
			spheres := must.Get(flat.Load(f.Path, flat.ReadSpheres))
			addVolumes(s, w.Name, f.Path, q.Queries, func() error { return s.CheckSpheres(spheres, q.Queries) })
		case *lab.Rays:
			if q.Form == lab.RayFirst {
				s.addRays(w.Name, f.Path, q)
			}
		case *lab.Points:
			s.addPoints(w.Name, f.Path, q)
		default:
			panic(fmt.Sprintf("replay: a workload %s of another type", w.Name))
		}
	}
}

func addVolumes[V query.Volume](s *sceneReplay, name, path string, volumes []V, check func() error) {
	var a deep.Answer
	s.queries = append(s.queries, sceneQuery{name, path, len(volumes), func(i int, sum *sceneSum) {
		a.Reset()
		deep.Append(&a, volumes[i], s.View, query.Filter{})
		for p, id := range a.All() {
			sum.add(a.Path(p), id)
		}
	}, func() measure.Task { return lab.VolumesTask(s.Instances, volumes) }, check})
}

func (s *sceneReplay) addRays(name, path string, q *lab.Rays) {
	s.queries = append(s.queries, sceneQuery{name, path, q.Len(), func(i int, sum *sceneSum) {
		sum.hasDistance = true
		if h, ok := deep.First(q.Queries[i], s.View, query.Filter{}); ok {
			sum.add(h.Path, h.ID)
			sum.distance += float64(h.Dist)
		}
	}, func() measure.Task { return s.RaysTask(q.Queries) }, func() error { return s.CheckRays(q.Given, q.Queries) }})
}

func (s *sceneReplay) addPoints(name, path string, q *lab.Points) {
	var near []deep.Neighbor
	s.queries = append(s.queries, sceneQuery{name, path, q.Len(), func(i int, sum *sceneSum) {
		sum.hasDistance = true
		near, _ = deep.AppendNearest(near[:0], s.View, q.Given[i], q.K, lab.AnyDistance, query.Filter{})
		for _, n := range near {
			sum.add(n.Path, n.ID)
			sum.distance += float64(n.Dist)
		}
	}, func() measure.Task { return s.NearestTask(q.Given, q.K) }, func() error { return s.CheckNearest(q.Given, q.K) }})
}

// addPairs adds the search for the pairs of all instanced objects, as in a flat tree.
func (s *sceneReplay) addPairs(path string) {
	s.queries = append(s.queries, sceneQuery{"pairs", path, 1, func(_ int, sum *sceneSum) {
		for _, p := range s.AllPairs() {
			a, b := uint64(p.A.Path.At(0))<<32|uint64(p.A.ID), uint64(p.B.Path.At(0))<<32|uint64(p.B.ID)
			sum.results++
			sum.hash += flat.SplitMix64(flat.SplitMix64(min(a, b)) ^ max(a, b))
		}
	}, func() measure.Task { return s.PairsTask(true) }, s.CheckPairs})
}

// objectsOf makes objects of boxes.
func objectsOf(boxes []soa.AABB) []soa.Object {
	objects := make([]soa.Object, len(boxes))
	for i, b := range boxes {
		objects[i] = soa.Object{Box: b, Mask: 1}
	}
	return objects
}
