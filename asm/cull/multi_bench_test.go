package cull_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/soa"
)

// benchViewers is the number of frusta of a walk of many.
const benchViewers = 5

// benchMulti returns a walk of frusta that overlap, with a second bound or not.
func benchMulti(objects []soa.Object, s *soa.Store, two bool) *cull.FrustaWalk {
	w, extent := new(cull.FrustaWalk), s.Extent
	if two {
		extent[0] = 1e9
	}
	for _, c := range scene.CameraPath(objects, 0.1, benchViewers, 1) {
		six := scaled(c.Planes())
		w.Planes = append(w.Planes, cull.MakePlanes(&six, s.Extent, extent))
	}
	return w
}

func walkMulti(w *cull.FrustaWalk, s *soa.Store) {
	for w.Reset(0); !w.Done(); {
		cull.MultiNodes(w, s.Nodes.Hot, &asm.AllNodes)
	}
}

// eachBound measures walks with one bound and with two.
func eachBound(b *testing.B, prepare func(objects []soa.Object, s *soa.Store, two bool) micro.Kernel) {
	trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel { return prepare(objects, s, false) })
	b.Run("bound=two", func(b *testing.B) {
		trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel { return prepare(objects, s, true) })
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
			ids, viewers = cull.MultiPackets(ids[:0], viewers[:0], w, s.Packets.Bounds, s.Packets.IDs, keep)
		}}
	})
}
