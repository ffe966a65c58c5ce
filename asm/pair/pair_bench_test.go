package pair_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/soa"
)

// Hits of single packets side by side. Half have one lane, as most pairs do.
func BenchmarkEmitPairs(b *testing.B) {
	micro.Each(b, 128, func(_ *testing.B, n int) micro.Kernel {
		hits := randomHits(testkit.Rand(1), n, n, n)
		for i := range hits {
			hits[i].A, hits[i].B = soa.MakeLocation(uint32(i), i%soa.Lanes), uint32(i)
		}
		ids := make([]kernel.IDRow, n)
		total := pair.CountHits(hits)
		dst := make([][2]uint32, 0, total+soa.Lanes)
		return micro.Kernel{Items: n, Item: "hit", Bytes: (16+4+64)*n + 8*total, Run: func() {
			kernel.Sink += uint64(len(pair.EmitPairs(dst, hits, ids, ids, pair.Ascending)))
		}}
	})
}

// benchPairs pairs a tree with itself. The time depends on the number of overlaps, so there is no copy beside it.
func benchPairs(b *testing.B, prepare func(w *pair.Walk) func()) {
	trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		side := pair.Side{Nodes: s.Nodes.Hot, Packets: &s.Packets}
		w := &pair.Walk{X: side, Y: side, Filter: asm.AllNodes, Every: 0xffff, Self: 1}
		return micro.Kernel{Items: len(objects), Item: "box", Run: prepare(w)}
	})
}

func BenchmarkPairNodes(b *testing.B) {
	benchPairs(b, func(w *pair.Walk) func() {
		return func() {
			for w.Reset(0, 0); len(w.Tasks) > 0; w.Rows = w.Rows[:0] {
				pair.Nodes(w, math.MaxInt)
			}
		}
	})
}

func BenchmarkPairPackets(b *testing.B) {
	benchPairs(b, func(w *pair.Walk) func() {
		for w.Reset(0, 0); len(w.Tasks) > 0; {
			pair.Nodes(w, math.MaxInt)
		}
		rows := append([]pair.Row(nil), w.Rows...)
		return func() {
			w.Rows, w.Head = append(w.Rows[:0], rows...), 0
			for len(w.Rows) > 0 {
				pair.Packets(w)
				kernel.Sink += uint64(len(w.Hits))
			}
		}
	})
}

// Objects against the packets of a tree: those whose lane each row names, here
// every first lane against its own packet. An item is a row.
func BenchmarkPairObjects(b *testing.B) {
	trees.Measure(b, func(objects []soa.Object, s *soa.Store) micro.Kernel {
		side := pair.Side{Nodes: s.Nodes.Hot, Packets: &s.Packets}
		w := &pair.Walk{X: side, Y: side, Filter: asm.AllNodes, Every: 0xffff}
		var rows []pair.Row
		for i := range s.Nodes.Hot {
			for l, ref := range s.Nodes.Hot[i].Child {
				if ref.IsPacket() {
					rows = append(rows, pair.Row{A: soa.MakeUp(uint32(i), l), B: soa.MakeUp(uint32(i), l)})
				}
			}
		}
		return micro.Kernel{Items: len(rows), Item: "row", Run: func() {
			w.Rows, w.Head = append(w.Rows[:0], rows...), 0
			for len(w.Rows) > 0 {
				pair.Objects(w)
				kernel.Sink += uint64(len(w.Hits))
			}
		}}
	})
}
