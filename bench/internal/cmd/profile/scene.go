package profile

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	deep "github.com/zoctree/zoctree/query/scene"
)

// sceneName is the workload of instanced parts.
const sceneName = "scene"

// tracer prints the counters of queries.
type tracer func(out *report.Report)

// about describes the scene.
func (b *inputs) about() string {
	if b.n < b.instances {
		must.Do(command.Usagef("-n %d, -instances %d: want an object or more in each instance", b.n, b.instances))
	}
	return fmt.Sprintf("instances, %s in %s of %s, seed %d",
		count.Of(b.n, "object"), count.Of(b.instances, "instance"), count.Of(scene.PartKinds, "part"), b.seed)
}

// sceneQueries are the queries of a scene.
type sceneQueries struct {
	frusta []query.Frustum
	boxes  []query.Box
	rays   []query.Ray
}

func queriesOf(b *lab.Instances) (a sceneQueries) {
	const cameras = 16
	objects := b.Flat.Objects
	for _, c := range scene.Cameras(objects, 0.1, cameras, b.Seed) {
		a.frusta = append(a.frusta, must.Get(query.FrustumPlanes(c.Planes())))
	}
	for _, c := range scene.BoxQueries(objects, 8, lab.QueryCount, b.Seed) {
		a.boxes = append(a.boxes, must.Get(query.NewBox(c.Min, c.Max)))
	}
	a.rays = must.Get(lab.NewRays(scene.RayQueries(objects, lab.QueryCount, b.Seed), lab.RayFirst)).Queries
	return a
}

func sceneWorkload(b *inputs) func() {
	in := must.Get(lab.NewInstances(b.instances, b.n/b.instances, b.seed))
	a := queriesOf(in)
	in.Flat = nil // only needed to make the queries
	motion := lab.NewInstanceMotion(in)
	movers := max(len(in.Where)/lab.FrameShare, 1)
	b.traced = func(out *report.Report) { a.trace(out, in) }
	var answer deep.Answer
	next := 0
	return func() {
		motion.Each(movers, func(id uint32) {
			must.Do(in.Scene.Move(id, must.Get(linear.NewTransform(motion.Shift(id)))))
		})
		must.Do(in.Scene.Tick())
		v := in.Scene.View()
		answer.Reset()
		deep.Append(&answer, a.frusta[next/passQueries%len(a.frusta)], v, query.Filter{})
		for i := next; i < next+passQueries; i++ {
			answer.Reset()
			deep.Append(&answer, a.boxes[i%len(a.boxes)], v, query.Filter{})
			deep.First(a.rays[i%len(a.rays)], v, query.Filter{})
		}
		next += passQueries
	}
}

// trace runs queries of each kind once more. It prints how many instances they intersect, take whole or
// enter, and how often they visit the nodes and packets of each part.
func (a *sceneQueries) trace(out *report.Report, in *lab.Instances) {
	v := in.Scene.View()
	heat := deep.NewHeat(v)
	t := out.Table("instances", table.Column{Title: "query", Width: -8}, table.Column{Title: "queries", Width: 7},
		table.Column{Title: "instances", Width: 10}, table.Column{Title: "rejected", Width: 9}, table.Column{Title: "whole", Width: 9},
		table.Column{Title: "entered", Width: 9}, table.Column{Title: "nodes", Width: 9}, table.Column{Title: "packets", Width: 9})
	line := func(name string, queries int, explain func(i int) deep.Counters) {
		var c deep.Counters
		for i := range queries {
			c = c.Add(explain(i))
		}
		mean := func(n int) string { return table.Number(float64(n) / float64(queries)) }
		t.Row(name, fmt.Sprint(queries), mean(c.Instances), mean(c.Rejected), mean(c.Whole), mean(c.Entered), mean(c.Nodes), mean(c.Packets))
	}
	line("frustum", len(a.frusta), func(i int) deep.Counters { return deep.Explain(a.frusta[i], v, query.Filter{}, heat) })
	line("box", passQueries, func(i int) deep.Counters { return deep.Explain(a.boxes[i], v, query.Filter{}, heat) })
	line("ray", passQueries, func(i int) deep.Counters { return deep.ExplainSweep(a.rays[i], v, query.Filter{}, heat) })

	stands := map[uint32]int{}
	for id := range in.Where {
		_, part, _ := v.Instance(uint32(id))
		stands[part]++
	}
	t = out.Table("parts", table.Column{Title: "part", Width: -6}, table.Column{Title: "instances", Width: 9}, table.Column{Title: "objects", Width: 8},
		table.Column{Title: "node visits", Width: 11}, table.Column{Title: "packet visits", Width: 13})
	visits := func(name string, instances, objects int, h *query.Heat) {
		nodes, packets := 0, 0
		for _, n := range h.Nodes {
			nodes += int(n)
		}
		for _, n := range h.Slots {
			packets += int(n)
		}
		t.Row(name, fmt.Sprint(instances), fmt.Sprint(objects), fmt.Sprint(nodes), fmt.Sprint(packets))
	}
	for part, of := range v.Parts() {
		if part == 0 { // the scene, without objects of its own
			visits("boxes", 1, of.Instances().Len(), heat.Instances[0])
			continue
		}
		visits(fmt.Sprint(part), stands[part], of.Objects().Len(), heat.Objects[part])
	}
}
