package trace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// rayScene is a tree of random boxes, which need not hold their subtrees: the kernels only follow references.
type rayScene struct {
	nodes   []soa.Node
	packets []soa.Packet
	ids     [][soa.Lanes]uint32
}

func newRayScene(rng *rand.Rand, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32) *rayScene {
	for i := range nodes {
		n := &nodes[i]
		*n = soa.Node{}
		used := rng.IntN(soa.Fan + 1)
		for l := range soa.Fan {
			if l >= used || i+1 >= len(nodes) && len(packets) == 0 {
				rayLane(rng, nil, func(col int, x float32) { n.Bounds[col][l] = x })
				continue
			}
			rayLane(rng, rng, func(col int, x float32) { n.Bounds[col][l] = x })
			if below := len(nodes) - 1 - i; below > 0 && (rng.IntN(2) == 0 || len(packets) == 0) {
				n.Child[l] = soa.Ref(i + 1 + rng.IntN(below))
			} else {
				n.Child[l] = soa.PacketRef(rng.Uint32N(uint32(len(packets))))
			}
			n.Child[l] |= soa.Ref(1+rng.IntN(3)) << 29
			n.Mask[l] = rng.Uint32N(8)
		}
	}
	for i := range packets {
		used := rng.IntN(soa.Lanes + 1)
		for l := range soa.Lanes {
			source := rng
			if l >= used {
				source = nil
			}
			rayLane(rng, source, func(col int, x float32) { packets[i][col][l] = x })
		}
	}
	return &rayScene{nodes, packets, ids}
}

// rayLane puts a random box, or without a source the empty one.
func rayLane(rng, source *rand.Rand, put func(col int, x float32)) {
	for a := range 3 {
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		if source != nil {
			lo, hi = rayNumber(rng), rayNumber(rng)
			lo, hi = min(lo, hi), max(lo, hi)
		}
		put(2*a, lo)
		put(2*a+1, hi)
	}
}

func rayNumber(rng *rand.Rand) float32 {
	switch rng.IntN(6) {
	case 0:
		x := kernel.Specials[rng.IntN(len(kernel.Specials)-3)] // finite
		return x
	case 1:
		return math.Float32frombits(rng.Uint32N(0x7F800000) | rng.Uint32N(2)<<31)
	}
	return float32(rng.IntN(40)) - 20
}

func randomRay(rng *rand.Rand) Ray {
	var lo, hi, dir [3]float32
	for a := range 3 {
		x, y := rayNumber(rng), rayNumber(rng)
		lo[a], hi[a] = min(x, y), max(x, y)
		if rng.IntN(2) == 0 {
			hi[a] = lo[a]
		}
		if dir[a] = rayNumber(rng); rng.IntN(4) == 0 {
			dir[a] = float32(math.Copysign(0, float64(dir[a])))
		}
	}
	r, _ := MakeRay(lo, hi, dir, lane.Abs(rayNumber(rng)))
	return r
}

// walkAll returns the hits of a walk, packet by packet: slot, mask and the times of the lanes hit.
func (s *rayScene) walkAll(w *RayWalk) (found []string) {
	for w.Next(s.nodes, s.packets) {
		var times []uint32
		for l := range soa.Lanes {
			if w.Mask>>l&1 != 0 {
				times = append(times, math.Float32bits(w.Enter[l]))
			}
		}
		found = append(found, fmt.Sprint(w.Slot, w.Mask, times))
	}
	return found
}

// nearest returns the result of a walk to the nearest hit, in calls of so many visits.
func (s *rayScene) nearest(w *RayWalk, visits int) string {
	w.Time = float32(math.Inf(1))
	for len(w.Refs) > 0 {
		w.First(s.nodes, s.packets, s.ids, visits)
	}
	return fmt.Sprint(math.Float32bits(w.Time), w.Location, math.Float32bits(w.Ray.Max))
}

// best is the same by its definition, from a walk packet by packet.
func (s *rayScene) best(w *RayWalk) string {
	best, location := float32(math.Inf(1)), soa.Location(0)
	for w.Next(s.nodes, s.packets) {
		for l := range soa.Lanes {
			t := w.Enter[l]
			if t <= w.Zero {
				t = 0
			}
			if w.Mask>>l&1 != 0 && (t < best || t == best && s.ids[w.Slot][l] < s.ids[location.Slot()][location.Lane()]) {
				best, location = t, soa.MakeLocation(w.Slot, l)
				w.Ray.Max = min(w.Ray.Max, max(t, w.Zero))
			}
		}
	}
	return fmt.Sprint(math.Float32bits(best), location, math.Float32bits(w.Ray.Max))
}

// listAll is walkAll with the phases that list hits.
func (s *rayScene) listAll(w *RayWalk) (found []string) {
	w.All(s.nodes, s.packets, s.ids)
	if len(w.Locations) != len(w.At) {
		return []string{"lists of unequal length"}
	}
	for i, location := range w.Locations {
		found = append(found, fmt.Sprint(location, math.Float32bits(w.At[i])))
	}
	slices.Sort(found)
	return found
}

