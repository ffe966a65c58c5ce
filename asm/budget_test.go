package asm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A call uses its whole bound: no more, so that the scheduler does not wait longer, and no less, so that the overhead
// of a call is not paid more often.

// Rows of pairs are taken from the first one on, tasks from the last.
func TestPairBudgets(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	w := randomPairWalk(t, rng, heap, 5, testkit.BoxesSmall)
	for i := range w.X.Nodes {
		for l := range soa.Fan {
			w.X.Nodes[i].Child[l] = soa.PacketRef(rng.Uint32N(5))
			w.Y.Nodes[i].Child[l] = soa.PacketRef(rng.Uint32N(5))
		}
	}
	for _, most := range []int{1, 7, asm.PairNodesPerCall, asm.PairNodesPerCall + 1} {
		testkit.EachTier(t, func(t *testing.T) {
			g := *w
			g.Rows, g.Tasks = nil, make([]asm.PairTask, 3*asm.PairNodesPerCall)
			asm.PairNodes(&g, most) // packets alone, which become rows
			if taken := 3*asm.PairNodesPerCall - len(g.Tasks); taken != min(most, asm.PairNodesPerCall) {
				t.Fatalf("%d tasks taken, want %d", taken, min(most, asm.PairNodesPerCall))
			}
		})
	}
	rows := randomRows(rng, w, 3*asm.PairPacketsPerCall/2, true)
	for _, take := range []func(*asm.PairWalk){asm.PairPackets, asm.PairObjects} {
		testkit.EachTier(t, func(t *testing.T) {
			g := *w
			g.Rows = slices.Clone(rows)
			if take(&g); g.Head != asm.PairPacketsPerCall || len(g.Rows) != len(rows) {
				t.Fatalf("%d of %d rows taken, want %d", g.Head, len(g.Rows), asm.PairPacketsPerCall)
			}
			if take(&g); g.Head != 0 || len(g.Rows) != 0 {
				t.Fatalf("%d of %d rows taken, want all", g.Head, len(g.Rows))
			}
		})
	}
}

// A call counts a node once for each frustum that tests it.
func TestFrustaBudget(t *testing.T) {
	const queued = 3 * asm.NodesPerCall
	nodes := make([]soa.Node, queued)
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
	for _, viewers := range []int{1, 3, 16, 17, 64} {
		testkit.EachTier(t, func(t *testing.T) {
			w := &asm.FrustaWalk{Planes: make([]asm.Planes, viewers)}
			w.Reset(0)
			for i := 1; i < queued; i++ {
				w.Queue.Add(uint32(i), w.All(), 0)
			}
			asm.MultiNodes(w, nodes, &asm.AllNodes)
			if want := min(asm.MultiPerCall/viewers, asm.NodesPerCall); w.Head != want {
				t.Fatalf("%d viewers: %d nodes tested, want %d", viewers, w.Head, want)
			}
		})
	}
}

// Empty packets are visited without a hit, as many as a step may visit.
func TestRayBudget(t *testing.T) {
	packets := make([]soa.Packet, 1)
	for a := range packets[0] {
		for l := range soa.Lanes {
			packets[0][a][l] = float32(math.Inf(1 - 2*(a&1)))
		}
	}
	for _, visits := range []int{1, 2, 7, asm.RayVisits, asm.RayVisits + 1} {
		testkit.EachTier(t, func(t *testing.T) {
			ray, _ := asm.MakeRay([3]float32{}, [3]float32{}, [3]float32{1, 2, 3}, 100)
			w := &asm.RayWalk{Ray: ray, Filter: asm.AllNodes}
			const pushed = 2 * asm.RayVisits
			for range pushed {
				w.Push(soa.PacketRef(0))
			}
			w.Step(nil, packets, visits)
			if want := min(visits, asm.RayVisits); pushed-len(w.Refs) != want {
				t.Fatalf("%d packets visited, want %d", pushed-len(w.Refs), want)
			}
		})
	}
}

// Boxes on one side of the origin, where the initial bounds of a survey are on both; and no boxes at all.
func TestSurveyOneSide(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 8, 9, 33, 100} {
			for _, sign := range []float32{1, -1} {
				boxes := make([]float32, 6*n)
				for i := range n {
					for a := range 3 {
						lo, hi := sign*float32(3+i+a), sign*float32(5+i+a)
						boxes[6*i+a], boxes[6*i+3+a] = min(lo, hi), max(lo, hi)
					}
				}
				centres, union, bad := asm.Survey(boxes, 6, n)
				for a := range 3 {
					near, far := sign*float32(3+a), sign*float32(5+n-1+a)
					if union[2*a] != min(near, far) || union[2*a+1] != max(near, far) || bad != -1 {
						t.Fatalf("n=%d: axis %d is %v to %v, want %v and %v", n, a, union[2*a], union[2*a+1], near, far)
					}
					near, far = near+sign, far-sign
					if centres[2*a] != min(near, far) || centres[2*a+1] != max(near, far) {
						t.Fatalf("n=%d: centres on axis %d are %v to %v, want %v and %v", n, a, centres[2*a], centres[2*a+1], near, far)
					}
				}
			}
		}
		centres, union, bad := asm.Survey(nil, 6, 0)
		inf := float32(math.Inf(1))
		if empty := [6]float32{inf, -inf, inf, -inf, inf, -inf}; centres != empty || union != empty || bad != -1 {
			t.Fatalf("no boxes: centres %v, union %v, bad %d", centres, union, bad)
		}
	})
}

// A volume walk tests the queued nodes up to its budget, 64 at most.
func TestVolumeBudget(t *testing.T) {
	const queued = 3 * asm.NodesPerCall
	nodes := make([]soa.Node, queued)
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
	for shape, random := range shapes {
		rng := testkit.Rand(1)
		testkit.EachTier(t, func(t *testing.T) {
			for _, budget := range []int{0, 1, 2, 5, asm.NodesPerCall - 1, asm.NodesPerCall, asm.NodesPerCall + 1} {
				k := random(t, heap, rng, testkit.BoxesSmall)
				w := &asm.VolumeWalk{}
				w.Reset(0)
				for i := 1; i < queued; i++ {
					w.Queue = append(w.Queue, uint32(i))
				}
				w.Budget = budget
				k.Nodes(w, nodes, &asm.AllNodes)
				want := min(budget, asm.NodesPerCall)
				if budget == 0 {
					want = asm.NodesPerCall
				}
				if w.Head != want {
					t.Fatalf("%s, budget %d: %d nodes tested, want %d", shape, budget, w.Head, want)
				}
			}
		})
	}
}
