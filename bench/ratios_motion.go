package main

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// frameShare is the share of objects, one in so many, that move in a frame.
const frameShare = 100

// firstBuild inserts the objects into new trees.
func (h *herd) firstBuild(objects []soa.Object) measure.Task {
	ids := make([]uint32, 0, len(objects))
	return measure.Task{Units: len(objects), Before: runtime.GC, Do: func() uint64 {
		t, err := insert(objects, 1, ids)
		h.note(err)
		return uint64(t.Len())
	}}
}

// frame compares a mover of a frame with an object of a first build.
func (x changeRef) frame(l *lab, name string, objects []soa.Object) ([]row, error) {
	const frames, limit = 4, 6
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	movers := max(len(objects)/frameShare, 1)
	times := measure.Interleave(l.rounds,
		measure.Task{
			Units:  frames * movers,
			Before: func() { h.draw(frames, movers) },
			Do:     func() uint64 { return h.move(movers) },
		},
		h.firstBuild(objects),
	)
	return []row{
		figure{name: name + ": mover at 1 % / first build", values: times[0].Over(times[1]), unit: "x", target: atMost(limit)},
		figure{name: name + ": mover at 1 %", values: times[0], unit: "ns/mover"},
	}, h.sound()
}

// rebuild compares a rebuild after a frame with a first build.
func (x changeRef) rebuild(l *lab, name string, objects []soa.Object) ([]row, error) {
	const limit = 0.65
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	times := measure.Interleave(l.rounds,
		measure.Task{
			Units: len(objects),
			Before: func() {
				h.draw(1, max(len(objects)/frameShare, 1))
				h.note(h.tree.MoveBatch(h.ids, h.to))
				runtime.GC()
			},
			Do: func() uint64 {
				h.note(h.tree.Rebuild(nil, linear.RebuildOptions{}))
				return uint64(h.tree.Len())
			},
		},
		h.firstBuild(objects),
	)
	ratio := figure{name: name + ": after 1 % motion / first build", values: times[0].Over(times[1]), unit: "x"}
	if x.scene == "uniform" {
		ratio.target = atMost(limit) // the objects of the other scenes are not that much out of order
	}
	return []row{ratio, figure{name: name + ": after 1 % motion", values: times[0], unit: "ns/object"}}, h.sound()
}

// refit compares a refit of everything with a read of as much memory.
func (x changeRef) refit(l *lab, name string, objects []soa.Object) ([]row, error) {
	const (
		touched = 42 // bytes per object
		limit   = 0.85
	)
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	ids := h.inOrder()
	words := soa.Fresh[uint64](nil, touched*len(objects)/8)
	for i := range words {
		words[i] = uint64(i)
	}
	times := measure.Interleave(l.rounds,
		measure.Task{
			Units: len(objects),
			Before: func() { // to where they are; a batch of most objects would refit at once
				for part := range slices.Chunk(ids, len(ids)/5+1) {
					h.note(h.tree.MoveBatch(part, h.boxes[part[0]:int(part[0])+len(part)]))
				}
			},
			Do: func() uint64 {
				h.tree.Refit()
				return uint64(h.tree.Len())
			},
		},
		measure.Task{Units: 8 * len(words), Do: func() uint64 { return asm.ReadSum(words) }},
	)
	read := times[1].Each(func(x float64) float64 { return touched * x })
	return []row{
		figure{name: name + ": 42 B/object / time, over stream", values: read.Over(times[0]), unit: "x", target: atLeast(limit)},
		figure{name: name + ": everything", values: times[0], unit: "ns/object"},
	}, h.sound()
}

// age compares queries on a tree that has seen many frames with those on a new
// tree of the same objects.
func (x changeRef) age(l *lab, name string, objects []soa.Object) (rows []row, err error) {
	h, err := newHerd(objects, l.seed)
	if err != nil {
		return nil, err
	}
	b := &bed{objects: objects, seed: l.seed}
	var planes [][6][4]float32
	for _, c := range scene.Cameras(objects, 0.1, 50, l.seed) {
		planes = append(planes, c.Planes())
	}
	cull, err := newFrusta(planes)
	if err != nil {
		return nil, err
	}
	asks := []workload{{"frustum 10 %", cull}}
	for _, kind := range []queryKind{kindBox450, kindFirst, kindKnn8} {
		q, err := kind.make(b)
		if err != nil {
			return nil, err
		}
		asks = append(asks, workload{kind.name, q})
	}
	movers := max(len(objects)/frameShare, 1)
	age := 0
	for _, stage := range []struct {
		frames int
		limit  float64
	}{{40, 1.05}, {400, 1.3}} {
		for ; age < stage.frames; age++ {
			h.draw(1, movers)
			h.move(movers)
		}
		if err := h.sound(); err != nil {
			return nil, err
		}
		now := make([]soa.Object, len(objects))
		for i := range now {
			now[i] = soa.Object{Box: h.boxes[i], Mask: 1}
		}
		fresh, err := insert(now, 1, make([]uint32, 0, len(now)))
		if err != nil {
			return nil, err
		}
		old, young := h.tree.View(), fresh.View()
		for _, q := range asks {
			if !agrees(q, old, h.boxes) {
				return nil, fmt.Errorf("%s after %d frames: answers differ from the oracle", q.name, age)
			}
			task := func(v linear.View) measure.Task {
				return measure.Task{Units: q.len(), Do: func() uint64 { return q.pass(v) }}
			}
			times := measure.Interleave(l.rounds, task(old), task(young))
			rows = append(rows, figure{
				name:   fmt.Sprintf("%s: %s, %d frames / fresh", name, q.name, age),
				values: times[0].Over(times[1]), unit: "x", target: atMost(stage.limit),
			})
		}
	}
	return rows, nil
}
