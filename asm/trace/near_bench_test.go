package trace_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/soa"
)

const walkQueries = 256 // so many that no branch predictor learns them

// benchNear searches from many points.
func benchNear(b *testing.B, search func(w *trace.NearWalk, s *soa.Store)) {
	trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		points := scene.PointQueries(objects, walkQueries, 1)
		var w trace.NearWalk
		return micro.Kernel{Items: len(points), Item: "point", Run: func() {
			for _, p := range points {
				w.Point, w.Bound, w.Filter = p, float32(math.Inf(1)), asm.AllNodes
				w.Stack = append(w.Stack[:0], trace.NearEntry(0, 0))
				search(&w, s)
			}
		}}
	})
}

// lower makes the least distance found the bound.
func lower(w *trace.NearWalk) {
	for _, d := range w.Dist {
		w.Bound = min(w.Bound, d)
	}
}

func BenchmarkNearWalk(b *testing.B) {
	benchNear(b, func(w *trace.NearWalk, s *soa.Store) {
		for trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds) != 0 {
			lower(w)
		}
	})
}

func BenchmarkNearStep(b *testing.B) {
	benchNear(b, func(w *trace.NearWalk, s *soa.Store) {
		for len(w.Stack) > 0 {
			if trace.NearStep(w, s.Nodes.Hot, s.Packets.Bounds) != 0 {
				lower(w)
			}
		}
	})
}

func BenchmarkNearKeep(b *testing.B) {
	var keep trace.NearFound
	benchNear(b, func(w *trace.NearWalk, s *soa.Store) {
		keep.Reset(8, w.Bound)
		for trace.NearFind(w, &keep, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs) {
			keep.Len = 0
		}
	})
}

// benchRays casts many rays.
func benchRays(b *testing.B, cast func(w *trace.RayWalk, s *soa.Store)) {
	trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		var rays []trace.Ray
		for _, q := range scene.RayQueries(objects, walkQueries, 1) {
			r, _ := trace.MakeRay(q.Origin, q.Origin, q.Dir, q.MaxT)
			rays = append(rays, r)
		}
		w := trace.RayWalk{Filter: asm.AllNodes}
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
	benchRays(b, func(w *trace.RayWalk, s *soa.Store) {
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
	benchRays(b, func(w *trace.RayWalk, s *soa.Store) { w.All(s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs) })
}
