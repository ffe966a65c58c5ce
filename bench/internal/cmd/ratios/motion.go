package ratios

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// frame compares the cost per moved object of a frame with the cost per object of a first build.
func (x changeRef) frame(s *session, name string, objects []soa.Object) []row {
	const frames, limit = 4, 6
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	movers := max(len(objects)/lab.FrameShare, 1)
	times := measure.Interleave(s.rounds,
		measure.Task{
			Units:  frames * movers,
			Before: func() { h.Draw(frames, movers) },
			Do:     func() uint64 { return h.Move(movers) },
		},
		h.FirstBuild(objects),
	)
	must.Do(h.Sound())
	return []row{
		figure{name: name + ": mover at 1 % / first build", values: times[0].Over(times[1]), unit: "x", target: atMost(limit)},
		figure{name: name + ": mover at 1 %", values: times[0], unit: "ns/mover"},
	}
}

// rebuild compares a rebuild after a frame with a first build.
func (x changeRef) rebuild(s *session, name string, objects []soa.Object) []row {
	const limit = 0.65
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	times := measure.Interleave(s.rounds,
		measure.Task{
			Units: len(objects),
			Before: func() {
				h.Draw(1, max(len(objects)/lab.FrameShare, 1))
				h.Note(h.Tree.MoveBatch(h.IDs, h.To))
				runtime.GC()
			},
			Do: func() uint64 {
				h.Note(h.Tree.Rebuild(nil, linear.RebuildOptions{}))
				return uint64(h.Tree.Len())
			},
		},
		h.FirstBuild(objects),
	)
	ratio := figure{name: name + ": after 1 % motion / first build", values: times[0].Over(times[1]), unit: "x"}
	if x.scene == "uniform" {
		ratio.target = atMost(limit) // the objects of the other scenes are less out of order
	}
	must.Do(h.Sound())
	return []row{ratio, figure{name: name + ": after 1 % motion", values: times[0], unit: "ns/object"}}
}

// refit compares a refit of the whole tree with a read of as much memory.
func (x changeRef) refit(s *session, name string, objects []soa.Object) []row {
	const (
		touched = 42 // bytes per object
		limit   = 0.85
	)
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	ids := h.InOrder()
	words := mem.Fresh[uint64](nil, touched*len(objects)/8)
	for i := range words {
		words[i] = uint64(i)
	}
	times := measure.Interleave(s.rounds,
		measure.Task{
			Units: len(objects),
			Before: func() { // to their current boxes; a batch of most objects would refit at once
				for part := range slices.Chunk(ids, len(ids)/5+1) {
					h.Note(h.Tree.MoveBatch(part, h.Boxes[part[0]:int(part[0])+len(part)]))
				}
			},
			Do: func() uint64 {
				h.Tree.Refit()
				return uint64(h.Tree.Len())
			},
		},
		measure.Task{Units: 8 * len(words), Do: func() uint64 { return asm.ReadSum(words) }},
	)
	read := times[1].Each(func(x float64) float64 { return touched * x })
	return []row{
		figure{name: name + ": 42 B/object / time, over stream", values: read.Over(times[0]), unit: "x", target: atLeast(limit)},
		figure{name: name + ": everything", values: times[0], unit: "ns/object"},
	}
}

// age compares queries on a tree after many frames with queries on a new tree of the same objects.
func (x changeRef) age(s *session, name string, objects []soa.Object) (rows []row) {
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	b := &lab.Bed{Objects: objects, Seed: s.seed}
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
		fresh := must.Get(lab.Insert(now, 1, make([]uint32, 0, len(now))))
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
				values: times[0].Over(times[1]), unit: "x", target: atMost(stage.limit),
			})
		}
	}
	return rows
}
