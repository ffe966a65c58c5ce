package soa_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/soa"
)

// Columns that adopt the bytes of others are equal to them, and share their memory; each is of
// words of one size, which divides its rows.
func TestAdopt(t *testing.T) {
	from, to := fullStore(7), new(soa.Store)
	others := allColumns(to)
	for i, col := range allColumns(from) {
		if w := col.WordSize(); w != 1 && w != 2 && w != 4 && w != 8 || col.RowSize()%w != 0 {
			t.Errorf("%s: words of %d bytes in rows of %d", col.Name, w, col.RowSize())
		}
		others[i].Adopt(col.Bytes())
		col.Bytes()[col.RowSize()] = 9
		if others[i].Len() != col.Len() || !bytes.Equal(others[i].Bytes(), col.Bytes()) || others[i].Cap() != col.Len() {
			t.Errorf("%s: %d rows of %d, or others", col.Name, others[i].Len(), col.Len())
		}
	}
	for name, size := range map[string]int{"Keys": 8, "Cells": 8, "Hot": 4, "Moving": 2, "Counts": 1, "OrientedBoxes": 4} {
		for _, col := range others {
			if col.Name == name && col.WordSize() != size {
				t.Errorf("%s has words of %d bytes", name, col.WordSize())
			}
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("half a row is adopted")
			}
		}()
		others[0].Adopt(make([]byte, 9))
	}()
}

// Lists that are taken out and put into equal columns give out the same rows and IDs.
func TestFreeListsAreKept(t *testing.T) {
	var a, b soa.Store
	for _, s := range []*soa.Store{&a, &b} {
		for range 3 {
			s.Nodes.Alloc()
			s.Packets.AllocBlock()
		}
		s.Nodes.Free(1)
		s.Nodes.Free(0)
		s.Packets.FreeBlock(soa.BlockSlots)
	}
	nodes, packets := a.Nodes.FreeList(), a.Packets.FreeList()
	b.Nodes.Forget()
	b.Packets.Forget()
	b.Nodes.SetFreeList(nodes)
	b.Packets.SetFreeList(packets)
	if nodes.Unused != 2 || packets.Unused != soa.BlockSlots {
		t.Errorf("%+v and %+v", nodes, packets)
	}
	for range 3 {
		if x, y := a.Nodes.Alloc(), b.Nodes.Alloc(); x != y {
			t.Errorf("nodes %d and %d", x, y)
		}
		if x, y := a.Packets.AllocBlock(), b.Packets.AllocBlock(); x != y {
			t.Errorf("blocks %d and %d", x, y)
		}
	}
	var d soa.IDs
	for range 5 {
		d.New(1)
	}
	d.Free(2)
	d.Free(4)
	d.Trim()
	e := soa.IDs{Where: append([]soa.Location(nil), d.Where...), Gen: append([]uint32(nil), d.Gen...)}
	e.SetState(d.State())
	if e.Len() != 3 || e.Check() != nil {
		t.Errorf("%d live IDs, %v", e.Len(), e.Check())
	}
	for range 3 {
		x, y := d.New(1), e.New(1)
		if h, _ := d.Handle(x); x != y {
			t.Errorf("IDs %d and %d", x, y)
		} else if g, _ := e.Handle(y); g != h {
			t.Errorf("handles %v and %v", h, g)
		}
	}
}

// Free IDs are listed in the order in which they are given out.
func TestAppendFree(t *testing.T) {
	var d soa.IDs
	for range 9 {
		d.New(0)
	}
	for _, id := range []uint32{4, 0, 8, 3} {
		d.Free(id)
	}
	got := d.AppendFree([]uint32{7})
	if want := []uint32{7, 3, 8, 0, 4}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for _, id := range got[1:] {
		if next := d.New(0); next != id {
			t.Errorf("ID %d, want %d", next, id)
		}
	}
	if got := d.AppendFree(nil); len(got) != 0 {
		t.Errorf("%v of no free IDs", got)
	}
}
