package trace_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Empty packets are visited without a hit, as many as a step may visit.
func TestRayBudget(t *testing.T) {
	packets := make([]soa.Packet, 1)
	for a := range packets[0] {
		for l := range soa.Lanes {
			packets[0][a][l] = float32(math.Inf(1 - 2*(a&1)))
		}
	}
	for _, visits := range []int{1, 2, 7, trace.RayVisits, trace.RayVisits + 1} {
		testkit.EachTier(t, func(t *testing.T) {
			ray, _ := trace.MakeRay([3]float32{}, [3]float32{}, [3]float32{1, 2, 3}, 100)
			w := &trace.RayWalk{Ray: ray, Filter: asm.AllNodes}
			const pushed = 2 * trace.RayVisits
			for range pushed {
				w.Push(soa.PacketRef(0))
			}
			w.Step(nil, packets, visits)
			if want := min(visits, trace.RayVisits); pushed-len(w.Refs) != want {
				t.Fatalf("%d packets visited, want %d", pushed-len(w.Refs), want)
			}
		})
	}
}
