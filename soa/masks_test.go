package soa_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The column of masks has the mask of all objects when it is made, for live lanes only, and for slots that are added
// later it has rows, too. Without it every object has the same mask.
func TestMasks(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 200 {
		var p soa.PacketColumns
		slots := r.IntN(20)
		p.Resize(slots)
		p.Mask = r.Uint32N(4)
		want := map[soa.Location]uint32{}
		fill := func(first int) {
			for slot := uint32(first); int(slot) < slots; slot++ {
				p.Clear(slot)
				n := r.IntN(soa.Lanes + 1)
				for lane := range n {
					o := soa.Object{Mask: p.Mask}
					if p.Masked() {
						o.Mask = r.Uint32N(4)
					}
					p.Put(slot, lane, 7, &o)
					p.Counts[slot]++
					want[soa.MakeLocation(slot, lane)] = o.Mask
				}
			}
		}
		check := func() {
			t.Helper()
			masks := map[uint32]bool{}
			for at, mask := range want {
				masks[mask] = true
				if got, o := p.MaskAt(at.Slot(), at.Lane()), p.Object(at.Slot(), at.Lane()); got != mask || o.Mask != mask {
					t.Fatalf("%v has the mask %d and in its object %d, want %d", at, got, o.Mask, mask)
				}
			}
			for slot := range p.Masks {
				for lane := int(p.Counts[slot]); lane < soa.Lanes; lane++ {
					if p.Masks[slot][lane] != 0 {
						t.Fatalf("slot %d: free lane %d has the mask %d", slot, lane, p.Masks[slot][lane])
					}
				}
			}
			mask, uniform := p.UniformMask()
			if uniform != (len(masks) <= 1) || uniform && len(masks) == 1 && !masks[mask] {
				t.Fatalf("uniform %v, %d, of the masks %v", uniform, mask, masks)
			}
		}
		fill(0)
		check()
		p.UseMasks()
		if !p.Masked() || len(p.Masks) != slots {
			t.Fatalf("%d rows of masks of %d slots", len(p.Masks), slots)
		}
		check()
		first := slots
		slots += r.IntN(20)
		p.Resize(slots)
		fill(first)
		check()
		var q soa.PacketColumns
		q.Resize(3)
		if q.UseColumnsOf(&p); !q.Masked() || len(q.Masks) != 3 {
			t.Fatalf("%d rows of masks of 3 slots", len(q.Masks))
		}
		if slots == 0 {
			continue
		}
		if q.CopyRowOf(1, &p, uint32(slots-1)); q.Masks[1] != p.Masks[slots-1] {
			t.Fatalf("the masks %d were copied as %d", p.Masks[slots-1], q.Masks[1])
		}
		p.DropMasks(9)
		if q.UseColumnsOf(&p); p.Masked() || q.Masked() || len(p.Masks)+len(q.Masks) > 0 || p.MaskAt(0, 0) != 9 || q.MaskAt(0, 0) != 9 {
			t.Fatalf("masks %v and %v after they were dropped", p.Masks, q.Masks)
		}
		empty := soa.Store{Packets: q}
		if empty.Empty(); empty.Packets.Mask != 0 || empty.Packets.Masked() || !empty.Vacant() {
			t.Fatalf("mask %d of no objects, want 0", empty.Packets.Mask)
		}
		p.FreshMasks(slots, 3)
		if !p.Masked() || len(p.Masks) != slots || p.Mask != 0 {
			t.Fatalf("%d rows of masks of %d slots", len(p.Masks), slots)
		}
	}
}
