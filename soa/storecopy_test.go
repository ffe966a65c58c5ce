package soa_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A cleared index gives out the IDs from 0, with new generations.
func TestIDsClear(t *testing.T) {
	var d soa.IDs
	var handles []soa.Handle
	for i := range uint32(10) {
		h, _ := d.Handle(d.New(soa.Location(i)))
		handles = append(handles, h)
	}
	d.Free(3)
	d.Free(8)
	c := d.Clone()
	d.Clear()
	if d.Len() != 0 || d.Cap() != 10 {
		t.Fatalf("%d live of %d", d.Len(), d.Cap())
	}
	testkit.Must(t, d.Check())
	for _, h := range handles {
		if _, err := d.Resolve(h); err == nil {
			t.Errorf("handle %v is not stale", h)
		}
	}
	for i := range uint32(12) {
		if id := d.New(soa.Location(i)); id != i {
			t.Errorf("ID %d, want %d", id, i)
		}
	}
	if err := c.Check(); err != nil || c.Len() != 8 || c.New(0) != 8 {
		t.Errorf("the clone has %d live IDs, %v", c.Len(), err)
	}
}

// Room counts free nodes and blocks, and the rest up to the limit.
func TestRoom(t *testing.T) {
	var s soa.Store
	s.Nodes.SetLimit(3)
	s.Packets.SetLimit(40) // two blocks
	for want := 3; want > 0; want-- {
		if !s.Nodes.Fits(want) || s.Nodes.Fits(want+1) {
			t.Errorf("room for %d nodes, want %d", want-1, want)
		}
		s.Nodes.Alloc()
	}
	s.Nodes.Free(1)
	if !s.Nodes.Fits(1) || s.Nodes.Fits(2) {
		t.Error("a free node is not counted")
	}
	a := s.Packets.AllocBlock()
	if !s.Packets.Fits(1) || s.Packets.Fits(2) {
		t.Error("room is not for one block")
	}
	s.Packets.FreeBlock(a)
	if !s.Packets.Fits(2) || s.Packets.Fits(3) {
		t.Error("room is not for two blocks")
	}
	if (&soa.PacketColumns{}).Limit() != soa.MaxSlots || (&soa.NodeColumns{}).Limit() != soa.MaxNodes {
		t.Error("the limits are not those of the types")
	}
}
