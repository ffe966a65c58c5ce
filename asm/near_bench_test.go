package asm_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const walkQueries = 256 // so many that no branch predictor learns them

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
