package soa_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func aligned[T any](col []T) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(col)))%mem.Line == 0
}

// Columns hold no pointers, so the garbage collector has nothing to scan. The bytes of a node and of a packet are
// those of the documentation.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		what      string
		size, get uintptr
	}{
		{"object", 32, unsafe.Sizeof(soa.Object{})},
		{"handle", 8, unsafe.Sizeof(soa.Handle{})},
		{"hot node", 512, unsafe.Sizeof(soa.Node{})},
		{"bounds of a packet", 384, unsafe.Sizeof(soa.Packet{})},
		{"keys of a cell", 16, unsafe.Sizeof(soa.KeySpan{})},
		{"slots of a node", 8, unsafe.Sizeof(soa.Span{})},
	} {
		if c.size != c.get {
			t.Errorf("%s: %d bytes, want %d", c.what, c.get, c.size)
		}
	}
	for _, columns := range []any{soa.NodeColumns{}, soa.PacketColumns{}} {
		kind := reflect.TypeOf(columns)
		for i := range kind.NumField() {
			f := kind.Field(i)
			if f.IsExported() && f.Name != "Mask" && (f.Type.Kind() != reflect.Slice || pointers(f.Type.Elem())) {
				t.Errorf("%v.%s is a %v", kind, f.Name, f.Type)
			}
		}
	}
	var s soa.Store
	s.Nodes.Resize(100)
	const node = 512 + 4 + 8 + 128 + 16 + 4 + 4 + 1 + 1 + 1 + 4
	if got := s.Bytes(); got != 100*node {
		t.Errorf("100 nodes take %d bytes, want %d each", got, node)
	}
	s = soa.Store{}
	s.Packets.Resize(100)
	const uniform = 384 + 64 + 2 + 1 + 4 + 24
	if got := s.Bytes(); got != 100*uniform {
		t.Errorf("100 packets without masks take %d bytes, want %d each", got, uniform)
	}
	s.Packets.FreshMasks(100, 0)
	const packet = uniform + 64
	if got := s.Bytes(); got != 100*packet {
		t.Errorf("100 packets take %d bytes, want %d each", got, packet)
	}
	if !aligned(s.Packets.Bounds) || !aligned(s.Packets.IDs) || !aligned(s.Packets.Masks) {
		t.Error("a column does not start on a cache line")
	}
}

// pointers reports whether the type holds any.
func pointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return pointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if pointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// Object and Box return the values that Put wrote, and nothing else changes.
func TestPut(t *testing.T) {
	var p soa.PacketColumns
	p.Resize(3)
	p.FreshMasks(3, 0)
	for slot := range uint32(3) {
		p.Clear(slot)
	}
	for lane := range soa.Lanes {
		if p.Box(1, lane) != soa.Empty() {
			t.Fatalf("lane %d of a cleared slot holds %v", lane, p.Box(1, lane))
		}
	}
	if p.Parents[1] != soa.NoParent || p.PlacementBoxes[1] != soa.Empty() || p.Counts[1] != 0 {
		t.Errorf("a cleared slot has owner %d, home %v, count %d", p.Parents[1], p.PlacementBoxes[1], p.Counts[1])
	}
	var want [soa.Lanes]soa.Object
	for round := range 2 {
		for lane := range soa.Lanes {
			x := float32(100*round + lane)
			want[lane] = soa.Object{Box: box(x, x+1, x+2, x+10, x+20, x+30), Mask: uint32(lane), Static: (lane+round)%3 == 0}
			p.Put(1, lane, uint32(1000+lane), &want[lane])
			for l, o := range want[:lane] {
				if p.Object(1, l) != o {
					t.Fatalf("lane %d: %+v, want %+v", l, p.Object(1, l), o)
				}
			}
			if p.Object(1, lane) != want[lane] || p.IDs[1][lane] != uint32(1000+lane) {
				t.Fatalf("lane %d: %+v, want %+v", lane, p.Object(1, lane), want[lane])
			}
		}
	}
	for _, slot := range []uint32{0, 2} {
		if p.Box(slot, 15) != soa.Empty() || p.Moving[slot] != 0 {
			t.Errorf("slot %d has changed", slot)
		}
	}
}

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

// Room counts free nodes, and the rest up to the limit.
func TestRoom(t *testing.T) {
	var s soa.Store
	s.Nodes.SetLimit(3)
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
	s.Packets.SetLimit(40)
	if s.Packets.Limit() != 40 {
		t.Error("the limit of packets is not kept")
	}
	if (&soa.PacketColumns{}).Limit() != soa.MaxSlots || (&soa.NodeColumns{}).Limit() != soa.MaxNodes {
		t.Error("the limits are not those of the types")
	}
	if up := soa.MakeUp(soa.MaxNodes-1, soa.Fan-1); up.Node() != soa.MaxNodes-1 || soa.MakeUp(soa.MaxNodes, soa.Fan-1) != soa.NoParent {
		t.Errorf("the last node is %d in a parent link, of %d nodes", up.Node(), soa.MaxNodes)
	}
}

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
	memory := make([]byte, 64)
	for _, col := range others {
		// No pointer to a row that would reach beyond the memory: it is a fault under the race detector.
		if col.Adopt(memory[56:56]); col.Len() != 0 || unsafe.SliceData(col.Bytes()) == &memory[56] {
			t.Errorf("%s has a row, or a pointer to one, at the end of a memory", col.Name)
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
		}
		s.Nodes.Free(1)
		s.Nodes.Free(0)
	}
	nodes := a.Nodes.FreeList()
	b.Nodes.Forget()
	b.Nodes.SetFreeList(nodes)
	if nodes.Unused != 2 {
		t.Errorf("%+v", nodes)
	}
	for range 3 {
		if x, y := a.Nodes.Alloc(), b.Nodes.Alloc(); x != y {
			t.Errorf("nodes %d and %d", x, y)
		}
	}
	var d soa.IDs
	for range 5 {
		d.New(1)
	}
	d.Free(2)
	d.Free(4)
	d.Trim()
	e := soa.IDs{Where: append([]soa.Location(nil), d.Where...), Gen: d.Gen.Clone()}
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
