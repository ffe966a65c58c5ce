package cull_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// smallPart is a part of a few packets, with the arguments of a run of instances.
type smallPart struct {
	run     *cull.Run
	columns soa.PacketColumns
	n       int      // packets
	whole   []uint32 // all IDs, or empty
}

// randomPart returns a part of up to 16 packets in a cube of 100, and random instances around the volume.
func randomPart(t *testing.T, rng *rand.Rand, at kernel.Place, n int, boxes bool) *smallPart {
	p := &smallPart{run: &kernel.Room[cull.Run](t, at, 1)[0], n: n}
	packets, counts := kernel.RandomPackets(rng, n, testkit.BoxesSmall)
	ids, _ := kernel.RandomIDs(rng, n)
	slots := kernel.Shuffled(rng, n)
	node := soa.EmptyNode
	bounds := soa.Empty()
	for lane, slot := range slots {
		p.run.Slots[lane] = slot
		p.run.Lanes |= 1 << lane
		hull := soa.Empty()
		for l := range soa.Lanes {
			box := kernel.PacketBox(&packets[slot], l)
			for a := range 3 {
				hull.Min[a], hull.Max[a] = min(hull.Min[a], box[2*a]), max(hull.Max[a], box[2*a+1])
			}
		}
		for a := range 3 {
			node.Bounds[2*a][lane], node.Bounds[2*a+1][lane] = hull.Min[a], hull.Max[a]
		}
		node.Child[lane] = soa.RefPacket | soa.RefStatic | soa.Ref(slot)
		bounds = bounds.Union(hull)
	}
	part := &kernel.Room[[15]float64](t, at, 1)[0]
	for a := range 3 {
		lo, hi := float64(bounds.Min[a]), float64(bounds.Max[a])
		part[a], part[3+a], part[6+a], part[9+a], part[12+a] = lo, hi, (lo+hi)/2, (hi-lo)/2, max(-lo, hi)
	}
	p.run.Part = part
	p.columns.Bounds, p.columns.IDs, p.columns.Counts = kernel.Put(t, at, packets), kernel.Put(t, at, ids), kernel.Put(t, at, counts)
	if rng.IntN(2) == 0 {
		p.run.Node = &kernel.Put(t, at, []soa.Node{node})[0]
	}
	for i := range p.run.Maps {
		m := &kernel.Room[[24]float64](t, at, 1)[0]
		angle := [9]float64{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1} // rows, turned below
		for k, x := range angle {
			m[13+k], m[k%3*3+k/3] = x, x
		}
		for a := range 3 {
			m[10+a] = 150 * (rng.Float64() - 0.75)
		}
		m[9], m[22], m[23] = 0x1p-50, 1+0x1p-40, 1-0x1p-40
		p.run.Maps[i] = m
		if rng.IntN(6) == 0 {
			p.run.Clear[i] = cull.AllSides
		}
	}
	if !boxes {
		planes := &kernel.Room[cull.MovingPlanes](t, at, 1)[0]
		var given [][4]float64
		for range 1 + rng.IntN(8) {
			given = append(given, [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.Float64() * 60})
		}
		planes.Set(given)
		p.run.Planes = planes
		return p
	}
	box := &kernel.Room[[12]float64](t, at, 1)[0]
	for a := range 3 {
		lo := -60 * rng.Float64()
		hi := lo + 90*rng.Float64()
		box[a], box[3+a], box[6+a], box[9+a] = lo, hi, (lo+hi)/2, (hi-lo)/2
	}
	p.run.Box = box
	return p
}

// found returns the IDs of the objects in an instance by the other kernels. ok is false if the run is to end.
func (p *smallPart) found(i int) (ids []uint32, ok bool) {
	v, r, c := cull.Volume{Shape: cull.ShapeConvex}, p.run, &p.columns
	turned := cull.TurnedHolds
	switch {
	case r.Clear[i] == cull.AllSides:
	case r.Planes != nil:
		turned = v.Convex.SetPlanes(r.Planes, r.Maps[i], r.Part)
	default:
		turned = v.Convex.SetTurned(r.Maps[i], r.Box, r.Part, r.Clear[i])
	}
	switch turned {
	case cull.TurnedUnknown:
		return nil, false
	case cull.TurnedApart:
		return nil, true
	case cull.TurnedHolds:
		return p.whole, len(p.whole) > 0
	}
	w := asm.VolumeWalk{Queue: []uint32{0}, Packets: r.Slots[:p.n]}
	if r.Node != nil {
		w.Packets = nil
		v.Nodes(&w, []soa.Node{*r.Node}, &asm.AllNodes)
	}
	for _, ref := range w.Inside {
		slot := ref.Index()
		ids = append(ids, c.IDs[slot][:c.Counts[slot]]...)
	}
	ids, _ = v.AppendIDs(slices.Grow(ids, soa.Lanes), nil, c.Bounds, c.IDs, w.Packets)
	return ids, true
}

// A run has the objects of its instances, one after the other, and ends where the contract says. It reads and writes
// only its arguments.
func TestRun(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		all, early, cut := 0, 0, 0
		for k := range testkit.Budget(t, 300, 20_000) {
			at := kernel.Heap
			if k%8 == 0 && k < 800 { // guarded memory is kept until the test ends
				at = []kernel.Place{kernel.Tail, kernel.Head}[k/8%2]
			}
			n := 1 + rng.IntN(soa.Fan)
			p := randomPart(t, rng, at, n, k%2 == 0)
			if rng.IntN(3) > 0 {
				p.whole = kernel.UpTo(1 + rng.IntN(5*soa.Lanes)) // as many as there are, or not
				p.run.From, p.run.To = 1, 1+len(p.whole)
			}
			first := append([]uint32{12345}, p.whole...)
			need := max(n*soa.Lanes, len(p.whole)) + soa.Lanes
			space := need + rng.IntN(300)
			count := rng.IntN(cull.MaxRun + 1)
			want, ends := slices.Clone(first), []int{}
			for i := range count {
				ids, ok := p.found(i)
				if !ok || len(want)-len(first) > space-need {
					break
				}
				want = append(want, ids...)
				ends = append(ends, len(want)-len(first))
			}
			dst := kernel.Room[uint32](t, at, len(first)+space)
			copy(dst, first)
			got, done := p.run.Append(dst[:len(first)], &p.columns, count)
			if !cull.HasRuns() {
				if done != 0 || len(got) != len(first) {
					t.Fatalf("%d done without a kernel", done)
				}
				continue
			}
			if done != len(ends) || !slices.Equal(got, want) {
				t.Fatalf("%d of %d instances of %d packets: %d done, want %d; got %d, want %d", k, count, n, done, len(ends), got, want)
			}
			for i, end := range ends {
				if int(p.run.Ends[i]) != end {
					t.Fatalf("instance %d ends at %d, want %d", i, p.run.Ends[i], end)
				}
				if i > 0 && end > ends[i-1] || i == 0 && end > 0 {
					cut++
				}
			}
			if done == count {
				all++
			} else {
				early++
			}
		}
		if cull.HasRuns() && (all == 0 || early == 0 || cut < 100) {
			t.Errorf("%d runs in full, %d ended early, %d instances with objects", all, early, cut)
		}
	})
}
