package main

import (
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const (
	changeMoves = 1000 // of a step
	changeSteps = 40   // of a sample
)

// changeRef names a scene and what the fastest library takes to change it, in
// ns per object.
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

// changeExperiments compare changes with the field, and with a first build.
func changeExperiments() (all []experiment) {
	for _, x := range changeRefs {
		place := x.scene + " " + thousands(x.n)
		add := func(what string, run func(l *lab, name string, objects []soa.Object) ([]row, error)) {
			name := fmt.Sprintf("change %s %s", what, place)
			all = append(all, experiment{name, x.n, func(l *lab) ([]row, error) {
				objects, err := l.objects(x.scene, x.n)
				if err != nil {
					return nil, err
				}
				return run(l, name, objects)
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

// herd is a tree in motion.
type herd struct {
	tree *linear.Tree
	*motion
	ids   []uint32   // of the steps to come, one after the other
	to    []soa.AABB // their boxes
	fresh []uint32
	stuff []soa.Object
	err   error // the first
}

func newHerd(objects []soa.Object, seed uint64) (*herd, error) {
	tree, err := insert(objects, 1, make([]uint32, 0, len(objects)))
	return &herd{tree: tree, motion: newMotion(objects, seed)}, err
}

// draw draws the steps to come.
func (h *herd) draw(steps, moves int) {
	h.ids, h.to = h.ids[:0], h.to[:0]
	for range steps {
		h.ids, h.to = h.step(h.ids, h.to, moves)
	}
}

func (h *herd) note(err error) {
	if h.err == nil {
		h.err = err
	}
}

// move takes the steps by MoveBatch and Tick.
func (h *herd) move(moves int) uint64 {
	for at := 0; at < len(h.ids); at += moves {
		end := min(at+moves, len(h.ids))
		h.note(h.tree.MoveBatch(h.ids[at:end], h.to[at:end]))
		h.note(h.tree.Tick())
	}
	return uint64(h.tree.Len())
}

// churn takes the steps by RemoveBatch, InsertBatch and Tick. What it inserts
// has other IDs than the motion says, and it does not matter: some object
// goes, another comes.
func (h *herd) churn(moves int) uint64 {
	for at := 0; at < len(h.ids); at += moves {
		end := min(at+moves, len(h.ids))
		h.stuff = h.stuff[:0]
		for _, b := range h.to[at:end] {
			h.stuff = append(h.stuff, soa.Object{Box: b, Mask: 1})
		}
		h.note(h.tree.RemoveBatch(h.ids[at:end]))
		fresh, err := h.tree.InsertBatch(h.fresh[:0], h.stuff)
		h.note(err)
		h.note(h.tree.Tick())
		h.fresh = fresh
	}
	return uint64(h.tree.Len())
}

// sound returns an error unless the tree is whole.
func (h *herd) sound() error {
	if h.err != nil {
		return h.err
	}
	if h.tree.Len() != len(h.boxes) {
		return fmt.Errorf("%d objects are left of %d", h.tree.Len(), len(h.boxes))
	}
	return h.tree.Validate()
}

// steps measures small steps of moves, and the same as removal and insertion.
func (x changeRef) steps(l *lab, name string, objects []soa.Object) ([]row, error) {
	movers, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	movers.tree.Trim()
	churners, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	count := min(changeMoves, len(objects))
	task := func(h *herd, do func(moves int) uint64) measure.Task {
		return measure.Task{
			Units:  changeSteps * count,
			Before: func() { h.draw(changeSteps, count) },
			Do:     func() uint64 { return do(count) },
		}
	}
	times := measure.Interleave(l.rounds, task(movers, movers.move), task(churners, churners.churn))
	for _, h := range []*herd{movers, churners} {
		if err := h.sound(); err != nil {
			return nil, err
		}
	}
	return []row{
		figure{name: name + ": 1,000 moves and tick", values: times[0], unit: "ns/move", lead: x.move, holder: "OrthoTree, rtree.c", target: atMost(x.move)},
		figure{name: name + ": 1,000 removed, inserted", values: times[1], unit: "ns/object", lead: x.churn, holder: "rtree.c", target: atMost(x.churn)},
	}, nil
}

// everything measures a drift of all objects.
func (x changeRef) everything(l *lab, name string, objects []soa.Object) ([]row, error) {
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	ids := h.inOrder()
	var boxes []soa.AABB
	times := measure.Interleave(l.rounds, measure.Task{
		Units:  len(ids),
		Before: func() { boxes = h.all() },
		Do: func() uint64 {
			h.note(h.tree.MoveBatch(ids, boxes))
			h.note(h.tree.Tick())
			return uint64(h.tree.Len())
		},
	})
	return []row{
		figure{name: name + ": all drift", values: times[0], unit: "ns/object", lead: x.all, holder: "PhysX", target: atMost(x.all)},
	}, h.sound()
}

// inOrder returns all IDs.
func (h *herd) inOrder() []uint32 {
	ids := make([]uint32, len(h.boxes))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}

// inserts measures insertion one by one into a world that is given.
func (x changeRef) inserts(l *lab, name string, objects []soa.Object) (rows []row, err error) {
	world := scene.Bounds(objects)
	times := measure.Interleave(l.rounds, measure.Task{
		Units:  len(objects),
		Before: runtime.GC,
		Do: func() uint64 {
			t, e := linear.New(linear.Config{World: world, Workers: 1})
			for i := 0; e == nil && i < len(objects); i++ {
				_, e = t.Insert(objects[i])
			}
			if e == nil {
				e = t.Flush()
			}
			if e != nil {
				err = e
				return 0
			}
			return uint64(t.Len())
		},
	})
	return []row{
		figure{name: name + ": one by one", values: times[0], unit: "ns/object", lead: x.insert, holder: "OrthoTree", target: atMost(x.insert)},
	}, err
}

// batchInsert measures a batch of 10,000 into a tree that is there.
func (x changeRef) batchInsert(l *lab, name string, objects []soa.Object) ([]row, error) {
	const batchLimit = 200
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	count := min(10_000, len(objects))
	h.draw(1, count)
	var stuff []soa.Object
	for _, b := range h.to {
		stuff = append(stuff, soa.Object{Box: b, Mask: 1})
	}
	var ids []uint32
	times := measure.Interleave(l.rounds, measure.Task{
		Units: count,
		Before: func() {
			h.note(h.tree.RemoveBatch(ids))
			h.note(h.tree.Tick())
		},
		Do: func() uint64 {
			fresh, err := h.tree.InsertBatch(ids[:0], stuff)
			h.note(err)
			h.note(h.tree.Flush())
			ids = fresh
			return uint64(h.tree.Len())
		},
	})
	return []row{
		figure{name: name + ": 10,000 at once", values: times[0], unit: "ns/object", target: atMost(batchLimit)},
	}, h.err
}
