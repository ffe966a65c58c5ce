package soa_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Every slice of the structs is in the list, under its name and in its order.
func TestColumnsAreAllListed(t *testing.T) {
	var s soa.Store
	for _, c := range []struct {
		fields reflect.Value
		list   []soa.AnyColumn
	}{
		{reflect.ValueOf(&s.Nodes).Elem(), s.Nodes.Columns(nil)},
		{reflect.ValueOf(&s.Packets).Elem(), s.Packets.Columns(nil)},
	} {
		list := c.list
		for i := range c.fields.NumField() {
			f := c.fields.Type().Field(i)
			if f.Type.Kind() != reflect.Slice {
				continue
			}
			name := f.Name
			if len(list) > 0 && list[0].Kind == soa.Labels && name == "Parents" {
				name = "PacketParents" // nodes have a column of that name
			}
			if len(list) == 0 || list[0].Name != name {
				t.Fatalf("%s of %s is not next in the list, which has %+v left", f.Name, c.fields.Type(), list)
			}
			if got, want := list[0].RowSize(), int(f.Type.Elem().Size()); got != want {
				t.Errorf("a row of %s has %d bytes, want %d", f.Name, got, want)
			}
			n := 2 + i // a length of its own
			c.fields.Field(i).Set(reflect.MakeSlice(f.Type, n, 2*n))
			if len(list[0].Bytes()) != n*list[0].RowSize() || list[0].Len() != n || list[0].Cap() != 2*n {
				t.Errorf("%s in the list is another column", f.Name)
			}
			list = list[1:]
		}
		if len(list) > 0 {
			t.Errorf("%s has no %s", c.fields.Type(), list[0].Name)
		}
	}
}

// fullStore returns a store of 100 nodes and 96 slots with masks and bounds, all of whose
// bytes are b.
func fullStore(b byte) *soa.Store {
	s := new(soa.Store)
	s.Nodes.Resize(100)
	s.Packets.Resize(96)
	s.Packets.FreshMasks(96, 0)
	s.Packets.UseSpheres()
	s.Packets.UseOriented()
	for _, col := range allColumns(s) {
		copy(col.Bytes(), bytes.Repeat([]byte{b}, len(col.Bytes())))
	}
	return s
}

func allColumns(s *soa.Store) []soa.AnyColumn { return s.Packets.Columns(s.Nodes.Columns(nil)) }

func rowOf(col soa.AnyColumn, i int) []byte { return col.Bytes()[i*col.RowSize():][:col.RowSize()] }

// Functions that write column by column omit no column.
func TestRowsOfAllColumns(t *testing.T) {
	s := fullStore(0xa5)
	s.Nodes.Reset(3)
	s.Packets.Clear(3)
	for _, col := range allColumns(s) {
		if old := bytes.Repeat([]byte{0xa5}, col.RowSize()); bytes.Contains(rowOf(col, 3), old) {
			t.Errorf("an empty row of %s is as it was", col.Name)
		} else if !bytes.Equal(rowOf(col, 2), old) || !bytes.Equal(rowOf(col, 4), old) {
			t.Errorf("emptying a row of %s has changed its neighbours", col.Name)
		}
	}
	s = fullStore(1)
	for _, col := range s.Packets.Columns(nil) {
		copy(rowOf(col, 5), bytes.Repeat([]byte{2}, col.RowSize()))
	}
	s.Packets.CopyRow(7, 5)
	for _, col := range s.Packets.Columns(nil) {
		for row, want := range map[int]byte{5: 2, 6: 1, 7: 2, 8: 1} {
			if got := rowOf(col, row); !bytes.Equal(got, bytes.Repeat([]byte{want}, col.RowSize())) {
				t.Errorf("row %d of %s after CopyRow(7, 5): % x, want all %d", row, col.Name, got, want)
			}
		}
	}
}

