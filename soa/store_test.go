package soa_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
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
			if f.IsExported() && (f.Type.Kind() != reflect.Slice || pointers(f.Type.Elem())) {
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
	const packet = 384 + 64 + 64 + 2 + 1 + 4 + 24
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
