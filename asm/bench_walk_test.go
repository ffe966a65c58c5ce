package asm_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const (
	treeBytes   = 34  // of a frozen tree, per box
	walkQueries = 256 // so many that no branch predictor learns them
)

// eachTree measures a walk over frozen trees of the uniform scene.
func eachTree(b *testing.B, prepare func(objects []soa.Object, s *soa.Store) micro.Kernel) {
	micro.Each(b, treeBytes, func(b *testing.B, boxes int) micro.Kernel {
		uniform := testkit.SceneByName(b, "uniform")
		objects := uniform.Make(boxes, 1)
		t, err := linear.New(linear.Config{Frozen: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := t.InsertBatch(nil, objects); err != nil {
			b.Fatal(err)
		}
		return prepare(objects, t.View().Store())
	})
}

// benchNear searches from many points.
func benchNear(b *testing.B, search func(w *asm.NearWalk, s *soa.Store)) {
	eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		points := scene.PointQueries(objects, walkQueries, 1)
		var w asm.NearWalk
		return micro.Kernel{Items: len(points), Item: "point", Run: func() {
			for _, p := range points {
				w.Point, w.Bound, w.Filter = p, float32(math.Inf(1)), asm.AllNodes
				w.Stack = append(w.Stack[:0], asm.NearEntry(0, 0))
				search(&w, s)
			}
		}}
	})
}

// lower makes the least distance found the bound.
func lower(w *asm.NearWalk) {
	for _, d := range w.Dist {
		w.Bound = min(w.Bound, d)
	}
}

func BenchmarkNearWalk(b *testing.B) {
	benchNear(b, func(w *asm.NearWalk, s *soa.Store) {
		for asm.NearNext(w, s.Nodes.Hot, s.Packets.Bounds) != 0 {
			lower(w)
		}
	})
}

func BenchmarkNearStep(b *testing.B) {
	benchNear(b, func(w *asm.NearWalk, s *soa.Store) {
		for len(w.Stack) > 0 {
			if asm.NearStep(w, s.Nodes.Hot, s.Packets.Bounds) != 0 {
				lower(w)
			}
		}
	})
}

func BenchmarkNearKeep(b *testing.B) {
	var keep asm.NearFound
	benchNear(b, func(w *asm.NearWalk, s *soa.Store) {
		keep.Reset(8, w.Bound)
		for asm.NearFind(w, &keep, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs) {
			keep.Len = 0
		}
	})
}

// benchRays casts many rays.
func benchRays(b *testing.B, cast func(w *asm.RayWalk, s *soa.Store)) {
	eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		var rays []asm.Ray
		for _, q := range scene.RayQueries(objects, walkQueries, 1) {
			r, _ := asm.MakeRay(q.Origin, q.Origin, q.Dir, q.MaxT)
			rays = append(rays, r)
		}
		w := asm.RayWalk{Filter: asm.AllNodes}
		return micro.Kernel{Items: len(rays), Item: "ray", Run: func() {
			for i := range rays {
				w.Ray = rays[i]
				w.Refs, w.Times = w.Refs[:0], w.Times[:0]
				w.Push(0)
				cast(&w, s)
			}
		}}
	})
}

func BenchmarkRayNext(b *testing.B) {
	benchRays(b, func(w *asm.RayWalk, s *soa.Store) {
		for w.Next(s.Nodes.Hot, s.Packets.Bounds) {
			for l, t := range w.Enter {
				if w.Mask>>l&1 != 0 {
					w.Ray.Max = min(w.Ray.Max, t)
				}
			}
		}
	})
}

func BenchmarkRayAll(b *testing.B) {
	benchRays(b, func(w *asm.RayWalk, s *soa.Store) { w.All(s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs) })
}

// benchPairs pairs a tree with itself. The time depends on the number of overlaps, so there is no copy beside it.
func benchPairs(b *testing.B, prepare func(w *asm.PairWalk) func()) {
	eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		side := asm.PairSide{Nodes: s.Nodes.Hot, Packets: &s.Packets}
		w := &asm.PairWalk{X: side, Y: side, Filter: asm.AllNodes, Every: 0xffff, Self: 1}
		return micro.Kernel{Items: len(objects), Item: "box", Run: prepare(w)}
	})
}

