package ratios

import (
	"fmt"
	"runtime"

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

// changeExperiments compare changes with other libraries, and with a first build.
func changeExperiments() (all []experiment) {
	for _, x := range changeRefs {
		where := x.scene + " " + thousands(x.n)
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
		if x.n < 1_000_000 {
			continue
		}
		add("batch insert", x.batchInsert)
		add("frame", x.frame)
		add("rebuild", x.rebuild)
		add("refit", x.refit)
		add("age", x.age)
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

// batchInsert measures the insertion of a batch of 10,000 into an existing tree.
func (x changeRef) batchInsert(s *session, name string, objects []soa.Object) []row {
	const batchLimit = 200
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	count := min(10_000, len(objects))
	h.Draw(1, count)
	var stuff []soa.Object
	for _, b := range h.To {
		stuff = append(stuff, soa.Object{Box: b, Mask: 1})
	}
	var ids []uint32
	times := measure.Interleave(s.rounds, measure.Task{
		Units: count,
		Before: func() {
			h.Note(h.Tree.RemoveBatch(ids))
			h.Note(h.Tree.Tick())
		},
		Do: func() uint64 {
			fresh, err := h.Tree.InsertBatch(ids[:0], stuff)
			h.Note(err)
			h.Note(h.Tree.Flush())
			ids = fresh
			return uint64(h.Tree.Len())
		},
	})
	must.Do(h.Err)
	return []row{
		figure{name: name + ": 10,000 at once", values: times[0], unit: "ns/object", target: atMost(batchLimit)},
	}
}