// Each column follows the set of its kind, and nothing else is copied.
func TestPatchByKind(t *testing.T) {
	from := fullStore(2)
	row := soa.Rows{1 << 9}
	for name, c := range map[string]struct {
		nodes, packets, boxes soa.Rows
		kinds                 []soa.Kind
	}{
		"nodes":   {row, nil, nil, []soa.Kind{soa.HotNodes, soa.ColdNodes}},
		"packets": {nil, row, nil, []soa.Kind{soa.Labels}},
		"boxes":   {nil, nil, row, []soa.Kind{soa.Boxes}},
	} {
		s := fullStore(1)
		s.Patch(from, c.nodes, c.packets, c.boxes)
		for _, col := range allColumns(s) {
			want := byte(1)
			for _, kind := range c.kinds {
				if col.Kind == kind {
					want = 2
				}
			}
			if got := rowOf(col, 9); !bytes.Equal(got, bytes.Repeat([]byte{want}, col.RowSize())) {
				t.Errorf("a set of %s: row 9 of %s is % x, want all %d", name, col.Name, got, want)
			}
			if rest := append(bytes.Clone(col.Bytes()[:9*col.RowSize()]), col.Bytes()[10*col.RowSize():]...); bytes.IndexByte(rest, 2) >= 0 {
				t.Errorf("a set of %s: other rows of %s have changed", name, col.Name)
			}
		}
	}
}

// Copies have all columns, equal and apart, and Bytes counts all.
func TestCopiesOfAllColumns(t *testing.T) {
	s := fullStore(3)
	old := new(soa.Store)
	old.CopyFrom(s)
	for name, c := range map[string]*soa.Store{"Clone": s.Clone(), "CopyFrom": old} {
		sum := 0
		for i, col := range allColumns(c) {
			from := allColumns(s)[i]
			if !bytes.Equal(col.Bytes(), from.Bytes()) {
				t.Errorf("%s: %s is not equal", name, col.Name)
			}
			col.Bytes()[0]++
			if from.Bytes()[0] != 3 {
				t.Errorf("%s: %s is shared", name, col.Name)
			}
			sum += col.Cap() * col.RowSize()
		}
		if c.Bytes() != sum {
			t.Errorf("%s: %d bytes, want %d", name, c.Bytes(), sum)
		}
	}
}

// Resize keeps the columns of bounds out of use until they are used; Fresh leaves room.
func TestOptionalColumn(t *testing.T) {
	var p soa.PacketColumns
	p.Resize(10)
	p.Fresh(80, 8)
	for _, col := range p.Columns(nil) {
		if want := 80; col.Optional && col.Len() != 0 || !col.Optional && (col.Len() != want || col.Cap() != want+8) {
			t.Errorf("%s has %d rows and room for %d", col.Name, col.Len(), col.Cap())
		}
	}
	if p.Bounded() {
		t.Error("there are bounds")
	}
	p.UseSpheres()
	p.Resize(90)
	if len(p.Spheres) != 90 || len(p.OrientedBoxes) != 0 || !p.Bounded() {
		t.Errorf("%d rows of spheres, want 90, and %d of oriented boxes", len(p.Spheres), len(p.OrientedBoxes))
	}
	p.UseOriented()
	p.Resize(99)
	if len(p.Spheres) != 99 || len(p.OrientedBoxes) != 99 {
		t.Errorf("%d and %d rows, want 99", len(p.Spheres), len(p.OrientedBoxes))
	}
}

// The visitor allocates nothing where columns do not grow.
func TestColumnsAllocations(t *testing.T) {
	from, s := fullStore(1), fullStore(2)
	rows := soa.Rows{0x0f0f, 1}
	testkit.Allocs(t, 100, func() {
		s.Patch(from, rows, rows, rows)
		s.Nodes.Resize(50)
		s.Packets.Resize(40)
		s.Packets.Fresh(96, 0)
		s.Nodes.Resize(100)
		if s.Bytes() != from.Bytes() {
			t.Error("columns have grown")
		}
	})
}