// The tiers find the same packets, lanes and times, to the bit, walks from the nearest
// on in the same order, and touch nothing outside of their slices.
func TestRayTiers(t *testing.T) {
	former := cpu.Active
	defer cpu.Force(former)
	defer func(was bool) { cpu.Narrow = was }(cpu.Narrow)
	tiers := cpu.Available()
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range testkit.Again(60, 15) {
		n, m := rng.IntN(12), rng.IntN(20)
		if i < 4 {
			n, m = i&1, i>>1
		}
		nodes, packets, ids := guard.Tail[soa.Node](t, n), guard.Tail[soa.Packet](t, m), guard.Tail[[soa.Lanes]uint32](t, m)
		if i%2 == 0 {
			nodes, packets, ids = guard.Head[soa.Node](t, n), guard.Head[soa.Packet](t, m), guard.Head[[soa.Lanes]uint32](t, m)
		}
		s := newRayScene(rng, nodes, packets, ids)
		for k, id := range rng.Perm(m * soa.Lanes) {
			ids[k/soa.Lanes][k%soa.Lanes] = uint32(id)
		}
		refs, times := guard.Tail[soa.Ref](t, rayRoom+m+1), guard.Tail[float32](t, rayRoom+m+1)
		for range 30 {
			ray := randomRay(rng)
			filter := asm.AllNodes
			if rng.IntN(2) == 0 {
				filter = asm.NodeFilter{Mask: rng.Uint32N(8), Flags: soa.Ref(1+rng.IntN(3)) << 29}
			}
			var walked, listed []string
			zero := []float32{0, 0, 1e-3, 5}[rng.IntN(4)]
			for k := range 2 * len(tiers) {
				tier := tiers[k/2]
				cpu.Force(tier)
				cpu.Narrow = k%2 == 1 // the forms of the tier avx512
				start := func() *RayWalk {
					w := &RayWalk{Ray: ray, Filter: filter, Refs: refs[:0], Times: times[:0], Zero: zero}
					for slot := range m / 3 {
						w.Push(soa.PacketRef(uint32(slot)))
					}
					if n > 0 {
						w.Push(0)
					}
					return w
				}
				a, b := s.walkAll(start()), s.listAll(start())
				got, want := s.nearest(start(), 1+rng.IntN(2*rayPerCall)), s.best(start())
				if got != want {
					t.Fatalf("%s, ray %v, zero %v: nearest %s, want %s", tier, ray, zero, got, want)
				}
				if k == 0 {
					walked, listed = a, b
				}
				if !slices.Equal(a, walked) {
					t.Fatalf("%s, ray %v: %v, want %v", tier, ray, a, walked)
				}
				if !slices.Equal(b, listed) {
					t.Fatalf("%s, ray %v: %v, want %v", tier, ray, b, listed)
				}
			}
		}
	}
}

// Lanes are hit at distinct times, for every lane and count of lanes hit: the order of the stack is by time. One
// visit leaves all hits on it, unless that is one lane.
func TestRayOrder(t *testing.T) {
	former := cpu.Active
	defer cpu.Force(former)
	rng := rand.New(rand.NewPCG(4, 4))
	r, _ := MakeRay([3]float32{}, [3]float32{}, [3]float32{1, 0, 0}, 1000)
	for range 500 {
		nodes, packets := make([]soa.Node, 1), make([]soa.Packet, soa.Fan)
		n := &nodes[0]
		var stack [soa.Fan]soa.Ref // by time, 0 without a hit
		for l, x := range rng.Perm(soa.Fan) {
			child := rng
			if rng.IntN(3) == 0 {
				child = nil
			}
			rayLane(rng, nil, func(col int, y float32) { n.Bounds[col][l] = y })
			for lane := range soa.Lanes {
				rayLane(rng, nil, func(col int, y float32) { packets[l][col][lane] = y })
			}
			if child == nil {
				continue
			}
			box := [6]float32{float32(x * 10), float32(x*10 + 5), -1, 1, -1, 1}
			for col, y := range box {
				n.Bounds[col][l], packets[l][col][l] = y, y
			}
			n.Child[l] = soa.RefPacket | soa.RefStatic | soa.Ref(l)
			stack[soa.Fan-1-x] = n.Child[l]
		}
		entries := slices.DeleteFunc(stack[:], func(ref soa.Ref) bool { return ref == 0 })
		for _, tier := range cpu.Available() {
			cpu.Force(tier)
			w := &RayWalk{Ray: r, Filter: asm.AllNodes}
			w.Push(0)
			if w.Step(nodes, packets, nil, 1); len(entries) > 1 {
				for i, ref := range entries {
					if x := n.Bounds[soa.MinX][ref.Index()]; len(w.Refs) != len(entries) || w.Refs[i] != ref || w.Times[i] > x || w.Times[i] < x*(1-16.0/(1<<23)) {
						t.Fatalf("%s: stack %x at %v, want %x, entry %d at %v", tier, w.Refs, w.Times, entries, i, x)
					}
				}
			}
			w.Refs, w.Times = w.Refs[:0], w.Times[:0]
			w.Push(0)
			last := float32(-1)
			for w.Next(nodes, packets) {
				if x := w.Enter[w.Slot]; w.Mask != 1<<w.Slot || x <= last {
					t.Fatalf("%s: slot %d, mask %#x, time %v after %v", tier, w.Slot, w.Mask, x, last)
				} else {
					last = x
				}
			}
		}
	}
}
