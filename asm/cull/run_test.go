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

// smallPart is a part of a few packets.
type smallPart struct {
	run     *cull.RunPart
	columns soa.PacketColumns
}

// randomPart returns a part of up to 16 packets in a cube of 100.
func randomPart(t *testing.T, rng *rand.Rand, at kernel.Place) *smallPart {
	n := 1 + rng.IntN(soa.Fan)
	p := &smallPart{run: &kernel.Room[cull.RunPart](t, at, 1)[0]}
	packets, counts := kernel.RandomPackets(rng, n, testkit.BoxesSmall)
	ids, _ := kernel.RandomIDs(rng, n)
	slots := kernel.Shuffled(rng, n)
	node := soa.EmptyNode
	bounds := soa.Empty()
	for lane, slot := range slots {
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
	s := soa.Store{}
	s.Packets.Bounds, s.Packets.IDs, s.Packets.Counts = kernel.Put(t, at, packets), kernel.Put(t, at, ids), kernel.Put(t, at, counts)
	s.Nodes.Hot, s.Nodes.Used = kernel.Put(t, at, []soa.Node{node}), []uint8{uint8(n)}
	scan := rng.IntN(2) * soa.Fan
	if !p.run.Set(&s, part, scan, rng.IntN(n+1)) || (p.run.Node == nil) != (n <= scan) {
		t.Fatalf("a part of %d packets: node %p", n, p.run.Node)
	}
	p.columns = s.Packets
	return p
}

// randomRun returns a run of random instances around a volume.
func randomRun(t *testing.T, rng *rand.Rand, at kernel.Place, parts []*smallPart, boxes bool) *cull.Run {
	r := &kernel.Room[cull.Run](t, at, 1)[0]
	for i := range r.Maps {
		m := &kernel.Room[[24]float64](t, at, 1)[0]
		angle := [9]float64{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1} // rows, turned below
		for k, x := range angle {
			m[13+k], m[k%3*3+k/3] = x, x
		}
		for a := range 3 {
			m[10+a] = 150 * (rng.Float64() - 0.75)
		}
		m[9], m[22], m[23] = 0x1p-50, 1+0x1p-40, 1-0x1p-40
		r.Maps[i], r.Parts[i] = m, parts[rng.IntN(len(parts))].run
		if rng.IntN(6) == 0 {
			r.Clear[i] = cull.AllSides
		}
	}
	if !boxes {
		planes := &kernel.Room[cull.MovingPlanes](t, at, 1)[0]
		var given [][4]float64
		unit := 1.0
		if rng.IntN(20) == 0 {
			unit = 1e-40 // the images have to be scaled
		}
		for range 1 + rng.IntN(8) {
			given = append(given, [4]float64{unit * rng.NormFloat64(), unit * rng.NormFloat64(), unit * rng.NormFloat64(), unit * rng.Float64() * 60})
		}
		planes.Set(given)
		r.Planes = planes
		return r
	}
	box := &kernel.Room[[12]float64](t, at, 1)[0]
	for a := range 3 {
		lo := -60 * rng.Float64()
		hi := lo + 90*rng.Float64()
		box[a], box[3+a], box[6+a], box[9+a] = lo, hi, (lo+hi)/2, (hi-lo)/2
	}
	r.Box = box
	return r
}

// found returns the IDs of the objects in an instance by the other kernels. ok is false if the run is to end.
func (p *smallPart) found(r *cull.Run, i int) (ids []uint32, ok bool) {
	v, c := cull.Volume{Shape: cull.ShapeConvex}, &p.columns
	turned := cull.TurnedHolds
	switch {
	case r.Clear[i] == cull.AllSides:
	case r.Planes != nil:
		turned = v.Convex.SetPlanes(r.Planes, r.Maps[i], p.run.Bounds)
	default:
		turned = v.Convex.SetTurned(r.Maps[i], r.Box, p.run.Bounds, r.Clear[i])
	}
	switch turned {
	case cull.TurnedUnknown:
		return nil, false
	case cull.TurnedApart:
		return nil, true
	case cull.TurnedHolds:
		for _, slot := range p.run.Slots[:len(c.Counts)] {
			ids = append(ids, c.IDs[slot][:c.Counts[slot]]...)
		}
		return ids, true
	}
	all := kernel.UpTo(len(c.Counts))
	w := asm.VolumeWalk{Queue: []uint32{0}, Packets: all}
	if p.run.Node != nil {
		w.Packets = nil
		v.Nodes(&w, []soa.Node{*p.run.Node}, &asm.AllNodes)
		if len(w.Packets) > int(p.run.Most) {
			w.Inside, w.Packets = nil, all
		}
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
		all, early, cut, unknown := 0, 0, 0, 0
		for k := range testkit.Budget(t, 300, 20_000) {
			at := kernel.Heap
			if k%8 == 0 && k < 800 { // guarded memory is kept until the test ends
				at = []kernel.Place{kernel.Tail, kernel.Head}[k/8%2]
			}
			parts := []*smallPart{randomPart(t, rng, at), randomPart(t, rng, at)}
			r := randomRun(t, rng, at, parts, k%2 == 0)
			space := r.Parts[0].Room + rng.IntN(600)
			first, count := []uint32{12345}, rng.IntN(cull.MaxRun+1)
			want, ends := slices.Clone(first), []int{}
			for i := range count {
				p := parts[0]
				if r.Parts[i] != p.run {
					p = parts[1]
				}
				ids, ok := p.found(r, i)
				if !ok {
					unknown++
				}
				if !ok || len(want)-len(first)+p.run.Room > space {
					break
				}
				want = append(want, ids...)
				ends = append(ends, len(want)-len(first))
			}
			dst := kernel.Room[uint32](t, at, len(first)+space)
			copy(dst, first)
			got, done := r.Append(dst[:len(first)], count)
			if !cull.HasRuns() {
				if done != 0 || len(got) != len(first) {
					t.Fatalf("%d done without a kernel", done)
				}
				continue
			}
			if done != len(ends) || !slices.Equal(got, want) {
				t.Fatalf("%d of %d instances: %d done, want %d; got %d, want %d", k, count, done, len(ends), got, want)
			}
			for i, end := range ends {
				if int(r.Ends[i]) != end {
					t.Fatalf("instance %d ends at %d, want %d", i, r.Ends[i], end)
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
		if cull.HasRuns() && (all == 0 || early == 0 || cut < 100 || unknown == 0) {
			t.Errorf("%d runs in full, %d ended early, %d instances with objects, %d images unknown", all, early, cut, unknown)
		}
	})
}

// A part is set only if a run can search it.
func TestRunPart(t *testing.T) {
	for _, c := range []struct {
		slots, nodes, pending int
		ok                    bool
	}{
		{0, 0, 0, false}, {1, 0, 1, true}, {8, 3, 2, true}, {9, 1, 0, true}, {9, 1, 1, false}, {9, 2, 0, false},
		{9, 0, 0, false}, {16, 1, 0, true}, {17, 1, 0, false},
	} {
		var s soa.Store
		s.Packets.Bounds, s.Packets.IDs = make([]soa.Packet, c.slots), make([][soa.Lanes]uint32, c.slots)
		s.Packets.Counts, s.Pending = make([]uint8, c.slots), make([]uint32, c.pending)
		s.Nodes.Hot, s.Nodes.Used = make([]soa.Node, c.nodes), make([]uint8, c.nodes)
		var p cull.RunPart
		if ok := p.Set(&s, new([15]float64), 8, 6); ok != c.ok {
			t.Errorf("%d slots, %d nodes, %d pending: %t", c.slots, c.nodes, c.pending, ok)
		}
	}
}
