package build_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// ReducePackets writes the columns that a fill of the same packets writes, on every tier, and changes nothing else.
func TestReducePackets(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	inf := float32(math.Inf(1))
	const slots = 1100 // more than one call takes
	box := testkit.RandomBoxes(r, slots*soa.Lanes, testkit.BoxesSmall)
	testkit.EachTier(t, func(t *testing.T) {
		c := filled{Nodes: guard.Tail[soa.Node](t, (slots+15)/16)}
		c.Bounds, c.Masks = guard.Tail[soa.Packet](t, slots), guard.Tail[[soa.Lanes]uint32](t, slots)
		c.Moving, c.Counts = guard.Tail[uint16](t, slots), guard.Tail[uint8](t, slots)
		c.Parents = guard.Tail[soa.Up](t, slots)
		var list, want []uint32
		wide := make([]soa.Node, len(c.Nodes))
		for s := range c.Bounds {
			n := s % (soa.Lanes + 1)
			c.Counts[s] = uint8(n)
			c.Parents[s] = soa.Up(s)
			for l := range soa.Lanes {
				b := box[s*soa.Lanes+l]
				for a := range 3 {
					if l < n {
						c.Bounds[s][2*a][l], c.Bounds[s][2*a+1][l] = b.Min[a], b.Max[a]
					} else {
						c.Bounds[s][2*a][l], c.Bounds[s][2*a+1][l] = inf, -inf
					}
				}
				if l < n {
					c.Masks[s][l] = r.Uint32() & r.Uint32() & r.Uint32()
					c.Moving[s] |= uint16(r.UintN(2)) << l
				}
			}
			if s%5 == 2 {
				c.Moving[s] = 0
			} else if s%5 == 3 {
				c.Moving[s] = uint16(1<<n - 1)
			}
			// The union, slowly.
			h, l := &wide[s>>4], s&15
			for a := range 3 {
				lo, hi := inf, -inf
				for k := range n {
					lo, hi = min(lo, c.Bounds[s][2*a][k]), max(hi, c.Bounds[s][2*a+1][k])
				}
				h.Bounds[2*a][l], h.Bounds[2*a+1][l] = lo, hi
			}
			h.Child[l] = soa.RefPacket | soa.Ref(s)
			for k := range n {
				h.Mask[l] |= c.Masks[s][k]
				if c.Moving[s]>>k&1 != 0 {
					h.Child[l] |= soa.RefMoving
				} else {
					h.Child[l] |= soa.RefStatic
				}
			}
			if s%3 != 0 {
				list = append(list, uint32(s))
			} else {
				want = append(want, uint32(s))
			}
		}
		guarded := guard.Tail[uint32](t, len(list)) // a kernel looks ahead
		copy(guarded, list)
		c.reduce(guarded)
		for _, s := range want { // not listed: not written
			if c.Nodes[s>>4].Child[s&15] != 0 {
				t.Fatalf("slot %d was not listed and its lane was written", s)
			}
		}
		c.reduce(want)
		for i := range wide {
			if c.Nodes[i] != wide[i] {
				t.Fatalf("node %d is %v, want %v", i, c.Nodes[i], wide[i])
			}
		}
	})
}
