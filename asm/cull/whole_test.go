package cull_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// hasWhole reports whether the active tier has a kernel for a whole walk.
func (k *kernels) hasWhole() bool {
	return cpu.Active != cpu.Go && (k.Shape == cull.ShapeBox || k.Shape == cull.ShapeSphere || k.Shape == cull.ShapeFrustum && !k.Planes.Two || k.Shape == cull.ShapeConvex && !k.Convex.Two)
}

// wholeCase is a whole walk from the root, with its end and the hits in the packets, by the reference.
type wholeCase struct {
	*kernels
	store   *soa.Store
	pending []uint32 // packets ahead of those of the walk
	end     *asm.VolumeWalk
	hits    []uint32 // masks, of end.Packets
}

func (k *kernels) wholeCase(s *soa.Store, pending []uint32) *wholeCase {
	c := &wholeCase{kernels: k, store: s, pending: pending, end: &asm.VolumeWalk{Queue: []uint32{0}, Packets: slices.Clone(pending)}}
	k.walkRef(c.end, s.Nodes.Hot, &asm.AllNodes)
	masks := make([]uint32, len(s.Packets.Bounds))
	for _, r := range k.rangesRef(s.Packets.Bounds, kernel.UpTo(len(masks))) {
		masks[r.First] = r.N &^ asm.RangeHit
	}
	for _, slot := range c.end.Packets {
		c.hits = append(c.hits, masks[slot])
	}
	return c
}

// checkWhole runs the walk with so much room. It is done exactly where the contract says; if not, Nodes continues to
// the same end.
func (k *wholeCase) checkWhole(t testing.TB, at kernel.Place, budget, most, space int) (done bool) {
	t.Helper()
	s, pending, want := k.store, k.pending, k.end
	var ids []uint32
	fits := true
	for i, slot := range want.Packets {
		fits = fits && len(ids)+soa.Lanes <= space
		for mask := k.hits[i]; mask != 0; mask &= mask - 1 {
			ids = append(ids, s.Packets.IDs[slot][bits.TrailingZeros32(mask)])
		}
	}
	calls := cull.NodesPerCall
	if budget > 0 {
		calls = min(budget, calls)
	}
	small := len(want.Queue) < calls && len(want.Inside) == 0 && len(want.Packets) <= min(most, cull.PacketsPerCall) && fits && space >= soa.Lanes

	w := walkFrom(t, at, []uint32{0})
	w.Packets = append(w.Packets, pending...)
	w.Budget = budget
	dst := kernel.Room[uint32](t, at, 1+space)
	dst[0] = 12345
	got, done := k.Whole(dst[:1], w, s, &asm.AllNodes, most)
	switch {
	case done != (small && k.hasWhole()):
		t.Fatalf("%s: done: %t, with %d nodes of %d, %d inside, %d packets of %d, %d IDs in %d", k.name, done,
			len(want.Queue), calls, len(want.Inside), len(want.Packets), most, len(ids), space)
	case done && !slices.Equal(got[1:], ids) || !done && len(got) != 1 || got[0] != 12345:
		t.Fatalf("%s: got %x, want %x", k.name, got, ids)
	}
	k.finish(t, w)
	return done
}

// finish checks that the rest of a walk has the same end as all of it by Nodes.
func (k *wholeCase) finish(t testing.TB, w *asm.VolumeWalk) {
	t.Helper()
	for w.Budget = 0; !w.Done(); {
		k.Nodes(w, k.store.Nodes.Hot, &asm.AllNodes)
	}
	sameWalk(t, w, k.end)
}

