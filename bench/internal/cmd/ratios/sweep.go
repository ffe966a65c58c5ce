package ratios

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

const sweepCameras = 8

// sweepExperiments measure the linear sweep, the floor of tree queries, against memory bandwidth, and on the
// Go tier.
func sweepExperiments() []experiment {
	const many, few = 4_000_000, 100_000
	return []experiment{
		{"sweep uniform 4M", many, func(s *session) []row { return s.sweep(many) }},
		{"sweep uniform 100k", few, func(s *session) []row { return s.sweep(few) }},
		{"go tier uniform 100k", few, func(s *session) []row { return s.goTier(few) }},
	}
}

// sweep compares the sweep with a read of as much memory.
func (s *session) sweep(n int) (rows []row) {
	b := s.bed("uniform", n)
	packets := len(b.Store.Packets.Bounds)
	// As large as the bounds and allocated like them, for the same pages and caches.
	words := mem.Fresh[uint64](nil, packets*int(unsafe.Sizeof(soa.Packet{}))/8)
	for i := range words {
		words[i] = uint64(i)
	}
	for _, percent := range []int{1, 10, 50} {
		lenses := must.Get(b.Lenses(float64(percent)/100, sweepCameras))
		// Touched memory: all bounds, the IDs of packets with a hit, and the written IDs.
		touched := 0.0
		for i := range lenses {
			b.IDs = b.Sweep.Append(b.IDs[:0], b.Store, &lenses[i])
			lines := 64 * b.Sweep.Slots(b.Store, &lenses[i])
			touched += float64(8*len(words)+lines+4*len(b.IDs)) / float64(len(lenses))
		}
		times := measure.Interleave(s.rounds,
			b.Task(len(lenses), b.SweepAsker(lenses)),
			measure.Task{Units: 8 * len(words), Do: func() uint64 { return asm.ReadSum(words) }},
		)
		name := fmt.Sprintf("sweep uniform %s %d %%", thousands(n), percent)
		limit := target{}
		if n >= 1_000_000 { // larger than the caches
			limit = atMost(1.25)
		}
		rows = append(rows,
			figure{name: name + ": time / (bytes / stream)", values: times[0].Over(times[1]).Each(func(x float64) float64 { return x / touched }),
				unit: "x", target: limit},
			figure{name: name + ": time", values: times[0].Each(func(x float64) float64 { return x / float64(n) }), unit: "ns/box"},
			figure{name: name + ": stream read", values: times[1].Each(func(x float64) float64 { return 1 / x }), unit: "GB/s"},
		)
	}
	return rows
}

// goTier measures the sweep without assembly.
func (s *session) goTier(n int) (rows []row) {
	b := s.bed("uniform", n)
	former := must.Get(asm.SetTier(asm.TierGo))
	defer asm.SetTier(former)
	for _, percent := range []int{1, 10, 50} {
		lenses := must.Get(b.Lenses(float64(percent)/100, sweepCameras))
		times := measure.Interleave(s.rounds, b.Task(len(lenses), b.SweepAsker(lenses)))
		rows = append(rows, figure{
			name:   fmt.Sprintf("go tier uniform %s %d %%: sweep", thousands(n), percent),
			values: times[0].Each(func(x float64) float64 { return x / float64(n) }),
			unit:   "ns/box", target: atMost(15),
		})
	}
	return rows
}
