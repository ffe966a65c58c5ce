package ratios

import (
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const (
	changeMoves = 1000 // moves of a step
	changeSteps = 40   // steps of a sample
)

// changeRef names a scene and the times, in ns per object, that the fastest library takes to change it.
type changeRef struct {
	scene                    string
	n                        int
	move, churn, all, insert float64
}

var changeRefs = []changeRef{
	{"uniform", 100_000, 214, 584, 3.4, 88},
	{"city", 100_000, 330, 732, 3.7, 61},
	{"uniform", 1_000_000, 999, 1168, 13, 135},
	{"city", 1_000_000, 684, 2033, 12, 70},
}

// changeExperiments compare changes with other libraries.
func changeExperiments() (all []experiment) {
	for _, x := range changeRefs {
		where := x.scene + " " + count.Format(x.n)
		add := func(what string, run func(s *session, name string, objects []soa.Object) []row) {
			name := fmt.Sprintf("change %s %s", what, where)
			all = append(all, experiment{name, x.n, func(s *session) []row {
				objects := must.Get(lab.Objects(x.scene, x.n, s.seed))
				return run(s, name, objects)
			}})
		}
		add("move", x.steps)
		add("all", x.everything)
		add("insert", x.inserts)
		if x.n == 1_000_000 {
			add("age", x.age)
		}
	}
	return all
}

// steps measures small steps of moves, and the same steps as removal and insertion.
func (x changeRef) steps(s *session, name string, objects []soa.Object) []row {
	movers := must.Get(lab.NewMovingTree(objects, s.seed))
	movers.Tree.Trim()
	churners := must.Get(lab.NewMovingTree(objects, s.seed))
	count := min(changeMoves, len(objects))
	task := func(h *lab.MovingTree, do func(moves int) uint64) measure.Task {
		return measure.Task{
			Units:  changeSteps * count,
			Before: func() { h.Draw(changeSteps, count) },
			Do:     func() uint64 { return do(count) },
		}
	}
	times := measure.Interleave(s.rounds, task(movers, movers.Move), task(churners, churners.Churn))
	for _, h := range []*lab.MovingTree{movers, churners} {
		must.Do(h.Sound())
	}
	return []row{
		figure{name: name + ": 1,000 moves and tick", values: times[0], unit: "ns/move", lead: x.move, holder: "OrthoTree, rtree.c", target: atMost(x.move)},
		figure{name: name + ": 1,000 removed, inserted", values: times[1], unit: "ns/object", lead: x.churn, holder: "rtree.c", target: atMost(x.churn)},
	}
}

// everything measures a drift of all objects, by ID and in tree order.
func (x changeRef) everything(s *session, name string, objects []soa.Object) []row {
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	ordered := must.Get(lab.NewMovingTree(objects, s.seed))
	ids := h.InOrder()
	var boxes, sorted []soa.AABB
	var order []uint32
	var arrangement uint64
	times := measure.Interleave(s.rounds, measure.Task{
		Units:  len(ids),
		Before: func() { boxes = h.All() },
		Do: func() uint64 {
			h.Note(h.Tree.MoveBatch(ids, boxes))
			h.Note(h.Tree.Tick())
			return uint64(h.Tree.Len())
		},
	}, measure.Task{
		Units: len(ids),
		Before: func() {
			boxes = ordered.All()
			order, arrangement = ordered.Tree.Order(order[:0])
			sorted = sorted[:0]
			for _, id := range order {
				sorted = append(sorted, boxes[id])
			}
		},
		Do: func() uint64 {
			ordered.Note(ordered.Tree.MoveInOrder(arrangement, sorted))
			ordered.Note(ordered.Tree.Tick())
			return uint64(ordered.Tree.Len())
		},
	})
	must.Do(ordered.Sound())
	must.Do(h.Sound())
	return []row{
		figure{name: name + ": all drift", values: times[0], unit: "ns/object", lead: x.all, holder: "PhysX", target: atMost(x.all)},
		figure{name: name + ": all drift, in order", values: times[1], unit: "ns/object", lead: x.all, holder: "PhysX", target: atMost(x.all)},
	}
}

// inserts measures insertion one by one into a tree with a given world.
func (x changeRef) inserts(s *session, name string, objects []soa.Object) []row {
	world := scene.Bounds(objects)
	times := measure.Interleave(s.rounds, measure.Task{
		Units:  len(objects),
		Before: runtime.GC,
		Do: func() uint64 {
			t := must.Get(linear.New(linear.Config{World: world, Workers: 1}))
			for i := range objects {
				must.Get(t.Insert(objects[i]))
			}
			must.Do(t.Flush())
			return uint64(t.Len())
		},
	})
	return []row{
		figure{name: name + ": one by one", values: times[0], unit: "ns/object", lead: x.insert, holder: "OrthoTree", target: atMost(x.insert)},
	}
}

// age compares queries on a tree after many frames with queries on a new tree of the same objects.
func (x changeRef) age(s *session, name string, objects []soa.Object) (rows []row) {
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	b := &lab.SceneTree{Objects: objects, Seed: s.seed}
	var planes [][6][4]float32
	for _, c := range scene.Cameras(objects, 0.1, 50, s.seed) {
		planes = append(planes, c.Planes())
	}
	cull := must.Get(lab.NewFrusta(planes))
	asks := []lab.Workload{{Name: "frustum 10 %", Batch: cull}}
	for _, kind := range []lab.QueryKind{lab.Box450, lab.RayNearest, lab.Nearest8} {
		q := must.Get(kind.Make(b))
		asks = append(asks, lab.Workload{Name: kind.Name, Batch: q})
	}
	movers := max(len(objects)/lab.FrameShare, 1)
	age := 0
	for _, stage := range []struct {
		frames int
		limit  float64
	}{{40, 1.05}, {400, 1.3}} {
		for ; age < stage.frames; age++ {
			h.Draw(1, movers)
			h.Move(movers)
		}
		must.Do(h.Sound())
		now := make([]soa.Object, len(objects))
		for i := range now {
			now[i] = soa.Object{Box: h.Boxes[i], Mask: 1}
		}
		fresh := must.Get(lab.Build(now, 1, make([]uint32, 0, len(now))))
		must.Do(lab.Settle(fresh))
		old, young := h.Tree.View(), fresh.View()
		for _, q := range asks {
			if !lab.Agrees(q, old, h.Boxes) {
				must.Fail("%s after %d frames: results differ from the oracle", q.Name, age)
			}
			task := func(v linear.View) measure.Task {
				return measure.Task{Units: q.Len(), Do: func() uint64 { return q.Pass(v) }}
			}
			times := measure.Interleave(s.rounds, task(old), task(young))
			rows = append(rows, figure{
				name:   fmt.Sprintf("%s: %s, %d frames / fresh", name, q.Name, age),
				values: times[0], over: times[1], unit: "x", target: atMost(stage.limit),
			})
		}
	}
	return rows
}