// checkCount is checkWhole of a count, which reads no IDs and ends after the packet that makes it enough. It adds to
// covered if it is done with something inside, to early if packets are left.
func (k *wholeCase) checkCount(t testing.TB, at kernel.Place, budget, most, enough int, covered, early *int) (done bool) {
	t.Helper()
	s, pending, want := k.store, k.pending, k.end
	count, left := 0, 0
	for _, mask := range k.hits {
		if count < enough {
			count += bits.OnesCount32(mask)
		} else if mask != 0 {
			left++
		}
	}
	calls := cull.NodesPerCall
	if budget > 0 {
		calls = min(budget, calls)
	}
	small := len(want.Queue) <= calls && len(want.Packets) <= min(most, cull.PacketsPerCall)

	w := walkFrom(t, at, []uint32{0})
	w.Packets = append(w.Packets, pending...)
	w.Budget = budget
	bare := &soa.Store{Nodes: s.Nodes}
	bare.Packets.Bounds = s.Packets.Bounds
	n, done := k.CountWhole(w, bare, &asm.AllNodes, most, enough)
	switch {
	case done != (small && k.hasWhole()):
		t.Fatalf("%s: done: %t, with %d nodes of %d, %d packets of %d", k.name, done, len(want.Queue), calls, len(want.Packets), most)
	case done && n != count || !done && n != 0:
		t.Fatalf("%s: done: %t, %d hit, want %d, of which %d are enough", k.name, done, n, count, enough)
	}
	if done && len(want.Inside) > 0 {
		*covered++
	}
	if done && left > 0 {
		*early++
	}
	k.finish(t, w)
	return done
}

// walks calls check with stores of random nodes, and with limits of a walk, on each tier for each
// shape. It fails unless some are done in a call where there is a kernel for it, and others not.
func walks(t *testing.T, check func(t testing.TB, rng *rand.Rand, k *wholeCase, at kernel.Place, budget, most int) (done bool)) {
	rounds := testkit.Budget(t, testkit.Again(2, 1), 12)
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		whole, part, has := 0, 0, false
		for range rounds {
			for _, n := range []int{1, 2, 5, 20, 63, 64, 65, 200} {
				for _, kind := range testkit.AgainOne(rng, testkit.BoxKinds()) {
					at := kernel.Heap
					if rng.IntN(8) == 0 { // neighbouring pages cost as much as fifty walks
						at = []kernel.Place{kernel.Tail, kernel.Head}[rng.IntN(2)]
					}
					packets, _ := kernel.RandomPackets(rng, 40, kind)
					ids, _ := kernel.RandomIDs(rng, len(packets))
					nodes := kernel.RandomNodes(rng, n, kind)
					for i := range nodes {
						for l, ref := range nodes[i].Child {
							if ref.IsPacket() {
								nodes[i].Child[l] = ref&^soa.RefIndex | soa.Ref(rng.IntN(len(packets)))
							}
						}
					}
					s := new(soa.Store)
					s.Nodes.Hot = kernel.Put(t, at, nodes)
					s.Packets.Bounds, s.Packets.IDs = kernel.Put(t, at, packets), kernel.Put(t, at, ids)
					k := random(t, at, kind)
					has = k.hasWhole()
					pending := kernel.Shuffled(rng, len(packets))[:rng.IntN(4)]
					if rng.IntN(32) == 0 { // about as many as a call tests
						for range cull.PacketsPerCall - rng.IntN(16) {
							pending = append(pending, uint32(rng.IntN(len(packets))))
						}
					}
					c := k.wholeCase(s, pending)
					for _, budget := range []int{0, 1, n, n + 1, 1000} {
						if check(t, rng, c, at, budget, []int{0, 3, 1000, 1000}[rng.IntN(4)]) {
							whole++
						} else {
							part++
						}
					}
				}
			}
		}
		if has != (whole > 0) || part == 0 {
			t.Errorf("%d walks in a call, %d in more", whole, part)
		}
	})
}

func TestVolumeWhole(t *testing.T) {
	walks(t, func(t testing.TB, rng *rand.Rand, k *wholeCase, at kernel.Place, budget, most int) bool {
		return k.checkWhole(t, at, budget, most, []int{0, 15, 16, 60, 2000, 2000}[rng.IntN(6)])
	})
}

func TestVolumeCountWhole(t *testing.T) {
	has, covered, early := false, 0, 0
	walks(t, func(t testing.TB, rng *rand.Rand, k *wholeCase, at kernel.Place, budget, most int) bool {
		has = has || k.hasWhole()
		return k.checkCount(t, at, budget, most, []int{1, 2, 17, math.MaxInt}[rng.IntN(4)], &covered, &early)
	})
	if has && (covered == 0 || early == 0) {
		t.Errorf("%d counts done with something inside, %d that were enough before the end", covered, early)
	}
}