func BenchmarkPairNodes(b *testing.B) {
	benchPairs(b, func(w *asm.PairWalk) func() {
		return func() {
			for w.Reset(0, 0); len(w.Tasks) > 0; w.Rows = w.Rows[:0] {
				asm.PairNodes(w, math.MaxInt)
			}
		}
	})
}

func BenchmarkPairPackets(b *testing.B) {
	benchPairs(b, func(w *asm.PairWalk) func() {
		for w.Reset(0, 0); len(w.Tasks) > 0; {
			asm.PairNodes(w, math.MaxInt)
		}
		rows := append([]asm.PairRow(nil), w.Rows...)
		return func() {
			w.Rows, w.Head = append(w.Rows[:0], rows...), 0
			for len(w.Rows) > 0 {
				asm.PairPackets(w)
				benchSink += uint64(len(w.Hits))
			}
		}
	})
}

// Objects against the packets of a tree: those whose lane each row names, here
// every first lane against its own packet. An item is a row.
func BenchmarkPairObjects(b *testing.B) {
	eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		side := asm.PairSide{Nodes: s.Nodes.Hot, Packets: &s.Packets}
		w := &asm.PairWalk{X: side, Y: side, Filter: asm.AllNodes, Every: 0xffff}
		var rows []asm.PairRow
		for i := range s.Nodes.Hot {
			for l, ref := range s.Nodes.Hot[i].Child {
				if ref.IsPacket() {
					rows = append(rows, asm.PairRow{A: soa.MakeUp(uint32(i), l), B: soa.MakeUp(uint32(i), l)})
				}
			}
		}
		return micro.Kernel{Items: len(rows), Item: "row", Run: func() {
			w.Rows, w.Head = append(w.Rows[:0], rows...), 0
			for len(w.Rows) > 0 {
				asm.PairObjects(w)
				benchSink += uint64(len(w.Hits))
			}
		}}
	})
}

// benchViewers is the number of frusta of a walk of many.
const benchViewers = 5

// benchMulti returns a walk of frusta that overlap, with a second bound or not.
func benchMulti(objects []soa.Object, s *soa.Store, two bool) *asm.FrustaWalk {
	w, extent := new(asm.FrustaWalk), s.Extent
	if two {
		extent[0] = 1e9
	}
	for _, c := range scene.CameraPath(objects, 0.1, benchViewers, 1) {
		six := scaled(c.Planes())
		w.Planes = append(w.Planes, asm.MakePlanes(&six, s.Extent, extent))
	}
	return w
}

func walkMulti(w *asm.FrustaWalk, s *soa.Store) {
	for w.Reset(0); !w.Done(); {
		asm.MultiNodes(w, s.Nodes.Hot, &asm.AllNodes)
	}
}

// eachBound measures walks with one bound and with two.
func eachBound(b *testing.B, prepare func(objects []soa.Object, s *soa.Store, two bool) micro.Kernel) {
	eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel { return prepare(objects, s, false) })
	b.Run("bound=two", func(b *testing.B) {
		eachTree(b, func(objects []soa.Object, s *soa.Store) micro.Kernel { return prepare(objects, s, true) })
	})
}

func BenchmarkMultiNodes(b *testing.B) {
	eachBound(b, func(objects []soa.Object, s *soa.Store, two bool) micro.Kernel {
		w := benchMulti(objects, s, two)
		walkMulti(w, s)
		return micro.Kernel{Items: len(w.Queue.Refs), Item: "node", Run: func() { walkMulti(w, s) }}
	})
}

func BenchmarkMultiPackets(b *testing.B) {
	eachBound(b, func(objects []soa.Object, s *soa.Store, two bool) micro.Kernel {
		w := benchMulti(objects, s, two)
		walkMulti(w, s)
		keep := make([]uint16, len(w.Packets.Refs)+soa.Lanes)
		for i := range keep {
			keep[i] = 0xffff
		}
		var ids []uint32
		var viewers []uint64
		return micro.Kernel{Items: len(w.Packets.Refs), Item: "packet", Run: func() {
			ids, viewers = asm.MultiPackets(ids[:0], viewers[:0], w, s.Packets.Bounds, s.Packets.IDs, keep)
		}}
	})
}
