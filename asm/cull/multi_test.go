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

// randomMulti returns a walk of that many frusta that has not begun.
func randomMulti(t testing.TB, at kernel.Place, rng *rand.Rand, viewers int, kind testkit.BoxKind) *cull.FrustaWalk {
	planes := make([]cull.Planes, viewers)
	near := [3]float32{100, 100, 100}
	extent := near
	if rng.IntN(2) == 0 {
		near, extent = randomBounds(rng, kind)
	}
	for i := range planes {
		six := scaled(randomFrustum(rng, kind))
		planes[i] = cull.MakePlanes(&six, near, extent)
	}
	w := &cull.FrustaWalk{Planes: kernel.Put(t, at, planes)}
	w.Reset(0)
	return w
}

// multiRef visits the node at the head of the queue.
func multiRef(w *cull.FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter) {
	q := &w.Queue
	n := &nodes[q.Refs[w.Head]]
	for l := range soa.Fan {
		open, in := uint64(0), q.In[w.Head]
		for v := range w.Planes {
			if q.Open[w.Head]>>v&1 == 0 {
				continue
			}
			hit, inside := frustumRef(kernel.NodeBox(n, l), &w.Planes[v])
			if hit && inside {
				in |= 1 << v
			} else if hit {
				open |= 1 << v
			}
		}
		ref := n.Child[l]
		index := ref.Index()
		switch {
		case open|in == 0 || ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[l]&filter.Mask == 0:
		case open == 0:
			w.Inside.Add(uint32(ref&soa.RefPacket)|index, 0, in)
		case ref.IsPacket():
			w.Packets.Add(index, open, in)
		default:
			q.Add(index, open, in)
		}
	}
	w.Head++
}

func sameMulti(t testing.TB, got, want *cull.FrustaWalk) {
	t.Helper()
	for name, list := range map[string][2]*cull.MultiList{
		"queue": {&got.Queue, &want.Queue}, "packets": {&got.Packets, &want.Packets}, "inside": {&got.Inside, &want.Inside},
	} {
		g, w := list[0], list[1]
		if !slices.Equal(g.Refs, w.Refs) || !slices.Equal(g.Open, w.Open) || !slices.Equal(g.In, w.In) {
			t.Fatalf("%s: got %x, want %x", name, *g, *w)
		}
	}
}

// Nodes and planes in guarded memory, for every number of viewers at a threshold.
func TestMultiNodes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	sifts := []asm.NodeFilter{asm.AllNodes, {Mask: 3, Flags: soa.RefMoving}, {Mask: 0, Flags: soa.RefStatic}}
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			kernel.EachPlace(t, []int{1, 2, 9, 65, 200}, func(t *testing.T, at kernel.Place, n int) {
				nodes := kernel.Put(t, at, kernel.RandomNodes(rng, n, kind))
				for i, viewers := range []int{1, 2, 5, 31, 63, 64} {
					got := randomMulti(t, at, rng, viewers, kind)
					want := &cull.FrustaWalk{Planes: got.Planes}
					want.Reset(0)
					most := min(cull.MultiPerCall/viewers, cull.NodesPerCall)
					for !got.Done() {
						former := got.Head
						cull.MultiNodes(got, nodes, &sifts[i%3])
						if n := got.Head - former; n < 1 || n > most {
							t.Fatalf("%d viewers: one call visited %d nodes, want 1 to %d", viewers, n, most)
						}
					}
					for !want.Done() {
						multiRef(want, nodes, &sifts[i%3])
					}
					sameMulti(t, got, want)
				}
			})
		}
	})
}

// The 16 children of a node, each seen by other viewers, go to one list.
func TestMultiFullLists(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, near := range []float32{4, 99} { // some children are beyond it, or none
			for list, ref := range []soa.Ref{0, 0, soa.RefPacket} {
				nodes := make([]soa.Node, 1+soa.Fan)
				for l := range soa.Fan {
					x := float32(l)
					kernel.SetNodeBox(&nodes[0], l, kernel.Columns{x + 0.25, x + 0.75, -1, 1, -1, 1})
					nodes[0].Child[l] = ref | soa.RefStatic | soa.Ref(1+l)
				}
				for range 20 {
					got := &cull.FrustaWalk{Planes: slabViewers(rng, list > 0, near)}
					want := &cull.FrustaWalk{Planes: got.Planes}
					got.Reset(0)
					want.Reset(0)
					for cull.MultiNodes(got, nodes, &asm.AllNodes); want.Head < got.Head; {
						multiRef(want, nodes, &asm.AllNodes)
					}
					sameMulti(t, got, want)
					full := [...]*cull.MultiList{&got.Inside, &got.Queue, &got.Packets}[list]
					if n := len(full.Refs); n < soa.Fan {
						t.Fatalf("list %d has %d entries, want %d", list, n, soa.Fan)
					}
				}
			}
		}
	})
}

