package trace_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/guard"
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
			w.Step(nil, packets, nil, visits)
			if want := min(visits, trace.RayVisits); pushed-len(w.Refs) != want {
				t.Fatalf("%d packets visited, want %d", pushed-len(w.Refs), want)
			}
		})
	}
}

// Packets at distance 0 are visited, as many as the budget allows.
func TestNearBudget(t *testing.T) {
	packets, ids := make([]soa.Packet, 1), make([][soa.Lanes]uint32, 1)
	for _, budget := range []int{1, 2, 7, 200} {
		testkit.EachTier(t, func(t *testing.T) {
			const pushed = 500
			w := &trace.NearWalk{Filter: asm.AllNodes, Bound: 1, Budget: budget, Location: trace.NoLocation}
			w.Stack = slices.Repeat([]uint64{trace.NearEntry(0, soa.PacketRef(0))}, pushed)
			if more := trace.NearFirst(w, nil, packets, ids); !more || pushed-len(w.Stack) != budget {
				t.Fatalf("%d packets visited, want %d", pushed-len(w.Stack), budget)
			}
		})
	}
}

// Each node has 16 children within reach, so that a call fills a stack as far as it can. The memory of the stack ends
// one entry before: the walk has to move it.
func TestStackRoom(t *testing.T) {
	nodes := make([]soa.Node, 200)
	for i := range nodes {
		for l := range soa.Fan {
			nodes[i].Child[l] = soa.Ref(i+1) | soa.RefStatic
			for a := range nodes[i].Bounds {
				nodes[i].Bounds[a][l] = float32(2*(a&1) - 1)
			}
		}
	}
	const near, rays = trace.NearPerCall * (soa.Fan - 1), trace.RayVisits * (soa.Fan - 1)
	testkit.EachTier(t, func(t *testing.T) {
		for name, search := range map[string]func(w *trace.NearWalk){
			"NearNext":  func(w *trace.NearWalk) { trace.NearNext(w, nodes, nil) },
			"NearFind":  func(w *trace.NearWalk) { trace.NearFind(w, &trace.NearFound{K: 1}, nodes, nil, nil) },
			"NearFirst": func(w *trace.NearWalk) { trace.NearFirst(w, nodes, nil, nil) },
		} {
			w := &trace.NearWalk{Filter: asm.AllNodes, Bound: 9, Budget: trace.NearPerCall, Location: trace.NoLocation}
			w.Stack = append(guard.Tail[uint64](t, near)[:0], trace.NearEntry(0, 0))
			if search(w); len(w.Stack) != 1+near {
				t.Errorf("%s: %d entries, want %d", name, len(w.Stack), 1+near)
			}
		}
		for name, cast := range map[string]func(w *trace.RayWalk){
			"Step":  func(w *trace.RayWalk) { w.Step(nodes, nil, nil, trace.RayVisits) },
			"First": func(w *trace.RayWalk) { w.First(nodes, nil, nil, trace.RayVisits) },
		} {
			ray, _ := trace.MakeRay([3]float32{}, [3]float32{}, [3]float32{1, 2, 3}, 100)
			w := &trace.RayWalk{Ray: ray, Filter: asm.AllNodes, Time: 100}
			w.Refs, w.Times = append(guard.Tail[soa.Ref](t, rays)[:0], 0), append(guard.Tail[float32](t, rays)[:0], 0)
			if cast(w); len(w.Refs) != 1+rays {
				t.Errorf("%s: %d entries, want %d", name, len(w.Refs), 1+rays)
			}
		}
	})
}