// slabViewers returns the largest number of frusta, each between two planes across the x
// axis: viewers 0 to 31 see from 0 to 8 and the others from 8 to 16, or the other way
// round. The first plane is at an integer; or, if they cut, in the middle between two.
func slabViewers(rng *rand.Rand, cut bool, near float32) []cull.Planes {
	planes := make([]cull.Planes, cull.MaxViewers)
	turn := rng.IntN(2)
	for v := range planes {
		end := 8 + 8*(v/32^turn)
		at := end - 8 + v%8
		from, to := float32(at), float32(at+1+rng.IntN(end-at))
		if cut {
			from += 0.5
		}
		six := scaled([6][4]float32{{1, 0, 0, -from}, {-1, 0, 0, to}, always, always, always, always})
		planes[v] = cull.MakePlanes(&six, [3]float32{near, near, near}, [3]float32{99, 99, 99})
	}
	return planes
}

// Packets in guarded memory, with results in memory of the exact room.
func TestMultiPackets(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			kernel.EachPlace(t, []int{1, 2, 3, 4, 5, 16, 17, testkit.Budget(t, 80, 300)}, func(t *testing.T, at kernel.Place, n int) {
				made, counts := kernel.RandomPackets(rng, n, kind)
				packets := kernel.Put(t, at, made)
				madeIDs, _ := kernel.RandomIDs(rng, n)
				ids := kernel.Put(t, at, madeIDs)
				for _, viewers := range []int{1, 3, 64} {
					w := randomMulti(t, at, rng, viewers, kind)
					keep := kernel.Room[uint16](t, at, n)
					var wantIDs []uint32
					var wantViewers []uint64
					slots, open, in := kernel.Room[uint32](t, at, n), kernel.Room[uint64](t, at, n), kernel.Room[uint64](t, at, n)
					for i := range n {
						slots[i] = uint32(rng.IntN(n))
						keep[i] = uint16(1<<counts[slots[i]]-1) & uint16(rng.Uint32()|rng.Uint32())
						in[i] = rng.Uint64() & rng.Uint64() & w.All()
						if i%2 == 0 {
							in[i] = 0
						}
						open[i] = 1 << rng.IntN(viewers)
						if i%3 > 0 {
							open[i] |= rng.Uint64() & w.All()
						}
						for l := range soa.Lanes {
							seen := in[i]
							for v := range viewers {
								hit, _ := frustumRef(kernel.PacketBox(&packets[slots[i]], l), &w.Planes[v])
								if hit && open[i]>>v&1 != 0 {
									seen |= 1 << v
								}
							}
							if seen != 0 && keep[i]>>l&1 != 0 {
								wantIDs, wantViewers = append(wantIDs, ids[slots[i]][l]), append(wantViewers, seen)
							}
						}
					}
					w.Packets = cull.MultiList{Refs: slots, Open: open, In: in}
					got, gotViewers := cull.MultiPackets([]uint32{7}, []uint64{7}, w, packets, ids, keep)
					if got[0] != 7 || gotViewers[0] != 7 || !slices.Equal(got[1:], wantIDs) || !slices.Equal(gotViewers[1:], wantViewers) {
						t.Fatalf("%d viewers: got %d IDs, want %d", viewers, len(got)-1, len(wantIDs))
					}
					outIDs, outViewers := kernel.Room[uint32](t, at, n*soa.Lanes+soa.Lanes), kernel.Room[uint64](t, at, n*soa.Lanes+soa.Lanes)
					k := cull.MultiPacketsCall(outIDs, outViewers, w, packets, ids, keep)
					if !slices.Equal(outIDs[:k], wantIDs) || !slices.Equal(outViewers[:k], wantViewers) {
						t.Fatalf("%d viewers, one call: got %d IDs, want %d", viewers, k, len(wantIDs))
					}
				}
			})
		}
	})
}

// A call counts a node once for each frustum that tests it.
func TestFrustaBudget(t *testing.T) {
	const queued = 3 * cull.NodesPerCall
	nodes := make([]soa.Node, queued)
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
	for _, viewers := range []int{1, 3, 16, 17, 64} {
		testkit.EachTier(t, func(t *testing.T) {
			w := &cull.FrustaWalk{Planes: make([]cull.Planes, viewers)}
			w.Reset(0)
			for i := 1; i < queued; i++ {
				w.Queue.Add(uint32(i), w.All(), 0)
			}
			cull.MultiNodes(w, nodes, &asm.AllNodes)
			if want := min(cull.MultiPerCall/viewers, cull.NodesPerCall); w.Head != want {
				t.Fatalf("%d viewers: %d nodes tested, want %d", viewers, w.Head, want)
			}
		})
	}
}
